// Printed by a test of kvforge-hdl.
`resetall
`default_nettype none

module two_scalers (
    input  wire clk,
    input  wire rst,
    input  wire [7:0] a,
    input  wire [3:0] b,
    input  wire enable,
    output wire [15:0] y,
    output wire [7:0] z
);
    wire [15:0] wide_y;
    wire [7:0] narrow_y;
    assign y = wide_y;
    scaler #(
        .WIDTH(8),
        .FACTOR(8'hc8)
    ) wide (
        .clock(clk),
        .reset_n(!rst),
        .x(a + 8'h1),
        .enable(enable),
        .y(wide_y)
    );
    assign z = narrow_y;
    scaler #(
        .WIDTH(4),
        .FACTOR(4'h3)
    ) narrow (
        .clock(clk),
        .reset_n(!rst),
        .x(b),
        .enable(1'h1),
        .y(narrow_y)
    );
endmodule

`default_nettype wire

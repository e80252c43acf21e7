// Printed by a test of kvforge-hdl.
`default_nettype none

module enables (
    input  wire clk,
    input  wire go,
    input  wire [3:0] x,
    input  wire [3:0] late,
    output wire [3:0] y,
    output wire [3:0] z
);
    reg [3:0] y_1; // processes.rs:264
    reg [3:0] z_1; // processes.rs:264

    // registers
    assign y = y_1;
    assign z = z_1;

    // an enable
    wire enable = late > 4'h3; // processes.rs:277
    always @(posedge clk) begin
        if (go) begin
            y_1 <= x;
            if (enable) z_1 <= x + 4'h1;
        end else begin
            if (enable) z_1[1:0] <= 2'h2;
            y_1 <= 4'h0;
        end
    end
endmodule

`default_nettype wire

// Printed by a test of kvforge-hdl.
`default_nettype none

module names (
    input  wire clk,
    input  wire [7:0] x,
    output wire [7:0] y
);
    reg [7:0] s_reg; // verilog.rs:297
    assign y = s_reg;
    wire [7:0] unused_ok_1 = x + 8'h1; // verilog.rs:298
    wire [15:0] t1 = {8'h0, unused_ok_1} * {8'h0, unused_ok_1}; // verilog.rs:299
    wire [7:0] clk_1 = unused_ok_1 ^ 8'h1; // verilog.rs:300
    wire [7:0] x_1 = clk_1 ^ 8'h3; // verilog.rs:301
    wire [7:0] s_delete = ~x_1; // verilog.rs:302
    always @(posedge clk) s_reg <= ((t1[7:0] ^ x_1) ^ s_delete) ^ {s_delete[6:0], 1'h0};
    wire unused_ok = &{1'b0, t1[15:8]};
endmodule

`default_nettype wire

`default_nettype none

module combinational (
    input  wire clk,
    input  wire rst,
    input  wire up,
    output wire equal
);
    assign equal = up;
    wire unused_ok = &{1'b0, clk, rst};
endmodule

`default_nettype wire

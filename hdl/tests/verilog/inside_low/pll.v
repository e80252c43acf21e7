`timescale 1ns / 1ps
`celldefine
// Stands for a PLL: its clocks are the one that comes in; it locks after three cycles.
module pll (
    input wire clki,
    output wire clkop,
    output wire clkos,
    output wire lock
);
    reg [1:0] count;
    initial count = 2'h0;
    always @(posedge clki) if (count != 2'h3) count <= count + 2'h1;
    assign clkop = clki;
    assign clkos = clki;
    assign lock = count == 2'h3;
endmodule

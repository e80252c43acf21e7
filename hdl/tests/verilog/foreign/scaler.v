// Written by hand: what a foreign module may look like.
/* verilator lint_off DECLFILENAME */

/* The style of Verilog-1995, with a helper. */
(* keep_hierarchy = "yes" *)
module scaler (clock, reset_n, x, enable, y);
    parameter WIDTH = 16;
    parameter [WIDTH-1:0] FACTOR = 1;
    localparam OUT = 2 * WIDTH;

    input clock, reset_n;
    input [WIDTH-1:0] x;
    input enable;
    output [OUT-1:0] y;
    reg [OUT-1:0] y;
    wire [OUT-1:0] product;

    scaler_product #(.WIDTH(WIDTH)) unit (.a(x), .b(FACTOR), .p(product));

    always @(posedge clock) begin
        if (!reset_n) y <= {OUT{1'b0}};
        else if (enable) y <= product;
    end
endmodule

module scaler_product #(parameter WIDTH = 4) (
    input wire [WIDTH-1:0] a, b,
    output wire [2*WIDTH-1:0] p
);
    assign p = {{WIDTH{1'b0}}, a} * {{WIDTH{1'b0}}, b};
endmodule

`default_nettype none

module popcount_5 (
    input  wire [4:0] x,
    output wire [2:0] y
);
    wire [2:0] y_1 = {1'h0, {1'h0, x[0]} + {1'h0, x[1]}} + {1'h0, {1'h0, x[2]} + ({1'h0, x[3]} + {1'h0, x[4]})};
    assign y = y_1;
endmodule

`default_nettype wire

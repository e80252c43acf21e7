`default_nettype none

module one_hot_3 (
    input  wire [2:0] x,
    output wire [4:0] y
);
    wire [4:0] y_1 = 5'h1 << x;
    assign y = y_1;
endmodule

`default_nettype wire

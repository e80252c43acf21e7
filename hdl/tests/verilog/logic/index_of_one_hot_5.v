`default_nettype none

module index_of_one_hot_5 (
    input  wire [4:0] x,
    output wire [2:0] y
);
    wire index_0 = x[4];
    wire index_1 = x[2] | x[3];
    wire index_2 = x[1] | x[3];
    wire [2:0] y_1 = {index_0, index_1, index_2};
    assign y = y_1;
    wire unused_ok = &{1'b0, x[0]};
endmodule

`default_nettype wire

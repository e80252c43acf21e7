`default_nettype none

module first_one_5 (
    input  wire [4:0] x,
    output wire [3:0] y
);
    wire _t1 = x[0] | x[1];
    wire _t2 = x[2] | x[3];
    wire _t3 = _t1 | _t2;
    wire [3:0] y_1 = {((x[0] | x[1]) | (x[2] | x[3])) | x[4], {x[4] & (~_t3), _t3 ? {_t2 & (~_t1), _t1 ? (x[1] & (~x[0])) : (x[3] & (~x[2]))} : 2'h0}};
    assign y = y_1;
endmodule

`default_nettype wire

`default_nettype none

module mux1h_3 (
    input  wire [2:0] select,
    input  wire options_0_flag,
    input  wire [6:0] options_0_data,
    input  wire options_1_flag,
    input  wire [6:0] options_1_data,
    input  wire options_2_flag,
    input  wire [6:0] options_2_data,
    output wire word_flag,
    output wire [6:0] word_data
);
    wire _t1 = ((options_0_flag & select[0]) | (options_1_flag & select[1])) | (options_2_flag & select[2]);
    assign word_flag = _t1;
    wire [6:0] _t2 = ((options_0_data & {7{select[0]}}) | (options_1_data & {7{select[1]}})) | (options_2_data & {7{select[2]}});
    assign word_data = _t2;
endmodule

`default_nettype wire

`default_nettype none

module entries_table (
    input  wire clk,
    input  wire rst,
    input  wire write,
    input  wire clear,
    input  wire [2:0] to,
    input  wire [2:0] from,
    input  wire data_valid,
    input  wire [2:0] data_tag,
    output wire word_valid,
    output wire [2:0] word_tag,
    output wire all_0_valid,
    output wire [2:0] all_0_tag,
    output wire all_1_valid,
    output wire [2:0] all_1_tag,
    output wire all_2_valid,
    output wire [2:0] all_2_tag,
    output wire all_3_valid,
    output wire [2:0] all_3_tag,
    output wire all_4_valid,
    output wire [2:0] all_4_tag
);
    reg [4:0] entries_valid;
    reg [14:0] entries_tag;
    assign all_0_valid = entries_valid[0];
    assign all_0_tag = entries_tag[2:0];
    assign all_1_valid = entries_valid[1];
    assign all_1_tag = entries_tag[5:3];
    assign all_2_valid = entries_valid[2];
    assign all_2_tag = entries_tag[8:6];
    assign all_3_valid = entries_valid[3];
    assign all_3_tag = entries_tag[11:9];
    assign all_4_valid = entries_valid[4];
    assign all_4_tag = entries_tag[14:12];
    wire [7:0] entries_valid_padded = {3'h0, entries_valid};
    wire [23:0] entries_tag_padded = {9'h0, entries_tag};
    always @(posedge clk) begin
        if (rst) begin
            entries_valid <= 5'h0;
            entries_tag <= 15'h0;
        end else begin
            if (write) begin
                if (to == 3'h0) entries_valid[0] <= data_valid;
                if (to == 3'h1) entries_valid[1] <= data_valid;
                if (to == 3'h2) entries_valid[2] <= data_valid;
                if (to == 3'h3) entries_valid[3] <= data_valid;
                if (to == 3'h4) entries_valid[4] <= data_valid;
                if (to == 3'h0) entries_tag[2:0] <= data_tag;
                if (to == 3'h1) entries_tag[5:3] <= data_tag;
                if (to == 3'h2) entries_tag[8:6] <= data_tag;
                if (to == 3'h3) entries_tag[11:9] <= data_tag;
                if (to == 3'h4) entries_tag[14:12] <= data_tag;
            end
            if (clear) begin
                if (to == 3'h0) entries_valid[0] <= 1'h0;
                if (to == 3'h1) entries_valid[1] <= 1'h0;
                if (to == 3'h2) entries_valid[2] <= 1'h0;
                if (to == 3'h3) entries_valid[3] <= 1'h0;
                if (to == 3'h4) entries_valid[4] <= 1'h0;
            end
            if (clear & write) begin
                if (to == 3'h0) entries_tag[0] <= 1'h1;
                if (to == 3'h1) entries_tag[3] <= 1'h1;
                if (to == 3'h2) entries_tag[6] <= 1'h1;
                if (to == 3'h3) entries_tag[9] <= 1'h1;
                if (to == 3'h4) entries_tag[12] <= 1'h1;
            end
        end
    end
    assign word_valid = entries_valid_padded[from];
    wire [4:0] from_times_3 = {2'h0, from} * {3'h0, 2'h3};
    assign word_tag = entries_tag_padded[from_times_3 +: 3];
endmodule

`default_nettype wire

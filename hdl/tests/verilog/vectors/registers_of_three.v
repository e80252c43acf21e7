`default_nettype none

module entries_table (
    input  wire clk,
    input  wire rst,
    input  wire write,
    input  wire clear,
    input  wire [1:0] to,
    input  wire [1:0] from,
    input  wire data_valid,
    input  wire [2:0] data_tag,
    output wire word_valid,
    output wire [2:0] word_tag,
    output wire all_0_valid,
    output wire [2:0] all_0_tag,
    output wire all_1_valid,
    output wire [2:0] all_1_tag,
    output wire all_2_valid,
    output wire [2:0] all_2_tag
);
    reg entries_0_valid;
    reg [2:0] entries_0_tag;
    reg entries_1_valid;
    reg [2:0] entries_1_tag;
    reg entries_2_valid;
    reg [2:0] entries_2_tag;
    assign all_0_valid = entries_0_valid;
    assign all_0_tag = entries_0_tag;
    assign all_1_valid = entries_1_valid;
    assign all_1_tag = entries_1_tag;
    assign all_2_valid = entries_2_valid;
    assign all_2_tag = entries_2_tag;
    wire [3:0] entries_valid = {1'h0, entries_2_valid, entries_1_valid, entries_0_valid};
    wire [11:0] entries_tag = {3'h0, entries_2_tag, entries_1_tag, entries_0_tag};
    always @(posedge clk) begin
        if (rst) begin
            entries_0_valid <= 1'h0;
            entries_0_tag <= 3'h0;
            entries_1_valid <= 1'h0;
            entries_1_tag <= 3'h0;
            entries_2_valid <= 1'h0;
            entries_2_tag <= 3'h0;
        end else begin
            if (write) begin
                if (to == 2'h0) entries_0_valid <= data_valid;
                if (to == 2'h1) entries_1_valid <= data_valid;
                if (to == 2'h2) entries_2_valid <= data_valid;
                if (to == 2'h0) entries_0_tag <= data_tag;
                if (to == 2'h1) entries_1_tag <= data_tag;
                if (to == 2'h2) entries_2_tag <= data_tag;
            end
            if (clear) begin
                if (to == 2'h0) entries_0_valid <= 1'h0;
                if (to == 2'h1) entries_1_valid <= 1'h0;
                if (to == 2'h2) entries_2_valid <= 1'h0;
            end
            if (clear & write) begin
                if (to == 2'h0) entries_0_tag[0] <= 1'h1;
                if (to == 2'h1) entries_1_tag[0] <= 1'h1;
                if (to == 2'h2) entries_2_tag[0] <= 1'h1;
            end
        end
    end
    assign word_valid = entries_valid[from];
    wire [3:0] from_times_3 = {2'h0, from} * {2'h0, 2'h3};
    assign word_tag = entries_tag[from_times_3 +: 3];
endmodule

`default_nettype wire

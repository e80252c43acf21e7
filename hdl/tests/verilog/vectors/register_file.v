`default_nettype none

module entries_table (
    input  wire clk,
    input  wire rst,
    input  wire write,
    input  wire clear,
    input  wire [1:0] to,
    input  wire [1:0] from,
    input  wire data_valid,
    input  wire [7:0] data_tag,
    output wire word_valid,
    output wire [7:0] word_tag,
    output wire all_0_valid,
    output wire [7:0] all_0_tag,
    output wire all_1_valid,
    output wire [7:0] all_1_tag,
    output wire all_2_valid,
    output wire [7:0] all_2_tag,
    output wire all_3_valid,
    output wire [7:0] all_3_tag
);
    reg [3:0] entries_valid;
    reg [31:0] entries_tag;
    assign all_0_valid = entries_valid[0];
    assign all_0_tag = entries_tag[7:0];
    assign all_1_valid = entries_valid[1];
    assign all_1_tag = entries_tag[15:8];
    assign all_2_valid = entries_valid[2];
    assign all_2_tag = entries_tag[23:16];
    assign all_3_valid = entries_valid[3];
    assign all_3_tag = entries_tag[31:24];
    always @(posedge clk) begin
        if (rst) begin
            entries_valid <= 4'h0;
            entries_tag <= 32'h0;
        end else begin
            if (write) begin
                entries_valid[to] <= data_valid;
                case (to)
                    2'h0: entries_tag[7:0] <= data_tag;
                    2'h1: entries_tag[15:8] <= data_tag;
                    2'h2: entries_tag[23:16] <= data_tag;
                    2'h3: entries_tag[31:24] <= data_tag;
                endcase
            end
            if (clear) entries_valid[to] <= 1'h0;
            if (clear & write) begin
                if (to == 2'h0) entries_tag[0] <= 1'h1;
                if (to == 2'h1) entries_tag[8] <= 1'h1;
                if (to == 2'h2) entries_tag[16] <= 1'h1;
                if (to == 2'h3) entries_tag[24] <= 1'h1;
            end
        end
    end
    assign word_valid = entries_valid[from];
    assign word_tag = entries_tag[{from, 3'h0} +: 8];
endmodule

`default_nettype wire

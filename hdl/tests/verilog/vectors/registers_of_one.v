`default_nettype none

module entries_table (
    input  wire clk,
    input  wire rst,
    input  wire write,
    input  wire clear,
    input  wire to,
    input  wire from,
    input  wire data_valid,
    input  wire [2:0] data_tag,
    output wire word_valid,
    output wire [2:0] word_tag,
    output wire all_0_valid,
    output wire [2:0] all_0_tag
);
    reg entries_0_valid;
    reg [2:0] entries_0_tag;
    assign all_0_valid = entries_0_valid;
    assign all_0_tag = entries_0_tag;
    always @(posedge clk) begin
        if (rst) begin
            entries_0_valid <= 1'h0;
            entries_0_tag <= 3'h0;
        end else begin
            if (write) begin
                if (to == 1'h0) entries_0_valid <= data_valid;
                if (to == 1'h0) entries_0_tag <= data_tag;
            end
            if (clear) if (to == 1'h0) entries_0_valid <= 1'h0;
            if (clear & write) if (to == 1'h0) entries_0_tag[0] <= 1'h1;
        end
    end
    assign word_valid = from ? 1'h0 : entries_0_valid;
    assign word_tag = from ? 3'h0 : entries_0_tag;
endmodule

`default_nettype wire

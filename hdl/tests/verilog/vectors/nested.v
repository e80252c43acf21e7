`default_nettype none

module nested (
    input  wire clk,
    input  wire [1:0] set,
    input  wire [1:0] way,
    input  wire [3:0] tag,
    input  wire write,
    input  wire [1:0] reads_0,
    input  wire [1:0] reads_1,
    input  wire s_valid, // a payload that is a vector
    output wire s_ready,
    input  wire s_payload_0,
    input  wire s_payload_1,
    output wire m_valid,
    input  wire m_ready,
    output wire m_payload_0,
    output wire m_payload_1,
    output wire [3:0] tags_0,
    output wire [3:0] tags_1
);
    reg [15:0] table_ways_0_tag;
    reg [15:0] table_ways_1_tag;
    reg [15:0] table_ways_2_tag;
    reg [3:0] found_0;
    reg [3:0] found_1;
    assign m_valid = s_valid;
    assign s_ready = m_ready;
    assign m_payload_0 = s_valid ? s_payload_0 : write;
    assign m_payload_1 = s_valid ? s_payload_1 : write;
    always @(posedge clk) if (write) begin
        if (way == 2'h0) begin
            case (set)
                2'h0: table_ways_0_tag[3:0] <= tag;
                2'h1: table_ways_0_tag[7:4] <= tag;
                2'h2: table_ways_0_tag[11:8] <= tag;
                2'h3: table_ways_0_tag[15:12] <= tag;
            endcase
        end
        if (way == 2'h1) begin
            case (set)
                2'h0: table_ways_1_tag[3:0] <= tag;
                2'h1: table_ways_1_tag[7:4] <= tag;
                2'h2: table_ways_1_tag[11:8] <= tag;
                2'h3: table_ways_1_tag[15:12] <= tag;
            endcase
        end
        if (way == 2'h2) begin
            case (set)
                2'h0: table_ways_2_tag[3:0] <= tag;
                2'h1: table_ways_2_tag[7:4] <= tag;
                2'h2: table_ways_2_tag[11:8] <= tag;
                2'h3: table_ways_2_tag[15:12] <= tag;
            endcase
        end
    end
    wire [15:0] _t1 = {4'h0, table_ways_2_tag[{reads_0, 2'h0} +: 4], table_ways_1_tag[{reads_0, 2'h0} +: 4], table_ways_0_tag[{reads_0, 2'h0} +: 4]};
    wire [3:0] read_0 = _t1[{way, 2'h0} +: 4];
    wire [15:0] _t2 = {4'h0, table_ways_2_tag[{reads_1, 2'h0} +: 4], table_ways_1_tag[{reads_1, 2'h0} +: 4], table_ways_0_tag[{reads_1, 2'h0} +: 4]};
    wire [3:0] read_1 = _t2[{way, 2'h0} +: 4];
    always @(posedge clk) begin
        found_0 <= read_0;
        found_1 <= read_1;
    end
    assign tags_0 = found_0;
    assign tags_1 = found_1;
endmodule

`default_nettype wire

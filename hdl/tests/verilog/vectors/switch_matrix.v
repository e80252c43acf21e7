`default_nettype none

module switch_matrix (
    input  wire s_0_valid, // the inputs
    output reg  s_0_ready,
    input  wire [7:0] s_0_payload,
    input  wire s_1_valid,
    output reg  s_1_ready,
    input  wire [7:0] s_1_payload,
    input  wire s_2_valid,
    output reg  s_2_ready,
    input  wire [7:0] s_2_payload,
    input  wire [1:0] from,
    input  wire [1:0] to,
    output reg  m_0_valid,
    input  wire m_0_ready,
    output wire m_0_odd,
    output wire [7:0] m_0_tag,
    output reg  m_1_valid,
    input  wire m_1_ready,
    output wire m_1_odd,
    output wire [7:0] m_1_tag,
    output reg  m_2_valid,
    input  wire m_2_ready,
    output wire m_2_odd,
    output wire [7:0] m_2_tag
);
    assign m_0_odd = 1'h0;
    assign m_2_odd = 1'h0;
    wire [3:0] s_valid = {1'h0, s_2_valid, s_1_valid, s_0_valid};
    wire [31:0] s_payload = {8'h0, s_2_payload, s_1_payload, s_0_payload};
    assign m_0_tag = s_payload[{from, 3'h0} +: 8];
    assign m_1_odd = 1'h1;
    assign m_1_tag = s_payload[{from, 3'h0} +: 8];
    assign m_2_tag = s_payload[{from, 3'h0} +: 8];
    wire [3:0] m_ready = {1'h0, m_2_ready, m_1_ready, m_0_ready};
    wire _t1 = m_ready[to];
    always @* begin
        s_0_ready = 1'h0;
        if (from == 2'h0) s_0_ready = _t1;
    end
    always @* begin
        s_1_ready = 1'h0;
        if (from == 2'h1) s_1_ready = _t1;
    end
    always @* begin
        s_2_ready = 1'h0;
        if (from == 2'h2) s_2_ready = _t1;
    end
    wire _t2 = s_valid[from];
    always @* begin
        m_0_valid = 1'h0;
        if (to == 2'h0) m_0_valid = _t2;
    end
    always @* begin
        m_1_valid = 1'h0;
        if (to == 2'h1) m_1_valid = _t2;
    end
    always @* begin
        m_2_valid = 1'h0;
        if (to == 2'h2) m_2_valid = _t2;
    end
endmodule

`default_nettype wire

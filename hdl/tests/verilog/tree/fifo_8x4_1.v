// Printed by a test of kvforge-hdl.
`default_nettype none

module fifo_8x4_1 (
    input  wire s_valid,
    output wire s_ready,
    input  wire [7:0] s_payload,
    output wire m_valid,
    input  wire m_ready,
    output wire [7:0] m_payload
);
    assign m_valid = s_valid;
    assign s_ready = m_ready;
    assign m_payload = s_payload;
endmodule

`default_nettype wire

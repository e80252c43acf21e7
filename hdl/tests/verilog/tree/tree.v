// Printed by a test of kvforge-hdl.
`default_nettype none

module tree (
    input  wire clk,
    input  wire rst,
    input  wire s_valid,
    output wire s_ready,
    input  wire [7:0] s_payload,
    output wire m_valid,
    input  wire m_ready,
    output wire [7:0] m_payload
);
    wire first_s_ready;
    wire first_m_valid;
    wire [7:0] first_m_payload;
    wire [2:0] first_level;
    wire second_s_ready;
    wire second_m_valid;
    wire [7:0] second_m_payload;
    wire [2:0] second_level;
    wire third_s_ready;
    wire third_m_valid;
    wire [7:0] third_m_payload;
    assign s_ready = first_s_ready;
    fifo_8x4 first (
        .clk(clk),
        .rst(rst),
        .s_valid(s_valid),
        .s_ready(first_s_ready),
        .s_payload(s_payload),
        .m_valid(first_m_valid),
        .m_ready(second_s_ready),
        .m_payload(first_m_payload),
        .level(first_level)
    );
    fifo_8x4_1 third (
        .s_valid(second_m_valid),
        .s_ready(third_s_ready),
        .s_payload(second_m_payload),
        .m_valid(third_m_valid),
        .m_ready(m_ready),
        .m_payload(third_m_payload)
    );
    fifo_8x4 second (
        .clk(clk),
        .rst(rst),
        .s_valid(first_m_valid),
        .s_ready(second_s_ready),
        .s_payload(first_m_payload),
        .m_valid(second_m_valid),
        .m_ready(third_s_ready),
        .m_payload(second_m_payload),
        .level(second_level)
    );
    assign m_valid = third_m_valid;
    assign m_payload = third_m_payload;
    wire unused_ok = &{1'b0, first_level, second_level};
endmodule

`default_nettype wire

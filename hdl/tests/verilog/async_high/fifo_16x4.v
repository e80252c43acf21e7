// Printed by a test of kvforge-hdl.
`default_nettype none

// First-in first-out queue; the first word falls through.
module fifo_16x4 (
    input  wire clk,
    input  wire rst,
    input  wire s_valid, // words to store
    output wire s_ready,
    input  wire [15:0] s_payload,
    output wire m_valid, // oldest word first
    input  wire m_ready,
    output wire [15:0] m_payload,
    output wire [2:0] level // words held
);
    reg [1:0] head; // mod.rs:34
    reg [1:0] tail; // mod.rs:35
    reg [2:0] count; // mod.rs:36
    (* ram_style = "distributed" *) reg [15:0] ram [0:3];

    // state

    // handshake
    assign level = count;
    wire push = s_valid & s_ready; // mod.rs:39
    wire pop = m_valid & m_ready; // mod.rs:40
    assign s_ready = count != 3'h4;
    assign m_valid = count != 3'h0;
    wire [15:0] ram_q0 = ram[head]; // mod.rs:43
    assign m_payload = ram_q0;

    // update
    always @(posedge clk) if (push) ram[tail] <= s_payload;
    always @(posedge clk or posedge rst) begin
        if (rst) begin
            tail <= 2'h0;
            head <= 2'h0;
            count <= 3'h0;
        end else begin
            if (push) tail <= (tail == 2'h3) ? 2'h0 : (tail + 2'h1);
            if (pop) head <= (head == 2'h3) ? 2'h0 : (head + 2'h1);
            if (push & (~pop)) count <= count + 3'h1;
            else if (pop & (~push)) count <= count - 3'h1;
        end
    end
endmodule

`default_nettype wire

`default_nettype none

module commands (
    input  wire clk,
    input  wire rst,
    input  wire s_valid,
    output wire s_ready,
    input  wire [2:0] s_tag,
    input  wire [11:0] s_payload,
    output wire m_valid,
    input  wire m_ready,
    output wire [2:0] m_tag,
    output wire [11:0] m_payload,
    input  wire [1:0] at,
    output wire [2:0] seen_tag,
    output wire [11:0] seen_payload,
    output reg  [7:0] sum,
    output wire [5:0] read,
    output wire writes
);
    // localparam [3:0] OPCODE_NOP = 4'h4;
    // localparam [3:0] OPCODE_ADD = 4'h5;
    localparam [3:0] OPCODE_JUMP = 4'hb;
    localparam [2:0] COMMAND_TAG_IDLE = 3'h0;
    localparam [2:0] COMMAND_TAG_READ = 3'h1;
    localparam [2:0] COMMAND_TAG_WRITE = 3'h2;
    localparam [2:0] COMMAND_TAG_CONTROL = 3'h3;
    // localparam [2:0] COMMAND_TAG_NESTED = 3'h4;
    reg [2:0] held_tag; // unions.rs:109
    reg [11:0] held_payload; // unions.rs:109
    reg full; // unions.rs:110
    reg [14:0] words [0:3];

    // a register
    assign m_valid = full;
    always @(posedge clk) begin
        if (rst) begin
            held_tag <= COMMAND_TAG_CONTROL;
            held_payload <= 12'hb;
            full <= 1'h0;
        end else if (s_ready) begin
            full <= s_valid;
            held_tag <= s_tag;
            held_payload <= s_payload;
        end
    end
    assign s_ready = (~full) | m_ready;
    wire _t1 = held_tag == COMMAND_TAG_IDLE; // unions.rs:117
    assign m_tag = _t1 ? held_tag : COMMAND_TAG_READ;
    assign m_payload = _t1 ? held_payload : {6'h0, {2'h0, at}, at};

    // a memory
    always @(posedge clk) if (full) words[at] <= {held_tag, held_payload};
    wire [14:0] words_q0 = words[at]; // unions.rs:122
    assign seen_tag = words_q0[14:12];
    assign seen_payload = words_q0[11:0];

    // fields
    wire [3:0] held_read_address = held_payload[5:2]; // unions.rs:126
    wire [1:0] held_read_tag = held_payload[1:0]; // unions.rs:126
    wire [2:0] held_write_word_0 = held_payload[7:5]; // unions.rs:126
    wire [4:0] held_write_word_1 = held_payload[4:0]; // unions.rs:126
    wire [3:0] held_control_code = held_payload[3:0]; // unions.rs:126
    wire [1:0] held_nested_inner_tag = held_payload[7:6]; // unions.rs:126
    wire [5:0] held_nested_inner_payload = held_payload[5:0]; // unions.rs:126
    wire held_nested_inner_small_a = held_nested_inner_payload[0]; // unions.rs:131
    wire [5:0] held_nested_inner_large_a = held_nested_inner_payload; // unions.rs:131
    always @* begin
        sum = 8'h0;
        case (held_tag)
            COMMAND_TAG_IDLE: ;
            COMMAND_TAG_READ: sum = {4'h0, held_read_address} + {6'h0, held_read_tag};
            COMMAND_TAG_WRITE: sum = {held_write_word_0, held_write_word_1};
            COMMAND_TAG_CONTROL: begin
                if (held_control_code == OPCODE_JUMP) sum = 8'hff;
                else sum = 8'h1;
            end
            default: begin // COMMAND_TAG_NESTED
                if (held_nested_inner_tag[0]) sum = {7'h0, held_nested_inner_small_a};
                else sum = {held_nested_inner_large_a, 2'h0};
            end
        endcase
    end
    assign read = {held_read_address, held_read_tag};
    assign writes = held_tag == COMMAND_TAG_WRITE;
    wire unused_ok = &{1'b0, held_nested_inner_tag[1]};
endmodule

`default_nettype wire

`default_nettype none

module decoder (
    input  wire [1:0] three,
    input  wire [3:0] hot,
    input  wire [2:0] gray,
    input  wire [3:0] opcode,
    input  wire single,
    output reg  [3:0] three_is,
    output reg  [3:0] hot_is,
    output reg  [3:0] gray_is,
    output reg  [3:0] opcode_is,
    output wire [3:0] single_is,
    output reg  [3:0] some_is,
    output wire run,
    output wire [4:0] legal
);
    localparam [1:0] THREE_IDLE = 2'h0;
    localparam [1:0] THREE_RUN = 2'h1;
    localparam [1:0] THREE_FLUSH = 2'h2;
    localparam [3:0] HOT_IDLE = 4'b0001;
    localparam [3:0] HOT_LOAD = 4'b0010;
    localparam [3:0] HOT_RUN = 4'b0100;
    localparam [3:0] HOT_FLUSH = 4'b1000;
    localparam [2:0] GRAY_A = 3'h0;
    localparam [2:0] GRAY_B = 3'h1;
    localparam [2:0] GRAY_C = 3'h3;
    localparam [2:0] GRAY_D = 3'h2;
    localparam [2:0] GRAY_E = 3'h6;
    localparam [3:0] OPCODE_NOP = 4'h4;
    localparam [3:0] OPCODE_ADD = 4'h5;
    localparam [3:0] OPCODE_JUMP = 4'hb;
    localparam SINGLE_ONLY = 1'h0;
    assign single_is = 4'h0;
    always @* begin
        case (three)
            THREE_IDLE: three_is = 4'h0;
            THREE_RUN: three_is = 4'h1;
            default: three_is = 4'h2; // THREE_FLUSH
        endcase
    end
    always @* begin
        if (hot[1]) hot_is = 4'h1;
        else if (hot[0] | hot[3]) hot_is = 4'h0;
        else hot_is = 4'h2;
    end
    always @* begin
        case (gray)
            GRAY_C: gray_is = 4'h2;
            GRAY_D: gray_is = 4'h3;
            default: gray_is = 4'h1; // GRAY_B, GRAY_A, GRAY_E
        endcase
    end
    always @* begin
        case (opcode)
            OPCODE_NOP: opcode_is = 4'h0;
            OPCODE_ADD: opcode_is = 4'h1;
            OPCODE_JUMP: opcode_is = 4'h2;
            default: opcode_is = 4'hf;
        endcase
    end
    always @* begin
        if (hot[1]) some_is = 4'h1;
        else some_is = 4'hf;
    end
    assign run = hot[2];
    wire _t1 = ((((gray == GRAY_A) | (gray == GRAY_B)) | (gray == GRAY_C)) | (gray == GRAY_D)) | (gray == GRAY_E); // enums.rs:246
    wire [4:0] _t2 = {((three == THREE_IDLE) | (three == THREE_RUN)) | (three == THREE_FLUSH), (((hot == HOT_IDLE) | (hot == HOT_LOAD)) | (hot == HOT_RUN)) | (hot == HOT_FLUSH), _t1, ((opcode == OPCODE_NOP) | (opcode == OPCODE_ADD)) | (opcode == OPCODE_JUMP), single == SINGLE_ONLY}; // enums.rs:243
    assign legal = _t2;
endmodule

`default_nettype wire

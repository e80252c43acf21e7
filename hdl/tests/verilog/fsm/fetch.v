// Printed by a test of kvforge-hdl.
`default_nettype none

module fetch (
    input  wire clk,
    input  wire rst,
    input  wire start,
    input  wire [11:0] from,
    input  wire [3:0] beats,
    output reg  request,
    output wire [11:0] address,
    input  wire grant,
    input  wire word_valid,
    output reg  word_ready,
    input  wire [15:0] word,
    output wire [15:0] sum,
    output reg  finished
);
    localparam [1:0] FETCH_IDLE = 2'h0;
    localparam [1:0] FETCH_REQUEST = 2'h1;
    localparam [1:0] FETCH_RECEIVE = 2'h2;
    localparam [1:0] FETCH_DONE = 2'h3;
    reg [1:0] state; // processes.rs:42
    reg [3:0] left; // processes.rs:43
    reg [11:0] address_1; // processes.rs:44
    reg [15:0] sum_1; // processes.rs:45

    // state
    assign address = address_1;
    assign sum = sum_1;

    // control
    always @* begin
        request = 1'h0;
        word_ready = 1'h0;
        finished = 1'h0;
        case (state)
            FETCH_REQUEST: request = 1'h1;
            FETCH_RECEIVE: word_ready = 1'h1;
            FETCH_DONE: finished = 1'h1;
            default: ;
        endcase
    end
    wire _t1 = left == 4'h0; // processes.rs:70
    always @(posedge clk) begin
        if (rst) begin
            state <= FETCH_IDLE;
            left <= 4'h0;
        end else begin
            case (state)
                FETCH_IDLE: if (start) begin
                    left <= beats;
                    state <= FETCH_REQUEST;
                end
                FETCH_REQUEST: begin
                    if (grant) state <= FETCH_RECEIVE;
                    else if (~start) state <= FETCH_IDLE;
                end
                FETCH_RECEIVE: if (word_valid) begin
                    if (_t1) state <= FETCH_DONE;
                    else left <= left - 4'h1;
                end
                FETCH_DONE: state <= FETCH_IDLE;
            endcase
        end
    end
    always @(posedge clk) begin
        case (state)
            FETCH_IDLE: if (start) begin
                address_1 <= from;
                sum_1 <= 16'h0;
            end
            FETCH_RECEIVE: if (word_valid) begin
                sum_1 <= sum_1 + word;
                if (!_t1) address_1 <= address_1 + 12'h2;
            end
            default: ;
        endcase
    end
endmodule

`default_nettype wire

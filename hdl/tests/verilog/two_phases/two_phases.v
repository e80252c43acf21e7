`default_nettype none

module two_phases (
    input  wire clk,
    input  wire rst,
    input  wire go,
    output wire [1:0] reading,
    output wire [1:0] writing
);
    localparam [1:0] READ_PHASE_IDLE = 2'h0;
    localparam [1:0] READ_PHASE_BURST = 2'h1;
    localparam [1:0] READ_PHASE_DRAIN = 2'h2;
    localparam [1:0] WRITE_PHASE_IDLE = 2'h0;
    localparam [1:0] WRITE_PHASE_ADDRESS = 2'h1;
    localparam [1:0] WRITE_PHASE_DATA = 2'h2;
    localparam [1:0] WRITE_PHASE_RESPONSE = 2'h3;
    reg [1:0] reading_1; // enums.rs:53
    reg [1:0] writing_1; // enums.rs:53
    assign reading = reading_1;
    assign writing = writing_1;
    always @(posedge clk) begin
        if (rst) begin
            reading_1 <= READ_PHASE_IDLE;
            writing_1 <= WRITE_PHASE_IDLE;
        end else begin
            case (reading_1)
                READ_PHASE_IDLE: if (go) reading_1 <= READ_PHASE_BURST;
                READ_PHASE_BURST: reading_1 <= READ_PHASE_DRAIN;
                default: reading_1 <= READ_PHASE_IDLE; // READ_PHASE_DRAIN
            endcase
            case (writing_1)
                WRITE_PHASE_IDLE: if (reading_1 == READ_PHASE_DRAIN) writing_1 <= WRITE_PHASE_ADDRESS;
                WRITE_PHASE_ADDRESS: writing_1 <= WRITE_PHASE_DATA;
                WRITE_PHASE_DATA: writing_1 <= WRITE_PHASE_RESPONSE;
                WRITE_PHASE_RESPONSE: writing_1 <= WRITE_PHASE_IDLE;
            endcase
        end
    end
endmodule

`default_nettype wire

// Printed by a test of kvforge-hdl.
`default_nettype none

module mixed (
    input  wire clk,
    input  wire rst,
    input  wire go,
    input  wire x_sign,
    input  wire [4:0] x_exp,
    input  wire [9:0] x_frac,
    input  wire [3:0] sel,
    input  wire [15:0] data,
    output wire y_sign,
    output wire [4:0] y_exp,
    output wire [9:0] y_frac,
    output wire [3:0] nibble,
    output wire busy,
    output wire [31:0] product,
    output wire [15:0] shifted,
    output wire [11:0] parts,
    output wire [2:0] level
);
    localparam [1:0] PHASE_IDLE = 2'h0;
    localparam [1:0] PHASE_LOAD = 2'h1;
    localparam [1:0] PHASE_WAIT_DONE = 2'h2;
    reg [1:0] phase; // mod.rs:95
    reg held_sign; // mod.rs:104
    reg [4:0] held_exp; // mod.rs:104
    reg [9:0] held_frac; // mod.rs:104
    reg [31:0] square; // mod.rs:115
    reg [31:0] bias; // mod.rs:116
    reg [31:0] sum; // mod.rs:117
    wire [11:0] gathered; // mod.rs:122
    wire queue_s_ready;
    wire queue_m_valid;
    wire [15:0] queue_m_payload;
    wire [2:0] queue_level;

    // control
    always @(posedge clk) begin
        if (rst) begin
            phase <= PHASE_IDLE;
        end else begin
            case (phase)
                PHASE_IDLE: if (go) phase <= PHASE_LOAD;
                PHASE_LOAD: phase <= PHASE_WAIT_DONE;
                default: phase <= PHASE_IDLE;
            endcase
        end
    end
    assign busy = ~(phase == PHASE_IDLE);

    // bundles
    assign y_exp = held_exp;
    assign y_frac = held_frac;
    always @(posedge clk) if (go) begin
        held_sign <= x_sign;
        held_exp <= x_exp;
        held_frac <= x_frac;
    end
    wire swapped_sign = ~held_sign; // mod.rs:106
    assign y_sign = data[0] ? swapped_sign : held_sign;

    // arithmetic
    wire [16:0] extended = {data[15], data}; // mod.rs:110
    wire [16:0] half = $signed(extended) >>> sel; // mod.rs:111
    assign shifted = half[15:0];
    wire [31:0] _t1 = $signed({{16{data[15]}}, data}) * $signed({{16{data[15]}}, data}); // mod.rs:115
    always @(posedge clk) begin
        square <= _t1;
        bias <= {22'h0, x_frac} + 32'h7;
        sum <= square + bias;
    end
    assign product = sum;

    // selection
    assign nibble = data[{sel[1:0], 2'h0} +: 4];
    assign parts = gathered;
    assign gathered[3:0] = data[7:4];
    assign gathered[11:4] = 8'h5a;

    // a queue
    assign level = queue_level;
    fifo_16x4 queue (
        .clk(clk),
        .rst(rst),
        .s_valid(go),
        .s_ready(queue_s_ready),
        .s_payload(data ^ 16'h1),
        .m_valid(queue_m_valid),
        .m_ready(phase == PHASE_LOAD),
        .m_payload(queue_m_payload),
        .level(queue_level)
    );
    wire unused_ok = &{1'b0, half[16], queue_s_ready, queue_m_valid, queue_m_payload};
endmodule

`default_nettype wire

// Printed by a test of kvforge-hdl.
`default_nettype none

module control (
    input  wire clk,
    input  wire rst,
    input  wire go,
    input  wire [1:0] kind,
    input  wire [7:0] x,
    output wire [1:0] phase,
    output wire [7:0] y,
    output reg  [2:0] flags,
    output wire in_reset,
    output reg  [99:0] wide
);
    localparam [1:0] PHASE_IDLE = 2'h0;
    localparam [1:0] PHASE_LOAD = 2'h1;
    localparam [1:0] PHASE_WAIT_DONE = 2'h2;
    reg [1:0] phase_1; // verilog.rs:152
    reg [7:0] acc; // verilog.rs:153
    assign phase = phase_1;
    assign in_reset = rst;

    // next state
    always @(posedge clk) begin
        if (rst) begin
            phase_1 <= PHASE_WAIT_DONE;
            acc <= 8'h80;
        end else begin
            if (go) begin
                case (kind)
                    2'h0: phase_1 <= PHASE_IDLE;
                    2'h1, 2'h2: begin
                        if (|x) phase_1 <= PHASE_LOAD;
                        else phase_1 <= PHASE_WAIT_DONE;
                    end
                    default: ;
                endcase
            end else if (&x) phase_1 <= PHASE_LOAD;
            else if (go) begin
                case (phase_1)
                    PHASE_LOAD: acc <= acc ^ x;
                    default: acc[3:0] <= x[7:4];
                endcase
                if (1'b1) acc[7] <= go;
            end
        end
    end

    // outputs
    wire [7:0] shifted = acc << kind; // verilog.rs:177
    wire [15:0] _t1 = $signed({{8{acc[7]}}, acc}) * $signed({{8{x[7]}}, x}); // verilog.rs:178
    wire [15:0] s_signed = $signed(_t1) >>> {3'h0, kind}; // verilog.rs:178
    assign y = ($signed(x) > $signed(acc)) ? shifted : s_signed[7:0];
    always @* begin
        flags[0] = ^acc;
        flags[2:1] = 2'h0;
        if (go) flags[2:1] = kind;
    end
    wire [101:0] big = {2'h0, {{92{x[7]}}, x}} * {100'h0, 2'h3}; // verilog.rs:183
    always @* begin
        wide = big[99:0] - 100'h1;
        if (go) wide[{{3'h0, kind}, kind} +: 4] = x[5:2];
    end
    wire unused_ok = &{1'b0, s_signed[15:8], big[101:100]};
endmodule

`default_nettype wire

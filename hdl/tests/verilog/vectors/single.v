`default_nettype none

module single (
    input  wire clk,
    input  wire rst,
    input  wire at,
    input  wire x,
    input  wire set,
    input  wire [7:0] word,
    output wire chosen,
    output wire held,
    output wire [7:0] read,
    output wire [7:0] read_sync
);
    reg held_1;
    reg [7:0] memory [0:0];
    reg [7:0] memory_q1;
    always @(posedge clk) if (set && !at) memory[at] <= word;
    assign chosen = at ? 1'h0 : x;
    assign held = held_1;
    always @(posedge clk) begin
        if (rst) begin
            held_1 <= 1'h0;
        end else if (set) if (at == 1'h0) held_1 <= x;
    end
    wire [7:0] memory_q0 = memory[at];
    assign read = memory_q0;
    assign read_sync = memory_q1;
    always @(posedge clk) memory_q1 <= memory[at];
endmodule

`default_nettype wire

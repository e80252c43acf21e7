// Printed by a test of kvforge-hdl.
`default_nettype none

// Multiplies and adds.
// Two stages.
module mac (
    input  wire clk,
    input  wire rst,
    input  wire valid, // High while `a`, `b` and `c` hold an item.
    input  wire [7:0] a,
    input  wire [7:0] b,
    input  wire [15:0] c,
    input  wire advance, // The pipeline moves on.
    output wire sum_valid,
    output wire [16:0] sum // a * b + c, two steps later.
);
    reg [15:0] product; // all 16 bits | verilog.rs:61
    reg [15:0] c_s1; // verilog.rs:64
    reg [16:0] sum_1; // verilog.rs:64
    reg valid_s1; // verilog.rs:66
    reg valid_s2; // verilog.rs:66

    // stage 1: multiply
    wire [15:0] _t1 = {8'h0, a} * {8'h0, b}; // verilog.rs:61
    always @(posedge clk) if (advance) product <= _t1;

    // stage 2: add
    always @(posedge clk) begin
        if (advance) c_s1 <= c;
        if (advance) sum_1 <= {1'h0, product} + {1'h0, c_s1};
    end
    assign sum = sum_1;
    always @(posedge clk) begin
        if (rst) begin
            valid_s1 <= 1'h0;
            valid_s2 <= 1'h0;
        end else begin
            if (advance) valid_s1 <= valid;
            if (advance) valid_s2 <= valid_s1;
        end
    end
    assign sum_valid = valid_s2;
endmodule

`default_nettype wire

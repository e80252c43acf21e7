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
    reg [15:0] product; // all 16 bits | verilog.rs:48
    reg [15:0] c_s1; // verilog.rs:51
    reg [16:0] sum_1; // verilog.rs:51
    reg valid_s1; // verilog.rs:53
    reg valid_s2; // verilog.rs:53

    // stage 1: multiply
    wire [15:0] _t1 = {8'h0, a} * {8'h0, b}; // verilog.rs:48
    always @(posedge clk) if (advance) product <= _t1;

    // stage 2: add
    always @(posedge clk) if (advance) begin
        c_s1 <= c;
        sum_1 <= {1'h0, product} + {1'h0, c_s1};
    end
    assign sum = sum_1;
    always @(posedge clk) begin
        if (rst) begin
            valid_s1 <= 1'h0;
            valid_s2 <= 1'h0;
        end else if (advance) begin
            valid_s1 <= valid;
            valid_s2 <= valid_s1;
        end
    end
    assign sum_valid = valid_s2;
endmodule

`default_nettype wire

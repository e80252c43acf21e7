// Printed by a test of kvforge-hdl.
`default_nettype none

module stages (
    input  wire clk,
    input  wire rst,
    input  wire advance,
    input  wire valid,
    input  wire [7:0] a,
    input  wire [7:0] b,
    input  wire [3:0] at,
    output wire y_valid,
    output wire [15:0] y
);
    reg [7:0] sum; // processes.rs:118
    reg [7:0] difference; // processes.rs:119
    reg [15:0] y_2; // processes.rs:123
    reg valid_s1; // processes.rs:125
    reg valid_s2; // processes.rs:125
    reg [15:0] s_table [0:15];
    initial begin
        s_table[0] = 16'h0;
        s_table[1] = 16'h1;
        s_table[2] = 16'h4;
        s_table[3] = 16'h9;
        s_table[4] = 16'h10;
        s_table[5] = 16'h19;
        s_table[6] = 16'h24;
        s_table[7] = 16'h31;
        s_table[8] = 16'h40;
        s_table[9] = 16'h51;
        s_table[10] = 16'h64;
        s_table[11] = 16'h79;
        s_table[12] = 16'h90;
        s_table[13] = 16'ha9;
        s_table[14] = 16'hc4;
        s_table[15] = 16'he1;
    end
    reg [15:0] looked_up; // processes.rs:117

    // stage 1: sums, and the table
    always @(posedge clk) if (advance) begin
        looked_up <= s_table[at];
        sum <= a + b;
        difference <= a - b;
    end

    // stage 2: choose
    wire [15:0] y_1 = looked_up ^ {sum, difference}; // processes.rs:122
    always @(posedge clk) if (advance) y_2 <= y_1;
    assign y = y_2;
    always @(posedge clk) begin
        if (rst) begin
            valid_s1 <= 1'h0;
            valid_s2 <= 1'h0;
        end else if (advance) begin
            valid_s1 <= valid;
            valid_s2 <= valid_s1;
        end
    end
    assign y_valid = valid_s2;
endmodule

`default_nettype wire

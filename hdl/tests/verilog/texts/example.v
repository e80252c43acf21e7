// Printed by a test of kvforge-hdl.
`default_nettype none

// odd
// odd endmodule
// odd */ /* odd " odd `define odd
// odd
// odd (* odd
// odd \.
// - verilator odd \.
module example (
    input  wire clk,
    input  wire rst,
    input  wire [7:0] x, // " */ odd `endif \.
    output wire [7:0] y
);
    reg [7:0] held; // odd odd endmodule  odd */ /* odd " odd `define odd odd  odd (* odd odd \ verilator odd \. | verilog.rs:355

    // odd
    // odd endmodule
    // odd */ /* odd " odd `define odd
    // odd
    // odd (* odd
    // odd \.
    // - verilator odd \.
    assign y = held;
    always @(posedge clk) begin
        if (rst) begin
            held <= 8'h0;
        end else begin
            held <= x;
        end
    end
endmodule

`default_nettype wire

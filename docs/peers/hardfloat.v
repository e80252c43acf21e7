// Berkeley HardFloat (release 1) for binary16 between registers: round to nearest even, flags not connected.
// Operands and result are recoded (17 bits), but for the last module, which has the conversions on both sides.
`default_nettype none

module hardfloat_add (input wire clk, input wire [16:0] a, input wire [16:0] b, output reg [16:0] out);
    reg [16:0] a_inner, b_inner;
    wire [16:0] out_inner;
    always @(posedge clk) begin
        a_inner <= a;
        b_inner <= b;
        out <= out_inner;
    end
    addRecFN #(5, 11) unit (
        .control(1'b1),
        .subOp(1'b0),
        .a(a_inner),
        .b(b_inner),
        .roundingMode(3'b000),
        .out(out_inner),
        .exceptionFlags()
    );
endmodule

module hardfloat_mul (input wire clk, input wire [16:0] a, input wire [16:0] b, output reg [16:0] out);
    reg [16:0] a_inner, b_inner;
    wire [16:0] out_inner;
    always @(posedge clk) begin
        a_inner <= a;
        b_inner <= b;
        out <= out_inner;
    end
    mulRecFN #(5, 11) unit (
        .control(1'b1),
        .a(a_inner),
        .b(b_inner),
        .roundingMode(3'b000),
        .out(out_inner),
        .exceptionFlags()
    );
endmodule

module hardfloat_fma (input wire clk, input wire [16:0] a, input wire [16:0] b, input wire [16:0] c, output reg [16:0] out);
    reg [16:0] a_inner, b_inner, c_inner;
    wire [16:0] out_inner;
    always @(posedge clk) begin
        a_inner <= a;
        b_inner <= b;
        c_inner <= c;
        out <= out_inner;
    end
    mulAddRecFN #(5, 11) unit (
        .control(1'b1),
        .op(2'b00),
        .a(a_inner),
        .b(b_inner),
        .c(c_inner),
        .roundingMode(3'b000),
        .out(out_inner),
        .exceptionFlags()
    );
endmodule

module hardfloat_mul_ieee (input wire clk, input wire [15:0] a, input wire [15:0] b, output reg [15:0] out);
    reg [15:0] a_inner, b_inner;
    wire [15:0] out_inner;
    wire [16:0] a_recoded, b_recoded, out_recoded;
    always @(posedge clk) begin
        a_inner <= a;
        b_inner <= b;
        out <= out_inner;
    end
    fNToRecFN #(5, 11) recode_a (.in_(a_inner), .out(a_recoded));
    fNToRecFN #(5, 11) recode_b (.in_(b_inner), .out(b_recoded));
    mulRecFN #(5, 11) unit (
        .control(1'b1),
        .a(a_recoded),
        .b(b_recoded),
        .roundingMode(3'b000),
        .out(out_recoded),
        .exceptionFlags()
    );
    recFNToFN #(5, 11) to_ieee (.in_(out_recoded), .out(out_inner));
endmodule

`default_nettype wire

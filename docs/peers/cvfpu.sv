// cvfpu's fpnew_fma for binary16 between registers: no pipeline registers, a * b + c, round to nearest even, status not connected.
module cvfpu_fma (input logic clk, input logic [15:0] a, input logic [15:0] b, input logic [15:0] c, output logic [15:0] out);
    logic [15:0] a_inner, b_inner, c_inner, out_inner;
    always_ff @(posedge clk) begin
        a_inner <= a;
        b_inner <= b;
        c_inner <= c;
        out <= out_inner;
    end
    fpnew_fma #(.FpFormat(fpnew_pkg::FP16), .NumPipeRegs(0)) unit (
        .clk_i(clk), .rst_ni(1'b1),
        .operands_i({c_inner, b_inner, a_inner}), .is_boxed_i(3'b111),
        .rnd_mode_i(fpnew_pkg::RNE), .op_i(fpnew_pkg::FMADD), .op_mod_i(1'b0),
        .tag_i(1'b0), .aux_i(1'b0),
        .in_valid_i(1'b1), .in_ready_o(), .flush_i(1'b0),
        .result_o(out_inner), .status_o(), .extension_bit_o(), .tag_o(), .aux_o(),
        .out_valid_o(), .out_ready_i(1'b1), .busy_o()
    );
endmodule

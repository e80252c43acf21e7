`default_nettype none

module combinational (
    input  wire clk,
    input  wire rst_n,
    input  wire up,
    output wire equal
);
    assign equal = up;

    // properties
`ifdef FORMAL
    initial assume (!rst_n);
    always @(posedge clk) if (rst_n) begin
        assert (equal == up); // property: assert "out is in" at hdl/tests/language/properties.rs:182:7
    end
`elsif SYNTHESIS
`else
    always @(posedge clk) if (rst_n) begin
        if (!(equal == up)) begin $display("%m: assert failed: out is in"); $stop; end // property: assert "out is in" at hdl/tests/language/properties.rs:182:7
    end
`endif
endmodule

`default_nettype wire

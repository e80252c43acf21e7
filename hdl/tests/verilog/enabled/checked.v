`default_nettype none

module checked (
    input  wire clk,
    input  wire rst,
    input  wire go,
    output wire [7:0] count
);
    reg [7:0] count_1; // enabled.rs:192
    reg [7:0] s_before; // enabled.rs:194
    reg known; // enabled.rs:194
    reg assert_l195; // enabled.rs:195
    assign count = count_1;
    always @(posedge clk) begin
        if (rst) begin
            count_1 <= 8'h0;
        end else if (go) count_1 <= count_1 + 8'h1;
    end
    always @(posedge clk) if (go) s_before <= count_1;
    always @(posedge clk) begin
        if (rst) begin
            known <= 1'h0;
        end else if (go) known <= 1'h1;
    end
    always @* begin
        assert_l195 = 1'h1;
        if (known) assert_l195 = count_1 == (s_before + 8'h1);
    end

    // properties
`ifdef FORMAL
    initial assume (rst);
    always @(posedge clk) if (!rst) begin
        assert ((~go) | assert_l195); // property: assert "it counts" at hdl/tests/language/enabled.rs:195:28
        assert ((~go) | (count_1 != 8'h3)); // property: assert "it is not 3" at hdl/tests/language/enabled.rs:196:11
        assume ((~go) | (count != 8'h9)); // property: assume "it is not 9" at hdl/tests/language/enabled.rs:197:11
        cover (go & (count_1 == 8'h2)); // property: cover "it can be 2" at hdl/tests/language/enabled.rs:198:11
    end
`elsif SYNTHESIS
`else
    reg [63:0] _cover4 /*verilator public_flat_rd*/; // property: cover "it can be 2" at hdl/tests/language/enabled.rs:198:11
    initial _cover4 = 64'h0;
    always @(posedge clk) if (!rst) begin
        if (!((~go) | assert_l195)) begin $display("%m: assert failed: it counts"); $stop; end // property: assert "it counts" at hdl/tests/language/enabled.rs:195:28
        if (!((~go) | (count_1 != 8'h3))) begin $display("%m: assert failed: it is not 3"); $stop; end // property: assert "it is not 3" at hdl/tests/language/enabled.rs:196:11
        if (!((~go) | (count != 8'h9))) begin $display("%m: assume failed: it is not 9"); $stop; end // property: assume "it is not 9" at hdl/tests/language/enabled.rs:197:11
        if (go & (count_1 == 8'h2)) _cover4 <= _cover4 + 64'h1; // property: cover "it can be 2" at hdl/tests/language/enabled.rs:198:11
    end
`endif
endmodule

`default_nettype wire

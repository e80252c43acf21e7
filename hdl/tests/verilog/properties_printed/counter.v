`default_nettype none

module counter (
    input  wire clk,
    input  wire rst,
    input  wire up,
    input  wire shut,
    output wire [3:0] count
);
    localparam DOOR_OPEN = 1'h0;
    localparam DOOR_SHUT = 1'h1;
    reg [3:0] count_1; // properties.rs:31
    reg door; // properties.rs:37
    reg assume_l41; // properties.rs:41
    reg [3:0] s_before; // properties.rs:45
    reg settled; // properties.rs:46
    reg assert_l47; // properties.rs:47
`ifdef FORMAL
    (* anyconst *) reg [3:0] tag; // properties.rs:48
`elsif VERILATOR
    reg [3:0] tag /*verilator public_flat_rw*/; // properties.rs:48
    initial tag = 4'h0;
`else
    wire [3:0] tag = 4'h0; // properties.rs:48
`endif
    assign count = count_1;
    always @(posedge clk) begin
        if (rst) begin
            count_1 <= 4'h0;
            door <= DOOR_OPEN;
        end else begin
            if (up) count_1 <= (count_1 == 4'h9) ? 4'h0 : (count_1 + 4'h1);
            if (shut) door <= DOOR_SHUT;
            else door <= DOOR_OPEN;
        end
    end
    always @* begin
        assume_l41 = 1'h1;
        case (door)
            DOOR_SHUT: if (up) assume_l41 = count_1 != 4'h5;
            default: ;
        endcase
    end
    always @(posedge clk) s_before <= count_1;
    always @(posedge clk) begin
        if (rst) begin
            settled <= 1'h0;
        end else begin
            settled <= 1'h1;
        end
    end
    always @* begin
        assert_l47 = 1'h1;
        if (settled) assert_l47 = ((count_1 == s_before) | (count_1 == (s_before + 4'h1))) | (count_1 == 4'h0);
    end

    // properties
`ifdef FORMAL
    always @(posedge clk) if (!rst) begin
        assert (count_1 <= 4'h9); // property: assert "the count has one digit" at hdl/tests/language/properties.rs:35:7
        cover (count_1 == 4'h9); // property: cover "the count reaches 9" at hdl/tests/language/properties.rs:36:7
        assume (assume_l41); // property: assume "nobody counts 5 through the door" at hdl/tests/language/properties.rs:41:32
        assert (assert_l47); // property: assert "the count moves by 1 or to 0" at hdl/tests/language/properties.rs:47:26
        cover ((count_1 == tag) & up); // property: cover "100% of all values are reached" at hdl/tests/language/properties.rs:49:7
    end
`elsif SYNTHESIS
`else
    reg [63:0] _cover2 /*verilator public_flat_rd*/; // property: cover "the count reaches 9" at hdl/tests/language/properties.rs:36:7
    initial _cover2 = 64'h0;
    reg [63:0] _cover5 /*verilator public_flat_rd*/; // property: cover "100% of all values are reached" at hdl/tests/language/properties.rs:49:7
    initial _cover5 = 64'h0;
    always @(posedge clk) if (!rst) begin
        if (!(count_1 <= 4'h9)) begin $display("%m: assert failed: the count has one digit"); $stop; end // property: assert "the count has one digit" at hdl/tests/language/properties.rs:35:7
        if (count_1 == 4'h9) _cover2 <= _cover2 + 64'h1; // property: cover "the count reaches 9" at hdl/tests/language/properties.rs:36:7
        if (!assume_l41) begin $display("%m: assume failed: nobody counts 5 through the door"); $stop; end // property: assume "nobody counts 5 through the door" at hdl/tests/language/properties.rs:41:32
        if (!assert_l47) begin $display("%m: assert failed: the count moves by 1 or to 0"); $stop; end // property: assert "the count moves by 1 or to 0" at hdl/tests/language/properties.rs:47:26
        if ((count_1 == tag) & up) _cover5 <= _cover5 + 64'h1; // property: cover "100% of all values are reached" at hdl/tests/language/properties.rs:49:7
    end
`endif
endmodule

`default_nettype wire

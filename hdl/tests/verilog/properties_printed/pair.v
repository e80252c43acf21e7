`default_nettype none

module pair (
    input  wire clk,
    input  wire rst,
    input  wire up,
    output wire equal
);
    wire [3:0] left_count;
    wire [3:0] right_count;
    counter left (
        .clk(clk),
        .rst(rst),
        .up(up),
        .shut(1'h0),
        .count(left_count)
    );
    counter_1 right (
        .clk(clk),
        .rst(rst),
        .up(up),
        .shut(1'h0),
        .count(right_count)
    );
    assign equal = left_count == right_count;

    // properties
`ifdef FORMAL
    initial assume (rst);
`endif
endmodule

`default_nettype wire

// The clock for a chip, inverted, from the flip-flop of the pin.
module clock_output (
    input  wire clock_in,
    output wire out
);
    ODDRX1F flip_flop (
        .SCLK(clock_in),
        .RST(1'b0),
        .D0(1'b0),
        .D1(1'b1),
        .Q(out)
    );
endmodule

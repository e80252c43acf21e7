// A pin, taken at the falling edge of the clock.
module falling_edge_input (
    input  wire clock_in,
    input  wire pin,
    output wire q
);
    wire unused; // of the rising edge

    IDDRX1F flip_flops (
        .SCLK(clock_in),
        .RST(1'b0),
        .D(pin),
        .Q0(unused),
        .Q1(q)
    );
endmodule

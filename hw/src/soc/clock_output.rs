//! A clock that leaves an ECP5 for a chip, inverted: its rising edge is in the middle of the cycle. The flip-flop of the pin makes it, so that it has the delay
//! of the chip's other pins.
//!
//! | port | |
//! | --- | --- |
//! | `out` | the pin |
//!
//! - The clock is that of the domain in which the instance stands.
//! - The text is a module of its own around the primitive `ODDRX1F`, which gives `D0` in the first half of a cycle and `D1` in the second one. In simulation it
//!   stands at 0: what is behind the pin is clocked by the test.

use hdl::*;

ports! {
    /// Ports of a clock output.
    pub struct ClockOutputPorts() {
        /// the pin
        output out: Signal = bits(1),
    }
}

const TEXT: &str = "// The clock for a chip, inverted, from the flip-flop of the pin.
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
";

/// A clock output.
pub fn clock_output() -> Result<Design<ClockOutputPorts>, Errors> {
    let f = Foreign::text("clock_output", TEXT);
    f.clock("clock_in");
    let io = ClockOutputPorts::new(f);
    f.model(&model()?);
    f.finish(io)
}

#[module]
fn model() -> Result<Design<ClockOutputPorts>, Errors> {
    let m = Module::new("clock_output_model");
    let io = ClockOutputPorts::new(m);
    io.out.set(0);
    m.finish(io)
}

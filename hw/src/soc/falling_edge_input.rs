//! A pin of an ECP5 that is taken at the falling edge of the clock: by the flip-flops of the pin, so that no wire of the device is before them.
//!
//! | port | |
//! | --- | --- |
//! | `pin` | the pin |
//! | `q` | what it was at the falling edge in the cycle before; a register |
//!
//! - A chip whose clock is [inverted](mod@super::clock_output) changes its data behind that edge, so that they have a whole cycle.
//! - The clock is that of the domain in which the instance stands.
//! - The text is a module of its own around the primitive `IDDRX1F`. In simulation it is one register.

use hdl::*;

ports! {
    /// Ports of a pin that is taken at the falling edge.
    pub struct FallingEdgeInputPorts() {
        /// the pin
        input pin: Signal = bits(1),
        /// what it was
        output q: Signal = bits(1),
    }
}

const TEXT: &str = "// A pin, taken at the falling edge of the clock.
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
";

/// A pin that is taken at the falling edge.
pub fn falling_edge_input() -> Result<Design<FallingEdgeInputPorts>, Errors> {
    let f = Foreign::text("falling_edge_input", TEXT);
    f.clock("clock_in");
    let io = FallingEdgeInputPorts::new(f);
    f.model(&model()?);
    f.finish(io)
}

#[module]
fn model() -> Result<Design<FallingEdgeInputPorts>, Errors> {
    let m = Module::new("falling_edge_input_model");
    let io = FallingEdgeInputPorts::new(m);
    let taken = m.reg(bits(1));
    taken.set(io.pin);
    io.q.set(taken);
    m.finish(io)
}

//! A reset synchronizer: a reset that begins at once, also while the clock stands still, and ends with the clock.
//!
//! All flip-flops are set asynchronously; when `reset` has ended, a 0 moves through them from edge to edge. So no register
//! that is reset by the last one sees the end of the reset too near to a clock edge to take it up.
//!
//! | port | |
//! | --- | --- |
//! | `reset` | from anywhere (a button, the `locked` of a PLL inverted, another clock); active at 1. From a register or a pin, without logic behind it: a glitch is a reset |
//! | `clk_reset` | the reset of this module's clock, active at 1: the reset of a whole clock domain |
//!
//! - Parameters: `stages`, flip-flops in a row, 2 to 4: 2 up to some 200 MHz, 3 above.
//! - Latency: `clk_reset` rises with `reset`, and falls with edge `stages` of `clk` of those at which `reset` is 0.
//! - Combinational path: `reset` to `clk_reset` (through the asynchronous set of the flip-flops).
//! - The module has no reset of its own. Before the first `reset`, `clk_reset` is not defined.
//!
//! The first flip-flop's input is a constant and the others' is what they hold while `reset` ends, so at most the first can
//! be hit by a change too near to the edge; the second takes that up an edge later. The registers carry the same attributes as
//! those of a [synchronizer](super::synchronizer).

use super::synchronizer::{check_stages, kept};
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};

ports! {
    /// Ports of a reset synchronizer.
    pub struct ResetSynchronizerPorts() {
        /// a reset of any clock or none, active at 1
        input reset: Signal = bits(1),
        /// the reset of this clock, active at 1
        output clk_reset: Signal = bits(1),
    }
}

/// A reset synchronizer with `stages` flip-flops.
#[module]
pub fn reset_synchronizer(stages: u32) -> Result<Design<ResetSynchronizerPorts>, Errors> {
    let name = format!("reset_synchronizer_{stages}");
    check_stages(&name, stages)?;
    let m = Module::new(name);
    m.doc("Reset synchronizer: the reset begins at once, and ends with the clock.");
    let io = ResetSynchronizerPorts::new(m);
    let reason = "it sets the flip-flops of a reset synchronizer: they wait for each other when it ends";
    let reset = m.cross(io.reset, m.current_domain(), reason);
    let mut value = m.lit(0u32, 1);
    for i in 1..=stages {
        let stage = kept(m.reg(bits(1)).asynchronous_reset(reset, 1)).named(&format!("stage_{i}"));
        stage.set(value);
        value = stage;
    }
    io.clk_reset.set(value);
    m.finish(io)
}

#[cfg(test)]
mod tests;

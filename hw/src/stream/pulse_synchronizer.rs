//! A pulse synchronizer: every pulse of one clock becomes one pulse of another, whatever their periods are.
//!
//! A pulse flips a register, which goes over through a synchronizer; there every change is a pulse. The changed value comes
//! back through a second synchronizer, and until then no further pulse is taken: none is lost, none is doubled.
//!
//! | port | |
//! | --- | --- |
//! | `s_clk`, `s_rst` | clock and reset of the side where pulses come in |
//! | `s_pulse`, `s_ready` | one pulse for each edge of `s_clk` at which both are high; `s_ready` does not wait for `s_pulse` |
//! | `m_clk`, `m_rst` | clock and reset of the side where pulses go out |
//! | `m_pulse` | high for one period of `m_clk` for each pulse |
//!
//! - Parameters: `stages` of the synchronizers, 2 to 4.
//! - Latency: `m_pulse` is high after `stages` edges of `m_clk` behind the edge of `s_clk` that took the pulse; the edge counts
//!   that falls on the same instant or just after does not always catch it.
//! - Throughput: the next pulse is taken after `stages` + 1 edges of `m_clk` and then `stages` + 1 of `s_clk`.
//! - No combinational path from port to port. `s_ready` and `m_pulse` are the difference of two registers.
//! - Both sides must be in reset at the same time for at least `stages` + 1 edges of each clock; then no pulse is under way. From
//!   the first edge of both on, no pulse comes out.
//! - For timing tools the clocks are unrelated: see [`hdl::constraints`].

use super::synchronizer::synchronized;
use hdl::{Bundle, Design, Errors, Module, Signal, bits, module, ports};

ports! {
    /// Ports of a pulse synchronizer.
    pub struct PulseSynchronizerPorts() {
        /// a pulse, of clock s_clk; it is taken if `s_ready` is high
        input s_pulse: Signal = bits(1),
        /// no pulse is under way
        output s_ready: Signal = bits(1),
        /// a pulse, of clock m_clk
        output m_pulse: Signal = bits(1),
    }
}

/// A pulse synchronizer from the clock `s_clk` to the clock `m_clk`, with `stages` flip-flops each way.
#[module]
pub fn pulse_synchronizer(stages: u32) -> Result<Design<PulseSynchronizerPorts>, Errors> {
    let m = Module::new(format!("pulse_synchronizer_{stages}"));
    m.doc("Pulse synchronizer: every pulse of one clock becomes one of another; none is lost.");
    let io = PulseSynchronizerPorts::new(m);
    let (source, sink) = (m.clock_domain("s_clk", "s_rst"), m.clock_domain("m_clk", "m_rst"));
    m.port_domain((io.s_pulse, io.s_ready), source);
    m.port_domain(io.m_pulse, sink);

    m.section("a pulse is a change of `level`");
    let level = m.in_domain(source, || m.reg_reset(bits(1), 0));
    let arrived = synchronized(m, level, sink, stages)?;
    let before = m.in_domain(sink, || m.reg_reset(bits(1), 0));
    before.set(arrived);
    io.m_pulse.set(arrived ^ before);

    m.section("the next one is taken when the change has come back");
    let back = synchronized(m, before, source, stages)?;
    let ready = !(level ^ back);
    m.when(io.s_pulse & ready, || level.set(!level));
    io.s_ready.set(ready);
    m.finish(io)
}

#[cfg(test)]
mod tests;

//! A synchronizer: flip-flops in a row that take a signal over from another clock.
//!
//! The first flip-flop may catch its input while it changes, and take long to settle; the others give it that time.
//!
//! | port | |
//! | --- | --- |
//! | `d` | of any clock: one bit, or a gray-coded number. It must come from a register of that clock, without logic behind it |
//! | `q` | the same of this module's clock, a register |
//!
//! - Parameters: `width`, bits, from 1 to 65,536; `stages`, flip-flops in a row, 2 to 4: 2 up to some 200 MHz, 3 above or
//!   where the time between failures must be very long.
//! - Latency `stages` edges of `clk` after the first edge that catches the change; a change that lasts less than a period
//!   of `clk` may be missed.
//! - More than one bit: only gray-coded, so that whatever edge catches a change gives the number of before or of after.
//!   That needs wires of all bits whose delays differ by less than a period of the source: the constraints bound them.
//! - No combinational path. After reset, `q` is 0.
//!
//! The registers carry `ASYNC_REG` (Vivado: placed side by side, no shift register made of them), `keep` (Yosys and
//! nextpnr, Vivado) and `syn_preserve` (Synplify: Diamond, Radiant, Libero). [`hdl::constraints`] has the paths into them.

use hdl::{Bundle, ClockDomain, Design, Errors, Module, Signal, bits, module, ports};

ports! {
    /// Ports of a synchronizer.
    pub struct SynchronizerPorts(width: u32) {
        /// of any clock: a bit, or a gray-coded number
        input d: Signal = bits(width),
        /// the same, of this clock
        output q: Signal = bits(width),
    }
}

/// A synchronizer for one bit, or for a gray-coded number of `width` bits.
#[module]
pub fn synchronizer(width: u32, stages: u32) -> Result<Design<SynchronizerPorts>, Errors> {
    let name = format!("synchronizer_{width}x{stages}");
    super::check_width(&name, width)?;
    check_stages(&name, stages)?;
    let m = Module::new(name);
    m.doc("Synchronizer: takes a bit, or a gray-coded number, over from another clock.");
    let io = SynchronizerPorts::new(m, width);
    let reason = "the first register of a synchronizer: the next ones wait until it has settled";
    let mut value = m.cross(io.d, m.current_domain(), reason);
    for i in 1..=stages {
        let stage = kept(m.reg_reset(bits(width), 0)).named(&format!("stage_{i}"));
        stage.set(value);
        value = stage;
    }
    io.q.set(value);
    m.finish(io)
}

/// The flip-flops of a synchronizer can be so many.
#[track_caller]
pub(super) fn check_stages(module: &str, stages: u32) -> Result<(), Errors> {
    if (2..=4).contains(&stages) {
        return Ok(());
    }
    let help = "from 2 (one has no time to settle) to 4 (more make no failure rarer than never)";
    Err(Errors::parameter(module, format!("stages = {stages} is out of range"), help))
}

/// A register of a synchronizer, which tools must leave as it is.
pub(super) fn kept(stage: Signal) -> Signal {
    stage.attribute("ASYNC_REG", "TRUE").attribute("keep", "true").attribute("syn_preserve", "1")
}

/// `value` (one bit, or gray-coded) as a register of the domain `to`, after `stages` flip-flops.
#[module]
pub fn synchronized(m: Module, value: Signal, to: ClockDomain, stages: u32) -> Result<Signal, Errors> {
    let unit = synchronizer(value.width(), stages)?;
    let sync = m.in_domain(to, || m.instance(&unit));
    sync.d.set(value);
    Ok(sync.q)
}

/// The gray code of a number: neighbours (and the last and the first) differ in one bit.
#[track_caller]
pub fn gray(number: Signal) -> Signal {
    number ^ (number >> 1)
}

#[cfg(test)]
mod tests;

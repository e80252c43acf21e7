//! Latency by parameter: a unit is written once with all its stage boundaries, and a number says how many of them hold
//! registers.
//!
//! A unit of natural depth `n` has the boundaries 1 to `n`, the last one at its outputs. A latency of `l` cycles puts
//! registers at `l` of them, spread evenly, the outputs first. The latency check of the pipeline scope works as ever: a
//! value that crosses a boundary beside the others, without [`Stages::cut`], is an error at the natural depth.

use hdl::*;

/// A pipeline whose registers are placed by the latency that was asked for.
#[derive(Clone, Copy)]
pub struct Stages {
    pipeline: Pipeline,
    natural: u32,
    latency: u32,
}

impl Stages {
    /// Stages of `natural` depth in `latency` cycles; states the module's latency.
    #[track_caller]
    pub fn new(m: Module, natural: u32, latency: u32) -> Stages {
        m.latency(latency);
        Stages { pipeline: m.pipeline("stages"), natural, latency }
    }
    /// Takes the inputs in, before the first boundary.
    #[track_caller]
    pub fn enter<B: Bundle>(self, x: B) -> B {
        self.pipeline.enter(x)
    }
    /// What comes behind boundary number `boundary`, counted from 1.
    #[track_caller]
    pub fn cut<B: Bundle>(self, boundary: u32, x: B) -> B {
        assert!((1..=self.natural).contains(&boundary), "the boundaries are 1 to {}", self.natural);
        if self.registers_before(boundary) < self.registers_before(boundary + 1) { x.next() } else { x }
    }
    /// Takes the result out, behind the last boundary.
    #[track_caller]
    pub fn leave<B: Bundle>(self, x: B) -> B {
        self.pipeline.leave(self.cut(self.natural, x))
    }
    /// The valid bit beside the result: it travels along and is reset to 0.
    #[track_caller]
    pub fn valid(self, valid: Signal) -> Signal {
        let valid = self.pipeline.enter_valid(valid);
        self.pipeline.leave(valid.later(self.latency))
    }
    /// Registers at the boundaries below this one.
    fn registers_before(self, boundary: u32) -> u32 {
        (boundary - 1) * self.latency / self.natural
    }
}

/// A latency that the unit can have.
pub(super) fn check_latency(at: &str, latency: u32, natural: u32) -> Result<(), Errors> {
    if latency <= natural {
        return Ok(());
    }
    let help = format!("0 to {natural} cycles are legal: there are no more places for registers");
    Err(Errors::parameter(at, format!("a latency of {latency} cycles"), help))
}

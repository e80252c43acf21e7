//! Latency by parameter: a unit is written once with all its stage boundaries, and a number says how many of them hold
//! registers.
//!
//! A unit of natural depth `n` has the boundaries 1 to `n`, the last one at its outputs. A latency of `l` cycles, 0 to `n`,
//! puts registers at `l` of them, spread evenly, the outputs first; or at all but the last one
//! ([`Stages::but_last`]). What belongs to different stages cannot be combined:
//!
//! ```
//! use hdl::*;
//! use hw::float::stages::Stages;
//! # ports! { struct SumPorts() {
//! #   input in_valid: Signal = bits(1), input a: Signal = bits(8), input b: Signal = bits(8), input c: Signal = bits(8),
//! #   output out_valid: Signal = bits(1), output y: Signal = bits(8) } }
//! # #[module]
//! # fn sum(latency: u32) -> Result<Design<SumPorts>, Errors> {
//! # let m = Module::new("sum");
//! # let io = SumPorts::new(m);
//! let s = Stages::new(m, 2, latency);
//! io.out_valid.set(s.valid(io.in_valid));
//! let (a, b, c) = s.enter((io.a, io.b, io.c));
//! let (ab, c) = s.cut(1, (a + b, c)); // `s.cut(1, a + b) + c` with the uncut c is an error where 1 holds registers
//! io.y.set(s.leave(ab + c)); // boundary 2
//! # m.finish(io)
//! # }
//! assert_eq!(sum(2).unwrap().latency(), Some(2));
//! ```

use hdl::*;

/// A pipeline whose registers are placed by the latency that was asked for.
#[derive(Clone, Copy, Debug)]
pub struct Stages {
    pipeline: Pipeline,
    natural: u32,
    latency: u32,
    /// The boundaries that may hold registers: so many from the first one on.
    boundaries: u32,
}

impl Stages {
    /// `natural` stages in `latency` cycles; states the module's latency.
    #[track_caller]
    pub fn new(m: Module, natural: u32, latency: u32) -> Stages {
        assert!(latency <= natural, "the caller checks the latency");
        m.latency(latency);
        Stages { pipeline: m.pipeline("stages"), natural, latency, boundaries: natural }
    }
    /// Registers at all boundaries but the last one: the result is combinational behind them, for a register of the caller's.
    #[track_caller]
    pub fn but_last(m: Module, natural: u32) -> Stages {
        assert!(natural > 1, "there is a boundary besides the last one");
        let latency = natural - 1;
        m.latency(latency);
        Stages { pipeline: m.pipeline("stages"), natural, latency, boundaries: latency }
    }
    /// Takes the inputs in, before the first boundary.
    #[track_caller]
    pub fn enter<B: Bundle>(self, x: B) -> B {
        self.pipeline.enter(x)
    }
    /// What stands behind boundary number `boundary`, counted from 1: `x`, or registers that hold it.
    #[track_caller]
    pub fn cut<B: Bundle>(self, boundary: u32, x: B) -> B {
        assert!((1..=self.natural).contains(&boundary), "the boundaries are 1 to {}", self.natural);
        x.later(self.between(boundary - 1, boundary))
    }
    /// Takes the result out, behind the last boundary.
    #[track_caller]
    pub fn leave<B: Bundle>(self, x: B) -> B {
        self.pipeline.leave(self.cut(self.natural, x))
    }
    /// Takes out what stands behind the last boundary already, such as the output of a unit that reaches up to it.
    #[track_caller]
    pub fn leave_cut<B: Bundle>(self, x: B) -> B {
        self.pipeline.leave(x)
    }
    /// The valid bit beside the result: it travels along, and its registers are reset to 0.
    #[track_caller]
    pub fn valid(self, valid: Signal) -> Signal {
        let valid = self.pipeline.enter_valid(valid);
        self.pipeline.leave(valid.later(self.latency))
    }
    /// Registers behind boundary `from` (0 is the input) up to and with boundary `to`: the latency of a unit that spans them.
    pub fn between(self, from: u32, to: u32) -> u32 {
        let up_to = |boundary: u32| boundary.min(self.boundaries) * self.latency / self.boundaries;
        up_to(to) - up_to(from)
    }
}

/// An error if a unit cannot have this latency; `at` names the unit.
pub fn check_latency(at: &str, latency: u32, natural: u32) -> Result<(), Errors> {
    if latency <= natural {
        return Ok(());
    }
    let help = format!("0 to {natural} cycles are legal: there are no more places for registers");
    Err(Errors::parameter(at, format!("a latency of {latency} cycles"), help))
}

#[cfg(test)]
mod tests {
    use super::*;

    ports! {
        struct SumPorts() {
            input a: Signal = bits(8),
            input b: Signal = bits(8),
            input c: Signal = bits(8),
            output y: Signal = bits(8),
        }
    }

    /// `a + b + c` in two stages; `careful`: c crosses the boundary as the sum does.
    #[module]
    fn sum(latency: u32, careful: bool) -> Result<Design<SumPorts>, Errors> {
        check_latency("sum", latency, 2)?;
        let m = Module::new("sum");
        let io = SumPorts::new(m);
        let s = Stages::new(m, 2, latency);
        let (a, b, c) = s.enter((io.a, io.b, io.c));
        let ab = s.cut(1, a + b);
        let c = if careful { s.cut(1, c) } else { c };
        io.y.set(s.leave(ab + c));
        m.finish(io)
    }

    #[test]
    fn combining_two_stages_is_an_error() {
        assert!((0..=2).all(|latency| sum(latency, true).is_ok()));
        let errors = sum(2, false).unwrap_err().to_string();
        let message = "`ab` (8 bits) is at stage 1, `c` (8 bits) at stage 0 of pipeline `stages`: 1 stage apart";
        assert!(errors.contains(message), "{errors}");
    }

    #[test]
    fn an_impossible_latency_is_an_error() {
        let errors = sum(3, true).unwrap_err().to_string();
        assert!(errors.contains("error: a latency of 3 cycles"), "{errors}");
        assert!(errors.contains("help: 0 to 2 cycles are legal"), "{errors}");
    }

    #[test]
    fn registers_are_spread_evenly_and_the_outputs_come_first() {
        let m = Module::new("places");
        let places = |latency| {
            let s = Stages { pipeline: m.pipeline("stages"), natural: 4, latency, boundaries: 4 };
            (1..=4).map(|boundary| s.between(boundary - 1, boundary)).collect::<Vec<_>>()
        };
        let expected = [[0, 0, 0, 0], [0, 0, 0, 1], [0, 1, 0, 1], [0, 1, 1, 1], [1, 1, 1, 1]];
        assert_eq!([0, 1, 2, 3, 4].map(places), expected);
        let s = Stages::but_last(m, 4);
        assert_eq!([1, 2, 3, 4].map(|boundary| s.between(boundary - 1, boundary)), [1, 1, 1, 0]);
    }
}

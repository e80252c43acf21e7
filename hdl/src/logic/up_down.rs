//! Counters of what is there: words in a queue, requests that are under way, credits.

use crate::build::naming::Nameable;
use crate::build::{Bundle, Module, bits, clog2};
use crate::ir::Signal;

/// A counter from 0 to `most` that goes up, down, or not at all when both come together.
///
/// ```
/// # use hdl::{logic::UpDown, *};
/// # ports! { struct P() { input send: Signal = bits(1), input answer: Signal = bits(1), output full: Signal = bits(1), output wrong: Signal = bits(1) } }
/// # #[module]
/// # fn example(outstanding: u32) -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let in_flight = UpDown::new(m, outstanding);            // 0 after reset
/// let lost = in_flight.checked(io.send, io.answer);       // an answer that nobody waits for
/// io.full.set(in_flight.is_full());
/// # io.wrong.set(lost);
/// # m.finish(io)
/// # }
/// # example(1).unwrap();
/// # example(10).unwrap();
/// ```
///
/// Up to 64, with 8 CCU2C: 8 LUT4 for [`count`](UpDown::count), 13 for [`saturating`](UpDown::saturating), 15 for
/// [`checked`](UpDown::checked).
#[derive(Clone, Copy, Debug)]
pub struct UpDown {
    /// What is there, `clog2(most + 1)` bits: a register with reset.
    pub level: Signal,
    module: Module,
    most: u32,
}

impl UpDown {
    /// A counter that is 0 after reset.
    #[track_caller]
    pub fn new(m: Module, most: u32) -> UpDown {
        UpDown::from(m, most, 0)
    }
    /// A counter that is `start` after reset.
    #[track_caller]
    pub fn from(m: Module, most: u32, start: u32) -> UpDown {
        let level = m.reg_reset(bits(clog2(most as usize + 1)), start);
        if start > most {
            let help = format!("it starts at 0 to {most}");
            level.fail(|_, _| format!("a counter from 0 to {most} that starts at {start}"), Some(&help));
        }
        UpDown { level, module: m, most }
    }
    /// One bit: there is nothing.
    #[track_caller]
    pub fn is_empty(&self) -> Signal {
        !self.level.any()
    }
    /// One bit: there is as much as can be.
    #[track_caller]
    pub fn is_full(&self) -> Signal {
        self.level.eq(self.most)
    }
    /// Counts. The surroundings see to it that it stays within its range: beyond it the number wraps. That is stated as two properties,
    /// which simulators check in every run, and synthesis does not see.
    #[track_caller]
    pub fn count(&self, up: Signal, down: Signal) {
        let (m, level) = (self.module, self.level);
        let (rises, falls) = steps(up, down);
        m.assert(!(rises & self.is_full()), "a counter that is full does not rise");
        m.assert(!(falls & self.is_empty()), "a counter that is empty does not fall");
        m.when(rises, || level.set(level + 1)).elsewhen(falls, || level.set(level - 1));
    }
    /// Counts, and stays at its ends: `up` does nothing when it is full, `down` when it is empty, unless both come together.
    #[track_caller]
    pub fn saturating(&self, up: Signal, down: Signal) {
        let _ = self.checked(up, down);
    }
    /// As [`UpDown::saturating`]; one bit: in this cycle, `up` came when it was full or `down` when it was empty, and was not counted.
    #[track_caller]
    pub fn checked(&self, up: Signal, down: Signal) -> Signal {
        let (m, level) = (self.module, self.level);
        let (rises, falls) = steps(up, down);
        let (full, some) = (self.is_full(), level.any());
        m.when(rises & !full, || level.set(level + 1)).elsewhen(falls & some, || level.set(level - 1));
        (rises & full) | (falls & !some)
    }
}

/// Up alone, and down alone.
#[track_caller]
fn steps(up: Signal, down: Signal) -> (Signal, Signal) {
    let one_bit = up.one_bit("what counts up") & down.one_bit("what counts down");
    if one_bit { (up & !down, down & !up) } else { (up.poison(1), down.poison(1)) }
}

impl Nameable for UpDown {
    fn take_name(&self, name: &str) {
        self.level.take_name(name);
    }
}

//! Machine code for the simulator of [`hdl`], made by cranelift in milliseconds on a bare machine.
//!
//! [`simulator`] gives the same [`Simulator`] as `Simulator::new`, which interprets for as long as that is cheaper and then
//! goes over to machine code; nothing else changes: probes, waves and clones work as before. The interpreter remains the
//! slow and obvious one that this is tested against.
//!
//! ```
//! use hdl::{engine::Engine, *};
//!
//! ports! {
//!     struct CounterPorts(width: u32) {
//!         input step: Signal = bits(width),
//!         output count: Signal = bits(width),
//!     }
//! }
//!
//! #[module]
//! fn counter(width: u32) -> Result<Design<CounterPorts>, Errors> {
//!     let m = Module::new("counter");
//!     let io = CounterPorts::new(m, width);
//!     let value = m.reg_reset(bits(width), 0);
//!     value.set(value + io.step);
//!     io.count.set(value);
//!     m.finish(io)
//! }
//!
//! let mut sim = jit::simulator(&counter(32)?);
//! let (step, count) = (sim.port("step").unwrap(), sim.port("count").unwrap());
//! sim.reset(1);
//! sim.poke(step, 3);
//! (0..100_000).for_each(|_| sim.step());
//! assert_eq!(sim.peek(count), 300_000);
//! assert!(sim.is_native());
//! # Ok::<(), Errors>(())
//! ```
//!
//! How it is done: `limbs` (and `wide`) turns the simulator's expressions of any width into expressions on 64-bit words,
//! which `scalar` (and `shifts`) keeps without duplicates and simplifies; `roots` lists what ports, states and memories take; `schedule`
//! finds an order and the conditions under which work can be left out; `places` says what passes through memory; `emit`
//! writes cranelift's functions, `code` compiles and calls them.
//!
//! What the next factor of two would take: identical instances are flattened into one function today. As one function that is called
//! for each they would stay in the instruction cache, and a vector register could carry the same signal of several lanes at once.

mod code;
mod emit;
mod limbs;
mod places;
mod roots;
mod scalar;
mod schedule;
mod shifts;
mod wide;

#[cfg(test)]
mod tests;

use hdl::Design;
use hdl::sim::Simulator;
use hdl::sim::native::{Native, Plan};

/// Evaluations that the interpreter does in the time that compiling takes.
const PATIENCE: u64 = 2000;

/// A simulator that goes over to machine code when it has run for as long as compiling takes. Where there is no machine
/// code for this processor it keeps interpreting; [`Simulator::is_native`] tells.
pub fn simulator<P>(design: &Design<P>) -> Simulator {
    Simulator::with_native(design, compile, PATIENCE)
}

/// A simulator that runs machine code from the first cycle.
pub fn compiled<P>(design: &Design<P>) -> Simulator {
    Simulator::with_native(design, compile, 0)
}

fn compile(plan: &Plan) -> Option<Box<dyn Native>> {
    let code = code::Code::compile(plan).ok()?;
    Some(Box::new(code))
}

//! The built-in simulator: runs a module, with everything below it, as a flat program over 64-bit limbs.
//!
//! It is cycle-based: inputs are poked, combinational logic settles when somebody looks, and [`Engine::edge`] is one
//! rising clock edge, at which all registers and memories of the clocks named sample what was there before. What it
//! defines where hardware does not:
//! - registers and the outputs of sync read ports power up with random contents, or others ([`PowerUp`](crate::engine::PowerUp));
//!   memories with their initial contents, and where there are none, random ones;
//! - reading past the end of a memory gives 0;
//! - a reset acts at the clock edge (whichever kind the printed Verilog has), and takes precedence over everything;
//! - a register with [`asynchronous_reset`](crate::Signal::asynchronous_reset) takes its reset value as soon as the reset is 1; a
//!   reset that comes and goes without an edge of any clock leaves no trace;
//! - a clock that comes from inside ([`clock_from`](crate::Module::clock_from)) is one more clock, behind those that are ports; the
//!   test says when its edges are;
//! - a clock read as a signal is 0, since values are looked at before the edge.
//!
//! ```
//! use hdl::{engine::Engine, sim::Simulator, wave::Wave, *};
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
//! let mut sim = Simulator::new(&counter(8)?);
//! let (step, count) = (sim.port("step").unwrap(), sim.port("count").unwrap());
//! let mut wave = Wave::all(&sim);
//! sim.reset(2);
//! sim.poke(step, 3);
//! for cycle in 0..5 {
//!     assert_eq!(sim.peek(count), 3 * cycle);
//!     wave.sample(&mut sim);
//!     sim.step();
//! }
//! let picture = wave.svg(&["step", "value"], 0..5)?;
//! assert!(picture.starts_with("<svg"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way from module to program: `flatten` copies the instances into one netlist (`stmts` turns statements into
//! expressions), `lower` orders it and builds the `graph` of distinct expressions (constants folded by `fold`),
//! `regions` finds what only some arms of a `switch` need, `compile` gives every value a slot and writes the `program`
//! (values of more than 64 bits: `wide`), in the order of `schedule`. Crate `kvforge-hdl-jit` compiles the same graph to machine code (`native`).
//!
//! [`Engine::edge`]: crate::engine::Engine::edge

mod case;
mod check;
mod commit;
mod compile;
mod expression;
mod flatten;
mod graph;
mod logic;
mod lower;
pub mod native;
mod netlist;
mod program;
mod regions;
mod run;
mod runnable;
mod schedule;
mod stmts;
mod wide;

#[cfg(test)]
pub(crate) mod tests;

pub use run::{Probe, SignalInfo, Simulator};

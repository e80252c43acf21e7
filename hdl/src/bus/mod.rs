//! Bus models: what feeds and empties the streams and AXI4-Lite ports of a design, with random stalls from a seed, and
//! checks at every cycle that the design keeps the rules of the bus.
//!
//! Everything runs on any [`Engine`](crate::engine::Engine). A [`Bench`] owns the models; ports are given as the fields of
//! the [`Design`](crate::Design), so that no name of a port stands in a test:
//!
//! ```
//! use hdl::{bus::{Bench, Stalls}, sim::Simulator, *};
//!
//! ports! {
//!     struct InverterPorts(width: u32) {
//!         input s: Stream = stream(bits(width)),
//!         output m: Stream = stream(bits(width)),
//!     }
//! }
//!
//! fn inverter(width: u32) -> Result<Design<InverterPorts>, Errors> {
//!     let m = Module::new("inverter");
//!     let io = InverterPorts::new(m, width);
//!     io.m.set(io.s.with(!io.s.payload));
//!     m.finish(io)
//! }
//!
//! let design = inverter(8)?;
//! let mut engine = Simulator::new(&design);
//! let mut bench = Bench::new(&mut engine, 1);
//! let s = bench.source(&design, &design.ports.s, Stalls::Percent(30));
//! let m = bench.sink(&design, &design.ports.m, Stalls::Percent(50));
//! bench.reset()?;
//! bench.send(s, [0x00u64, 0x0f]);
//! bench.run_until_received(m, 2, 100)?;
//! assert_eq!(bench.beats(m), [0xffu64.into(), 0xf0u64.into()]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod axi_lite;
mod axi_stream;
mod bench;
mod checker;
mod ports;
mod stalls;
mod stream;
#[cfg(test)]
mod tests;
mod ticks;

pub use axi_lite::{AxiLiteMaster, Response};
pub use axi_stream::{packet, packet_bytes};
pub use bench::{Bench, run_seed, seed, span};
pub use checker::{BusError, Rule};
pub use ports::{Field, StreamPorts};
pub use stalls::Stalls;
pub use stream::{Beat, Sink, Source};
pub use ticks::Ticks;

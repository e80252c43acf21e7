//! Memories behind handshakes, and what moves bytes to and from a memory on an AXI4 bus. For a memory inside a module there is
//! [`hdl::Module::memory`].
//!
//! Two engines that copy, on one bus:
//!
//! ```
//! use hdl::*;
//! use hw::memory::axi::{Axi, AxiParams, axi};
//! use hw::memory::axi_read_arbiter::axi_read_arbiter;
//! use hw::memory::axi_write_arbiter::axi_write_arbiter;
//! use hw::memory::burst_reader::burst_reader;
//! use hw::memory::burst_writer::burst_writer;
//! use hw::memory::mover::{Command, Done, MoverParams, done};
//! use hw::stream::axi_stream::AxiStream;
//! use hw::stream::{fork, join};
//!
//! const P: MoverParams = MoverParams {
//!     axi: AxiParams { data_bytes: 8, address_bits: 32, id_bits: 0 },
//!     length_bits: 24,
//!     tag_bits: 8,
//!     outstanding: 4,
//!     buffer: 512,
//!     scatter_bits: None, // memory does not lie in pages
//!     aligned: false,
//! };
//!
//! #[derive(Clone, Copy, Bundle)]
//! struct Copy {
//!     from: Signal,
//!     to: Signal,
//!     bytes: Signal,
//!     tag: Signal,
//! }
//!
//! fn copy() -> Copy {
//!     Copy { from: bits(32), to: bits(32), bytes: bits(P.length_bits), tag: bits(P.tag_bits) }
//! }
//!
//! ports! {
//!     struct CopyPorts() {
//!         /// Commands of each engine.
//!         input copy: Vector<Stream<Copy>> = vector(stream(copy()), 2),
//!         /// How reading and writing ended.
//!         output done: Vector<Stream<(Done, Done)>> = vector(stream((done(P), done(P))), 2),
//!         /// The bus, with an ID of a bit.
//!         output m_axi: Axi = axi(P.axi.of_masters(2), P.axi.of_masters(2)),
//!     }
//! }
//!
//! #[module]
//! fn copy_engines() -> Result<Design<CopyPorts>, Errors> {
//!     let m = Module::new("copy_engines");
//!     let io = CopyPorts::new(m);
//!     let reads = m.instance(&axi_read_arbiter("reads", 2, P.axi)?);
//!     let writes = m.instance(&axi_write_arbiter("writes", 2, P.axi)?);
//!     let (reader, writer) = (burst_reader("reader", P)?, burst_writer("writer", P)?);
//!     for i in 0..2 {
//!         let (reader, writer) = (m.instance(&reader), m.instance(&writer));
//!         let Copy { from, to, bytes, tag } = io.copy[i].payload;
//!         let [read, write] = fork(m, io.copy[i]);
//!         reader.command.set(read.with(Command { address: from, bytes, next: None, tag }));
//!         writer.command.set(write.with(Command { address: to, bytes, next: None, tag }));
//!         // a read that fails ends its packet early, so the writer says that it was short
//!         let packet = reader.m_axis;
//!         packet.tuser.map(|failed| failed.unused());
//!         writer.s_axis.set(AxiStream { tuser: None, ..packet });
//!         io.done[i].set(join(m, reader.done, writer.done));
//!         reads.s_axi[i].set(reader.m_axi);
//!         writes.s_axi[i].set(writer.m_axi);
//!     }
//!     io.m_axi.read.set(reads.m_axi);
//!     io.m_axi.write.set(writes.m_axi);
//!     m.finish(io)
//! }
//! copy_engines().unwrap();
//! ```

pub mod axi;
pub mod axi_read_arbiter;
pub mod axi_write_arbiter;
pub mod burst_reader;
pub mod burst_splitter;
pub mod burst_writer;
mod failure;
pub mod mover;
pub mod ram;
pub mod read_aligner;
mod rotate;
pub mod sdram;
#[cfg(test)]
pub(crate) mod testing;
mod under_way;
pub mod write_aligner;

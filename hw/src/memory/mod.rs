//! Memories behind handshakes, and what moves bytes to and from a memory on an AXI4 bus. For a memory inside a module there is
//! [`hdl::Module::memory`].

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
#[cfg(test)]
pub(crate) mod testing;
pub mod write_aligner;

//! The catalogue: the blocks that can be configured by name, with their parameters and what is legal.
//!
//! A [`Block`] turns [`Values`] into an erased [`Design`](hdl::Design). [`Block::resolve`] checks all parameters before anything is
//! elaborated and says of each mistake what is legal and why; what it lets through, [`Block::build`] elaborates.
//!
//! ```
//! use hw::catalogue::{Value, block};
//!
//! let fifo = block("fifo").expect("a block of the catalogue");
//! let values = fifo.resolve([("width", Value::Number(32)), ("depth", Value::Number(16))]).expect("legal");
//! let design = (fifo.build)("my_fifo", &values)?;
//! assert_eq!(design.name(), "fifo_32x16_block");
//!
//! let mistakes = fifo.resolve([("width", Value::Number(0))]).unwrap_err();
//! assert_eq!(mistakes[0].to_string(), "width = 0 is out of range");
//! assert_eq!(mistakes[0].legal(), "a whole number from 1 to 65536 (bits)");
//! # Ok::<(), hdl::Errors>(())
//! ```

mod block;
mod blocks;
mod clocks;
mod float;
mod float_functions;
mod h2m2;
mod h2m2_events;
mod h2m2_migration;
mod lad;
mod memory;
mod oaken_cache;
mod oaken_engines;
mod oaken_mmu;
mod oaken_slices;
mod parameter;
mod registers;
mod sdram;
mod soc;
mod softmax;
mod streams;
#[cfg(test)]
mod tests;
mod vq;
mod vq_matrix;
mod vq_tables;

pub use block::Block;
pub use blocks::blocks;
pub use h2m2::mmu_params;
pub use h2m2_migration::migration_params;
pub use lad::{apid_params, centres_params, lad_scores_params, lad_sums_params, md_params};
pub use memory::{arbiter_axi, mover};
pub use oaken_cache::{cache_board_params, oaken_cache_params};
pub use oaken_engines::engine_params;
pub use oaken_mmu::oaken_mmu_params;
pub use oaken_slices::{framer_params, slice_params};
pub use parameter::{Legal, Mistake, Parameter, Preset, Problem, Value, Values};
pub use registers::RegisterWindow;
pub use sdram::sdram_params;
pub use soc::{board_params, system_params};
pub use softmax::{merge_axi_params, merge_params, softmax_params};
pub use vq::{banked_params, cache_params, tiered_params, unpacker_params};
pub use vq_matrix::matrix_params;
pub use vq_tables::{encoder_params, head_params, scores_params, table_params, tiles_params, values_params};

/// The block of this name.
pub fn block(name: &str) -> Option<&'static Block> {
    blocks().iter().find(|block| block.name == name)
}

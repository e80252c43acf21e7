//! Figures of vector quantization on an FPGA beside those of the paper (docs/vq-figures.md), printed by `cargo run --release -p kvforge-sim --example
//! vq_figures -- FOLDER`.

mod bytes;
mod factors;
mod ladder;
mod lookups;

pub use bytes::{StepBytes, crossover, head_bytes, matrix_bytes};
pub use factors::hot_entries;
pub use ladder::{Ladder, REGISTERS, Shape, ladder, score_split};
pub use lookups::{BURST_WORDS, LANES, TILE, Tile, tiles};

#[cfg(test)]
mod tests;

//! The VQ format (docs/vq-format.md): files of codebooks and indices, and bit-exact models of what the hardware makes of them.
//!
//! - [`Scheme`]: `VQ<vector, bits, residuals>` with the books and scales that go with it; [`Algorithm`]: the named ones
//! - [`VqFile`]: what a file holds, [`VqFile::to_bytes`] and [`VqFile::from_bytes`]
//! - [`mod@decode`]: values from indices, in binary16 and in float64
//! - [`attention`] and [`product`]: scores, values and matrix-vector products, by table and by multiplication
//! - [`mod@encode`]: indices of new keys and values, as the hardware finds them
//! - [`attention_head`]: jobs of the attention head, in a memory
//! - [`e8p`]: the lattice of QuiP#
//! - [`cache`]: what a codebook cache answers
//! - [`tiered`]: what one with a memory tier answers
//! - [`matrix`]: what the matrix-vector unit makes of the words of a bus
//! - [`tables`]: what the units by table make of the words of a bus
//!
//! Section numbers in the comments are those of the format's page.

pub mod attention;
pub mod attention_head;
pub mod cache;
pub mod crc;
pub mod decode;
pub mod e8p;
pub mod encode;
mod error;
mod file;
mod indices;
pub mod matrix;
pub mod product;
mod read;
mod scheme;
pub mod tables;
pub mod tiered;
mod write;

pub use error::{Fault, FormatError};
pub use file::{Book, Part, Rotation, Tensor, TensorKind, VqFile};
pub use indices::{pack_row, unpack_row};
pub use scheme::{Algorithm, Books, Scales, Scheme, SchemeError, inverse_ratio};

/// Bytes at the start of every file.
pub const MAGIC: &[u8; 8] = b"KVFORGVQ";
/// The version that this module reads and writes.
pub const VERSION: u8 = 1;
/// The most rows and columns of a tensor and of a tile.
pub const MAX_SIDE: usize = 1 << 24;
/// The most books of a file.
pub const MAX_BOOKS: usize = 1 << 20;

#[cfg(test)]
mod tests;

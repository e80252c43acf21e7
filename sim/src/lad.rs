//! What LAD attention is worth on a recording: shares, bytes and errors, from the bit-exact model (docs/lad.md).
//!
//! - [`Recorded`]: queries, keys and values of a recording, by layer and head
//! - [`Setup`]: a threshold and a number of intervals; [`measure`] runs all heads with it
//! - [`report`]: tables of the results

mod error;
mod figures;
mod recorded;
pub mod report;

pub use error::LadError;
pub use figures::{AtLength, Figures, Setup, Shared, measure};
pub use recorded::{LayerData, Recorded};

#[cfg(test)]
mod tests;

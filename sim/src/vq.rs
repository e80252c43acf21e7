//! Codebooks from recordings and weights, and what is packed with them (docs/vq-format.md).
//!
//! [`train()`] makes books, [`pack()`] the indices for them, [`Measured`] says what they are worth, [`mod@plan`] which units a task takes,
//! [`run`] simulates the unit that consumes a file. The same input and
//! seed give the same bytes on every machine and with any number of threads: work is cut into pieces whose number does not
//! depend on threads, and sums of pieces are added in their order.

mod access;
mod banks;
mod encoder;
mod error;
pub mod figures;
mod kmeans;
mod lattice;
mod measure;
mod options;
mod pack;
pub mod plan;
mod prepared;
mod random;
mod residual;
mod rotate;
pub mod run;
mod search;
mod source;
mod train;

pub use access::{Access, access};
pub use banks::{Sharing, rate};
pub use error::VqError;
pub use measure::{Measured, measure};
pub use options::TrainOptions;
pub use pack::pack;
pub use source::{Source, kv_sources, weight_sources};
pub use train::{steps_of_part, train};

#[cfg(test)]
mod exactness;
#[cfg(test)]
mod tests;

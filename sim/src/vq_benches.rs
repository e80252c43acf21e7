//! The units of vector quantization with everything around them: random stimuli, stalls, damage, and a check of all that comes out.
//!
//! - [`cache`]: a codebook cache with books that are loaded and indices that are looked up
//! - [`tiered`]: the same with a memory behind it
//! - [`matrix`]: a matrix-vector unit with matrices and vectors
//! - [`table`]: units that work by table with books, rows and queries
//! - [`head`]: an attention head with a memory behind it
//! - [`tiles`]: attention tiles with a memory behind all of their buses
//! - [`command_feed`]: commands for a unit, few of which are queued, and resets in the middle of them

pub mod cache;
pub mod command_feed;
pub mod head;
pub mod matrix;
pub mod table;
pub mod tiered;
pub mod tiles;

//! Bit-exact models of what is between scores and values, and of what makes one result of several (docs/vq-format.md, section 7).
//!
//! - [`mod@softmax`]: weights of the tokens from their scores
//! - [`mod@merge`]: one result of several that attend to parts of the tokens
//! - [`merge_axi`]: jobs of the merging over AXI, in a memory
//!
//! Section numbers in the comments are those of the format's page.

pub mod merge;
pub mod merge_axi;
pub mod softmax;

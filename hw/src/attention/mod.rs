//! Attention around the units that read keys and values: what is between scores and values, and what makes one result of several.

mod exact_sum;
mod largest;
pub mod merge;
pub mod merge_axi;
pub mod softmax;

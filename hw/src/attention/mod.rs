//! Attention around the units that read keys and values: what is between scores and values.

pub mod softmax;

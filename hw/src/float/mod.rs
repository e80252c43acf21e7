//! Arithmetic on narrow and floating point numbers.

pub mod divide15;
pub mod half;
pub mod leading_zeros;
pub mod reciprocal;

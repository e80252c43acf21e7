//! Arithmetic on narrow and floating point numbers.

pub mod add;
pub mod divide15;
pub mod format;
pub mod half;
pub mod leading_zeros;
pub mod logic;
pub mod multiply;
pub mod reciprocal;
pub mod stages;

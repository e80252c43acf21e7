//! Arithmetic on narrow and floating point numbers.

mod accuracy;
pub mod add;
pub mod compare;
pub mod convert;
pub mod divide;
pub mod divide_by_ones;
pub mod dot;
pub mod exponential;
pub mod format;
pub mod half;
pub mod integer;
pub mod leading_zeros;
pub mod logic;
pub mod multiply;
pub mod multiply_add;
mod multiply_add_operands;
mod multiply_add_round;
mod multiply_round;
pub mod operand;
pub mod recip;
pub mod reciprocal;
pub mod round;
pub mod rsqrt;
pub mod segments;
pub mod sqrt;
pub mod stages;
pub mod tree;

//! The reciprocal of a step's mantissa: a table of 128 entries. Combinational.
//!
//! The paper's engine (section 5.2) divides by the range once a vector. Here a step has only seven fraction bits, so its
//! reciprocal is a table: 128 x 10 bits, some 90 LUT4, against 230 for a pipelined divider of that quotient.

use hdl::*;

/// `floor(2^16 / (128 + fraction))` for the 7 bits of `fraction`: 257 to 512, 10 bits.
#[module]
pub fn reciprocal(m: Module, fraction: Signal) -> Signal {
    let table = m.memory(bits(10), 128).style(RamStyle::Registers).init((0..128u32).map(|f| (1 << 16) / (128 + f)));
    table.read(fraction)
}

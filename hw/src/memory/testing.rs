//! What the tests of the burst engines have in common.

use super::axi::AxiParams;
use super::mover::MoverParams;
use sim::burst_bench::{Bus, Piece};
use std::ops::Range;

/// Parameters for beats of so many bytes.
pub fn params(data_bytes: u32, outstanding: u32) -> MoverParams {
    let axi = AxiParams { data_bytes, address_bits: 32, id_bits: 0 };
    MoverParams {
        axi,
        length_bits: 20,
        tag_bits: 8,
        outstanding,
        buffer: 2 * axi.longest_burst(),
        scatter_bits: None,
        aligned: false,
    }
}

/// The bus of these parameters.
pub fn bus(p: MoverParams) -> Bus {
    Bus { beat: p.axi.data_bytes.into(), address_bits: p.axi.address_bits }
}

/// The widths of the bus, in bytes.
pub const WIDTHS: [u32; 5] = [4, 8, 16, 32, 64];

/// Bursts of 1 KiB that fill the 40 cycles of a memory, and one more.
pub fn fewest_outstanding(width: u32) -> u32 {
    40u32.div_ceil(1024 / width) + 1
}

/// Of all requests those of each command: the first ones of the bursts that it needs.
pub fn asked_of_each(p: MoverParams, pieces: &[Piece], asked: &[(u64, u64)]) -> Vec<Range<usize>> {
    let mut next = 0;
    let each = pieces.iter().map(|piece| {
        let first = next;
        next += bus(p).bursts(*piece).iter().zip(&asked[first..]).take_while(|(needed, asked)| needed == asked).count();
        first..next
    });
    let each = each.collect();
    assert_eq!(next, asked.len(), "each request is one of a command");
    each
}

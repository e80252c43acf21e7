//! What the tests of the burst engines have in common.

use super::axi::AxiParams;
use super::mover::MoverParams;
use sim::burst_bench::Bus;

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

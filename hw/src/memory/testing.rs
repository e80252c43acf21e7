//! What the tests of the burst engines have in common.

use super::axi::AxiParams;
use super::mover::MoverParams;
use fastrand::Rng;
use sim::bus::axi4::Request;

/// Parameters for beats of so many bytes.
pub fn params(data_bytes: u32, outstanding: u32) -> MoverParams {
    let axi = AxiParams { data_bytes, address_bits: 32, id_bits: 0 };
    MoverParams { axi, length_bits: 20, tag_bits: 8, outstanding, buffer: 2 * axi.longest_burst() }
}

/// The widths of the bus, in bytes.
pub const WIDTHS: [u32; 5] = [4, 8, 16, 32, 64];

/// The bursts that a command should take: the fewest that are legal.
pub fn fewest(address: u64, bytes: u64, p: MoverParams) -> Vec<(u64, u64)> {
    let beat = u64::from(p.axi.data_bytes);
    let (mut at, end) = (address / beat * beat, (address + bytes).next_multiple_of(beat));
    let mut list = vec![];
    while at < end && bytes > 0 {
        let next = end.min((at / 4096 + 1) * 4096).min(at + 256 * beat);
        list.push((at, (next - at) / beat));
        at = next;
    }
    list
}

/// Address and beats of requests.
pub fn asked(requests: &[(bool, Request)]) -> Vec<(u64, u64)> {
    requests.iter().map(|(_, x)| (x.address, x.beats())).collect()
}

/// An address and a number of bytes, near the ends of pages and beats now and then.
pub fn random_piece(rng: &mut Rng, p: MoverParams, most: u64) -> (u64, u64) {
    let page = rng.u64(0..1 << 16) * 4096;
    let offset = match rng.u32(0..4) {
        0 => 4096 - rng.u64(1..=3 * u64::from(p.axi.data_bytes)),
        1 => rng.u64(0..3 * u64::from(p.axi.data_bytes)),
        2 => rng.u64(0..4096) / 64 * 64,
        _ => rng.u64(0..4096),
    };
    let bytes = match rng.u32(0..5) {
        0 => rng.u64(0..=3 * u64::from(p.axi.data_bytes)),
        1 => (4096 - offset).min(most),
        _ => rng.u64(0..=most),
    };
    (page + offset, bytes)
}

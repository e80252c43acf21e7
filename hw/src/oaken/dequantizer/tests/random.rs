//! Random thresholds and records, all that are legal.

use fastrand::Rng;
use sim::golden::oaken::{self, DenseBits, Header, Record, Side, Step, Thresholds};

/// Thresholds of every size: zeros, subnormal, the largest, equal ones.
pub fn random_thresholds(rng: &mut Rng) -> Thresholds {
    let side = |rng: &mut Rng| {
        let one = |rng: &mut Rng| match rng.u32(0..6) {
            0 => [0, 1, 2, 0x1ff, 0x200, 0x3ff, 0x400, 0x7bff][rng.usize(0..8)],
            1 => rng.u16(0..0x800),
            _ => rng.u16(0..0x7c00),
        };
        let (a, b) = (one(rng), one(rng));
        if rng.u32(0..8) == 0 { (a, a) } else { (a.min(b), a.max(b)) }
    };
    let ((t_low, s_low), (t_high, s_high)) = (side(rng), side(rng));
    Thresholds::from_bits(s_low | 0x8000, t_low | 0x8000, t_high, s_high).expect("legal")
}

/// The least E that section 3 of the format allows beside thresholds with these magnitudes.
pub fn least_e(added: &[u64]) -> u32 {
    added.iter().filter(|t| **t != 0).map(|t| t.ilog2().saturating_sub(6)).fold(1, u32::max)
}

/// Any legal step, often one of the finest (where most bits count) or of the coarsest (where values saturate).
pub fn random_step(rng: &mut Rng, added: &[u64], width: DenseBits) -> Step {
    let (least, most) = (least_e(added), width.max_step_exponent());
    let exponent = match rng.u32(0..8) {
        0 => return Step::ZERO,
        1..=4 => (least + rng.u32(0..4)).min(most),
        5 => most,
        _ => rng.u32(least..=most),
    };
    Step { exponent, fraction: [0, 127, rng.u32(0..128)][rng.usize(0..3)] }
}

pub fn random_header(rng: &mut Rng, t: &Thresholds, width: DenseBits) -> Header {
    let (plus, minus) = (Side::Positive, Side::Negative);
    Header {
        middle: random_step(rng, &[t.t(plus), t.t(minus)], width),
        outer_positive: random_step(rng, &[t.s(plus)], width),
        outer_negative: random_step(rng, &[t.s(minus)], width),
        inner: random_step(rng, &[], width),
        split: rng.u32(0..=width.codes()),
        nonfinite: rng.bool(),
        dense_bits: width,
    }
}

/// A count and that many entries in ascending order.
pub fn random_chunk(rng: &mut Rng, count: usize) -> Vec<u8> {
    let mut positions: Vec<u8> = (0..64).collect();
    rng.shuffle(&mut positions);
    positions.truncate(count);
    positions.sort_unstable();
    let entries = positions.into_iter().map(|position| position | rng.u8(0..4) << 6);
    std::iter::once(count as u8).chain(entries).collect()
}

/// A legal record, whatever encoder might make it.
pub fn random_record(rng: &mut Rng, length: usize, t: &Thresholds, width: DenseBits) -> Record {
    let header = random_header(rng, t, width).to_bits();
    let most = [0, 2, 9, 20, 64][rng.usize(0..5)];
    let mut sparse = header.to_le_bytes().to_vec();
    for _ in 0..length / 64 {
        let count = if rng.u32(0..8) == 0 { 64 } else { rng.usize(0..=most) };
        sparse.extend(random_chunk(rng, count));
    }
    let dense = (0..width.dense_bytes(length)).map(|_| rng.u8(..)).collect();
    Record { header, dense, sparse }
}

pub fn golden(dense: &[u8], sparse: &[u8], length: usize, t: &Thresholds, width: DenseBits) -> Vec<u16> {
    oaken::decode(dense, sparse, length, width, t).unwrap_or_else(|e| panic!("{e}"))
}

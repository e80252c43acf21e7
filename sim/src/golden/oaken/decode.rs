//! The decoder (section 4), which is normative.

use super::dense::{DenseBits, code};
use super::error::FormatError;
use super::header::{Header, Step};
use super::number::{FRACTION_BITS, MAGNITUDE_FRACTION_BITS, Side, round_to_binary16};
use super::sparse::{Outlier, read_entries};
use super::thresholds::Thresholds;
use super::{Group, HEADER_BYTES, is_legal_length};

/// Turns a record of `n` elements back into binary16 bit patterns.
///
/// The record must be legal (section 3) for this width and these thresholds; whatever is wrong is named with its place.
pub fn decode(
    dense: &[u8],
    sparse: &[u8],
    n: usize,
    dense_bits: DenseBits,
    thresholds: &Thresholds,
) -> Result<Vec<u16>, FormatError> {
    if !is_legal_length(n) {
        return Err(FormatError::Length { n });
    }
    if dense.len() != dense_bits.dense_bytes(n) {
        return Err(FormatError::DenseLength { n, dense_bits, found: dense.len() });
    }
    let Some(header_bytes) = sparse.first_chunk::<HEADER_BYTES>() else {
        return Err(FormatError::HeaderCutShort { found: sparse.len() });
    };
    let header = Header::from_bits(u64::from_le_bytes(*header_bytes), dense_bits, thresholds)?;
    let outliers = read_entries(sparse, n)?;

    let element = |i: usize| match outliers[i] {
        Some(outlier) => outlier_value(code(dense, i, dense_bits), outlier, &header, thresholds),
        None => middle_value(code(dense, i, dense_bits), &header, thresholds),
    };
    Ok((0..n).map(element).collect())
}

fn middle_value(code: u32, header: &Header, thresholds: &Thresholds) -> u16 {
    let split = header.split;
    let (side, cell) = if code >= split { (Side::Positive, code - split) } else { (Side::Negative, split - 1 - code) };
    // The level lies in the middle of its cell, and is an odd number of half steps from the threshold.
    let value = fixed_point(thresholds.t(side)) + u128::from(2 * cell + 1) * half_step(header.middle);
    side.apply(round_to_binary16(value))
}

fn outlier_value(code: u32, Outlier { group, side }: Outlier, header: &Header, thresholds: &Thresholds) -> u16 {
    let (threshold, step) = match group {
        Group::Outer => (thresholds.s(side), header.outer(side)),
        _ => (0, header.inner),
    };
    let value = fixed_point(threshold) + u128::from(2 * code) * half_step(step);
    side.apply(round_to_binary16(value))
}

/// A magnitude integer in units of 2^-33.
fn fixed_point(x: u64) -> u128 {
    u128::from(x) << (FRACTION_BITS - MAGNITUDE_FRACTION_BITS)
}

/// Half of a step in units of 2^-33: `m * 2^(E-32) / 2`.
fn half_step(step: Step) -> u128 {
    u128::from(step.mantissa()) << step.exponent
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::oaken::header::least_exponent;

    #[test]
    fn values_need_at_most_42_bits_at_every_width() {
        // Magnitude integers of one bit, of all eleven, and of the two at the ends.
        let thresholds: Vec<u64> =
            (0..30).flat_map(|e| [1024_u64, 1025, 2047].map(|m| m << e)).chain([0, 1, 3, 1023]).collect();
        for dense_bits in DenseBits::ALL {
            let mut most = 0;
            for &threshold in &thresholds {
                for exponent in least_exponent(&[threshold])..=dense_bits.max_step_exponent() {
                    for fraction in [0, 1, 127] {
                        for half_steps in [1, dense_bits.codes() - 1, 2 * dense_bits.codes() - 1] {
                            let half_step = half_step(Step { exponent, fraction });
                            let value = fixed_point(threshold) + u128::from(half_steps) * half_step;
                            most = most.max(value.ilog2() + 1 - value.trailing_zeros());
                        }
                    }
                }
            }
            assert_eq!(most, 42, "{dense_bits} bits");
        }
    }
}

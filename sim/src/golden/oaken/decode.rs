//! The decoder (section 4), which is normative.

use super::error::FormatError;
use super::header::{Header, Step};
use super::number::{FRACTION_BITS, MAGNITUDE_FRACTION_BITS, Side, round_to_binary16};
use super::thresholds::Thresholds;
use super::{CHUNK, Group, HEADER_BYTES, is_legal_length};

/// Turns a record of `n` elements back into binary16 bit patterns.
///
/// The record must be legal (section 3) for these thresholds; whatever is wrong is named with its place.
pub fn decode(dense: &[u8], sparse: &[u8], n: usize, thresholds: &Thresholds) -> Result<Vec<u16>, FormatError> {
    if !is_legal_length(n) {
        return Err(FormatError::Length { n });
    }
    if dense.len() != n / 2 {
        return Err(FormatError::DenseLength { n, found: dense.len() });
    }
    let Some(header_bytes) = sparse.first_chunk::<HEADER_BYTES>() else {
        return Err(FormatError::HeaderCutShort { found: sparse.len() });
    };
    let header = Header::from_bits(u64::from_le_bytes(*header_bytes), thresholds)?;
    let outliers = read_entries(sparse, n)?;

    let code = |i: usize| dense[i / 2] >> (4 * (i % 2)) & 15;
    let element = |i: usize| match outliers[i] {
        Some(outlier) => outlier_value(code(i), outlier, &header, thresholds),
        None => middle_value(code(i), &header, thresholds),
    };
    Ok((0..n).map(element).collect())
}

/// What an entry byte says of its element.
#[derive(Clone, Copy)]
struct Outlier {
    group: Group,
    side: Side,
}

/// Reads count and entry bytes: for every element its outlier, if it is one.
fn read_entries(sparse: &[u8], n: usize) -> Result<Vec<Option<Outlier>>, FormatError> {
    let chunks = n / CHUNK;
    let mut outliers = vec![None; n];
    let mut offset = HEADER_BYTES;
    for chunk in 0..chunks {
        let Some(&count) = sparse.get(offset) else {
            return Err(FormatError::CountMissing { offset, chunk, chunks });
        };
        if usize::from(count) > CHUNK {
            return Err(FormatError::Count { offset, chunk, found: count });
        }
        let first = offset + 1;
        let count = usize::from(count);
        let Some(entries) = sparse.get(first..first + count) else {
            return Err(FormatError::EntriesCutShort { offset, chunk, count, found: sparse.len() - first });
        };
        let mut previous = None;
        for (i, &entry) in entries.iter().enumerate() {
            let position = entry & 63;
            if let Some(previous) = previous.filter(|&previous| previous >= position) {
                return Err(FormatError::EntryOrder { offset: first + i, chunk, found: position, previous });
            }
            previous = Some(position);
            let group = if entry >> 6 & 1 == 1 { Group::Outer } else { Group::Inner };
            let side = if entry >> 7 == 1 { Side::Negative } else { Side::Positive };
            outliers[chunk * CHUNK + usize::from(position)] = Some(Outlier { group, side });
        }
        offset = first + count;
    }
    match sparse.len() - offset {
        0 => Ok(outliers),
        extra => Err(FormatError::TrailingBytes { offset, extra }),
    }
}

fn middle_value(code: u8, header: &Header, thresholds: &Thresholds) -> u16 {
    let (code, split) = (u32::from(code), header.split);
    let (side, cell) = if code >= split { (Side::Positive, code - split) } else { (Side::Negative, split - 1 - code) };
    // The level lies in the middle of its cell, and is an odd number of half steps from the threshold.
    let value = fixed_point(thresholds.t(side)) + u128::from(2 * cell + 1) * half_step(header.middle);
    side.apply(round_to_binary16(value))
}

fn outlier_value(code: u8, Outlier { group, side }: Outlier, header: &Header, thresholds: &Thresholds) -> u16 {
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

mod properties;
mod slices;
mod widths;

use super::encode::encode;
use super::*;
use half::f16;

const FOUR: DenseBits = DenseBits::PAPER;

fn usual() -> Thresholds {
    Thresholds::from_f32(-2.0, -0.125, 0.25, 3.0).unwrap()
}

fn bits(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

/// Encodes and decodes; the record must be legal.
fn round_trip(vector: &[u16], dense_bits: DenseBits, thresholds: &Thresholds) -> (Record, Header, Vec<u16>) {
    let record = encode(vector, dense_bits, thresholds);
    let header = Header::from_bits(record.header, dense_bits, thresholds).expect("a legal header");
    assert_eq!(record.sparse[..8], record.header.to_le_bytes(), "the sparse part begins with the header");
    let decoded = decode(&record.dense, &record.sparse, vector.len(), dense_bits, thresholds).expect("a legal record");
    (record, header, decoded)
}

#[test]
fn a_record_by_hand() {
    // T = 0.25 / 0.125, S = 3 / 2. Middle: 2.25 (range 2) and -1.125 (range 1): step 3/16 = 1.5 * 2^-3, E = 22, F = 64.
    // Split: 1 / (3/16) = 5.33 -> 5. Outer: 6 (range 3), step 3/15 up to 7 bits: 0.2 * 2^3 = 1.6 -> F = 77, E = 22.
    // Inner: -0.125, step 0.125/15 up: 0.00833 * 2^7 = 1.0667 -> F = 9, E = 18.
    let mut vector = vec![bits(2.25); 64];
    vector[1] = bits(-1.125);
    vector[2] = bits(6.0);
    vector[63] = bits(-0.125);
    let (record, header, decoded) = round_trip(&vector, FOUR, &usual());
    let expected = Header {
        middle: Step { exponent: 22, fraction: 64 },
        outer_positive: Step { exponent: 22, fraction: 77 },
        outer_negative: Step::ZERO,
        inner: Step { exponent: 18, fraction: 9 },
        split: 5,
        nonfinite: false,
        dense_bits: FOUR,
    };
    assert_eq!(header, expected);
    // 2.25 is 10.67 steps above T, in the last cell, code 15; -1.125 is in the fifth cell, code 0.
    assert_eq!(record.dense[0], 0x0f);
    // 3 / step = 14.98 -> 15.
    assert_eq!(record.dense[1], 0xff);
    assert_eq!(record.sparse[8..], [2, 0x42, 0xbf]);
    assert_eq!(decoded[0], bits(0.25 + 10.5 * 0.1875));
    assert_eq!(decoded[1], bits(-(0.125 + 4.5 * 0.1875)));
    assert_eq!(decoded[2], bits(3.0 + 15.0 * 205.0 / 1024.0));
    assert_eq!(decoded[63], bits(-15.0 * 137.0 / 16384.0));
}

#[test]
fn equality_with_s_is_middle_and_with_t_inner() {
    let group = |value| Group::of(bits(value), &usual());
    assert_eq!([group(3.0), group(-2.0)], [Group::Middle; 2]);
    assert_eq!([group(0.25), group(-0.125), group(0.0), group(-0.0)], [Group::Inner; 4]);
    assert_eq!(Group::of(0x4201, &usual()), Group::Outer);
    assert_eq!(Group::of(0x3401, &usual()), Group::Middle);
    assert_eq!([Group::of(0x7c00, &usual()), Group::of(0x7e00, &usual())], [Group::Outer, Group::Inner]);
}

#[test]
fn nonfinite_elements_saturate_and_are_flagged() {
    let mut vector = vec![bits(1.0); 64];
    vector[..3].copy_from_slice(&[0x7c00, 0xfc00, 0xfe01]);
    let (_, header, decoded) = round_trip(&vector, FOUR, &usual());
    assert!(header.nonfinite);
    // The outer step covers 65504 and may be a little longer, but nothing comes back beyond it.
    assert_eq!(decoded[..3], [0x7bff, 0xfbff, 0x0000]);
}

#[test]
fn zeros_keep_their_sign() {
    let vector: Vec<u16> = (0..64).map(|i| (i & 1) << 15).collect();
    assert_eq!(round_trip(&vector, FOUR, &usual()).2, vector);
}

/// Elements of which exactly 4 % are outer and 6 % inner, spread over the vector.
fn with_paper_shares(n: usize) -> Vec<u16> {
    let (outer, inner) = ((0.04 * n as f64).round() as usize, (0.06 * n as f64).round() as usize);
    let mut vector = vec![bits(1.0); n];
    // 7 and a multiple of 64 have no common divisor.
    for i in 0..outer + inner {
        vector[i * 7 % n] = if i < outer { bits(5.0) } else { bits(0.1) };
    }
    assert_eq!(GroupCounts::of(&vector, &usual()), GroupCounts { outer, inner, middle: n - outer - inner });
    vector
}

#[test]
fn effective_bits_at_the_papers_shares() {
    let bits = |n| encode(&with_paper_shares(n), FOUR, &usual()).effective_bits();
    assert!(bits(4096) <= 4.95, "{}", bits(4096));
    assert!(bits(384) <= 5.1, "{}", bits(384));
    // Every stored bit is counted: header, counts, entries.
    assert_eq!(bits(384), 4.0 + (64.0 + 6.0 * 8.0 + 38.0 * 8.0) / 384.0);
}

#[test]
#[should_panic(expected = "65 elements: not a multiple of 64 from 64 to 8192")]
fn encoding_an_illegal_length_panics() {
    encode(&[0; 65], FOUR, &usual());
}

/// Every way to break section 3, with its message.
#[test]
fn illegal_records_are_refused_with_their_place() {
    let message =
        |n, dense: usize, sparse: &[u8]| decode(&vec![0; dense], sparse, n, FOUR, &usual()).unwrap_err().to_string();
    let rest = |header: u64, rest: &[u8]| [&header.to_le_bytes()[..], rest].concat();
    let cases = [
        (message(96, 48, &[]), "a vector of 96 elements: legal is a multiple of 64 from 64 to 8192"),
        (message(8256, 4128, &[]), "a vector of 8256 elements: legal is a multiple of 64 from 64 to 8192"),
        (message(64, 33, &[]), "the dense part has 33 bytes: a vector of 64 elements has 32 at 4 bits"),
        (message(64, 32, &[0; 5]), "the sparse part has 5 bytes and ends inside the header, which has 8"),
        (message(128, 64, &rest(0, &[1, 9])), "the sparse part ends at byte 10, before the count of chunk 1 of 2"),
        (
            message(128, 64, &rest(0, &[0, 3, 1, 2])),
            "the sparse part ends after 2 of the 3 entries of chunk 1, whose count is at byte 9",
        ),
        (message(64, 32, &rest(0, &[0, 7, 7])), "2 bytes too many in the sparse part: the last chunk ends at byte 9"),
        (message(64, 32, &rest(1 << 63, &[0])), "header bit 63 is set: it must be zero"),
        (message(64, 32, &rest(1 << 60, &[0])), "the header (bits 62:60) says codes of 5 bits: they should have 4"),
        (
            message(64, 32, &rest(3 << 39, &[0])),
            "the step of the inner group (bits 51:39) has E = 0 and F = 3: with E = 0, F must be 0",
        ),
        (
            message(64, 32, &rest(63 << 33, &[0])),
            "the negative step of the outer group (bits 38:26) has E = 63: at most 38 is legal at 4 bits",
        ),
        (
            // S_high = 3 is between 2^25 and 2^26 units of 2^-24.
            message(64, 32, &rest(18 << 20, &[0])),
            "the positive step of the outer group (bits 25:13) has E = 18, too fine beside its threshold: \
             0 or 19 to 38 is legal",
        ),
        (
            message(64, 32, &rest(15 << 7, &[0])),
            "the step of the middle group (bits 12:0) has E = 15, too fine beside its threshold: 0 or 16 to 38 is legal",
        ),
        (
            message(64, 32, &rest(31 << 52, &[0])),
            "split (header bits 59:58 and 56:52) is 31: at most 16 is legal at 4 bits",
        ),
        (
            message(64, 32, &rest(1 << 58, &[0])),
            "split (header bits 59:58 and 56:52) is 32: at most 16 is legal at 4 bits",
        ),
        (message(128, 64, &rest(0, &[0, 65])), "the count of chunk 1 at byte 9 is 65: at most 64 is legal"),
        (
            message(128, 64, &rest(0, &[0, 2, 0x47, 0x87])),
            "the entry at byte 11 in chunk 1 has position 7 after 7: positions must ascend",
        ),
    ];
    for (found, expected) in cases {
        assert_eq!(found, expected);
    }
}

use proptest::prelude::*;

use super::encode::encode;
use super::*;
use half::f16;

fn usual() -> Thresholds {
    Thresholds::from_f32(-2.0, -0.125, 0.25, 3.0).unwrap()
}

fn bits(value: f32) -> u16 {
    f16::from_f32(value).to_bits()
}

/// Encodes and decodes; the record must be legal.
fn round_trip(vector: &[u16], thresholds: &Thresholds) -> (Record, Header, Vec<u16>) {
    let record = encode(vector, thresholds);
    let header = Header::from_bits(record.header, thresholds).expect("a legal header");
    assert_eq!(record.sparse[..8], record.header.to_le_bytes(), "the sparse part begins with the header");
    let decoded = decode(&record.dense, &record.sparse, vector.len(), thresholds).expect("a legal record");
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
    let (record, header, decoded) = round_trip(&vector, &usual());
    let expected = Header {
        middle: Step { exponent: 22, fraction: 64 },
        outer_positive: Step { exponent: 22, fraction: 77 },
        outer_negative: Step::ZERO,
        inner: Step { exponent: 18, fraction: 9 },
        split: 5,
        nonfinite: false,
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
    let (_, header, decoded) = round_trip(&vector, &usual());
    assert!(header.nonfinite);
    // The outer step covers 65504 and may be a little longer, but nothing comes back beyond it.
    assert_eq!(decoded[..3], [0x7bff, 0xfbff, 0x0000]);
}

#[test]
fn zeros_keep_their_sign() {
    let vector: Vec<u16> = (0..64).map(|i| (i & 1) << 15).collect();
    assert_eq!(round_trip(&vector, &usual()).2, vector);
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
    let bits = |n| encode(&with_paper_shares(n), &usual()).effective_bits();
    assert!(bits(4096) <= 4.95, "{}", bits(4096));
    assert!(bits(384) <= 5.1, "{}", bits(384));
    // Every stored bit is counted: header, counts, entries.
    assert_eq!(bits(384), 4.0 + (64.0 + 6.0 * 8.0 + 38.0 * 8.0) / 384.0);
}

#[test]
#[should_panic(expected = "65 elements: not a multiple of 64 from 64 to 8192")]
fn encoding_an_illegal_length_panics() {
    encode(&[0; 65], &usual());
}

/// Every way to break section 3, with its message.
#[test]
fn illegal_records_are_refused_with_their_place() {
    let message =
        |n, dense: usize, sparse: &[u8]| decode(&vec![0; dense], sparse, n, &usual()).unwrap_err().to_string();
    let rest = |header: u64, rest: &[u8]| [&header.to_le_bytes()[..], rest].concat();
    let cases = [
        (message(96, 48, &[]), "a vector of 96 elements: legal is a multiple of 64 from 64 to 8192"),
        (message(8256, 4128, &[]), "a vector of 8256 elements: legal is a multiple of 64 from 64 to 8192"),
        (message(64, 33, &[]), "the dense part has 33 bytes: a vector of 64 elements has 32"),
        (message(64, 32, &[0; 5]), "the sparse part has 5 bytes and ends inside the header, which has 8"),
        (message(128, 64, &rest(0, &[1, 9])), "the sparse part ends at byte 10, before the count of chunk 1 of 2"),
        (
            message(128, 64, &rest(0, &[0, 3, 1, 2])),
            "the sparse part ends after 2 of the 3 entries of chunk 1, whose count is at byte 9",
        ),
        (message(64, 32, &rest(0, &[0, 7, 7])), "2 bytes too many in the sparse part: the last chunk ends at byte 9"),
        (message(64, 32, &rest(1 << 63, &[0])), "header bits 63:58 are 0x20: they must be zero"),
        (
            message(64, 32, &rest(3 << 39, &[0])),
            "the step of the inner group (bits 51:39) has E = 0 and F = 3: with E = 0, F must be 0",
        ),
        (
            message(64, 32, &rest(63 << 33, &[0])),
            "the negative step of the outer group (bits 38:26) has E = 63: at most 38 is legal",
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
        (message(64, 32, &rest(31 << 52, &[0])), "split (header bits 56:52) is 31: at most 16 is legal"),
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

/// Any element: often finite and of a usual size, sometimes any pattern at all.
fn any_element() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => (-4.0_f32..4.0).prop_map(bits),
        2 => any::<u16>(),
        1 => (0_u16..64, any::<bool>()).prop_map(|(b, negative)| b | u16::from(negative) << 15),
    ]
}

fn any_vector() -> impl Strategy<Value = Vec<u16>> {
    (1_usize..=4).prop_flat_map(|chunks| proptest::collection::vec(any_element(), 64 * chunks))
}

/// Any legal thresholds; neighbours are often equal or close.
fn any_thresholds() -> impl Strategy<Value = Thresholds> {
    let side = || {
        prop_oneof![
            (0_u16..0x7c00, 0_u16..0x7c00),
            (0_u16..0x4400, 0_u16..4).prop_map(|(a, more)| (a, a + more)),
            (0_u16..16, 0_u16..0x7c00),
            Just((0, 0)),
        ]
    };
    (side(), side()).prop_map(|((a, b), (c, d))| {
        Thresholds::from_bits(a.max(b) | 0x8000, a.min(b) | 0x8000, c.min(d), c.max(d)).expect("legal by construction")
    })
}

/// The largest error that the steps allow, in units of 2^-24, without the last rounding to binary16.
///
/// In 32nds of a step, the two floors of step 6 are off by less than one each way, and the 10-bit reciprocal by less
/// than one part in 257. Outer and inner codes are rounded from that. Middle cells may in addition be short by one
/// cell on the side that split took it from.
fn error_bound(group: Group, step: Step, x: u64) -> f64 {
    let step = step.to_f64() * 2f64.powi(24);
    let reciprocal = match group {
        // The threshold's own 32nds have the same relative error, so only the distance counts.
        Group::Inner => x as f64 / 257.0,
        _ => 16.0 * step / 257.0,
    };
    let cells = if group == Group::Middle { 1.5 } else { 0.5 };
    (cells + 1.0 / 32.0) * step + reciprocal
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x0a4e),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_record_is_legal_and_no_value_changes_its_side(vector in any_vector(), thresholds in any_thresholds()) {
        let (record, header, decoded) = round_trip(&vector, &thresholds);
        let counts = GroupCounts::of(&vector, &thresholds);
        prop_assert_eq!(record.dense.len(), vector.len() / 2);
        prop_assert_eq!(record.sparse.len(), 8 + vector.len() / 64 + counts.outer + counts.inner);
        prop_assert_eq!(header.nonfinite, vector.iter().any(|&x| !f16::from_bits(x).is_finite()));
        for (&x, &y) in vector.iter().zip(&decoded) {
            let x = f16::from_bits(x);
            let negative = x.is_sign_negative() && !x.is_nan();
            prop_assert!(f16::from_bits(y).is_finite());
            prop_assert_eq!(f16::from_bits(y).is_sign_negative(), negative, "{} became {}", x, f16::from_bits(y));
        }
    }

    #[test]
    fn errors_stay_within_what_the_steps_allow(vector in any_vector(), thresholds in any_thresholds()) {
        let (_, header, decoded) = round_trip(&vector, &thresholds);
        for (&x, &y) in vector.iter().zip(&decoded) {
            let (x, _) = number::make_finite(x);
            let group = Group::of(x, &thresholds);
            let step = match group {
                Group::Outer => header.outer(Side::of(x)),
                Group::Middle => header.middle,
                Group::Inner => header.inner,
            };
            let error = (magnitude(x) as f64 - magnitude(y) as f64).abs();
            // Rounding to binary16: half of a unit in the last place of the result, or of 2^-24.
            let ulp = 2f64.powi((magnitude(y).max(1).ilog2() as i32 - 10).max(0));
            let bound = error_bound(group, step, magnitude(x)) + 0.5 * ulp;
            prop_assert!(error <= bound, "{:?}: {:#06x} became {:#06x}, {} > {}", group, x, y, error, bound);
        }
    }

    #[test]
    fn an_illegal_or_a_legal_record_never_panics(
        dense in proptest::collection::vec(any::<u8>(), 32),
        sparse in proptest::collection::vec(any::<u8>(), 0..80),
        thresholds in any_thresholds(),
    ) {
        // Random headers are mostly illegal; a zero one lets the entries be reached.
        let _ = decode(&dense, &sparse, 64, &thresholds);
        let reached = [&[0; 8], &sparse[..]].concat();
        if let Ok(decoded) = decode(&dense, &reached, 64, &thresholds) {
            prop_assert_eq!(usize::from(sparse[0]) + 1, sparse.len());
            prop_assert_eq!(decoded.len(), 64);
        }
    }

    #[test]
    fn float64_decodes_a_legal_record_alike(vector in any_vector(), thresholds in any_thresholds()) {
        // The format's page promises that float64 and one conversion are enough.
        let (record, header, decoded) = round_trip(&vector, &thresholds);
        let [s_low, t_low, t_high, s_high] = thresholds.values().map(|t| f64::from(t.abs()));
        for (i, (&x, &y)) in vector.iter().zip(&decoded).enumerate() {
            let code = f64::from(record.dense[i / 2] >> (4 * (i % 2)) & 15);
            let split = f64::from(header.split);
            let (x, _) = number::make_finite(x);
            let value = match (Group::of(x, &thresholds), Side::of(x)) {
                (Group::Outer, Side::Positive) => s_high + code * header.outer_positive.to_f64(),
                (Group::Outer, Side::Negative) => s_low + code * header.outer_negative.to_f64(),
                (Group::Inner, _) => code * header.inner.to_f64(),
                (Group::Middle, Side::Positive) => t_high + (code - split + 0.5) * header.middle.to_f64(),
                (Group::Middle, Side::Negative) => t_low + (split - 1.0 - code + 0.5) * header.middle.to_f64(),
            };
            prop_assert_eq!(y & 0x7fff, crate::binary16::from_f64(value.min(65504.0)).to_bits());
        }
    }
}

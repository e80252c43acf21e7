//! What holds for every vector, width and thresholds.

use proptest::prelude::*;

use super::*;

/// Any element: often finite and of a usual size, sometimes any pattern at all.
fn any_element() -> impl Strategy<Value = u16> {
    prop_oneof![
        4 => (-4.0_f32..4.0).prop_map(bits),
        2 => any::<u16>(),
        1 => (0_u16..64, any::<bool>()).prop_map(|(b, negative)| b | u16::from(negative) << 15),
    ]
}

pub fn any_vector() -> impl Strategy<Value = Vec<u16>> {
    (1_usize..=4).prop_flat_map(|chunks| proptest::collection::vec(any_element(), 64 * chunks))
}

/// Any legal thresholds; neighbours are often equal or close.
pub fn any_thresholds() -> impl Strategy<Value = Thresholds> {
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

pub fn any_width() -> impl Strategy<Value = DenseBits> {
    proptest::sample::select(&DenseBits::ALL[..])
}

/// Any legal header, with the width and the thresholds that it is legal for.
fn any_header() -> impl Strategy<Value = (DenseBits, Thresholds, Header)> {
    let seeds = (proptest::array::uniform4((any::<u32>(), 0_u32..128)), any::<u32>());
    (any_width(), any_thresholds(), seeds).prop_map(|(dense_bits, thresholds, (steps, split))| {
        let step = |name, (seed, fraction): (u32, u32)| {
            let least = header::least_exponent(&header::added_thresholds(name, &thresholds));
            // Often one of the finest, where most bits count; now and then the step 0.
            match seed % 8 {
                0 => Step::ZERO,
                1..5 => Step { exponent: (least + seed / 8 % 4).min(dense_bits.max_step_exponent()), fraction },
                _ => Step { exponent: least + seed / 8 % (dense_bits.max_step_exponent() - least + 1), fraction },
            }
        };
        let header = Header {
            middle: step(StepName::Middle, steps[0]),
            outer_positive: step(StepName::OuterPositive, steps[1]),
            outer_negative: step(StepName::OuterNegative, steps[2]),
            inner: step(StepName::Inner, steps[3]),
            split: split % (dense_bits.codes() + 1),
            nonfinite: split & 1 << 20 != 0,
            dense_bits,
        };
        (dense_bits, thresholds, header)
    })
}

/// The largest error that the steps allow, in units of 2^-24, without the last rounding to binary16.
///
/// In 32nds of a step, the two floors of step 6 are off by less than one each way, and the 10-bit reciprocal by less
/// than one part in 257. Outer and inner codes are rounded from that. Middle cells may in addition be short by one
/// cell on the side that split took it from.
fn error_bound(group: Group, dense_bits: DenseBits, step: Step, x: u64) -> f64 {
    let step = step.to_f64() * 2f64.powi(24);
    let reciprocal = match group {
        // The threshold's own 32nds have the same relative error, so only the distance counts.
        Group::Inner => x as f64 / 257.0,
        _ => f64::from(dense_bits.codes()) * step / 257.0,
    };
    let cells = if group == Group::Middle { 1.5 } else { 0.5 };
    (cells + 1.0 / 32.0) * step + reciprocal
}

/// The code of an element, bit by bit.
fn code_of(dense: &[u8], element: usize, dense_bits: DenseBits) -> u32 {
    let width = dense_bits.get() as usize;
    let bit = |i: usize| u32::from(dense[i / 8] >> (i % 8) & 1);
    (0..width).map(|i| bit(element * width + i) << i).sum()
}

/// The magnitude that section 4 gives, before its rounding: the format's page promises that float64 is enough.
fn in_float64((group, side): (Group, Side), code: u32, header: &Header, thresholds: &Thresholds) -> f64 {
    let [s_low, t_low, t_high, s_high] = thresholds.values().map(|t| f64::from(t.abs()));
    let (code, split) = (f64::from(code), f64::from(header.split));
    let value = match (group, side) {
        (Group::Outer, Side::Positive) => s_high + code * header.outer_positive.to_f64(),
        (Group::Outer, Side::Negative) => s_low + code * header.outer_negative.to_f64(),
        (Group::Inner, _) => code * header.inner.to_f64(),
        (Group::Middle, Side::Positive) => t_high + (code - split + 0.5) * header.middle.to_f64(),
        (Group::Middle, Side::Negative) => t_low + (split - 1.0 - code + 0.5) * header.middle.to_f64(),
    };
    value.min(65504.0)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 3000,
        rng_seed: proptest::test_runner::RngSeed::Fixed(0x0a4e),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn every_record_is_legal_and_no_value_changes_its_side(
        vector in any_vector(),
        dense_bits in any_width(),
        thresholds in any_thresholds(),
    ) {
        let (record, header, decoded) = round_trip(&vector, dense_bits, &thresholds);
        let counts = GroupCounts::of(&vector, &thresholds);
        prop_assert_eq!(record.dense.len(), vector.len() * dense_bits.get() as usize / 8);
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
    fn errors_stay_within_what_the_steps_allow(
        vector in any_vector(),
        dense_bits in any_width(),
        thresholds in any_thresholds(),
    ) {
        let (_, header, decoded) = round_trip(&vector, dense_bits, &thresholds);
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
            let bound = error_bound(group, dense_bits, step, magnitude(x)) + 0.5 * ulp;
            prop_assert!(error <= bound, "{:?}: {:#06x} became {:#06x}, {} > {}", group, x, y, error, bound);
        }
    }

    #[test]
    fn an_illegal_or_a_legal_record_never_panics(
        dense in proptest::collection::vec(any::<u8>(), 48),
        sparse in proptest::collection::vec(any::<u8>(), 0..80),
        dense_bits in any_width(),
        thresholds in any_thresholds(),
    ) {
        let dense = &dense[..dense_bits.dense_bytes(64)];
        // Random headers are mostly illegal; a zero one lets the entries be reached.
        let _ = decode(dense, &sparse, 64, dense_bits, &thresholds);
        let zero = Header { dense_bits, ..Header::default() };
        let reached = [&zero.to_bits().to_le_bytes(), &sparse[..]].concat();
        if let Ok(decoded) = decode(dense, &reached, 64, dense_bits, &thresholds) {
            prop_assert_eq!(usize::from(sparse[0]) + 1, sparse.len());
            prop_assert_eq!(decoded.len(), 64);
        }
    }

    #[test]
    fn float64_decodes_what_was_encoded_alike(
        vector in any_vector(),
        dense_bits in any_width(),
        thresholds in any_thresholds(),
    ) {
        let (record, header, decoded) = round_trip(&vector, dense_bits, &thresholds);
        for (i, (&x, &y)) in vector.iter().zip(&decoded).enumerate() {
            let (x, _) = number::make_finite(x);
            let group = (Group::of(x, &thresholds), Side::of(x));
            let value = in_float64(group, code_of(&record.dense, i, dense_bits), &header, &thresholds);
            prop_assert_eq!(y & 0x7fff, crate::binary16::from_f64(value).to_bits());
        }
    }

    #[test]
    fn float64_decodes_every_legal_record_alike(
        dense in proptest::collection::vec(any::<u8>(), 48),
        (dense_bits, thresholds, header) in any_header(),
    ) {
        // Entries of all four kinds, then elements of the middle group.
        let dense = &dense[..dense_bits.dense_bytes(64)];
        let entries = (0..32_u8).map(|i| i | (i & 3) << 6);
        let sparse: Vec<u8> = header.to_bits().to_le_bytes().into_iter().chain([32]).chain(entries).collect();
        let decoded = decode(dense, &sparse, 64, dense_bits, &thresholds);
        let decoded = decoded.map_err(|error| TestCaseError::fail(error.to_string()))?;
        for (i, &y) in decoded.iter().enumerate() {
            let code = code_of(dense, i, dense_bits);
            let (group, side) = match i {
                0..32 => (
                    if i & 1 == 1 { Group::Outer } else { Group::Inner },
                    if i & 2 == 2 { Side::Negative } else { Side::Positive },
                ),
                _ => (Group::Middle, if code >= header.split { Side::Positive } else { Side::Negative }),
            };
            let value = crate::binary16::from_f64(in_float64((group, side), code, &header, &thresholds));
            prop_assert_eq!((y & 0x7fff, Side::of(y)), (value.to_bits(), side));
        }
    }
}

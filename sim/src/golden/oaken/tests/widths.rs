//! What depends on the width of dense codes.

use super::*;

fn width(bits: u32) -> DenseBits {
    DenseBits::new(bits).unwrap()
}

#[test]
fn a_record_of_six_bits_by_hand() {
    // The vector of `a_record_by_hand`. Middle: range 3 in 64 cells, 3/64 = 1.5 * 2^-5, E = 20; split: 1 / (3/64) =
    // 21.33 -> 21. Outer: 3/63 up to 7 bits, 0.047619 * 2^5 = 1.5238 -> F = 68, E = 20. Inner: 0.125/63 = 0.0019841,
    // * 2^9 = 1.01587 -> F = 3, E = 16.
    let mut vector = vec![bits(2.25); 64];
    vector[1] = bits(-1.125);
    vector[2] = bits(6.0);
    vector[63] = bits(-0.125);
    let (record, header, decoded) = round_trip(&vector, width(6), &usual());
    let expected = Header {
        middle: Step { exponent: 20, fraction: 64 },
        outer_positive: Step { exponent: 20, fraction: 68 },
        outer_negative: Step::ZERO,
        inner: Step { exponent: 16, fraction: 3 },
        split: 21,
        nonfinite: false,
        dense_bits: width(6),
    };
    assert_eq!(header, expected);
    // Bits 62:60 are 6 xor 4, split's low five bits are 21.
    assert_eq!(record.header >> 52, 2 << 8 | 21);
    // Codes 63 (the last cell), 0 (the 21st cell of the other side), 63 and 63, from the low bits on.
    assert_eq!(record.dense[..3], [0x3f, 0xf0, 0xff]);
    assert_eq!(record.dense.len(), 48);
    assert_eq!(record.sparse[8..], [2, 0x42, 0xbf]);
    assert_eq!(decoded[0], bits(0.25 + 42.5 * 0.046875));
    assert_eq!(decoded[1], bits(-(0.125 + 20.5 * 0.046875)));
    assert_eq!(decoded[2], bits(3.0 + 63.0 * 196.0 / 4096.0));
    assert_eq!(decoded[63], bits(-63.0 * 131.0 / 65536.0));
}

#[test]
fn all_bits_of_split_and_width_have_their_place() {
    let split_64 = Header { split: 64, dense_bits: width(6), ..Header::default() };
    assert_eq!(split_64.to_bits(), 1 << 59 | 2 << 60);
    assert_eq!(Header::from_bits(split_64.to_bits(), width(6), &usual()), Ok(split_64));
    let widths = [3, 4, 5, 6].map(|b| Header { dense_bits: width(b), ..Header::default() }.to_bits() >> 60);
    assert_eq!(widths, [7, 0, 1, 2]);
}

#[test]
fn what_is_legal_depends_on_the_width() {
    let message = |bits: u32, header: u64| {
        let dense = vec![0; 8 * bits as usize];
        let sparse = [&header.to_le_bytes()[..], &[0]].concat();
        decode(&dense, &sparse, 64, width(bits), &usual()).map_err(|error| error.to_string())
    };
    let says =
        |found, bits| Err(format!("the header (bits 62:60) says codes of {found} bits: they should have {bits}"));
    for (bits, field) in [(3, 7_u64), (4, 0), (5, 1), (6, 2)] {
        for other in 0..8 {
            let found = message(bits, other << 60).map(|_| ());
            assert_eq!(found, if other == field { Ok(()) } else { says(other as u32 ^ 4, bits) });
        }
        let header = field << 60;
        let coarsest = u64::from(42 - bits);
        assert!(message(bits, header | coarsest << 46).is_ok());
        assert_eq!(
            message(bits, header | (coarsest + 1) << 46).unwrap_err(),
            format!(
                "the step of the inner group (bits 51:39) has E = {}: at most {coarsest} is legal at {bits} bits",
                coarsest + 1
            )
        );
        let split = |split: u64| message(bits, header | (split & 31) << 52 | split >> 5 << 58);
        assert!(split(1 << bits).is_ok());
        assert_eq!(
            split((1 << bits) + 1).unwrap_err(),
            format!(
                "split (header bits 59:58 and 56:52) is {}: at most {} is legal at {bits} bits",
                (1 << bits) + 1,
                1 << bits
            )
        );
    }
}

#[test]
fn the_coarsest_steps_cover_the_widest_ranges() {
    let zero = Thresholds::from_f32(0.0, 0.0, 0.0, 0.0).unwrap();
    let all_middle = Thresholds::from_f32(-65504.0, 0.0, 0.0, 65504.0).unwrap();
    let all_inner = Thresholds::from_f32(-65504.0, -65504.0, 65504.0, 65504.0).unwrap();
    let vector: Vec<u16> = (0..64).map(|i| bits((i as f32 - 31.5) * 65504.0 / 31.5)).collect();
    for dense_bits in DenseBits::ALL {
        let (_, header, decoded) = round_trip(&vector, dense_bits, &all_middle);
        assert_eq!(header.middle, Step { exponent: 42 - dense_bits.get(), fraction: 0 });
        assert_eq!(header.split, dense_bits.codes() / 2);
        // The last level is half a cell below the end.
        let cell = 131072.0 / f64::from(dense_bits.codes());
        assert_eq!(f16::from_bits(decoded[63]).to_f64(), 65536.0 - cell / 2.0);
        for thresholds in [zero, all_inner] {
            let (_, _, decoded) = round_trip(&vector, dense_bits, &thresholds);
            assert_eq!([decoded[0], decoded[63]], [0xfbff, 0x7bff], "{dense_bits} bits");
        }
    }
}

#[test]
fn a_bit_more_is_six_decibels_more() {
    let vector: Vec<u16> = (0..512_u32).map(|i| bits((i * 389 % 512) as f32 / 128.0 - 2.0)).collect();
    let thresholds = Thresholds::from_f32(-1.9, -0.1, 0.1, 1.9).unwrap();
    let db = DenseBits::ALL
        .map(|dense_bits| crate::golden::quality::measure([&vector[..]], dense_bits, &thresholds).codec_db);
    for pair in db.windows(2) {
        assert!((5.3..6.6).contains(&(pair[1] - pair[0])), "{db:?}");
    }
}

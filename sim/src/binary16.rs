//! Exact conversion from float64 to binary16.

use half::f16;

/// Rounds once, to nearest, ties to even; beyond 65520 to infinity.
///
/// `f16::from_f64` of the crate `half` does not: without hardware help it drops the lowest 32 bits first, and with it
/// the number is rounded to float32 in between, so ties are broken wrongly, and not the same on every machine.
pub(crate) fn from_f64(value: f64) -> f16 {
    f16::from_f32(round_to_odd(value))
}

/// The float32 that rounds to the same binary16: cut off, with the last bit set if anything was lost.
fn round_to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let (nearest_exact, bits) = (f64::from(nearest), nearest.to_bits());
    if nearest_exact == value || !nearest.is_finite() {
        return nearest;
    }
    let cut = if nearest_exact.abs() > value.abs() { bits - 1 } else { bits };
    f32::from_bits(cut | 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_binary16_its_ties_and_their_neighbours_are_rounded_right() {
        for bits in 0..0x7bff_u16 {
            let (low, high) = (f16::from_bits(bits).to_f64(), f16::from_bits(bits + 1).to_f64());
            let tie = (low + high) / 2.0;
            let even = bits + (bits & 1);
            let cases =
                [(low, bits), (tie.next_down(), bits), (tie, even), (tie.next_up(), bits + 1), (high, bits + 1)];
            for (value, expected) in cases {
                assert_eq!(from_f64(value).to_bits(), expected, "{value}");
                assert_eq!(from_f64(-value).to_bits(), expected | 0x8000, "{}", -value);
            }
        }
    }

    #[test]
    fn what_is_too_large_becomes_infinite() {
        assert_eq!(from_f64(65519.999999999).to_bits(), 0x7bff);
        for value in [65520.0, 1e10, 1e300, f64::INFINITY] {
            assert_eq!(from_f64(value), f16::INFINITY);
        }
        assert!(from_f64(f64::NAN).is_nan());
    }
}

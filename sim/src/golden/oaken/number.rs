//! binary16 as bit patterns: sides, magnitude integers, rounding.

/// The sign bit of the largest finite magnitude is left out: 65504.
pub(super) const MAX_FINITE: u16 = 0x7bff;
const SIGN: u16 = 0x8000;
const INFINITY: u16 = 0x7c00;

/// Fixed-point values that a decoder works with count units of 2^-33: half of the finest bit of the smallest step.
pub(super) const FRACTION_BITS: u32 = 33;
/// Magnitude integers count units of 2^-24.
pub(super) const MAGNITUDE_FRACTION_BITS: u32 = 24;

/// The sign bit of an element. Zero has the side of its sign bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Sign bit 0.
    Positive,
    /// Sign bit 1.
    Negative,
}

impl Side {
    /// The side of a binary16 element.
    pub fn of(element: u16) -> Self {
        if element & SIGN == 0 { Side::Positive } else { Side::Negative }
    }

    /// The element of this side with the given magnitude bits.
    pub(super) fn apply(self, magnitude_bits: u16) -> u16 {
        match self {
            Side::Positive => magnitude_bits,
            Side::Negative => magnitude_bits | SIGN,
        }
    }
}

/// The magnitude integer `X(x) = |x| * 2^24` of a finite binary16 (section 1), below 2^40.
pub fn magnitude(element: u16) -> u64 {
    let exponent = u32::from(element >> 10) & 31;
    let fraction = u64::from(element & 0x3ff);
    if exponent == 0 { fraction } else { (1024 + fraction) << (exponent - 1) }
}

/// Replaces NaN by +0 and an infinity by the largest finite number of its side; tells whether it did.
pub(super) fn make_finite(element: u16) -> (u16, bool) {
    match element & !SIGN {
        magnitude if magnitude < INFINITY => (element, false),
        INFINITY => (Side::of(element).apply(MAX_FINITE), true),
        _ => (0, true),
    }
}

/// Rounds a value in units of 2^-33 to the magnitude bits of a binary16: to nearest, ties to even, at most 65504.
pub(super) fn round_to_binary16(value: u128) -> u16 {
    if value == 0 {
        return 0;
    }
    let highest_bit = value.ilog2();
    // A normal number keeps 11 bits; no number keeps a bit below 2^-24, which is bit 9 here.
    let finest = FRACTION_BITS - MAGNITUDE_FRACTION_BITS;
    let dropped = highest_bit.saturating_sub(10).max(finest);
    let kept = value >> dropped;
    let rest = value & ((1 << dropped) - 1);
    let half = 1 << (dropped - 1);
    let round_up = rest > half || (rest == half && kept & 1 == 1);
    // The leading one of a normal number adds one to the exponent field, and so does a carry out of the fraction.
    let bits = (u128::from(dropped - finest) << 10) + kept + u128::from(round_up);
    bits.min(u128::from(MAX_FINITE)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::f16;

    #[test]
    fn magnitude_integer_is_the_value_in_units_of_2_to_the_minus_24() {
        for bits in (0..=u16::MAX).filter(|&b| f16::from_bits(b).is_finite()) {
            let value = f16::from_bits(bits).to_f64().abs();
            assert_eq!(magnitude(bits) as f64, value * 2f64.powi(24), "{bits:#06x}");
        }
    }

    #[test]
    fn rounding_is_to_nearest_ties_to_even_around_every_binary16() {
        for bits in 0..MAX_FINITE {
            let low = u128::from(magnitude(bits)) << 9;
            let high = u128::from(magnitude(bits + 1)) << 9;
            let tie = (low + high) / 2;
            let even = bits + (bits & 1);
            let cases =
                [(low, bits), (low + 1, bits), (tie - 1, bits), (tie, even), (tie + 1, bits + 1), (high, bits + 1)];
            for (value, expected) in cases {
                assert_eq!(round_to_binary16(value), expected, "{value} after {bits:#06x}");
            }
        }
    }

    #[test]
    fn rounding_stops_at_the_largest_finite_number() {
        for value in [65504_u128, 65519, 65520, 65536, 1 << 18] {
            assert_eq!(round_to_binary16(value << FRACTION_BITS), MAX_FINITE);
        }
    }

    #[test]
    fn nan_becomes_positive_zero_and_infinity_the_largest_number() {
        assert_eq!(make_finite(0x7c00), (0x7bff, true));
        assert_eq!(make_finite(0xfc00), (0xfbff, true));
        assert_eq!(make_finite(0x7c01), (0, true));
        assert_eq!(make_finite(0xfe00), (0, true));
        assert_eq!(make_finite(0x8000), (0x8000, false));
        assert_eq!(make_finite(0xfbff), (0xfbff, false));
    }
}

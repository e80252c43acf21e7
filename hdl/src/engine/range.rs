//! What a port or a word of memory can hold.

use num_bigint::BigUint;

/// The limbs of a number as two's complement of so many bits; `None` if it is not one of -2^(width-1) to 2^(width-1) - 1.
pub(super) fn signed(value: i64, width: u32) -> Option<Vec<u64>> {
    let unused = 64u32.saturating_sub(width);
    let mut limbs = vec![if value < 0 { u64::MAX } else { 0 }; width.div_ceil(64) as usize];
    limbs[0] = value as u64;
    *limbs.last_mut()? &= u64::MAX >> ((64 - width % 64) % 64);
    (value << unused >> unused == value).then_some(limbs)
}

/// Does a number fit in a width?
pub(crate) fn fits(value: &BigUint, width: u32) -> bool {
    value.bits() <= u64::from(width)
}

/// The unsigned numbers of a width, in words.
pub(crate) fn legal(width: u32) -> String {
    match width {
        1 => "0 and 1".into(),
        2..=64 => format!("0 to {}", u64::MAX >> (64 - width)),
        _ => format!("0 to 2^{width} - 1"),
    }
}

/// The signed numbers of a width, in words.
pub(super) fn legal_signed(width: u32) -> String {
    match width {
        1 => "-1 and 0".into(),
        _ => format!("{} to {}", i64::MIN >> (64 - width.min(64)), i64::MAX >> (64 - width.min(64))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signed_numbers_of_any_width() {
        assert_eq!(signed(-1, 1), Some(vec![1]));
        assert_eq!((signed(1, 1), signed(-2, 1)), (None, None));
        assert_eq!((signed(-128, 8), signed(127, 8)), (Some(vec![128]), Some(vec![127])));
        assert_eq!((signed(-129, 8), signed(128, 8)), (None, None));
        assert_eq!((signed(i64::MIN, 64), signed(i64::MAX, 64)), (Some(vec![1 << 63]), Some(vec![i64::MAX as u64])));
        assert_eq!((signed(i64::MIN, 63), signed(-2, 65)), (None, Some(vec![u64::MAX - 1, 1])));
        assert_eq!(signed(-3, 128), Some(vec![u64::MAX - 2, u64::MAX]));
        assert_eq!(signed(5, 200), Some(vec![5, 0, 0, 0]));
    }

    #[test]
    fn ranges_in_words() {
        assert_eq!([1, 8, 64, 65].map(legal), ["0 and 1", "0 to 255", "0 to 18446744073709551615", "0 to 2^65 - 1"]);
        assert_eq!([1, 8].map(legal_signed), ["-1 and 0", "-128 to 127"]);
        assert_eq!(legal_signed(64), format!("{} to {}", i64::MIN, i64::MAX));
        assert_eq!(legal_signed(100), legal_signed(64));
    }
}

//! The lattice of QuiP#-4 (section 6): 65,536 points of eight numbers from 256 stored vectors and a few bit operations.

use std::sync::LazyLock;

/// Numbers of a point.
pub const DIMENSIONS: usize = 8;

/// The last 29 of the stored vectors: 3/2 where a bit is one (the highest belongs to element 0), else 1/2.
const LAST: [u8; 29] = [
    0x8f, 0x4f, 0x2f, 0x1f, 0xec, 0xea, 0xe6, 0xe9, 0xe5, 0xe3, 0xdc, 0xda, 0xd6, 0xd9, 0xd5, 0xd3, 0xbc, 0xba, 0xb6,
    0xb9, 0xb5, 0x73, 0x7c, 0x7a, 0x76, 0x79, 0x75, 0x37, 0xce,
];

/// Which bit of the sign byte negates each element.
pub const SIGN_BIT: [u32; DIMENSIONS] = [0, 4, 1, 5, 2, 6, 3, 7];

/// The stored vectors, in halves: 1, 3 or 5.
pub static STORED: LazyLock<[[i32; DIMENSIONS]; 256]> = LazyLock::new(stored);

fn stored() -> [[i32; DIMENSIONS]; 256] {
    let mut vectors = vec![];
    for number in 0..3usize.pow(8) {
        // digits in base 3, the highest first: counting up is lexicographic order
        let vector = std::array::from_fn(|i| 1 + 2 * (number / 3usize.pow(7 - i as u32) % 3) as i32);
        // square norm at most 10, in quarters
        if vector.iter().map(|x| x * x).sum::<i32>() <= 40 {
            vectors.push(vector);
        }
    }
    vectors.extend(LAST.map(|bits| std::array::from_fn(|i| if bits >> (7 - i) & 1 == 1 { 3 } else { 1 })));
    vectors.try_into().expect("227 vectors within the norm, and 29")
}

/// Whether the numbers of a stored vector have an odd sum.
pub fn has_odd_sum(stored: &[i32; DIMENSIONS]) -> bool {
    stored.iter().sum::<i32>() / 2 % 2 == 1
}

/// The point of an index, in quarters: odd numbers from -11 to 11.
pub fn point(index: u16) -> [i32; DIMENSIONS] {
    let [signs, row] = index.to_le_bytes();
    let stored = &STORED[usize::from(row)];
    let odd_parity = signs.count_ones() % 2 == 1;
    let signs = signs ^ u8::from(odd_parity);
    std::array::from_fn(|i| {
        let negated = (signs >> SIGN_BIT[i] & 1 == 1) != (i == 7 && has_odd_sum(stored));
        let halves = if negated { -stored[i] } else { stored[i] };
        2 * halves + if odd_parity { -1 } else { 1 }
    })
}

/// The point of an index as binary16 bit patterns; exact.
pub fn point16(index: u16) -> [u16; DIMENSIONS] {
    point(index).map(|quarters| half::f16::from_f32(quarters as f32 / 4.0).to_bits())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn all_points_differ_and_are_odd_quarters() {
        let points: HashSet<_> = (0..=u16::MAX).map(point).collect();
        assert_eq!(points.len(), 65536);
        assert!(points.iter().flatten().all(|k| k % 2 != 0 && k.abs() <= 11));
    }

    #[test]
    fn points_worked_by_hand() {
        // 227 vectors in lexicographic order, and those of the list
        assert_eq!(STORED[0], [1; 8]);
        assert_eq!(STORED[1], [1, 1, 1, 1, 1, 1, 1, 3]);
        assert_eq!(STORED[2], [1, 1, 1, 1, 1, 1, 1, 5]);
        assert_eq!(STORED[227], [3, 1, 1, 1, 3, 3, 3, 3]);
        // a = 0, s = 0: sum 4 is even, nothing negated, a quarter added: 3/4 everywhere
        assert_eq!(point(0x0000), [3; 8]);
        // s = 1 has odd parity: s' = 0, a quarter taken off
        assert_eq!(point(0x0001), [1; 8]);
        // s = 3: bits 0 and 1 negate elements 0 and 2
        assert_eq!(point(0x0003), [-1, 3, -1, 3, 3, 3, 3, 3]);
        // a = 1: sum 5 is odd, element 7 is negated
        assert_eq!(point(0x0100), [3, 3, 3, 3, 3, 3, 3, -5]);
        // s = 80: odd parity, s' = 81: bits 0 and 7 negate elements 0 and 7, element 7 once more
        assert_eq!(point(0x0180), [-3, 1, 1, 1, 1, 1, 1, 5]);
    }
}

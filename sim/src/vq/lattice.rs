//! The nearest point of the lattice E8P.

use std::sync::LazyLock;

use crate::golden::vq::e8p::{DIMENSIONS, SIGN_BIT, STORED, has_odd_sum};

/// A stored vector as the search wants it.
struct Row {
    values: [f32; DIMENSIONS],
    half_norm: f32,
    odd: bool,
}

static ROWS: LazyLock<Vec<Row>> = LazyLock::new(|| {
    let row = |stored: &[i32; DIMENSIONS]| {
        let values = stored.map(|halves| halves as f32 / 2.0);
        Row { values, half_norm: values.iter().map(|x| x * x).sum::<f32>() / 2.0, odd: has_odd_sum(stored) }
    };
    STORED.iter().map(row).collect()
});

/// The index of a nearest point.
pub(super) fn nearest(x: &[f32]) -> u16 {
    let [added, taken_off] = [(0.25, false), (-0.25, true)].map(|(shift, odd_parity)| {
        let y: [f32; DIMENSIONS] = std::array::from_fn(|i| x[i] - shift);
        let (row, score) = best_row(&y);
        let distance = y.iter().map(|y| y * y).sum::<f32>() / 2.0 - score;
        (distance, index(&y, row, odd_parity))
    });
    if added <= taken_off { added.1 } else { taken_off.1 }
}

/// The stored vector that with the best legal signs has the largest `y.a - |a|^2/2`, and that.
fn best_row(y: &[f32; DIMENSIONS]) -> (usize, f32) {
    let magnitudes = y.map(f32::abs);
    let odd = y.iter().filter(|y| **y < 0.0).count() % 2 == 1;
    let mut best = (0, f32::NEG_INFINITY);
    for (i, row) in ROWS.iter().enumerate() {
        let (mut sum, mut least) = (-row.half_norm, f32::INFINITY);
        for (m, a) in magnitudes.iter().zip(&row.values) {
            sum += m * a;
            least = least.min(m * a);
        }
        // as many elements are negative as the sum of the vector is, odd or even: otherwise the cheapest one turns
        let score = if row.odd == odd { sum } else { sum - 2.0 * least };
        if score > best.1 {
            best = (i, score);
        }
    }
    best
}

fn index(y: &[f32; DIMENSIONS], row: usize, odd_parity: bool) -> u16 {
    let Row { values, odd, .. } = &ROWS[row];
    let mut negative = y.map(|y| y < 0.0);
    if (negative.iter().filter(|n| **n).count() % 2 == 1) != *odd {
        let cost = |i: usize| y[i].abs() * values[i];
        let cheapest = (1..DIMENSIONS).fold(0, |best, i| if cost(i) < cost(best) { i } else { best });
        negative[cheapest] = !negative[cheapest];
    }
    negative[7] ^= odd;
    let signs = (0..DIMENSIONS).map(|i| u8::from(negative[i]) << SIGN_BIT[i]).sum::<u8>();
    u16::from_le_bytes([signs ^ u8::from(odd_parity), row as u8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::golden::vq::e8p::point;

    fn distance(x: &[f32], index: u16) -> f32 {
        point(index).iter().zip(x).map(|(&k, x)| (k as f32 / 4.0 - x).powi(2)).sum()
    }

    #[test]
    fn every_point_is_nearest_to_itself() {
        for index in 0..=u16::MAX {
            let x = point(index).map(|k| k as f32 / 4.0);
            assert_eq!(nearest(&x), index);
        }
    }

    #[test]
    fn no_other_point_is_nearer() {
        let mut rng = fastrand::Rng::with_seed(crate::bus::seed(8));
        for scale in [0.5, 2.0, 6.0] {
            for _ in 0..10 {
                let x: [f32; 8] = std::array::from_fn(|_| (rng.f32() - 0.5) * scale);
                let least = (0..=u16::MAX).map(|index| distance(&x, index)).fold(f32::INFINITY, f32::min);
                assert!(distance(&x, nearest(&x)) <= least * 1.000001, "{x:?}");
            }
        }
    }
}

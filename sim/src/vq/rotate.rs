//! Signs and Hadamard blocks on both sides of a matrix: QuiP#'s way to make weights look alike (section 7 of the format).

use crate::golden::vq::Rotation;

use super::random::Random;

/// Random signs.
pub(super) fn random(rows: usize, cols: usize, block: usize, random: &mut Random) -> Rotation {
    let mut signs = |count: usize| (0..count).map(|_| random.bit()).collect();
    Rotation { block_log2: block.ilog2(), rows: signs(rows), cols: signs(cols) }
}

/// `H S W S' H'`: signs first, then Hadamard blocks, on rows and columns.
pub(super) fn forward(matrix: &mut [f64], rotation: &Rotation) {
    signs(matrix, rotation);
    hadamard(matrix, rotation);
}

/// Turns back: Hadamard blocks first, then signs. Both undo themselves.
pub(super) fn backward(matrix: &mut [f64], rotation: &Rotation) {
    hadamard(matrix, rotation);
    signs(matrix, rotation);
}

fn signs(matrix: &mut [f64], rotation: &Rotation) {
    for (row, &negate_row) in matrix.chunks_exact_mut(rotation.cols.len()).zip(&rotation.rows) {
        row.iter_mut().zip(&rotation.cols).filter(|&(_, &negate)| negate != negate_row).for_each(|(x, _)| *x = -*x);
    }
}

fn hadamard(matrix: &mut [f64], rotation: &Rotation) {
    let (cols, block) = (rotation.cols.len(), 1 << rotation.block_log2);
    for row in matrix.chunks_exact_mut(cols) {
        row.chunks_exact_mut(block).for_each(butterflies);
    }
    for band in matrix.chunks_exact_mut(cols * block) {
        for col in 0..cols {
            let mut column: Vec<f64> = (0..block).map(|row| band[row * cols + col]).collect();
            butterflies(&mut column);
            column.into_iter().enumerate().for_each(|(row, x)| band[row * cols + col] = x);
        }
    }
}

/// The Hadamard matrix `(-1)^popcount(i & j) / sqrt(n)` times a vector.
fn butterflies(x: &mut [f64]) {
    let mut half = 1;
    while half < x.len() {
        for pair in x.chunks_exact_mut(2 * half) {
            for i in 0..half {
                (pair[i], pair[i + half]) = (pair[i] + pair[i + half], pair[i] - pair[i + half]);
            }
        }
        half *= 2;
    }
    let scale = (x.len() as f64).sqrt();
    x.iter_mut().for_each(|x| *x /= scale);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rotation_keeps_lengths_and_can_be_undone() {
        let rotation = random(8, 16, 4, &mut Random::new(1, &[]));
        let matrix: Vec<f64> = (0..128).map(|i| f64::from(i * 37 % 101)).collect();
        let mut turned = matrix.clone();
        forward(&mut turned, &rotation);
        let square = |m: &[f64]| m.iter().map(|x| x * x).sum::<f64>();
        assert!((square(&turned) / square(&matrix) - 1.0).abs() < 1e-12);
        assert!(turned.iter().zip(&matrix).any(|(a, b)| (a - b).abs() > 1.0));
        backward(&mut turned, &rotation);
        assert!(turned.iter().zip(&matrix).all(|(a, b)| (a - b).abs() < 1e-10));
    }

    #[test]
    fn two_by_two_by_hand() {
        let rotation = Rotation { block_log2: 1, rows: vec![false, true], cols: vec![false, false] };
        // signs: [[1, 2], [-3, -4]]; rows: [[3, -1], [-7, 1]] / sqrt 2; columns: [[-4, 0], [10, -2]] / 2
        let mut matrix = [1.0, 2.0, 3.0, 4.0];
        forward(&mut matrix, &rotation);
        assert!(matrix.iter().zip([-2.0, 0.0, 5.0, -1.0]).all(|(a, b)| (a - b).abs() < 1e-12), "{matrix:?}");
    }
}

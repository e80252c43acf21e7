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

/// `H' S' x`: what is multiplied with a turned matrix instead of `x`.
pub(super) fn input(mut x: Vec<f64>, rotation: &Rotation) -> Vec<f64> {
    negate(&mut x, &rotation.cols);
    x.chunks_exact_mut(1 << rotation.block_log2).for_each(butterflies);
    x
}

/// `S H y`: the product, from that with a turned matrix.
pub(super) fn output(mut y: Vec<f64>, rotation: &Rotation) -> Vec<f64> {
    y.chunks_exact_mut(1 << rotation.block_log2).for_each(butterflies);
    negate(&mut y, &rotation.rows);
    y
}

fn negate(x: &mut [f64], signs: &[bool]) {
    x.iter_mut().zip(signs).filter(|(_, negate)| **negate).for_each(|(x, _)| *x = -*x);
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
    fn a_turned_matrix_gives_the_same_product() {
        let rotation = random(8, 16, 4, &mut Random::new(1, &[]));
        let matrix: Vec<f64> = (0..128).map(|i| f64::from(i * 37 % 101)).collect();
        let vector: Vec<f64> = (0..16).map(|i| f64::from(i * 29 % 23) - 11.0).collect();
        let product = |matrix: &[f64], vector: &[f64]| -> Vec<f64> {
            matrix.chunks(16).map(|row| row.iter().zip(vector).map(|(w, x)| w * x).sum()).collect()
        };
        let mut turned = matrix.clone();
        forward(&mut turned, &rotation);
        let found = output(product(&turned, &input(vector.clone(), &rotation)), &rotation);
        assert!(found.iter().zip(product(&matrix, &vector)).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
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

//! What the paper's optimizations depend on (Table V), for a packed tensor.

use crate::vq::access::Access;

/// Of each book, the entries that are used more often than the mean and three standard deviations: the fewest of a book, the mean, and the most.
pub fn hot_entries(access: &Access) -> (usize, f64, usize) {
    let hot: Vec<usize> = access.uses.iter().map(|book| hot_of(book)).collect();
    let mean = hot.iter().sum::<usize>() as f64 / hot.len() as f64;
    (hot.iter().copied().min().unwrap_or(0), mean, hot.iter().copied().max().unwrap_or(0))
}

fn hot_of(uses: &[u64]) -> usize {
    let count = uses.len() as f64;
    let mean = uses.iter().sum::<u64>() as f64 / count;
    let variance = uses.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / count;
    uses.iter().filter(|&&x| x as f64 > mean + 3.0 * variance.sqrt()).count()
}

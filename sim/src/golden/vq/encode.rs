//! Indices of new keys and values, as the hardware finds them (section 7): in binary16, by the largest `x.c - |c|^2/2`.

use super::decode::{B16, dot, multiply};
use super::file::{Book, Part, Tensor};
use super::scheme::{Books, Scales, Scheme};

/// Half in binary16.
const HALF: u16 = 0x3800;

fn subtract(a: u16, b: u16) -> u16 {
    B16.sub(a.into(), b.into()) as u16
}

/// `|c|^2 / 2` of every entry.
pub fn half_norms(book: &Book) -> Vec<u16> {
    (0..book.count()).map(|index| multiply(HALF, dot(book.entry(index), book.entry(index)))).collect()
}

/// The index with the largest `x.c - |c|^2/2`; of several the lowest, and a NaN (an overflow) is below all others.
pub fn nearest(book: &Book, half_norms: &[u16], x: &[u16]) -> u16 {
    let score = |index: usize| subtract(dot(x, book.entry(index)), half_norms[index]);
    let mut best = (0, score(0));
    for index in 1..book.count() {
        let next = score(index);
        let order = B16.compare(best.1.into(), next.into());
        let best_is_nan = best.1 & 0x7fff > 0x7c00;
        let next_is_nan = next & 0x7fff > 0x7c00;
        if order.lt || best_is_nan && !next_is_nan {
            best = (index as u16, next);
        }
    }
    best.0
}

/// How the nearest entry is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// The largest `x.c - |c|^2/2`: the format's.
    Product,
    /// The least `|x - c|^2`: an alternative, to measure the format's against. It costs an adder for each number more.
    Distance,
}

/// The index with the least `|x - c|^2`, of several the lowest.
fn nearest_by_distance(book: &Book, x: &[u16]) -> u16 {
    let distance = |index: u16| {
        let difference: Vec<u16> = x.iter().zip(book.entry(index.into())).map(|(&x, &c)| subtract(x, c)).collect();
        // positive numbers are ordered as their bits are
        dot(&difference, &difference)
    };
    (0..book.count() as u16).min_by_key(|&index| distance(index)).expect("an entry")
}

/// The indices of a row of a part: group by group, residual by residual of what the entries before left over.
///
/// # Panics
/// Schemes with scales, and the lattice, are not encoded in hardware.
pub fn row(scheme: &Scheme, tensor: &Tensor, part: &Part, values: &[u16], rule: Rule) -> Vec<u16> {
    assert!(scheme.scales == Scales::None && scheme.books != Books::Lattice, "not encoded in hardware");
    let mut indices = vec![];
    for group in values.chunks(scheme.vector) {
        let mut left = group.to_vec();
        for _ in 0..scheme.residuals {
            let book = &tensor.books[part.book_of(scheme, indices.len()).expect("a book")];
            let index = match rule {
                Rule::Product => nearest(book, &half_norms(book), &left),
                Rule::Distance => nearest_by_distance(book, &left),
            };
            left = left.iter().zip(book.entry(index.into())).map(|(&x, &c)| subtract(x, c)).collect();
            indices.push(index);
        }
    }
    indices
}

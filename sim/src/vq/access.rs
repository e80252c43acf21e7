//! How evenly the entries of books are used.

use crate::golden::vq::{Books, Scheme, Tensor};

/// How often the entries of each book are looked up, in the order of the book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    /// Book by book. The lattice counts as one book for each residual, of its 256 stored vectors, the most used first.
    pub uses: Vec<Vec<u64>>,
}

impl Access {
    /// Lookups in all books.
    pub fn total(&self) -> u64 {
        self.uses.iter().flatten().sum()
    }

    /// The share of lookups that the first entries of the books have.
    pub fn share_of_first(&self, entries: usize) -> f64 {
        let first: u64 = self.uses.iter().flat_map(|book| book.iter().take(entries)).sum();
        first as f64 / self.total() as f64
    }

    /// Entries that nothing is looked up in, of all books.
    pub fn unused(&self) -> usize {
        self.uses.iter().flatten().filter(|&&uses| uses == 0).count()
    }
}

/// Counts the lookups of a packed tensor.
pub fn access(scheme: &Scheme, tensor: &Tensor) -> Access {
    let mut uses: Vec<Vec<u64>> = match scheme.books {
        Books::Lattice => vec![vec![0; 256]; scheme.residuals],
        _ => tensor.books.iter().map(|book| vec![0; book.count()]).collect(),
    };
    for (number, part) in tensor.parts(scheme).enumerate() {
        for row in 0..part.rows.len() {
            for (position, index) in tensor.row_indices(scheme, number, &part, row).into_iter().enumerate() {
                match part.book_of(scheme, position) {
                    Some(book) => uses[book][usize::from(index)] += 1,
                    None => uses[position % scheme.residuals][usize::from(index >> 8)] += 1,
                }
            }
        }
    }
    if scheme.books == Books::Lattice {
        uses.iter_mut().for_each(|book| book.sort_by_key(|&uses| std::cmp::Reverse(uses)));
    }
    Access { uses }
}

//! The books of one group: one for each residual, made together, with entries in falling order of use.

use super::encoder::{Encoder, to_f32};
use super::kmeans::{kmeans, means};
use super::options::TrainOptions;
use super::random::Random;
use crate::binary16;
use crate::golden::vq::{Book, Scheme};

/// Trains the books of vectors that lie one after the other.
///
/// `progress` is called once for every step: a book, or a round over all of them.
pub(super) fn train(
    data: &[f32],
    scheme: &Scheme,
    options: &TrainOptions,
    random: &mut Random,
    progress: &dyn Fn(),
) -> Vec<Book> {
    let mut books = one_after_the_other(data, scheme, options, random, progress);
    if scheme.residuals > 1 {
        for _ in 0..options.rounds {
            books = improve(data, scheme.vector, books, options.beam);
            progress();
        }
    }
    let rounded: Vec<Vec<u16>> = books.iter().map(|book| book.iter().map(|&x| round(x)).collect()).collect();
    by_use(data, scheme, options, rounded)
}

/// k-means of the vectors, then of what it leaves over, and so on (section II-A of the paper).
fn one_after_the_other(
    data: &[f32],
    scheme: &Scheme,
    options: &TrainOptions,
    random: &mut Random,
    progress: &dyn Fn(),
) -> Vec<Vec<f32>> {
    let (mut left, mut books) = (data.to_vec(), vec![]);
    for _ in 0..scheme.residuals {
        let book = kmeans(&left, scheme.vector, scheme.max_entries(), options.iterations, random);
        let encoder = Encoder::new(vec![book.clone()], scheme.vector);
        let indices = encoder.encode(&left, 1);
        for (x, index) in left.chunks_exact_mut(scheme.vector).zip(indices) {
            x.iter_mut().zip(encoder.decode(&[index])).for_each(|(x, c)| *x -= c);
        }
        books.push(book);
        progress();
    }
    books
}

/// One round over all books: vectors choose their entries in all books together, then each book's entries become the
/// means of what the other books leave to them.
fn improve(data: &[f32], vector: usize, mut books: Vec<Vec<f32>>, beam: usize) -> Vec<Vec<f32>> {
    let residuals = books.len();
    let indices = Encoder::new(books.clone(), vector).encode(data, beam);
    for r in 0..residuals {
        let mut target = data.to_vec();
        for (x, indices) in target.chunks_exact_mut(vector).zip(indices.chunks_exact(residuals)) {
            for (_, (book, &index)) in books.iter().zip(indices).enumerate().filter(|(other, _)| *other != r) {
                x.iter_mut().zip(&book[usize::from(index) * vector..]).for_each(|(x, c)| *x -= c);
            }
        }
        let assigned: Vec<u32> = indices.iter().skip(r).step_by(residuals).map(|&index| index.into()).collect();
        books[r] = means(&target, vector, &assigned, &books[r]);
    }
    books
}

/// Entries in falling order of use, of equal use in the order that they had.
fn by_use(data: &[f32], scheme: &Scheme, options: &TrainOptions, books: Vec<Vec<u16>>) -> Vec<Book> {
    let numbers = books.iter().map(|book| to_f32(book)).collect();
    let indices = Encoder::new(numbers, scheme.vector).encode(data, options.beam_of(scheme));
    let sorted = |(r, values): (usize, Vec<u16>)| {
        let book = Book { values, vector: scheme.vector };
        let mut uses = vec![0usize; book.count()];
        indices.iter().skip(r).step_by(scheme.residuals).for_each(|&index| uses[usize::from(index)] += 1);
        let mut order: Vec<usize> = (0..book.count()).collect();
        order.sort_by_key(|&entry| std::cmp::Reverse(uses[entry]));
        Book { values: order.iter().flat_map(|&entry| book.entry(entry)).copied().collect(), ..book }
    };
    books.into_iter().enumerate().map(sorted).collect()
}

/// To binary16. What is left over by a book may be larger than any finite number there: the nearest is the largest, as an entry is finite.
fn round(x: f32) -> u16 {
    let most = half::f16::MAX.to_f64();
    binary16::from_f64(f64::from(x).clamp(-most, most)).to_bits()
}

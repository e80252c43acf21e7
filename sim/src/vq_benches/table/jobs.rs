//! Commands: of random numbers, with something wrong, and of a recorded head.

use crate::data::{Recording, read_queries};
use crate::golden::vq::cache::{LoadWord, book_words};
use crate::golden::vq::tables::{LANES, TableCommand, TableUnit};
use crate::golden::vq::{Algorithm, Book, VqFile};
use crate::vq::{Source, TrainOptions, kv_sources, pack, train};
use fastrand::Rng;

/// What a command brings besides its books.
#[derive(Clone, Debug)]
pub struct Job {
    /// The command.
    pub command: TableCommand,
    /// A scale for each token; or as many as came.
    pub scales: Vec<u16>,
}

/// Where the books of good words begin, and where the rows do.
fn book_starts(unit: &TableUnit, words: &[LoadWord]) -> (Vec<usize>, usize) {
    let mut at = 0;
    let starts = (0..unit.positions).map(|_| {
        let count = (words[at].data as usize & 0xfff) + 1;
        at += 1 + (count * unit.vector).div_ceil(4);
        at
    });
    let ends: Vec<usize> = starts.collect();
    let starts = std::iter::once(0).chain(ends.iter().copied()).take(unit.positions).collect();
    (starts, ends[unit.positions - 1])
}

/// A command that is well, of random numbers: full books, or of any length.
pub fn good_job(unit: &TableUnit, rng: &mut Rng, tokens: usize, full: bool) -> Job {
    let first = rng.u32(0..1 << 20);
    let counts: Vec<usize> =
        (0..unit.positions).map(|_| if full { unit.entries } else { rng.usize(1..=unit.entries) }).collect();
    let mut words = vec![];
    for (position, count) in counts.iter().enumerate() {
        let values: Vec<u16> = (0..count * unit.vector).map(|_| finite(rng)).collect();
        words.extend(book_words((first + position as u32) & 0xf_ffff, &values, unit.vector));
    }
    for _ in 0..tokens {
        for lanes in counts.chunks(LANES) {
            let bytes = lanes.iter().rev().fold(0, |word, count| word << 8 | rng.u64(0..*count as u64));
            words.push(LoadWord { data: bytes, failed: false });
        }
    }
    // now and then anything, infinities and NaN too
    let wild = rng.u8(0..8) == 0;
    let number = |rng: &mut Rng| if wild { rng.u16(..) } else { finite(rng) };
    let query = (0..unit.queries * unit.query_numbers()).map(|_| number(rng)).collect();
    let scales = (0..tokens).map(|_| finite(rng)).collect();
    Job { command: TableCommand { first, tokens, query, words }, scales }
}

/// Finite numbers of about the same size, some of any.
pub fn finite(rng: &mut Rng) -> u16 {
    let exponent = if rng.u8(0..8) == 0 { rng.u16(0..31) } else { rng.u16(12..18) };
    rng.u16(..) & 0x83ff | exponent << 10
}

/// A command in which something may be wrong. `rows`: it has rows of tokens.
pub fn random_job(unit: &TableUnit, rng: &mut Rng, rows: bool) -> Job {
    let tokens = if rows { rng.usize(1..=20) } else { 0 };
    let full = rng.bool();
    let mut job = good_job(unit, rng, tokens, full);
    damage(unit, rng, &mut job.command, rows);
    if rows {
        other_number(rng, &mut job.scales);
    }
    job
}

/// Now and then fewer or more of what each token has one of.
fn other_number(rng: &mut Rng, of_tokens: &mut Vec<u16>) {
    match rng.u8(0..16) {
        0 => of_tokens.truncate(rng.usize(1..=of_tokens.len())),
        1 => of_tokens.extend((0..rng.usize(1..5)).map(|_| finite(rng))),
        _ => {}
    }
}

/// Damages a command that begins with books, or does not.
pub(super) fn damage(unit: &TableUnit, rng: &mut Rng, command: &mut TableCommand, rows: bool) {
    let TableCommand { first, tokens, query, words } = command;
    let (starts, books) = book_starts(unit, words);
    let in_books = rng.usize(0..books);
    let start = starts[rng.usize(0..starts.len())];
    match rng.u8(0..if rows { 22 } else { 16 }) {
        0 => words[in_books].failed = true,
        1 => words.truncate(in_books.max(1)),
        2 => words.extend((0..rng.usize(1..5)).map(|_| LoadWord { data: rng.u64(..), failed: rng.bool() })),
        3 => words[in_books].data ^= 1 << rng.u32(0..64),
        4 => words[start].data |= 0xf00,
        5 => *first ^= 1 << rng.u32(0..20),
        6 => _ = numbers_that_are_none(unit, rng, words, start),
        9 | 10 => {
            // a book is wrong, and so is what follows at once: the book counts
            let next = numbers_that_are_none(unit, rng, words, start);
            words[next - 1].data ^= rng.u64(0..2);
            if next < books {
                words[next].failed = rng.bool();
                words[next].data |= 0xf00;
            }
        }
        7 => query.truncate(query.len() / 4 / 2 * 4),
        8 => query.extend([0; 4]),
        // rows
        16 => words[rng.usize(books..books + *tokens * unit.beats())].failed = true,
        17 => words.truncate(rng.usize(books..books + *tokens * unit.beats())),
        18 => *tokens = 0,
        19 => *tokens = unit.max_tokens + 1,
        20 | 21 => {
            let at = rng.usize(books..books + *tokens * unit.beats());
            words[at].data ^= 0x8180_4020_1008_0402 & rng.u64(..);
        }
        _ => {}
    }
}

/// Makes two numbers of the book at `start` infinite or NaN, under a CRC that fits; gives where the next one begins.
fn numbers_that_are_none(unit: &TableUnit, rng: &mut Rng, words: &mut [LoadWord], start: usize) -> usize {
    let count = (words[start].data as usize & 0xfff) + 1;
    let mut values: Vec<u16> = (0..count * unit.vector).map(|_| finite(rng)).collect();
    (0..2).for_each(|_| values[rng.usize(0..count * unit.vector)] |= 0x7c00);
    let book = book_words(words[start].data as u32 >> 12, &values, unit.vector);
    words[start..start + book.len()].copy_from_slice(&book);
    start + book.len()
}

/// A command for values that is well: rows, then books.
pub fn good_values_job(unit: &TableUnit, rng: &mut Rng, tokens: usize, full: bool) -> Job {
    let mut job = good_job(unit, rng, tokens, full);
    let (_, books) = book_starts(unit, &job.command.words);
    job.command.words.rotate_left(books);
    // few entries now and then, so that the same come again
    if rng.bool() {
        job.command.words[..tokens * unit.beats()].iter_mut().for_each(|word| {
            word.data = u64::from_le_bytes(word.data.to_le_bytes().map(|index| index.min(1)));
        });
    }
    job.command.query = (0..tokens).map(|_| finite(rng) & 0x7fff).collect();
    job
}

/// A command for values in which something may be wrong.
pub fn random_values_job(unit: &TableUnit, rng: &mut Rng) -> Job {
    let tokens = rng.usize(1..=40);
    let mut job = random_job_of(unit, rng, tokens);
    let TableCommand { words, query, tokens: asked, .. } = &mut job.command;
    let of_rows = (tokens * unit.beats()).min(words.len());
    *query = (0..tokens).map(|_| if rng.u8(0..50) == 0 { rng.u16(..) } else { finite(rng) & 0x7fff }).collect();
    other_number(rng, query);
    job.scales.resize(query.len(), 0x3c00);
    match rng.u8(0..16) {
        0 => words[rng.usize(0..of_rows)].failed = true,
        1 => words.truncate(rng.usize(1..=of_rows)),
        2 => *asked = 0,
        3 => *asked = unit.max_tokens + 1,
        4 => words[rng.usize(0..of_rows)].data ^= 0x8180_4020_1008_0402 & rng.u64(..),
        _ => {}
    }
    job
}

/// Rows that are well, and books in which something may be wrong.
fn random_job_of(unit: &TableUnit, rng: &mut Rng, tokens: usize) -> Job {
    let full = rng.bool();
    let mut job = good_values_job(unit, rng, tokens, full);
    let of_rows = tokens * unit.beats();
    let rows = job.command.words[..of_rows].to_vec();
    let mut books = job.clone();
    books.command.words.drain(..of_rows);
    let query = job.command.query.clone();
    damage(unit, rng, &mut books.command, false);
    job.command = TableCommand { query, ..books.command };
    job.command.words.splice(0..0, rows);
    job
}

/// The books and rows of a head of a file as the words of a bus: books first, or rows.
pub fn head_words(file: &VqFile, tensor: usize, head: usize) -> (Vec<LoadWord>, Vec<LoadWord>) {
    let tensor = &file.tensors[tensor];
    let before: usize = file.tensors.iter().take_while(|t| !std::ptr::eq(*t, tensor)).map(|t| t.books.len()).sum();
    let part = tensor.parts(&file.scheme).nth(head).expect("a head of the tensor");
    let books = &tensor.books[part.first_book..part.first_book + part.books];
    (books_as_words(books, (before + part.first_book) as u32), rows_as_words(&tensor.indices[head]))
}

/// Books, of which the first has this number in its file, as the words of a bus.
pub fn books_as_words(books: &[Book], first: u32) -> Vec<LoadWord> {
    (first..).zip(books).flat_map(|(number, book)| book_words(number, &book.values, book.vector)).collect()
}

/// Rows of indices as the words of a bus.
pub fn rows_as_words(rows: &[u8]) -> Vec<LoadWord> {
    let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
    rows.chunks(8).map(|bytes| LoadWord { data: word(bytes), failed: false }).collect()
}

/// A recorded head, quantized: keys and values of layer 10 of a real model. Few rounds of training, for tests.
///
/// # Panics
/// Without the recording `smollm2_vq` in the folder `data` of the repository.
pub fn real_head(algorithm: Algorithm, tokens: usize) -> VqFile {
    let recording = Recording::read(recorded("smollm2_vq")).expect("the recording is in the repository");
    let sources = kv_sources(&[recording], &[10]).expect("layer 10");
    let first = |source: Source| Source { rows: tokens, data: source.data[..tokens * source.cols].to_vec(), ..source };
    let sources: Vec<Source> = sources.into_iter().map(first).collect();
    let options = TrainOptions { iterations: 3, rounds: 0, beam: 1, ..TrainOptions::of(algorithm) };
    let books = train(&algorithm.scheme(), &sources, &options, &|| ()).expect("books");
    pack(&books, &sources, 1, &|| ()).expect("indices")
}

/// Recorded queries to such a head, with the factor 1/sqrt(d): those of the first query head of its layer at the last so many tokens of another recording.
///
/// # Panics
/// Without the recording `smollm2_long` in the folder `data` of the repository.
pub fn real_queries(count: usize) -> Vec<Vec<u16>> {
    let all = read_queries(recorded("smollm2_long")).expect("the recording is in the repository");
    let of_layer = all.iter().find(|queries| queries.layer == 10).expect("layer 10");
    let scaled = |x: &u16| half::f16::from_f32(half::f16::from_bits(*x).to_f32() / 8.0).to_bits();
    let query = |token: usize| of_layer.data[token * of_layer.cols..][..64].iter().map(scaled).collect();
    (of_layer.rows - count..of_layer.rows).map(query).collect()
}

fn recorded(name: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../data/{name}.safetensors"))
}

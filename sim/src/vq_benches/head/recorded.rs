//! A head's memory with the books, rows and vectors of a recording.

use super::jobs::{HeadMemory, places, write_words};
use crate::bus::axi4_memory::SparseBytes;
use crate::golden::vq::VqFile;
use crate::golden::vq::attention::{Head, attention64};
use crate::golden::vq::attention_head::HeadUnit;
use crate::golden::vq::cache::LoadWord;
use crate::vq_benches::table::head_words;

impl HeadMemory {
    /// The first head of a file of keys and values: its books and rows.
    pub fn of_file(file: &VqFile, bytes: &mut SparseBytes) -> HeadMemory {
        HeadMemory::of_words([0, 1].map(|which| head_words(file, which, 0)), bytes)
    }

    /// Books and rows of the keys and of the values of a head.
    pub fn of_words(words: [(Vec<LoadWord>, Vec<LoadWord>); 2], bytes: &mut SparseBytes) -> HeadMemory {
        let mut job = places(0, [0; 8]);
        for (which, (books, rows)) in words.iter().enumerate() {
            job.first[which] = (books[0].data as u32) >> 12;
            job.book_bytes[which] = write_words(bytes, job.books[which], books);
            write_words(bytes, job.rows[which], rows);
        }
        HeadMemory { job, counts: Default::default() }
    }

    /// Another query.
    pub fn new_query(&self, bytes: &mut SparseBytes, numbers: impl Iterator<Item = u16>) {
        bytes.write(self.job.query, &numbers.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
    }

    /// A new key and value: what a token of the file decodes to.
    pub fn append_from(&self, file: &VqFile, token: usize, bytes: &mut SparseBytes) {
        for which in 0..2 {
            let values = head(file, which).token64(token);
            let numbers = values.iter().flat_map(|x| half::f16::from_f64(*x).to_le_bytes());
            bytes.write(self.job.vectors[which], &numbers.collect::<Vec<u8>>());
        }
    }

    /// The numbers of the result.
    pub fn result(&self, bytes: &SparseBytes, numbers: usize) -> Vec<u16> {
        bytes.read(self.job.result, 2 * numbers).chunks(2).map(|x| u16::from_le_bytes([x[0], x[1]])).collect()
    }

    /// Attention in float64 to so many tokens of the rows and books in memory.
    pub fn attention64(&self, unit: &HeadUnit, bytes: &SparseBytes, tokens: usize) -> Vec<f64> {
        let numbers = unit.table.query_numbers();
        let query: Vec<f64> = numbers_at(bytes, self.job.query, numbers);
        let [keys, values] = [0, 1].map(|which| self.decoded(unit, bytes, which, tokens));
        attention64(&query, &keys, &values)
    }

    /// The keys (0) or values (1) of the rows in memory.
    fn decoded(&self, unit: &HeadUnit, bytes: &SparseBytes, which: usize, tokens: usize) -> Vec<Vec<f64>> {
        let vector = unit.table.vector;
        let mut at = self.job.books[which];
        let books: Vec<Vec<f64>> = (0..unit.table.positions)
            .map(|_| {
                let head = bytes.read(at, 2);
                let count = (usize::from(u16::from_le_bytes([head[0], head[1]])) & 0xfff) + 1;
                let entries = numbers_at(bytes, at + 8, count * vector);
                at += 8 + (2 * count * vector).next_multiple_of(8) as u64;
                entries
            })
            .collect();
        let row = |token: usize| bytes.read(self.job.rows[which] + (token * unit.row_bytes()) as u64, unit.row_bytes());
        let entry = |(index, book): (u8, &Vec<f64>)| book[usize::from(index) * vector..][..vector].to_vec();
        (0..tokens).map(|token| row(token).into_iter().zip(&books).flat_map(entry).collect()).collect()
    }
}

fn numbers_at(bytes: &SparseBytes, at: u64, numbers: usize) -> Vec<f64> {
    bytes.read(at, 2 * numbers).chunks(2).map(|x| half::f16::from_le_bytes([x[0], x[1]]).to_f64()).collect()
}

fn head(file: &VqFile, which: usize) -> Head<'_> {
    Head { scheme: &file.scheme, tensor: &file.tensors[which], number: 0 }
}

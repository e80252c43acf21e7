//! What lies in a head's memory: random books, rows and vectors, and what may be wrong with them.

use crate::bus::axi4::Response;
use crate::bus::axi4_memory::SparseBytes;
use crate::golden::vq::attention_head::{HeadJob, HeadUnit};
use crate::golden::vq::cache::{LoadWord, book_words};
use crate::vq_benches::table::finite;
use fastrand::Rng;
use std::ops::Range;

/// Places in memory, each with room for the largest that a head reads there.
const ROOM: u64 = 1 << 20;

/// A head's keys and values in memory, beginning somewhere.
#[derive(Clone, Debug)]
pub struct HeadMemory {
    /// A job that is well, but for what it is to do.
    pub job: HeadJob,
    /// Entries of each book of keys and of values.
    pub(super) counts: [Vec<usize>; 2],
}

impl HeadMemory {
    /// Writes random books of any length, rows of so many tokens, and vectors.
    pub fn random(unit: &HeadUnit, rng: &mut Rng, bytes: &mut SparseBytes, place: (u64, usize)) -> HeadMemory {
        let mut length =
            |rng: &mut Rng| if rng.bool() { unit.table.entries } else { rng.usize(1..=unit.table.entries) };
        HeadMemory::new(unit, rng, bytes, place, &mut length)
    }

    /// The same with full books.
    pub fn full(unit: &HeadUnit, rng: &mut Rng, bytes: &mut SparseBytes, place: (u64, usize)) -> HeadMemory {
        HeadMemory::new(unit, rng, bytes, place, &mut |_| unit.table.entries)
    }

    fn new(
        unit: &HeadUnit,
        rng: &mut Rng,
        bytes: &mut SparseBytes,
        (base, tokens): (u64, usize),
        length: &mut dyn FnMut(&mut Rng) -> usize,
    ) -> HeadMemory {
        let mut job = places(base, std::array::from_fn(|_| 8 * rng.u64(0..512)));
        job.tokens = tokens;
        job.first = [rng.u32(0..1 << 20), rng.u32(0..1 << 20)];
        let mut counts = [vec![], vec![]];
        for (which, counts) in counts.iter_mut().enumerate() {
            let mut words = vec![];
            for position in 0..unit.table.positions as u32 {
                let count = length(rng);
                let values: Vec<u16> = (0..count * unit.table.vector).map(|_| finite(rng)).collect();
                words.extend(book_words((job.first[which] + position) & 0xf_ffff, &values, unit.table.vector));
                counts.push(count);
            }
            job.book_bytes[which] = write_words(bytes, job.books[which], &words);
            let indices = (0..tokens).flat_map(|_| counts.iter());
            let rows: Vec<u8> = indices.map(|count| rng.usize(0..*count) as u8).collect();
            bytes.write(job.rows[which], &rows);
        }
        let memory = HeadMemory { job, counts };
        memory.new_vectors(unit, rng, bytes);
        memory
    }

    /// Writes another query, key and value; now and then of any numbers.
    pub fn new_vectors(&self, unit: &HeadUnit, rng: &mut Rng, bytes: &mut SparseBytes) {
        for at in [self.job.query, self.job.vectors[0], self.job.vectors[1]] {
            let wild = rng.u8(0..16) == 0;
            let number = |rng: &mut Rng| if wild { rng.u16(..) } else { finite(rng) };
            let numbers = (0..unit.table.query_numbers()).map(|_| number(rng));
            bytes.write(at, &numbers.flat_map(u16::to_le_bytes).collect::<Vec<u8>>());
        }
    }

    /// Something may be wrong: in memory, in the job, or with the bus, of which the addresses are given that answer with errors. What is damaged in memory
    /// is mended with [`HeadMemory::mend`].
    pub fn damage(
        &self,
        unit: &HeadUnit,
        rng: &mut Rng,
        bytes: &mut SparseBytes,
    ) -> (HeadJob, Vec<(Range<u64>, Response)>) {
        let mut job = self.job;
        let which = rng.usize(0..2);
        let of_books = 8 * rng.u64(0..job.book_bytes[which] as u64 / 8);
        let mut errors = vec![];
        let mut error = |rng: &mut Rng, at: u64, words: u64| {
            let at = at + 8 * rng.u64(0..words);
            let response = if rng.bool() { Response::Slave } else { Response::Decode };
            errors.push((at..at + 8, response));
        };
        let any_vector = [job.query, job.vectors[0], job.vectors[1]][rng.usize(0..3)];
        let vector_words = unit.table.query_numbers() as u64 / 4;
        let row_words = unit.row_bytes() as u64 / 8;
        match rng.u8(0..14) {
            0 => flip(bytes, job.books[which] + of_books, 1 << rng.u32(0..64)),
            1 => job.first[which] ^= 1 << rng.u32(0..20),
            2 => job.book_bytes[which] += 8 * rng.usize(1..4),
            3 => job.book_bytes[which] = of_books as usize,
            4 => job.tokens = [0, unit.table.max_tokens, unit.table.max_tokens + 1, 16383][rng.usize(0..4)],
            5 => error(rng, job.books[which], job.book_bytes[which] as u64 / 8),
            6 => error(rng, job.rows[which], (job.tokens as u64).max(1) * row_words),
            7 => error(rng, any_vector, vector_words),
            8 => error(rng, job.result, vector_words + u64::from(unit.partial)),
            // the row that is appended
            9 => error(rng, job.rows[which] + job.tokens as u64 * 8 * row_words, row_words),
            10 => {
                let at = job.rows[which] + rng.u64(0..(job.tokens * unit.row_bytes()).max(1) as u64);
                bytes.write(at, &[rng.u8(..)]);
            }
            _ => {}
        }
        (job, errors)
    }

    /// Registers that say anything.
    pub fn anywhere(&self, rng: &mut Rng, address_bits: u32) -> HeadJob {
        let mut at = || rng.u64(..) >> (64 - address_bits) & !7;
        HeadJob {
            query: at(),
            vectors: [at(), at()],
            books: [at(), at()],
            rows: [at(), at()],
            result: at(),
            tokens: rng.usize(0..1 << 14),
            first: [rng.u32(0..1 << 20), rng.u32(0..1 << 20)],
            book_bytes: [8 * rng.usize(0..1000), 0],
            ..self.job
        }
    }

    /// Books are as before, and an index of each row is set to what its book has.
    pub fn mend(&self, unit: &HeadUnit, bytes: &mut SparseBytes, before: &SparseBytes) {
        for which in 0..2 {
            let books = before.read(self.job.books[which], self.job.book_bytes[which]);
            bytes.write(self.job.books[which], &books);
            let (at, count) = (self.job.rows[which], self.job.tokens * unit.row_bytes());
            let rows = bytes.read(at, count);
            let legal = rows.iter().zip(self.counts[which].iter().cycle());
            let rows: Vec<u8> = legal.map(|(index, count)| (*index).min((*count - 1) as u8)).collect();
            bytes.write(at, &rows);
        }
    }
}

/// Everything has a place of its own, a little behind its beginning.
pub(super) fn places(base: u64, offsets: [u64; 8]) -> HeadJob {
    let at = |place: usize| base + place as u64 * ROOM + offsets[place];
    HeadJob {
        query: at(0),
        vectors: [at(1), at(2)],
        result: at(3),
        books: [at(4), at(5)],
        rows: [at(6), at(7)],
        ..HeadJob::default()
    }
}

/// Writes words, and gives their bytes.
pub(super) fn write_words(bytes: &mut SparseBytes, at: u64, words: &[LoadWord]) -> usize {
    let all: Vec<u8> = words.iter().flat_map(|word| word.data.to_le_bytes()).collect();
    bytes.write(at, &all);
    all.len()
}

fn flip(bytes: &mut SparseBytes, at: u64, bits: u64) {
    let word: Vec<u8> = bytes.read(at, 8).iter().zip(bits.to_le_bytes()).map(|(byte, bits)| byte ^ bits).collect();
    bytes.write(at, &word);
}

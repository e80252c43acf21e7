//! The attention head (`hw::vq::attention_head`): what a job leaves in memory, and how it ends.

use super::tables::{LANES, TableCause, TableCommand, TableFault, TableUnit};
use crate::golden::attention::softmax::{largest_and_sum, softmax};
use crate::golden::faulty_memory::FaultyMemory;

/// A head: its parameters.
#[derive(Clone, Copy, Debug)]
pub struct HeadUnit {
    /// Books, with one index a group and one query. `max_tokens` are those of the head.
    pub table: TableUnit,
    /// Copies of the sums of weights (section 7, values by table).
    pub copies: usize,
    /// Bits of a byte address.
    pub address_bits: u32,
    /// A word with the largest score and the sum of the softmax is written behind the result.
    pub partial: bool,
}

/// What is asked for, and where everything lies: byte addresses, multiples of 8.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeadJob {
    /// The new key and value are encoded, and their rows are written.
    pub append: bool,
    /// The query attends to all tokens.
    pub attend: bool,
    /// Tokens that have rows before.
    pub tokens: usize,
    /// Numbers of the first books of keys and of values.
    pub first: [u32; 2],
    /// The query.
    pub query: u64,
    /// The new key and value.
    pub vectors: [u64; 2],
    /// Books of keys and of values.
    pub books: [u64; 2],
    /// Their bytes.
    pub book_bytes: [usize; 2],
    /// Rows of keys and of values.
    pub rows: [u64; 2],
    /// Where the weighted sum is written.
    pub result: u64,
}

/// Why a job failed, besides the causes of the units that work by table: codes.
pub mod outcome {
    /// The memory refused what was to be written.
    pub const WRITE: u32 = 13;
    /// A score is NaN or +infinity, or all are -infinity.
    pub const NONFINITE: u32 = 14;
    /// The query, key or value could not be read.
    pub const VECTOR: u32 = 15;
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct HeadEnd {
    /// 0 if all is well.
    pub outcome: u32,
    /// The stage that failed: 1 key, 2 value, 3 scores, 4 values, 5 result, 0 none.
    pub stage: u32,
    /// It is in the rows.
    pub in_rows: bool,
    /// Where.
    pub position: u32,
    /// Where the memory answered with an error first; [`BEYOND`](crate::golden::faulty_memory::BEYOND) if that was behind its last address.
    pub fault: Option<u64>,
}

impl HeadEnd {
    fn of(outcome: u32, stage: u32) -> HeadEnd {
        HeadEnd { outcome, stage, ..HeadEnd::default() }
    }
    fn fault(fault: TableFault, stage: u32) -> HeadEnd {
        let TableFault { cause, in_rows, position } = fault;
        HeadEnd { outcome: cause as u32, stage, in_rows, position, fault: None }
    }
}

impl HeadUnit {
    /// Bytes of a row of indices.
    pub fn row_bytes(&self) -> usize {
        self.table.positions
    }

    /// Does what a job asks for.
    pub fn run(&self, memory: &mut FaultyMemory, job: &HeadJob) -> HeadEnd {
        let total = job.tokens + usize::from(job.append);
        if total > self.table.max_tokens {
            return HeadEnd::of(TableCause::ManyTokens as u32, 0);
        }
        if job.attend && total == 0 {
            return HeadEnd::of(TableCause::NoTokens as u32, 0);
        }
        let mut all = || {
            if job.append {
                (0..2).try_for_each(|which| self.append(memory, job, which))?;
            }
            if job.attend {
                self.attend(memory, job, total)?;
            }
            Ok(())
        };
        let end = all().err().unwrap_or_default();
        HeadEnd { fault: memory.fault, ..end }
    }

    /// Encodes the new key (0) or value (1), and writes its row.
    fn append(&self, memory: &mut FaultyMemory, job: &HeadJob, which: usize) -> Result<(), HeadEnd> {
        let stage = which as u32 + 1;
        let query = memory.vector(job.vectors[which], self.table.query_numbers());
        let query = query.ok_or(HeadEnd::of(outcome::VECTOR, stage))?;
        let words = memory.words(job.books[which], job.book_bytes[which] / 8);
        let command = TableCommand { first: job.first[which], tokens: 0, query, words };
        let indices = self.table.encode(&command).map_err(|fault| HeadEnd::fault(fault, stage))?;
        let row: Vec<u8> = indices.iter().map(|index| *index as u8).collect();
        let at = u128::from(job.rows[which]) + (job.tokens * self.row_bytes()) as u128;
        // a row that begins behind the last address is refused by the head itself
        let legal = at >> self.address_bits == 0;
        match legal && memory.write(at as u64, &row) {
            true => Ok(()),
            false => Err(HeadEnd::of(outcome::WRITE, stage)),
        }
    }

    /// Scores, weights, the weighted sum, and its writing.
    fn attend(&self, memory: &mut FaultyMemory, job: &HeadJob, total: usize) -> Result<(), HeadEnd> {
        let of_rows = total * self.row_bytes() / 8;
        let query = memory.vector(job.query, self.table.query_numbers()).ok_or(HeadEnd::of(outcome::VECTOR, 3))?;
        let mut words = memory.words(job.books[0], job.book_bytes[0] / 8);
        words.extend(memory.words(job.rows[0], of_rows));
        let command = TableCommand { first: job.first[0], tokens: total, query, words };
        let (scores, end) = self.table.scores(&command, None);
        end.map_err(|fault| HeadEnd::fault(fault, 3))?;
        let scores: Vec<u16> = scores.iter().map(|score| score.scores[0]).collect();
        let (weights, nonfinite) = softmax(&scores);
        let mut words = memory.words(job.rows[1], of_rows);
        words.extend(memory.words(job.books[1], job.book_bytes[1] / 8));
        let command = TableCommand { first: job.first[1], tokens: total, query: weights, words };
        let sum = self.table.values(&command, None, self.copies).map_err(|fault| HeadEnd::fault(fault, 4))?;
        let mut bytes: Vec<u8> = sum.iter().flatten().flat_map(|x| x.to_le_bytes()).collect();
        if self.partial {
            let [largest, sum] = largest_and_sum(&scores).unwrap_or([NAN; 2]);
            bytes.extend([largest, sum, 0, 0].iter().flat_map(|x| x.to_le_bytes()));
        }
        match (memory.write(job.result, &bytes), nonfinite) {
            (false, _) => Err(HeadEnd::of(outcome::WRITE, 5)),
            (true, true) => Err(HeadEnd::of(outcome::NONFINITE, 5)),
            (true, false) => Ok(()),
        }
    }
}

/// What stands for a largest score and a sum that are not numbers.
const NAN: u16 = 0x7e00;

const _: () = assert!(LANES == 8, "a row is a byte a position");

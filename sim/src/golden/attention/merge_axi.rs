//! The merging over AXI (`hw::attention::merge_axi`): what a job leaves in memory, and how it ends.

use super::merge::{Partial, merge};
use crate::golden::faulty_memory::FaultyMemory;

/// The unit: its parameters.
#[derive(Clone, Copy, Debug)]
pub struct MergeAxiUnit {
    /// The most parts.
    pub parts: usize,
    /// Numbers of a vector.
    pub numbers: usize,
    /// Bits of a byte address.
    pub address_bits: u32,
}

/// What is asked for, and where everything lies: byte addresses, multiples of 8.
#[derive(Clone, Copy, Debug)]
pub struct MergeAxiJob {
    /// Parts that are merged.
    pub parts: usize,
    /// Partial results, one behind the other.
    pub partial: u64,
    /// Where the result is written.
    pub result: u64,
}

/// How a job ended: codes.
pub mod outcome {
    /// A part's largest score or sum is not legal.
    pub const PART: u32 = 1;
    /// There are more parts than there is room for.
    pub const MANY: u32 = 2;
    /// A partial result could not be read.
    pub const READ: u32 = 5;
    /// The memory refused the result.
    pub const WRITE: u32 = 6;
    /// There are no parts.
    pub const NO_PARTS: u32 = 7;
}

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct MergeAxiEnd {
    /// 0 if all is well.
    pub outcome: u32,
    /// The first part that is wrong, with [`outcome::PART`].
    pub part: u32,
    /// Where the memory answered with an error first; [`BEYOND`](crate::golden::faulty_memory::BEYOND) if that was behind its last address.
    pub fault: Option<u64>,
}

impl MergeAxiUnit {
    /// Bytes of a partial result: a vector and the word behind it.
    pub fn stride(&self) -> u64 {
        2 * self.numbers as u64 + 8
    }

    /// Does what a job asks for.
    pub fn run(&self, memory: &mut FaultyMemory, job: &MergeAxiJob) -> MergeAxiEnd {
        let end = |outcome, fault| MergeAxiEnd { outcome, part: 0, fault };
        if job.parts > self.parts || job.parts == 0 {
            return end(if job.parts == 0 { outcome::NO_PARTS } else { outcome::MANY }, None);
        }
        let behind = u128::from(job.partial) + job.parts as u128 * u128::from(self.stride());
        if behind > 1 << self.address_bits {
            return end(outcome::READ, None);
        }
        let at = |part: usize| job.partial + part as u64 * self.stride();
        // the last words of all parts are read before the vectors
        let last = |part: usize| memory.vector(at(part) + (self.stride() - 8), 4);
        let statistics: Vec<_> = (0..job.parts).map(last).collect();
        let vectors: Vec<_> = (0..job.parts).map(|part| memory.vector(at(part), self.numbers)).collect();
        let part = |(statistics, vector): (Option<Vec<u16>>, Option<Vec<u16>>)| {
            let statistics = statistics?;
            Some(Partial { largest: statistics[0], sum: statistics[1], vector: vector? })
        };
        let Some(parts) = statistics.into_iter().zip(vectors).map(part).collect::<Option<Vec<Partial>>>() else {
            return end(outcome::READ, memory.fault);
        };
        let (result, wrong) = merge(&parts);
        let bytes: Vec<u8> = result.iter().flat_map(|x| x.to_le_bytes()).collect();
        if !memory.write(job.result, &bytes) {
            return end(outcome::WRITE, memory.fault);
        }
        wrong.map_or_else(MergeAxiEnd::default, |part| MergeAxiEnd {
            outcome: outcome::PART,
            part: part as u32,
            fault: None,
        })
    }
}

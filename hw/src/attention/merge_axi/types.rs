//! Parameters of the merging over AXI, and how a job ends.

use crate::attention::merge::{MAX_PARTS, MergeParams};
use crate::memory::axi::AxiParams;
use crate::memory::mover::MoverParams;
use hdl::*;

/// log2 of the bytes of a word of the bus.
pub(super) const WORD_SHIFT: u32 = 3;
/// Bits of a number of bytes that are read or written together.
pub(super) const LENGTH_BITS: u32 = 13;

/// The parameters of the merging over AXI.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeAxiParams {
    /// The most parts, 2 to 8.
    pub parts: u32,
    /// Numbers of a vector: a multiple of 16 from 32 to 512.
    pub numbers: u32,
    /// Bits of a byte address, 22 to 64.
    pub address_bits: u32,
}

impl MergeAxiParams {
    /// The unit behind the bus.
    pub fn merge(self) -> MergeParams {
        MergeParams { parts: self.parts, numbers: self.numbers, lanes: 4 }
    }
    /// The ports to memory.
    pub fn axi(self) -> AxiParams {
        AxiParams { data_bytes: 1 << WORD_SHIFT, address_bits: self.address_bits, id_bits: 0 }
    }
    pub(super) fn mover(self) -> MoverParams {
        MoverParams::words(self.axi(), LENGTH_BITS)
    }
    /// Bits of the number of a part that there is.
    pub(super) fn part_bits(self) -> u32 {
        clog2(self.parts as usize)
    }
    /// Bits of the number of a word of the memory.
    pub(super) fn word_bits(self) -> u32 {
        self.address_bits - WORD_SHIFT
    }
    /// An error if a parameter is not legal; `module` is the unit.
    #[track_caller]
    pub fn check(self, module: &str) -> Result<(), Errors> {
        let MergeAxiParams { address_bits, .. } = self;
        if !(22..=64).contains(&address_bits) {
            let help = "from 22 to 64, as for a head";
            return Err(Errors::parameter(module, format!("address_bits = {address_bits}"), help));
        }
        self.merge().check(module)
    }
}

/// A job that is under way.
#[derive(Clone, Copy)]
pub(super) struct Job {
    /// It is taken or refused in this cycle.
    pub(super) starts: Signal,
    /// It begins in this cycle.
    pub(super) begins: Signal,
    /// It is under way.
    pub(super) runs: Signal,
    /// It ends in this cycle.
    pub(super) ends: Signal,
    /// The number of its last part.
    pub(super) last: Signal,
    /// It does not begin, for this reason; 0 if nothing is refused in this cycle.
    pub(super) refused: Signal,
}

/// Cycles of a job, at most, besides its words, the unit's, and two accesses of the memory: for the first word and for the response to the result.
pub const OVERHEAD: u32 = 60;

/// How a job ended, beside the outcomes of [`MergeOutcome`](crate::attention::merge::MergeOutcome).
pub(super) mod outcome {
    /// Bits of an outcome.
    pub const BITS: u32 = 3;
    /// Bits of the number of a part.
    pub const PART_BITS: u32 = 4;
    /// A partial result could not be read.
    pub const READ: u32 = 5;
    /// The memory refused the result.
    pub const WRITE: u32 = 6;
    /// There are no parts.
    pub const NO_PARTS: u32 = 7;
}
const _: () = assert!(MAX_PARTS < 1 << outcome::PART_BITS);

//! What the host says to an Oaken cache, and what it answers: packets of bytes ([page](../../../../docs/blocks/oaken_cache.md)).

use super::params::CacheParams;
use crate::oaken::mmu::params::{Group, group};
use hdl::{Bundle, Signal, bits, clog2};

/// Bytes in front of a packet's vector.
pub const COMMAND_BYTES: u32 = 9;
/// Bytes of an answer.
pub const ANSWER_BYTES: u32 = 5;

/// What a command asks for.
pub mod operation {
    /// Nothing but an answer.
    pub const SYNC: u32 = 0;
    /// A request begins, empty.
    pub const OPEN: u32 = 1;
    /// A request ends.
    pub const RELEASE: u32 = 2;
    /// The vector behind the command is appended.
    pub const APPEND: u32 = 3;
    /// The history of a head is read.
    pub const READ: u32 = 4;
}

/// How a command ended, beside the outcomes of the [MMU](crate::oaken::mmu::commands::Outcome).
pub mod outcome {
    /// It was done.
    pub const OKAY: u32 = 0;
    /// There is no such request, layer, head or setting.
    pub const ADDRESS: u32 = 1;
    /// The record was malformed.
    pub const RECORD: u32 = 7;
    /// No such command: too short, no such operation, a vector behind one that has none.
    pub const NOT_UNDERSTOOD: u32 = 8;
    /// The vector has another length, and was not appended.
    pub const LENGTH: u32 = 9;
}

/// Bits of an outcome.
pub(super) const OUTCOME_BITS: u32 = 4;

/// A command, as far as it has been looked at.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Command {
    /// What it asks for, as it came.
    pub operation: Signal,
    /// Comes back with the answer.
    pub tag: Signal,
    /// Why it is not done, or [`outcome::OKAY`].
    pub verdict: Signal,
    /// Whose keys or values.
    pub group: Group,
    /// Number of the head.
    pub head: Signal,
    /// The first so many tokens; 0: all.
    pub tokens: Signal,
    /// Number of the setting.
    pub setting: Signal,
}

/// The shape of a command.
pub(super) fn command(p: CacheParams) -> Command {
    Command {
        operation: bits(8),
        tag: bits(8),
        verdict: bits(OUTCOME_BITS),
        group: group(p.mmu),
        head: bits(clog2(p.mmu.heads as usize)),
        tokens: bits(p.mmu.token_bits()),
        setting: bits(p.mmu.tag_bits),
    }
}

//! The commands of the MMU, and how they end.

use super::params::{Group, MmuParams, group, request};
use crate::oaken::slices;
pub use crate::oaken::slices::History;
use hdl::{Bundle, Signal, State, StateSignal, bits, clog2, state};

/// A vector that comes is to be appended.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Append {
    /// Where to.
    pub group: Group,
    /// Comes back with the answer.
    pub tag: Signal,
}

/// The shape of an append.
pub fn append(p: MmuParams) -> Append {
    Append { group: group(p), tag: bits(p.tag_bits) }
}

/// The history of a head is to be read.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Read {
    /// Whose.
    pub group: Group,
    /// Number of the head.
    pub head: Signal,
    /// The first so many tokens; 0, or more than there are: all.
    pub tokens: Signal,
    /// Comes back with the answer.
    pub tag: Signal,
}

/// The shape of a read.
pub fn read(p: MmuParams) -> Read {
    let (head, tokens) = (bits(clog2(p.heads as usize)), bits(p.token_bits()));
    Read { group: group(p), head, tokens, tag: bits(p.tag_bits) }
}

/// The shape of a history that comes.
pub fn history(p: MmuParams) -> History {
    slices::history(p.token_bits(), p.tag_bits)
}

/// A request begins or ends.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Control {
    /// 0: open, 1: release.
    pub release: Signal,
    /// Number of the request.
    pub request: Signal,
    /// Comes back with the answer.
    pub tag: Signal,
}

/// The shape of the begin or end of a request.
pub fn control(p: MmuParams) -> Control {
    Control { release: bits(1), request: request(p), tag: bits(p.tag_bits) }
}

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, State)]
#[state(width = 3)]
pub enum Outcome {
    /// It was done.
    Okay = 0,
    /// There is no such request, layer or head.
    Address = 1,
    /// The request is not open.
    Closed = 2,
    /// The request is open already.
    Open = 3,
    /// The request has as many tokens as it may.
    Tokens = 4,
    /// There might not be enough pages for all its heads.
    Pages = 5,
    /// The bus answered with an error.
    Bus = 6,
    /// The record was malformed: see the slice splitter.
    Record = 7,
}

/// An append, open or release is over.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Answer {
    /// That of the command.
    pub tag: Signal,
    /// How it ended.
    pub outcome: StateSignal<Outcome>,
}

/// The shape of an answer.
pub fn answer(p: MmuParams) -> Answer {
    Answer { tag: bits(p.tag_bits), outcome: state() }
}

/// A read is over.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct ReadAnswer {
    /// That of the command.
    pub tag: Signal,
    /// How it ended.
    pub outcome: StateSignal<Outcome>,
    /// Tokens that were asked of memory.
    pub tokens: Signal,
}

/// The shape of the answer to a read.
pub fn read_answer(p: MmuParams) -> ReadAnswer {
    ReadAnswer { tag: bits(p.tag_bits), outcome: state(), tokens: bits(p.token_bits()) }
}

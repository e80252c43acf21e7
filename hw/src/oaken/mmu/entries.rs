//! What the tables of the MMU know: an entry for each group, and one for each stream.

use super::params::MmuParams;
use hdl::{Bundle, Signal, bits};

/// What the table knows of a group.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct GroupEntry {
    /// Which copy of its streams' entries counts.
    pub copy: Signal,
    /// Tokens that each stream has.
    pub tokens: Signal,
}

/// The shape of a group's entry.
pub fn group_entry(p: MmuParams) -> GroupEntry {
    GroupEntry { copy: bits(1), tokens: bits(p.token_bits()) }
}

/// What the table knows of a stream.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct StreamEntry {
    /// Its first page, if it has bytes.
    pub first: Signal,
    /// Its last page, if it has bytes.
    pub tail: Signal,
    /// Its bytes.
    pub bytes: Signal,
    /// The last append took a page.
    pub grew: Signal,
}

/// The shape of a stream's entry.
pub fn stream_entry(p: MmuParams) -> StreamEntry {
    let page = bits(p.page_bits());
    StreamEntry { first: page, tail: page, bytes: bits(p.bytes_bits()), grew: bits(1) }
}

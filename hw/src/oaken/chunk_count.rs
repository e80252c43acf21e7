//! The byte in front of a chunk's entries that says how many there are, 0 to 64 (docs/oaken-format.md, section 3). Whatever reads a count asks here.

use hdl::*;

/// What a count byte says.
#[derive(Clone, Copy, Bundle)]
pub struct ChunkCount {
    /// Entries of the chunk; 64 where the byte says more.
    pub count: Signal,
    /// The byte says more.
    pub too_many: Signal,
}

/// What this byte says.
#[module]
pub fn chunk_count(byte: Signal) -> ChunkCount {
    let most = byte.drop_low(6).any();
    let too_many = byte.msb() | (most & byte.trunc(6).any());
    let count = most.cat(byte.trunc(6) & (!most).repeat(6));
    ChunkCount { count, too_many }
}

//! The place of the walker: a register, and where there are many bytes to look at, copies of its word's address.
//!
//! A chunk in every cycle leads from the place through all maps of the bytes back to the place. With 64 bytes a word, one register's wires to
//! all of their LUT RAMs take longer than what they lead to.

use super::copies::{HeldCopyPorts, held_copies};
use super::sparse_ring::*;
use super::types::*;
use hdl::*;

/// Where the walker is.
pub struct Place {
    /// The place.
    pub at: Signal,
    /// Copies of the address of its word among the newest, one for each part of the bytes; none where one register is enough.
    pub addresses: Vec<Signal>,
    copies: Vec<HeldCopyPorts>,
    p: EngineParams,
}

/// A way on.
pub struct Move {
    /// It is gone.
    pub moves: Signal,
    /// Where to.
    pub to: Signal,
}

/// The place, 0 at first.
#[module]
pub fn place(m: Module, p: EngineParams) -> Result<Place, Errors> {
    let place = m.reg_reset(bits(place_bits(p)), 0);
    place.comment("behind the open chunk, where the next count is; or where the next word is");
    // where a chunk takes a cycle
    let parts = if p.chunk_beats() == 1 { p.sparse_bytes() as usize / 16 } else { 0 };
    let copies = held_copies(m, NEWEST.ilog2(), parts)?;
    for copy in &copies {
        m.assert(
            copy.y.eq(address(place.drop_low(byte_bits(p)), NEWEST)),
            "a copy of the place says where the place is",
        );
    }
    let addresses = copies.iter().map(|copy| copy.y).collect();
    Ok(Place { at: place, addresses, copies, p })
}

impl Place {
    /// From chunk to chunk `within` a record, or from its end on.
    // without names of its own: where there are no copies, each expression stands where it is used
    pub fn go(&self, m: Module, within: Signal, to_chunk: Move, to_record: Move) {
        // what decides between the two is known early, what is looked up comes late
        let moves = within.mux(to_chunk.moves, to_record.moves);
        let to = within.mux(to_chunk.to, to_record.to);
        m.when(moves, || self.at.set(to));
        for copy in &self.copies {
            copy.enable.set(moves);
            copy.x.set(address(to.drop_low(byte_bits(self.p)), NEWEST));
        }
    }
}

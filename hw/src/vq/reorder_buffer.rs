//! Reorder buffer of a lane: entries come in any order, and are read in that of their beats.
//!
//! | port | |
//! | --- | --- |
//! | `begins`, `slot`, `none` | a beat begins, with this number, modulo [`DEPTH`]; the lane looks nothing up for it |
//! | `comes`, `of`, `entry` | the entry for a beat |
//! | `head` | the oldest beat |
//! | `done`, `oldest` | all that the lane has to do for it is done; its entry. Both follow `head` within the cycle |
//!
//! - Parameters: bits of an entry. At most [`DEPTH`] beats are under way. Latency: an entry is there in the cycle behind the one in which it came.

use super::banked_types::{DEPTH, SLOT_BITS};
use hdl::*;

ports! {
    /// Ports of a reorder buffer.
    pub struct ReorderBufferPorts(entry_bits: u32) {
        /// A beat begins.
        input begins: Signal = bits(1),
        /// Its number.
        input slot: Signal = bits(SLOT_BITS),
        /// Nothing is looked up for it.
        input none: Signal = bits(1),
        /// An entry comes.
        input comes: Signal = bits(1),
        /// The number of its beat.
        input of: Signal = bits(SLOT_BITS),
        /// The entry.
        input entry: Signal = bits(entry_bits),
        /// The oldest beat.
        input head: Signal = bits(SLOT_BITS),
        /// Its entry is there, or none is wanted.
        output done: Signal = bits(1),
        /// Its entry.
        output oldest: Signal = bits(entry_bits),
    }
}

/// A reorder buffer.
#[module]
pub fn reorder_buffer(entry_bits: u32) -> Result<Design<ReorderBufferPorts>, Errors> {
    let m = Module::new(format!("reorder_buffer_{entry_bits}"));
    m.doc("Entries come in any order, and are read in that of their beats.");
    let io = ReorderBufferPorts::new(m, entry_bits);
    let entries = m.memory(bits(entry_bits), DEPTH as usize).style(RamStyle::Distributed);
    entries.write(io.of, io.entry, io.comes);
    io.oldest.set(entries.read(io.head));
    let done = m.reg_reset(vector(bits(1), DEPTH as usize), 0);
    m.when(io.comes, || done.at(io.of).set(1));
    m.when(io.begins, || done.at(io.slot).set(io.none));
    io.done.set(done.at(io.head));
    m.finish(io)
}

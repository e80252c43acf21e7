//! Where the packets of the sparse part end that are in the ring, the oldest first.

use super::sparse_ring::*;
use super::types::*;
use super::walker_words::Arrived;
use hdl::logic::{UpDown, index_of_one_hot};
use hdl::*;

/// Shape of a [`PacketEnd`].
pub fn packet_end(p: EngineParams) -> PacketEnd {
    let word = bits(word_bits(p));
    PacketEnd { at: bits(place_bits(p)), next_word: word, last_word: word }
}

/// Packets that may wait, each of a word at least: the newest words, and those that the walker has just left.
const MOST: u32 = 2 * NEWEST;

/// Where a packet ends.
#[derive(Clone, Copy, Bundle)]
pub struct PacketEnd {
    /// The place behind its last byte.
    pub at: Signal,
    /// The word behind its last one.
    pub next_word: Signal,
    /// Its last word.
    pub last_word: Signal,
}

/// The ends of packets that have come, the oldest first.
pub struct PacketEnds {
    /// There is one.
    pub known: Signal,
    pub end: PacketEnd,
    /// A wire: it is passed.
    pub leave: Signal,
}

/// Keeps the ends of packets whose last word has come; to `flush`, forgets them.
#[module]
pub fn packet_ends(m: Module, arrived: Arrived, head: Signal, flush: Signal, p: EngineParams) -> PacketEnds {
    let (oldest, newest) = (m.reg_reset(bits(word_bits(p)), 0), m.reg_reset(bits(word_bits(p)), 0));
    let ends = m.memory(packet_end(p), MOST as usize);
    let ends = ends.style(RamStyle::Distributed);
    let leave = m.wire(bits(1));
    let comes = arrived.valid & arrived.word.last;
    let next_word = head + 1;
    // where the ones end; of bytes that are kept behind others that are not, anything within the word
    let keep = arrived.word.keep;
    let kept = index_of_one_hot((keep & !(keep >> 1u32)).trunc(keep.width() - 1).cat(keep.zeros(1)));
    let at = keep.all().mux(next_word.cat(kept.zeros(kept.width())), head.cat(kept));
    ends.write(address(newest, MOST), PacketEnd { at, next_word, last_word: head }, comes);
    m.when(comes, || newest.set(newest + 1));
    m.when(leave, || oldest.set(oldest + 1));
    let waiting = UpDown::new(m, MOST);
    waiting.count(comes, leave);
    let known = m.reg_reset(bits(1), 0);
    known.set(comes | (known & !(leave & waiting.level.eq(1))));
    m.when(flush, || {
        oldest.set(newest);
        waiting.level.set(0);
        known.set(false);
    });
    PacketEnds { known, end: ends.read(address(oldest, MOST)), leave }
}

//! Where the packets of the sparse part end that are in the ring, the oldest first. That one stands in registers: whether the walker
//! is behind it decides on its next step, and a memory would be in front of that.

use super::sparse_ring::*;
use super::types::*;
use super::walker_words::Arrived;
use hdl::logic::{UpDown, index_of_one_hot};
use hdl::*;

/// Shape of a [`PacketEnd`].
pub fn packet_end(p: EngineParams) -> PacketEnd {
    let word = bits(word_bits(p));
    PacketEnd { at: bits(place_bits(p)), next_word: word, last_word: word, empty: bits(1) }
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
    /// No byte of that is kept: no record ends so, since the walker may be done with the word before it when this one comes.
    pub empty: Signal,
}

/// The ends of packets that have come, the oldest first.
pub struct PacketEnds {
    /// There is one; a register.
    pub known: Signal,
    /// Registers.
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
    let coming = PacketEnd { at, next_word, last_word: head, empty: !keep.any() };
    let known = m.reg_reset(bits(1), 0);
    let end = m.reg_reset(packet_end(p), 0);
    end.at.comment("of the oldest one, if it is `known`");
    let waiting = UpDown::new(m, MOST);
    waiting.level.comment("ends behind the oldest one");
    let others = m.reg_reset(bits(1), 0).comment("`waiting` is not 0");
    let next = others.mux(ends.read(address(oldest, MOST)), coming);
    let takes = leave | !known;
    m.when(takes, || {
        known.set(others | comes);
        end.set(next);
    });
    // also one that goes into the registers at once: what the walker does comes late
    ends.write(address(newest, MOST), coming, comes);
    m.when(comes, || newest.set(newest + 1));
    let goes = takes & (others | comes);
    m.when(goes, || oldest.set(oldest + 1));
    waiting.count(comes, goes);
    let one = waiting.level.eq(1);
    others.set(takes.mux(others & (comes | !one), others | comes));
    m.when(flush, || {
        oldest.set(newest);
        waiting.level.set(0);
        others.set(false);
        known.set(false);
    });
    PacketEnds { known, end, leave }
}

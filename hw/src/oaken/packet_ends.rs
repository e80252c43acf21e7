//! Where the packets of the sparse part end that are in the ring, the oldest first.

use super::record_walker::Arrived;
use super::sparse_ring::*;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// Shape of a [`PacketEnd`].
pub fn packet_end(p: EngineParams) -> PacketEnd {
    let word = bits(word_bits(p));
    PacketEnd { at: bits(place_bits(p)), next_word: word, last_word: word }
}

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
    let ends = m.memory(packet_end(p), NEWEST as usize);
    let ends = ends.style(RamStyle::Distributed);
    let leave = m.wire(bits(1));
    let comes = arrived.valid & arrived.word.last;
    let next_word = head + 1;
    let kept = length_of_ones(arrived.word.keep);
    let at = head.cat(kept.zeros(byte_bits(p))) + kept.zext(place_bits(p));
    ends.write(address(newest, NEWEST), PacketEnd { at, next_word, last_word: head }, comes);
    m.when(comes, || newest.set(newest + 1));
    m.when(leave, || oldest.set(oldest + 1));
    let waiting = UpDown::new(m, NEWEST);
    waiting.count(comes, leave);
    let known = m.reg_reset(bits(1), 0);
    known.set(comes | (known & !(leave & waiting.level.eq(1))));
    m.when(flush, || {
        oldest.set(newest);
        waiting.level.set(0);
        known.set(false);
    });
    PacketEnds { known, end: ends.read(address(oldest, NEWEST)), leave }
}

/// How many bits are 1 below the first 0: the halves are searched for it.
fn length_of_ones(x: Signal) -> Signal {
    let half = x.width() / 2;
    if half == 0 {
        return x;
    }
    let low_full = x.trunc(half).all();
    let rest = length_of_ones(low_full.mux(x.drop_low(half), x.trunc(half)));
    // of `rest`, the highest bit says that the searched half is full
    let all = low_full & rest.msb();
    let top = all.cat(low_full & !all);
    if half == 1 { top } else { top.cat(rest.trunc(rest.width() - 1)) }
}

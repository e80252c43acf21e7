//! Takes the words of the sparse part for the ring and for the walker, as long as both have room.

use super::sparse_ring::*;
use super::types::*;
use hdl::*;

/// A word on its way into the ring, in registers.
#[derive(Clone, Copy)]
pub struct Arrived {
    /// There is one.
    pub comes: Signal,
    /// It goes in.
    pub valid: Signal,
    /// Its bytes.
    pub word: SparseWord,
    /// Its address among the newest.
    pub address: Signal,
}

/// Words that are in the ring, and where the walker is.
pub struct Ring {
    /// The number of the word that comes next.
    pub head: Signal,
    /// The one before it.
    pub newest: Signal,
    /// From this word on, the ring is needed.
    pub tail: Signal,
    /// The first word that the walker still looks at.
    pub looks_from: Signal,
}

/// Takes words while there is room. To `flush`, takes and drops all.
#[module]
pub fn arrive(m: Module, s: Stream<SparseWord>, flush: Signal, ring: Ring, p: EngineParams) -> Arrived {
    let Ring { head, newest, tail, looks_from } = ring;
    let has_room = m.reg_reset(bits(1), 0);
    let taken = m.reg_reset(bits(word_bits(p)), 0).comment("the number of the next word that is taken");
    let taken_then = taken + s.transfer().zext(word_bits(p));
    let ring_has_room = (taken_then - tail).lt(words(p));
    // the walker may be ahead of the words; it keeps as many as it has NEWEST places for
    let ahead = taken_then - looks_from;
    let walker_has_room = if words(p) == NEWEST { ahead.lit(1u32, 1) } else { ahead.bit(4).eq(ahead.bit(5)) };
    has_room.set(ring_has_room & walker_has_room);
    s.ready.set(has_room | flush);
    taken.set(flush.mux(head, taken_then));
    let word = m.reg(sparse_word(p.sparse_bytes()));
    let comes = m.reg_reset(bits(1), 0).comment("a word is there");
    comes.set(s.transfer() & !flush);
    // whatever it says, all bytes of a word before the last one are kept: a record has no gaps
    let x = s.payload;
    word.set(SparseWord { keep: x.keep | (!x.last).repeat(x.keep.width()), ..x });
    let valid = comes & !flush;
    m.when(valid, || {
        head.set(head + 1);
        newest.set(head);
    });
    Arrived { comes, valid, word, address: address(head, NEWEST) }
}

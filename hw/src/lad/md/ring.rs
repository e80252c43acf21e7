//! The active positions of passes in a ring: those of a pass are given away when all have their scores, or forgotten together.

use super::super::apid_types::MODE_BITS;
use super::super::interval_search::X_BITS;
use super::super::md_types::MdParams;
use hdl::*;

/// An active position with its accurate score.
#[derive(Clone, Copy, Bundle)]
pub(super) struct Scored {
    pub(super) position: Signal,
    pub(super) mode: Signal,
    /// The score less the maximum.
    pub(super) x: Signal,
}

fn scored(p: MdParams) -> Scored {
    Scored { position: bits(p.position_bits()), mode: bits(MODE_BITS), x: bits(X_BITS) }
}

/// A ring with room for the longest list. Its places are taken when a score is asked for, so a score that comes has a place whatever happens behind the ring.
/// Pointers have a bit more than the places, which tells a full ring from an empty one.
pub(super) struct Ring {
    words: Memory<Scored>,
    /// The first place of the pass that is collected.
    begin: Signal,
    /// The next place that is taken.
    end: Signal,
    /// The next one that is written.
    written: Signal,
    /// The oldest one.
    head: Signal,
}

impl Ring {
    #[module]
    pub(super) fn new(m: Module, p: MdParams) -> Ring {
        m.section("the ring of active positions");
        let words = m.memory(scored(p), 1 << p.position_bits()).style(RamStyle::Block);
        words.attribute("no_rw_check", ""); // what is read was given away before
        let pointer = || m.reg_reset(bits(p.position_bits() + 1), 0);
        let begin = pointer().comment("the first place of the pass that is collected");
        let end = pointer().comment("the next place that is taken");
        let written = pointer().comment("the next one that is written");
        let head = pointer().comment("the oldest one");
        Ring { words, begin, end, written, head }
    }

    /// Bits of a place.
    fn bits(&self) -> u32 {
        self.end.width() - 1
    }

    /// There is a free place.
    pub(super) fn has_room(&self) -> Signal {
        !((self.end.msb() ^ self.head.msb()) & self.end.trunc(self.bits()).eq(self.head.trunc(self.bits())))
    }

    /// All places that were taken are written.
    pub(super) fn is_written(&self) -> Signal {
        self.written.eq(self.end)
    }

    /// How many places the pass has taken.
    pub(super) fn taken(&self) -> Signal {
        self.end - self.begin
    }

    /// The place behind the last one of the pass.
    pub(super) fn end(&self) -> Signal {
        self.end
    }

    /// Takes a place.
    pub(super) fn take(&self, m: Module, takes: Signal) {
        m.when(takes, || self.end.set(self.end + 1));
    }

    /// Writes the next one.
    pub(super) fn write(&self, m: Module, word: Scored, writes: Signal) {
        self.words.write(self.written.trunc(self.bits()), word, writes);
        m.when(writes, || self.written.set(self.written + 1));
    }

    /// A pass ends: its places are given away, or free again.
    pub(super) fn close(&self, m: Module, ends: Signal, forgets: Signal) {
        m.when(ends & !forgets, || self.begin.set(self.end));
        m.when(ends & forgets, || {
            self.end.set(self.begin);
            self.written.set(self.begin);
        });
    }

    /// The oldest place.
    pub(super) fn oldest(&self) -> Signal {
        self.head
    }

    /// The oldest place is free again.
    pub(super) fn free(&self, m: Module, frees: Signal) {
        m.when(frees, || self.head.set(self.head + 1));
    }

    /// What stands at a place, a cycle later.
    pub(super) fn read(&self, place: Signal) -> Scored {
        self.words.read_sync(place.trunc(self.bits()))
    }
}

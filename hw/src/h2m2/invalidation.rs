//! Invalidation: empties the sets of a range of pages, and tells when no answer comes from an old entry any more.
//!
//! | port | |
//! | --- | --- |
//! | `pages` | ranges of pages; one at a time |
//! | `cancel` | in the cycle in which a range is taken: walks that are under way are out of date |
//! | `flush_set` | sets to be emptied |
//! | `epoch` | register: that of requests which are taken now |
//! | `epoch_flips` | register: this is the first cycle of the epoch: what is taken from now on does not find what was in the sets |
//! | `answered` | all requests of before the last flip are answered |
//! | `unused` | a bit for each epoch: none of its translations was in use in the cycle before |
//! | `done` | one cycle: the range is invalid |
//! | `drained` | nothing of before the last range that is done is in use; at least once before the next flip |
//! | `starts` | register: after a reset, until all sets are emptied. No request may be taken |
//!
//! Parameters: those of [`MmuParams`]. Combinational paths: `pages_valid` to `cancel`; `unused` to `drained`.

use super::params::*;
use super::types::*;
use hdl::*;

ports! {
    /// Ports of [`invalidation`].
    pub struct InvalidationPorts(p: MmuParams) {
        /// What is to be invalidated.
        input pages: Stream<Pages> = stream(pages(p)),
        /// Walks under way are out of date.
        output cancel: Signal = bits(1),
        /// Sets to be emptied.
        output flush_set: Stream = stream(bits(p.set_bits())),
        /// The epoch begins.
        output epoch_flips: Signal = bits(1),
        /// Epoch of requests taken now.
        output epoch: Signal = bits(1),
        /// All requests from before the last flip are answered.
        input answered: Signal = bits(1),
        /// For each epoch: none of its translations was in use.
        input unused: Signal = bits(2),
        /// The range is invalid.
        output done: Signal = bits(1),
        /// Nobody uses what was before the last range.
        output drained: Signal = bits(1),
        /// The sets hold anything.
        output starts: Signal = bits(1),
    }
}

#[derive(Clone, Copy, State)]
enum Phase {
    Idle,
    /// Sets are emptied.
    Empty,
    /// The last one is written.
    Settle,
    /// Nothing of the other epoch may be in use.
    Flip,
    /// Requests of before are answered.
    Answer,
}

/// Cycles from a set that is taken to the first lookup that cannot find what was in it.
const SETTLE: u32 = 7;

/// The invalidation of ranges of pages.
#[module]
pub fn invalidation(p: MmuParams) -> Result<Design<InvalidationPorts>, Errors> {
    let m = Module::new(p.name("h2m2_invalidation"));
    m.doc("Empties the sets of a range of pages.");
    let io = InvalidationPorts::new(m, p);
    let phase = m.state(Phase::Empty);
    let starts = m.reg_reset(bits(1), 1).comment("all sets are emptied first");
    let epoch = m.reg_reset(bits(1), 0);
    let set = m.reg_reset(bits(p.set_bits()), 0);
    let more = m.reg_reset(bits(p.set_bits()), p.sets() - 1).comment("sets that follow");
    let settle = m.reg_reset(bits(3), SETTLE);

    let Pages { first, last } = io.pages.payload;
    let count = last - first;
    let whole = count.drop_low(p.set_bits()).any();
    io.pages.ready.set(phase.is(Phase::Idle));
    io.cancel.set(io.pages.transfer());
    io.flush_set.valid.set(phase.is(Phase::Empty));
    io.flush_set.payload.set(set);
    let unused = epoch.mux(io.unused.bit(0), io.unused.bit(1)).named("unused_other");
    let flips = phase.is(Phase::Flip) & unused;
    let flipped = m.reg_reset(bits(1), 0);
    flipped.set(flips);
    io.epoch_flips.set(flipped);
    // requesters know of the flip a cycle later
    let ends = phase.is(Phase::Answer) & io.answered & !flipped;
    let (loads, steps) = (phase.is(Phase::Idle), phase.is(Phase::Empty) & io.flush_set.ready);
    m.when(loads | steps, || {
        set.set(loads.mux(first.trunc(p.set_bits()), set + 1));
        more.set(loads.mux(count.trunc(p.set_bits()) | whole.repeat(p.set_bits()), more - 1));
    });
    m.switch(phase, |s| {
        s.case(Phase::Idle, || {
            settle.set(SETTLE);
            m.when(io.pages.valid, || phase.set(Phase::Empty));
        });
        s.case(Phase::Empty, || {
            m.when(io.flush_set.ready & !more.any(), || phase.set(Phase::Settle));
        });
        s.case(Phase::Settle, || {
            settle.set(settle - 1);
            m.when(!settle.any(), || phase.set(Phase::Flip));
        });
        s.case(Phase::Flip, || {
            m.when(flips, || {
                epoch.set(!epoch);
                phase.set(Phase::Answer);
            });
        });
        s.case(Phase::Answer, || m.when(ends, || phase.set(Phase::Idle)));
    });
    m.when(ends, || starts.set(false));
    io.epoch.set(epoch);
    io.starts.set(starts);
    io.done.set(ends & !starts);
    // the next flip waits for it, too: so who waits for it sees it, however soon the next range comes
    io.drained.set(!phase.is(Phase::Answer) & unused & !starts);
    m.finish(io)
}

#[cfg(test)]
mod tests;

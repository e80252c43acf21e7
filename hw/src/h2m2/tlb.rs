//! The sets of a TLB: a lookup in every cycle, entries in block RAM, a word of it for each way.
//!
//! | port | |
//! | --- | --- |
//! | `look` | a page is looked up in this cycle, which wants to be written or not; `look_void`, a cycle later: what it finds does not count |
//! | `found` | three cycles after `look`: the page has an entry; `allowed`: which permits it; `moving`: which would, were it not on the move; `frame` and `side` of that one, or 0 |
//! | `place` | three cycles after `look`: where an entry of this page is to be filled in |
//! | `fill` | a new entry; taken in a cycle where `fill_ready` is 1 |
//! | `flush_set` | the set of a number is to be emptied; taken where `flush_set_ready` is 1, which is where nothing is to be filled |
//! | `hold` | register: no lookup in the next cycle but that which is on its way, so that what is to be written is written |
//!
//! - A set is never read in the cycle in which it is written: what is to be written waits, a cycle or two, and holds the lookups the second time.
//!   So block RAM needs no bypass.
//! - Parameters: those of [`MmuParams`]. Latency 3, a lookup a cycle. Combinational paths: `fill_valid` to `flush_set_ready`.
//! - Before all sets were emptied, they hold anything.

use super::entry::{Permitted, permitted};
use super::params::*;
use super::replacement::Policy;
use super::types::*;
use hdl::logic::{mux1h, one_hot, only_first_one};
use hdl::*;

/// A lookup.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Look {
    /// There is one.
    pub valid: Signal,
    /// The virtual page.
    pub page: Signal,
    /// It is to be written.
    pub write: Signal,
}

ports! {
    /// Ports of [`tlb`].
    pub struct TlbPorts(p: MmuParams) {
        /// A lookup.
        input look: Look = Look { valid: bits(1), page: bits(p.number_bits()), write: bits(1) },
        /// Of the lookup of the cycle before: it finds nothing.
        input look_void: Signal = bits(1),
        /// It is there.
        output found: Signal = bits(1),
        /// It is there, and permits what was asked.
        output allowed: Signal = bits(1),
        /// It is there, on the move, and would permit what was asked else.
        output moving: Signal = bits(1),
        /// Its physical page, if allowed.
        output frame: Signal = bits(p.frame_bits()),
        /// Its side, if allowed.
        output side: Signal = bits(2),
        /// For a new entry.
        output place: SetPlace = set_place(p),
        /// New entries.
        input fill: Stream<Fill> = stream(fill(p)),
        /// Sets to be emptied.
        input flush_set: Stream = stream(bits(p.set_bits())),
        /// No lookup may begin in this cycle.
        output hold: Signal = bits(1),
    }
}

/// An entry in its set.
#[derive(Clone, Copy, Debug, Bundle)]
struct Entry {
    valid: Signal,
    round: Signal,
    permitted: Permitted,
    tag: Signal,
}

fn entry(p: MmuParams) -> Entry {
    let tag = bits(p.number_bits() - p.set_bits());
    Entry { valid: bits(1), round: bits(1), permitted: permitted(p), tag }
}

/// The sets.
#[module]
pub fn tlb(p: MmuParams) -> Result<Design<TlbPorts>, Errors> {
    let m = Module::new(p.name("h2m2_tlb"));
    m.doc("The sets of a TLB, with a lookup in every cycle.");
    let io = TlbPorts::new(m, p);
    let set_of = |page: Signal| page.trunc(p.set_bits());

    m.section("what is to be written waits for a cycle in which its set is not read");
    let (to_write, hold) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let (set, ways, word) = (m.reg(bits(p.set_bits())), m.reg(bits(p.ways)), m.reg(entry(p)));
    let collides = io.look.valid & set_of(io.look.page).eq(set);
    let writes = to_write & !collides;
    hold.set(to_write & collides);
    io.hold.set(hold);
    io.fill.ready.set(!to_write);
    io.flush_set.ready.set(!to_write & !io.fill.valid);
    m.when(writes, || to_write.set(false));
    m.when(!to_write, || {
        let Fill { page, place, permitted } = io.fill.payload;
        to_write.set(io.fill.valid | io.flush_set.valid);
        set.set(io.fill.valid.mux(set_of(page), io.flush_set.payload));
        ways.set(one_hot(place.way, p.ways as usize) | (!io.fill.valid).repeat(p.ways));
        let round = place.round & io.fill.valid;
        word.set(Entry { valid: io.fill.valid, round, permitted, tag: page.drop_low(p.set_bits()) });
    });

    m.section("a word of each way");
    let words: Vec<Entry> = (0..p.ways)
        .map(|way| {
            m.scope(format!("way{way}"), || {
                let memory = m.memory(entry(p), p.sets() as usize).style(RamStyle::Block).attribute("no_rw_check", "");
                memory.write(set, word, writes & ways.bit(way));
                later(m, 1, memory.read_sync(set_of(io.look.page))) // block RAM is slow
            })
        })
        .collect();

    m.section("compared");
    let (page, write) = later(m, 2, (io.look.page, io.look.write));
    let real = !later(m, 1, io.look_void);
    let equal = words.iter().map(|word| word.valid & word.tag.eq(page.drop_low(p.set_bits())) & real);
    // two ways may have the same page, if it was missed a second time while it was filled
    let hits = only_first_one(Vector::of(equal).pack());
    let allows = Vector::of(words.iter().map(|word| word.permitted.allows(write))).pack();
    let waits = Vector::of(words.iter().map(|word| word.permitted.waits(write))).pack();
    let (found, allowed, moving) = later(m, 1, (hits, hits & allows, hits & waits));
    io.found.set(found.any());
    io.allowed.set(allowed.any());
    io.moving.set(moving.any());

    m.section("chosen");
    let permitted: Vec<Permitted> = words.iter().map(|word| later(m, 1, word.permitted)).collect();
    let Permitted { frame, side, .. } = mux1h(allowed, &permitted);
    io.frame.set(frame);
    io.side.set(side);
    let policy = Policy { set: later(m, 1, set_of(page)), used: found, look: later(m, 3, io.look.valid) };
    let rounds = later(m, 1, Vector::of(words.iter().map(|word| word.round)).pack());
    io.place.set(policy.place(m, rounds, p));
    m.finish(io)
}

#[cfg(test)]
mod tests;

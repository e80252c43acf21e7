//! LAD's list of active positions: every active one comes once, in order, and lists end where they end.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules, stalls_at_most};
use hdl::logic::popcount;
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module};
use hw::lad::active_list::{ActiveListPorts, Marked, active_list};
use hw::stream::Beat;

/// Bits of an entry.
const ENTRY: u32 = 1;
/// Bits of a number of entries or ends that are inside.
const COUNT: u32 = 5;

/// How much moves in a cycle.
#[derive(Clone, Copy)]
struct Moves {
    pushed: Signal,
    popped: Signal,
}

/// A list of so many lanes against one entry, and one end, that is followed; a prover chooses which.
#[module]
fn active_list_proof(lanes: u32, room: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_active_list_{lanes}"));
    let io = ActiveListPorts::new(m, ENTRY, lanes);
    let part = m.instance(&active_list(ENTRY, lanes)?);
    part.s.set(io.s);
    io.m.set(part.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    stalls_at_most(m, (io.m.ready | !io.m.valid) & !io.s.ready, 0, "only the list at the output holds what comes");

    m.section("entries inside");
    let none = m.lit(0u32, COUNT);
    let [pushed, popped] = [(io.s.transfer(), io.s.payload.active), (io.m.transfer(), io.m.payload.keep)]
        .map(|(moves, flags)| moves.mux(popcount(flags).zext(COUNT), none));
    let moves = Moves { pushed, popped };
    let inside = m.reg_reset(bits(COUNT), 0);
    inside.set(inside + pushed - popped);
    m.assert(inside.le(room), "no more entries are inside than there is room for");
    m.assert(popped.le(inside), "no entry is invented");
    let Beat { keep, last, .. } = io.m.payload;
    let gap = (1..lanes).map(|lane| keep.bit(lane) & !keep.bit(lane - 1)).reduce(|a, b| a | b);
    m.assert(!io.m.valid | !gap.unwrap_or(m.lit(0u32, 1)), "entries of a beat follow each other");
    m.assert(!io.m.valid | last | keep.all(), "only the last beat of a list is not full");

    entry_in_order(m, io.s, io.m, (inside, moves));
    ends_in_order(m, io.s, io.m, (inside, moves));
    Ok(m.finish(io)?.erase())
}

/// Any active entry that goes in comes out behind as many as were inside before it.
#[module]
fn entry_in_order(m: Module, s: Stream<Marked>, out: Stream<Beat>, (inside, moves): (Signal, Moves)) {
    m.section("an entry that is followed");
    let lanes = s.payload.active.width();
    let mark = m.anyseq(lanes);
    let waiting = m.reg_reset(bits(1), 0);
    let entry = m.reg(bits(ENTRY));
    let ahead = m.reg(bits(COUNT));
    let comes = waiting & ahead.lt(moves.popped);
    m.when(waiting, || ahead.set(ahead - moves.popped));
    m.when(comes, || waiting.set(false));
    let Marked { entries, active, .. } = s.payload;
    for lane in 0..lanes {
        let below = if lane == 0 { ahead.zeros(COUNT) } else { popcount(active.trunc(lane)).zext(COUNT) };
        m.when(s.transfer() & !waiting & mark.bit(lane) & active.bit(lane), || {
            waiting.set(true);
            entry.set(entries[lane as usize]);
            ahead.set(inside - moves.popped + below);
        });
    }
    m.assert(!waiting | ahead.lt(inside), "the followed entry is inside");
    for (lane, out) in out.payload.data.lanes(ENTRY).into_iter().enumerate() {
        m.assert(!comes | ahead.ne(lane as u32) | out.eq(entry), "entries come out in their order, unchanged");
    }
    m.cover(comes & entry.any(), "a followed entry comes out");
}

/// The end of any list comes with its last entry or behind it, before any entry of the next one.
#[module]
fn ends_in_order(m: Module, s: Stream<Marked>, out: Stream<Beat>, (inside, moves): (Signal, Moves)) {
    m.section("an end that is followed");
    let (begins, ends) = (s.transfer() & s.payload.last, out.transfer() & out.payload.last);
    let lists = m.reg_reset(bits(COUNT), 0).comment("ends inside");
    lists.set(lists + begins.zext(COUNT) - ends.zext(COUNT));
    m.assert(!ends | lists.any(), "no end is invented");
    let mark = m.anyseq(1);
    let waiting = m.reg_reset(bits(1), 0);
    let entries = m.reg(bits(COUNT)).comment("entries before it");
    let ahead = m.reg(bits(COUNT)).comment("ends before it");
    let comes = waiting & ends & !ahead.any();
    m.when(waiting, || {
        entries.set(entries - moves.popped);
        ahead.set(ahead - ends.zext(COUNT));
    });
    m.when(comes, || waiting.set(false));
    m.when(begins & mark & !waiting, || {
        waiting.set(true);
        entries.set(inside - moves.popped + moves.pushed);
        ahead.set(lists - ends.zext(COUNT));
    });
    m.assert(!waiting | ahead.lt(lists), "the followed end is inside");
    m.assert(!waiting | moves.popped.le(entries), "no entry of a list comes before the end of the one before");
    m.assert(!comes | entries.eq(moves.popped), "all entries of a list come before its end");
    m.cover(comes & moves.popped.eq(0), "a list ends without an entry");
}

/// The proofs of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |lanes, room| {
        let (name, part) = (format!("active_list_{lanes}"), format!("active_list, entries of 1 bit, {lanes} lanes"));
        Ok(Proof { name, part, design: active_list_proof(lanes, room)?, engine: Engine::Pdr, cover_depth: 16 })
    };
    [(1, 1), (2, 7)].into_iter().map(|(lanes, room)| proof(lanes, room)).collect()
}

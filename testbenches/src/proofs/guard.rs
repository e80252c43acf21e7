//! The length guard of the Oaken engines: every packet gets its length, what is wrong is flagged when it is seen and at no other time,
//! and a packet whose beginning was taken for surplus is replaced. From packet to packet the length is another one; what stands in for a
//! packet, and what is dropped, has that of the packet before. The vector guard: the same where each packet has its own length, and surplus
//! waits only where 31 beats are counted that no packet of zeros came for.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::oaken::guard::{GuardPorts, GuardedBeat, length_guard};
use hw::oaken::types::{Beat, beat};
use hw::oaken::vector_guard::vector_guard;

/// Beats of the longest packet.
const LONGEST: u32 = 4;
/// Beats that the vector guard counts: one less than eight times as many.
const COUNTED: u32 = 31;

ports! {
    struct HarnessPorts() {
        input s: Stream<Beat> = stream(beat(1)),
        input start: Signal = bits(1),
        input flush: Signal = bits(1),
        output m: Stream<GuardedBeat> = stream(GuardedBeat { data: bits(1), first: bits(1), last: bits(1) }),
    }
}

/// What the packets so far leave to be done.
struct Owed {
    /// The open packet ended early.
    short: Signal,
    /// The packet that comes is longer than it should be: its rest is dropped.
    surplus: Signal,
    /// A packet of zeros in the place of one that was dropped.
    replacement: Signal,
}

/// How long packets are at the output, and where in one the next beat is.
#[module]
fn lengths(m: Module, guard: &GuardPorts) -> Signal {
    let count = m.reg_reset(bits(3), 0).comment("beats of the open packet");
    let out = guard.m.payload;
    let last = count.eq(guard.beats_minus_1.zext(3));
    m.assert(!guard.m.valid | out.first.eq(count.eq(0)), "`first` marks the first beat of each packet");
    m.assert(!guard.m.valid | out.last.eq(last), "`last` marks the last beat of each packet");
    m.when(guard.m.transfer(), || count.set(last.mux(count.zeros(3), count + 1)));
    count
}

/// What is owed, from the beats alone.
#[module]
fn owed(m: Module, guard: &GuardPorts, count: Signal, dropped: Signal) -> Owed {
    let [short, surplus, replacement] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let rest = m.reg_reset(bits(3), 0).comment("dropped beats that do not make a packet yet");
    let (taken, sent) = (guard.s.transfer(), guard.m.transfer());
    let ends = sent & guard.m.payload.last;
    m.when(sent & taken, || {
        short.set(guard.s.payload.last & !guard.m.payload.last);
        surplus.set(ends & !guard.s.payload.last);
    });
    m.when(ends, || {
        short.set(false);
        replacement.set(false);
    });
    m.when(dropped, || {
        let whole = rest.eq(guard.beats_minus_1.zext(3));
        replacement.set(whole);
        rest.set((whole | guard.s.payload.last).mux(rest.zeros(3), rest + 1));
        surplus.set(!guard.s.payload.last);
    });
    m.when(guard.flush, || {
        // an open packet is to be filled, nothing else
        let open = sent.mux(!guard.m.payload.last, count.ne(0));
        short.set(open);
        [surplus, replacement].into_iter().for_each(|none| none.set(false));
        rest.set(0);
    });
    Owed { short, surplus, replacement }
}

/// Where the beats come from, and what is flagged.
#[module]
fn beats(m: Module, guard: &GuardPorts, count: Signal) {
    let (taken, sent) = (guard.s.transfer(), guard.m.transfer());
    let (came, went) = (guard.s.payload, guard.m.payload);
    let dropped = taken & !sent;
    let owed = owed(m, guard, count, dropped & !guard.flush);
    let passes = !(owed.short | owed.surplus | owed.replacement | guard.flush);
    m.assert(!guard.m.valid | count.ne(0) | guard.start, "a packet begins when it may");
    let surplus = owed.surplus & !owed.replacement;
    m.assert(!dropped | surplus | guard.flush, "nothing else is dropped");
    m.assert(passes | !guard.s.ready | surplus | guard.flush, "nothing is taken while zeros are owed");
    m.assert(!(passes & sent) | (taken & went.data.eq(came.data)), "what is owed to nobody is what came");
    m.assert(passes | !sent | !went.data, "what did not come is 0");
    m.assert(!(passes & guard.s.valid & guard.start) | guard.m.valid, "a beat passes within the cycle");
    m.assert(!((owed.short | owed.replacement) & guard.start) | guard.m.valid, "zeros come in every cycle");
    m.assert(!owed.short | count.ne(0), "a packet that is short is open");
    m.section("flags: one cycle for each mistake, at the beat that shows it");
    let seen = passes & taken & sent;
    m.assert(guard.early.eq(seen & came.last & !went.last), "`early` at the last that comes early, once");
    m.assert(guard.late.eq(seen & !came.last & went.last), "`late` at the beat that should be the last, once");
    m.cover(owed.replacement & sent & went.last & owed.surplus, "a packet is replaced, and more is dropped");
    m.cover(owed.replacement & sent & went.last & !owed.surplus, "a packet is replaced, and the next one passes");
    m.cover(owed.short & sent & went.last, "a short packet is filled");
}

/// The guard of the beats of a part.
#[module]
fn guard_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_length_guard");
    let io = HarnessPorts::new(m);
    let guard = m.instance(&length_guard(1, LONGEST)?);
    guard.s.set(io.s);
    any_lengths(m, &guard);
    guard.start.set(io.start);
    guard.flush.set(io.flush);
    io.m.set(guard.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let count = lengths(m, &guard);
    beats(m, &guard, count);
    Ok(m.finish(io)?.erase())
}

/// A length that comes with the first beat of a packet, and is that of the packet before while none comes.
#[module]
fn any_lengths(m: Module, guard: &GuardPorts) {
    let length = m.anyseq(2);
    guard.beats_minus_1.set(length);
    let held = m.reg(bits(2)).comment("of the packet that began last");
    let first = guard.m.payload.first;
    m.when(guard.m.transfer() & first, || held.set(length));
    m.assume((first & guard.passing) | length.eq(held), "only a packet that comes has another length");
    let waits = m.past(guard.s.valid & !guard.s.ready & guard.passing) & m.past_valid() & guard.passing;
    m.assume(!waits | length.eq(m.past(length)), "the length of a packet stays until its first beat is taken");
    let other = guard.m.transfer() & first & m.past_valid() & length.ne(held);
    m.cover(other & guard.beats_minus_1.any(), "a packet is longer or shorter than the one before");
}

/// A length for each packet: there while it may begin, and held until it is over.
#[module]
fn own_lengths(m: Module, guard: &GuardPorts) {
    let length = m.anyseq(2);
    guard.beats_minus_1.set(length);
    let ends = guard.m.transfer() & guard.m.payload.last;
    let may = guard.start | !guard.m.payload.first;
    let held = m.past(may & !ends) & m.past_valid();
    let same = length.eq(m.past(length)) & may;
    m.assume(!held | same, "a length that is there stays until its packet is over");
}

/// What passes, what is dropped, and what zeros stand for, from the beats alone.
#[module]
fn own_beats(m: Module, guard: &GuardPorts, count: Signal) {
    let (taken, sent) = (guard.s.transfer(), guard.m.transfer());
    let (came, went) = (guard.s.payload, guard.m.payload);
    let [short, surplus, replaces] = [0, 1, 2].map(|_| m.reg_reset(bits(1), 0));
    let dropped = m.reg_reset(bits(6), 0).comment("beats of surplus that no packet of zeros stands for");
    let begins = sent & count.eq(0);
    let drops = taken & surplus & !guard.flush;
    let enough = dropped.gt(guard.beats_minus_1.zext(6));
    // a packet that begins stands for what was dropped, if that is as long
    let stands_in = begins & (surplus | enough);
    let padding = short | stands_in | (replaces & count.ne(0)) | guard.flush;
    m.assert(!guard.m.valid | count.ne(0) | guard.start, "a packet begins when it may");
    m.assert(!surplus | dropped.ge(COUNTED) | guard.s.ready, "surplus waits only where no more can be counted");
    m.assert(!(stands_in & !guard.flush) | enough, "a packet of zeros stands for as many beats that were dropped");
    m.assert(!(sent & !padding) | (taken & went.data.eq(came.data)), "what passes is what came");
    m.assert(!(sent & padding) | !went.data, "what did not come is 0");
    m.assert(!(taken & !sent) | surplus | guard.flush, "nothing else is dropped");
    m.section("flags: one cycle for each mistake, at the beat that shows it");
    let seen = sent & taken & !surplus & !guard.flush;
    m.assert(guard.early.eq(seen & came.last & !went.last), "`early` at the last that comes early, once");
    m.assert(guard.late.eq(seen & !came.last & went.last), "`late` at the beat that should be the last, once");
    m.section("what is known of the next beats");
    let counted = dropped + drops.zext(6);
    dropped.set(counted);
    m.when(begins & stands_in, || {
        dropped.set(counted - guard.beats_minus_1.zext(6) - 1);
        replaces.set(true);
    });
    m.when(begins & !stands_in, || dropped.set(0));
    m.when(guard.early, || short.set(true));
    m.when(guard.late, || surplus.set(true));
    m.when(drops & came.last, || surplus.set(false));
    m.when(sent & went.last, || {
        short.set(false);
        replaces.set(false);
    });
    m.when(guard.flush, || {
        short.set(sent.mux(!went.last, count.ne(0)));
        [surplus, replaces].into_iter().for_each(|none| none.set(false));
        dropped.set(0);
    });
    m.cover(surplus & !guard.s.ready, "surplus waits");
    m.cover(replaces & sent & went.last & surplus, "a packet is replaced, and more is dropped");
    m.cover(stands_in & !guard.flush & dropped.gt(guard.beats_minus_1.zext(6) + 1), "more was dropped than a packet");
    m.cover(seen & begins & m.past(guard.start), "a packet passes");
}

/// The guard of dense parts that each have a length of their own.
#[module]
fn vector_guard_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_vector_guard");
    let io = HarnessPorts::new(m);
    let guard = m.instance(&vector_guard(1, LONGEST)?);
    guard.s.set(io.s);
    guard.start.set(io.start);
    guard.flush.set(io.flush);
    io.m.set(guard.m);
    own_lengths(m, &guard);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let count = lengths(m, &guard);
    own_beats(m, &guard, count);
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: the length guards of the engines.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let packets = format!("words of 1 bit, packets of up to {LONGEST}");
    let proof = |name: &str, part: &str, design, cover_depth| Proof {
        name: name.into(),
        part: format!("{part}, {packets}"),
        design,
        engine: Engine::Pdr,
        cover_depth,
    };
    Ok(vec![
        proof("length_guard", "length guard", guard_proof()?, 16),
        proof("vector_guard", "vector guard", vector_guard_proof()?, COUNTED + 7),
    ])
}

//! The length guard of the Oaken engines: every packet gets its length, what is wrong is flagged when it is seen and at no other time,
//! and a packet whose beginning was taken for surplus is replaced.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, module, ports, stream};
use hw::oaken::guard::{GuardPorts, GuardedBeat, length_guard};
use hw::oaken::types::{Beat, beat};

/// Beats of the longest packet.
const LONGEST: u32 = 4;

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

#[module]
fn guard_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_length_guard");
    let io = HarnessPorts::new(m);
    let guard = m.instance(&length_guard(1, LONGEST)?);
    guard.s.set(io.s);
    guard.beats_minus_1.set(m.anyconst(2));
    guard.start.set(io.start);
    guard.flush.set(io.flush);
    io.m.set(guard.m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let count = lengths(m, &guard);
    beats(m, &guard, count);
    Ok(m.finish(io)?.erase())
}

pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let part = format!("length guard, words of 1 bit, packets of up to {LONGEST}");
    Ok(vec![Proof { name: "length_guard".into(), part, design: guard_proof()?, engine: Engine::Pdr, cover_depth: 16 }])
}

//! What the MMU keeps for one requester: its requests in their order, until they are answered, and how many translations it has in use.
//!
//! | port | |
//! | --- | --- |
//! | `s` | requests; ready is `granted` |
//! | `asks`, `asker`, `leaves` | a request is there, and there is room for its answer; what is to be looked up; the burst ends in another page |
//! | `granted` | it is taken in this cycle |
//! | `result` | what came out of a lookup: the first one of a slot, in the order of the slots, or a later one, of one that waited |
//! | `m` | answers, in the order of the requests; read from LUT RAM at registered addresses |
//! | `release` | translations that are handed back |
//! | `epoch`, `epoch_flips` | requests that are granted belong to this epoch; this is its first cycle |
//! | `answered` | register: all requests of before the last flip are answered, and their answers taken |
//! | `unused` | registers: no translation of epoch 0, 1 was in use in the cycle before |
//! | `idle` | register: all requests that were taken up to the cycle before are answered, and their answers taken |
//!
//! Parameters: those of [`MmuParams`]. Latency: an answer stands at `m` in the cycle after its result. One answer a cycle. Combinational paths: `s` to
//! `asks`, `asker` and `leaves`; `granted` to `s` ready.

use super::params::*;
use super::types::*;
use hdl::logic::UpDown;
use hdl::*;

/// What came out of a lookup.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SlotResult {
    /// There is one for this requester.
    pub valid: Signal,
    /// It is the first one of its slot.
    pub first: Signal,
    /// Its slot.
    pub slot: Signal,
    /// What is known now.
    pub outcome: LookupOutcome,
}

ports! {
    /// Ports of [`requester`].
    pub struct RequesterPorts(p: MmuParams) {
        /// Requests.
        input s: Stream<Request> = stream(request(p)),
        /// A request may be taken.
        output asks: Signal = bits(1),
        /// Its page and the like; the requester's number is 0.
        output asker: Asker = Asker { requester: bits(1), ..asker(p) },
        /// It ends in another page.
        output leaves: Signal = bits(1),
        /// It is taken.
        input granted: Signal = bits(1),
        /// Of a lookup.
        input result: SlotResult = SlotResult { valid: bits(1), first: bits(1), slot: bits(SLOTS.ilog2()), outcome: lookup_outcome(p) },
        /// Answers.
        output m: Stream<Translation> = stream(translation(p)),
        /// What is handed back.
        input release: Release = release(),
        /// Of requests that are granted now.
        input epoch: Signal = bits(1),
        /// The epoch begins.
        input epoch_flips: Signal = bits(1),
        /// Of before the last flip.
        output answered: Signal = bits(1),
        /// A bit for each epoch.
        output unused: Signal = bits(2),
        /// Nothing waits.
        output idle: Signal = bits(1),
    }
}

/// The place in the ring of slots, with a bit for the round.
const PLACE_BITS: u32 = SLOTS.ilog2() + 1;

/// What there is for each requester.
#[module]
pub fn requester(p: MmuParams) -> Result<Design<RequesterPorts>, Errors> {
    let m = Module::new(p.name("h2m2_requester"));
    m.doc("Requests of one requester until they are answered.");
    let io = RequesterPorts::new(m, p);
    let slot_of = |place: Signal| place.trunc(SLOTS.ilog2());

    m.section(
        "a ring of slots: answers wait from head on, results are known before known, requests are taken up to tail",
    );
    let head = m.reg_reset(bits(PLACE_BITS), 0);
    let known = m.reg_reset(bits(PLACE_BITS), 0);
    let tail = m.reg_reset(bits(PLACE_BITS), 0);
    let misses = m.reg_reset(bits(clog2(MOST_MISSES as usize + 1)), 0);
    // of the cycle before, since whose turn it is takes long enough: a request that was taken then has room, too
    let may_ask = m.reg_reset(bits(1), 0);
    io.asks.set(io.s.valid & may_ask);
    io.s.ready.set(io.granted);
    let Request { address, bytes_minus_1, write, tag } = io.s.payload;
    let page = address.drop_low(p.page_bits);
    io.asker.set(Asker { requester: m.lit(0u32, 1), slot: slot_of(tail), write, page });
    let offset = address.trunc(p.page_bits);
    let last = offset.zext(p.page_bits + 1) + bytes_minus_1.zext(p.page_bits + 1);
    io.leaves.set(last.msb());

    m.section("what is known of them");
    let kept = m.memory((offset, io.epoch, tag), SLOTS as usize).style(RamStyle::Distributed);
    kept.write(slot_of(tail), (offset, io.epoch, tag), io.granted);
    let outcomes = m.memory(lookup_outcome(p), SLOTS as usize).style(RamStyle::Distributed);
    let SlotResult { valid, first, slot, outcome } = io.result;
    outcomes.write(slot, outcome, valid);
    let (one_more, one_less) = (valid & first & outcome.waits, valid & !first);
    let change = one_less.repeat(misses.width() - 1).cat(one_more | one_less); // 1, 0 or -1
    let missing = misses + change;
    misses.set(missing);
    may_ask.set((tail - head).lt(SLOTS - 1) & missing.lt(MISSES));
    m.assert(missing.le(MOST_MISSES), "no more misses are under way than there is room for");
    m.assert(!valid | !first | slot.eq(slot_of(known)), "first results come in the order of the slots");

    m.section("answers");
    let (offset, epoch, tag) = kept.read(slot_of(head));
    let LookupOutcome { waits, cause, side, frame } = outcomes.read(slot_of(head));
    let good = !cause.any();
    let full = m.reg_reset(bits(2), 0).comment("of each epoch: as many translations are in use as may be");
    let some = m.reg_reset(bits(1), 0).comment("head is not known");
    io.m.valid.set(some & !waits & !epoch.mux(full.bit(1), full.bit(0)));
    let offset = offset & good.repeat(p.page_bits);
    io.m.payload.set(Translation { address: frame.cat(offset), side, cause, epoch, tag });
    let leaves = io.m.transfer();
    let comes = valid & first;
    // flags beside the counters: what leaves is late in the cycle
    some.set(comes | (some & !(leaves & known.eq(head + 1))));
    m.assert(some.eq(head.ne(known)), "the flag says what the counters say");
    m.when(leaves, || head.set(head + 1));
    m.when(comes, || known.set(known + 1));
    m.when(io.granted, || tail.set(tail + 1));

    m.section("translations in use");
    let unused = m.reg_reset(bits(2), 3);
    for number in 0..2 {
        let ours = |epoch: Signal| if number == 1 { epoch } else { !epoch };
        let used = UpDown::new(m, USES);
        let one_more = leaves & good & ours(epoch);
        // one that was not given is not handed back
        let one_less = io.release.valid & ours(io.release.epoch) & !used.is_empty();
        used.count(one_more, one_less);
        full.bit(number).set((full.bit(number) | (one_more & used.level.eq(USES - 1))) & !one_less);
        unused.bit(number).set(used.is_empty());
    }
    io.unused.set(unused);

    let idle = m.reg_reset(bits(1), 1);
    idle.set(tail.eq(head) & !io.granted);
    io.idle.set(idle);

    m.section("requests of before the flip");
    let waiting = m.reg_reset(bits(1), 0);
    let fence = m.reg(bits(PLACE_BITS));
    m.when(head.eq(fence), || waiting.set(false));
    m.when(io.epoch_flips, || {
        waiting.set(true);
        fence.set(tail);
    });
    io.answered.set(!waiting);
    m.finish(io)
}

#[cfg(test)]
mod tests;

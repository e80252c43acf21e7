//! The tier in memory: the entries that beats ask for are read one after the other, and come in the same order.

use super::super::cache_types::not_finite;
use super::super::tiered_types::*;
use crate::memory::axi::AxiRead;
use crate::stream::credit_counter::with_credits;
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice::register_slice_after;
use hdl::logic::{first_one, mux1h, only_first_one};
use hdl::*;

/// Reads what beats ask for. An answer has its place before it is asked for; a lookup counts from the cycle in which it is taken out of its beat to that in
/// which its last word is taken here.
#[module]
pub(super) fn read(m: Module, s: Stream<ColdBeat>, axi: AxiRead, p: TieredParams) -> Result<Stream<Answer>, Errors> {
    m.section("lookups in memory");
    let given = m.wire(bits(1));
    let credited = with_credits(m, pick(m, s, p), p.outstanding, given)?;
    m.assert(!credited.excess, "no more lookups end than have begun");
    let wanted = register_slice_after(m, credited.stream)?; // of both directions: `arready` does not reach `s_ready`
    let flights = fifo_after(m, ask(m, wanted, axi, p), p.outstanding.max(2) as usize, Style::Distributed)?;
    let came = receive(m, flights, axi, p);
    let answers = fifo_after(m, came, p.reads().max(2) as usize, Style::Distributed)?;
    given.set(answers.transfer() & answers.payload.ends());
    Ok(answers)
}

/// An entry that is asked for.
#[derive(Clone, Copy, Bundle)]
struct Wanted {
    index: Signal,
    base: Signal,
    lane: Signal,
    /// It is the last one of its beat.
    last: Signal,
}

/// Takes the lookups out of beats, those of the first lanes first.
#[module]
fn pick(m: Module, s: Stream<ColdBeat>, p: TieredParams) -> Stream<Wanted> {
    let left = m.reg_reset(bits(p.cache.lanes), 0).comment("lanes whose entries are still to be asked for");
    let index = m.reg(vector(bits(p.cache.index_bits()), p.cache.lanes as usize));
    let base = m.reg(bits(p.word_bits()));
    let first = only_first_one(left);
    let rest = left & !first;
    let last = !rest.any();
    let ready = m.wire(bits(1));
    let valid = left.any();
    let takes = !valid | (ready & last);
    s.ready.set(takes);
    m.when(ready, || left.set(rest));
    m.when(takes, || {
        left.set(s.payload.cold & s.valid.repeat(p.cache.lanes));
        index.set(s.payload.index);
        base.set(s.payload.base);
    });
    let lane = first_one(left).index;
    let all: Vec<Signal> = index.into_iter().collect();
    Stream { valid, ready, payload: Wanted { index: mux1h(first, &all), base, lane, last } }
}

/// A lookup that is in memory.
#[derive(Clone, Copy, Bundle)]
struct Flight {
    /// Which entry of its word it is, if there are several.
    within: Option<Signal>,
    lane: Signal,
    last: Signal,
}

/// Asks for the words of entries, one after the other. Gives the lookups, in the cycle before their first request stands.
#[module]
fn ask(m: Module, s: Stream<Wanted>, axi: AxiRead, p: TieredParams) -> Stream<Flight> {
    let valid = m.reg_reset(bits(1), 0);
    let address = m.reg(bits(p.word_bits()));
    let free = !valid | axi.arready;
    let goes = s.valid & free;
    let Wanted { index, base, lane, last } = s.payload;
    let index = index.zext(index.width().max(p.within_bits() + 1)); // a book may have less than a word
    let (word, begins, ends) = match p.part_bits() {
        0 => (index.drop_low(p.within_bits()), goes, free),
        width => {
            let part = m.reg_reset(bits(width), 0).comment("the word of the entry");
            m.when(goes, || part.set(part + 1));
            (index.cat(part), goes & !part.any(), free & part.all())
        }
    };
    s.ready.set(ends);
    let offset = if word.width() > p.word_bits() { word.trunc(p.word_bits()) } else { word.zext(p.word_bits()) };
    m.when(free, || {
        valid.set(s.valid);
        address.set(base + offset);
    });
    axi.arvalid.set(valid);
    axi.request().payload.ask(address.cat(address.zeros(3)), m.lit(0u32, 8), 3);
    let to = m.wire(stream(flight(p)));
    to.valid.set(begins);
    let within = (p.within_bits() > 0).then(|| index.trunc(p.within_bits()));
    to.payload.set(Flight { within, lane, last });
    m.assert(!to.valid | to.ready, "no more lookups are in memory than have room");
    to
}

fn flight(p: TieredParams) -> Flight {
    let within = (p.within_bits() > 0).then(|| bits(p.within_bits()));
    Flight { within, lane: bits(p.cache.lane_bits()), last: bits(1) }
}

/// Takes the words that memory gives, for the lookups in their order.
#[module]
fn receive(m: Module, flights: Stream<Flight>, axi: AxiRead, p: TieredParams) -> Stream<Answer> {
    axi.rlast.unused(); // a request is for one word
    axi.rready.set(flights.valid);
    let comes = axi.rvalid & flights.valid;
    let Flight { within, lane, last } = flights.payload;
    let pieces = Vector::of(axi.rdata.lanes(p.piece_bits()));
    let piece = within.map_or(axi.rdata, |within| pieces.at(within));
    let part = (p.part_bits() > 0).then(|| {
        let part = m.reg_reset(bits(p.part_bits()), 0).comment("the word of the entry that comes");
        m.when(comes, || part.set(part + 1));
        part
    });
    let numbers = not_finite(piece);
    let failed = axi.rresp.bit(1);
    let bad = failed | Vector::of(numbers).pack().any();
    let to = m.wire(stream(answer(p)));
    let payload = Answer { piece, part, lane, last, bad, failed };
    to.valid.set(comes);
    to.payload.set(payload);
    flights.ready.set(comes & payload.ends());
    m.assert(!to.valid | to.ready, "a word has room before it is asked for");
    to
}

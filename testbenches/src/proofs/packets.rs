//! Parts that put the words of packets into beats of another width: packer and gearbox.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, clog2, module, ports, stream};
use hw::stream::gearbox::gearbox;
use hw::stream::pack::{Beats, pack};
use hw::stream::{Beat, beat};

ports! {
    /// A converter of packets.
    struct PacketPorts(word_width: u32, words_in: u32, words_out: u32) {
        input s: Stream<Beat> = stream(beat(word_width, words_in)),
        output m: Stream<Beat> = stream(beat(word_width, words_out)),
    }
}

/// How many bits are 1.
fn ones(x: Signal, width: u32) -> Signal {
    x.lanes(1).into_iter().fold(x.zeros(width), |sum, bit| sum + bit.zext(width))
}

/// The bits that are 1 are the lowest.
fn from_the_first(keep: Signal) -> Signal {
    !(keep & (keep + 1)).any()
}

/// Quotient and remainder of a number up to `most`.
fn divided(x: Signal, by: u32, most: u32) -> (Signal, Signal) {
    (1..=most / by).fold((x.zeros(x.width()), x), |before, times| {
        let enough = x.ge(times * by);
        (enough.mux(x.literal(times), before.0), enough.mux(x - times * by, before.1))
    })
}

/// Lane `index` of as many as `x` has.
fn lane(x: Signal, index: Signal, width: u32) -> Signal {
    let lanes = x.lanes(width);
    let numbered = lanes.iter().enumerate().skip(1);
    numbered.fold(lanes[0], |chosen, (i, lane)| index.eq(i).mux(*lane, chosen))
}

/// Something that goes in is followed: how many beats leave before that which it is in.
struct Followed {
    waiting: Signal,
    ahead: Signal,
    /// It leaves in this cycle.
    leaves: Signal,
}

/// Follows any one of the events `happens` (the prover chooses which), of which the beat has `ahead_now` before it.
#[module]
fn follow(m: Module, happens: Signal, ahead_now: Signal, pop: Signal) -> (Followed, Signal) {
    let mark = m.anyseq(1);
    let followed = m.reg_reset(bits(1), 0);
    let waiting = m.reg_reset(bits(1), 0);
    let ahead = m.reg(bits(ahead_now.width()));
    let starts = happens & mark & !followed;
    m.when(starts, || {
        followed.set(true);
        waiting.set(true);
        ahead.set(ahead_now);
    })
    .elsewhen(waiting & pop, || {
        ahead.set(ahead - 1);
        waiting.set(ahead.ne(0));
    });
    let leaves = waiting & pop & ahead.eq(0);
    (Followed { waiting, ahead, leaves }, starts)
}

/// Every word of a packet leaves once, in its order, in beats that are full but for the last, and with the end of its
/// packet; a beat stands at the output as soon as it is complete. Returns how many are complete. With `full`, what comes in
/// are full beats but for the last of a packet, and their `keep` says nothing.
#[module]
fn regroups(m: Module, io: PacketPorts, full: bool) -> Signal {
    let (words_in, words_out) = (io.s.payload.keep.width(), io.m.payload.keep.width());
    let word_width = io.s.payload.data.width() / words_in;
    sends_by_the_rules(m, io.s, Side::Surroundings);
    sends_by_the_rules(m, io.m, Side::Part);
    let (push, pop, sent, got) = (io.s.transfer(), io.m.transfer(), io.s.payload, io.m.payload);
    let there = if full { sent.keep | !sent.last.repeat(words_in) } else { sent.keep };
    m.assume(!io.s.valid | from_the_first(there), "the words of a beat are its first ones");

    m.section("what a beat that goes in completes");
    let width = clog2((2 * (words_in + words_out)) as usize) + 1;
    let filled = m.reg_reset(bits(width), 0).comment("words of the beat that is not complete");
    let words = ones(there, width);
    let total = filled + words;
    let (whole, rest) = divided(total, words_out, words_in + words_out);
    let partial = sent.last & (rest.ne(0) | total.eq(0));
    let completes = whole + partial.zext(width);
    m.when(push, || filled.set(sent.last.mux(filled.zeros(width), rest)));
    let beats = m.reg_reset(bits(width), 0).comment("that are complete");
    let behind = beats - pop.zext(width);
    beats.set(push.mux(behind + completes, behind));
    m.assert(io.m.valid.eq(beats.ne(0)), "a beat stands at the output as soon as it is complete, and no other");

    m.section("words and ends are not invented");
    let inside = m.reg_reset(bits(width), 0);
    let leaving = ones(got.keep, width);
    let inside_after = inside - pop.mux(leaving, leaving.zeros(width));
    inside.set(push.mux(inside_after + words, inside_after));
    m.assert(!pop | leaving.le(inside), "no word is invented");
    m.assert(!io.m.valid | from_the_first(got.keep), "the words of a beat out are its first ones");
    m.assert(!io.m.valid | got.last | got.keep.all(), "a beat out is full unless its packet ends");
    let ends = m.reg_reset(bits(width), 0);
    let ends_after = ends - (pop & got.last).zext(width);
    ends.set(ends_after + (push & sent.last).zext(width));
    m.assert(!(pop & got.last) | ends.ne(0), "no end is invented");

    m.section("any one word: it leaves in its place");
    let index = m.anyconst(clog2(words_in.max(2) as usize));
    let (beats_before, place_now) = divided(filled + index.zext(width), words_out, words_in + words_out);
    let happens = push & index.zext(width).lt(words);
    let (word, starts) = follow(m, happens, behind + beats_before, pop);
    let value = m.reg(bits(word_width));
    let place = m.reg(bits(width));
    m.when(starts, || {
        value.set(lane(sent.data, index, word_width));
        place.set(place_now);
    });
    let at_place = lane(got.data, place, word_width).eq(value) & lane(got.keep, place, 1);
    m.assert(!word.leaves | at_place, "a word leaves in its place");
    let held = word.ahead.lt(beats) | (word.ahead.eq(beats) & place.lt(filled));
    m.assert(!word.waiting | held, "a followed word is inside");
    m.cover(word.leaves & place.ne(0), "a followed word leaves");

    m.section("any one end: it leaves with the words that are left");
    let last_words = partial.mux(rest, rest.literal(words_out));
    let (end, end_starts) = follow(m, push & sent.last, behind + completes - 1, pop);
    let end_words = m.reg(bits(width));
    m.when(end_starts, || end_words.set(last_words));
    m.assert(!end.leaves | (got.last & leaving.eq(end_words)), "the end of a packet leaves with its last words");
    m.assert(!end.waiting | end.ahead.lt(beats), "a followed end is inside");
    m.cover(end.leaves & end_words.ne(words_out), "a packet ends within a beat");
    beats
}

/// A packer.
#[module]
fn pack_proof(words_in: u32, words_out: u32, beats: Beats) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_pack_{words_in}_to_{words_out}_{beats:?}").to_lowercase());
    let io = PacketPorts::new(m, 1, words_in, words_out);
    let part = m.instance(&pack(1, words_in, words_out, beats)?);
    part.s.set(io.s);
    io.m.set(part.m);
    let complete = regroups(m, io, beats == Beats::Full);
    m.assert(io.s.ready.eq(io.m.ready | complete.eq(0)), "it takes a beat in every cycle while the output moves");
    Ok(m.finish(io)?.erase())
}

/// A gearbox.
#[module]
fn gearbox_proof(words_in: u32, words_out: u32) -> Result<Design<()>, Errors> {
    let m = Module::new(format!("prove_gearbox_{words_in}_to_{words_out}"));
    let io = PacketPorts::new(m, 1, words_in, words_out);
    let part = m.instance(&gearbox(1, words_in, words_out)?);
    part.s.set(io.s);
    io.m.set(part.m);
    let complete = regroups(m, io, true);
    let expected = complete.eq(0) | (io.m.ready & complete.eq(1));
    m.assert(io.s.ready.eq(expected), "it takes a beat as soon as the last one before it leaves");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file: packers and gearboxes.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let mut list = vec![];
    for (from, to, beats) in [
        (2, 3, Beats::Full),
        (3, 4, Beats::Full),
        (3, 5, Beats::Full),
        (4, 6, Beats::Full),
        (1, 2, Beats::Any),
        (2, 2, Beats::Any),
        (2, 3, Beats::Any),
        (3, 3, Beats::Any),
        (4, 4, Beats::Any),
    ] {
        let kind = format!("{beats:?}").to_lowercase();
        let name = format!("pack_{from}_to_{to}_{kind}");
        let part = format!("pack, words of 1 bit, {from} to {to}, {kind} beats");
        list.push(Proof { name, part, design: pack_proof(from, to, beats)?, engine: Engine::Pdr, cover_depth: 12 });
    }
    for (from, to) in [(3, 2), (4, 3), (5, 3), (6, 4), (5, 2)] {
        let name = format!("gearbox_{from}_to_{to}");
        let part = format!("gearbox, words of 1 bit, {from} to {to}");
        list.push(Proof { name, part, design: gearbox_proof(from, to)?, engine: Engine::Pdr, cover_depth: 12 });
    }
    Ok(list)
}

//! Packs words into full beats: beats in, beats out of as many or more words, the first word in the low bits. Converts to
//! a greater width, also to one that is no multiple, and packs beats that bring any number of words (a byte packer).
//!
//! The words of a packet follow each other without gaps; only its last beat out may have less than all words. A beat
//! leaves when it is full or its packet ends, and the next packet begins in a new beat. A packet whose end comes without a
//! word, when all its words have left, gives a beat without words for its `last`.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats in; the words that are there (`s_keep`) are the first ones of the beat. `s_ready` follows `m_ready` within the cycle |
//! | `m` | beats out; `m_valid` and the payload are registers. Words that are not kept hold anything |
//!
//! - Parameters: `word_width`, bits of one word (8 for AXI4-Stream), at least 1; `words_in`, words of a beat in, from 1 to
//!   1024; `words_out`, of a beat out, from 2 to 1024; a beat has at most 65,536 bits. `beats`, what comes in:
//!   [`Beats::Full`], all beats are full but the last ones of packets (`s_keep` of the others is not looked at), with
//!   `words_in` less than `words_out`; [`Beats::Any`], every beat has any number of words, also none, with `words_in` at
//!   most `words_out`.
//! - Latency: 1 cycle after the beat that fills or ends the one out; 2 for what then is left of a last beat.
//! - 1 beat in in every cycle without bubbles, whatever the lengths of the packets.
//! - Combinational path: `m_ready` to `s_ready`.
//! - After reset no words are held.

use super::{Beat, beat};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, clog2, module, ports, stream};

/// What beats come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beats {
    /// All words are there, but for the last beat of a packet.
    Full,
    /// Any number of words, also none.
    Any,
}

ports! {
    /// Ports of a packer.
    pub struct PackPorts(word_width: u32, words_in: u32, words_out: u32) {
        /// beats in, their words first
        input s: Stream<Beat> = stream(beat(word_width, words_in)),
        /// full beats, and the ends of packets
        output m: Stream<Beat> = stream(beat(word_width, words_out)),
    }
}

/// Packs beats of `words_in` words into beats of `words_out`.
#[module]
pub fn pack(word_width: u32, words_in: u32, words_out: u32, beats: Beats) -> Result<Design<PackPorts>, Errors> {
    let kind = if beats == Beats::Full { "" } else { "_any" };
    let name = format!("pack{kind}_{words_in}_to_{words_out}x{word_width}");
    check(&name, word_width, words_in, words_out, beats)?;
    let m = Module::new(name);
    m.doc("Packs the words of packets into full beats, the first in the low bits.");
    let io = PackPorts::new(m, word_width, words_in, words_out);
    // with full beats, places are multiples of this many words
    let step = if beats == Beats::Full { super::greatest_divisor(words_in, words_out) } else { 1 };
    let last = io.s.payload.last;

    m.section("the beat, turned to the place behind the words held; what passes the top comes back at the bottom");
    let place = m.reg_reset(bits(clog2((words_out / step) as usize)), 0);
    let keep = if beats == Beats::Full { io.s.payload.keep | !last.repeat(words_in) } else { io.s.payload.keep };
    let there = keep & io.s.valid.repeat(words_in);
    let turned = rotate(io.s.payload.data.zext(word_width * words_out), place, step * word_width);
    let turned_keep = rotate(there.zext(words_out), place, step);

    m.section("the words held: the beginning of the next beat out, or all of it (pending)");
    // one that is not full leaves room for a step, unless a whole beat may wait while another leaves
    let room = if words_in == words_out { words_out } else { words_out - step };
    let words = held(m, word_width, room, words_out, words_in == words_out);

    m.section("what the beat makes");
    let turned = Beat { data: turned, keep: turned_keep, last };
    let made = merge(&words, turned, io.s.valid);
    m.section("movement");
    let moves = send(m, io.m, &words, &made, turned);
    io.s.ready.set(moves);
    let more =
        if beats == Beats::Full { m.lit(words_in / step, clog2((words_out / step + 1) as usize)) } else { count(keep) };
    let next_place = wrapped(place, more, words_out / step);
    m.when(moves & io.s.valid, || {
        place.set(last.mux(place.zeros(place.width()), next_place));
        if words_in == words_out {
            words.pending_last.set(last);
        }
    });
    m.finish(io)
}

/// The words held, in registers.
struct Held {
    data: Vec<Signal>,
    keep: Signal,
    /// They leave as they are.
    pending: Signal,
    /// With them their packet ends.
    pending_last: Signal,
}

/// `room` words of beats of `words_out`; a `whole` beat may be pending that is not the last of its packet.
#[module]
fn held(m: Module, word_width: u32, room: u32, words_out: u32, whole: bool) -> Held {
    let held: Vec<Signal> = (0..room).map(|_| m.reg(bits(word_width))).collect();
    let held_keep = m.reg_reset(bits(words_out), 0);
    let pending = m.reg_reset(bits(1), 0).comment("the words held leave as they are");
    let pending_last = if whole { m.reg(bits(1)) } else { m.lit(1u32, 1) };
    Held { data: held, keep: held_keep, pending, pending_last }
}

/// What the words held and a beat make.
struct Made {
    beat: Beat,
    /// The beat out is complete: full, or the last of its packet.
    ends: Signal,
    /// Words of the beat in are left.
    overflow: Signal,
}

/// Puts the words of a beat, turned to their places, behind those held.
#[module]
fn merge(words: &Held, turned: Beat, valid: Signal) -> Made {
    let Held { data: held, keep: held_keep, pending, pending_last } = words;
    let Beat { data: turned, keep: turned_keep, last } = turned;
    let full = turned_keep.msb();
    let overflow = turned_keep.bit(0) & held_keep.bit(0);
    let ends = valid & (full | last);
    let word_width = turned.width() / turned_keep.width();
    let low = |(i, new): (usize, &Signal)| held.get(i).map_or(*new, |old| held_keep.bit(i as u32).mux(*old, *new));
    let mut words: Vec<Signal> = turned.lanes(word_width).iter().enumerate().map(low).collect();
    words.reverse();
    let data = cat(&words);
    let out_keep = *held_keep | (turned_keep & !pending.repeat(turned_keep.width()));
    let out_last = pending.mux(*pending_last, last & !overflow);
    Made { beat: Beat { data, keep: out_keep, last: out_last }, ends, overflow }
}

/// Sends what is made when the beat out is free (which it returns), and holds the words that are left.
#[module]
fn send(m: Module, to: Stream<Beat>, words: &Held, made: &Made, turned: Beat) -> Signal {
    let (word_width, words_out) = (turned.data.width() / turned.keep.width(), turned.keep.width());
    let out_valid = m.reg_reset(bits(1), 0);
    let out = m.reg(beat(word_width, words_out));
    let moves = to.ready | !out_valid;
    to.valid.set(out_valid);
    to.payload.set(out);
    let rest = made.ends.mux(turned.keep & words.keep, turned.keep | words.keep);
    m.when(moves, || {
        out_valid.set(words.pending | made.ends);
        out.set(made.beat);
        words.pending.set(words.pending.mux(made.ends, made.overflow & turned.last));
        words.keep.set(words.pending.mux(turned.keep, rest));
        for (i, (held, new)) in words.data.iter().zip(turned.data.lanes(word_width)).enumerate() {
            m.when(turned.keep.bit(i as u32), || held.set(new));
        }
    });
    moves
}

/// `x` moved up by `place` times `step` bits; what passes the top comes back at the bottom.
#[module]
fn rotate(x: Signal, place: Signal, step: u32) -> Signal {
    let width = x.width();
    (0..place.width()).fold(x, |x, level| {
        let by = ((u64::from(step) << level) % u64::from(width)) as u32;
        match by {
            0 => x,
            by => place.bit(level).mux(x.trunc(width - by).cat(x.drop_low(width - by)), x),
        }
    })
}

/// How many of the bits are 1, if they are the lowest: bit `k` of the count is 1 from an odd multiple of 2^k to the next
/// even one.
fn count(keep: Signal) -> Signal {
    let words = keep.width();
    let at_least = |n: u32| if n <= words { Some(keep.bit(n - 1)) } else { None };
    let bit = |k: u32| {
        let odd = (0..).map(|i| (2 * i + 1) << k).take_while(|n| *n <= words);
        let ranges = odd.filter_map(|n| match (at_least(n)?, at_least(n + (1 << k))) {
            (from, Some(to)) => Some(from & !to),
            (from, None) => Some(from),
        });
        ranges.reduce(|any, range| any | range).unwrap_or(keep.zeros(1))
    };
    cat(&(0..clog2(words as usize + 1)).rev().map(bit).collect::<Vec<_>>())
}

/// `place + more` in a ring of `places`; `more` is at most `places`.
fn wrapped(place: Signal, more: Signal, places: u32) -> Signal {
    let width = place.width();
    let sum = place.zext(width + 1) + more.zext(width + 1);
    if places.is_power_of_two() { sum.trunc(width) } else { sum.ge(places).mux(sum - places, sum).trunc(width) }
}

/// The parameters of a packer.
#[track_caller]
fn check(name: &str, word_width: u32, words_in: u32, words_out: u32, beats: Beats) -> Result<(), Errors> {
    super::check_words(name, word_width, words_in, words_out)?;
    let (legal, help) = match beats {
        Beats::Full => {
            (words_in < words_out, "words_in is less than words_out with full beats; use `narrow` or `gearbox`")
        }
        Beats::Any => {
            (words_in <= words_out && words_out > 1, "words_in is at most words_out, and words_out at least 2")
        }
    };
    let message = format!("words_in = {words_in}, words_out = {words_out}");
    if legal { Ok(()) } else { Err(Errors::parameter(name, message, help)) }
}

/// Packs the words of a stream into beats of `words`.
#[module]
pub fn pack_after(m: Module, s: Stream<Beat>, words: u32, beats: Beats) -> Result<Stream<Beat>, Errors> {
    let (word_width, words_in) = super::words_of("pack", s.payload)?;
    let pack = m.instance(&pack(word_width, words_in, words, beats)?);
    pack.s.set(s);
    Ok(pack.m)
}

#[cfg(test)]
mod tests;

//! Converts packets to a smaller width that does not divide the greater: beats of 5 words to beats of 3, for example.
//!
//! All beats in are full but the last one of a packet, and so are the beats out. The next packet begins in a new beat. An
//! end without a word, when all words of its packet have left, gives a beat without words for its `last`. For widths of
//! which one divides the other there are [`narrow`](super::narrow::narrow()) and [`widen`](super::widen::widen()), for
//! greater widths [`pack`](super::pack::pack()); [`convert`](super::convert::convert()) chooses.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats in; the words that are there (`s_keep`) are the first ones of the beat. `s_ready` follows `m_ready` within the cycle at the last beat out that a beat in gives |
//! | `m` | beats out; `m_valid` is a register, the payload is a window of registers. Words that are not kept hold anything |
//!
//! - Parameters: `word_width`, bits of one word (8 for AXI4-Stream), at least 1; `words_in`, words of a beat in, from 3 to
//!   1024; `words_out`, of a beat out, from 2 to less than `words_in`, no divisor of it; a beat has at most 65,536 bits.
//! - Latency: 1 cycle. 1 beat out in every cycle without bubbles, also from packet to packet.
//! - Combinational path: `m_ready` to `s_ready`.
//! - After reset no words are held.

use super::{Beat, beat};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, clog2, module, ports, stream};

ports! {
    /// Ports of a gearbox.
    pub struct GearboxPorts(word_width: u32, words_in: u32, words_out: u32) {
        /// beats in, full but for the last of a packet
        input s: Stream<Beat> = stream(beat(word_width, words_in)),
        /// beats out, full but for the last of a packet
        output m: Stream<Beat> = stream(beat(word_width, words_out)),
    }
}

/// Converts packets from beats of `words_in` words to beats of `words_out`.
#[module]
pub fn gearbox(word_width: u32, words_in: u32, words_out: u32) -> Result<Design<GearboxPorts>, Errors> {
    let name = format!("gearbox_{words_in}_to_{words_out}x{word_width}");
    check(&name, word_width, words_in, words_out)?;
    let m = Module::new(name);
    m.doc("Converts packets to beats of less words, the first word in the low bits.");
    let io = GearboxPorts::new(m, word_width, words_in, words_out);
    // all places are multiples of this many words
    let step = super::greatest_divisor(words_in, words_out);
    let (places, steps_out) = (words_in / step, words_out / step);
    let carried = words_out - step;

    m.section("the beat, and below it the last words of the one before");
    let held = held(m, word_width, words_in, carried);
    let Held { valid, data, keep, last, carry, carry_keep } = held;

    m.section("the window that goes out");
    let at = m
        .reg_reset(bits(clog2(places as usize)), steps_out - 1)
        .comment("its place; at reset, the first word of the beat");
    let out_data = window(data.cat(carry), at, step * word_width, word_width * words_out);
    let kept = window(keep.cat(carry_keep), at, step, words_out + 1);
    let more = kept.msb(); // a word behind the window
    io.m.valid.set(valid);
    io.m.payload.set(Beat { data: out_data, keep: kept.trunc(words_out), last: last & !more });

    m.section("movement: within the beat, into the next one, or to the beginning of the next packet");
    let done = last & !more;
    let crosses = at.gt(places - 1 - steps_out); // the next window passes the end of the beat
    let frees = done | (crosses & !last);
    let leaves = io.m.transfer();
    io.s.ready.set(!valid | (io.m.ready & frees));
    m.when(leaves, || {
        let next = crosses.mux(at - (places - steps_out), at + steps_out);
        at.set(done.mux(at.literal(steps_out - 1), next));
        valid.set(!frees);
        m.when(crosses, || {
            carry.set(data.drop_low(word_width * (words_in - carried)));
            carry_keep.set(keep.drop_low(words_in - carried));
            keep.set(0); // what is left of a last beat leaves without a beat behind it
        });
    });
    m.when(io.s.transfer(), || held.load(io.s.payload));
    m.finish(io)
}

/// The words that are there, in registers.
#[derive(Clone, Copy)]
struct Held {
    /// A beat is there.
    valid: Signal,
    data: Signal,
    keep: Signal,
    last: Signal,
    /// The last words of the beat before.
    carry: Signal,
    carry_keep: Signal,
}

#[module]
fn held(m: Module, word_width: u32, words_in: u32, carried: u32) -> Held {
    let valid = m.reg_reset(bits(1), 0);
    let data = m.reg(bits(word_width * words_in));
    let keep = m.reg(bits(words_in));
    let last = m.reg(bits(1));
    let carry = m.reg(bits(word_width * carried));
    let carry_keep = m.reg(bits(carried));
    Held { valid, data, keep, last, carry, carry_keep }
}

impl Held {
    /// The next beat: all its words are there, unless it is the last of its packet.
    fn load(&self, beat: Beat) {
        self.valid.set(true);
        self.data.set(beat.data);
        self.keep.set(beat.keep | !beat.last.repeat(beat.keep.width()));
        self.last.set(beat.last);
    }
}

/// The `width` bits of `x` from bit `at * step` on, zeros behind its end. The largest distances first, so that the later
/// levels are narrow.
#[module]
fn window(x: Signal, at: Signal, step: u32, width: u32) -> Signal {
    (0..at.width()).rev().fold(x, |x, level| {
        let needed = width + step * ((1 << level) - 1);
        at.bit(level).mux(cut(x, step << level, needed), cut(x, 0, needed))
    })
}

/// `width` bits of `x` from bit `low` on, zeros behind its end.
fn cut(x: Signal, low: u32, width: u32) -> Signal {
    match x.width().saturating_sub(low) {
        0 => x.zeros(width),
        there if there < width => x.drop_low(low).zext(width),
        _ => x.drop_low(low).trunc(width),
    }
}

/// The parameters of a gearbox.
#[track_caller]
fn check(name: &str, word_width: u32, words_in: u32, words_out: u32) -> Result<(), Errors> {
    super::check_words(name, word_width, words_in, words_out)?;
    if words_out < words_in && !words_in.is_multiple_of(words_out) {
        return Ok(());
    }
    let help = "words_out is less than words_in and does not divide it; otherwise use `pack`, `narrow` or `widen`";
    Err(Errors::parameter(name, format!("words_in = {words_in}, words_out = {words_out}"), help))
}

#[cfg(test)]
mod tests;

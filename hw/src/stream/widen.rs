//! Joins words into wide beats: `ratio` beats in, one beat out, the first in the low bits.
//!
//! A packet that ends (`last`) before the wide beat is full closes it at once: the words that did not come have `keep`
//! 0. `keep` of the words is passed on as it is. The next packet begins in a new beat, so packets stay apart.
//!
//! | port | |
//! | --- | --- |
//! | `s` | beats in; `s_ready` follows `m_ready` within the cycle while a wide beat waits |
//! | `m` | wide beats out; `m_valid` and the payload are registers |
//!
//! - Parameters: `word_width`, bits of one word (8 for AXI4-Stream), at least 1; `words`, words of a beat in, at least
//!   1; `ratio`, beats in for one out, from 2 (1 would be a wire) to 1024; the wide beat has at most 65,536 bits.
//! - Latency: 1 cycle after the beat that fills or ends the wide one. 1 beat in in every cycle, without bubbles.
//! - Combinational path: `m_ready` to `s_ready`.
//! - After reset no words are held.

use super::{Beat, beat};
use hdl::{Bundle, Design, Errors, Module, Stream, bits, cat, clog2, module, ports, stream};

ports! {
    /// Ports of a widener.
    pub struct WidenPorts(word_width: u32, words: u32, ratio: u32) {
        /// beats in
        input s: Stream<Beat> = stream(beat(word_width, words)),
        /// wide beats out
        output m: Stream<Beat> = stream(beat(word_width, words * ratio)),
    }
}

/// Joins `ratio` beats of `words` words of `word_width` bits.
#[module]
pub fn widen(word_width: u32, words: u32, ratio: u32) -> Result<Design<WidenPorts>, Errors> {
    let name = format!("widen_{}x{ratio}", u64::from(word_width) * u64::from(words));
    super::check_ratio(&name, word_width, words, ratio)?;
    let m = Module::new(name);
    m.doc("Joins beats into wide ones, the first in the low bits.");
    let io = WidenPorts::new(m, word_width, words, ratio);

    m.section("handshake");
    let full = m.reg_reset(bits(1), 0).comment("the wide beat is complete");
    io.m.valid.set(full);
    io.s.ready.set(!full | io.m.ready);
    let take = io.s.transfer();

    m.section("the place of the next beat");
    let place = m.reg_reset(bits(clog2(ratio as usize)), 0);
    let last = m.reg(bits(1));
    let completes = place.eq(ratio - 1) | io.s.payload.last;
    m.when(take, || {
        place.set(completes.mux(place.zeros(place.width()), place + 1));
        full.set(completes);
        last.set(io.s.payload.last);
    })
    .elsewhen(io.m.ready, || full.set(false));

    m.section("the words");
    let data: Vec<_> = (0..ratio).map(|_| m.reg(bits(word_width * words))).collect();
    let keep: Vec<_> = (0..ratio).map(|_| m.reg(bits(words))).collect();
    for (i, (data, keep)) in data.iter().zip(&keep).enumerate() {
        m.when(take & place.eq(i), || {
            data.set(io.s.payload.data);
            keep.set(io.s.payload.keep);
        });
        if i > 0 {
            m.when(take & place.eq(0), || keep.set(0)); // a new beat begins
        }
    }
    let (data, keep): (Vec<_>, Vec<_>) = (data.into_iter().rev().collect(), keep.into_iter().rev().collect());
    io.m.payload.set(Beat { data: cat(&data), keep: cat(&keep), last });
    m.finish(io)
}

/// Joins `ratio` beats of a stream into one; 1 leaves the stream as it is.
#[module]
pub fn widen_after(m: Module, s: Stream<Beat>, ratio: u32) -> Result<Stream<Beat>, Errors> {
    if ratio == 1 {
        return Ok(s);
    }
    let (word_width, words) = super::words_of("widen", s.payload)?;
    let widen = m.instance(&widen(word_width, words, ratio)?);
    widen.s.set(s);
    Ok(widen.m)
}

#[cfg(test)]
mod tests;

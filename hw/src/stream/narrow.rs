//! Cuts wide beats into narrow ones: one beat in, up to `ratio` beats out, those from the low bits first.
//!
//! Narrow beats after the last one with a word (`keep` 1) are left out, so a packet that ends within a wide beat ends
//! there; `last` stands at the last narrow beat that is sent. A wide beat without any word gives one narrow beat
//! without any word, because its `last` must not be lost. The reverse of [`widen`](super::widen::widen()).
//!
//! | port | |
//! | --- | --- |
//! | `s` | wide beats in; `s_ready` follows `m_ready` within the cycle at the last narrow beat |
//! | `m` | beats out; `m_valid` and `m_data`, `m_keep` are registers |
//!
//! - Parameters: `word_width`, bits of one word (8 for AXI4-Stream), at least 1; `words`, words of a beat out, at least
//!   1; `ratio`, beats out for one in, from 2 (1 would be a wire) to 1024; the wide beat has at most 65,536 bits.
//! - Latency: 1 cycle. 1 beat out in every cycle, without bubbles.
//! - Combinational path: `m_ready` to `s_ready`.
//! - After reset no words are held.

use super::{Beat, beat};
use hdl::{Bundle, Design, Errors, Module, Stream, bits, module, ports, stream};

ports! {
    /// Ports of a narrower.
    pub struct NarrowPorts(word_width: u32, words: u32, ratio: u32) {
        /// wide beats in
        input s: Stream<Beat> = stream(beat(word_width, words * ratio)),
        /// beats out
        output m: Stream<Beat> = stream(beat(word_width, words)),
    }
}

/// Cuts beats into `ratio` beats of `words` words of `word_width` bits.
#[module]
pub fn narrow(word_width: u32, words: u32, ratio: u32) -> Result<Design<NarrowPorts>, Errors> {
    let width = word_width.saturating_mul(words);
    let name = format!("narrow_{ratio}x{width}");
    super::check_ratio(&name, word_width, words, ratio)?;
    let m = Module::new(name);
    m.doc("Cuts wide beats into narrow ones, the low bits first.");
    let io = NarrowPorts::new(m, word_width, words, ratio);

    m.section("the rest of the wide beat: shifted down as it is sent");
    let valid = m.reg_reset(bits(1), 0);
    let rest = m.reg(beat(word_width, words * ratio));
    let more = rest.keep.drop_low(words).any();
    io.m.valid.set(valid);
    io.m.payload.set(Beat { data: rest.data.trunc(width), keep: rest.keep.trunc(words), last: rest.last & !more });

    m.section("movement: the next part, or a new beat");
    let moves = io.m.ready | !valid;
    let next_part = valid & more;
    let shifted = Beat { data: rest.data >> width, keep: rest.keep >> words, last: rest.last };
    io.s.ready.set(moves & !next_part);
    m.when(moves, || {
        valid.set(io.s.valid | next_part);
        rest.set(next_part.mux(shifted, io.s.payload));
    });
    m.finish(io)
}

/// Cuts the beats of a stream into `ratio` beats; 1 leaves the stream as it is.
#[module]
pub fn narrow_after(m: Module, s: Stream<Beat>, ratio: u32) -> Result<Stream<Beat>, Errors> {
    if ratio == 1 {
        return Ok(s);
    }
    let (word_width, wide_words) = super::words_of("narrow", s.payload)?;
    if ratio == 0 || !wide_words.is_multiple_of(ratio) {
        let message = format!("{wide_words} words cannot be cut into {ratio} equal beats");
        return Err(Errors::parameter("narrow", message, "the ratio must divide the number of words"));
    }
    let narrow = m.instance(&narrow(word_width, wide_words / ratio, ratio)?);
    narrow.s.set(s);
    Ok(narrow.m)
}

#[cfg(test)]
mod tests;

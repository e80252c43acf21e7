//! Width converter between any two widths: the smallest part that does it.
//!
//! | words | part | rate |
//! | --- | --- | --- |
//! | to a multiple | [`widen`](super::widen::widen()) | 1 beat in in every cycle |
//! | to a divisor | [`narrow`](super::narrow::narrow()) | 1 beat out in every cycle |
//! | to more, no multiple | [`pack`](super::pack::pack()) | 1 beat in in every cycle |
//! | to less, no divisor | [`gearbox`](super::gearbox::gearbox()) | 1 beat out in every cycle |
//!
//! The narrower side always moves a beat in every cycle. Packets in consist of full beats but for the last one, whose
//! words that are there come first; so do packets out. The ports, latency and paths are those of the part.
//!
//! Parameters: `word_width`, bits of one word (8 for AXI4-Stream), at least 1; `words_in` and `words_out`, words of a beat
//! in and out, from 1 to 1024 and not the same; a beat has at most 65,536 bits.

use super::gearbox::gearbox;
use super::narrow::{narrow, narrow_after};
use super::pack::{Beats, pack, pack_after};
use super::widen::{widen, widen_after};
use super::{Beat, check_words, words_of};
use hdl::{Bundle, Design, Errors, Module, Stream, module};

/// Converts packets from beats of `words_in` words to beats of `words_out`.
pub fn convert(word_width: u32, words_in: u32, words_out: u32) -> Result<Design<()>, Errors> {
    let name = format!("convert_{words_in}_to_{words_out}x{word_width}");
    check_words(&name, word_width, words_in, words_out)?;
    match (words_in, words_out) {
        (from, to) if from == to => {
            let message = format!("words_in = {from}, words_out = {to}");
            Err(Errors::parameter(&name, message, "they differ: a converter to the same width would be a wire"))
        }
        (from, to) if to.is_multiple_of(from) => widen(word_width, from, to / from).map(Design::erase),
        (from, to) if from.is_multiple_of(to) => narrow(word_width, to, from / to).map(Design::erase),
        (from, to) if from < to => pack(word_width, from, to, Beats::Full).map(Design::erase),
        (from, to) => gearbox(word_width, from, to).map(Design::erase),
    }
}

/// Converts the packets of a stream to beats of `words`; as many as it has leave it as it is.
#[module]
pub fn convert_after(m: Module, s: Stream<Beat>, words: u32) -> Result<Stream<Beat>, Errors> {
    let (word_width, from) = words_of("convert", s.payload)?;
    check_words("convert", word_width, from, words)?;
    if from == words {
        return Ok(s);
    }
    if words.is_multiple_of(from) {
        return widen_after(m, s, words / from);
    }
    if from.is_multiple_of(words) {
        return narrow_after(m, s, from / words);
    }
    if from < words {
        return pack_after(m, s, words, Beats::Full);
    }
    let gearbox = m.instance(&gearbox(word_width, from, words)?);
    gearbox.s.set(s);
    Ok(gearbox.m)
}

#[cfg(test)]
mod tests;

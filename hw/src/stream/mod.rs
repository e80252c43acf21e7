//! Streams: register slices, FIFO, width converters, packer, fork, join, demultiplexer, arbiters, credits, and the
//! AXI4-Stream edge.
//!
//! | part | latency | transfers a cycle | `s_ready` | `m_valid`, `m_payload` |
//! | --- | --- | --- | --- | --- |
//! | [`register_slice`] | 1 | 1 | register | registers |
//! | [`register_slice_forward`] | 1 | 1 | from `m_ready` | registers |
//! | [`register_slice_backward`] | 0 | 1 | register | from `s_valid`, `s_payload` |
//! | [`fifo`] in LUT RAM | 1 | 1 | register | register, read by a registered address |
//! | [`fifo`] in block RAM | 2 | 1 | register | register, output of the block RAM |
//! | [`fifo_with_room`] | 1 | 1 | none: the sender knows | register, read by a registered address |
//! | [`fifo_two_clocks`] | 3 to 4 of `m_clk` | 1 (of the slower clock) | register | register, from the memory |
//! | [`widen`] | 1 after the last word | 1 word in | from `m_ready` | registers |
//! | [`narrow`] | 1 | 1 word out | from `m_ready` | registers |
//! | [`pack`] | 1 after the last word | 1 beat in | from `m_ready` | registers |
//! | [`gearbox`] | 1 | 1 beat out | from `m_ready` | register, window of registers |
//! | [`convert`] | that of the four above | | | |
//! | [`fork`](fork()), [`join`](join()) | 0 | 1 | from all `ready` (and `valid`) | from `valid` |
//! | [`demultiplexer`] | 0 | 1 | from `m_ready`, `s_select` | from `s_valid`, `s_select` |
//! | [`arbiter`], [`packet_arbiter`] | 1 | 1 | from `m_ready`, all `s_valid` | registers |
//! | [`credit_counter`] | | 1 taken, 1 given | | |
//! | [`crc32`] | 0 | 1 step | | |
//!
//! Between clocks: [`fifo_two_clocks`] for words, [`pulse_synchronizer`] for events, [`synchronizer`] for levels and gray-coded
//! numbers, [`reset_synchronizer`] for the reset of a clock.

pub mod arbiter;
pub mod axi_stream;
pub mod convert;
pub mod crc32;
pub mod credit_counter;
pub mod demultiplexer;
pub mod fifo;
pub mod fifo_two_clocks;
pub mod fifo_with_room;
mod fork;
pub mod gearbox;
mod join;
pub mod narrow;
pub mod pack;
pub mod packet_arbiter;
pub mod pulse_synchronizer;
pub mod register_slice;
pub mod register_slice_backward;
pub mod register_slice_forward;
pub mod reset_synchronizer;
pub mod round_robin;
pub mod several;
pub mod synchronizer;
#[cfg(test)]
pub(crate) mod testing;
pub mod widen;

pub use fork::{fork, fork_many};
pub use join::{join, join_many};

use hdl::{Bundle, Errors, Signal, Stream, bits};

/// A beat of a packet: what AXI4-Stream calls TDATA, TKEEP and TLAST.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Beat {
    /// The words, the first in the low bits.
    pub data: Signal,
    /// One bit for each word (a byte, in AXI4-Stream): it is there. What stands in `data` where it is not, means nothing.
    pub keep: Signal,
    /// The packet ends with this beat.
    pub last: Signal,
}

/// The shape of a beat of `words` words of `word_width` bits.
pub fn beat(word_width: u32, words: u32) -> Beat {
    Beat { data: bits(word_width * words), keep: bits(words), last: bits(1) }
}

impl Beat {
    /// The last beat of a packet or any other, with all words there.
    #[track_caller]
    pub fn full(data: Signal, words: u32, last: Signal) -> Beat {
        Beat { data, keep: !data.zeros(words), last }
    }
}

/// The stream with its payload as one signal.
#[track_caller]
fn packed<P: Bundle>(s: Stream<P>) -> Stream {
    s.with(s.payload.pack())
}

/// A word has at least one bit.
#[track_caller]
fn check_width(module: &str, width: u32) -> Result<(), Errors> {
    let legal = (1..=MAX_WIDTH).contains(&width);
    let help = format!("from 1 to {MAX_WIDTH}: a word needs a bit, and wider ones no device has the wires for");
    if legal { Ok(()) } else { Err(Errors::parameter(module, format!("width = {width} is out of range"), help)) }
}

/// Bits of the widest stream.
pub const MAX_WIDTH: u32 = 1 << 16;

/// The largest ratio of the width converters.
pub const MAX_RATIO: u32 = 1024;

/// The parameters of a width converter.
#[track_caller]
fn check_ratio(module: &str, word_width: u32, words: u32, ratio: u32) -> Result<(), Errors> {
    let wide = u64::from(word_width) * u64::from(words) * u64::from(ratio);
    let problem = if word_width == 0 || words == 0 {
        let help = "at least 1 each: a beat needs a word, and a word a bit".to_string();
        (format!("word_width = {word_width}, words = {words}"), help)
    } else if !(2..=MAX_RATIO).contains(&ratio) {
        let help = format!("from 2 (1 would be a wire) to {MAX_RATIO}");
        (format!("ratio = {ratio} is out of range"), help)
    } else if wide > MAX_WIDTH.into() {
        let help = format!("word_width * words * ratio must be at most {MAX_WIDTH}: no device has the wires for more");
        (format!("the wide beat has {wide} bits"), help)
    } else {
        return Ok(());
    };
    Err(Errors::parameter(module, problem.0, problem.1))
}

/// The most words of a beat that a packer, gearbox or converter takes or gives.
pub const MAX_WORDS: u32 = 1024;

/// The words of the beats of a packer, gearbox or converter.
#[track_caller]
fn check_words(module: &str, word_width: u32, words_in: u32, words_out: u32) -> Result<(), Errors> {
    let wide = u64::from(word_width) * u64::from(words_in.max(words_out));
    let legal = 1..=MAX_WORDS;
    let problem = if word_width == 0 {
        ("word_width = 0".to_string(), "at least 1: a word needs a bit".to_string())
    } else if !legal.contains(&words_in) || !legal.contains(&words_out) {
        (format!("words_in = {words_in}, words_out = {words_out}"), format!("from 1 to {MAX_WORDS} words each"))
    } else if wide > MAX_WIDTH.into() {
        let help = format!("word_width * words must be at most {MAX_WIDTH}: no device has the wires for more");
        (format!("the wider beat has {wide} bits"), help)
    } else {
        return Ok(());
    };
    Err(Errors::parameter(module, problem.0, problem.1))
}

/// The greatest number that divides both.
fn greatest_divisor(a: u32, b: u32) -> u32 {
    if b == 0 { a } else { greatest_divisor(b, a % b) }
}

/// Bits of a word and words of a beat.
#[track_caller]
fn words_of(module: &str, beat: Beat) -> Result<(u32, u32), Errors> {
    let (width, words) = (beat.data.width(), beat.keep.width());
    if width.is_multiple_of(words) {
        return Ok((width / words, words));
    }
    let message = format!("{width} bits of data with {words} bits of keep");
    Err(Errors::parameter(module, message, "keep has one bit for each of the equal words of data"))
}

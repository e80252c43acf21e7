//! Read aligner: the beats of a bus become words that begin with a command's first byte. Part of the [burst reader](super::burst_reader).
//!
//! A beat is rotated so that its bytes stand in the lanes of their word; a word has its low lanes from one beat and its high lanes from
//! the next. Nothing waits: the sender of beats has room for as many words.
//!
//! | port | |
//! | --- | --- |
//! | `s_valid`, `s_...` | a beat; `stop` instead: the command's last word has no bytes, and what is not complete yet is dropped |
//! | `m_valid`, `m_...` | a word; from registers |
//!
//! Parameters: bytes of a beat. Throughput: one beat a cycle, command after command. Latency: 2 cycles from the beat that completes a
//! word; of a word that ends with its beat, and is not a command's last one, from the next beat.

use super::rotate::{lanes_up_to, rotate_down};
use hdl::*;

/// A beat of the bus.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct BusBeat {
    /// The bytes of the bus.
    pub data: Signal,
    /// It is the last one of its command.
    pub last: Signal,
    /// The command ends here, without this beat and what is not complete.
    pub stop: Signal,
    /// Beside `stop`: the command failed.
    pub failed: Signal,
    /// The byte of the command's first beat with which it begins.
    pub offset: Signal,
    /// The byte of the command's last beat with which it ends.
    pub end: Signal,
}

/// The shape of a beat of so many bytes.
pub fn bus_beat(bytes: u32) -> BusBeat {
    let (flag, byte) = (bits(1), bits(bytes.ilog2()));
    BusBeat { data: bits(8 * bytes), last: flag, stop: flag, failed: flag, offset: byte, end: byte }
}

/// A word of a packet.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Word {
    /// The bytes, the packet's next one lowest.
    pub data: Signal,
    /// Its last byte; of a last word without bytes, whether the command failed (1) or had none (0).
    pub end: Signal,
    /// The packet's last word.
    pub last: Signal,
    /// Beside `last`: it has no bytes.
    pub empty: Signal,
}

/// The shape of a word of so many bytes.
pub fn word(bytes: u32) -> Word {
    Word { data: bits(8 * bytes), end: bits(bytes.ilog2()), last: bits(1), empty: bits(1) }
}

ports! {
    /// Ports of a read aligner.
    pub struct ReadAlignerPorts(bytes: u32) {
        /// A beat is there.
        input s_valid: Signal = bits(1),
        /// The beat.
        input s: BusBeat = bus_beat(bytes),
        /// A word is there.
        output m_valid: Signal = bits(1),
        /// The word.
        output m: Word = word(bytes),
    }
}

/// A read aligner for beats of `bytes` bytes.
#[module]
pub fn read_aligner(bytes: u32) -> Result<Design<ReadAlignerPorts>, Errors> {
    let m = Module::new(format!("read_aligner_{bytes}"));
    m.doc("The beats of a bus become words that begin with a command's first byte.");
    let io = ReadAlignerPorts::new(m, bytes);

    m.section("a beat, its bytes in the lanes of their words");
    let next_valid = m.reg_reset(bits(1), 0);
    next_valid.set(io.s_valid);
    let next = rotated(m, io.s, bytes);

    m.section("and the one before it");
    let held_valid = m.reg_reset(bits(1), 0);
    let held = m.reg(next.shape());
    let joins = held_valid & !held.ends & next_valid & !next.stop;
    let flushes = held_valid & held.ends;
    let held_next = next_valid & !(joins & next.ends_within);
    held_valid.set(held_next | (held_valid & !held.ends & !next_valid));
    m.when(next_valid, || held.set(next));

    m.section("a word");
    let of_next = next.high & (!held.ends).repeat(bytes);
    let kept = held.ends.mux(held.kept, next.kept | (!next.ends_within).repeat(bytes));
    let lane = |(((next, held), of_next), kept): (((Signal, Signal), Signal), Signal)| {
        of_next.mux(next, held) & kept.repeat(8)
    };
    let data =
        next.data.lanes(8).into_iter().zip(held.data.lanes(8)).zip(of_next.lanes(1)).zip(kept.lanes(1)).map(lane);
    let data: Vec<Signal> = data.collect();
    let last = flushes | next.ends_within;
    let end = flushes.mux(held.last_byte, next.last_byte);
    let failed = held.failed.zext(end.width());
    let empty = flushes & held.stop;
    io.m_valid.set(flushes | joins);
    io.m.set(Word {
        data: cat(&data.into_iter().rev().collect::<Vec<_>>()),
        end: last.mux(empty.mux(failed, end), end.zeros(end.width())),
        last,
        empty,
    });
    m.finish(io)
}

/// A beat with its bytes in the lanes of their words.
#[derive(Clone, Copy, Bundle)]
struct Rotated {
    data: Signal,
    /// The command ends with it.
    ends: Signal,
    stop: Signal,
    failed: Signal,
    /// Lanes whose bytes belong to the word that began in the beat before.
    high: Signal,
    /// The last byte of the command's last word.
    last_byte: Signal,
    /// The lanes up to that; none with `stop`.
    kept: Signal,
    /// The last word's bytes are all there with this beat.
    ends_within: Signal,
}

/// Rotates a beat into the lanes of its words, and registers it.
#[module]
fn rotated(m: Module, x: BusBeat, bytes: u32) -> Rotated {
    let last_byte = x.end - x.offset;
    let kept = lanes_up_to(last_byte, bytes) & (!x.stop).repeat(bytes);
    let high: Vec<Signal> =
        (0..bytes).rev().map(|lane| x.offset.zext(bytes.ilog2() + 1).gt(bytes - 1 - lane)).collect();
    let rotated = Rotated {
        data: rotate_down(x.data, x.offset, 8),
        ends: x.last | x.stop,
        stop: x.stop,
        failed: x.failed,
        high: cat(&high),
        last_byte,
        kept,
        // if it ends before the lane in which that begins
        ends_within: x.last & x.end.lt(x.offset),
    };
    let next = m.reg(rotated.shape());
    next.set(rotated);
    next
}

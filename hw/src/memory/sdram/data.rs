//! The way of the data: beats of the bus to words of the chip, and back.
//!
//! A beat that is written stands in a shift register, whose lowest word is on the pins. Words that are read go through a register and a shift register that run
//! always; a tag says when a beat is complete, and it goes into a FIFO in which it has room since it was asked for.

use super::params::SdramParams;
use crate::memory::axi::{AxiRead, AxiWrite};
use crate::stream::fifo::{Style, fifo};
use crate::stream::fifo_with_room::fifo_with_room;
use hdl::logic::UpDown;
use hdl::*;

/// Beats that wait in each direction.
pub const WAITING: u32 = 16;

/// Beats to write.
#[derive(Clone, Copy, Bundle)]
pub struct WriteBeat {
    /// Bytes.
    pub data: Signal,
    /// Those that are written.
    pub strobes: Signal,
}

/// The beats that wait to be written, and how many.
#[module]
pub fn write_beats(m: Module, axi: AxiWrite) -> Result<(Stream<WriteBeat>, Signal), Errors> {
    let shape = WriteBeat { data: bits(64), strobes: bits(8) };
    let waiting = m.instance(&fifo(shape.total_width(), WAITING as usize, Style::Distributed)?);
    axi.wlast.unused();
    waiting.s.valid.set(axi.wvalid);
    axi.wready.set(waiting.s.ready);
    waiting.s.payload.set(WriteBeat { data: axi.wdata, strobes: axi.wstrb }.pack());
    Ok((waiting.m.with(shape.unpack(waiting.m.payload)), waiting.level))
}

/// What stands on the data pins: words, whether they are driven, and the mask. `load`: this beat is written; `slot_ends`: the beat before has its last word on the pins.
#[module]
pub fn drive(m: Module, beat: WriteBeat, [load, slot_ends, starting]: [Signal; 3], p: SdramParams) -> [Signal; 3] {
    let (word, bytes) = (p.data_bits, p.data_bits / 8);
    let shift = m.reg_reset(bits(64), 0).comment("words to write, the lowest on the pins");
    let mask = m.reg_reset(bits(8), 0xffu32).comment("bytes that are not written");
    let enable = m.reg_reset(bits(1), 0).comment("the data pins are driven");
    shift.set(shift.zeros(word).cat(shift.drop_low(word)));
    mask.set(mask.zeros(bytes).cat(mask.drop_low(bytes)));
    m.when(slot_ends, || enable.set(0));
    m.when(load, || {
        shift.set(beat.data);
        mask.set(!beat.strobes);
        enable.set(1);
    });
    m.when(starting, || mask.set(0xffu32));
    [shift.trunc(word), enable, mask.trunc(bytes)]
}

/// A beat that was asked for.
#[derive(Clone, Copy)]
pub struct Tag {
    /// There is one.
    pub valid: Signal,
    /// The burst ends with it.
    pub last: Signal,
    /// It is refused.
    pub refused: Signal,
    /// ID of the burst.
    pub id: Option<Signal>,
}

/// Gives the beats that were asked for. One bit: there is room for another one.
#[module]
pub fn read_beats(m: Module, axi: AxiRead, dq: Signal, tag: Tag, p: SdramParams) -> Result<Signal, Errors> {
    m.section("words that come, and when they are a beat");
    let word = m.reg(bits(p.data_bits)).comment("the word on the data pins in the last cycle");
    word.set(dq);
    let before = m.reg(bits(64 - p.data_bits)).comment("the words before it, the oldest below");
    before.set(word.cat(before).drop_low(p.data_bits));
    let cycles = p.cas_latency + p.read_delay + p.burst() + 1;
    let there = m.reg_reset(bits(cycles), 0).comment("beats that were asked for, by their age");
    let [last, refused] = ["last", "refused"].map(|name| m.reg(bits(cycles)).named(name));
    for (all, new) in [(there, tag.valid), (last, tag.last), (refused, tag.refused)] {
        all.set(all.trunc(cycles - 1).cat(new));
    }

    m.section("beats wait for the master");
    let waiting = m.instance(&fifo_with_room(66, WAITING as usize)?);
    waiting.level.unused();
    waiting.push.set(there.msb());
    waiting.word.set(cat(&[refused.msb(), last.msb(), word, before]));
    let word = waiting.m.payload;
    axi.rvalid.set(waiting.m.valid);
    waiting.m.ready.set(axi.rready);
    axi.rdata.set(word.trunc(64));
    let last = word.bit(64);
    axi.rlast.set(last);
    axi.rresp.set(word.bit(65).cat(word.zeros(1)));
    if let (Some(rid), Some(id)) = (axi.rid, tag.id) {
        rid.set(ids(m, tag, id.trunc(rid.width()), waiting.m.transfer() & last)?);
    }
    let promised = UpDown::new(m, WAITING);
    promised.level.comment("beats that were asked for and are not given");
    promised.count(tag.valid, waiting.m.transfer());
    Ok(!promised.is_full())
}

/// The ID of the burst that is given: those of bursts wait since their first beat was asked for, which is earlier than it is there, and there are no more of
/// them than beats that have room.
#[module]
fn ids(m: Module, tag: Tag, id: Signal, ends: Signal) -> Result<Signal, Errors> {
    let first = m.reg_reset(bits(1), 1).comment("the next beat that is asked for begins a burst");
    m.when(tag.valid, || first.set(tag.last));
    let waiting = m.instance(&fifo_with_room(id.width(), WAITING as usize)?);
    waiting.level.unused();
    waiting.m.valid.unused();
    waiting.push.set(tag.valid & first);
    waiting.word.set(id);
    waiting.m.ready.set(ends);
    Ok(waiting.m.payload)
}

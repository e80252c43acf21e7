//! SDRAM controller: a single-data-rate SDRAM chip as a slave of AXI4, with a row open in each bank.
//!
//! | port | |
//! | --- | --- |
//! | `s_axi` | AXI4 of 64 bits, with IDs by parameter; an address is that of a byte of the chip: row, bank, column. All `valid` of the slave are registers |
//! | `sdram` | the chip: commands and addresses, bank, word out, word in, whether the word out is driven, mask. All outputs are registers. `cke` is to be 1, `cs_n` 0 |
//!
//! - Bursts that go up (INCR) with beats of 8 bytes, of any length; and single beats of any size and kind. Any other burst is
//!   answered with SLVERR, of every beat or once, with as many beats as it has, and does nothing. The lowest three bits of an address are not looked at.
//! - With mask pins, strobes are those of the chip's bytes. Without, a beat of which some bytes are to be written and others not is not written, and
//!   its burst is answered with SLVERR; its other beats are written. A beat without any strobe does nothing, in either case.
//! - A write is answered when its last beat goes to the chip; a read that is asked for then sees it. Reads and writes are served in turn, burst by
//!   burst, in the order in which they were taken. `s_axi_wlast` is not looked at.
//! - A write is begun when its first beat is there. A master whose data then stop holds up everyone: give them without waiting for reads.
//! - Beats of one row follow each other without a gap, a word of the chip in each cycle, whatever bursts they are of, but for a cycle of the bus and
//!   the CAS latency from reads to writes. While a burst is moved, the row of the next one is opened, if it is in another bank; refreshes interrupt.
//! - Parameters: [`SdramParams`]. Latency of a read with nothing else to do: 5 cycles, CAS latency, words of a beat and `read_delay` from
//!   the cycle in which it is taken to its first data, if its row is open.
//! - Measured, refreshes included, bytes a cycle: 16 bits at 75 MHz 1.96 of long reads and writes and 1.8 to 1.9 of 64 bytes anywhere; 32 bits at
//!   100 MHz 3.97, and 3.4 to 3.6 (reads and writes in turn: the lower figure).
//! - Combinational paths: `s_axi_arvalid` and `s_axi_awvalid` to `s_axi_arready` and `s_axi_awready`.
//! - After reset the chip is initialised, and what it held is not promised.

use self::banks::Banks;
use self::data::{Tag, drive, read_beats, write_beats};
use self::front::{Segment, segment, segments};
pub use self::params::{CAS_2_HERTZ, SdramParams, SdramTimes};
use self::sequence::{Sequence, sequence};
use super::axi::{Axi, axi};
use crate::stream::register_slice::register_slice_after;
use hdl::*;

mod banks;
mod data;
mod front;
mod params;
mod sequence;

/// The pins of a chip, seen from the controller.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct SdramPins {
    /// RAS#.
    pub ras_n: Signal,
    /// CAS#.
    pub cas_n: Signal,
    /// WE#.
    pub we_n: Signal,
    /// Bank.
    pub ba: Signal,
    /// Address; bit 10 of a precharge: all banks.
    pub a: Signal,
    /// Bytes that are not written.
    pub dqm: Option<Signal>,
    /// The word to write.
    pub dq_out: Signal,
    /// It is driven.
    pub dq_oe: Signal,
    /// The word on the pins, `read_delay` cycles later.
    #[flip]
    pub dq_in: Signal,
}

/// The shape of the pins.
pub fn sdram_pins(p: SdramParams) -> SdramPins {
    let (bit, word) = (bits(1), bits(p.data_bits));
    let dqm = p.mask.then(|| bits(p.data_bits / 8));
    let (ba, a) = (bits(p.bank_bits), bits(p.row_bits));
    SdramPins { ras_n: bit, cas_n: bit, we_n: bit, ba, a, dqm, dq_out: word, dq_oe: bit, dq_in: word }
}

ports! {
    /// Ports of an SDRAM controller.
    pub struct SdramPorts(p: SdramParams) {
        /// The bus.
        input s_axi: Axi = axi(p.axi()[0], p.axi()[1]),
        /// The chip.
        output sdram: SdramPins = sdram_pins(p),
    }
}

/// An SDRAM controller.
#[module]
pub fn sdram(name: &str, p: SdramParams) -> Result<Design<SdramPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc("SDRAM controller: a single-data-rate SDRAM chip as a slave of AXI4.");
    let io = SdramPorts::new(m, p);

    m.section("requests, and beats to write");
    let (beats, level) = write_beats(m, io.s_axi.write)?;
    let wrote = beats.transfer();
    let next = register_slice_after(m, segments(m, io.s_axi, level, wrote, p))?;
    let current = Current::new(m, p);

    m.section("the chip's own needs, and the rows of the segments");
    let banks = Banks::new(m, p);
    let own = sequence(m, banks.free(), p);
    let now = banks.look(current.held.bank, current.held.row);
    let coming = banks.look(next.payload.bank, next.payload.row);

    m.section("a beat goes to the chip");
    let answer = Answer::new(m, p);
    let slot = Slot::new(m, p);
    let (has_room, ends) = (m.wire(bits(1)), !current.held.len.any());
    let Segment { write, refused, last, bank, .. } = current.held;
    let closes = ends & last;
    let data = write.mux(beats.valid & slot.may_write & !(closes & answer.valid), has_room);
    let goes = own.runs & current.valid & slot.over & (refused | now.hit) & data;
    beats.ready.set(goes & write);
    let strobes = beats.payload.strobes;
    let written = if p.mask { m.lit(1u32, 1) } else { strobes.all() };
    let partial = if p.mask { m.lit(0u32, 1) } else { strobes.any() & !strobes.all() };
    let reads = goes & !write & !refused;
    let writes = goes & write & !refused & written;
    slot.goes(goes, reads);
    answer.beat(io.s_axi.write, goes & write, refused | partial, current.held, closes);

    m.section("else a row is opened or closed, of this segment or of the next one");
    let served = |there: Signal, refused: Signal| own.runs & !goes & there & !refused;
    let mine = served(current.valid, refused);
    let others = served(next.valid, next.payload.refused) & !(current.valid & !refused & bank.eq(next.payload.bank));
    let for_mine = mine & (now.open | now.close);
    let activates = (mine & now.open) | (!for_mine & others & coming.open);
    let precharges = (mine & now.close) | (!for_mine & others & coming.close);
    let row_bank = for_mine.mux(bank, next.payload.bank);
    let row = for_mine.mux(current.held.row, next.payload.row);
    banks.column(reads | writes, bank, write);
    banks.activate(activates, row_bank, row);
    banks.precharge(precharges, row_bank);
    banks.precharge_all(own.close_all);
    current.goes_on(goes, ends, next);

    m.section("pins");
    let chosen =
        Chosen { reads, writes, activates, precharges, bank: goes.mux(bank, row_bank), row, beat: current.held.beat };
    commands(m, io.sdram, own, chosen, p);
    let load = [writes, slot.over, own.starting];
    let [dq_out, dq_oe, dqm] = drive(m, beats.payload, load, p);
    io.sdram.dq_out.set(dq_out);
    io.sdram.dq_oe.set(dq_oe);
    match io.sdram.dqm {
        Some(pins) => pins.set(dqm),
        None => dqm.unused(),
    }
    let tag = Tag { valid: goes & !write, last: closes, refused, id: current.held.id };
    has_room.set(read_beats(m, io.s_axi.read, io.sdram.dq_in, tag, p)?);
    m.finish(io)
}

/// The segment whose beats go to the chip.
struct Current {
    m: Module,
    valid: Signal,
    held: Segment,
}

impl Current {
    #[module]
    fn new(m: Module, p: SdramParams) -> Current {
        let valid = m.reg_reset(bits(1), 0).comment("a segment is moved");
        let held = m.reg(segment(p));
        Current { m, valid, held }
    }
    /// A beat goes; behind the last one the next segment is this one.
    #[module]
    fn goes_on(&self, goes: Signal, ends: Signal, next: Stream<Segment>) {
        let (m, held) = (self.m, self.held);
        let free = !self.valid | (goes & ends);
        next.ready.set(free);
        m.when(goes, || {
            held.beat.set(held.beat + 1);
            held.len.set(held.len - 1);
        });
        m.when(free, || {
            self.valid.set(next.valid);
            held.set(next.payload);
        });
    }
}

/// When the data pins are free.
struct Slot {
    m: Module,
    left: Signal,
    reading: Signal,
    over: Signal,
    may_write: Signal,
    p: SdramParams,
}

impl Slot {
    #[module]
    fn new(m: Module, p: SdramParams) -> Slot {
        let left = m.reg_reset(bits(clog2(p.burst() as usize)), 0).comment("words of the beat to come");
        let most = p.burst() + p.cas_latency;
        let reading = m
            .reg_reset(bits(clog2(most as usize + 1)), 0)
            .comment("cycles until the data pins are free of what is read");
        m.when(left.any(), || left.set(left - 1));
        m.when(reading.any(), || reading.set(reading - 1));
        let over = !left.any();
        let may_write = !reading.any();
        Slot { m, left, reading, over, may_write, p }
    }
    /// A beat goes.
    fn goes(&self, goes: Signal, reads: Signal) {
        self.m.when(goes, || self.left.set(self.p.burst() - 1));
        self.m.when(reads, || self.reading.set(self.p.burst() + self.p.cas_latency));
    }
}

/// The response of a write.
struct Answer {
    m: Module,
    valid: Signal,
    failed: Signal,
    failing: Signal,
    id: Option<Signal>,
}

impl Answer {
    #[module]
    fn new(m: Module, p: SdramParams) -> Answer {
        let valid = m.reg_reset(bits(1), 0).comment("a response is given");
        let failed = m.reg(bits(1)).comment("it is SLVERR");
        let failing = m.reg_reset(bits(1), 0).comment("a beat of this burst was not written");
        let id = (p.write_id_bits > 0).then(|| m.reg(bits(p.write_id_bits)).comment("whose response it is"));
        Answer { m, valid, failed, failing, id }
    }
    /// A beat goes, or is dropped.
    fn beat(&self, axi: super::axi::AxiWrite, goes: Signal, fails: Signal, of: Segment, closes: Signal) {
        axi.bvalid.set(self.valid);
        axi.bresp.set(self.failed.cat(self.failed.zeros(1)));
        self.m.when(axi.bready, || self.valid.set(0));
        self.m.when(goes, || self.failing.set((self.failing | fails) & !closes));
        self.m.when(goes & closes, || {
            self.valid.set(1);
            self.failed.set(self.failing | fails);
            if let (Some(held), Some(id)) = (self.id, of.id) {
                held.set(id.trunc(held.width()));
            }
        });
        if let (Some(bid), Some(held)) = (axi.bid, self.id) {
            bid.set(held);
        }
    }
}

/// What is done for the segments.
struct Chosen {
    reads: Signal,
    writes: Signal,
    activates: Signal,
    precharges: Signal,
    bank: Signal,
    row: Signal,
    beat: Signal,
}

/// The registers of commands and addresses.
#[module]
fn commands(m: Module, pins: SdramPins, own: Sequence, x: Chosen, p: SdramParams) {
    let command = m.reg_reset(bits(3), 7).comment("RAS#, CAS#, WE#");
    // pins that nobody looks at stay as they are, and none is unknown behind a reset
    let (bank, address) = (m.reg_reset(bits(p.bank_bits), 0), m.reg_reset(bits(p.row_bits), 0));
    command.set(7);
    m.when(x.reads | x.writes | x.activates | x.precharges, || bank.set(x.bank));
    m.when(x.reads | x.writes, || {
        command.set(x.writes.mux(m.lit(4u32, 3), 5));
        address.set(x.beat.cat(x.beat.zeros(p.burst().ilog2())).zext(p.row_bits));
    });
    m.when(x.activates, || {
        command.set(3);
        address.set(x.row);
    });
    m.when(x.precharges, || {
        command.set(2);
        address.set(0); // A10: only this bank
    });
    m.when(own.close_all, || {
        command.set(2);
        address.set(1 << 10);
    });
    m.when(own.refresh, || command.set(1));
    m.when(own.set_mode, || {
        command.set(0);
        bank.set(0);
        address.set(p.mode());
    });
    pins.ras_n.set(command.bit(2));
    pins.cas_n.set(command.bit(1));
    pins.we_n.set(command.bit(0));
    pins.ba.set(bank);
    pins.a.set(address);
}

#[cfg(test)]
mod tests;

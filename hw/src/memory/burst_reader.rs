//! Burst reader: commands in, the bytes of memory out, each command's as a packet that begins with its first byte.
//!
//! | port | |
//! | --- | --- |
//! | `command` | address, bytes and tag; `command_ready` is made of registers |
//! | `m_axis` | a packet for each command, in their order: all words but the last are full. `tuser` beside `tlast`: the command failed, and this word has no bytes. Bytes that are not kept are 0. `tdata`, `tlast` and `tvalid` are registers |
//! | `done` | how each command ended, in their order; its packet may still be on its way |
//! | `m_axi` | AXI4, without IDs; `m_axi_rready` is 1 from 2 cycles behind a request to its last data, so other masters on the bus are never blocked; 0 for a cycle for each command that ends without data |
//!
//! - Any address and any number of bytes. The longest bursts that are legal; none crosses 4 KiB or has more than 256 beats.
//!   Addresses are those of whole beats.
//! - A burst is asked for when there is room for the data of the longest one, and fewer than `outstanding` are under way.
//! - A beat that comes with an error ends its command: the packet ends before the word that begins in the last beat before it (up to a beat of
//!   bytes), one further burst at most is asked for, and `done` has the cause and the address of the beat. A command that reaches beyond the last
//!   address reads up to there and ends so, too. A command of no bytes has a packet of one word without bytes. The next command is read as
//!   if nothing had been.
//! - `m_axi_rlast` is believed.
//! - Parameters: those of [`MoverParams`]. Throughput: one beat a cycle, where bursts have two beats or more; a word a cycle. Latency: 8 cycles
//!   and that of the memory from a command to its first word, if it needs a second beat, or its last.
//! - Combinational paths: none.
//! - After reset nothing is under way; what the memory still sends from before a reset is not known: reset both.

use super::axi::{AxiParams, AxiRead, axi_read};
use super::burst_splitter::{Burst, burst_splitter};
use super::failure::{Answer, Failure, first_failure, send_done};
use super::mover::*;
use super::read_aligner::*;
use super::rotate::lanes_up_to;
use super::under_way::UnderWay;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::fifo::{Style, fifo};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

ports! {
    /// Ports of a burst reader.
    pub struct BurstReaderPorts(p: MoverParams) {
        /// What is to be read.
        input command: Stream<Command> = stream(command(p)),
        /// A packet for each command.
        output m_axis: AxiStream = axi_stream(p.axi.data_bytes).with_user(Some(1)),
        /// Commands that are done.
        output done: Stream<Done> = stream(done(p)),
        /// The bus.
        output m_axi: AxiRead = axi_read(p.axi),
    }
}

/// A burst reader.
#[module]
pub fn burst_reader(name: &str, p: MoverParams) -> Result<Design<BurstReaderPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc("Reads any bytes of memory over AXI4: commands in, packets out.");
    let io = BurstReaderPorts::new(m, p);
    let splitter = m.instance(&burst_splitter(p)?);
    splitter.s.set(io.command);

    m.section("words wait here, and have room before they are asked for");
    let words = m.instance(&fifo(word(p.axi.data_bytes).total_width(), p.buffer as usize, Style::Block)?);
    let due = Due::new(m, p);
    let has_room = due.have_room(words.level);

    m.section("bursts are asked for");
    let flights = m.instance(&fifo(flight(p).total_width(), p.outstanding.max(2) as usize, Style::Distributed)?);
    flights.level.unused();
    let under_way = UnderWay::new(m, p);
    // of the cycle before: the splitter has a burst in every second cycle at most
    let may_go = under_way.may_go(m, has_room);
    let goes = ask(m, io.m_axi, splitter.m, may_go, p);
    flights.s.valid.set(goes);
    flights.s.payload.set(in_flight(splitter.m.payload, p).pack());
    due.asked_for(splitter.m.payload, goes);

    m.section("and answered");
    let oldest = register_slice_forward_after(m, flights.m.with(flight(p).unpack(flights.m.payload)))?;
    let head = oldest.payload;
    let none = oldest.valid & head.none;
    io.m_axi.rready.set(oldest.valid & !head.none);
    let comes = io.m_axi.rvalid & io.m_axi.rready;
    let over = none | (comes & io.m_axi.rlast);
    let ends = over & head.last;
    oldest.ready.set(over);
    under_way.burst(goes, over);
    due.came(none | comes);
    let failure = find_failure(m, io.m_axi, head, [comes, over, ends], p);
    splitter.failed.set(failure.before);
    splitter.over.set(ends);

    m.section("bytes in the lanes of their words");
    let aligner = m.instance(&read_aligner(p.axi.data_bytes)?);
    let stop = ends & (failure.now | head.none);
    aligner.s_valid.set(stop | (comes & !failure.now));
    let (last, failed) = (head.last & io.m_axi.rlast, failure.now | head.beyond);
    let offset = if p.aligned { head.offset.zeros(p.axi.byte_bits()) } else { head.offset };
    aligner.s.set(BusBeat { data: io.m_axi.rdata, last, stop, failed, offset, end: head.end });
    words.s.valid.set(aligner.m_valid);
    words.s.payload.set(aligner.m.pack());
    m.assert(!aligner.m_valid | words.s.ready, "a word has room before it is asked for");
    io.m_axis.set(packets(m, words.m.with(word(p.axi.data_bytes).unpack(words.m.payload)), p.axi)?);

    m.section("how commands end");
    under_way.command(goes & splitter.m.payload.last, io.done.transfer());
    io.done.set(send_done(m, ends, failure.done, p)?);
    m.finish(io)
}

/// A burst that was asked for.
#[derive(Clone, Copy, Bundle)]
struct Flight {
    address: Signal,
    last: Signal,
    none: Signal,
    beyond: Signal,
    offset: Signal,
    end: Signal,
    tag: Signal,
}

/// Without the byte in the beat: that is 0.
fn in_flight(x: Burst, p: MoverParams) -> Flight {
    let Burst { address, len: _, last, none, beyond, offset, end, tag } = x;
    Flight { address: address.drop_low(p.axi.byte_bits()), last, none, beyond, offset, end, tag }
}

fn flight(p: MoverParams) -> Flight {
    let (flag, byte) = (bits(1), bits(p.axi.byte_bits()));
    let address = bits(p.axi.address_bits - p.axi.byte_bits());
    Flight { address, last: flag, none: flag, beyond: flag, offset: byte, end: byte, tag: bits(p.tag_bits) }
}

/// Counts, modulo twice the buffer, of beats that were asked for and that came.
struct Due {
    asked: Signal,
    came: Signal,
    /// Up to here, `asked` may go on by the longest burst.
    limit: Signal,
    buffer: u32,
    longest: u32,
}

impl Due {
    #[module]
    fn new(m: Module, p: MoverParams) -> Due {
        let width = p.buffer.ilog2() + 1;
        let asked = m.reg_reset(bits(width), 0).comment("beats that were asked for, modulo twice the buffer");
        let came = m.reg_reset(bits(width), 0).comment("beats that came");
        let limit = m.reg_reset(bits(width), 0).comment("while no more were asked for, the longest burst has room");
        Due { asked, came, limit, buffer: p.buffer, longest: p.axi.longest_burst() }
    }
    /// Is there room for the longest burst? Beats that came are in the aligner, three at most, or among the words that wait.
    fn have_room(&self, level: Signal) -> Signal {
        self.limit.set(self.came - level.zext(self.asked.width()) + (self.buffer - self.longest - 3));
        !(self.limit - self.asked).msb()
    }
    fn asked_for(&self, burst: Burst, goes: Signal) {
        let beats = burst.len.zext(self.asked.width()) + 1;
        self.asked.set(goes.mux(self.asked + beats, self.asked));
    }
    fn came(&self, comes: Signal) {
        self.came.set(self.came + comes.zext(self.came.width()));
    }
}

/// Asks for a burst. Gives whether it is under way now.
#[module]
fn ask(m: Module, axi: AxiRead, s: Stream<Burst>, may_go: Signal, p: MoverParams) -> Signal {
    let valid = m.reg_reset(bits(1), 0);
    let (address, len) = (m.reg(bits(p.axi.address_bits)), m.reg(bits(8)));
    let moves = may_go & (!valid | axi.arready);
    let goes = s.valid & moves;
    s.ready.set(moves);
    m.when(axi.arready, || valid.set(false));
    m.when(moves, || {
        valid.set(s.valid & !s.payload.none);
        address.set(s.payload.address);
        len.set(s.payload.len);
    });
    axi.arvalid.set(valid);
    axi.request().payload.ask(address, len, p.axi.byte_bits());
    goes
}

/// The first beat of a command that came with an error.
#[module]
fn find_failure(m: Module, axi: AxiRead, head: Flight, [comes, over, ends]: [Signal; 3], p: MoverParams) -> Failure {
    let beat = m.reg_reset(bits(p.axi.beat_bits()), 0).comment("beats of this burst that came");
    m.when(comes, || beat.set(beat + 1));
    m.when(over, || beat.set(0));
    let page = head.address.drop_low(p.axi.beat_bits());
    let address = page.cat(head.address.trunc(p.axi.beat_bits()) + beat).cat(beat.zeros(p.axi.byte_bits()));
    let error = comes & axi.rresp.bit(1);
    let otherwise = head.beyond.zext(3);
    first_failure(m, Answer { error, code: axi.rresp, address, ends, otherwise, tag: head.tag }, p)
}

/// The words as packets of AXI4-Stream, behind registers: a block RAM is slow.
#[module]
fn packets(m: Module, words: Stream<Word>, p: AxiParams) -> Result<AxiStream, Errors> {
    let held = register_slice_forward_after(m, words)?;
    let Word { data, end, last, empty } = held.payload;
    let none = last & empty;
    let bytes = p.data_bytes;
    let keep = (!last).repeat(bytes) | (lanes_up_to(end, bytes) & (!empty).repeat(bytes));
    let axis = AxiStream {
        tdata: data,
        tkeep: keep,
        tlast: last,
        tuser: Some(none & end.bit(0)),
        tvalid: held.valid,
        tready: held.ready,
    };
    Ok(axis)
}

#[cfg(test)]
mod tests;

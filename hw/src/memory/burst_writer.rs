//! Burst writer: commands and packets in, the bytes of each packet to memory, from its command's address on.
//!
//! | port | |
//! | --- | --- |
//! | `command` | address, bytes and tag; `command_ready` follows what the engine does |
//! | `s_axis` | a packet for each command, in their order; its first byte is the first one of the command. `s_axis_tready` is made of registers |
//! | `done` | how each command ended, in their order: when its last response is there |
//! | `m_axi` | AXI4, without IDs. Data follow their request without a gap of this engine's, so other masters on the bus are never blocked; `m_axi_bready` is 1 while a response is due, but for some cycles behind a request and one for each command that ends without data |
//!
//! - Any address and any number of bytes; strobes say which bytes of a beat are written, nothing is read. The longest bursts that are
//!   legal; none crosses 4 KiB or has more than 256 beats. Addresses are those of whole beats.
//! - A burst is asked for when all its data are there, and fewer than `outstanding` are under way.
//! - A response with an error ends its command: no further bursts are begun but those that were cut already (which wait for the bus, and
//!   two more, for which data are still taken), the rest of its packet is dropped, and `done` has the cause and the address of the burst.
//!   What its other bursts wrote stays. So it is with a command that reaches beyond the last address.
//! - A packet with fewer bytes than its command (an early `tlast`, or holes in `tkeep`): those that are not there are not written, and
//!   `done` says so. One with more bytes, or more words: the rest is dropped, and `done` says so. A command without bytes has a packet,
//!   too, which is dropped in silence.
//!   The next command is written as if nothing had been.
//! - Parameters: those of [`MoverParams`]. Throughput: one beat a cycle, where bursts have two beats or more. Latency: 2 cycles from a burst's last word
//!   to its request, 4 cycles to its first data.
//! - Combinational paths: none.
//! - After reset nothing is under way; reset the bus with it.

use super::axi::{AxiWrite, axi_write};
use super::burst_splitter::burst_splitter;
use super::failure::{Answer, Failure, first_failure, send_done};
use super::mover::*;
use super::under_way::UnderWay;
use super::write_aligner::*;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::fifo::{Style, fifo_after};
use crate::stream::register_slice_forward::register_slice_forward_after;
use hdl::*;

ports! {
    /// Ports of a burst writer.
    pub struct BurstWriterPorts(p: MoverParams) {
        /// What is to be written.
        input command: Stream<Command> = stream(command(p)),
        /// A packet for each command.
        input s_axis: AxiStream = axi_stream(p.axi.data_bytes),
        /// Commands that are done.
        output done: Stream<Done> = stream(done(p)),
        /// The bus.
        output m_axi: AxiWrite = axi_write(p.axi),
    }
}

/// A burst writer.
#[module]
pub fn burst_writer(name: &str, p: MoverParams) -> Result<Design<BurstWriterPorts>, Errors> {
    p.check(name)?;
    let m = Module::new(name);
    m.doc("Writes any bytes of memory over AXI4: commands and packets in.");
    let io = BurstWriterPorts::new(m, p);
    let splitter = m.instance(&burst_splitter(p)?);
    splitter.s.set(io.command);
    let depth = p.outstanding.max(2) as usize;

    m.section("words to the lanes of their bytes");
    let aligner = m.instance(&write_aligner(p)?);
    aligner.burst.set(splitter.m);
    aligner.s.set(io.s_axis.stream());
    let under_way = UnderWay::new(m, p);
    aligner.may_end.set(under_way.may_go(m, m.lit(1u32, 1)));
    let (ends, ended) = (aligner.ended_valid, aligner.ended);

    m.section("a burst is asked for when all its data are there");
    let asked = ends & !ended.burst.none;
    let request = m.wire(stream((ended.burst.address.shape(), bits(8))));
    request.valid.set(asked);
    request.payload.set((ended.burst.address, ended.burst.len));
    m.assert(!asked | request.ready, "no more bursts are under way than fit");
    let requests = fifo_after(m, request, depth, Style::Distributed)?;
    send_requests(io.m_axi, requests, p);

    m.section("and its data follow");
    let beats = register_slice_forward_after(m, aligner.m)?;
    let beats = fifo_after(m, beats, p.buffer as usize, Style::Block)?;
    let complete = m.wire(stream(bits(8)));
    complete.valid.set(asked);
    complete.payload.set(ended.burst.len);
    m.assert(!asked | complete.ready, "no more bursts are under way than fit");
    let bursts = register_slice_forward_after(m, fifo_after(m, complete, depth, Style::Distributed)?)?;
    send_data(m, io.m_axi, beats, bursts, p)?;

    m.section("responses");
    let flight = m.wire(stream(flight(p)));
    flight.valid.set(ends);
    flight.payload.set(in_flight(ended));
    m.assert(!ends | flight.ready, "no more bursts are under way than fit");
    let flights = register_slice_forward_after(m, fifo_after(m, flight, depth, Style::Distributed)?)?;
    let head = flights.payload;
    let none = flights.valid & head.none;
    io.m_axi.bready.set(flights.valid & !head.none);
    let comes = io.m_axi.bvalid & io.m_axi.bready;
    let over = none | comes;
    let command_ends = over & head.last;
    flights.ready.set(over);
    under_way.burst(aligner.ends, over);
    let failure = find_failure(m, io.m_axi, head, [comes, command_ends], p);
    splitter.failed.set(failure.before);
    splitter.over.set(command_ends);

    m.section("how commands end");
    under_way.command(aligner.ends_command, io.done.transfer());
    io.done.set(send_done(m, command_ends, failure.done, p)?);
    m.finish(io)
}

/// A burst that waits for its response.
#[derive(Clone, Copy, Bundle)]
struct Flight {
    address: Signal,
    last: Signal,
    none: Signal,
    beyond: Signal,
    short: Signal,
    long: Signal,
    tag: Signal,
}

fn flight(p: MoverParams) -> Flight {
    let flag = bits(1);
    let address = bits(p.axi.address_bits);
    Flight { address, last: flag, none: flag, beyond: flag, short: flag, long: flag, tag: bits(p.tag_bits) }
}

fn in_flight(x: Ended) -> Flight {
    let Ended { burst, short, long } = x;
    let (address, last, none, beyond, tag) = (burst.address, burst.last, burst.none, burst.beyond, burst.tag);
    Flight { address, last, none, beyond, short, long, tag }
}

fn send_requests(axi: AxiWrite, s: Stream<(Signal, Signal)>, p: MoverParams) {
    let (address, len) = s.payload;
    axi.awvalid.set(s.valid);
    s.ready.set(axi.awready);
    axi.request().payload.ask(address, len, p.axi.byte_bits());
}

/// Lets the beats of bursts out that are complete, of which the lengths wait in `bursts`; behind registers: a block RAM is slow. Where a
/// burst ends is counted, since one bit more would cost a block RAM at every width of the bus.
#[module]
fn send_data(
    m: Module,
    axi: AxiWrite,
    beats: Stream<StrobedBeat>,
    bursts: Stream,
    p: MoverParams,
) -> Result<(), Errors> {
    let sent = m.reg_reset(bits(8), 0).comment("beats of the burst that are out");
    let last = sent.eq(bursts.payload);
    let gated = m.wire(stream((strobed_beat(p.axi.data_bytes), bits(1))));
    gated.valid.set(beats.valid & bursts.valid);
    gated.payload.set((beats.payload, last));
    beats.ready.set(gated.ready & bursts.valid);
    let goes = gated.transfer();
    bursts.ready.set(goes & last);
    m.when(goes, || sent.set(sent + 1));
    m.when(goes & last, || sent.set(0));
    let out = register_slice_forward_after(m, gated)?;
    axi.wvalid.set(out.valid);
    out.ready.set(axi.wready);
    let (StrobedBeat { data, strobes }, last) = out.payload;
    axi.wdata.set(data);
    axi.wstrb.set(strobes);
    axi.wlast.set(last);
    Ok(())
}

/// The first response of a command with an error.
#[module]
fn find_failure(m: Module, axi: AxiWrite, head: Flight, [comes, ends]: [Signal; 2], p: MoverParams) -> Failure {
    let error = comes & axi.bresp.bit(1);
    let packet = cat(&[head.short | head.long, head.last.zeros(1), head.long & !head.short]);
    let otherwise = head.beyond.mux(packet.lit(Outcome::Range as u32, 3), packet);
    first_failure(m, Answer { error, code: axi.bresp, address: head.address, ends, otherwise, tag: head.tag }, p)
}

#[cfg(test)]
mod tests;

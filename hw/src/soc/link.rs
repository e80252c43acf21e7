//! Link: requests of a host come in as bytes of a line, and are answered ([docs/link.md](../link.md)): registers behind AXI4-Lite, and a
//! stream of packets each way. A [frame receiver](mod@super::frame_receiver), a [responder](mod@super::link_responder) and a
//! [frame transmitter](mod@super::frame_transmitter), with a buffer for each stream.
//!
//! | port | |
//! | --- | --- |
//! | `s` | bytes of the line; `s_ready` is always 1, since a line cannot wait |
//! | `m` | bytes for the line; `m_valid` is a register, `m_payload` the output of a block RAM |
//! | `m_axil` | AXI4-Lite: one read or write at a time; valids and what goes with them are registers |
//! | `m_axis` | bytes that the host puts, `tlast` where it ends a packet; the output of a block RAM |
//! | `s_axis` | bytes for the host, `tkeep` 1 in each beat; `s_axis_tready` is a register |
//! | `events` | what happened, each for a cycle. Registers, but `frame`, `repeated` and `refused`, which come from registers |
//!
//! - Parameters: `buffer`, bytes of each stream that wait, from 512 to 65,536: a power of two. A request puts 240, and needs room for all.
//! - A byte in every cycle; of a request and its answer some 10 cycles go to neither.
//! - No combinational path from port to port. After reset the link is closed, and the buffers are empty.

use super::frame::ContentByte;
use super::frame_receiver::{HELD, frame_receiver};
use super::frame_transmitter::frame_transmitter;
use super::link_responder::{ADDRESS_BITS, MOST_PUT, link_responder};
use crate::control::{AxiLite, axi_lite};
use crate::stream::Beat;
use crate::stream::axi_stream::{AxiStream, axi_stream};
use crate::stream::fifo::{Style, fifo};
use crate::stream::register_slice::register_slice_after;
use hdl::*;

/// The fewest and the most bytes of a buffer.
pub const BUFFERS: (usize, usize) = (512, 65_536);

/// What happened on a link, each for a cycle.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct LinkEvents {
    /// A frame was taken.
    pub frame: Signal,
    /// A frame was dropped: damaged.
    pub damaged: Signal,
    /// A frame was dropped: too long.
    pub too_long: Signal,
    /// A frame was dropped: no room.
    pub no_room: Signal,
    /// A request came again.
    pub repeated: Signal,
    /// A request was refused.
    pub refused: Signal,
}

/// The shape of the events.
pub fn link_events() -> LinkEvents {
    let event = bits(1);
    LinkEvents { frame: event, damaged: event, too_long: event, no_room: event, repeated: event, refused: event }
}

ports! {
    /// Ports of a link.
    pub struct LinkPorts() {
        /// bytes of the line
        input s: Stream = stream(bits(8)),
        /// bytes for the line
        output m: Stream = stream(bits(8)),
        /// registers
        output m_axil: AxiLite = axi_lite(ADDRESS_BITS),
        /// bytes that the host puts
        output m_axis: AxiStream = axi_stream(1),
        /// bytes for the host
        input s_axis: AxiStream = axi_stream(1),
        /// what happened
        output events: LinkEvents = link_events(),
    }
}

/// A link whose streams have buffers of so many bytes.
#[module]
pub fn link(buffer: usize) -> Result<Design<LinkPorts>, Errors> {
    let name = format!("link_{buffer}");
    if !(BUFFERS.0..=BUFFERS.1).contains(&buffer) || !buffer.is_power_of_two() {
        let help = format!(
            "a power of two from {} (the block RAM of a frame is as large) to {} (more than hosts wait for)",
            BUFFERS.0, BUFFERS.1
        );
        return Err(Errors::parameter(&name, format!("buffer = {buffer} is not legal"), help));
    }
    let m = Module::new(name);
    m.doc("Link: requests of a host on a line, registers and streams behind it (docs/link.md).");
    let io = LinkPorts::new(m);

    m.section("frames in, what they ask for, frames out");
    let receiver = m.instance(&frame_receiver(HELD)?);
    let responder = m.instance(&link_responder()?);
    let transmitter = m.instance(&frame_transmitter()?);
    receiver.s.set(io.s);
    responder.s.set(receiver.m);
    transmitter.s.set(responder.m);
    transmitter.again.set(responder.again);
    responder.idle.set(transmitter.idle);
    transmitter.refused.unused(); // answers have legal lengths
    io.m.set(transmitter.m);
    io.m_axil.set(responder.m_axil);

    m.section("the streams");
    let put = m.instance(&fifo(9, buffer, Style::Block)?).named("put_buffer");
    put.s.set(responder.put.with(responder.put.payload.last.cat(responder.put.payload.byte)));
    responder.room.set(put.level.le(buffer as u32 - MOST_PUT));
    let (byte, last) = (put.m.payload.trunc(8), put.m.payload.bit(8));
    io.m_axis.set(AxiStream::from(put.m.with(Beat::full(byte, 1, last))));
    let take = m.instance(&fifo(9, buffer, Style::Block)?).named("take_buffer");
    let given = io.s_axis.stream();
    given.payload.keep.unused(); // a beat of one byte
    take.s.set(given.with(given.payload.last.cat(given.payload.data)));
    take.level.unused();
    // the answer goes on within the cycle into the block RAM of its frame: from one block RAM to the next is too long a way
    let taken = register_slice_after(m, take.m)?;
    responder.take.set(taken.with(ContentByte { byte: taken.payload.trunc(8), last: taken.payload.bit(8) }));

    m.section("what happened");
    let ContentByte { last, .. } = receiver.m.payload;
    io.events.set(LinkEvents {
        frame: receiver.m.transfer() & last,
        damaged: receiver.damaged,
        too_long: receiver.too_long,
        no_room: receiver.no_room,
        repeated: responder.repeated,
        refused: responder.refused,
    });
    m.finish(io)
}

#[cfg(test)]
mod tests;

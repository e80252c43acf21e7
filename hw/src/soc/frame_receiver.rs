//! Frame receiver: the contents of frames ([docs/link.md](../link.md)) from the bytes of a line, each of them whole and right, or not at all.
//!
//! | port | |
//! | --- | --- |
//! | `s` | bytes of the line; `s_ready` is always 1, since a line cannot wait |
//! | `m` | bytes of the contents, with `last` at the last one of each; `m_valid` is a register, `m_payload` the output of a block RAM |
//! | `damaged` | for a cycle: a frame was dropped, since its blocks, its check or its length (too short) are wrong. A register |
//! | `too_long` | for a cycle: a frame was dropped, since it has more bytes than any may have. A register |
//! | `no_room` | for a cycle: a frame was dropped, since the frames before were not taken yet. A register |
//!
//! - Parameters: `held`, bytes that are held, a power of two from 8 to 65,536. [`HELD`], which a block RAM has at least, lets two of the
//!   longest contents wait; one that does not fit in what is left is dropped.
//! - Latency: the first byte of a content stands at `m` 2 cycles after the zero that ends its frame was taken. 1 byte in every cycle, in
//!   and out.
//! - One cause is told of a dropped frame: `too_long` before `no_room` before `damaged`. The next frame is right again.
//! - No combinational path from port to port. After reset it is empty, and takes what comes as the first bytes of a frame.

use super::frame::{CHECK_BYTES, ContentByte, MAX_CONTENT, MIN_CONTENT, check_register, content_byte};
use crate::memory::ram::{Collision, RamParams, ram};
use crate::stream::fifo::Style;
use hdl::*;

/// Bytes that are held, unless somebody wants more.
pub const HELD: usize = 512;
/// What the register of the check is behind a body whose check is right.
const CHECK_RIGHT: u32 = 0xdebb_20e3;

ports! {
    /// Ports of a frame receiver.
    pub struct FrameReceiverPorts() {
        /// bytes of the line
        input s: Stream = stream(bits(8)),
        /// contents
        output m: Stream<ContentByte> = stream(content_byte()),
        /// a frame was dropped: blocks, check or length are wrong
        output damaged: Signal = bits(1),
        /// a frame was dropped: it is longer than any may be
        output too_long: Signal = bits(1),
        /// a frame was dropped: the ones before were not taken yet
        output no_room: Signal = bits(1),
    }
}

/// What comes out of the blocks of a frame.
struct Body {
    /// A byte of the body is there.
    valid: Signal,
    byte: Signal,
    /// A frame ends, of which there was something.
    end: Signal,
    /// It ends within a block.
    torn: Signal,
    /// Bytes of the body so far: at most one more than there may be.
    count: Signal,
    /// It has more bytes than there may be.
    long: Signal,
}

/// A frame receiver that holds so many bytes.
#[module]
pub fn frame_receiver(held: usize) -> Result<Design<FrameReceiverPorts>, Errors> {
    let name = format!("frame_receiver_{held}");
    if !(8..=65_536).contains(&held) || !held.is_power_of_two() {
        let help = "a power of two from 8 (two short contents) to 65536 (more no host sends before it is answered)";
        return Err(Errors::parameter(&name, format!("held = {held} is not legal"), help));
    }
    let m = Module::new(name);
    m.doc("Frame receiver: the contents of frames that are whole and right (docs/link.md).");
    let io = FrameReceiverPorts::new(m);
    io.s.ready.set(1);
    let body = blocks(m, io.s);

    m.section("the check");
    let check = check_register(m, body.byte, body.valid, body.end)?;
    let enough = body.count.ge(MIN_CONTENT + CHECK_BYTES);
    let right = !body.torn & enough & check.eq(CHECK_RIGHT);

    m.section("the bytes that may be the check, and the last one of the content in front of them");
    let waiting = m.reg(bits(8 * (CHECK_BYTES + 1))).comment("the latest bytes, the oldest one low");
    m.when(body.valid, || waiting.set(body.byte.cat(waiting.drop_low(8))));
    let passes = body.valid & body.count.gt(CHECK_BYTES) & !body.long; // the oldest one is none of the last five

    m.section("where they go: from tail on, and back to kept if the frame is not right");
    let place = bits(clog2(held) + 1);
    let tail = m.reg_reset(place, 0).comment("where the next byte goes");
    let kept = m.reg_reset(place, 0).comment("behind the last content that is right");
    let head = m.reg_reset(place, 0).comment("the next byte that is read");
    let full = (tail - head).eq(held as u32);
    let lost = m.reg_reset(bits(1), 0).comment("a byte of the frame found no room");
    let good = body.end & right & !body.long & !lost & !full;
    let stored = good | (passes & !lost & !full);
    let next = tail + 1;
    m.when(passes & full, || lost.set(1));
    m.when(stored, || tail.set(next));
    m.when(body.end, || {
        lost.set(0);
        tail.set(good.mux(next, kept));
    });
    m.when(good, || kept.set(next));

    m.section("why a frame was dropped");
    let (damaged, too_long, no_room) = (m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0), m.reg_reset(bits(1), 0));
    let dropped = body.end & !good;
    let crowded = lost | (full & right); // where only the last byte finds no room, nothing but that is wrong
    too_long.set(dropped & body.long);
    no_room.set(dropped & !body.long & crowded);
    damaged.set(dropped & !body.long & !crowded);
    io.damaged.set(damaged);
    io.too_long.set(too_long);
    io.no_room.set(no_room);

    m.section("the bytes that are held");
    let params = RamParams { width: 9, depth: held, lanes: 1, style: Style::Block, collision: Collision::Any };
    let ram = m.instance(&ram(params)?);
    ram.write_enable.set(stored);
    ram.write_address.set(tail.trunc(clog2(held)));
    ram.write_data.set(good.cat(waiting.trunc(8)));
    ram.s.valid.set(head.ne(kept));
    ram.s.payload.set(head.trunc(clog2(held)));
    m.when(ram.s.transfer(), || head.set(head + 1));
    io.m.set(ram.m.with(ContentByte { byte: ram.m.payload.trunc(8), last: ram.m.payload.bit(8) }));
    m.finish(io)
}

/// The zeros put back: bytes of the line to bytes of the body.
#[module]
fn blocks(m: Module, s: Stream) -> Body {
    m.section("blocks: a code, then bytes that are not zero; in front of each code but the first one there was a zero");
    let first = m.reg_reset(bits(1), 1).comment("nothing of a frame has come");
    let left = m.reg_reset(bits(8), 0).comment("bytes of the block to come");
    let zero = s.valid & s.payload.eq(0);
    let code = first | left.eq(0);
    m.when(s.valid, || {
        first.set(zero);
        left.set(code.mux(s.payload, left) - 1);
    });
    let end = zero & !first;
    let valid = s.valid & !zero & !first;
    let byte = code.mux(m.lit(0u32, 8), s.payload);

    let most = MAX_CONTENT + CHECK_BYTES;
    let count = m.reg_reset(bits(8), 0).comment("bytes of the body; at most one more than there may be");
    let long = count.gt(most);
    m.when(valid & !long, || count.set(count + 1));
    m.when(end, || count.set(0));
    Body { valid, byte, end, torn: left.ne(0), count, long }
}

#[cfg(test)]
mod tests;

//! Frame transmitter: contents to the bytes of frames ([docs/link.md](../link.md)); the last frame is kept, and can be sent again.
//!
//! | port | |
//! | --- | --- |
//! | `s` | bytes of the contents, `last` with the last one of each; `s_ready` is a register: it is 0 while a frame is sent |
//! | `again` | the frame before is sent once more, if `idle` is 1 and no byte is at `s`; else nothing |
//! | `idle` | nothing is sent, and nothing of a content has come. From registers |
//! | `m` | bytes for the line; `m_valid` is a register, `m_payload` the output of a block RAM |
//! | `refused` | for a cycle: a content was dropped, since no frame carries one of its length. A register |
//!
//! - No parameters. A content has 3 to 243 bytes; another is dropped with its last byte, and the frame before is lost with it.
//! - A zero goes in front of each frame: it ends what the line may have left at the other end.
//! - Latency: the first byte stands at `m` 9 cycles after the last byte of the content was taken, 2 after `again`. 1 byte in every cycle.
//! - No combinational path from port to port. After reset there is no frame to be sent again, and `again` does nothing.
//!
//! The bytes are stored as they will be sent. A code is known when its block ends; the place of the zero that ends a block is that of the
//! next code, so that nothing is written for it until then: one write for each byte.

use super::frame::{CHECK_BYTES, ContentByte, MAX_CONTENT, MIN_CONTENT, check_register, content_byte};
use crate::memory::ram::{Collision, RamParams, ram};
use crate::stream::fifo::Style;
use hdl::*;

/// Bytes that are held: a frame has up to 249, and the zero in front of it stands at the last place.
const HELD: usize = 256;
const IN_FRONT: u32 = HELD as u32 - 1;

ports! {
    /// Ports of a frame transmitter.
    pub struct FrameTransmitterPorts() {
        /// contents
        input s: Stream<ContentByte> = stream(content_byte()),
        /// send the last frame again
        input again: Signal = bits(1),
        /// nothing is sent
        output idle: Signal = bits(1),
        /// bytes for the line
        output m: Stream = stream(bits(8)),
        /// a content was dropped: no frame carries one of its length
        output refused: Signal = bits(1),
    }
}

/// What is stored or sent.
#[derive(Clone, Copy, State)]
enum Phase {
    /// Bytes of a content.
    Content,
    /// Bytes of its check.
    Check,
    /// The code of the last block.
    Code,
    /// The zero behind the frame.
    Behind,
    /// The zero in front of it.
    InFront,
    /// It is sent.
    Send,
}

/// A frame transmitter.
#[module]
pub fn frame_transmitter() -> Result<Design<FrameTransmitterPorts>, Errors> {
    let m = Module::new("frame_transmitter");
    m.doc("Frame transmitter: contents to frames (docs/link.md); the last one can be sent again.");
    let io = FrameTransmitterPorts::new(m);

    m.section("what comes: a content, then its check");
    let phase = m.state(Phase::Content);
    let tail = m.reg_reset(bits(8), 1).comment("where the next byte goes: a content begins behind a code");
    let ready = m.reg_reset(bits(1), 1);
    io.s.ready.set(ready);
    let content = content(m, io, tail);
    let (check, check_ends) = check(m, io, phase, content)?;

    m.section("where it goes: a zero leaves its place to the code of the next block");
    let code_at = m.reg_reset(bits(8), 0).comment("where the code of this block goes");
    let checking = phase.is(Phase::Check);
    let body = Body { valid: content.stored | checking, byte: checking.mux(check, io.s.payload.byte) };
    let write = store(m, phase, body, tail, code_at);

    m.section("the frame");
    let whole = m.reg_reset(bits(1), 0).comment("there is a frame");
    let end_at = m.reg(bits(8)).comment("where the zero behind it is");
    let sent = send(m, io, phase, write, end_at)?;
    let idle = ready & tail.eq(1);
    io.idle.set(idle);
    let repeats = idle & whole & io.again & !io.s.valid;

    m.section("what comes next");
    m.when(content.taken, || whole.set(0));
    m.when(content.refused | sent, || {
        tail.set(1);
        code_at.set(0);
    });
    m.switch(phase, |s| {
        s.case(Phase::Content, || {
            m.when(content.ends, || phase.set(Phase::Check));
            m.when(repeats, || phase.set(Phase::Send));
            ready.set(!content.ends & !repeats);
        });
        s.case(Phase::Check, || m.when(check_ends, || phase.set(Phase::Code)));
        s.case(Phase::Code, || phase.set(Phase::Behind));
        s.case(Phase::Behind, || {
            end_at.set(tail);
            phase.set(Phase::InFront);
        });
        s.case(Phase::InFront, || {
            whole.set(1);
            phase.set(Phase::Send);
        });
        s.case(Phase::Send, || {
            m.when(sent, || {
                ready.set(1);
                phase.set(Phase::Content);
            })
        });
    });
    m.finish(io)
}

/// What comes of a content.
#[derive(Clone, Copy)]
struct Content {
    /// A byte.
    taken: Signal,
    /// A byte that the frame may have.
    stored: Signal,
    /// The last byte, of a content of legal length.
    ends: Signal,
    /// The last byte, of another.
    refused: Signal,
}

/// Takes bytes, and refuses contents that no frame carries.
#[module]
fn content(m: Module, io: FrameTransmitterPorts, tail: Signal) -> Content {
    let taken = io.s.transfer();
    let over = m.reg_reset(bits(1), 0).comment("the content is longer than any may be");
    let fits = tail.le(MAX_CONTENT) & !over;
    let last = taken & io.s.payload.last;
    let legal = fits & tail.ge(MIN_CONTENT);
    let refuses = last & !legal;
    let refused = m.reg_reset(bits(1), 0);
    refused.set(refuses);
    io.refused.set(refused);
    m.when(taken, || over.set(!fits & !refuses));
    Content { taken, stored: taken & fits, ends: last & legal, refused: refuses }
}

/// The bytes of the check, while it is their turn, and whether this is the last one.
#[module]
fn check(
    m: Module,
    io: FrameTransmitterPorts,
    phase: StateSignal<Phase>,
    content: Content,
) -> Result<(Signal, Signal), Errors> {
    let begins = content.refused | phase.is(Phase::InFront);
    let check = check_register(m, io.s.payload.byte, content.taken, begins)?;
    let rest = m.reg(bits(8 * CHECK_BYTES)).comment("bytes of the check to come, the next one low");
    let left = m.reg_reset(bits(2), 0).comment("how many, less 1");
    let sum = left.all().mux(!check, rest);
    m.when(phase.is(Phase::Check), || {
        rest.set(sum >> 8);
        left.set(left - 1);
    });
    m.when(content.ends, || left.set(CHECK_BYTES - 1));
    Ok((sum.trunc(8), left.eq(0)))
}

/// A byte of content or check.
struct Body {
    valid: Signal,
    byte: Signal,
}

/// What is written, and where.
struct Write {
    valid: Signal,
    at: Signal,
    word: Signal,
}

/// Stores the body as it is sent: the code of a block goes where the zero was that ended the block before.
#[module]
fn store(m: Module, phase: StateSignal<Phase>, body: Body, tail: Signal, code_at: Signal) -> Write {
    let ends_block = (body.valid & body.byte.eq(0)) | phase.is(Phase::Code);
    let (at, word) = (m.wire(bits(8)), m.wire(bits(8)));
    at.set(ends_block.mux(code_at, tail));
    word.set(ends_block.mux(tail - code_at, body.byte));
    m.when(phase.is(Phase::Behind), || word.set(0));
    m.when(phase.is(Phase::InFront), || {
        at.set(IN_FRONT);
        word.set(0);
    });
    m.when(body.valid, || {
        tail.set(tail + 1);
        m.when(ends_block, || code_at.set(tail));
    });
    let stores = body.valid | phase.is(Phase::Code) | phase.is(Phase::Behind) | phase.is(Phase::InFront);
    Write { valid: stores, at, word }
}

/// The bytes that are held; in phase `Send` they leave, and the last one, the zero behind the frame, is told.
#[module]
fn send(
    m: Module,
    io: FrameTransmitterPorts,
    phase: StateSignal<Phase>,
    write: Write,
    end_at: Signal,
) -> Result<Signal, Errors> {
    let params = RamParams { width: 8, depth: HELD, lanes: 1, style: Style::Block, collision: Collision::Any };
    let held = m.instance(&ram(params)?);
    held.write_enable.set(write.valid);
    held.write_address.set(write.at);
    held.write_data.set(write.word);
    let head = m.reg_reset(bits(8), IN_FRONT).comment("the next byte that is sent");
    held.s.valid.set(phase.is(Phase::Send));
    held.s.payload.set(head);
    io.m.set(held.m);
    let sent = held.s.transfer() & head.eq(end_at);
    // behind the last one, the zero in front of the next frame
    m.when(held.s.transfer(), || head.set(sent.mux(m.lit(IN_FRONT, 8), head + 1)));
    Ok(sent)
}

#[cfg(test)]
mod tests;

//! The frame receiver: whatever comes over the line, a frame is handed on at most once, and its end leads back to where frames begin.

use super::{Engine, Proof};
use crate::checkers::{Side, sends_by_the_rules};
use hdl::{Bundle, Design, Errors, Module, bits, module};
use hw::soc::frame_receiver::{FrameReceiverPorts, frame_receiver};

/// Bytes that the receiver of the proof holds.
const HELD: usize = 8;

#[module]
fn receiver_proof() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_frame_receiver");
    let io = FrameReceiverPorts::new(m);
    let receiver = m.instance(&frame_receiver(HELD)?);
    receiver.s.set(io.s);
    io.m.set(receiver.m);
    let told = receiver.damaged.cat(receiver.too_long).cat(receiver.no_room);
    io.damaged.set(receiver.damaged);
    io.too_long.set(receiver.too_long);
    io.no_room.set(receiver.no_room);
    sends_by_the_rules(m, io.m, Side::Part);
    m.assert(io.s.ready, "the line never waits");

    m.section("ends of frames");
    let zero = io.s.valid & io.s.payload.eq(0);
    let begun = m.reg_reset(bits(1), 0).comment("something of a frame has come");
    m.when(io.s.valid, || begun.set(!zero));
    let ended = m.reg_reset(bits(1), 0).comment("a frame ended in the cycle before");
    ended.set(zero & begun);
    let causes = [0, 1, 2].map(|i| told.bit(i));
    let one_at_most = !((causes[0] & causes[1]) | (causes[0] & causes[2]) | (causes[1] & causes[2]));
    m.assert(one_at_most, "one cause is told of a frame");
    m.assert(
        ended | !told.any(),
        "something is told when a frame has ended, and at no other time: it is back at the beginning",
    );

    m.section("what is handed on");
    let handed = io.m.transfer() & io.m.payload.last;
    let whole = m.reg_reset(bits(4), 0).comment("frames that were taken and not handed on yet");
    let arrives = ended & !told.any();
    whole.set(whole + arrives.zext(4) - handed.zext(4));
    m.assert(!io.m.valid | whole.ne(0) | arrives, "a content comes of a frame that was taken, once");
    m.cover(handed, "a content is handed on");
    m.cover(told.bit(0), "a frame finds no room");
    m.cover(told.bit(2), "a damaged frame is told");
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let (name, part) = ("frame_receiver".into(), format!("frame receiver, {HELD} bytes held"));
    Ok(vec![Proof { name, part, design: receiver_proof()?, engine: Engine::Pdr, cover_depth: 16 }])
}

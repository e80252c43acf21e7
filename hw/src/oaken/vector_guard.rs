//! Vector guard: the length guard (`guard`) where each packet has a length of its own, which may be known later than its beats come.
//!
//! It makes every packet exactly as long as it should be, and keeps their number. A packet that ends early is filled with zeros up to
//! its length, the beats of one that ends late are dropped up to its last; either raises a flag for one cycle.
//!
//! Where the last of a packet got lost, the next one hangs on to it, and is dropped. So the beats that are dropped are counted, as
//! soon as they come, and when the length of the next packet is known and as many were dropped, a packet of zeros comes in its place;
//! and so on with the length of the one behind it. What is less than a packet was surplus.
//!
//! | port | |
//! | --- | --- |
//! | `s` | packets as they come; ready is combinational from `m` ready |
//! | `beats_minus_1` | length of the open packet, or of the next one while `start` is 1 |
//! | `start` | 1: a new packet may begin, its length is there (an open one goes on without it) |
//! | `flush` | 1: all that comes is dropped, an open packet is filled with zeros, and so is one that may begin |
//! | `m` | packets of that length; `first` marks their first beat |
//! | `early`, `late` | one cycle each, at the beat that shows the mistake |
//! | `passing` | what is at `m` is a beat of `s`, not one that stands in for it; a register but for `flush` |
//!
//! Parameters: width of the data, beats of the longest packet (1 to 8192). Latency 0; one beat a cycle. Surplus waits for the length
//! of the next packet only behind 8 times the longest one, less a beat. Combinational: as in the length guard.

use super::guard::GuardPorts;
use hdl::*;

#[derive(Clone, Copy, State)]
enum Phase {
    /// Beats pass.
    Pass,
    /// Zeros come, up to the end of the packet.
    Pad,
    /// Between packets, after a mistake: were the next ones dropped?
    Settle,
}

/// A guard for beats of `width` bits and packets of up to `max_beats` beats.
#[module]
pub fn vector_guard(width: u32, max_beats: u32) -> Result<Design<GuardPorts>, Errors> {
    let m = Module::new(format!("oaken_vector_guard_{width}x{max_beats}"));
    m.doc("Makes every packet exactly as long as it should be, each of its own length.");
    let count_bits = clog2(max_beats as usize);
    let io = GuardPorts::new(m, width, count_bits);

    m.section("where in the packet");
    let phase = m.state(Phase::Pass);
    let position = m.reg_reset(bits(count_bits), 0);
    let dropping = m.reg_reset(bits(1), 0).comment("up to the next last, beats are surplus");
    let dropped = m.reg_reset(bits(count_bits + 3), 0).comment("beats that no packet of zeros came for yet");
    let may_drop = dropping & !dropped.all();
    let first = position.eq(0);
    let last = position.eq(io.beats_minus_1);
    let open = !first | io.start;

    m.section("handshake");
    let settling = phase.is(Phase::Settle);
    let passing = phase.is(Phase::Pass) & !io.flush;
    io.passing.set(passing);
    io.m.valid.set(open & !settling & (io.s.valid | !passing));
    io.m.payload.data.set(passing.mux(io.s.payload.data, io.s.payload.data.zeros(width)));
    io.m.payload.first.set(first);
    io.m.payload.last.set(last);
    io.s.ready.set((passing & open & io.m.ready) | may_drop | io.flush);

    m.section("mistakes");
    let transfer = io.m.transfer();
    let ends_early = transfer & passing & io.s.payload.last & !last;
    let ends_late = transfer & passing & last & !io.s.payload.last;
    io.early.set(ends_early);
    io.late.set(ends_late);

    m.section("what was dropped makes a packet, or not");
    let drops = may_drop & io.s.valid;
    let replaces = settling & io.start & dropped.gt(io.beats_minus_1.zext(count_bits + 3));
    let settled = settling & io.start & !dropping & !replaces;
    let counted = dropped + drops.zext(count_bits + 3);
    dropped.set(counted);
    m.when(replaces, || dropped.set(counted - io.beats_minus_1.zext(count_bits + 3) - 1));
    m.when(settled, || dropped.set(0));
    m.when(ends_late, || dropping.set(true));
    m.when(drops & io.s.payload.last, || dropping.set(false));

    m.section("update");
    m.when(transfer, || position.set(last.mux(position.zeros(count_bits), position + 1)));
    m.switch(phase, |s| {
        s.case(Phase::Pass, || {
            m.when(ends_early, || phase.set(Phase::Pad)).elsewhen(ends_late, || phase.set(Phase::Settle));
        });
        s.case(Phase::Pad, || m.when(transfer & last, || phase.set(Phase::Settle)));
        s.case(Phase::Settle, || {
            m.when(replaces, || phase.set(Phase::Pad)).elsewhen(settled, || phase.set(Phase::Pass));
        });
    });
    m.when(io.flush, || {
        // an open packet is filled, also if `flush` is 0 before that is done
        phase.set(Phase::Pad);
        m.when(transfer.mux(last, first), || phase.set(Phase::Pass));
        dropping.set(false);
        dropped.set(0);
    });
    m.finish(io)
}

#[cfg(test)]
mod tests;

//! Length guard: makes every packet of a stream exactly as long as it should be, and keeps their number.
//!
//! It counts the beats of a packet. A packet that ends early is filled with zeros up to its length, the beats of one that
//! ends late are dropped up to its last; either raises a flag for one cycle. Behind it, `last` is always right.
//!
//! Where the last of a packet got lost, the next one hangs on to it: what is dropped is then as long as a packet. So for each
//! packet's length that is dropped a packet of zeros comes, and the packets behind it are those that they were.
//!
//! | port | |
//! | --- | --- |
//! | `s` | packets as they come; ready is combinational from `m` ready |
//! | `beats_minus_1` | length of a packet, held while one is under way; what is dropped is counted with the length that there is then |
//! | `start` | 1: a new packet may begin (an open one goes on without it) |
//! | `flush` | 1: all that comes is dropped, an open packet is filled with zeros, and so is one that may begin |
//! | `m` | packets of that length; `first` marks their first beat |
//! | `early`, `late` | one cycle each, at the beat that shows the mistake |
//! | `passing` | what is at `m` is a beat of `s`, not one that stands in for it; a register but for `flush` |
//!
//! Parameters: width of the data, beats of the longest packet (2 to 8192, or 1). Latency 0; one beat a cycle. Combinational: `s`, `start`, `flush`
//! to `m`; `m` ready, `start`, `flush` to `s` ready; all of these and `beats_minus_1` to `early`, `late` and `m` last; `flush` to `passing`.

use super::types::{Beat, beat};
use hdl::*;

#[derive(Clone, Copy, State)]
enum Phase {
    /// Beats pass.
    Pass,
    /// Zeros come, up to the end of the packet.
    Pad,
    /// Beats are dropped, up to the last.
    Drop,
    /// Zeros come in the place of a packet that was dropped, and more is to be dropped.
    PadThenDrop,
}

/// A beat with both ends of its packet marked.
#[derive(Clone, Copy, Bundle)]
pub struct GuardedBeat {
    /// Elements or codes.
    pub data: Signal,
    /// First beat of the packet.
    pub first: Signal,
    /// Last beat of the packet.
    pub last: Signal,
}

ports! {
    /// Ports of [`length_guard`].
    pub struct GuardPorts(width: u32, count_bits: u32) {
        /// Packets as they come.
        input s: Stream<Beat> = stream(beat(width)),
        /// Beats of a packet, less one.
        input beats_minus_1: Signal = bits(count_bits),
        /// A new packet may begin.
        input start: Signal = bits(1),
        /// All that comes is dropped.
        input flush: Signal = bits(1),
        /// Packets of the right length.
        output m: Stream<GuardedBeat> = stream(GuardedBeat { data: bits(width), first: bits(1), last: bits(1) }),
        /// A packet ended early and was filled with zeros.
        output early: Signal = bits(1),
        /// A packet ended late; the surplus is dropped.
        output late: Signal = bits(1),
        /// What is at `m` is a beat of `s`.
        output passing: Signal = bits(1),
    }
}

/// A guard for beats of `width` bits and packets of up to `max_beats` beats.
#[module]
pub fn length_guard(width: u32, max_beats: u32) -> Result<Design<GuardPorts>, Errors> {
    let m = Module::new(format!("length_guard_{width}x{max_beats}"));
    m.doc("Makes every packet exactly as long as it should be: fills early ends with zeros, drops late ones.");
    let io = GuardPorts::new(m, width, clog2(max_beats as usize));

    m.section("where in the packet");
    let phase = m.state(Phase::Pass);
    let first = m.reg_reset(bits(1), 1).comment("the next beat is the first one of a packet");
    let left = m.reg_reset(bits(clog2(max_beats as usize)), 0).comment("beats behind it, unless it is a first one");
    let ends_here = m.reg_reset(bits(1), 0).comment("`left` is 0");
    let last = first.mux(!io.beats_minus_1.any(), ends_here);
    let open = !first | io.start;

    m.section("handshake");
    let dropping = phase.is(Phase::Drop);
    let passing = phase.is(Phase::Pass) & !io.flush;
    io.passing.set(passing);
    io.m.valid.set(open & !dropping & (io.s.valid | !passing));
    io.m.payload.data.set(passing.mux(io.s.payload.data, io.s.payload.data.zeros(width)));
    io.m.payload.first.set(first);
    io.m.payload.last.set(last);
    io.s.ready.set((passing & open & io.m.ready) | dropping | io.flush);

    m.section("mistakes");
    let transfer = io.m.transfer();
    let ends_early = transfer & passing & io.s.payload.last & !last;
    let ends_late = transfer & passing & last & !io.s.payload.last;
    io.early.set(ends_early);
    io.late.set(ends_late);

    m.section("update; while beats are dropped, `left` counts those");
    let dropped = dropping & io.s.valid;
    let drop_ends = dropped & io.s.payload.last;
    let ends = last | drop_ends;
    let here = first.mux(io.beats_minus_1, left);
    m.when(transfer | dropped, || {
        first.set(ends);
        left.set(here - 1);
        ends_here.set(here.eq(1));
    });
    m.switch(phase, |s| {
        s.case(Phase::Pass, || {
            m.when(ends_early, || phase.set(Phase::Pad)).elsewhen(ends_late, || phase.set(Phase::Drop));
        });
        s.case(Phase::Pad, || m.when(transfer & last, || phase.set(Phase::Pass)));
        s.case(Phase::Drop, || {
            m.when(drop_ends, || phase.set(Phase::Pass));
            m.when(dropped & last, || phase.set(Phase::PadThenDrop));
            m.when(drop_ends & last, || phase.set(Phase::Pad));
        });
        s.case(Phase::PadThenDrop, || m.when(transfer & last, || phase.set(Phase::Drop)));
    });
    m.when(io.flush, || {
        // an open packet is filled, also if `flush` is 0 before that is done
        phase.set(Phase::Pad);
        m.when(dropping, || first.set(true));
        m.when(dropping | transfer.mux(last, first), || phase.set(Phase::Pass));
    });
    m.assert(first | ends_here.eq(!left.any()), "a packet ends when none of its beats is left");
    m.finish(io)
}

#[cfg(test)]
mod tests;

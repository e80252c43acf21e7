//! Write aligner: the words of packets become beats of a bus, where their bytes stand in the lanes of their addresses, with strobes. Part
//! of the [burst writer](super::burst_writer).
//!
//! A word is rotated to the lanes of its bytes; a beat has its low lanes from the word before and its high lanes from the one that comes.
//!
//! | port | |
//! | --- | --- |
//! | `burst` | bursts of commands in their order; `ready` follows what is below |
//! | `s` | a packet for each command; `ready` follows `m_ready` and `may_end` |
//! | `m` | beats of bursts; follows `s` within the cycle |
//! | `may_end` | a burst may end, or one without beats pass, if none did in the cycle before; said of that cycle |
//! | `ends`, `ends_command` | one does in this cycle, and so does its command |
//! | `ended` | it did in the cycle before; which, and how its command did so far |
//!
//! - A packet that is too short lacks bytes in its beats, which are sent without them; one that is too long is dropped from there on; so is
//!   the packet of a command that was given up or has no bytes. The next packet is the next command's.
//! - Parameters: those of [`MoverParams`]. Throughput: one beat a cycle, command after command. Latency: 0 cycles.
//! - Combinational paths: `s` to `m`, `m_ready` and `may_end` to `s_ready` and `burst_ready`, `s_valid` to `burst_ready`.

use super::burst_splitter::{Burst, burst};
use super::mover::MoverParams;
use super::rotate::{lanes_below, lanes_up_to, rotate_up};
use crate::stream::{Beat, beat};
use hdl::*;

/// A beat of a burst.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct StrobedBeat {
    /// The bytes of the bus.
    pub data: Signal,
    /// One bit for each byte: it is written.
    pub strobes: Signal,
}

/// The shape of a beat of so many bytes.
pub fn strobed_beat(bytes: u32) -> StrobedBeat {
    StrobedBeat { data: bits(8 * bytes), strobes: bits(bytes) }
}

/// A burst whose beats are all there.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Ended {
    /// The burst.
    pub burst: Burst,
    /// Bytes of its command were not there, in this burst or before.
    pub short: Signal,
    /// The command's last burst: its packet goes on.
    pub long: Signal,
}

/// The shape of a burst whose beats are there.
pub fn ended(p: MoverParams) -> Ended {
    Ended { burst: burst(p), short: bits(1), long: bits(1) }
}

ports! {
    /// Ports of a write aligner.
    pub struct WriteAlignerPorts(p: MoverParams) {
        /// Bursts of commands.
        input burst: Stream<Burst> = stream(burst(p)),
        /// A packet for each command.
        input s: Stream<Beat> = stream(beat(8, p.axi.data_bytes)),
        /// Beats.
        output m: Stream<StrobedBeat> = stream(strobed_beat(p.axi.data_bytes)),
        /// A burst may end.
        input may_end: Signal = bits(1),
        /// One does.
        output ends: Signal = bits(1),
        /// And its command.
        output ends_command: Signal = bits(1),
        /// One did, in the cycle before.
        output ended_valid: Signal = bits(1),
        /// Which, and how its command did so far.
        output ended: Ended = ended(p),
    }
}

/// A write aligner.
#[module]
pub fn write_aligner(p: MoverParams) -> Result<Design<WriteAlignerPorts>, Errors> {
    let name = p.name("write_aligner");
    p.check(&name)?;
    let m = Module::new(name);
    m.doc("The words of packets become beats of a bus, with strobes.");
    let io = WriteAlignerPorts::new(m, p);
    let bytes = p.axi.data_bytes;

    m.section("the burst");
    let there = m.reg_reset(bits(1), 0).comment("there is one");
    let now = m.reg(position(p));
    let begins = m.reg_reset(bits(1), 1).comment("the command's first beat");
    let over = m.reg_reset(bits(1), 0).comment("the packet of this command is over");
    let drains = m.reg_reset(bits(1), 0).comment("the rest of a packet is dropped");
    let ended_before = m.reg_reset(bits(1), 0).comment("a burst ended in the cycle before");
    let moves = there & !drains;
    let none = now.burst.none;
    let last_beat = now.at_end & now.burst.last;

    m.section("a beat");
    let takes = !none & !over & !(now.at_end & now.without_word);
    let may_end = io.may_end & !ended_before;
    let may_go = moves & !none & (!now.at_end | may_end);
    let goes = may_go & io.m.ready & (!takes | io.s.valid);
    let passes = moves & none & may_end;
    io.m.valid.set(may_go & (!takes | io.s.valid));
    io.s.ready.set((may_go & io.m.ready & takes) | drains);
    let beat = strobed(m, io.s.payload, &now, [begins, takes, goes]);
    io.m.payload.set(beat.m);

    m.section("a cycle later: how the command does");
    let ends = (goes & now.at_end) | passes;
    let packet_over = over | (takes & io.s.payload.last);
    io.ends.set(ends);
    io.ends_command.set(ends & now.burst.last);
    io.ended_valid.set(ended_before);
    io.ended.set(conclude(m, &beat, now.burst, Cycle { goes, ends, ended_before, last_beat, packet_over }));

    m.section("the packet");
    m.when(goes, || {
        begins.set(last_beat);
        over.set(packet_over & !last_beat);
        drains.set(last_beat & !packet_over);
    });
    m.when(passes, || {
        begins.set(true);
        over.set(false);
        drains.set(!over);
    });
    m.when(drains & io.s.valid & io.s.payload.last, || drains.set(false));

    m.section("and the next burst");
    m.when(goes, || {
        now.left.set(now.left - 1);
        now.at_end.set(now.left.eq(1));
    });
    let next = !there | ends;
    io.burst.ready.set(next);
    m.when(next, || {
        there.set(io.burst.valid);
        now.set(begin(io.burst.payload, p));
    });
    m.finish(io)
}

/// What happens to a burst.
struct Cycle {
    /// A beat of it leaves.
    goes: Signal,
    /// It ends.
    ends: Signal,
    /// One ended in the cycle before.
    ended_before: Signal,
    /// The beat is the last one of its command.
    last_beat: Signal,
    /// With this beat, the packet is over.
    packet_over: Signal,
}

/// How a command does, a cycle behind its beat.
#[module]
fn conclude(m: Module, beat: &Strobed, burst: Burst, x: Cycle) -> Ended {
    let Cycle { goes, ends, ended_before, last_beat, packet_over } = x;
    // with a reset, since the cycle of a reset would be remembered in `short_before`
    let missing = m.reg_reset(bits(beat.missing.width()), 0);
    missing.set(beat.missing & goes.repeat(beat.missing.width()));
    let surplus = late(m, beat.surplus);
    let goes_on = late(m, !packet_over);
    let ended_at_end = late(m, last_beat);
    let burst = late(m, burst);
    ended_before.set(ends);
    let short_before = m.reg_reset(bits(1), 0);
    let short = short_before | missing.any();
    short_before.set(short & !(ended_before & burst.last));
    Ended { burst, short: short & !burst.none, long: ended_at_end & (surplus.any() | goes_on) }
}

/// A burst, and where it is.
#[derive(Clone, Copy, Bundle)]
struct Position {
    burst: Burst,
    /// Beats behind this one.
    left: Signal,
    /// There are none; not with `none`.
    at_end: Signal,
    /// The command's last bytes are those that its last word left for the last beat.
    without_word: Signal,
    /// Lanes below the offset: their bytes are those of the word before.
    of_held: Signal,
    /// Lanes up to the command's last byte.
    to_end: Signal,
}

fn position(p: MoverParams) -> Position {
    let (flag, lanes) = (bits(1), bits(p.axi.data_bytes));
    Position { burst: burst(p), left: bits(8), at_end: flag, without_word: flag, of_held: lanes, to_end: lanes }
}

/// At its first beat.
fn begin(x: Burst, p: MoverParams) -> Position {
    Position {
        burst: x,
        left: x.len,
        at_end: !x.len.any() & !x.none,
        without_word: x.last & x.end.lt(x.offset),
        of_held: lanes_below(x.offset, p.axi.data_bytes),
        to_end: lanes_up_to(x.end, p.axi.data_bytes),
    }
}

/// A beat, and bytes that do not fit in their command.
struct Strobed {
    m: StrobedBeat,
    /// They are due and not there.
    missing: Signal,
    /// They are behind the end: in this beat, or left by the word for the next. Of a command's last beat.
    surplus: Signal,
}

#[module]
fn strobed(m: Module, s: Beat, now: &Position, [begins, takes, goes]: [Signal; 3]) -> Strobed {
    let (bytes, offset) = (s.keep.width(), now.burst.offset);
    let data = rotate_up(s.data, offset, 8);
    let keep = rotate_up(s.keep, offset, 1) & takes.repeat(bytes);
    let held = m.reg(StrobedBeat { data, strobes: keep }.shape());
    m.when(goes, || held.set(StrobedBeat { data, strobes: keep }));
    let before = now.of_held & (!begins).repeat(bytes);
    let kept = (before & held.strobes) | (!now.of_held & keep);
    let last_beat = now.at_end & now.burst.last;
    let due = !(now.of_held & begins.repeat(bytes)) & (now.to_end | (!last_beat).repeat(bytes));
    let lanes = now.of_held.lanes(1).into_iter().zip(held.data.lanes(8).into_iter().zip(data.lanes(8)));
    let merged: Vec<Signal> = lanes.map(|(of_held, (held, word))| of_held.mux(held, word)).collect();
    let m = StrobedBeat { data: cat(&merged.into_iter().rev().collect::<Vec<_>>()), strobes: kept & due };
    Strobed { m, missing: due & !kept, surplus: (kept & !due) | (now.of_held & keep) }
}

/// The value of the cycle before.
#[module]
fn late<B: Bundle>(m: Module, x: B) -> B {
    let late = m.reg(x.shape());
    late.set(x);
    late
}

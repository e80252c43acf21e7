//! Level writer: from the header of a record to what its lanes look up, one group and side in each cycle (the tables of
//! `side_table`).
//!
//! A lane finds the threshold and the step of an element in two small LUT RAMs of its own: that is half the size of a multiplexer,
//! and 16 words are four vectors. A header takes four cycles, as long as the shortest vector at 16 lanes:
//!
//! | cycle | base | half step |
//! | --- | --- | --- |
//! | 0 | middle, positive | middle |
//! | 1 | middle, negative | inner |
//! | 2 | outer, positive | outer, positive |
//! | 3 | outer, negative | outer, negative |
//!
//! The addresses are `{slot, cycle}`. Slot 3 holds the same with the step 0, where a threshold comes out exactly: it is written
//! when the settings change.
//!
//! Ports: `header` (ready is a register), `write` for the tables (registers), see [`LevelWriterPorts`]. Throughput: a header in 4
//! cycles. Nothing is combinational from port to port. Parameter: the width of dense codes.

use super::half_steps::{Base, Half, base, half, half_of, half_step, rest_is_legal, step_is_legal};
use super::header::{self, steps};
use super::types::{Thresholds, thresholds, width_suffix};
use hdl::*;

/// Words of a table.
pub const WORDS: usize = 16;
/// The slot of the thresholds themselves.
pub const EXACT: u32 = 3;

/// What is written into all tables.
#[derive(Clone, Copy, Bundle)]
pub struct LevelWrite {
    /// Something is written.
    pub valid: Signal,
    /// Where.
    pub address: Signal,
    /// A threshold.
    pub base: Base,
    /// Half a step.
    pub half: Half,
}

/// Shape of a [`LevelWrite`].
pub fn level_write() -> LevelWrite {
    LevelWrite { valid: bits(1), address: bits(4), base: base(), half: half() }
}

ports! {
    /// Ports of [`level_writer`].
    pub struct LevelWriterPorts() {
        /// Headers of records.
        input header: Stream = stream(bits(header::BITS)),
        /// Where the levels of the header go, 0 to 2.
        input slot: Signal = bits(2),
        /// The thresholds of the vectors under way.
        input thresholds: Thresholds = thresholds(),
        /// The thresholds are new in the next cycle; no vector is under way.
        input prepare: Signal = bits(1),
        /// The levels of the thresholds themselves are there.
        output prepared: Signal = bits(1),
        /// For the tables.
        output write: LevelWrite = level_write(),
        /// The levels of a header are written in the next three cycles.
        output done: Signal = bits(1),
        /// The header is none that the format allows; a register, for one to four cycles.
        output faulty: Signal = bits(1),
    }
}

/// The level writer.
#[module]
pub fn level_writer(dense_bits: u32) -> Result<Design<LevelWriterPorts>, Errors> {
    let m = Module::new(format!("oaken_level_writer{}", width_suffix(dense_bits)));
    m.doc("From the header of a record to what its lanes look up.");
    let io = LevelWriterPorts::new(m);

    m.section("whose turn it is");
    let work = work(m, io);
    m.section("its step and threshold");
    let [middle, outer_pos, outer_neg, inner] = steps(work.header);
    let (step, threshold) = asked(work, [middle, outer_pos, outer_neg], io.thresholds);
    let faulty = m.reg_reset(bits(1), 0);
    faulty.set(work.busy & (!step_is_legal(step, threshold, dense_bits) | !rest_is_legal(work.header, dense_bits)));
    io.faulty.set(faulty);
    m.section("the levels, two stages later");
    io.write.set(levels(m, work, inner, step, threshold));
    m.finish(io)
}

/// What is worked on, in registers.
#[derive(Clone, Copy)]
struct Work {
    /// A header.
    busy: Signal,
    /// The thresholds themselves.
    preparing: Signal,
    /// Which group and side.
    turn: Signal,
    header: Signal,
    /// The slot of the header.
    slot: Signal,
}

/// Takes the next header when one is done; thresholds that change go first.
#[module]
fn work(m: Module, io: LevelWriterPorts) -> Work {
    let busy = m.reg_reset(bits(1), 0).comment("a header is worked on");
    let preparing = m.reg_reset(bits(1), 1).comment("the thresholds are worked on");
    let turn = m.reg_reset(bits(2), 0);
    // follows from the others; a register, because it is at the head of a long way to the ready of the words
    let ready = m.reg_reset(bits(1), 0).comment("nothing is worked on, or it is the last turn of a header");
    let header = m.reg(bits(64));
    let slot = m.reg(bits(2));
    let last = turn.all();
    m.assert(ready.eq(!preparing & (!busy | last)), "`ready` is what the other registers say");
    io.header.ready.set(ready);
    m.when(busy | preparing, || turn.set(turn + 1));
    m.when(busy & !preparing & turn.eq(2), || ready.set(true));
    m.when(last, || {
        busy.set(false);
        preparing.set(false);
        ready.set(true);
    });
    m.when(io.header.transfer(), || {
        busy.set(true);
        ready.set(false);
        header.set(io.header.payload);
        slot.set(io.slot);
    });
    m.when(io.prepare, || {
        preparing.set(true);
        ready.set(false);
        turn.set(0);
    });
    io.prepared.set(!preparing);
    io.done.set(busy & last);
    Work { busy, preparing, turn, header, slot }
}

/// The step of the group and side whose turn it is, 0 for the thresholds themselves, and its threshold.
#[module]
fn asked(work: Work, [middle, outer_pos, outer_neg]: [Signal; 3], t: Thresholds) -> (Signal, Signal) {
    let Work { busy, turn, .. } = work;
    let (outer, negative) = (turn.bit(1), turn.bit(0));
    let given = outer.mux(negative.mux(outer_neg, outer_pos), middle);
    let step = given & busy.repeat(13);
    let threshold = outer.mux(negative.mux(t.s_low, t.s_high), negative.mux(t.t_low, t.t_high));
    (step, threshold)
}

/// What is written two cycles later: the threshold and half the step; in turn 1 of a header, half the step of the `inner` group.
#[module]
fn levels(m: Module, work: Work, inner: Signal, step: Signal, threshold: Signal) -> LevelWrite {
    let Work { busy, preparing, turn, slot, .. } = work;
    let p = m.pipeline("level");
    let valid = p.enter_valid(busy | preparing).later(2);
    let exact = slot.lit(EXACT, 2);
    let address = p.enter(busy.mux(slot, exact).cat(turn)).later(2);
    let level = half_step(p.enter(step), p.enter(threshold));
    let of_inner = p.enter(half_of(inner)).later(2);
    let is_inner = p.enter(busy & turn.eq(1)).later(2);
    let half = is_inner.mux(of_inner, level.half);
    p.leave(LevelWrite { valid, address, base: level.base, half })
}

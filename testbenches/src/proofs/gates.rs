//! Small controllers of the Oaken engines: the gate in front of a disabled engine, the ends of packets that the record walker looks at,
//! what tells that a vector has left, and the table of settings.

use super::{Engine, Proof};
use crate::checkers::{Moves, Side, keeps_words_in_order, sends_by_the_rules};
use hdl::logic::UpDown;
use hdl::*;
use hw::oaken::both_taken::both_taken;
use hw::oaken::packet_gate::begin_while;
use hw::oaken::setting_table::{NumberedBeat, SetBeat, setting_table};
use hw::stream::{Beat, beat};

ports! {
    pub(super) struct GatePorts() {
        input s: Stream<Beat> = stream(beat(8, 1)),
        input may_begin: Signal = bits(1),
        input flush: Signal = bits(1),
        output m: Stream<Beat> = stream(beat(8, 1)),
    }
}

/// The gate: a packet begins only while it may, an open one goes on, and behind a flush none is open.
#[module]
fn gate() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_packet_gate");
    let io = GatePorts::new(m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    io.m.set(begin_while(m, io.s, io.may_begin, io.flush));
    let open = m.reg_reset(bits(1), 0).comment("a packet has begun, and neither ended nor was flushed");
    m.when(io.m.transfer(), || open.set(!io.m.payload.last));
    m.when(io.flush, || open.set(false));
    let may = io.may_begin | io.flush | open;
    m.assert(io.m.valid.eq(io.s.valid & may), "a beat passes if it may, and within the cycle");
    m.assert(io.s.ready.eq(io.m.ready & may), "and is taken when it passes, not otherwise");
    m.assert(io.m.payload.pack().eq(io.s.payload.pack()), "unchanged");
    m.cover(io.s.valid & !io.m.valid, "a packet waits");
    m.cover(io.m.transfer() & !io.may_begin & !io.flush, "an open packet goes on");
    Ok(m.finish(io)?.erase())
}

ports! {
    pub(super) struct TakenPorts() {
        input dense: Signal = bits(1),
        input sparse: Signal = bits(1),
        output left: Signal = bits(1),
    }
}

/// Vectors that may be under way.
pub(super) const MOST: u32 = 5;

/// Each vector leaves once, behind the cycle in which the second of its parts was taken.
#[module]
fn left_once() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_both_taken");
    let io = TakenPorts::new(m);
    let left = both_taken(m, io.dense, io.sparse, MOST);
    io.left.set(left);
    let [dense, sparse] = [io.dense, io.sparse].map(|taken| {
        let waiting = UpDown::new(m, MOST + 1);
        waiting.level.comment("parts that were taken, of vectors that have not left");
        waiting.count(taken, left);
        waiting.level
    });
    // what was taken in the cycle before may be the second part of one that leaves now
    let most = |level: Signal, taken: Signal| !taken | level.lt(MOST);
    m.assume(most(dense, io.dense) & most(sparse, io.sparse), "no more vectors are there");
    m.assert(left.eq(dense.any() & sparse.any()), "a vector leaves when both parts were taken, and at no other time");
    m.assert(dense.le(MOST) & sparse.le(MOST), "none is counted twice");
    m.assert(!dense.gt(1) | !sparse.gt(1), "no vector waits whose parts both were taken");
    m.cover(dense.eq(MOST), "the dense parts are far ahead");
    m.cover(sparse.eq(MOST), "the sparse parts are far ahead");
    m.cover(left & io.dense & io.sparse, "vector after vector");
    Ok(m.finish(io)?.erase())
}

ports! {
    struct TablePorts() {
        input s: Stream<NumberedBeat> = stream(NumberedBeat { data: bits(2), last: bits(1), number: bits(1) }),
        output m: Stream = stream(bits(3)),
        output unset: Signal = bits(1),
    }
}

/// The table of settings with one of them stored, at any time before it is used: every beat comes out once, in order, with the setting of
/// its number.
#[module]
fn table() -> Result<Design<()>, Errors> {
    let m = Module::new("prove_setting_table");
    let io = TablePorts::new(m);
    sends_by_the_rules(m, io.s, Side::Surroundings);
    let table = m.instance(&setting_table(2, 1, 64)?);
    table.s.set(io.s);
    let SetBeat { data, last, setting } = table.m.payload;
    io.m.set(table.m.with(last.cat(data)));
    sends_by_the_rules(m, io.m, Side::Part);
    let words = |s: Stream<NumberedBeat>| s.with(s.payload.last.cat(s.payload.data));
    keeps_words_in_order(m, Moves::of(words(io.s)), Moves::of(io.m), 2, false);

    m.section("what is stored, once");
    let chunks = m.anyconst(7);
    let stored = m.reg_reset(bits(1), 0);
    let (valid, number) = (m.anyseq(1), m.anyseq(1));
    m.assume(!valid | (number.eq(1) & !stored), "setting 1, once");
    m.assume(!(valid & io.s.valid & io.s.payload.number.bit(0)), "not while a vector begins with it");
    m.when(valid, || stored.set(true));
    let zero = chunks.zeros(15);
    table.store.valid.set(valid);
    table.store.number.set(number);
    table.store.setting.chunks_minus_1.set(chunks);
    let t = table.store.setting.thresholds;
    [t.s_low, t.t_low, t.t_high, t.s_high].into_iter().for_each(|x| x.set(zero));

    m.section("each beat has its own");
    let of = |x: NumberedBeat| (x.number.bit(0) & stored).mux(chunks, chunks.zeros(7));
    let held = [m.reg(bits(7)), m.reg(bits(7))];
    let count = UpDown::new(m, 2);
    count.count(io.s.transfer(), io.m.transfer());
    m.when(io.s.transfer(), || {
        held[0].set(of(io.s.payload));
        held[1].set(held[0]);
    });
    let want = count.level.eq(2).mux(held[1], held[0]);
    m.assert(!io.m.valid | setting.chunks_minus_1.eq(want), "a beat has the setting that was stored under its number");
    let outer = setting.thresholds.s_high;
    m.assert(!io.m.valid | outer.eq(0) | outer.eq(0x7bff), "or the one for numbers without");
    m.cover(io.m.valid & want.any(), "it is found");
    let first = m.reg_reset(bits(1), 1);
    m.when(io.s.transfer(), || first.set(io.s.payload.last));
    let unset = m.reg_reset(bits(1), 0);
    unset.set(io.s.transfer() & first & !(io.s.payload.number.bit(0) & stored));
    m.assert(table.unset.eq(unset), "a packet without a setting is flagged, once");
    io.unset.set(table.unset);
    let t = setting.thresholds;
    [t.s_low, t.t_low, t.t_high].into_iter().for_each(|x| x.unused());
    Ok(m.finish(io)?.erase())
}

/// The proofs of this file.
pub fn proofs() -> Result<Vec<Proof>, Errors> {
    let proof = |name: &str, part: &str, design| Proof {
        name: name.into(),
        part: part.into(),
        design,
        engine: Engine::Pdr,
        cover_depth: 12,
    };
    Ok(vec![
        proof("packet_gate", "gate of an engine", gate()?),
        proof("both_taken", "vectors that leave, 5", left_once()?),
        proof("setting_table", "table of 2 settings", table()?),
    ])
}

//! Parts of Oaken's engines.

use super::super::Proof;
use super::super::copies::{Pins, of};
use super::super::gates::{GatePorts, MOST, TakenPorts};
use hdl::*;
use hw::oaken::beat_counter::beat_counter;
use hw::oaken::beat_reader::beat_reader;
use hw::oaken::both_taken::both_taken;
use hw::oaken::dense_reader::read_dense;
use hw::oaken::maxima::maxima;
use hw::oaken::packet_ends::{PacketEnd, packet_end, packet_ends};
use hw::oaken::packet_gate::begin_while;
use hw::oaken::scale::{Scales, scale, scales};
use hw::oaken::scale_table::{Queue, ScaleTable};
use hw::oaken::setting_table::setting_table;
use hw::oaken::side_table::{Current, SideTable, slot_bits};
use hw::oaken::sparse_ring::{RingWrite, place_bits, read_bytes, ring_write, word_bits};
use hw::oaken::types::{DenseBeat, LENGTH_BITS, SparseWord, Thresholds, dense_beat, sparse_word, thresholds};
use hw::oaken::walker_words::Arrived;
use hw::oaken::{EngineParams, header, record_join, record_split};

/// The smallest engine.
const ONE: EngineParams = EngineParams { lanes: 1, max_length: 64, dense_bits: 4, settings: 1 };

#[module]
fn packet_gate() -> Result<Design<GatePorts>, Errors> {
    let m = Module::new("packet_gate");
    let io = GatePorts::new(m);
    io.m.set(begin_while(m, io.s, io.may_begin, io.flush));
    m.finish(io)
}

#[module]
fn taken() -> Result<Design<TakenPorts>, Errors> {
    let m = Module::new("both_taken");
    let io = TakenPorts::new(m);
    io.left.set(both_taken(m, io.dense, io.sparse, MOST));
    m.finish(io)
}

ports! {
    struct SideTablePorts(p: EngineParams) {
        input header: Stream = stream(bits(header::BITS)),
        input slot: Signal = bits(slot_bits(p)),
        input thresholds: Thresholds = thresholds(),
        input load: Signal = bits(1),
        output done: Signal = bits(1),
        output faulty: Signal = bits(1),
        output levels: Signal = bits(1),
    }
}

/// The side table of many lanes, whose levels are all computed at once.
#[module]
fn side_table(p: EngineParams) -> Result<Design<SideTablePorts>, Errors> {
    let m = Module::new("side_table");
    let io = SideTablePorts::new(m, p);
    let table = SideTable::new(m, p, io.header, io.slot, io.thresholds, None)?;
    io.done.set(table.done);
    io.faulty.set(table.faulty);
    let Current::Levels(levels) = table.current(m, io.slot, io.load, p) else { unreachable!("more than 16 lanes") };
    io.levels.set(levels.pack().any());
    m.finish(io)
}

ports! {
    struct ScaleTablePorts() {
        input any: Signal = bits(1),
        input oldest: Scales = scales(4),
        input leaves: Signal = bits(1),
        input gone: Signal = bits(1),
        output ready: Signal = bits(1),
        output takes: Signal = bits(1),
        output split: Signal = bits(5),
    }
}

/// The scale table of a lane.
#[module]
fn scale_table() -> Result<Design<ScaleTablePorts>, Errors> {
    let m = Module::new("scale_table");
    let io = ScaleTablePorts::new(m);
    let (scales, at) = (m.memory(scales(4), 2), m.lit(0u32, 1));
    scales.write(at, io.oldest, m.lit(1u32, 1));
    let table = ScaleTable::new(m, 1, Queue { any: io.any, scales, at }, io.leaves);
    table.free(|| io.gone);
    io.ready.set(table.ready);
    io.takes.set(table.takes);
    let back = m.pipeline("back");
    io.split.set(back.leave(table.enter(back).1));
    m.finish(io)
}

ports! {
    struct DenseReaderPorts(p: EngineParams) {
        input dense: Stream<DenseBeat> = stream(dense_beat(p)),
        input length: Signal = bits(LENGTH_BITS),
        input begins: Signal = bits(1),
        input flush: Signal = bits(1),
        output codes: Stream = stream(bits(if p.codes_bits() < 8 && p.dense_bits == 4 { 8 } else { p.codes_bits() })),
        output wrong_length: Signal = bits(1),
    }
}

#[module]
fn dense_reader(p: EngineParams) -> Result<Design<DenseReaderPorts>, Errors> {
    let m = Module::new("dense_reader");
    let io = DenseReaderPorts::new(m, p);
    let reader = read_dense(m, io.dense, io.length, io.begins, io.flush, p)?;
    io.codes.set(reader.codes);
    io.wrong_length.set(reader.wrong_length);
    m.finish(io)
}

ports! {
    struct RingPorts(p: EngineParams) {
        input write: RingWrite = ring_write(p),
        input reads: Signal = bits(1),
        input at: Signal = bits(place_bits(p)),
        output m_valid: Signal = bits(1),
        output m_found: Signal = bits(p.lanes),
    }
}

/// The ring of the sparse part, of which a bit of each byte is read.
#[module]
fn sparse_ring(p: EngineParams) -> Result<Design<RingPorts>, Errors> {
    let m = Module::new("sparse_ring");
    let io = RingPorts::new(m, p);
    let pipe = m.pipeline("read");
    let found = read_bytes(m, io.write, pipe.enter(io.at), [0, 0], p);
    let valid = pipe.enter_valid(io.reads).meet(found[0]);
    let found = cat(&found.into_iter().rev().collect::<Vec<_>>());
    let (valid, found) = pipe.leave((valid, found));
    io.m_valid.set(valid);
    io.m_found.set(found);
    m.finish(io)
}

ports! {
    struct EndsPorts(p: EngineParams) {
        input comes: Signal = bits(1),
        input word: SparseWord = sparse_word(p.sparse_bytes()),
        input head: Signal = bits(word_bits(p)),
        input leave: Signal = bits(1),
        input flush: Signal = bits(1),
        output known: Signal = bits(1),
        output end: PacketEnd = packet_end(p),
    }
}

/// The ends of packets that the walker looks at.
#[module]
fn ends(p: EngineParams) -> Result<Design<EndsPorts>, Errors> {
    let m = Module::new("packet_ends");
    let io = EndsPorts::new(m, p);
    io.word.data.unused();
    let valid = io.comes & !io.flush;
    let arrived = Arrived { comes: io.comes, valid, word: io.word, address: io.head.trunc(4) };
    let ends = packet_ends(m, arrived, io.head, io.flush, p);
    ends.leave.set(io.leave);
    io.known.set(ends.known);
    io.end.set(ends.end);
    m.finish(io)
}

/// Words of the ring that were written.
#[module]
fn written_words(m: Module, pins: &Pins) -> Vector<Signal> {
    let word = pins.get("write_word");
    let written = m.reg_reset(vector(bits(1), 1 << word.width()), 0);
    m.when(pins.get("write_valid"), || written.at(word).set(true));
    written
}

/// What is read was written: the word of a place, and so many behind it.
#[module]
fn words_have_come(m: Module, pins: &Pins, reads: Signal, at: Signal, behind: u32) {
    let written = written_words(m, pins);
    let bits = pins.get("write_word").width();
    let byte = pins.get("write_data").width() / 8;
    let word = at.drop_low(byte.ilog2()).trunc(bits);
    let come = (0..=behind).fold(m.lit(1u32, 1), |come, i| come & written.at((word + i).trunc(bits)));
    m.assume(!reads | come, "what is read was written");
}

/// Only a vector that is ready leaves, and only one that has left is gone.
#[module]
fn vectors_leave(m: Module, pins: &Pins) {
    let [leaves, gone] = ["leaves", "gone"].map(|name| pins.get(name));
    m.assume(!leaves | pins.get("ready"), "a vector leaves that is ready");
    let left = m.reg_reset(bits(4), 0);
    left.set(left + leaves.zext(4) - gone.zext(4));
    m.assume(!gone | left.any(), "one is gone that has left");
}

/// The first beat behind a reset is the first one of its vector.
#[module]
fn first_comes_first(m: Module, pins: &Pins) {
    let open = m.reg_reset(bits(1), 0);
    m.when(pins.get("valid"), || open.set(true));
    m.assume(!pins.get("valid") | open | pins.get("first"), "the first beat is the first one of its vector");
}

pub(super) fn proofs() -> Result<Vec<Proof>, Errors> {
    let lanes = |lanes| EngineParams { lanes, ..ONE };
    let each = EngineParams { settings: 2, ..ONE };
    Ok(vec![
        of("packet_gate", packet_gate()).proof()?,
        of("both_taken", taken()).without_its_own().proof()?,
        of("setting_table", setting_table(1, 1, 64)).proof()?,
        of("record_join", record_join("record_join", lanes(16))).without_payloads().proof()?,
        of("record_split", record_split("record_split", lanes(32))).without_payloads().proof()?,
        of("side_table", side_table(lanes(32))).leaving_out("levels").proof()?,
        of("scale_table", scale_table()).given(vectors_leave).without_payloads().during("split", "ready").proof()?,
        of("beat_counter", beat_counter(lanes(32))).without_its_own().without_payloads().proof()?,
        of("beat_reader", beat_reader(lanes(32)))
            .without_its_own()
            .without_payloads()
            .during("oldest", "reading")
            .leaving_out("order_error")
            .seldom("")
            .for_cycles(12)
            .proof()?,
        of("beat_reader_words", beat_reader(lanes(32)))
            .without_its_own()
            .given(|m, pins| words_have_come(m, pins, pins.get("s_valid"), pins.get("s_at"), 2))
            .during("oldest", "reading")
            .seldom("")
            .for_cycles(16)
            .proof()?,
        of("packet_ends", ends(ONE)).without_its_own().during("end_", "known").for_cycles(14).proof()?,
        of("sparse_ring", sparse_ring(lanes(4)))
            .given(|m, pins| words_have_come(m, pins, pins.get("reads"), pins.get("at"), 1))
            .shown_within(12)
            .proof()?,
        of("dense_reader", dense_reader(ONE)).without_its_own().proof()?,
        of("dense_reader_each", dense_reader(each))
            .without_its_own()
            .without_payloads()
            .seldom("")
            .for_cycles(10)
            .proof()?,
        of("maxima", maxima(1)).given(first_comes_first).during("maxima", "done").during("remarked", "done").proof()?,
        of("scale", scale(ONE))
            .without_payloads()
            .during("header", "done")
            .during("scales", "done")
            .shown_within(60)
            .proof()?,
    ])
}

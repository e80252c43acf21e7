//! Oaken quantizer, the engine itself: vectors of binary16 in, dense and sparse part of their records out (docs/oaken-format.md;
//! the paper's section 5.2 and figure 9a). AXI4-Stream and the registers are around it, in `axi`.
//!
//! A vector passes twice. On its way in, each element is classified (the paper's decomposer), the maxima of the groups are
//! found, and the elements wait in a ring of block RAM: the steps are known only after the last element. On its way out, each
//! element is encoded with what its lane looks up (`scale_table`), the entries of outliers are moved together (`compact`) and
//! packed (`sparse_writer`). The two ways overlap: while a vector goes out, the next ones come in.
//!
//! | port | |
//! | --- | --- |
//! | `s` | elements, `lanes` a beat; `last` at vector ends; ready from registers |
//! | `length`, `thresholds` | settings of the next vector; a change waits for the vectors under way |
//! | `enable` | vectors may begin |
//! | `dense`, `sparse` | the two parts of the records, each with its own handshake; registers, but for the payload of `dense` (LUT RAM) |
//! | `early`, `late`, `nonfinite`, `finished` | one cycle each |
//!
//! Parameters: [`EngineParams`]. Throughput: `lanes` elements a cycle, vector after vector without a bubble, as long as no beat
//! that starts a chunk is all outliers (it takes two cycles then, for 16 lanes and more) and the outputs are taken. Latency: a
//! vector's record begins some 40 cycles after its last beat. The dense part of a vector can be asked for before the first
//! word of the sparse part is full: a consumer that takes the sparse part first needs room for `length / lanes` dense beats.
//! Combinational: `dense` and `sparse` ready to nothing outside.

use super::classify::{CLASSIFIED_BITS, Classified, classified, classify};
use super::compact::compact;
use super::encode::encode;
use super::guard::length_guard;
use super::maxima::{self, maxima};
use super::scale::{self, scale, scales};
use super::scale_table::{Queue, ScaleTable};
use super::sparse_writer::{SparseBeat, sparse_writer};
use super::types::*;
use crate::stream::fifo::{Style, fifo};
use hdl::logic::{UpDown, popcount};
use hdl::*;

ports! {
    /// Ports of [`quantizer`].
    pub struct QuantizerPorts(p: EngineParams) {
        /// Elements, `lanes` a beat.
        input s: Stream<Beat> = stream(beat(p.element_bits())),
        /// Elements of a vector.
        input length: Signal = bits(LENGTH_BITS),
        /// Thresholds.
        input thresholds: Thresholds = thresholds(),
        /// Vectors may begin.
        input enable: Signal = bits(1),
        /// Dense part: 4-bit codes.
        output dense: Stream<Beat> = stream(beat(8 * p.dense_bytes())),
        /// Sparse part: header, counts and entries.
        output sparse: Stream<SparseWord> = stream(sparse_word(p.sparse_bytes())),
        /// A vector ended early and was filled with zeros.
        output early: Signal = bits(1),
        /// A vector ended late; the surplus was dropped.
        output late: Signal = bits(1),
        /// A vector held a NaN or an infinity.
        output nonfinite: Signal = bits(1),
        /// The last code of a vector has left.
        output finished: Signal = bits(1),
        /// Vectors are under way.
        output busy: Signal = bits(1),
    }
}

/// Vectors that may be under way: enough to cover the way from the first beat to the last word when all are one chunk long.
fn vectors_in_flight(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + 28 + 2 * p.chunk_beats();
    way.div_ceil(p.chunk_beats()).next_power_of_two()
}

/// Beats that the ring holds: the longest vector and what comes in while its scales are made.
fn ring_depth(p: EngineParams) -> u32 {
    let way = maxima::latency(p.lanes) + scale::latency(p.lanes) + 16;
    (p.max_beats() + way).next_power_of_two()
}

/// The quantizer engine.
#[module]
pub fn quantizer(p: EngineParams) -> Result<Design<QuantizerPorts>, Errors> {
    let p = p.check("oaken_quantizer")?;
    let lanes = p.lanes as usize;
    let m = Module::new(format!("oaken_quantizer_core_p{}_n{}", p.lanes, p.max_length));
    m.doc("Oaken quantizer: vectors of binary16 in, dense and sparse part of their records out.");
    let io = QuantizerPorts::new(m, p);
    let beat_bits = clog2(p.max_beats() as usize);
    let zero = m.lit(0u32, 1);
    let one = m.lit(1u32, 1);

    m.section("settings: a change waits for the vectors under way");
    let settings = m.reg_reset(thresholds(), 0);
    let beats_minus_1 = m.reg_reset(bits(beat_bits), 0);
    let in_flight = UpDown::new(m, vectors_in_flight(p));
    let wanted_beats = io.length.drop_low(p.lanes.ilog2());
    let wanted = (wanted_beats - 1).zext(LENGTH_BITS).trunc(beat_bits);
    let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
    let same = settings.pack().eq(io.thresholds.pack()) & beats_minus_1.eq(wanted);
    may_begin.set(same & io.enable);
    m.when(in_flight.is_empty() & !may_begin, || {
        settings.set(io.thresholds);
        beats_minus_1.set(wanted);
    });
    io.busy.set(in_flight.level.any());

    m.section("in: every vector exactly as long as it should be");
    let guard = m.instance(&length_guard(p.element_bits(), p.max_beats())?);
    let free = UpDown::from(m, ring_depth(p), ring_depth(p));
    guard.s.set(io.s);
    guard.beats_minus_1.set(beats_minus_1);
    guard.start.set(may_begin & in_flight.level.ne(vectors_in_flight(p)));
    let room = m.reg_reset(bits(1), 0).comment("in the ring, for two beats at least");
    room.set(free.level.gt(2));
    guard.m.ready.set(room);
    io.early.set(guard.early);
    io.late.set(guard.late);
    let accepted = guard.m.transfer();
    let begins = accepted & guard.m.payload.first;

    m.section("in: classify");
    let front = m.pipeline("front");
    let valid = front.enter_valid(accepted).next();
    let first = front.enter(guard.m.payload.first).next();
    let last = front.enter(guard.m.payload.last).next();
    let data = front.enter(guard.m.payload.data).next();
    let classifier = classify()?;
    let still = front.constant(settings);
    let found: Vec<(Classified, Signal)> = data
        .lanes(16)
        .into_iter()
        .enumerate()
        .map(|(i, x)| {
            let lane = m.instance(&classifier).named(format!("classify_{i}"));
            lane.x.set(x);
            lane.thresholds.set(still);
            (lane.y.next(), lane.nonfinite)
        })
        .collect();
    let elements = found.iter().rev().map(|f| f.0.pack()).collect::<Vec<_>>();
    let elements = cat(&elements);
    let strange = cat(&found.iter().map(|f| f.1).collect::<Vec<_>>()).any().next();
    let (valid, first, last) = (valid.meet(elements), first.meet(elements), last.meet(elements));

    m.section("in: the ring, the count of outliers in each chunk, the maxima");
    let depth = ring_depth(p) as usize;
    let ring = m.memory(bits(p.lanes * CLASSIFIED_BITS), depth).style(RamStyle::Block);
    // a beat is read only after it was written, so reads and writes never meet
    let ring = ring.attribute("no_rw_check", "");
    let write_at = front.state(m.reg_reset(bits(clog2(depth)), 0), valid);
    ring.write(write_at, elements, valid);
    m.when(valid, || write_at.set(write_at + 1));

    let outliers: Vec<Signal> = found.iter().rev().map(|f| f.0.outlier()).collect();
    let in_beat = popcount(cat(&outliers)).zext(7).next();
    let counts = m.memory(bits(7), (depth * lanes / CHUNK as usize).max(2)).style(RamStyle::Block);
    let counts = counts.attribute("no_rw_check", "");
    let count_bits = clog2((depth * lanes / CHUNK as usize).max(2));
    let count_at = front.state(m.reg_reset(bits(count_bits), 0), in_beat);
    let so_far = front.state(m.reg_reset(bits(7), 0), in_beat);
    let counted = valid.meet(in_beat);
    let chunk_position = front.state(m.reg_reset(bits(clog2(p.chunk_beats() as usize)), 0), in_beat);
    let chunk_ends = if p.chunk_beats() == 1 { one } else { chunk_position.eq(p.chunk_beats() - 1) };
    let in_chunk = so_far + in_beat;
    counts.write(count_at, in_chunk, counted & chunk_ends);
    m.when(counted, || {
        chunk_position.set(chunk_position + 1);
        so_far.set(chunk_ends.mux(so_far.zeros(7), in_chunk));
        m.when(chunk_ends, || count_at.set(count_at + 1));
    });

    let extremes = m.instance(&maxima(p.lanes)?);
    extremes.valid.set(front.leave(valid));
    extremes.first.set(front.leave(first));
    extremes.last.set(front.leave(last));
    extremes.elements.set(front.leave(elements));
    extremes.remark.set(front.leave(strange));

    m.section("between: the steps of a vector");
    let steps = m.instance(&scale(p.lanes)?);
    steps.start.set(extremes.done);
    steps.maxima.set(extremes.maxima);
    steps.nonfinite.set(extremes.remarked);
    steps.thresholds.set(settings);
    let queue_depth = vectors_in_flight(p) as usize;
    let queue = m.memory(scales(), queue_depth).style(RamStyle::Distributed);
    let queue_in = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queue_out = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queued = UpDown::new(m, queue_depth as u32);
    queue.write(queue_in, steps.scales, steps.done);
    m.when(steps.done, || queue_in.set(queue_in + 1));
    let headers = m.memory(bits(58), queue_depth).style(RamStyle::Distributed);
    headers.write(queue_in, steps.header, steps.done);

    m.section("out: read the ring");
    let advance = m.wire(bits(1));
    let leaves = m.wire(bits(1));
    let table = ScaleTable::new(m, p.lanes, Queue { any: queued.level.any(), oldest: queue.read(queue_out) }, leaves);
    let read_at = m.reg_reset(bits(clog2(depth)), 0);
    let read_count_at = m.reg_reset(bits(count_bits), 0);
    let beat_index = m.reg_reset(bits(beat_bits), 0);
    let issue = table.ready;
    let beat_first = beat_index.eq(0);
    let beat_last = beat_index.eq(beats_minus_1);
    let chunk_beat = if p.chunk_beats() == 1 { zero } else { beat_index.trunc(clog2(p.chunk_beats() as usize)) };
    let chunk_first = if p.chunk_beats() == 1 { one } else { chunk_beat.eq(0) };
    leaves.set(issue & beat_last & advance);
    m.when(issue & advance, || {
        read_at.set(read_at + 1);
        beat_index.set(beat_last.mux(beat_index.zeros(beat_bits), beat_index + 1));
        m.when(chunk_first, || read_count_at.set(read_count_at + 1));
    });
    m.when(table.takes, || queue_out.set(queue_out + 1));
    let sent = m.wire(bits(1));
    queued.count(steps.done, table.takes);
    in_flight.count(begins, sent);
    free.count(issue & advance, accepted);

    m.section("out: encode");
    let back = m.pipeline_enabled("back", advance);
    let issued = back.enter_valid(issue);
    let (beat_first, beat_last, chunk_first) = back.enter((beat_first, beat_last, chunk_first));
    let chunk_beat = back.enter(chunk_beat);
    // a register behind the block RAM, whose clock-to-output is more than half a cycle of 100 MHz on ECP5
    let word = ring.read_sync(back.enter(read_at)).next();
    let count = counts.read_sync(back.enter(read_count_at)).next();
    let current = table.current().enter(back, word);
    let split = back.enter(table.split).meet(word);
    let elements: Vec<Classified> = word.lanes(CLASSIFIED_BITS).into_iter().map(|x| classified().unpack(x)).collect();
    let codes: Vec<Signal> = elements
        .iter()
        .enumerate()
        .rev()
        .map(|(i, x)| m.scope(format!("lane{i}"), || encode(*x, split, |x| table.look_up(m, current, x))))
        .collect();
    let codes = cat(&codes);
    // two stages behind `word` the lanes have looked it up
    let looked_up = word.next().next();
    let gone = || issued.meet(looked_up) & beat_last.meet(looked_up);
    table.free(|| back.leave(gone()) & advance);

    m.section("out: move the entries together");
    // lane, group and sign; the beat in the chunk is the same for all and joins them behind the network
    let lane_bits = p.lanes.ilog2();
    let marks: Vec<Signal> = elements
        .iter()
        .enumerate()
        .map(|(i, x)| match lane_bits {
            0 => x.sign.cat(x.outer),
            _ => cat(&[x.sign, x.outer, m.lit(i as u32, lane_bits)]),
        })
        .collect();
    let present: Vec<Signal> = elements.iter().map(|x| x.outlier()).collect();
    let (packed, found) = m.scope("compact", || compact(&marks, &present));
    let stage = packed[0];
    let beat_in_chunk = chunk_beat.meet(stage);
    let entries: Vec<Signal> = packed
        .iter()
        .rev()
        .map(|mark| {
            let mark = mark.meet(stage);
            let group = mark.bits(lane_bits + 1, lane_bits);
            match lane_bits {
                0 => group.cat(beat_in_chunk),
                6 => mark,
                _ => cat(&[group, beat_in_chunk, mark.trunc(lane_bits)]),
            }
        })
        .collect();

    m.section("out: the sparse part");
    let writer = m.instance(&sparse_writer(p, queue_in.width())?);
    let starts_chunk = chunk_first.meet(found);
    // without a place for the count, which begins the chunk
    let too_many = if p.lanes == p.sparse_bytes() {
        back.valid(issued.meet(found) & starts_chunk & found.eq(p.lanes))
    } else {
        back.enter(zero)
    };
    let sparse_beat = SparseBeat {
        entries: cat(&entries),
        found: found.meet(stage),
        too_many: too_many.meet(stage),
        starts_chunk: chunk_first.meet(stage),
        count: count.meet(stage),
        first: beat_first.meet(stage),
        last: beat_last.meet(stage),
    };
    let (sparse_valid, sparse_beat) = back.leave((issued.meet(stage), sparse_beat));
    writer.s.set(Stream { valid: sparse_valid, ready: advance, payload: sparse_beat });
    let header = headers.read(writer.vector);
    writer.header.set(header.zext(64));
    io.sparse.set(writer.m);
    sent.set(writer.sent);
    let was_nonfinite = m.reg(bits(1)).comment("the vector of which `sent` tells");
    was_nonfinite.set(header.bit(57));
    io.finished.set(sent);
    io.nonfinite.set(sent & was_nonfinite);

    m.section("out: the dense part");
    let (coded, codes, last) = back.leave((issued.meet(codes), codes, beat_last.meet(codes)));
    let coded = coded & advance;
    let (complete, codes) = if p.lanes == 1 {
        // a byte leaves with its second element
        let second = m.reg_reset(bits(1), 0);
        let low = m.reg(bits(4));
        m.when(coded, || {
            second.set(!second);
            low.set(codes);
        });
        (coded & second, codes.cat(low))
    } else {
        (coded, codes)
    };
    let dense = m.instance(&fifo(codes.width() + 1, DENSE_WORDS as usize, Style::Distributed)?);
    dense.s.valid.set(complete);
    dense.s.payload.set(Beat { data: codes, last }.pack());
    dense.s.ready.unused(); // the pipeline stops before it is full
    writer.stop.set(dense.level.ge(DENSE_WORDS - 3));
    io.dense.set(dense.m.with(beat(codes.width()).unpack(dense.m.payload)));
    m.finish(io)
}

/// Beats that wait to leave the dense side.
const DENSE_WORDS: u32 = 16;

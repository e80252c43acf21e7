//! Oaken quantizer, the engine itself: vectors of binary16 in, dense and sparse part of their records out (docs/oaken-format.md;
//! the paper's section 5.2 and figure 9a). AXI4-Stream and the registers are around it, in `quantizer_axi`.
//!
//! A vector passes twice. On its way in, each element is classified (the paper's decomposer), the maxima of the groups are
//! found, and the elements wait in a ring of block RAM: the steps are known only after the last element. On its way out, each
//! element is encoded with what its lane looks up (`scale_table`), the entries of outliers are moved together (`compact`) and
//! packed (`sparse_writer`). The two ways overlap: while a vector goes out, the next ones come in.
//!
//! | port | |
//! | --- | --- |
//! | `s` | elements, `lanes` a beat; `last` at vector ends; ready from registers |
//! | `length`, `thresholds` | settings of the next vector; a change waits for the vectors under way. A length is a multiple of 64, up to `max_length` |
//! | `enable` | vectors may begin |
//! | `flush` | elements are dropped as they come; an open vector is filled with zeros, and all leave |
//! | `dense`, `sparse` | the two parts of the records, each with its own handshake; registers, but for the payload of `dense` at 4 bits (LUT RAM) |
//! | `early`, `late`, `nonfinite`, `finished` | one cycle each |
//! | `busy` | vectors are under way |
//!
//! The codes of a beat of elements are `lanes * dense_bits` bits. At 4 bits these are a beat of `dense`. At other widths a packer
//! regroups them to beats of the next power of two of bytes; the last one of a vector may then have fewer.
//!
//! Parameters: [`EngineParams`]. Throughput: `lanes` elements a cycle, vector after vector without a bubble, as long as no beat
//! that starts a chunk is all outliers (it takes two cycles then, for 16 lanes and more) and the outputs are taken. Latency: a
//! vector's record begins some 40 cycles after its last beat. 16 beats of codes wait for `dense` to be taken, and with a packer
//! not quite two beats of the bus more. The dense part of a vector can be asked for before the first
//! word of the sparse part is full: a consumer that takes the sparse part first needs room for the dense part of a vector.
//! Combinational: `flush` to `s` ready.

use super::guard::{GuardedBeat, length_guard};
use super::maxima::{self, MaximaPorts};
use super::promises::stays_while;
use super::quantizer_back::{dense_part, encode_beat, fetch, issue, outlier_entries, sparse_beats};
use super::quantizer_front::{classify_beat, count_outliers, find_maxima, ring_depth, store};
use super::scale::{self, Scales, header_bits, scale, scales};
use super::scale_table::Queue;
use super::sparse_writer::{SparseWriterPorts, sparse_writer};
use super::types::*;
use hdl::logic::UpDown;
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
        /// What comes is dropped, and an open vector is completed with zeros.
        input flush: Signal = bits(1),
        /// Dense part: codes.
        output dense: Stream<DenseBeat> = stream(dense_beat(p)),
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

/// The quantizer engine.
#[module]
pub fn quantizer(p: EngineParams) -> Result<Design<QuantizerPorts>, Errors> {
    let p = p.check("oaken_quantizer")?;
    let m = Module::new(format!("oaken_quantizer_core_p{}_n{}{}", p.lanes, p.max_length, p.suffix()));
    m.doc("Oaken quantizer: vectors of binary16 in, dense and sparse part of their records out.");
    let io = QuantizerPorts::new(m, p);

    m.section("settings: a change waits for the vectors under way");
    let settings = settings(m, io, p);
    m.section("in: every vector exactly as long as it should be");
    let input = accept(m, io, settings, p)?;
    m.section("in: classify");
    let front = m.pipeline("front");
    let classified = classify_beat(m, front, input.accepted, input.beat, settings.thresholds)?;
    m.section("in: the ring, the count of outliers in each chunk, the maxima");
    let ring = store(m, front, &classified, p);
    let counts = count_outliers(m, front, &classified, p);
    let maxima = find_maxima(m, front, &classified, p.lanes)?;

    m.section("between: the steps of a vector");
    let queue = queue_scales(m, maxima, settings.thresholds, p)?;

    m.section("out: read the ring");
    let advance = m.wire(bits(1));
    let (beat, table) = issue(m, queue.view(), settings.beats_minus_1, advance, p);
    m.when(table.takes, || queue.out_at.set(queue.out_at + 1));
    let sent = m.wire(bits(1));
    queue.held.count(queue.written, table.takes);
    settings.in_flight.count(input.begins, sent);
    let used = settings.thresholds.pack().cat(settings.beats_minus_1);
    stays_while(m, used, settings.in_flight.level.any() | input.begins);
    input.free.count(beat.issued & advance, input.accepted);
    m.section("out: encode");
    let back = m.pipeline_enabled("back", advance);
    let beat = fetch(back, beat, ring, counts);
    let (elements, codes) = encode_beat(m, back, &beat, &table, advance);
    m.section("out: move the entries together");
    let entries = outlier_entries(m, &elements, beat.chunk_beat);
    m.section("out: the sparse part");
    let writer = m.instance(&sparse_writer(p, queue.in_at.width())?);
    writer.s.set(sparse_beats(back, &beat, &entries, advance, p));
    end_records(m, io, &writer, queue.headers, sent, p.dense_bits);
    m.section("out: the dense part");
    io.dense.set(dense_part(m, back, &beat, codes, advance, writer.stop, p)?);
    m.finish(io)
}

/// What the vectors under way are quantized with.
#[derive(Clone, Copy)]
struct Settings {
    thresholds: Thresholds,
    beats_minus_1: Signal,
    may_begin: Signal,
    /// The vectors under way.
    in_flight: UpDown,
}

/// The settings in use: those given, as soon as no vector is under way.
#[module]
fn settings(m: Module, io: QuantizerPorts, p: EngineParams) -> Settings {
    let beat_bits = clog2(p.max_beats() as usize);
    let settings = m.reg_reset(thresholds(), 0);
    let beats_minus_1 = m.reg_reset(bits(beat_bits), 0);
    let in_flight = UpDown::new(m, vectors_in_flight(p));
    let requested_beats = io.length.drop_low(p.lanes.ilog2());
    let requested = (requested_beats - 1).zext(LENGTH_BITS).trunc(beat_bits);
    let may_begin = m.reg_reset(bits(1), 0).comment("enabled, and the settings are those given");
    let same = settings.pack().eq(io.thresholds.pack()) & beats_minus_1.eq(requested);
    may_begin.set(same & io.enable);
    m.when(in_flight.is_empty() & !may_begin, || {
        settings.set(io.thresholds);
        beats_minus_1.set(requested);
    });
    io.busy.set(in_flight.level.any());
    Settings { thresholds: settings, beats_minus_1, may_begin, in_flight }
}

/// What comes in.
struct Input {
    /// The beat is taken.
    accepted: Signal,
    /// It is the first of a vector.
    begins: Signal,
    beat: GuardedBeat,
    /// Places in the ring for beats.
    free: UpDown,
}

/// Takes beats of vectors that may begin, as long as the ring has room, and makes every vector as long as it should be.
#[module]
fn accept(m: Module, io: QuantizerPorts, settings: Settings, p: EngineParams) -> Result<Input, Errors> {
    let guard = m.instance(&length_guard(p.element_bits(), p.max_beats())?);
    let free = UpDown::from(m, ring_depth(p), ring_depth(p));
    guard.s.set(io.s);
    guard.beats_minus_1.set(settings.beats_minus_1);
    guard.start.set(settings.may_begin & settings.in_flight.level.ne(vectors_in_flight(p)) & !io.flush);
    guard.flush.set(io.flush);
    let room = m.reg_reset(bits(1), 0).comment("in the ring, for two beats at least");
    room.set(free.level.gt(2));
    guard.m.ready.set(room);
    io.early.set(guard.early);
    io.late.set(guard.late);
    let accepted = guard.m.transfer();
    let begins = accepted & guard.m.payload.first;
    Ok(Input { accepted, begins, beat: guard.m.payload, free })
}

/// What is known of the vectors that wait to go out, the oldest first.
struct ScaleQueue {
    /// What their elements are encoded with.
    scales: Memory<Scales>,
    /// Their headers, which stay until their records have left.
    headers: Memory,
    in_at: Signal,
    out_at: Signal,
    /// The vectors.
    held: UpDown,
    /// One more is there.
    written: Signal,
}

impl ScaleQueue {
    /// As the table of the lanes sees it.
    fn view(&self) -> Queue {
        Queue { any: self.held.level.any(), oldest: self.scales.read(self.out_at) }
    }
}

/// Turns the maxima of a vector into its header and its scales, and puts them into a queue.
#[module]
fn queue_scales(
    m: Module,
    maxima: Instance<MaximaPorts>,
    thresholds: Thresholds,
    p: EngineParams,
) -> Result<ScaleQueue, Errors> {
    let steps = m.instance(&scale(p)?);
    steps.start.set(maxima.done);
    steps.maxima.set(maxima.maxima);
    steps.nonfinite.set(maxima.remarked);
    steps.thresholds.set(thresholds);
    let queue_depth = vectors_in_flight(p) as usize;
    let queue = m.memory(scales(p.dense_bits), queue_depth).style(RamStyle::Distributed);
    let queue_in = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queue_out = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queued = UpDown::new(m, queue_depth as u32);
    queue.write(queue_in, steps.scales, steps.done);
    m.when(steps.done, || queue_in.set(queue_in + 1));
    let headers = m.memory(bits(header_bits(p.dense_bits)), queue_depth).style(RamStyle::Distributed);
    headers.write(queue_in, steps.header, steps.done);
    Ok(ScaleQueue { scales: queue, headers, in_at: queue_in, out_at: queue_out, held: queued, written: steps.done })
}

/// Gives the writer the header of the vector that leaves, and tells of each that has left (`sent`).
#[module]
fn end_records(
    m: Module,
    io: QuantizerPorts,
    writer: &SparseWriterPorts,
    headers: Memory,
    sent: Signal,
    dense_bits: u32,
) {
    let header = headers.read(writer.vector);
    writer.header.set(match dense_bits ^ PAPER_BITS {
        0 => header.zext(64),
        width => m.lit(width, 4).cat(header.zext(60)),
    });
    io.sparse.set(writer.m);
    sent.set(writer.sent);
    let was_nonfinite = m.reg(bits(1)).comment("the vector of which `sent` tells");
    was_nonfinite.set(header.bit(57));
    io.finished.set(sent);
    io.nonfinite.set(sent & was_nonfinite);
}

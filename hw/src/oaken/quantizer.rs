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
//! | `setting` | length and thresholds. With one setting those of all vectors, and a change waits for the vectors under way; with more ([`EngineParams::settings`]) those of the vector whose first beat `s` shows, and nothing waits |
//! | `enable` | vectors may begin |
//! | `flush` | elements are dropped as they come; an open vector is filled with zeros, and all leave |
//! | `dense`, `sparse` | the two parts of the records, each with its own handshake; registers, but for the payload of `dense` at 4 bits (LUT RAM) |
//! | `early`, `late`, `nonfinite` | one cycle each |
//! | `finished` | one cycle, behind the one in which the last beats of both parts of a vector have been taken |
//! | `busy` | vectors are under way: from the first beat until `finished` |
//!
//! The codes of a beat of elements are `lanes * dense_bits` bits. At 4 bits these are a beat of `dense`. At other widths a packer
//! regroups them to beats of the next power of two of bytes; the last one of a vector may then have fewer; the
//! others are 0.
//!
//! Parameters: [`EngineParams`]. Throughput, vector after vector while the outputs are taken: a vector of N elements takes `N / lanes`
//! cycles, or as many as its sparse part has words, if these are more: wherever its outliers are (within 1 % from 1,024 elements on;
//! without a bubble as long as the words of no part of it are 10 more than its beats, 7 above 16 lanes; with 1 or 2 lanes, lengths that differ
//! much cost more). Latency: a vector's record begins some 40 cycles after its last beat, above 16 lanes, where it has more stages, 48
//! to 51. 16 beats of codes wait for `dense` to be taken, with a packer not quite two beats of the bus more. The dense part of a vector can be
//! asked for before the first word of the sparse part is full: who takes the sparse part first needs room for the dense part of a vector.
//! Combinational: `flush` to `s` ready; `flush`, `s` valid and last, and with more settings than one `setting`, to `early`, `late`.

use super::both_taken::both_taken;
use super::copies::valid_copies;
use super::guard::{GuardedBeat, length_guard};
use super::header;
use super::maxima::MaximaPorts;
use super::quantizer_back::{dense_part, encode_beat, fetch, issue, lane_groups, outlier_entries, sparse_beats};
use super::quantizer_front::{
    AcceptedBeat, classify_beat, count_outliers, find_maxima, ring_depth, store, vectors_in_flight,
};
use super::quantizer_settings::Settings;
use super::scale::{Scales, scale};
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
        /// Of all vectors; or of that whose first beat `s` shows, where each has its own.
        input setting: Setting = setting(),
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
        /// The last beats of both parts of a vector were taken in the cycle before.
        output finished: Signal = bits(1),
        /// Vectors are under way: they have begun, and were not taken to their end.
        output busy: Signal = bits(1),
    }
}

/// The quantizer engine.
#[module]
pub fn quantizer(p: EngineParams) -> Result<Design<QuantizerPorts>, Errors> {
    let p = p.check("oaken_quantizer")?;
    let each = p.each();
    let m = Module::new(format!("oaken_quantizer_core_p{}_n{}{}{each}", p.lanes, p.max_length, p.suffix()));
    m.doc("Oaken quantizer: vectors of binary16 in, dense and sparse part of their records out.");
    let io = QuantizerPorts::new(m, p);

    m.section("settings");
    let settings = Settings::new(m, io.setting, io.enable, p);
    io.busy.set(settings.in_flight.level.any());
    m.section("in: every vector exactly as long as it should be");
    let input = accept(m, io, &settings, p)?;
    m.section("in: classify");
    let front = m.pipeline("front");
    let classified = classify_beat(m, front, input.beat, settings.entering(), p)?;
    m.section("in: the ring, the count of outliers in each chunk, the maxima");
    let rings = store(m, front, &classified, p);
    let counts = count_outliers(m, front, &classified, p);
    let maxima = find_maxima(m, front, &classified, p.lanes)?;

    m.section("between: the steps of a vector");
    let queue = queue_scales(m, maxima, settings.measured(m, maxima.done), p)?;

    m.section("out: read the ring");
    let advance = m.wire(bits(1));
    let ready_next = p.wide().then(|| m.wire(bits(1)));
    let advances = match ready_next {
        Some(ready_next) => valid_copies(m, ready_next, p.groups() + 1)?,
        None => vec![advance],
    };
    let issues = advances[advances.len() - 1];
    let leaves = m.wire(bits(1)).comment("the last beat of a vector is read");
    let (beat, table) = issue(m, queue.view(), settings.leaving(m, leaves), leaves, issues, p);
    m.when(table.takes, || queue.out_at.set(queue.out_at + 1));
    queue.held.count(queue.written, table.takes);
    input.free.count(beat.issued & issues, input.accepted);
    m.section("out: encode");
    let back = m.pipeline_enabled("back", advance);
    let groups = lane_groups(m, back, rings, &advances);
    let beat = fetch(back, beat, &groups, counts);
    let (elements, codes) = encode_beat(m, back, &beat, &groups, &table, advance);
    m.section("out: move the entries together");
    let entries = outlier_entries(m, &elements, beat.chunk_beat);
    m.section("out: the sparse part");
    let writer = m.instance(&sparse_writer(p, queue.in_at.width())?);
    writer.s.set(sparse_beats(back, &beat, &entries, advance));
    if let (Some(wire), Some(ready_next)) = (ready_next, writer.ready_next) {
        wire.set(ready_next);
    }
    end_records(m, io, &writer, queue.headers, p.dense_bits);
    m.section("out: the dense part");
    io.dense.set(dense_part(m, back, &beat, codes, advance, writer.stop, p)?);
    m.section("out: a vector has left when both parts are taken");
    let dense_ends = io.dense.transfer() & io.dense.payload.last;
    let sparse_ends = io.sparse.transfer() & io.sparse.payload.last;
    let left = both_taken(m, dense_ends, sparse_ends, vectors_in_flight(p));
    settings.in_flight.count(input.begins, left);
    io.finished.set(left);
    m.finish(io)
}

/// What comes in.
struct Input {
    /// The beat is taken.
    accepted: Signal,
    /// It is the first of a vector.
    begins: Signal,
    beat: AcceptedBeat,
    /// Places in the ring for beats.
    free: UpDown,
}

/// Takes beats of vectors that may begin, as long as the ring has room, and makes every vector as long as it should be.
#[module]
fn accept(m: Module, io: QuantizerPorts, settings: &Settings, p: EngineParams) -> Result<Input, Errors> {
    let guard = m.instance(&length_guard(p.element_bits(), p.max_beats())?);
    let free = UpDown::from(m, ring_depth(p), ring_depth(p));
    guard.s.set(io.s);
    guard.beats_minus_1.set(settings.entering().beats_minus_1(p));
    guard.start.set(settings.may_begin & !settings.in_flight.level.msb() & !io.flush);
    guard.flush.set(io.flush);
    let room = m.reg_reset(bits(1), 0).comment("in the ring, for two beats at least");
    room.set(free.level.gt(2));
    guard.m.ready.set(room);
    io.early.set(guard.early);
    io.late.set(guard.late);
    let accepted = guard.m.transfer();
    let begins = accepted & guard.m.payload.first;
    settings.take(m, &guard, io.setting, accepted);
    let GuardedBeat { data, first, last } = guard.m.payload;
    let beat = match p.wide() {
        true => {
            // so many bits are made zeros a stage later, where copies of `passing` are
            data.unused();
            AcceptedBeat { valid: accepted, first, last, data: io.s.payload.data, counts: Some(guard.passing) }
        }
        false => AcceptedBeat { valid: accepted, first, last, data, counts: None },
    };
    Ok(Input { accepted, begins, beat, free })
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
        Queue { any: self.held.level.any(), scales: self.scales, at: self.out_at }
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
    let queue = m.memory(super::scale::scales(p.dense_bits), queue_depth).style(RamStyle::Distributed);
    let queue_in = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queue_out = m.reg_reset(bits(clog2(queue_depth)), 0);
    let queued = UpDown::new(m, queue_depth as u32);
    // of many lanes, in registers beside the queue
    let near = m.pipeline("near_queue");
    let done = near.enter_valid(steps.done).later(u32::from(p.wide()));
    let (scales, header) = near.leave((near.enter(steps.scales).meet(done), near.enter(steps.header).meet(done)));
    let done = near.leave(done);
    queue.write(queue_in, scales, done);
    m.when(done, || queue_in.set(queue_in + 1));
    let headers = m.memory(bits(header::varying_bits(p.dense_bits)), queue_depth).style(RamStyle::Distributed);
    headers.write(queue_in, header, done);
    Ok(ScaleQueue { scales: queue, headers, in_at: queue_in, out_at: queue_out, held: queued, written: done })
}

/// Gives the writer the header of the vector that leaves, and tells of what was wrong with it.
#[module]
fn end_records(m: Module, io: QuantizerPorts, writer: &SparseWriterPorts, headers: Memory, dense_bits: u32) {
    let header = headers.read(writer.vector);
    writer.header.set(header::whole(header, dense_bits));
    io.sparse.set(writer.m);
    let was_nonfinite = m.reg(bits(1)).comment("the vector of which `sent` tells");
    was_nonfinite.set(header::nonfinite(header));
    io.nonfinite.set(writer.sent & was_nonfinite);
}

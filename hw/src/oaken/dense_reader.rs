//! Dense reader: from the beats of the dense part on its bus to the codes of one beat of elements after the other.
//!
//! A length guard (a vector guard, where each vector has its own length) makes every part exactly as many beats long as its vector
//! needs. A last beat may have more bytes than are left ([`EngineParams::dense_ends_within`]): those must be the ones that are not
//! kept, and codes in bytes that should be kept and are not are 0. Where the codes of a beat of elements do not fill a beat of the
//! bus, a gearbox regroups what has passed the guard: so it never sees a part of a wrong length. A register slice is behind all,
//! because whether codes are there decides on everything that moves.
//!
//! Throughput: the codes of a beat of elements in every cycle, also from vector to vector. Latency: 1 cycle, and 1 more with a
//! gearbox. Buffers two beats of codes, and with a gearbox two beats of the bus and what is left of the one before. Combinational:
//! `flush` and what decides on the start of a packet to `dense` ready.

use super::copies::apart;
use super::dequantizer_ports::IN_FLIGHT;
use super::guard::{GuardPorts, GuardedBeat, length_guard};
use super::types::*;
use super::vector_guard::vector_guard;
use crate::stream::fifo::{Style, fifo};
use crate::stream::gearbox::gearbox;
use crate::stream::register_slice::register_slice_after;
use crate::stream::register_slice_backward::register_slice_backward_after;
use hdl::logic::UpDown;
use hdl::*;

/// Where each vector has its own length: dense parts that are due at most, those of the vectors that have a slot in the side table.
const DUE: usize = 8;

/// What comes of the dense parts.
pub struct DenseReader {
    /// The codes of one beat of elements after the other; with one lane and 4 bits, of two.
    pub codes: Stream,
    /// A part was shorter or longer than its vector.
    pub wrong_length: Signal,
}

/// Reads the dense parts of vectors of `length` elements; `begins` when the sparse part of one begins, or where each vector has its own
/// length, when that is there. To `flush`, it fills those that have begun.
#[module]
pub fn read_dense(
    m: Module,
    dense: Stream<DenseBeat>,
    length: Signal,
    begins: Signal,
    flush: Signal,
    p: EngineParams,
) -> Result<DenseReader, Errors> {
    let of_part = if p.setting_of_each() { vector_guard } else { length_guard };
    let guard = m.instance(&of_part(8 * p.dense_bytes(), p.dense_beats(p.max_length))?);
    let extent = extent(m, length, p);
    guard.s.set(dense.with(kept(dense.payload)));
    guard.flush.set(flush);
    let extent = if p.setting_of_each() { wait_for_parts(m, &guard, begins, extent)? } else { extent };
    guard.beats_minus_1.set(extent.beats_minus_1);
    if !p.setting_of_each() {
        // only of vectors whose sparse part has begun: the length is theirs
        let due = UpDown::new(m, IN_FLIGHT);
        let dense_begins = guard.m.transfer() & guard.m.payload.first;
        due.count(begins, dense_begins);
        guard.start.set(due.level.any());
    }

    let wrong_length = match (dense.payload.keep, extent.tail) {
        (Some(keep), Some(tail)) => {
            let both_last = dense.payload.last & guard.m.payload.last & guard.m.transfer() & !flush;
            let expected = each_repeated(tail, keep.width() / tail.width());
            guard.early | guard.late | (dense.transfer() & both_last & keep.ne(expected))
        }
        _ => guard.early | guard.late,
    };
    let passed = masked(m, &guard, p)?;
    let dense = register_slice_after(m, regrouped(m, passed, extent.tail, p)?)?;
    Ok(DenseReader { codes: dense, wrong_length })
}

/// Where each vector has its own extent: those of the vectors that have begun wait for their dense parts. The extent of the part that
/// passes the guard, or comes next.
#[module]
fn wait_for_parts(m: Module, guard: &GuardPorts, begins: Signal, extent: Extent) -> Result<Extent, Errors> {
    let there = if extent.late { delayed_event(m, begins) } else { begins };
    let beats_bits = extent.beats_minus_1.width();
    let tail_bits = extent.tail.map_or(0, |tail| tail.width());
    let due = m.instance(&fifo(beats_bits + tail_bits, DUE, Style::Distributed)?);
    due.s.valid.set(there);
    due.s.payload.set(extent.tail.map_or(extent.beats_minus_1, |tail| tail.cat(extent.beats_minus_1)));
    m.assert(!there | due.s.ready, "no more parts are due than vectors have slots");
    due.m.ready.set(guard.m.transfer() & guard.m.payload.last);
    guard.start.set(due.m.valid);
    let beats_minus_1 = due.m.payload.trunc(beats_bits);
    let tail = extent.tail.map(|_| due.m.payload.drop_low(beats_bits));
    Ok(Extent { beats_minus_1, tail, late: extent.late })
}

/// A beat with zeros in the place of bytes that are not kept at the end of the part.
fn kept(beat: DenseBeat) -> Beat {
    let DenseBeat { data, keep, last } = beat;
    let Some(keep) = keep else { return Beat { data, last } };
    Beat { data: data & each_repeated(keep | !last.repeat(keep.width()), 8), last }
}

/// How long a dense part is.
struct Extent {
    /// Its beats, less one.
    beats_minus_1: Signal,
    /// One bit for each equal piece of its last beat: it belongs to the part. `None` where all of them always do.
    tail: Option<Signal>,
    /// Both are there a cycle later than the length.
    late: bool,
}

/// The extent of a vector of `length` elements. A chunk has `odd * 2^t` times 64 bits, so a part is some number of pieces of `2^t`
/// bits for each of its elements, or of 64 of them where a beat has so many. Registers, but at 4 bits: vectors begin later than the
/// length changes.
#[module]
fn extent(m: Module, length: Signal, p: EngineParams) -> Extent {
    let twos = p.dense_bits.trailing_zeros();
    let odd = p.dense_bits >> twos;
    // elements of a piece and pieces of a beat, each a power of two
    let per_beat = (8 * p.dense_bytes()).ilog2() - twos;
    let per_piece = per_beat.min(CHUNK.ilog2());
    let pieces_bits = per_beat - per_piece;
    let counted = |beats_minus_1: Signal| beats_minus_1.zext(32).trunc(clog2(p.dense_beats(p.max_length) as usize));
    if odd == 1 {
        let beats_minus_1 = length.drop_low(per_piece) - 1;
        return Extent { beats_minus_1: counted(beats_minus_1), tail: None, late: false };
    }
    // by 3 or 5
    let elements = length.drop_low(per_piece);
    let wide = elements.zext(elements.width() + 3);
    let pieces_minus_1 = wide + (wide << (odd - 1).ilog2()) - 1;
    let beats_minus_1 = delayed(m, pieces_minus_1.drop_low(pieces_bits));
    let tail = (pieces_bits > 0).then(|| {
        let last_piece = pieces_minus_1.trunc(pieces_bits);
        delayed(m, cat(&(1..1 << pieces_bits).rev().map(|i| last_piece.ge(i)).collect::<Vec<_>>()).cat(m.lit(1u32, 1)))
    });
    Extent { beats_minus_1: counted(beats_minus_1), tail, late: true }
}

/// A cycle later.
#[module]
fn delayed(m: Module, x: Signal) -> Signal {
    let register = m.reg(bits(x.width()));
    register.set(x);
    register
}

/// A cycle later; nothing after reset.
#[module]
fn delayed_event(m: Module, x: Signal) -> Signal {
    let register = m.reg_reset(bits(1), 0);
    register.set(x);
    register
}

/// What has passed the guard. The data of many lanes become zeros here, in logic of its own for each 64 bits: were it that which steers the
/// guard, it would have to lie amid the data and beside the guard.
#[module]
fn masked(m: Module, guard: &GuardPorts, p: EngineParams) -> Result<Stream<Beat>, Errors> {
    const OF_ONE: u32 = 64;
    let GuardedBeat { data, last, .. } = guard.m.payload;
    if !p.wide() {
        return Ok(guard.m.with(Beat { data, last }));
    }
    // zeros that come from one place, for all lanes
    data.unused();
    let parts = guard.s.payload.data.lanes(OF_ONE);
    // what is apart has a gate in it: of wires alone, coverage would not know where they stand
    let stands_in = !guard.passing;
    let passes = apart(m, ("passes", "Whether a beat passes the guard"), stands_in, parts.len(), |x| !x)?;
    let zeroed: Vec<Signal> =
        parts.into_iter().zip(passes).map(|(part, passes)| part & passes.repeat(OF_ONE)).collect();
    Ok(guard.m.with(Beat { data: cat(&zeroed.into_iter().rev().collect::<Vec<_>>()), last }))
}

/// What has passed the guard, as the codes of one beat of elements after the other.
#[module]
fn regrouped(m: Module, passed: Stream<Beat>, tail: Option<Signal>, p: EngineParams) -> Result<Stream, Errors> {
    let beat = passed.payload;
    if p.dense_bits == PAPER_BITS {
        return Ok(passed.with(beat.data));
    }
    let word = p.regrouped_bits();
    let (words_in, words_out) = (beat.data.width() / word, p.codes_bits() / word);
    // of all beats but the last, the gearbox takes all words
    let keep = match tail {
        Some(tail) => each_repeated(tail, words_in / tail.width()),
        None => !beat.data.zeros(words_in),
    };
    let gearbox = m.instance(&gearbox(word, words_in, words_out)?);
    // whether the gearbox takes a beat is known late, and the guard counts with it
    let passed = passed.with(crate::stream::Beat { data: beat.data, keep, last: beat.last });
    gearbox.s.set(register_slice_backward_after(m, passed)?);
    Ok(gearbox.m.with(gearbox.m.payload.data))
}

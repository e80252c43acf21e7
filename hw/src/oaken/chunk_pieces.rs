//! Chunk pieces: walks over the counts of sparse bytes, and gives them as pieces that belong to one slice each.
//!
//! A packet is a record, whose header every slice repeats ([`Headers::Once`]), or slices that follow each other byte by byte, each with
//! a header of its own ([`Headers::Each`]). Exactly as many slices leave as `slices` says, each of them whole: of bytes that the packet
//! lacks, headers are those of no steps and counts and entries are 0; what is left of the packet behind them is dropped.
//!
//! | port | |
//! | --- | --- |
//! | `s` | packets in words of `word` bytes, full but for the last one; ready follows `m` ready |
//! | `slices` | for each packet the slices that leave; taken with its first word |
//! | `m` | pieces: bytes from the first one of the beat on, `last` ends a slice; registers |
//! | `ended` | how each packet went, behind its last piece; registers |
//! | `enough` | what comes is dropped: 0 from the cycle on behind that in which the packet's last word is taken |
//!
//! - Parameters: [`WalkParams`].
//! - Rate, a piece being what is in one word: a header takes a cycle (in `Each`, one for each piece), a chunk one and one for each piece
//!   of its entries. A packet takes two more. Latency: 2 cycles.
//! - Combinational: `m` ready to `s` ready; with [`Headers::Once`] also `slices` valid to `s` ready (which it never decides
//!   with words of 16 bytes).

use super::header;
use super::slices::{Ended, ended};
use crate::stream::{Beat, beat};
use hdl::logic::first_one;
use hdl::*;

/// Where headers are in a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Headers {
    /// At its beginning.
    Once,
    /// In front of each slice.
    Each,
}

/// Parameters of [`chunk_pieces`].
#[derive(Clone, Copy, Debug)]
pub struct WalkParams {
    /// Bytes of a word, 8 or 16.
    pub word: u32,
    /// Chunks of a slice, from 1.
    pub chunks: u32,
    /// Where headers are.
    pub headers: Headers,
    /// The header where none came.
    pub empty_header: u64,
    /// Width of `slices`.
    pub count_bits: u32,
}

impl WalkParams {
    fn name(self) -> String {
        let kind = if self.headers == Headers::Once { "once" } else { "each" };
        let WalkParams { word, chunks, count_bits, empty_header, .. } = self;
        format!("oaken_chunk_pieces_{kind}_{word}x{chunks}_{count_bits}_{:x}", empty_header >> 60)
    }
}

ports! {
    /// Ports of [`chunk_pieces`].
    pub struct ChunkPiecesPorts(p: WalkParams) {
        /// Packets.
        input s: Stream<Beat> = stream(beat(8, p.word)),
        /// Slices that leave of the next packet.
        input slices: Stream = stream(bits(p.count_bits)),
        /// Pieces of slices.
        output m: Stream<Beat> = stream(beat(8, p.word)),
        /// How a packet ended.
        output ended: Stream<Ended> = stream(ended()),
        /// What comes of the packet is dropped.
        output enough: Signal = bits(1),
    }
}

/// What is done with the bytes.
#[derive(Clone, Copy, State)]
enum Walk {
    /// A packet is waited for; of a record the header is taken.
    Begin,
    /// A header leaves.
    Head,
    /// A count leaves.
    Count,
    /// Entries leave.
    Run,
    /// All slices are out.
    End,
    /// What is left of the packet is dropped.
    Drop,
}

/// The walker.
#[module]
pub fn chunk_pieces(p: WalkParams) -> Result<Design<ChunkPiecesPorts>, Errors> {
    let m = Module::new(p.name());
    m.doc("Walks over the counts of sparse bytes, and gives them as pieces of slices.");
    let io = ChunkPiecesPorts::new(m, p);
    let state = m.state(Walk::Begin);
    let each = p.headers == Headers::Each;
    let (counts, heads) = (state.is(Walk::Count), state.is(Walk::Head));
    let word = word(m, p);
    let left = m.reg_reset(bits(7), header::BYTES).comment("bytes that are left of a header or of entries");

    m.section("what is used of the word");
    let piece_valid = m.reg_reset(bits(1), 0);
    let free = !piece_valid | io.m.ready;
    let walks = counts | state.is(Walk::Run) | (if each { heads } else { heads.zeros(1) });
    let reads = walks & word.valid & free;
    let starts = state.is(Walk::Begin) & word.valid & io.slices.valid;
    let uses = if each { reads } else { reads | starts };
    let available = word.available.zext(7);
    let run_done = left.le(available);
    let empties = uses & counts.mux(available.eq(1), left.ge(available));
    let ending = state.is(Walk::End);
    let ends = ending & io.ended.ready;
    let drops = state.is(Walk::Drop);
    let step = counts.mux(left.lit(1u32, 7), left);
    word.moves(m, io.s, Moves { uses, empties, step, ending, ends, drops }, p);

    let aligned = word.aligned();
    let (count, too_many) = count(aligned, !word.over);

    m.section("slices and chunks");
    let chunk_done = reads & (counts.mux(!count.any(), state.is(Walk::Run) & run_done));
    let (slice_done, last_slice) = count_chunks(m, chunk_done, starts, io.slices.payload, p);
    io.slices.ready.set(state.is(Walk::Begin) & word.valid);
    let to_header = starts | slice_done | ends;
    m.when(reads & !run_done, || left.set(left - available));
    m.when(reads & counts, || left.set(count));
    m.when(to_header, || left.set(header::BYTES));

    m.section("states");
    let header_done = if each { reads & run_done } else { free };
    let steps = Steps {
        starts,
        none: !io.slices.payload.any(),
        header_done,
        count_done: reads & counts,
        chunk_done,
        slice_done,
    };
    let dropped = word.valid & (word.last | word.over);
    go_on(m, state, steps, Ends { last_slice, ends, over: word.over, dropped });

    m.section("pieces");
    let bytes = aligned.drop_low(8).cat(counts.mux(count.zext(8), aligned.trunc(8)));
    let taken = Taken { bytes, walks, reads, starts, counts, heads, left, last: slice_done };
    piece_valid.set(if each { reads } else { reads | heads });
    let piece = pieces(m, &word, taken, free, p);
    m.when(!free, || piece_valid.set(true));
    io.m.valid.set(piece_valid);
    io.m.payload.set(piece);

    m.section("how the packet went");
    let cut_header = if each { word.over.zeros(1) } else { starts & word.available.lt(header::BYTES) };
    let lacks = (uses & word.over) | cut_header | word.partial;
    let wrong = reads & counts & too_many;
    let over = ends | drops;
    report(m, io.ended, ending, [lacks, wrong, over], !word.over);
    io.enough.set(drops & !dropped);
    m.finish(io)
}

/// Counts the chunks of a slice and the slices of a packet. Gives whether a slice is done, and whether it is the last one.
#[module]
fn count_chunks(m: Module, chunk_done: Signal, starts: Signal, slices: Signal, p: WalkParams) -> (Signal, Signal) {
    let chunks_left = m.reg_reset(bits(clog2(p.chunks.max(2) as usize)), p.chunks - 1);
    let slices_left = m.reg_reset(bits(p.count_bits), 0);
    let last_chunk = !chunks_left.any();
    let slice_done = chunk_done & last_chunk;
    m.when(chunk_done, || chunks_left.set(last_chunk.mux(chunks_left.literal(p.chunks - 1), chunks_left - 1)));
    m.when(slice_done, || slices_left.set(slices_left - 1));
    m.when(starts, || slices_left.set(slices - 1));
    let last_slice = !slices_left.any();
    (slice_done, last_slice)
}

/// Tells how a packet went, while it is `ending`: what was wrong since it began, up to `over`.
#[module]
fn report(m: Module, ended: Stream<Ended>, ending: Signal, [lacks, wrong, over]: [Signal; 3], late: Signal) {
    let (missing, wrong_count) = (happened(m, lacks, over), happened(m, wrong, over));
    ended.valid.set(ending);
    ended.payload.set(Ended { missing, late, count: wrong_count });
}

/// It happened since the packet began.
#[module]
fn happened(m: Module, event: Signal, over: Signal) -> Signal {
    let happened = m.reg_reset(bits(1), 0);
    happened.set((happened | event) & !over);
    happened
}

/// A count, at most 64, and whether it was above; 0 if it is not here. The walker's maps read theirs in another form: the form that they
/// have makes splitter and framer slower.
fn count(bytes: Signal, here: Signal) -> (Signal, Signal) {
    let many = (bytes.bit(7) | bytes.bit(6)) & here;
    let low = bytes.trunc(6) & (!many & here).repeat(6);
    let too_many = (bytes.bit(7) | (bytes.bit(6) & bytes.trunc(6).any())) & here;
    (many.cat(low), too_many)
}

/// What is done in a cycle.
struct Steps {
    starts: Signal,
    /// No slice is wanted.
    none: Signal,
    header_done: Signal,
    count_done: Signal,
    chunk_done: Signal,
    slice_done: Signal,
}

/// How a packet ends.
struct Ends {
    last_slice: Signal,
    /// How the packet ended was taken.
    ends: Signal,
    /// The packet is over.
    over: Signal,
    /// The word at hand is its last one.
    dropped: Signal,
}

/// The next state.
#[module]
fn go_on(m: Module, state: StateSignal<Walk>, x: Steps, end: Ends) {
    m.switch(state, |s| {
        s.case(Walk::Begin, || {
            m.when(x.starts, || state.set(Walk::Head));
            m.when(x.starts & x.none, || state.set(Walk::End));
        });
        s.case(Walk::Head, || m.when(x.header_done, || state.set(Walk::Count)));
        s.case_any([Walk::Count, Walk::Run], || {
            m.when(x.count_done, || state.set(Walk::Run));
            m.when(x.chunk_done, || state.set(Walk::Count));
            m.when(x.slice_done, || state.set(Walk::Head));
            m.when(x.slice_done & end.last_slice, || state.set(Walk::End));
        });
        s.case(Walk::End, || {
            m.when(end.ends, || state.set(Walk::Drop));
            m.when(end.ends & end.over, || state.set(Walk::Begin));
        });
        s.case(Walk::Drop, || m.when(end.dropped, || state.set(Walk::Begin)));
    });
}

/// What is taken of the word in a cycle.
struct Taken {
    /// From the place on.
    bytes: Signal,
    walks: Signal,
    reads: Signal,
    /// The header of a record is in the word.
    starts: Signal,
    counts: Signal,
    heads: Signal,
    left: Signal,
    /// The slice ends.
    last: Signal,
}

/// The piece that leaves: bytes of the word, or a header.
#[module]
fn pieces(m: Module, word: &Word, x: Taken, free: Signal, p: WalkParams) -> Beat {
    let below = |n: Signal| cat(&(0..p.word).rev().map(|i| n.gt(i)).collect::<Vec<_>>());
    let run_keep = below(x.left) & below(word.available);
    let keep = x.counts.mux(run_keep.literal(1u32), run_keep);
    let empty = m.lit(p.empty_header, header::BITS);
    let taken = Beat { data: x.bytes, keep, last: x.last };
    let piece = m.reg(beat(8, p.word));
    m.when(free, || {
        piece.set(taken);
        // of what is not there
        m.when(word.over & x.walks, || piece.data.set(0));
        if p.headers == Headers::Each && p.empty_header != 0 {
            m.when(word.over & x.heads & x.left.eq(header::BYTES), || piece.data.set(empty.zext(8 * p.word)));
        }
    });
    if p.headers == Headers::Once {
        let header = m.reg(bits(64)).comment("of the record");
        let nothing_of_it = word.over | word.available.lt(header::BYTES);
        m.when(x.starts, || header.set(nothing_of_it.mux(empty, word.data.trunc(64))));
        m.when(free & x.heads, || {
            piece.data.set(header.zext(8 * p.word));
            piece.keep.set((1u32 << header::BYTES) - 1);
        });
    }
    m.assert(!x.reads | word.valid, "what is read is there");
    piece
}

/// The word that is read, and the place in it.
struct Word {
    valid: Signal,
    data: Signal,
    /// The packet's last one.
    last: Signal,
    /// The packet is over: what is read is not there, and zeros.
    over: Signal,
    at: Signal,
    /// Bytes from there on.
    available: Signal,
    /// One cycle: the word that came before this cycle has bytes that are not kept before others, or is not the last one and not full.
    partial: Signal,
}

/// The registers of the word.
#[module]
fn word(m: Module, p: WalkParams) -> Word {
    let word_valid = m.reg_reset(bits(1), 0);
    let word = m.reg(bits(8 * p.word));
    let word_last = m.reg_reset(bits(1), 0);
    let over = m.reg_reset(bits(1), 0).comment("the packet is over: zeros are read");
    let at = m.reg_reset(bits(p.word.ilog2()), 0).comment("the next byte");
    let available = m.reg_reset(bits(p.word.ilog2() + 1), p.word).comment("bytes from there on");
    let partial = m.reg_reset(bits(1), 0);
    Word { valid: word_valid, data: word, last: word_last, over, at, available, partial }
}

/// What becomes of the word in a cycle.
struct Moves {
    /// Bytes of it are used.
    uses: Signal,
    /// Every byte left in the word is used.
    empties: Signal,
    /// How many bytes are used otherwise.
    step: Signal,
    /// The packet's last slice is out: no word comes.
    ending: Signal,
    /// How the packet ended was taken.
    ends: Signal,
    /// The rest of the packet is dropped.
    drops: Signal,
}

impl Word {
    /// The bytes from the place on, zeros behind them.
    fn aligned(&self) -> Signal {
        (0..self.at.width()).rev().fold(self.data, |x, level| self.at.bit(level).mux(x >> (8u32 << level), x))
    }

    /// Goes on in the word, to the next one, and behind the last one to zeros.
    #[module]
    fn moves(&self, m: Module, s: Stream<Beat>, x: Moves, p: WalkParams) {
        let stops = self.last | self.over;
        let wants = (!self.valid & !x.ending) | ((x.empties | (x.drops & self.valid)) & !stops);
        s.ready.set(wants);
        let zeros = self.available.literal(p.word);
        m.when(x.uses, || {
            self.at.set(self.at + x.step.trunc(self.at.width()));
            self.available.set(self.available - x.step.trunc(self.available.width()));
        });
        let ends_packet = s.payload.last;
        let first_gap = first_one(!s.payload.keep);
        let bytes = (first_gap.any & ends_packet).mux(first_gap.index.zext(self.available.width()), zeros);
        let nothing = ends_packet & !s.payload.keep.bit(0);
        m.when(wants, || {
            self.valid.set(s.valid);
            self.data.set(s.payload.data);
            self.last.set(ends_packet & s.valid);
            self.over.set(nothing & s.valid);
            self.at.set(0);
            self.available.set(nothing.mux(zeros, bytes));
        });
        m.when(x.uses & (self.over | (x.empties & self.last)), || {
            self.over.set(true);
            self.at.set(0);
            self.available.set(zeros);
        });
        m.when((x.ends & self.over) | (x.drops & self.valid & stops), || {
            self.valid.set(false);
            self.over.set(false);
        });
        let holes = (s.payload.keep & (s.payload.keep + 1)).any();
        self.partial.set(wants & s.valid & ends_packet.mux(holes, !s.payload.keep.all()));
    }
}

//! Record reader: takes the sparse part of records apart (docs/oaken-format.md, section 3).
//!
//! Words are cut into pieces of a few bytes. Two pieces stand in a row, and a pointer into the first says where the next byte of
//! the record is: so a window of bytes is found with a small multiplexer. At the start of a chunk the first byte of the
//! window is the count; its entries follow, a few in each cycle. The header of a record always is the first eight bytes of a
//! word: it is seen at once, and reading starts behind it.
//!
//! | port | |
//! | --- | --- |
//! | `s` | words; ready depends on `s` valid, `start` and `advance` |
//! | `chunks_minus_1` | length of a record, held while one is open |
//! | `start` | a new record may begin |
//! | `flush` | all that comes is dropped, and the open record ends: it lacks what was not taken yet |
//! | `advance` | what is shown is taken |
//! | `shown` | something is there: entries (those present are marked), and whether they complete their chunk |
//! | `starts`, `header` | the record begins with what is shown, and its header |
//! | `begins` | a record begins, for one cycle; depends on `s` valid, `start` and `advance` |
//! | `count_error`, `length_error` | one cycle for each wrong count and each record; depend on `advance` |
//!
//! A record that is shorter than its packet or longer is flagged; missing counts are 0, surplus bytes are dropped up to the last
//! word, so the next record is right again.
//!
//! Parameters: word bytes (16, 32 or 64) and [`Window`]. A chunk with `c` outliers takes `1 + c / entries` cycles, rounded up; with
//! `count_beside` the count and the first `entries - 1` share a cycle. Chunk after chunk and record after record follow without
//! a pause as long as words come.

use super::types::{SparseWord, sparse_word};
use hdl::*;

/// How much is taken in a cycle.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// Bytes: entries of a cycle at most, 1 to 16.
    pub bytes: u32,
    /// The count is taken in one cycle with the first entries. A longer path, for where there is no cycle to spare.
    pub count_beside: bool,
}

/// What the reader shows in a cycle.
#[derive(Clone, Copy, Bundle)]
pub struct Shown {
    /// Entry bytes.
    pub entries: Signal,
    /// Which of them are entries of the chunk: ones side by side.
    pub present: Signal,
    /// The chunk is complete with these.
    pub complete: Signal,
    /// It is the first chunk of its vector.
    pub first: Signal,
    /// It is the last chunk of its vector.
    pub last: Signal,
}

/// Shape of [`Shown`] for a window of so many bytes.
pub fn shown(window: u32) -> Shown {
    let flag = bits(1);
    Shown { entries: bits(8 * window), present: bits(window), complete: flag, first: flag, last: flag }
}

ports! {
    /// Ports of [`record_reader`].
    pub struct ReaderPorts(width: u32, window: u32) {
        /// Words of records.
        input s: Stream<SparseWord> = stream(sparse_word(width)),
        /// Chunks of a vector, less one.
        input chunks_minus_1: Signal = bits(7),
        /// A new record may begin.
        input start: Signal = bits(1),
        /// All that comes is dropped, and the open record ends with what was taken of it.
        input flush: Signal = bits(1),
        /// What is shown is taken.
        input advance: Signal = bits(1),
        /// Something is shown.
        output valid: Signal = bits(1),
        /// What is shown.
        output shown: Shown = shown(window),
        /// The record begins with what is shown.
        output starts: Signal = bits(1),
        /// The header of the record; there with `starts`.
        output header: Signal = bits(64),
        /// A record begins.
        output begins: Signal = bits(1),
        /// A count byte is above 64; it is taken as 64.
        output count_error: Signal = bits(1),
        /// A record does not fill its packet, or does not fit in it.
        output length_error: Signal = bits(1),
    }
}

/// Some bytes of a record in a register.
#[derive(Clone, Copy, Bundle)]
struct Piece {
    data: Signal,
    keep: Signal,
}

/// `bytes` bytes of a word from byte `first` upwards.
fn piece(word: SparseWord, first: u32, bytes: u32) -> Piece {
    Piece { data: word.data.bits(8 * (first + bytes) - 1, 8 * first), keep: word.keep.bits(first + bytes - 1, first) }
}

/// The reader for words of `width` bytes.
#[module]
pub fn record_reader(width: u32, window: Window) -> Result<Design<ReaderPorts>, Errors> {
    let m = Module::new(format!("oaken_record_reader_{width}_{}", window.bytes));
    m.doc("Takes the sparse part of records apart.");
    let io = ReaderPorts::new(m, width, window.bytes);

    m.section("two pieces, a pointer into the first, and the rest of the word");
    let buffer = buffer(m, width, window.bytes);
    let view = view(buffer, window.bytes, io.flush);
    let act = view.valid & io.advance;
    m.section("the chunk: its count, then its entries");
    let chunk = chunk(m);
    let take = take(m, chunk, view, window);
    chunk_moves(m, act, chunk, take, window.bytes);
    m.section("the end of the record");
    let last_chunk = !chunk.chunks_after.any();
    let ends = act & take.complete & last_chunk;
    let fits = fits(buffer, view, take.used);
    io.count_error.set(act & !chunk.open & view.there.bit(0) & take.too_many);
    io.length_error.set(ends & !fits & !io.flush);
    m.section("what is shown");
    io.valid.set(view.valid);
    let header = m.reg(bits(64));
    io.starts.set(chunk.first & !chunk.open);
    io.header.set(header);
    let Take { present, complete, .. } = take;
    io.shown.set(Shown { entries: view.bytes, present, complete, first: chunk.first, last: last_chunk });

    m.section("pieces move up");
    let dropping = m.reg_reset(bits(1), 0).comment("up to the last word of a record that should have ended");
    let word = without_gaps(io.s.payload);
    let moves = moves(buffer, act, take.used);
    let begins = (!buffer.reading | (ends & buffer.closed)) & !dropping & !io.flush & io.start & io.s.valid;
    io.begins.set(begins);
    io.s.ready.set(begins | dropping | (moves.refills & !ends) | io.flush);
    pieces_move_up(m, buffer, act, moves);
    m.when(moves.refills & io.s.valid, || refill(buffer, word));
    m.section("records end and begin");
    m.when(dropping & io.s.valid & word.last, || dropping.set(false));
    m.when(ends, || {
        buffer.reading.set(false);
        dropping.set(!buffer.closed);
    });
    m.when(begins, || begin(buffer, chunk, header, word, io.chunks_minus_1));
    m.when(io.flush, || dropping.set(false));
    m.finish(io)
}

/// The bytes of the open record that have come, in registers.
#[derive(Clone, Copy)]
struct Buffer {
    /// A record is open.
    reading: Signal,
    /// Its last word has come.
    closed: Signal,
    /// The piece into which `pointer` points.
    low: Piece,
    /// The piece behind it.
    high: Piece,
    low_valid: Signal,
    high_valid: Signal,
    /// The rest of the word, the next piece in the low bytes.
    rest: Piece,
    /// The pieces in it.
    pieces_left: Signal,
    /// The next byte of the record.
    pointer: Signal,
}

impl Buffer {
    /// Bytes of a piece.
    fn size(&self) -> u32 {
        self.low.keep.width()
    }
    /// Pieces of a word.
    fn pieces(&self) -> u32 {
        self.rest.keep.width() / self.size()
    }
}

/// The buffer for words of `width` bytes, of which `taken` are taken in a cycle.
#[module]
fn buffer(m: Module, width: u32, taken: u32) -> Buffer {
    // a window that starts in one piece ends in the next
    let size = taken.next_power_of_two().max(2);
    let reading = m.reg_reset(bits(1), 0).comment("a record is open");
    let closed = m.reg(bits(1)).comment("its last word has come");
    let shape = Piece { data: bits(8 * size), keep: bits(size) };
    let (low, high) = (m.reg(shape), m.reg(shape));
    let (low_valid, high_valid) = (m.reg(bits(1)), m.reg(bits(1)));
    let rest = m.reg(Piece { data: bits(8 * width), keep: bits(width) });
    let pieces_left = m.reg(bits(clog2((width / size) as usize + 1)));
    let pointer = m.reg(bits(size.ilog2()));
    Buffer { reading, closed, low, high, low_valid, high_valid, rest, pieces_left, pointer }
}

/// The window on the buffer.
#[derive(Clone, Copy)]
struct View {
    /// Its bytes.
    bytes: Signal,
    /// Which of them, and of the one behind them, belong to the record.
    there: Signal,
    /// All bytes of the window that will ever come are there.
    valid: Signal,
}

/// The bytes from the pointer on; to `flush`, none are there, and none will come.
#[module]
fn view(buffer: Buffer, taken: u32, flush: Signal) -> View {
    let Buffer { low, high, low_valid, high_valid, pointer, .. } = buffer;
    let size = buffer.size();
    let both = cat(&[high.keep & high_valid.repeat(size), low.keep & low_valid.repeat(size)]);
    let there = (both >> pointer).trunc(taken + 1) & (!flush).repeat(taken + 1);
    let bytes = (high.data.cat(low.data) >> pointer.cat(pointer.zeros(3))).trunc(8 * taken);
    let drained = buffer.closed & !buffer.pieces_left.any();
    let settled = (low_valid & high_valid) | (drained & !high_valid);
    let valid = buffer.reading & (settled | flush);
    View { bytes, there, valid }
}

/// Where the reader is in the chunks of a record, in registers.
#[derive(Clone, Copy)]
struct ChunkState {
    /// The count of the chunk is known.
    open: Signal,
    /// Its entries that are still to be taken.
    remaining: Signal,
    /// They are taken in one cycle.
    enough: Signal,
    /// It is the first chunk of the record.
    first: Signal,
    /// Chunks behind this one.
    chunks_after: Signal,
}

#[module]
fn chunk(m: Module) -> ChunkState {
    let open = m.reg_reset(bits(1), 0).comment("the count of the chunk is known");
    let remaining = m.reg(bits(7));
    let enough = m.reg(bits(1)).comment("`remaining` are taken in one cycle");
    let first = m.reg(bits(1)).comment("the first chunk of the record");
    let chunks_after = m.reg(bits(7)).comment("chunks behind this one");
    ChunkState { open, remaining, enough, first, chunks_after }
}

/// What is taken when the window is.
#[derive(Clone, Copy)]
struct Take {
    /// Bytes, with the count.
    used: Signal,
    /// Which bytes of the window are entries.
    present: Signal,
    /// The chunk is complete with them.
    complete: Signal,
    /// Entries that then remain of a chunk whose count is taken.
    rest_new: Signal,
    /// The count is above 64.
    too_many: Signal,
}

/// The count of a chunk, or entries, or both.
#[module]
fn take(m: Module, chunk: ChunkState, view: View, window: Window) -> Take {
    let (View { bytes, there, .. }, ChunkState { open, remaining, enough, .. }) = (view, chunk);
    let taken = window.bytes;
    let count_byte = bytes.trunc(8);
    let too_many = count_byte.gt(64);
    let count = there.bit(0).mux(too_many.mux(m.lit(64u32, 7), count_byte.trunc(7)), 0);
    let used_bits = clog2(taken as usize + 1);
    m.assert(!open | enough.eq(remaining.le(taken)), "`enough` is what `remaining` says");
    let entries_used = enough.mux(remaining.trunc(used_bits), m.lit(taken, used_bits));
    let (count_used, rest_new, complete_new) = if window.count_beside {
        let more = count.ge(taken);
        let used = more.mux(m.lit(taken, used_bits), count.trunc(used_bits) + 1);
        (used, count - (taken - 1), !more)
    } else {
        (m.lit(1u32, used_bits), count, !count.any())
    };
    let used = open.mux(entries_used, count_used);
    // bytes that a record lacks are no entries, and their chunk ends without them
    let present_bits: Vec<Signal> = (0..taken)
        .rev()
        .map(|i| {
            let first_cycle = if window.count_beside && i > 0 { count.ge(i) } else { m.lit(0u32, 1) };
            there.bit(i) & open.mux(remaining.gt(i), first_cycle)
        })
        .collect();
    let present = cat(&present_bits);
    let complete = open.mux(enough, complete_new);
    Take { used, present, complete, rest_new, too_many }
}

/// The window is taken: on in the chunk, or to the next one.
fn chunk_moves(m: Module, act: Signal, chunk: ChunkState, take: Take, taken: u32) {
    let ChunkState { open, remaining, .. } = chunk;
    m.when(act, || {
        open.set(!take.complete);
        remaining.set(open.mux(remaining - taken, take.rest_new));
        // a cycle ahead: the ready of the words depends on it
        chunk.enough.set(open.mux(remaining.le(2 * taken), take.rest_new.le(taken)));
        m.when(take.complete, || {
            chunk.first.set(false);
            chunk.chunks_after.set(chunk.chunks_after - 1);
        });
    });
}

/// The record ends with the last of the `used` bytes, and that is in its last word.
#[module]
fn fits(buffer: Buffer, view: View, used: Signal) -> Signal {
    let (there, zero) = (view.there, used.zeros(1));
    let up_to_used = cat(&[zero, there]) >> used; // of the byte behind the record, from bit 0
    let last_byte = cat(&[there, zero]) >> used;
    buffer.closed & last_byte.bit(0) & !up_to_used.bit(0)
}

/// Whatever it says, all bytes of a word before the last one are kept: a record has no gaps.
fn without_gaps(word: SparseWord) -> SparseWord {
    SparseWord { keep: word.keep | (!word.last).repeat(word.keep.width()), ..word }
}

/// How the pieces move.
#[derive(Clone, Copy)]
struct Moves {
    /// The pointer behind the bytes that are used.
    pointer: Signal,
    /// The low piece is not there, or is left behind.
    low_free: Signal,
    /// So is the high one, or it moves down.
    high_free: Signal,
    /// A piece leaves the rest.
    shifts: Signal,
    /// The rest can be the next word.
    refills: Signal,
}

/// The way of the pieces when the window is taken (`act`) with `used` bytes.
#[module]
fn moves(buffer: Buffer, act: Signal, used: Signal) -> Moves {
    let Buffer { pointer, pieces_left, .. } = buffer;
    let pointer_bits = pointer.width();
    let moved = pointer.zext(pointer_bits + 1) + used.zext(pointer_bits + 1);
    let low_free = !buffer.low_valid | (act & moved.msb());
    let high_free = !buffer.high_valid | low_free;
    let shifts = high_free & pieces_left.any();
    let rest_free = !pieces_left.any() | (shifts & pieces_left.eq(1));
    let refills = buffer.reading & !buffer.closed & rest_free;
    Moves { pointer: moved.trunc(pointer_bits), low_free, high_free, shifts, refills }
}

/// From the rest to the high piece, from there to the low one.
fn pieces_move_up(m: Module, buffer: Buffer, act: Signal, moves: Moves) {
    let (Buffer { low, high, rest, pieces_left, .. }, size) = (buffer, buffer.size());
    m.when(act, || buffer.pointer.set(moves.pointer));
    m.when(moves.low_free, || {
        low.set(high);
        buffer.low_valid.set(buffer.high_valid);
    });
    m.when(moves.high_free, || {
        high.set(Piece { data: rest.data.trunc(8 * size), keep: rest.keep.trunc(size) });
        buffer.high_valid.set(moves.shifts);
    });
    m.when(moves.shifts, || {
        rest.data.set(rest.data >> (8 * size));
        rest.keep.set(rest.keep >> size);
        pieces_left.set(pieces_left - 1);
    });
}

/// The next word of the open record.
fn refill(buffer: Buffer, word: SparseWord) {
    buffer.rest.set(piece(word, 0, buffer.rest.keep.width()));
    buffer.pieces_left.set(buffer.pieces());
    buffer.closed.set(word.last);
}

/// The first word of a record: its header, and behind it the first pieces.
fn begin(buffer: Buffer, chunk: ChunkState, header: Signal, word: SparseWord, chunks_minus_1: Signal) {
    let Buffer { low, high, rest, .. } = buffer;
    let size = buffer.size();
    let first_piece = 8 / size;
    buffer.reading.set(true);
    buffer.closed.set(word.last);
    header.set(word.data.trunc(64));
    chunk.first.set(true);
    chunk.chunks_after.set(chunks_minus_1);
    buffer.pointer.set(8 % size);
    low.set(piece(word, first_piece * size, size));
    high.set(piece(word, (first_piece + 1) * size, size));
    buffer.low_valid.set(true);
    buffer.high_valid.set(true);
    rest.data.set(word.data >> (8 * size * (first_piece + 2)));
    rest.keep.set(word.keep >> (size * (first_piece + 2)));
    buffer.pieces_left.set(buffer.pieces() - first_piece - 2);
}

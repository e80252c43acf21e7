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
    let taken = window.bytes;
    let m = Module::new(format!("oaken_record_reader_{width}_{taken}"));
    m.doc("Takes the sparse part of records apart.");
    let io = ReaderPorts::new(m, width, taken);
    let (zero, one) = (m.lit(0u32, 1), m.lit(1u32, 1));
    // a window that starts in one piece ends in the next
    let size = taken.next_power_of_two().max(2);
    let pieces = width / size;
    let pointer_bits = size.ilog2();

    m.section("two pieces, a pointer into the first, and the rest of the word");
    let reading = m.reg_reset(bits(1), 0).comment("a record is open");
    let closed = m.reg(bits(1)).comment("its last word has come");
    let shape = Piece { data: bits(8 * size), keep: bits(size) };
    let (low, high) = (m.reg(shape), m.reg(shape));
    let (low_valid, high_valid) = (m.reg(bits(1)), m.reg(bits(1)));
    let rest = m.reg(Piece { data: bits(8 * width), keep: bits(width) });
    let pieces_left = m.reg(bits(clog2(pieces as usize + 1)));
    let pointer = m.reg(bits(pointer_bits));
    let both = cat(&[high.keep & high_valid.repeat(size), low.keep & low_valid.repeat(size)]);
    let there = (both >> pointer).trunc(taken + 1);
    let bytes = (high.data.cat(low.data) >> pointer.cat(zero.zeros(3))).trunc(8 * taken);
    let drained = closed & !pieces_left.any();
    // all bytes of the window that will ever come are there
    let settled = (low_valid & high_valid) | (drained & !high_valid);
    let valid = reading & settled;
    let act = valid & io.advance;

    m.section("the chunk: its count, then its entries");
    let open = m.reg_reset(bits(1), 0).comment("the count of the chunk is known");
    let remaining = m.reg(bits(7));
    let enough = m.reg(bits(1)).comment("`remaining` are taken in one cycle");
    let first = m.reg(bits(1)).comment("the first chunk of the record");
    let chunks_after = m.reg(bits(7)).comment("chunks behind this one");
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
            let first_cycle = if window.count_beside && i > 0 { count.ge(i) } else { zero };
            there.bit(i) & open.mux(remaining.gt(i), first_cycle)
        })
        .collect();
    let present = cat(&present_bits);
    let complete = open.mux(enough, complete_new);
    m.when(act, || {
        open.set(!complete);
        remaining.set(open.mux(remaining - taken, rest_new));
        // a cycle ahead: the ready of the words depends on it
        enough.set(open.mux(remaining.le(2 * taken), rest_new.le(taken)));
        m.when(complete, || {
            first.set(zero);
            chunks_after.set(chunks_after - 1);
        });
    });

    m.section("the end of the record");
    let last_chunk = !chunks_after.any();
    let ends = act & complete & last_chunk;
    let up_to_used = cat(&[zero, there]) >> used; // of the byte behind the record, from bit 0
    let last_byte = cat(&[there, zero]) >> used;
    let fits = closed & last_byte.bit(0) & !up_to_used.bit(0);
    io.count_error.set(act & !open & there.bit(0) & too_many);
    io.length_error.set(ends & !fits);

    m.section("what is shown");
    io.valid.set(valid);
    let header = m.reg(bits(64));
    io.starts.set(first & !open);
    io.header.set(header);
    io.shown.set(Shown { entries: bytes, present, complete, first, last: last_chunk });

    m.section("pieces move up");
    let dropping = m.reg_reset(bits(1), 0).comment("up to the last word of a record that should have ended");
    // whatever it says, all bytes of a word before the last one are kept: a record has no gaps
    let word = io.s.payload;
    let word = SparseWord { keep: word.keep | (!word.last).repeat(width), ..word };
    let moved = pointer.zext(pointer_bits + 1) + used.zext(pointer_bits + 1);
    let low_free = !low_valid | (act & moved.msb());
    let high_free = !high_valid | low_free;
    let shifts = high_free & pieces_left.any();
    let rest_free = !pieces_left.any() | (shifts & pieces_left.eq(1));
    let refills = reading & !closed & rest_free;
    let begins = (!reading | (ends & closed)) & !dropping & io.start & io.s.valid;
    io.begins.set(begins);
    io.s.ready.set(begins | dropping | (refills & !ends));
    m.when(act, || pointer.set(moved.trunc(pointer_bits)));
    m.when(low_free, || {
        low.set(high);
        low_valid.set(high_valid);
    });
    m.when(high_free, || {
        high.set(Piece { data: rest.data.trunc(8 * size), keep: rest.keep.trunc(size) });
        high_valid.set(shifts);
    });
    m.when(shifts, || {
        rest.data.set(rest.data >> (8 * size));
        rest.keep.set(rest.keep >> size);
        pieces_left.set(pieces_left - 1);
    });
    m.when(refills & io.s.valid, || {
        rest.set(piece(word, 0, width));
        pieces_left.set(pieces);
        closed.set(word.last);
    });

    m.section("records end and begin");
    m.when(dropping & io.s.valid & word.last, || dropping.set(zero));
    m.when(ends, || {
        reading.set(zero);
        dropping.set(!closed);
    });
    m.when(begins, || {
        reading.set(one);
        closed.set(word.last);
        header.set(word.data.trunc(64));
        first.set(one);
        chunks_after.set(io.chunks_minus_1);
        pointer.set(8 % size);
        let first_piece = 8 / size;
        low.set(piece(word, first_piece * size, size));
        high.set(piece(word, (first_piece + 1) * size, size));
        low_valid.set(one);
        high_valid.set(one);
        rest.data.set(word.data >> (8 * size * (first_piece + 2)));
        rest.keep.set(word.keep >> (size * (first_piece + 2)));
        pieces_left.set(pieces - first_piece - 2);
    });
    m.finish(io)
}

//! Record reader: takes the sparse part of records apart (docs/oaken-format.md, section 3).
//!
//! It looks at a window of a few bytes behind a pointer into two words. At the start of a chunk the first byte of the window is
//! the count, and entries behind it are taken in the same cycle. The header of a record always is the first eight bytes of
//! a word, so it is seen with the first chunk and costs no cycle.
//!
//! | port | |
//! | --- | --- |
//! | `s` | words; ready from registers, and from `advance` |
//! | `start` | a new record may begin |
//! | `advance` | what is shown is taken |
//! | `shown` | something is there: entries (valid ones marked), whether they complete their chunk, the header with the first chunk |
//! | `begins` | a record begins, for one cycle |
//! | `count_error`, `length_error` | one cycle each |
//!
//! A record that is shorter than its packet or longer is flagged; missing counts are 0, surplus bytes are dropped up to the last
//! word, so the next record is right again.
//!
//! Parameters: word bytes (16, 32 or 64) and window bytes. A chunk with `c` outliers takes `(1 + c) / window` cycles, rounded up, at
//! least one. Chunk after chunk and record after record follow without a pause, but for one cycle where the end of a record
//! lies across a word border and the words are narrower than 64 bytes.

use super::types::{SparseWord, sparse_word};
use hdl::*;

/// What the reader shows in a cycle.
#[derive(Clone, Copy, Bundle)]
pub struct Shown {
    /// Entry bytes.
    pub entries: Signal,
    /// Which of them are entries of the chunk.
    pub present: Signal,
    /// The chunk is complete with these.
    pub complete: Signal,
    /// It is the first chunk of its vector.
    pub first: Signal,
    /// It is the last chunk of its vector.
    pub last: Signal,
    /// The header of the record; there with the first chunk.
    pub header: Signal,
}

/// Shape of [`Shown`] for a window of so many bytes.
pub fn shown(window: u32) -> Shown {
    let flag = bits(1);
    Shown {
        entries: bits(8 * window),
        present: bits(window),
        complete: flag,
        first: flag,
        last: flag,
        header: bits(64),
    }
}

ports! {
    /// Ports of [`record_reader`].
    pub struct ReaderPorts(width: u32, window: u32) {
        /// Words of records.
        input s: Stream<SparseWord> = stream(sparse_word(width)),
        /// Chunks of a vector, less one; held while records are open.
        input chunks_minus_1: Signal = bits(7),
        /// A new record may begin.
        input start: Signal = bits(1),
        /// What is shown is taken.
        input advance: Signal = bits(1),
        /// Something is shown.
        output valid: Signal = bits(1),
        /// What is shown.
        output shown: Shown = shown(window),
        /// A record begins.
        output begins: Signal = bits(1),
        /// A count byte is above 64; it is taken as 64.
        output count_error: Signal = bits(1),
        /// A record does not fill its packet, or does not fit in it.
        output length_error: Signal = bits(1),
    }
}

#[derive(Clone, Copy, Bundle)]
struct Held {
    valid: Signal,
    word: SparseWord,
}

/// The reader for words of `width` bytes and windows of `window` bytes.
#[module]
pub fn record_reader(width: u32, window: u32) -> Result<Design<ReaderPorts>, Errors> {
    let m = Module::new(format!("oaken_record_reader_{width}_{window}"));
    m.doc("Takes the sparse part of records apart.");
    let io = ReaderPorts::new(m, width, window);
    let (zero, one) = (m.lit(0u32, 1), m.lit(1u32, 1));
    let pointer_bits = clog2(width as usize) + 1;

    m.section("two words and a pointer into them");
    let current = Held { valid: m.reg_reset(bits(1), 0), word: m.reg(sparse_word(width)) };
    let next = Held { valid: m.reg_reset(bits(1), 0), word: m.reg(sparse_word(width)) };
    let pointer = m.reg(bits(pointer_bits)); // 0 to width
    let second_keep = next.word.keep & (next.valid & !current.word.last).repeat(width);
    let keep = cat(&[zero.zeros(window + 1), second_keep, current.word.keep]);
    let data = cat(&[zero.zeros(8 * window), next.word.data, current.word.data]);
    let there = (keep >> pointer).trunc(window + 1);
    let bytes = (data >> pointer.cat(zero.zeros(3))).trunc(8 * window);
    let exhausted = current.word.last & !there.bit(0);

    m.section("the chunk: its count, then its entries");
    let remaining = m.reg_reset(bits(7), 0);
    let chunk = m.reg_reset(bits(7), 0);
    let open = m.reg_reset(bits(1), 0).comment("the count of the chunk is known");
    let count_byte = bytes.trunc(8);
    let too_many = count_byte.gt(64);
    let count = there.bit(0).mux(too_many.mux(m.lit(64u32, 7), count_byte.trunc(7)), 0);
    let left = open.mux(remaining, count);
    // entries are taken as far as they are wanted and there
    let taken: Vec<Signal> = (0..window)
        .map(|i| {
            let wanted_open = remaining.gt(i);
            let wanted_new = if i == 0 { zero } else { count.gt(i - 1) };
            there.bit(i) & open.mux(wanted_open, wanted_new)
        })
        .collect();
    let present = cat(&taken.iter().rev().copied().collect::<Vec<_>>());
    let entries_taken = population(&taken);
    let takes_count = !open & there.bit(0);
    let used = entries_taken + takes_count.zext(entries_taken.width());
    let rest = left - entries_taken.zext(7);
    // a record that has ended too early has no more outliers
    let complete = exhausted | !rest.any();
    let valid = current.valid & (there.bit(0) | exhausted);
    let act = valid & io.advance;

    m.section("the end of the record");
    let last_chunk = chunk.eq(io.chunks_minus_1);
    let ends = act & complete & last_chunk;
    let moved = pointer + used.zext(pointer_bits);
    let across = moved.gt(width);
    let more = (there >> used).bit(0);
    let ends_exactly = !more & across.mux(next.word.last, current.word.last);
    let drop_rest = across.mux(!next.word.last, !current.word.last);
    io.count_error.set(act & !open & there.bit(0) & too_many);
    io.length_error.set((act & exhausted) | (ends & !ends_exactly));

    m.section("what is shown");
    io.valid.set(valid);
    let header = m.reg(bits(64));
    io.shown.set(Shown { entries: bytes, present, complete, first: chunk.eq(0), last: last_chunk, header });

    m.section("the words move");
    let dropping = m.reg_reset(bits(1), 0).comment("up to the last word of a record that should have ended");
    let crosses = act & (across | (moved.eq(width) & next.valid & !current.word.last)) & !ends;
    let free = !current.valid | ends;
    // the word that a new record can begin with: at 64 bytes also the one behind the next, so that no cycle is lost
    let next_used = act & across;
    let bypass = if width == 64 { ends & next_used & !drop_rest & io.s.valid } else { zero };
    let candidate = next.valid & !next_used & !dropping & !(ends & drop_rest);
    let begins = free & io.start & (candidate | bypass);
    let source = if width == 64 { bypass.mux(io.s.payload, next.word) } else { next.word };
    let dropped = dropping & next.valid;
    let next_leaves = crosses | next_used | (begins & !bypass) | dropped;
    let next_can_load = !next.valid | next_leaves;
    io.s.ready.set(next_can_load);
    io.begins.set(begins);
    m.when(next_can_load, || {
        next.valid.set(io.s.valid & !(bypass & begins));
        next.word.set(io.s.payload);
    });
    m.when(act, || {
        pointer.set(across.mux((moved - width).trunc(pointer_bits), moved));
        remaining.set(complete.mux(rest.zeros(7), rest));
        open.set(!complete);
        m.when(complete, || chunk.set(last_chunk.mux(chunk.zeros(7), chunk + 1)));
    });
    m.when(crosses, || {
        current.word.set(next.word);
        pointer.set((moved - width).trunc(pointer_bits));
    });
    m.when(ends, || {
        current.valid.set(zero);
        dropping.set(drop_rest);
    });
    m.when(dropped & next.word.last, || dropping.set(zero));
    m.when(begins, || {
        current.valid.set(one);
        current.word.set(source);
        header.set(source.data.trunc(64));
        pointer.set(8);
    });
    m.finish(io)
}

/// The number of ones, 4 bits.
fn population(bits: &[Signal]) -> Signal {
    bits.iter().map(|b| b.zext(4)).reduce(|a, b| a + b).unwrap_or(bits[0].zext(4))
}

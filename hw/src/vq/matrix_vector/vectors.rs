//! The vectors: those of a command in block RAM, and those of the next one beside them.

use super::super::cache_types::WORD_NUMBERS;
use super::super::delay::{delayed, delayed_valid};
use super::params::MatrixParams;
use super::prepared::prepared;
use super::types::MatrixVectorPorts;
use hdl::*;

/// The vectors.
pub(super) struct Vectors {
    /// Those of the next command are there, or came with too few or too many words.
    pub there: Signal,
    /// They have as many numbers as the matrix of the command has columns.
    pub fit: Signal,
    /// The half of the memories that they are in.
    half: Signal,
    /// For each vector, memories of four numbers each that make up a beat.
    memories: Vec<Vec<Memory>>,
}

impl Vectors {
    /// Takes vectors. `done`: those that are there are used no more.
    #[module]
    pub(super) fn take(m: Module, io: &MatrixVectorPorts, done: Signal, p: MatrixParams) -> Vectors {
        m.section("vectors: one half of the memories is read, the other one written");
        let word_bits = clog2(p.vector_words() as usize + 1);
        let half = m.reg_reset(bits(1), 0).comment("the half that is read");
        let filled = m.reg_reset(bits(1), 0).comment("the half that is written, or was last");
        let full = m.reg_reset(vector(bits(1), 2), 0);
        let wrong = m.reg_reset(vector(bits(1), 2), 0);
        let length = m.reg_reset(vector(bits(word_bits), 2), 0); // words of the first vector
        let number = m.reg_reset(bits(clog2(p.vectors as usize).max(1)), 0);
        let word = m.reg_reset(bits(word_bits), 0);
        let words = io.vector;
        let beyond = word.eq(p.vector_words());
        words.ready.set(!full.at(filled));
        let first = number.eq(0);
        let other = (beyond | (!first & length.at(filled).ne(word + 1))) & words.payload.last;
        m.when(done, || {
            full.at(half).set(0);
            half.set(!half);
        });
        m.when(words.transfer(), || {
            m.when(!beyond, || word.set(word + 1));
            m.when(words.payload.last, || {
                word.set(0);
                number.set(number + 1);
                m.when(first, || length.at(filled).set(word + 1));
                wrong.at(filled).set(other | (wrong.at(filled) & !first));
                m.when(number.eq(p.vectors - 1), || {
                    number.set(0);
                    full.at(filled).set(1);
                    filled.set(!filled);
                });
            });
        });
        let write = Write { half: filled, word, number, data: words.payload.data };
        let writes = words.transfer() & !beyond;
        let (writes, write) = if p.is_lattice() { (writes, write) } else { prepared_word(m, writes, write) };
        let memories = (0..p.vectors).map(|i| memories(m, writes & write.number.eq(i), write, p));
        let columns = io.command.payload.columns.drop_low(WORD_NUMBERS.ilog2());
        let fit = !wrong.at(half) & columns.eq(length.at(half).zext(columns.width()));
        Vectors { there: full.at(half), fit, half, memories: memories.collect() }
    }

    /// The numbers of a beat of each vector, two cycles later.
    #[module]
    pub(super) fn read(&self, m: Module, place: Signal) -> Vec<Vec<Signal>> {
        let address = self.half.cat(place);
        let number = |memory: &Memory| {
            let read: Signal = memory.read_sync(address);
            let word = m.reg(read.shape());
            word.set(read); // block RAM is slow
            word.lanes(word.width() / WORD_NUMBERS)
        };
        self.memories.iter().map(|of_vector| of_vector.iter().flat_map(number).collect()).collect()
    }
}

/// A word of a vector that is written.
#[derive(Clone, Copy, Bundle)]
struct Write {
    half: Signal,
    word: Signal,
    number: Signal,
    data: Signal,
}

/// The numbers of a word as the multipliers take them, two cycles later: of one that is taken in cycle t, the memories have them from t + 3 on. No command
/// reads them sooner: with the last word in t one is taken in t + 1, its first word of indices in t + 2, and the beat of that, in registers in t + 3, is the
/// address. A register more here would be too late, if books did not have to be loaded before.
#[module]
fn prepared_word(m: Module, writes: Signal, write: Write) -> (Signal, Write) {
    let came = delayed(m, write, 1);
    let numbers: Vec<Signal> = came.data.lanes(16).into_iter().map(prepared).collect();
    let write = delayed(m, Write { data: Vector::of(numbers).pack(), ..came }, 1);
    (delayed_valid(m, writes, 2), write)
}

/// The memories of a vector.
fn memories(m: Module, writes: Signal, write: Write, p: MatrixParams) -> Vec<Memory> {
    let Write { half, word, data, .. } = write;
    let count = p.beat_columns() / WORD_NUMBERS;
    let low = count.ilog2();
    let place = if low == 0 { word } else { word.drop_low(low) };
    let place = place.zext(place.width().max(p.place_bits())).trunc(p.place_bits());
    let memory = |i: u32| {
        let memory = m.memory(data.shape(), 2 << p.place_bits()).style(RamStyle::Block);
        memory.attribute("no_rw_check", ""); // one half is read, the other one written
        let ours = if low == 0 { writes } else { writes & word.trunc(low).eq(i) };
        memory.write(half.cat(place), data, ours);
        memory
    };
    (0..count).map(memory).collect()
}

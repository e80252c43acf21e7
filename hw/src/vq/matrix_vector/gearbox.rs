//! Words of indices become beats where some of these lie in two words, as four indices of 12 bits do.

use super::super::cache_types::BookWord;
use super::params::{MatrixParams, WORD_BITS};
use hdl::*;

/// Beats of indices; where words are whole beats, the words themselves. A beat follows its word within the cycle.
///
/// What is left of a word is kept. A beat takes a word if that is too little; which beats do repeats, because words have the same beats again after some of
/// them. An error of the bus is that of each beat that takes the word. Behind the last word only whole beats come.
#[module]
pub(super) fn beats_of_words(m: Module, words: Stream<BookWord>, p: MatrixParams) -> Stream<BookWord> {
    if !p.beats_cross() {
        return words;
    }
    m.section("words become beats, some of which lie in two words");
    let size = p.beat_bits();
    let beats = m.wire(stream(BookWord { data: bits(size), last: bits(1), failed: bits(1) }));
    let steps = steps(size);
    let number = m.reg_reset(bits(clog2(steps.len())), 0).comment("the beat, of those that repeat");
    let over = m.reg_reset(bits(1), 0).comment("the last word was taken");
    let rest = m.reg(bits(WORD_BITS)).comment("the word before");
    let table = |bit: &dyn Fn(Step) -> bool| {
        let ones = steps.iter().enumerate().filter(|(_, step)| bit(**step)).map(|(i, _)| number.eq(i as u32));
        Vector::of(ones.collect::<Vec<_>>()).pack().any()
    };
    let (takes, empties) = (table(&|step| step.takes), table(&|step| step.left < size));
    let BookWord { data, last, failed } = words.payload;
    let both = data.cat(rest);
    let of_step = |step: &Step| {
        let from = WORD_BITS - step.before; // what is left are the high bits of the word before
        both.bits(from + size - 1, from)
    };
    beats.valid.set(words.valid | !takes);
    words.ready.set(beats.ready & takes);
    let ends = takes.mux(last, over) & empties;
    let data = Vector::of(steps.iter().map(of_step).collect::<Vec<_>>()).at(number);
    beats.payload.set(BookWord { data, last: ends, failed: failed & takes });
    m.when(words.transfer(), || {
        rest.set(words.payload.data);
        over.set(last);
    });
    m.when(beats.transfer(), || {
        number.set(number + 1);
        m.when(ends, || {
            number.set(0);
            over.set(0);
        });
    });
    beats
}

/// A beat of those that repeat.
#[derive(Clone, Copy)]
struct Step {
    /// Bits that are left before it.
    before: u32,
    /// It takes a word.
    takes: bool,
    /// Bits that are left behind it.
    left: u32,
}

/// The beats until words have the same ones again; a power of two of them.
fn steps(size: u32) -> Vec<Step> {
    let mut before = 0;
    let mut steps = vec![];
    while steps.is_empty() || before > 0 {
        let takes = before < size;
        let left = before + if takes { WORD_BITS } else { 0 } - size;
        steps.push(Step { before, takes, left });
        before = left;
    }
    steps
}

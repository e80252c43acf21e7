//! Half of the sum of the squares of each entry that passes (docs/vq-format.md, section 7). Built into the module that calls.

use super::positive_sum::{PositiveSumPorts, positive_sum};
use super::square::{self, square};
use super::{TableParams, positive_sum};
use hdl::*;

/// Cycles from the last word of an entry to its half norm.
pub(super) fn latency(p: TableParams) -> u32 {
    square::LATENCY + levels(p) * positive_sum::LATENCY
}

/// Levels of sums: of one number, half of it is half of a sum too.
fn levels(p: TableParams) -> u32 {
    p.vector.ilog2().max(1)
}

/// `fl(1/2 dot(e, e))` of each entry of a word `data`, or with the last word of an entry; without sign, and of the two largest exponents infinite.
#[module]
pub(super) fn half_norms(
    m: Module,
    pipeline: Pipeline,
    (comes, word, data): (Signal, Signal, Signal),
    p: TableParams,
) -> Result<Vec<Signal>, Errors> {
    m.section("half the squares of entries");
    let unit = square()?;
    let of_number = |number: Signal| {
        let square = m.instance(&unit);
        square.c.set(number.trunc(15));
        square.q
    };
    let mut values: Vec<Signal> = data.lanes(16).into_iter().map(of_number).collect();
    for level in 0..levels(p) {
        let unit = positive_sum(level + 1 == levels(p))?;
        if p.vector == 1 {
            values = values.iter().map(|&value| sum_of(m, &unit, value, m.lit(0u32, 15))).collect();
        } else if values.len() > p.entries_of_word() as usize {
            values = values.chunks(2).map(|pair| sum_of(m, &unit, pair[0], pair[1])).collect();
        } else {
            // of the words of an entry: the number of the word says whether it is the second one of two
            let place = level - 2;
            let number = word.trunc(p.words_of_entry().ilog2()).meet(values[0]);
            let whole = if place == 0 { m.lit(1u32, 1) } else { number.trunc(place).all() };
            let held = pipeline.state(m.reg(bits(15)), values[0]);
            m.when(comes.meet(values[0]) & whole & !number.bit(place), || held.set(values[0]));
            values = vec![sum_of(m, &unit, held, values[0])];
        }
    }
    Ok(values)
}

#[module]
fn sum_of(m: Module, unit: &Design<PositiveSumPorts>, a: Signal, b: Signal) -> Signal {
    let sum = m.instance(unit);
    sum.a.set(a);
    sum.b.set(b);
    sum.y
}

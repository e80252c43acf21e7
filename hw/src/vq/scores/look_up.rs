//! Lookups: the products of a row's indices, added up.

use super::super::join_pairs::{Term, sums_of_terms};
use super::super::table_types::*;
use super::rows::Beat;
use super::types::{Scores, ScoresParams};
use crate::float::beside::product_of;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::tree::{sum_of_all, tree};
use crate::float::{multiply, tree};
use hdl::*;

/// Scores of a row that was whole.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) comes: Signal,
    pub(super) scores: Scores,
}

/// Looks up the products of a word's indices, and adds up those of a row.
#[module]
pub(super) fn look_up(m: Module, write: &TableWrite, beat: Beat, p: ScoresParams) -> Result<Found, Errors> {
    m.section("tables: each lane has those of every eighth position, for each query");
    let rows = m.pipeline("rows");
    let comes = rows.enter_valid(beat.term.comes).next();
    let Beat { term, last, data, scale } = rows.enter(beat).next();
    let term = Term { comes, ..term };
    let entry_bits = p.table.entry_bits();
    let (mut products, mut wrongs) = (vec![vec![]; p.table.queries as usize], vec![]);
    for (lane, index) in data.lanes(INDEX_BITS).into_iter().enumerate() {
        let entry = index.trunc(entry_bits);
        let place = if p.table.beats() == 1 { entry } else { term.number.cat(entry) };
        for (query, products) in products.iter_mut().enumerate() {
            let words = table(m, write, lane as u32, query, p).read_sync(place).next();
            products.push(words.trunc(16));
            if query == 0 {
                let beyond = if entry_bits < INDEX_BITS { index.drop_low(entry_bits).any() } else { m.lit(0u32, 1) };
                wrongs.push(!words.msb() | beyond.meet(words));
            }
        }
    }
    let wrong = Vector::of(wrongs).pack().any();
    sum_up(m, rows, Looked { term, last, scale, products, wrong }, p.levels())
}

/// The table of a lane: products, and for the first query whether there are such entries.
#[module]
fn table(m: Module, write: &TableWrite, lane: u32, query: usize, p: ScoresParams) -> Memory {
    let depth = p.table.beats() * p.table.entries;
    let width = if query == 0 { 17 } else { 16 };
    let table = m.memory(bits(width), depth as usize).style(RamStyle::Block);
    table.attribute("no_rw_check", ""); // nothing is looked up while books pass
    let ours = write.valid & write.position.trunc(LANES.ilog2()).eq(lane);
    let of_word = p.table.entries_of_word();
    for i in 0..of_word {
        let entry = if of_word == 1 { write.row } else { write.row.cat(m.lit(i, of_word.ilog2())) };
        let place = match p.table.beats() {
            1 => entry,
            _ => write.position.drop_low(LANES.ilog2()).cat(entry),
        };
        let product = write.product[query][i as usize];
        let word = if query == 0 { write.there.bit(i).cat(product) } else { product };
        table.write(place, word, ours);
    }
    table
}

/// What was looked up for a word.
struct Looked {
    term: Term,
    last: Signal,
    scale: Option<Signal>,
    /// For each query and lane.
    products: Vec<Vec<Signal>>,
    wrong: Signal,
}

/// Adds up the products of a row, and multiplies with the token's scale.
#[module]
fn sum_up(m: Module, rows: Pipeline, x: Looked, levels: u32) -> Result<Found, Errors> {
    m.section("the sum of a word, then that of a row");
    let unit = tree(BINARY16, Subnormals::Keep, LANES, tree::natural(LANES))?;
    let mut sums = vec![];
    for products in &x.products {
        let sum = m.instance(&unit);
        sums.push(sum_of_all(m, &sum, Vector::of(products.clone()).pack()));
    }
    let of_word = x.term.meet(x.wrong);
    let before = rows.state(m.reg(bits(1)).comment("an index of the row has no entry"), x.wrong);
    let wrong = x.wrong | (before & of_word.number.any());
    m.when(of_word.comes, || before.set(wrong));
    let (term, mut sums) = sums_of_terms(m, rows, x.term, sums, levels)?;
    if let Some(scale) = x.scale {
        let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
        for sum in &mut sums {
            *sum = product_of(m, &unit, scale.meet(*sum), *sum);
        }
    }
    let score = Vector::of(sums);
    let comes = rows.valid(term.comes & term.ends).meet(score[0]);
    let [wrong, last] = [wrong, x.last].map(|x| x.meet(comes));
    let (comes, scores) = rows.leave((comes, Scores { score, wrong, last }));
    Ok(Found { comes, scores })
}

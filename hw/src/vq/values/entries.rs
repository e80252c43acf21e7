//! Products of the sums of weights with the entries that pass.

use super::super::accumulator_lane;
use super::super::delay::{delayed, delayed_valid};
use super::super::join_pairs::{NOTHING, adder, sum_of};
use super::super::passing_books::Passing;
use super::lanes::Lanes;
use super::types::ValuesParams;
use crate::float::beside::of_two;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::multiply;
use hdl::*;

/// Products of a word's entries, added up for each number of an entry.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub(super) comes: Signal,
    pub(super) products: Vector<Signal>,
    /// Weights were added for an index without an entry.
    pub(super) misplaced: Signal,
    /// The first position where that was.
    pub(super) position: Signal,
}

/// Multiplies the sums of weights with the entries that pass.
#[module]
pub(super) fn multiply_rows(
    m: Module,
    passing: Passing,
    lanes: &Lanes,
    begins: Signal,
    p: ValuesParams,
) -> Result<Found, Errors> {
    m.section("products of the sums with the entries that pass");
    let here = delayed(m, passing, accumulator_lane::READ);
    let comes = delayed_valid(m, passing.comes, accumulator_lane::READ + 1);
    let (row, entries) = taken(m, here, lanes, p);
    let now = delayed(m, here, 1);
    let (misplaced, position) = misplaced(m, (comes, now), row, lanes.beyond, begins, p);
    let (comes, products) = products(m, comes, (row, entries), p)?;
    Ok(Found { comes, products, misplaced, position })
}

/// The row of sums that was taken out of a lane, and the entries that passed: those that the book does not have are zeros.
#[module]
fn taken(m: Module, here: Passing, lanes: &Lanes, p: ValuesParams) -> (Vector<Signal>, Signal) {
    let numbers = p.lane().numbers as usize;
    // all lanes but one give zeros
    let any = (0..numbers).map(|i| lanes.lanes.iter().map(|lane| lane.row[i]).reduce(|a, b| a | b).expect("lanes"));
    let row = m.reg(vector(bits(accumulator_lane::NUMBER_BITS), numbers));
    row.set(Vector::of(any));
    let entries = m.reg(here.data.shape());
    let nothing: Vec<Signal> = (0..4).map(|_| m.lit(NOTHING, 16)).collect();
    let of_word = p.table.entries_of_word() as usize;
    let numbers = here.data.lanes(16).into_iter().zip(nothing).enumerate();
    let numbers: Vec<Signal> =
        numbers.map(|(i, (number, nothing))| here.there.bit((i / (4 / of_word)) as u32).mux(number, nothing)).collect();
    entries.set(Vector::of(numbers).pack());
    (row, entries)
}

/// Whether weights were added for an index without an entry, and the first position where that was.
#[module]
fn misplaced(
    m: Module,
    (comes, now): (Signal, Passing),
    row: Vector<Signal>,
    beyond: Option<(Signal, Signal)>,
    begins: Signal,
    p: ValuesParams,
) -> (Signal, Signal) {
    let (copies, of_word) = (p.copies() as usize, p.table.entries_of_word() as usize);
    let used = Vector::of(
        (0..of_word).map(|e| (0..copies).map(|c| row[e * copies + c].msb()).reduce(|a, b| a | b).expect("copies")),
    );
    let misplaced = m.reg_reset(bits(1), 0).comment("weights were added for an index without an entry");
    let position = m.reg_reset(bits(p.table.position_bits()), 0).comment("the first position where that was");
    let unused = comes & (used.pack() & !now.there).any();
    // books come in their order; only indices that are beyond may have been seen before, at any position
    let earlier = beyond.map_or(m.lit(0u32, 1), |_| now.position.lt(position));
    m.when(unused & (!misplaced | earlier), || {
        misplaced.set(1);
        position.set(now.position);
    });
    if let Some((beyond, at)) = beyond {
        m.when(beyond & (!misplaced | at.lt(position)), || {
            misplaced.set(1);
            position.set(at);
        });
    }
    m.when(begins, || misplaced.set(0));
    (misplaced, position)
}

/// The products of a row of sums, copies added up, with entries, added up for each number of an entry.
#[module]
fn products(
    m: Module,
    comes: Signal,
    (row, entries): (Vector<Signal>, Signal),
    p: ValuesParams,
) -> Result<(Signal, Vector<Signal>), Errors> {
    let (copies, of_word) = (p.copies() as usize, p.table.entries_of_word() as usize);
    let (adder, multiplier) = (adder()?, multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?);
    let products = m.pipeline("products");
    let (comes, row, entries) = (products.enter_valid(comes), products.enter(row), products.enter(entries));
    let sum_of_copies = |e: usize| {
        let mut sums: Vec<Signal> = (0..copies).map(|c| row[e * copies + c].trunc(16)).collect();
        while sums.len() > 1 {
            sums = sums.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        sums[0]
    };
    let sums: Vec<Signal> = (0..of_word).map(sum_of_copies).collect();
    let vector = p.table.vector as usize;
    let mut all = vec![];
    for (i, number) in entries.meet(sums[0]).lanes(16).into_iter().enumerate() {
        let product = m.instance(&multiplier);
        all.push(of_two(m, &product, sums[i / vector], number));
    }
    // neighbouring entries of a word
    let of_number = |i: usize| {
        let mut terms: Vec<Signal> = (0..of_word).map(|e| all[e * vector + i]).collect();
        while terms.len() > 1 {
            terms = terms.chunks(2).map(|pair| sum_of(m, &adder, pair[0], pair[1])).collect();
        }
        terms[0]
    };
    let terms = Vector::of((0..vector).map(of_number));
    let comes = products.valid(comes.meet(terms[0]));
    let (comes, terms) = products.leave((comes, terms));
    Ok((comes, terms))
}

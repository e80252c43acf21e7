//! Weighted sums of the parts' vectors. Built into the module that calls.

use super::types::*;
use crate::float::add::{self, add};
use crate::float::beside::{NOTHING, of_two};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::multiply::{self, multiply};
use hdl::*;

/// A word that comes.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// One does.
    pub(super) comes: Signal,
    /// Its number in the vector.
    pub(super) number: Signal,
    /// Its numbers.
    pub(super) numbers: Vector<Signal>,
    /// The weight of its part.
    pub(super) weight: Signal,
    /// It is of the first part.
    pub(super) first: Signal,
}

/// Adds words times their weights to those of the parts before, which are kept, [`SUMMED`] cycles later; while `gives` is 1, gives what is kept of the word `number`.
#[module]
pub(super) fn sums(m: Module, item: Item, gives: Signal, p: MergeParams) -> Result<Vector<Signal>, Errors> {
    m.section("weighted sums");
    let words = m.pipeline("words");
    let comes = words.enter_valid(item.comes);
    let (number, first) = (words.enter(item.number), words.enter(item.first));
    let (numbers, weight) = (words.enter(item.numbers).next(), words.enter(item.weight).next());
    let product = multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    let products = Vector::of(numbers.into_iter().map(|x| {
        let unit = m.instance(&product);
        of_two(m, &unit, weight, x)
    }));

    let kept = m.memory(vector(bits(16), p.lanes as usize), p.words() as usize).style(RamStyle::Distributed).feedback();
    let word = kept.read(words.constant(gives).mux(words.constant(item.number), number.meet(products)));
    let (products, before, first) = (products.next(), word.next(), first.meet(products).next());
    let sum = add(BINARY16, Subnormals::Keep, add::NATURAL)?;
    let sums = Vector::of(products.into_iter().zip(before).map(|(product, before)| {
        let unit = m.instance(&sum);
        of_two(m, &unit, first.mux(m.lit(NOTHING, 16), before), product)
    }));
    kept.write(number.meet(sums), sums, comes.meet(sums));
    Ok(words.leave(word))
}

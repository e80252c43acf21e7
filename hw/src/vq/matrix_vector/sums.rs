//! Products and their sums: of a beat by a tree, of the beats of a row behind it, of the tiles of a row in a memory.

use super::super::join_pairs::{NOTHING, Term, adder, sum_of, sums_of_terms};
use super::entries::{Flags, Values};
use super::params::{MatrixParams, MatrixScales};
use super::prepared::times_prepared;
use super::quarters::times_quarters;
use super::types::RowProducts;
use crate::float::beside::product_of;
use crate::float::format::{BINARY16, Subnormals};
use crate::float::tree::{sum_of_all, tree};
use crate::float::{multiply, tree};
use hdl::*;

/// Numbers of the command.
#[derive(Clone, Copy)]
pub(super) struct Settings {
    pub ratio: Option<Signal>,
    pub scale: Option<Signal>,
}

/// A row of a tile was added up.
#[derive(Clone, Copy)]
pub(super) struct Added {
    pub comes: Signal,
    /// It is the first one of its tile.
    pub first_row: Signal,
    /// An index of it, in this tile, has no entry.
    pub wrong: Option<Signal>,
    /// The products of a row of the matrix are there.
    pub found: Signal,
    pub products: RowProducts,
}

/// Multiplies and adds up.
#[module]
pub(super) fn add_up(
    m: Module,
    (comes, values): (Signal, Values),
    settings: Settings,
    p: MatrixParams,
) -> Result<Added, Errors> {
    m.section("products");
    let rows = m.pipeline("rows");
    let comes = rows.enter_valid(comes);
    let x = rows.enter(values);
    let flags = x.flags;
    let (row, sums) = over_beats(m, rows, (comes, x), settings, p)?;
    let (row_wrong, sums) = match p.several_tiles() {
        true => over_tiles(m, rows, row, sums, p)?,
        false => (row.wrong, sums),
    };
    let scale = match p.scales {
        MatrixScales::Tensor => settings.scale.map(|scale| rows.constant(scale)),
        _ => flags.scale,
    };
    let sums = match scale {
        Some(scale) => sums.into_iter().map(|sum| times(m, scale.meet(sum), sum)).collect::<Result<Vec<_>, _>>()?,
        None => sums,
    };
    let product = Vector::of(sums);
    let comes = row.comes.meet(product[0]);
    let [first_row, last_across, last] = [flags.first_row, flags.last_across, flags.last].map(|x| x.meet(product[0]));
    let [wrong, row_wrong] = [row.wrong, row_wrong].map(|wrong| wrong.map(|x| x.meet(product[0])));
    let products = rows.leave(RowProducts { product, wrong: row_wrong, last });
    let (comes, first_row, last_across) = rows.leave((comes, first_row, last_across));
    let wrong = wrong.map(|wrong| rows.leave(wrong));
    Ok(Added { comes, first_row, wrong, found: comes & last_across, products })
}

/// Multiplies, and adds the products of each row of a tile.
#[module]
fn over_beats(
    m: Module,
    rows: Pipeline,
    (comes, x): (Signal, Values),
    settings: Settings,
    p: MatrixParams,
) -> Result<(Row, Vec<Signal>), Errors> {
    let flags = x.flags;
    let mut sums = vec![];
    for numbers in x.numbers {
        for values in x.values {
            sums.push(dot(m, values, numbers, p)?);
        }
    }
    let ahead = Term { comes, number: flags.number, ends: flags.ends };
    let term = ahead.meet(sums[0]);
    let wrong = x.wrong.map(|wrong| {
        let of_beat = wrong.meet(sums[0]);
        let before = rows.state(m.reg(bits(1)).comment("an index of the row has no entry"), of_beat);
        let wrong = of_beat | (before & term.number.any());
        m.when(term.comes, || before.set(wrong));
        wrong
    });
    let (term, sums) = sums_of_terms(m, rows, ahead, sums, p.levels())?;
    let comes = rows.valid(term.comes & term.ends);
    let sums = match settings.ratio {
        Some(ratio) => joined(m, sums, rows.constant(ratio))?,
        None => sums,
    };
    let row = Row { comes: comes.meet(sums[0]), flags: flags.meet(sums[0]), wrong: wrong.map(|x| x.meet(sums[0])) };
    Ok((row, sums))
}

/// The products of values and numbers, added up.
#[module]
fn dot(m: Module, values: Vector<Signal>, numbers: Vector<Signal>, p: MatrixParams) -> Result<Signal, Errors> {
    let product = |(value, number): (Signal, Signal)| match p.is_lattice() {
        true => {
            let multiplier = m.instance(&times_quarters()?);
            multiplier.quarters.set(value);
            multiplier.x.set(number);
            Ok(multiplier.y)
        }
        false => {
            // a sum of entries may be infinite
            let multiplier = m.instance(&times_prepared(p.residuals() == 1)?);
            multiplier.x.set(number);
            multiplier.value.set(value);
            Ok(multiplier.y)
        }
    };
    let products = values.into_iter().zip(numbers).map(product);
    let products = products.collect::<Result<Vec<_>, Errors>>()?;
    let lanes = p.beat_columns();
    let sum = m.instance(&tree(BINARY16, Subnormals::Keep, lanes, tree::natural(lanes))?);
    Ok(sum_of_all(m, &sum, Vector::of(products).pack()))
}

/// `a * b`, some cycles later.
#[module]
fn times(m: Module, a: Signal, b: Signal) -> Result<Signal, Errors> {
    let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    Ok(product_of(m, &unit, a, b))
}

/// The sums of first points, with those of second ones times the ratio.
#[module]
fn joined(m: Module, sums: Vec<Signal>, ratio: Signal) -> Result<Vec<Signal>, Errors> {
    let adder = adder()?;
    let join = |pair: &[Signal]| {
        let second = times(m, ratio.meet(pair[1]), pair[1])?;
        Ok(sum_of(m, &adder, pair[0].meet(second), second))
    };
    sums.chunks(2).map(join).collect()
}

/// A row of a tile.
#[derive(Clone, Copy)]
struct Row {
    comes: Signal,
    flags: Flags,
    wrong: Option<Signal>,
}

/// Adds the sums of a row's tiles, from left to right; tells whether an index of one of these has no entry.
#[module]
fn over_tiles(
    m: Module,
    rows: Pipeline,
    row: Row,
    sums: Vec<Signal>,
    p: MatrixParams,
) -> Result<(Option<Signal>, Vec<Signal>), Errors> {
    m.section("sums of the tiles before");
    let Row { comes, flags, wrong } = row;
    let counter = rows.state(m.reg(bits(p.row_bits())).comment("the row that comes next"), comes);
    let number = flags.first_row.mux(counter.zeros(p.row_bits()), counter);
    m.when(comes, || counter.set(number + 1));
    let numbers = vector(bits(16), p.vectors as usize);
    let kept = Kept { wrong: wrong.map(|_| bits(1)), sums: numbers };
    let memory = m.memory(kept, 1 << p.row_bits()).style(RamStyle::Block).feedback();
    memory.attribute("no_rw_check", ""); // no row is read while it is written, but for what is not used
    let read: Kept = memory.read_sync(number);
    let before = m.reg(read.shape()); // block RAM is slow
    before.set(read);
    let first = flags.first_across.meet(read.sums[0]);
    m.when(first, || before.sums.into_iter().for_each(|sum| sum.set(NOTHING))); // that is a reset of its flip-flops
    let first = first.next();
    let adder = adder()?;
    let add = |(sum, before): (Signal, Signal)| sum_of(m, &adder, before, sum.meet(before));
    let sums: Vec<Signal> = sums.into_iter().zip(before.sums).map(add).collect();
    let wrong = wrong.zip(before.wrong).map(|(wrong, before)| wrong.meet(before) | (before & !first));
    let wrong = wrong.map(|wrong| wrong.meet(sums[0]));
    let writes = comes.meet(sums[0]) & !flags.last_across.meet(sums[0]);
    memory.write(number.meet(sums[0]), Kept { wrong, sums: Vector::of(sums.clone()) }, writes);
    Ok((wrong, sums))
}

/// What is kept of a row from tile to tile.
#[derive(Clone, Copy, Bundle)]
struct Kept {
    /// An index has no entry.
    wrong: Option<Signal>,
    sums: Vector<Signal>,
}

//! A lane of sums of weights: each index has a sum, to which the weight of its token is added.
//!
//! | port | |
//! | --- | --- |
//! | `item` | an addition to one of the numbers of a row, or a row that is taken out and left as zeros |
//! | `weight` | what is added, [`READ`] cycles behind its item; 0 with a row that is taken |
//! | `row` | the numbers of a row that is taken, [`READ`] cycles behind its item, else zeros; each with a bit in front: something was added to it |
//!
//! - Parameters: numbers of a row, a power of two; rows, 2 or more.
//! - An item a cycle. A number that is added to is not looked at for [`BUSY`] cycles, but by the addition [`AGAIN`] cycles later, whose
//!   item says `again`. No combinational paths.

use super::join_pairs::{adder_but_last, sum_of};
use crate::float::add;
use hdl::*;

/// Cycles from an item to its number.
pub const READ: u32 = 2;
/// An addition to the same number may begin so many cycles later, with `again`: the adder has a register less, and what is added to one more.
pub const AGAIN: u32 = add::NATURAL;
/// Cycles in which a number is on its way: an item that comes so much later finds it in its row.
pub const BUSY: u32 = READ + add::NATURAL + 1;
/// Bits of a number in a row.
pub const NUMBER_BITS: u32 = 17;

/// The parameters of a lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneParams {
    /// Numbers of a row: a power of two.
    pub numbers: u32,
    /// Rows.
    pub rows: u32,
}

/// What a lane does.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct LaneItem {
    /// A weight is added.
    pub adds: Signal,
    /// A row is taken.
    pub takes: Signal,
    /// Which row.
    pub row: Signal,
    /// The number of the row that is added to.
    pub number: Signal,
    /// It is the number of [`AGAIN`] cycles before.
    pub again: Signal,
}

/// The shape of what a lane does.
pub fn lane_item(p: LaneParams) -> LaneItem {
    let (row, number) = (bits(clog2(p.rows as usize)), bits(clog2(p.numbers as usize)));
    LaneItem { adds: bits(1), takes: bits(1), row, number, again: bits(1) }
}

ports! {
    /// Ports of a lane.
    pub struct AccumulatorLanePorts(p: LaneParams) {
        /// What it does.
        input item: LaneItem = lane_item(p),
        /// What is added.
        input weight: Signal = bits(16),
        /// What was taken.
        output row: Vector<Signal> = vector(bits(NUMBER_BITS), p.numbers as usize),
    }
}

/// A lane of sums of weights.
#[module]
pub fn accumulator_lane(p: LaneParams) -> Result<Design<AccumulatorLanePorts>, Errors> {
    let LaneParams { numbers, rows } = p;
    let name = format!("accumulator_lane_{rows}x{numbers}");
    if !numbers.is_power_of_two() || rows < 2 {
        let help = "numbers a power of two, and rows from 2 on";
        return Err(Errors::parameter(&name, format!("{rows} rows of {numbers} numbers"), help));
    }
    let m = Module::new(name);
    m.doc("Sums of weights in block RAM: an addition to any number in every cycle, and rows that are taken out.");
    let io = AccumulatorLanePorts::new(m, p);

    m.section("a row is read");
    let items = m.pipeline("items");
    let (adds, takes) = (items.enter_valid(io.item.adds), items.enter_valid(io.item.takes));
    // of an item that adds nothing, as one is that a reset has dropped, it means nothing
    let item = items.enter(LaneItem { again: io.item.again & io.item.adds, ..io.item });
    let sums = m.memory(bits(numbers * NUMBER_BITS), rows as usize).style(RamStyle::Block).feedback();
    sums.attribute("no_rw_check", ""); // what is written is not read in that cycle, or `again` stands for it
    let words = sums.read_sync(item.row).lanes(NUMBER_BITS);
    let taken = takes.next();
    let row = m.reg(vector(bits(NUMBER_BITS), numbers as usize));
    let number = Vector::of(words.iter().map(|word| word.trunc(16))).at(item.number.next());
    let back = items.feedback(m.wire(bits(16)), number);
    // chosen in front of a register: in front of the adder the choice is part of its first stage
    let added_to = m.reg(bits(16)).comment("what the weight is added to");
    row.set(Vector::of(words));
    added_to.set(item.again.next().mux(back, number));
    m.when(!taken, || row.into_iter().for_each(|number| number.set(0))); // that is a reset of its flip-flops
    m.when(taken, || added_to.set(0));
    io.row.set(items.leave(row));

    m.section("the weight is added");
    let weight = items.enter_at(READ, io.weight);
    let rounded = sum_of(m, &adder_but_last()?, added_to, weight);
    back.set(rounded);
    let sum = rounded.next();
    let (adds, takes, to, number) = (adds.meet(sum), takes.meet(sum), item.row.meet(sum), item.number.meet(sum));
    let word: Vec<Signal> = (0..numbers).map(|_| adds.cat(sum)).collect();
    let enables = (0..numbers).map(|i| if numbers == 1 { adds | takes } else { (adds & number.eq(i)) | takes });
    sums.write_lanes(to, cat(&word), Vector::of(enables).pack());
    m.finish(io)
}

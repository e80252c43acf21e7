//! The lanes: the weight of a token is added to the sums of its indices.

use super::super::accumulator_lane::{self, AccumulatorLanePorts, LaneItem, accumulator_lane};
use super::super::delay::{delayed, delayed_valid};
use super::super::passing_books::Passing;
use super::super::table_types::*;
use super::rows::RowItem;
use super::types::{Phase, ValuesParams};
use crate::float::format::{BINARY16, Subnormals};
use crate::float::multiply;
use hdl::logic::first_one;
use hdl::*;

/// Sets all sums to zero: which row in this cycle, and that all are so.
#[module]
pub(super) fn clear(m: Module, phase: StateSignal<Phase>, rows: u32) -> ((Signal, Signal), Signal) {
    let row = m.reg_reset(bits(clog2(rows as usize)), 0).comment("the row that is set to zero");
    let swept = m.reg_reset(bits(1), 0).comment("the last one was");
    let waited = m.reg_reset(bits(clog2(accumulator_lane::BUSY as usize + 1)), 0);
    let clears = phase.is(Phase::Clear) & !swept;
    m.when(clears, || {
        row.set(row + 1);
        m.when(row.eq(rows - 1), || {
            row.set(0);
            swept.set(1);
        });
    });
    m.when(swept, || waited.set(waited + 1));
    let cleared = waited.eq(accumulator_lane::BUSY);
    m.when(cleared, || {
        swept.set(0);
        waited.set(0);
    });
    ((clears, row), cleared)
}

/// The weight of a token, times its scale, with what belongs to it.
#[module]
fn scaled(m: Module, item: RowItem) -> Result<RowItem, Errors> {
    let Some(scale) = item.scale else { return Ok(item) };
    let unit = multiply::multiply(BINARY16, Subnormals::Keep, multiply::NATURAL)?;
    let product = m.instance(&unit);
    product.in_valid.set(item.comes);
    product.a.set(item.weight);
    product.b.set(scale);
    let later = delayed(m, item, multiply::NATURAL);
    Ok(RowItem { comes: product.out_valid, weight: product.y, scale: None, ..later })
}

/// The lanes, and where an index was beyond what any book has.
pub(super) struct Lanes {
    pub(super) lanes: Vec<Instance<AccumulatorLanePorts>>,
    pub(super) beyond: Option<(Signal, Signal)>,
}

/// The lanes: weights are added, and the rows of the lane whose book passes are taken out, [`READ`](accumulator_lane::READ) cycles later.
#[module]
pub(super) fn add_weights(
    m: Module,
    item: RowItem,
    passing: Passing,
    (clears, clearing): (Signal, Signal),
    p: ValuesParams,
) -> Result<Lanes, Errors> {
    m.section("weights are added to their entries' sums");
    let kept = m.reg(item.shape());
    let comes = m.reg_reset(bits(1), 0).comment("a word of a row is there");
    kept.set(item);
    comes.set(item.comes);
    let kept = RowItem { comes, ..kept };
    let same: Vec<Signal> = match kept.again {
        None => vec![m.lit(0u32, 1); LANES as usize],
        Some(again) => {
            let before = delayed(m, kept.data, accumulator_lane::AGAIN);
            let pairs = kept.data.lanes(INDEX_BITS).into_iter().zip(before.lanes(INDEX_BITS));
            pairs.map(|(index, before)| again & index.eq(before)).collect()
        }
    };
    let beyond = beyond(m, kept, p);
    let delay = if p.scaled { multiply::NATURAL } else { 0 };
    let same = delayed(m, Vector::of(same), delay);
    let item = scaled(m, kept)?;
    let first = delayed(m, item.weight, accumulator_lane::READ - 1);
    let weight = m.reg(bits(16));
    weight.set(first);
    m.when(!delayed_valid(m, item.comes, accumulator_lane::READ - 1), || weight.set(0)); // a row that is taken becomes zero
    let takes = passing.comes | clears;
    let passing_row = match p.table.beats() {
        1 => passing.word,
        _ => passing.position.drop_low(LANES.ilog2()).cat(passing.word),
    };
    let row_taken = clears.mux(clearing, passing_row);
    let unit = accumulator_lane(p.lane())?;
    let mut lanes = vec![];
    for (number, (index, again)) in item.data.lanes(INDEX_BITS).into_iter().zip(same).enumerate() {
        let of_lane = passing.position.trunc(LANES.ilog2()).eq(number as u32);
        let (row, place) = place_of(m, index, item, p);
        let lane = m.instance(&unit);
        lane.item.set(LaneItem {
            adds: item.comes,
            takes: (passing.comes & of_lane) | clears,
            row: takes.mux(row_taken, row),
            number: place,
            again,
        });
        lane.weight.set(weight);
        lanes.push(lane);
    }
    Ok(Lanes { lanes, beyond })
}

/// Whether an index of a row is beyond what any book has, and the first position where it is so.
#[module]
fn beyond(m: Module, item: RowItem, p: ValuesParams) -> Option<(Signal, Signal)> {
    let entry_bits = p.table.entry_bits();
    if entry_bits == INDEX_BITS {
        return None;
    }
    let high = item.data.lanes(INDEX_BITS).into_iter().map(|index| index.drop_low(entry_bits).any());
    let first = first_one(Vector::of(high).pack());
    let beyond = m.reg_reset(bits(1), 0).comment("an index is beyond what any book has");
    let position = m.reg(bits(p.table.position_bits()));
    beyond.set(item.comes & first.any);
    position.set(item.beat.map_or(first.index, |beat| beat.cat(first.index)));
    Some((beyond, position))
}

/// The row of an index, and the place in it: the entry in its word of the book, the copy.
#[module]
fn place_of(m: Module, index: Signal, item: RowItem, p: ValuesParams) -> (Signal, Signal) {
    let low = p.table.entries_of_word().ilog2();
    let entry = index.trunc(p.table.entry_bits());
    let row = if low == 0 { entry } else { entry.drop_low(low) };
    let row = item.beat.map_or(row, |beat| beat.cat(row));
    let place = match (low, item.copy) {
        (0, Some(copy)) => copy,
        (0, None) => m.lit(0u32, 1),
        (low, Some(copy)) => entry.trunc(low).cat(copy),
        (low, None) => entry.trunc(low),
    };
    (row, place)
}

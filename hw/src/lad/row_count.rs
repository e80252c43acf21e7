//! Counts an interval in a row of counters, and compares it with the mode's count (docs/lad.md, section 7, step 9).
//!
//! | port | |
//! | --- | --- |
//! | `advance` | 0: all of it stands |
//! | `row` | counters of 16 bits, that of interval 0 in the low bits; the mode's is not looked at |
//! | `mode`, `interval` | two different ones |
//! | `age` | steps that the position has seen, two's complement |
//! | `counted` | the row with the interval's counter one higher |
//! | `mode_count` | the age less the sum of the other counters |
//! | `more` | the interval's counter is now above that |
//! | `bad` | there is no such row: the other counters are more than the age, or `mode` is no interval. The rest means nothing |
//!
//! - Parameter: `intervals`, 4 to 16. Latency: [`LATENCY`] cycles. One row a cycle. No combinational paths.
//! - No counter overflows unseen: one of 65,535 that goes up is more than any age, so the row is bad.

use super::apid_types::{MAX_POSITIONS, MODE_BITS};
use super::interval_search::INTERVALS;
use hdl::logic::{mux1h, one_hot};
use hdl::*;

/// Cycles.
pub const LATENCY: u32 = 4;
/// Bits of a counter.
pub const COUNTER_BITS: u32 = 16;
/// Bits of an age with its sign.
pub const AGE_BITS: u32 = MAX_POSITIONS.ilog2() + 2;

ports! {
    /// Ports of a row's count.
    pub struct RowCountPorts(intervals: u32) {
        /// It does not stand.
        input advance: Signal = bits(1),
        /// The counters.
        input row: Signal = bits(COUNTER_BITS * intervals),
        /// The mode.
        input mode: Signal = bits(MODE_BITS),
        /// What is counted.
        input interval: Signal = bits(MODE_BITS),
        /// Steps that the position has seen.
        input age: Signal = bits(AGE_BITS),
        /// The counters with it.
        output counted: Signal = bits(COUNTER_BITS * intervals),
        /// How often the mode was met.
        output mode_count: Signal = bits(COUNTER_BITS),
        /// The interval was met more often.
        output more: Signal = bits(1),
        /// There is no such row.
        output bad: Signal = bits(1),
    }
}

/// A row's count.
#[module]
pub fn row_count(intervals: u32) -> Result<Design<RowCountPorts>, Errors> {
    let name = format!("row_count_{intervals}");
    if !INTERVALS.contains(&intervals) {
        let what = format!("intervals = {intervals} is out of range");
        return Err(Errors::parameter(&name, what, "from 4 to 16: a mode has 4 bits, and fewer lines are too coarse"));
    }
    let m = Module::new(name);
    m.doc("Counts an interval in a row of counters, and compares it with the mode's count.");
    m.latency(LATENCY);
    let io = RowCountPorts::new(m, intervals);
    let pipeline = m.pipeline_enabled("count", io.advance);
    let (row, mode, interval, age) = pipeline.enter((io.row, io.mode, io.interval, io.age));
    // the sum of all counters but one, and one more
    let sum_bits = COUNTER_BITS + clog2(intervals as usize);

    m.section("the counters other than the mode's by fours, and that of the interval");
    let counters = row.lanes(COUNTER_BITS);
    let of_mode = one_hot(mode, 1 << MODE_BITS).trunc(intervals);
    let of_interval = one_hot(interval, 1 << MODE_BITS).trunc(intervals);
    let others = counters.iter().zip(0..).map(|(counter, i)| *counter & !of_mode.bit(i).repeat(COUNTER_BITS));
    let others: Vec<Signal> = others.collect();
    let fours: Vec<Signal> = others.chunks(4).map(|four| sum(four, sum_bits).next()).collect();
    let old = mux1h(of_interval, &counters).next();
    let no_mode = (!of_mode.any()).next();

    m.section("their sum with the interval's new count in it");
    let total = (sum(&fours, sum_bits) + 1).next();
    let new = (old.zext(COUNTER_BITS + 1) + 1).next();

    m.section("the mode's count, and both counts together; the new count at its place");
    let age = age.meet(total).sext(sum_bits + 1);
    let mode_count = (age - total.zext(sum_bits + 1)).next();
    let both = (total.zext(sum_bits + 1) + new.zext(sum_bits + 1)).next();
    let (row, of_interval) = (row, of_interval).meet(new);
    let places = row.lanes(COUNTER_BITS).into_iter().zip(0..);
    let places = places.map(|(counter, i)| of_interval.bit(i).mux(new.trunc(COUNTER_BITS), counter));
    let counted = Vector::of(places).pack().next();

    m.section("the comparison");
    let age = age.next();
    let more = both.gt_signed(age).next();
    let bad = (mode_count.msb() | no_mode.meet(mode_count)).next();
    io.counted.set(pipeline.leave(counted.next()));
    io.mode_count.set(pipeline.leave(mode_count.trunc(COUNTER_BITS).next()));
    io.more.set(pipeline.leave(more));
    io.bad.set(pipeline.leave(bad));
    m.finish(io)
}

/// A sum in so many bits, as a balanced tree.
#[module]
fn sum(terms: &[Signal], width: u32) -> Signal {
    match terms {
        [term] => term.zext(width),
        _ => {
            let (low, high) = terms.split_at(terms.len() / 2);
            sum(low, width) + sum(high, width)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::golden::lad::{Counters, count, mode_count};
    use ::sim::lad_md_bench::random_row;
    use fastrand::Rng;
    use hdl::BigUint;
    use hdl::engine::Engine;
    use std::collections::VecDeque;

    type Case = (Counters, u8, u8, usize);

    fn pack(row: &Counters, intervals: usize) -> BigUint {
        let bytes: Vec<u8> = row[..intervals].iter().flat_map(|counter| counter.to_le_bytes()).collect();
        BigUint::from_bytes_le(&bytes)
    }

    #[test]
    fn counts_are_those_of_the_model() {
        let (mut ties, mut bad) = (0, 0);
        for intervals in [4, 5, 8, 16] {
            let design = row_count(intervals).unwrap();
            let mut sim = jit::simulator(&design);
            let io = &design.ports;
            let mut rng = Rng::with_seed(::sim::bus::run_seed(intervals.into()));
            let mut due: VecDeque<Case> = VecDeque::new();
            for _ in 0..20_000 {
                let mode = rng.u8(0..intervals as u8);
                let interval = (mode + rng.u8(1..intervals as u8)) % intervals as u8;
                let age = [65_535, rng.usize(0..40), rng.usize(1..=65_535)][rng.usize(0..3)];
                let mut row = random_row(&mut rng, intervals as usize, (mode, interval), age);
                if rng.u8(0..20) == 0 {
                    row[usize::from(interval)] =
                        [u16::MAX, row[usize::from(interval)].saturating_add(1)][rng.usize(0..2)];
                }
                let advance = rng.u8(0..8) > 0;
                sim.poke(io.advance, u64::from(advance));
                sim.poke_big(io.row, &pack(&row, intervals as usize));
                sim.poke(io.mode, u64::from(mode));
                sim.poke(io.interval, u64::from(interval));
                sim.poke(io.age, age as u64);
                sim.step();
                if !advance {
                    continue;
                }
                due.push_back((row, mode, interval, age));
                if due.len() < LATENCY as usize {
                    continue;
                }
                let (mut row, mode, interval, age) = due.pop_front().expect("it was sent");
                let Some(more) = count(&mut row, mode, interval, age) else {
                    bad += 1;
                    assert_eq!(sim.peek(io.bad), 1, "{row:?}, age {age}");
                    continue;
                };
                let of_mode = mode_count(&row, mode, age).expect("a row that was counted");
                ties += u32::from(row[usize::from(interval)] == of_mode);
                let got = [sim.peek(io.bad), sim.peek(io.more), sim.peek(io.mode_count)];
                assert_eq!(
                    got,
                    [0, more.into(), of_mode.into()],
                    "{row:?}, mode {mode}, interval {interval}, age {age}"
                );
                assert_eq!(sim.peek_big(io.counted), pack(&row, intervals as usize));
            }
        }
        assert!(ties > 100 && bad > 100, "{ties} ties, {bad} bad rows");
    }

    #[test]
    fn a_mode_that_is_no_interval_is_bad() {
        let design = row_count(5).unwrap();
        let mut sim = jit::simulator(&design);
        let io = &design.ports;
        sim.poke(io.advance, 1);
        sim.poke_big(io.row, &BigUint::default());
        sim.poke(io.interval, 1);
        sim.poke(io.age, 100);
        for mode in 0..16u64 {
            sim.poke(io.mode, mode);
            (0..LATENCY).for_each(|_| sim.step());
            assert_eq!(sim.peek(io.bad), u64::from(mode >= 5), "mode {mode}");
        }
    }
}

//! Zero-remove shifter: moves the entries of a beat's outliers together, in order (the paper's section 5.2 and figure 9a).
//!
//! Each entry moves down by the number of lanes below it without one. The distance is sent along and worked off bit by bit,
//! lowest first; two entries never meet, because of two neighbours the lower one's distance is at most as large. A stage of
//! the engine's pipeline for the counts (three with more than 16 lanes) and one for every two levels of the network.

use hdl::logic::popcount;
use hdl::*;

/// `entries[i]` is there when `present[i]` is 1. The entries that are there, moved together, and how many they are (known some
/// stages earlier); the places behind them hold anything.
#[module]
pub fn compact(entries: &[Signal], present: &[Signal]) -> (Vec<Signal>, Signal) {
    let lanes = entries.len();
    if lanes == 1 {
        return (vec![entries[0].next()], present[0].next());
    }
    // how many lanes below are empty, and how many entries there are
    let empty: Vec<Signal> = present.iter().map(|p| !*p).collect();
    let distance = before_each(&empty);
    let total = count(present);

    let mut slots: Vec<(Signal, Signal)> = entries.iter().map(|e| e.meet(total)).zip(distance).collect();
    for level in 0..clog2(lanes) {
        slots = (0..lanes).map(|i| shift(&slots, i, level)).collect();
        if level % 2 == 1 || level + 1 == clog2(lanes) {
            slots = slots.into_iter().map(|s| s.next()).collect();
        }
    }
    (slots.into_iter().map(|s| s.0).collect(), total)
}

/// Slot `i` after a level: what comes from `2^level` above if that has to move by it, else what is there.
fn shift(slots: &[(Signal, Signal)], i: usize, level: u32) -> (Signal, Signal) {
    match slots.get(i + (1 << level)) {
        Some(above) => above.1.bit(level).mux(*above, slots[i]),
        None => slots[i],
    }
}

/// Bits that are counted in one stage.
const GROUP: usize = super::types::GROUP as usize;

/// The number of ones: a stage later, or some with more than `GROUP` bits.
#[module]
pub fn count(bits: &[Signal]) -> Signal {
    if bits.len() > GROUP {
        return in_stages(bits).1;
    }
    ones(bits, clog2(bits.len() + 1)).next()
}

/// The number of ones before each bit: a stage later, or some with more than `GROUP` bits.
#[module]
fn before_each(bits: &[Signal]) -> Vec<Signal> {
    if bits.len() > GROUP { in_stages(bits).0 } else { in_group(bits, clog2(bits.len() + 1)) }
}

/// The number of ones before each bit, a stage later.
#[module]
fn in_group(bits: &[Signal], width: u32) -> Vec<Signal> {
    (0..bits.len()).map(|i| if i == 0 { bits[0].zeros(width) } else { ones(&bits[..i], width) }.next()).collect()
}

/// What a stage puts together: bits, and then groups of them.
const TOGETHER: usize = 4;

/// The same in some stages, each for groups of [`TOGETHER`] times as many bits.
#[module]
fn in_stages(bits: &[Signal]) -> (Vec<Signal>, Signal) {
    let width = clog2(TOGETHER + 1);
    let group = |bits: &[Signal]| (in_group(bits, width), ones(bits, width).next());
    let mut groups: Vec<_> = bits.chunks(TOGETHER).map(group).collect();
    while groups.len() > 1 {
        groups = groups.chunks(TOGETHER).map(merged).collect();
    }
    groups.remove(0)
}

/// Some groups as one, a stage later.
#[module]
fn merged(groups: &[(Vec<Signal>, Signal)]) -> (Vec<Signal>, Signal) {
    let totals: Vec<Signal> = groups.iter().map(|group| group.1).collect();
    let bits: usize = groups.iter().map(|group| group.0.len()).sum();
    let width = clog2(bits + 1);
    let behind = |(at, group): (usize, &(Vec<Signal>, Signal))| -> Vec<Signal> {
        group.0.iter().map(|own| sum(&[&[*own], &totals[..at]].concat(), width).next()).collect()
    };
    (groups.iter().enumerate().flat_map(behind).collect(), sum(&totals, width).next())
}

/// The sum of some numbers, one at least.
fn sum(numbers: &[Signal], width: u32) -> Signal {
    match numbers {
        [x] => x.zext(width),
        _ => {
            let (low, high) = numbers.split_at(numbers.len() / 2);
            sum(low, width) + sum(high, width)
        }
    }
}

/// The number of ones of some bits, in `width` bits.
fn ones(bits: &[Signal], width: u32) -> Signal {
    let bits: Vec<Signal> = bits.iter().rev().copied().collect();
    popcount(cat(&bits)).zext(width)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use hdl::engine::Engine;

    ports! {
        struct CompactPorts(lanes: u32) {
            input entries: Signal = bits(7 * lanes),
            input present: Signal = bits(lanes),
            output together: Signal = bits(7 * lanes),
            output total: Signal = bits(clog2(lanes as usize + 1)),
        }
    }

    fn network(lanes: u32) -> Design<CompactPorts> {
        let m = Module::new("compact");
        let io = CompactPorts::new(m, lanes);
        let p = m.pipeline("compact");
        let (packed, total) = compact(&p.enter(io.entries).lanes(7), &p.enter(io.present).lanes(1));
        let total = total.meet(packed[0]);
        let packed: Vec<Signal> = packed.into_iter().rev().map(|x| p.leave(x)).collect();
        io.together.set(cat(&packed));
        io.total.set(p.leave(total));
        m.finish(io).unwrap_or_else(|e| panic!("{e}"))
    }

    #[test]
    fn entries_that_are_there_move_together_in_order() {
        let mut rng = Rng::with_seed(::sim::bus::seed(1));
        for lanes in [1u32, 2, 4, 8, 16, 64] {
            let design = network(lanes);
            let mut sim = jit::simulator(&design);
            let all = if lanes > 8 { 0 } else { 1u64 << lanes };
            let random: Vec<u64> = (0..500).map(|_| rng.u64(..) >> (64 - lanes)).collect();
            for mask in (0..all).chain(random) {
                let entries: Vec<u64> = (0..lanes).map(|_| rng.u64(0..128)).collect();
                let word = entries.iter().rev().fold(BigUint::default(), |sum, e| (sum << 7) | BigUint::from(*e));
                sim.poke_big(0, &word);
                sim.poke(1, mask);
                (0..10).for_each(|_| sim.step());
                let expected: Vec<u64> =
                    (0..lanes).filter(|i| mask >> i & 1 == 1).map(|i| entries[i as usize]).collect();
                let packed = sim.peek_big(2);
                let got: Vec<u64> = (0..expected.len())
                    .map(|i| ((&packed >> (7 * i)) & BigUint::from(127u32)).iter_u64_digits().next().unwrap_or(0))
                    .collect();
                assert_eq!(
                    (got, sim.peek(3)),
                    (expected.clone(), expected.len() as u64),
                    "{lanes} lanes, mask {mask:#x}"
                );
            }
        }
    }
}

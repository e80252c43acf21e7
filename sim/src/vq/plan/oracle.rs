//! The search against an exhaustive one that shares nothing with it but the costs: every combination of every choice, of which a predicate written from
//! docs/vq-plan.md and the ranges of the units' parameters keeps the legal ones.

use super::*;
use crate::bus::seed;
use crate::golden::vq::Algorithm;
use fastrand::Rng;

/// Whether units can be built so, and can share the task so.
fn is_legal(task: &Task, m: &Machine) -> bool {
    let powers = [1usize, 2, 4, 8, 16, 32, 64, 128];
    let shared = m.units.is_multiple_of(m.together) && m.together.is_multiple_of(m.split);
    let side_by_side = |asked: usize| m.queries <= 4 && m.queries <= asked;
    match task {
        Task::Attention(a) => {
            // parts of the positions are powers of two, as sums are trees, and a word of the bus has eight
            let part = a.head / a.vector() / m.split;
            let parts = m.split == 1 || (part * m.split * a.vector() == a.head && part >= 8 && powers.contains(&part));
            (m.way, m.store, m.lanes) == (Way::Table, Store::Streamed, 8) && side_by_side(a.queries) && shared && parts
        }
        Task::Matrix(x) => {
            let (bits, residuals, kept) = match x.algorithm {
                Algorithm::Gptvq2 => (8, 1, Store::Copies),
                Algorithm::Aqlm3 => (12, 2, Store::Pairs),
                _ => (16, 2, Store::Lattice),
            };
            let unit = match m.way {
                // the unit for scores
                Way::Table => x.algorithm == Algorithm::Gptvq2 && (m.store, m.lanes) == (Store::Streamed, 8),
                Way::Multiply => {
                    // a beat is in a word of the bus, and has an index of each residual
                    powers.contains(&m.lanes) && m.lanes * bits <= 64 && m.lanes >= residuals && m.store == kept
                }
            };
            // all units share the matrix: rows of all tiles, or whole tiles, of which each unit has one
            let (tall, wide) = if x.algorithm == Algorithm::Gptvq2 { (256, 256) } else { (x.rows, x.cols) };
            let tiles = x.rows.div_ceil(tall) * x.cols.div_ceil(wide);
            let dealt = m.together == m.units && (m.split == 1 || (m.split == m.units && tiles >= m.units));
            unit && side_by_side(x.batch) && dealt
        }
    }
}

/// Every legal machine and what it costs.
fn all(task: &Task, free: &Free) -> Vec<(Machine, Cost)> {
    let most = free.bus_bits / 64;
    let mut found = vec![];
    for units in 1..=most {
        for together in 1..=units {
            for split in 1..=together {
                for (lanes, queries) in (1..=8).flat_map(|lanes| (1..=4).map(move |queries| (lanes, queries))) {
                    for way in [Way::Multiply, Way::Table] {
                        for store in [Store::Lattice, Store::Pairs, Store::Copies, Store::Streamed] {
                            let machine = Machine { way, store, units, lanes, queries, together, split };
                            if is_legal(task, &machine) {
                                found.push((machine, cost(task, &machine)));
                            }
                        }
                    }
                }
            }
        }
    }
    found
}

/// From one to `most`, small ones as often as large ones.
fn any(rng: &mut Rng, most: usize) -> usize {
    ((most as f64 + 0.5).powf(rng.f64()).round() as usize).clamp(1, most)
}

fn any_task(rng: &mut Rng, algorithm: Algorithm) -> Task {
    let batch = any(rng, 16);
    let scheme = algorithm.scheme();
    match algorithm {
        Algorithm::Cq4 | Algorithm::Cq2 => {
            let [tokens, heads, queries] = [20_000, 8, 9].map(|most| any(rng, most));
            let head = scheme.vector * 8 * if rng.bool() { 1 << rng.u32(0..5) } else { rng.usize(1..=16) };
            Task::Attention(Attention { algorithm, tokens, head, heads, queries, batch })
        }
        _ => {
            // columns of a word of indices
            let step = if algorithm == Algorithm::QuipSharp4 { 16 } else { 64 };
            let (rows, cols) = (any(rng, 6000), step * any(rng, 4096 / step));
            Task::Matrix(Matrix { algorithm, rows, cols, batch })
        }
    }
}

fn any_free(rng: &mut Rng) -> Free {
    let [lut4, dp16kd, dsp] = [(2000, 120), (4, 60), (2, 80)].map(|(least, times)| least * rng.u32(1..=times));
    Free { area: Area { lut4, dp16kd, dsp }, bus_bits: 64 * any(rng, 8) }
}

#[test]
fn nothing_that_fits_is_better_than_the_plan() {
    let mut rng = Rng::with_seed(seed(21));
    let (mut planned, mut full, mut combinations) = (0, 0, 0);
    for round in 0..100 {
        for algorithm in Algorithm::ALL {
            let (task, free) = (any_task(&mut rng, algorithm), any_free(&mut rng));
            let case = format!("round {round}, {task:?}, {free:?}");
            let all = all(&task, &free);
            combinations += all.len();
            // fewest cycles, of these fewest LUT4, of these fewest bytes
            let rank = |c: &Cost| (c.cycles, c.area.lut4, c.bytes.books + c.bytes.indices + c.bytes.sums);
            let fits = |c: &Cost| {
                let (needed, there) = (c.area, free.area);
                needed.lut4 <= there.lut4 && needed.dp16kd <= there.dp16kd && needed.dsp <= there.dsp
            };
            let best = all.iter().map(|(_, cost)| cost).filter(|cost| fits(cost)).map(rank).min();
            match (plan(&task, &free), best) {
                (Ok(machine), Some(best)) => {
                    let found = cost(&task, &machine);
                    assert!(fits(&found) && is_legal(&task, &machine), "{case}: {machine:?}, {found:?}");
                    assert_eq!(rank(&found), best, "{case}: {machine:?}");
                    planned += 1;
                }
                (Err(PlanError::Full { smallest, .. }), None) => {
                    let least = all.iter().map(|(_, cost)| cost.area.lut4).min().unwrap();
                    assert_eq!(smallest.lut4, least, "{case}");
                    full += 1;
                }
                (found, best) => panic!("{case}: {found:?}, and exhaustively {best:?}"),
            }
        }
    }
    println!("{planned} plans and {full} without room, of {combinations} machines");
    assert!(planned > 200 && full > 50, "{planned} plans, {full} without room");
}

/// What is listed is what is legal: each once, none left out.
#[test]
fn all_machines_are_listed() {
    let mut rng = Rng::with_seed(seed(22));
    for algorithm in Algorithm::ALL.into_iter().cycle().take(100) {
        let (task, free) = (any_task(&mut rng, algorithm), any_free(&mut rng));
        let [mut listed, mut legal] =
            [machines(&task, &free), all(&task, &free).into_iter().map(|(machine, _)| machine).collect()]
                .map(|machines: Vec<Machine>| machines.iter().map(|m| format!("{m:?}")).collect::<Vec<_>>());
        listed.sort();
        legal.sort();
        assert_eq!(listed, legal, "{task:?}, {free:?}");
    }
}

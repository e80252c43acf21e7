//! Units that work by table on vector-quantized data.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::vq::encoder::encoder;
use hw::vq::products::products;
use hw::vq::scores::{ScoresParams, scores};
use hw::vq::table_types::TableParams;
use hw::vq::values::{ValuesParams, values};
use sim::bus::Stalls;
use sim::vq_benches::command_feed::{Until, stops};
use sim::vq_benches::table::{
    EncoderBench, ProductsBench, ScoresBench, ValuesBench, random_encoding, random_job, random_values_job,
};

/// Runs of some commands each, the second one without stalls. But for the first, each has resets somewhere in other commands, and some behind these: `run` is
/// told how many commands there are and after how many cycles it is stopped, if it is, and gives those that it took.
fn rounds(
    effort: Effort,
    mut run: impl FnMut(&mut Rng, [Stalls; 6], u64, (usize, Option<u64>)) -> Result<u64, String>,
) -> Result<(), String> {
    let mut cycles = 0;
    let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
    for round in 0..if effort.long { 60 } else { 10 } {
        let seed = 1000 * effort.seed + round;
        let mut rng = Rng::with_seed(seed);
        let of_port = [(); 6].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
        let stops = stops(&mut rng, cycles);
        let mut run = |number, stop| {
            run(&mut rng, of_port, seed, (number, stop)).map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))
        };
        for stop in stops {
            run(8, Some(stop))?;
            run(2, None)?;
        }
        cycles = run(8, None)?;
    }
    Ok(())
}

/// A product pipeline.
pub fn products_driver(name: impl Into<String>, p: TableParams) -> Driver {
    let design = build(products(p, false));
    let bench = ProductsBench::of(&design, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, [a, b, c, d, ..], seed, (number, stop)| {
            let commands: Vec<_> = (0..number).map(|_| random_job(&bench.unit, rng, false).command).collect();
            match stop {
                Some(cycles) => bench.stop(engine, &commands, [a, b, c, d], seed, cycles).map(|()| 0),
                None => bench.run(engine, &commands, [a, b, c, d], seed).map(|times| times.end()),
            }
        })
    })
}

/// An encoder.
pub fn encoder_driver(name: impl Into<String>, p: TableParams) -> Driver {
    let design = build(encoder(p));
    let bench = EncoderBench::of(&design, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, [a, b, c, d, e, _], seed, (number, stop)| {
            let command = |i: usize| random_encoding(&bench.unit, rng, i.is_multiple_of(3), i.is_multiple_of(2));
            let commands: Vec<_> = (0..number).map(command).collect();
            let stalls = [a, b, c, d, e];
            match stop.map(Until::Cycles) {
                Some(until) => bench.play(engine, &commands, stalls, seed, until).map(|_| 0),
                None => bench.run(engine, &commands, stalls, seed).map(|times| times.end()),
            }
        })
    })
}

/// Scores by table.
pub fn scores_driver(name: impl Into<String>, p: ScoresParams) -> Driver {
    let design = build(scores(p));
    let bench = ScoresBench::of(&design, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed, (number, stop)| {
            let jobs: Vec<_> = (0..number).map(|_| random_job(&bench.unit, rng, true)).collect();
            match stop.map(Until::Cycles) {
                Some(until) => bench.play(engine, &jobs, &stalls, seed, until).map(|_| 0),
                None => bench.run(engine, &jobs, &stalls, seed).map(|times| times.end()),
            }
        })
    })
}

/// Values by table.
pub fn values_driver(name: impl Into<String>, p: ValuesParams) -> Driver {
    let design = build(values(p));
    let bench = ValuesBench::of(&design, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, [a, b, c, d, e, _], seed, (number, stop)| {
            let jobs: Vec<_> = (0..number).map(|_| random_values_job(&bench.unit, rng)).collect();
            let stalls = [a, b, c, d, e];
            match stop.map(Until::Cycles) {
                Some(until) => bench.play(engine, &jobs, stalls, seed, until).map(|_| 0),
                None => bench.run(engine, &jobs, stalls, seed).map(|times| times.end()),
            }
        })
    })
}

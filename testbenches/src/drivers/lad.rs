//! Parts of LAD attention.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::lad::apid::{ApidParams, apid};
use hw::lad::centres::{CentresParams, centres};
use hw::lad::md::{MdParams, md};
use hw::lad::scores::{ScoresParams, scores};
use hw::lad::sums::{SumsParams, sums};
use sim::bus::{Stalls, StreamPorts};
use sim::lad_apid_bench::{ApidBench, Share};
use sim::lad_centres_bench::{self, CentresBench};
use sim::lad_md_bench::{Kind, MdBench};
use sim::lad_score_bench::ScoreBench;
use sim::lad_sums_bench::SumsBench;

/// Rounds with random stalls of each stream, the second one without.
fn rounds<const PORTS: usize>(
    effort: Effort,
    mut run: impl FnMut(&mut Rng, [Stalls; PORTS], u64) -> Result<(), String>,
) -> Result<(), String> {
    let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
    for round in 0..if effort.long { 100 } else { 6 } {
        let seed = 1000 * effort.seed + round;
        let mut rng = Rng::with_seed(seed);
        let of_port = [(); PORTS].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
        run(&mut rng, of_port, seed).map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))?;
    }
    Ok(())
}

/// Scores.
pub fn scores_driver(name: impl Into<String>, p: ScoresParams) -> Driver {
    let design = build(scores(p));
    let io = &design.ports;
    let sources = [StreamPorts::of(&design, &io.query), StreamPorts::of(&design, &io.key)];
    let [head, lanes, queries] = [p.head, p.lanes, p.queries].map(|n| n as usize);
    let bench = ScoreBench { head, lanes, queries, exact: p.exact, sources, sink: StreamPorts::of(&design, &io.m) };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed| {
            let vectors = bench.random(rng, 60);
            bench.run(engine, &vectors, stalls, seed).map(|_| ())
        })
    })
}

/// APID.
pub fn apid_driver(name: impl Into<String>, p: ApidParams) -> Driver {
    let design = build(apid(p));
    let io = &design.ports;
    let sources = [
        StreamPorts::of(&design, &io.bound),
        StreamPorts::of(&design, &io.score),
        StreamPorts::of(&design, &io.command),
        StreamPorts::of(&design, &io.s),
    ];
    let sinks = [StreamPorts::of(&design, &io.m), StreamPorts::of(&design, &io.report)];
    let bench = ApidBench { lanes: p.lanes as usize, max_positions: p.max_positions as usize, sources, sinks };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed| {
            let shares = [Share::Some, Share::None, Share::Some, Share::All];
            let passes: Vec<_> =
                (0..12).map(|i| (rng.usize(0..=bench.max_positions.min(40 * i)), shares[rng.usize(0..4)])).collect();
            bench.run(engine, &bench.random(rng, &passes), stalls, seed).map(|_| ())
        })
    })
}

/// MD.
pub fn md_driver(name: impl Into<String>, p: MdParams) -> Driver {
    let design = build(md(p));
    let io = &design.ports;
    let sources = [
        StreamPorts::of(&design, &io.bound),
        StreamPorts::of(&design, &io.command),
        StreamPorts::of(&design, &io.s),
        StreamPorts::of(&design, &io.known),
        StreamPorts::of(&design, &io.score),
        StreamPorts::of(&design, &io.row),
    ];
    let sinks = [
        StreamPorts::of(&design, &io.look_up),
        StreamPorts::of(&design, &io.fetch),
        StreamPorts::of(&design, &io.found),
        StreamPorts::of(&design, &io.row_read),
        StreamPorts::of(&design, &io.row_write),
        StreamPorts::of(&design, &io.m),
        StreamPorts::of(&design, &io.report),
    ];
    let [intervals, max_positions, max_changes] = [p.intervals, p.max_positions, p.max_changes].map(|n| n as usize);
    let bench = MdBench { intervals, max_positions, max_changes, sources, sinks };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed| {
            let count = |rng: &mut Rng, i: usize| rng.usize(0..=bench.max_positions.min(10 * i));
            let passes: Vec<_> = (0..30).map(|i| (count(rng, i), Kind::random(rng))).collect();
            bench.run(engine, &bench.random(rng, &passes), stalls, seed).map(|_| ())
        })
    })
}

/// Sums.
pub fn sums_driver(name: impl Into<String>, p: SumsParams) -> Driver {
    let design = build(sums(p));
    let io = &design.ports;
    let sources = [
        StreamPorts::of(&design, &io.command),
        StreamPorts::of(&design, &io.start),
        StreamPorts::of(&design, &io.s),
        StreamPorts::of(&design, &io.value),
    ];
    let sinks = [StreamPorts::of(&design, &io.m), StreamPorts::of(&design, &io.report)];
    let [head, lanes, max_positions] = [p.head, p.lanes, p.max_positions].map(|n| n as usize);
    let bench = SumsBench { head, lanes, max_positions, sources, sinks };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed| {
            let jobs = bench.random_jobs(rng, 40, 20);
            bench.run(engine, &jobs, stalls, seed).map(|_| ())
        })
    })
}

/// Centres of keys.
pub fn centres_driver(name: impl Into<String>, p: CentresParams) -> Driver {
    let design = build(centres(p));
    let io = &design.ports;
    let [source, sink] = [StreamPorts::of(&design, &io.s), StreamPorts::of(&design, &io.m)];
    let bench = CentresBench { max_positions: p.max_positions as usize, source, sink };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        rounds(effort, |rng, stalls, seed| {
            let key = |rng: &mut Rng, i: usize| {
                let kind = lad_centres_bench::Kind::random(rng);
                lad_centres_bench::random_key(rng, bench.max_positions, i % 30, kind)
            };
            let keys: Vec<_> = (0..90).map(|i| key(rng, i)).collect();
            bench.run(engine, &keys, stalls, seed).map(|_| ())
        })
    })
}

//! The merging of partial results of attention.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::attention::merge::{MergeParams, merge};
use sim::bus::{Stalls, StreamPorts};
use sim::merge_bench::MergeBench;

/// A unit that merges: queries of any number of parts, some with something wrong.
pub fn merge_driver(name: impl Into<String>, p: MergeParams) -> Driver {
    let design = build(merge(p));
    let io = &design.ports;
    let [parts, numbers, lanes] = [p.parts, p.numbers, p.lanes].map(|x| x as usize);
    let sources = [StreamPorts::of(&design, &io.parts), StreamPorts::of(&design, &io.words)];
    let sinks = [StreamPorts::of(&design, &io.merged), StreamPorts::of(&design, &io.report)];
    let bench = MergeBench { parts, numbers, lanes, sources, sinks };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        for round in 0..if effort.long { 40 } else { 4 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let of_port = [(); 4].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
            let jobs = bench.random(&mut rng, 30);
            bench.run(engine, &jobs, of_port, seed).map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

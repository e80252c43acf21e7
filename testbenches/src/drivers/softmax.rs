//! A softmax.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::attention::softmax::{SoftmaxParams, softmax};
use sim::bus::{Stalls, StreamPorts};
use sim::softmax_bench::SoftmaxBench;

/// A softmax. The last round has queries of as many scores as it holds, and more.
pub fn softmax_driver(name: impl Into<String>, p: SoftmaxParams) -> Driver {
    let design = build(softmax(p));
    let io = &design.ports;
    let bench = SoftmaxBench {
        tokens: p.tokens as usize,
        source: StreamPorts::of(&design, &io.scores),
        sink: StreamPorts::of(&design, &io.weights),
        forget: design.port_index(io.forget).expect("a port"),
        nonfinite: design.port_index(io.nonfinite).expect("a port"),
    };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        for round in 0..if effort.long { 40 } else { 8 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let of_port = [(); 2].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
            let most = bench.tokens + 5;
            let (count, longest) = if round == 3 { (3, most) } else { (30, most.min(60)) };
            let queries = bench.random(&mut rng, count, longest);
            bench.run(engine, &queries, of_port, seed).map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

//! Units that multiply vector-quantized matrices with vectors.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::vq::matrix_vector::{MatrixParams, matrix_vector};
use sim::bus::Stalls;
use sim::vq_benches::command_feed::{Until, stops};
use sim::vq_benches::matrix::{MatrixBench, random_matrix};

/// A matrix-vector unit. But for the first round, each has resets somewhere in other commands, and some behind these.
pub fn matrix_vector_driver(name: impl Into<String>, p: MatrixParams) -> Driver {
    let design = build(matrix_vector(p));
    let bench = MatrixBench::of(&design, p);
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        let mut cycles = 0;
        for round in 0..if effort.long { 60 } else { 4 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let of_port = [(); 7].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
            let wrong = |e: String| format!("{of_port:?}, seed {seed}: {e}");
            let stops = stops(&mut rng, cycles);
            let mut commands =
                |number| -> Vec<_> { (0..number).map(|_| random_matrix(&bench.unit, &mut rng)).collect() };
            for stop in stops {
                bench.play(engine, commands(8), of_port, seed, Until::Cycles(stop)).map_err(wrong)?;
                bench.run(engine, &commands(2), of_port, seed).map_err(wrong)?;
            }
            cycles = bench.run(engine, &commands(8), of_port, seed).map_err(wrong)?.end();
        }
        Ok(())
    })
}

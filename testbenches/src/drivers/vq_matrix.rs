//! Units that multiply vector-quantized matrices with vectors.

use super::built::build;
use super::{Driver, Effort};
use fastrand::Rng;
use hdl::engine::Engine;
use hw::vq::matrix_vector::{MatrixParams, MatrixScales, MatrixSource, matrix_vector};
use sim::bus::{Stalls, StreamPorts};
use sim::golden::vq::Scales;
use sim::golden::vq::matrix::{self, MatrixUnit};
use sim::vq_matrix_bench::{MatrixBench, random_matrix};

/// The model of a unit.
fn unit(p: MatrixParams) -> MatrixUnit {
    let source = match p.source {
        MatrixSource::Books { entries, vector } => {
            matrix::MatrixSource::Books { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Groups { entries, vector } => {
            matrix::MatrixSource::Groups { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Residual { entries, vector } => {
            matrix::MatrixSource::Residual { entries: entries as usize, vector: vector as usize }
        }
        MatrixSource::Lattice => matrix::MatrixSource::Lattice,
    };
    let scales = match p.scales {
        MatrixScales::None => Scales::None,
        MatrixScales::Tensor => Scales::Tensor,
        MatrixScales::Row => Scales::Row,
    };
    let [vectors, tile_rows, tile_columns, max_columns] =
        [p.vectors, p.tile_rows, p.tile_columns, p.max_columns].map(|n| n as usize);
    MatrixUnit { source, vectors, tile_rows, tile_columns, max_columns, scales }
}

/// A matrix-vector unit.
pub fn matrix_vector_driver(name: impl Into<String>, p: MatrixParams) -> Driver {
    let design = build(matrix_vector(p));
    let io = &design.ports;
    let bench = MatrixBench {
        unit: unit(p),
        sources: [
            StreamPorts::of(&design, &io.command),
            StreamPorts::of(&design, &io.vector),
            StreamPorts::of(&design, &io.words),
        ],
        books: io.books.map(|books| StreamPorts::of(&design, &books)),
        scale: io.scale.map(|scale| StreamPorts::of(&design, &scale)),
        sinks: [StreamPorts::of(&design, &io.m), StreamPorts::of(&design, &io.report)],
    };
    Driver::new(name, design, move |engine: &mut dyn Engine, effort: Effort| {
        let stalls = [Stalls::Never, Stalls::Percent(30), Stalls::Percent(70), Stalls::Runs(15)];
        for round in 0..if effort.long { 60 } else { 4 } {
            let seed = 1000 * effort.seed + round;
            let mut rng = Rng::with_seed(seed);
            let of_port = [(); 7].map(|()| if round == 1 { Stalls::Never } else { stalls[rng.usize(0..4)] });
            let commands: Vec<_> = (0..8).map(|_| random_matrix(&bench.unit, &mut rng)).collect();
            bench.run(engine, &commands, of_port, seed).map_err(|e| format!("{of_port:?}, seed {seed}: {e}"))?;
        }
        Ok(())
    })
}

//! The bench of a unit that was built, and its model. The tests beside the hardware make their own, as they see another build of it.

use super::MatrixBench;
use crate::bus::StreamPorts;
use crate::golden::vq::Scales;
use crate::golden::vq::matrix::{self, MatrixUnit};
use hdl::Design;
use hw::vq::matrix_vector::{MatrixParams, MatrixScales, MatrixSource, MatrixVectorPorts};

/// The model of a unit.
fn model(p: MatrixParams) -> MatrixUnit {
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

impl MatrixBench {
    /// The bench of a unit with these parameters.
    pub fn of(design: &Design<MatrixVectorPorts>, p: MatrixParams) -> MatrixBench {
        let io = &design.ports;
        MatrixBench {
            unit: model(p),
            sources: [
                StreamPorts::of(design, &io.command),
                StreamPorts::of(design, &io.vector),
                StreamPorts::of(design, &io.words),
            ],
            books: io.books.map(|books| StreamPorts::of(design, &books)),
            scale: io.scale.map(|scale| StreamPorts::of(design, &scale)),
            sinks: [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)],
        }
    }
}

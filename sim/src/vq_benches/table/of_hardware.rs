//! The benches of units that were built, and their models. The tests beside the hardware make their own, as they see another build of it.

use super::{EncoderBench, ProductsBench, ScoresBench, ValuesBench};
use crate::bus::StreamPorts;
use crate::golden::vq::tables::TableUnit;
use hdl::Design;
use hdl::engine::Signals;
use hw::vq::encoder::EncoderPorts;
use hw::vq::products::ProductsPorts;
use hw::vq::scores::{ScoresParams, ScoresPorts};
use hw::vq::table_types::{MAX_TOKENS, TableParams};
use hw::vq::values::{ValuesParams, ValuesPorts};

impl TableUnit {
    /// The model of a unit with these parameters.
    pub fn of(p: TableParams) -> TableUnit {
        let [entries, vector, positions, residuals, queries, max_tokens] =
            [p.entries, p.vector, p.positions, p.residuals, p.queries, MAX_TOKENS].map(|n| n as usize);
        TableUnit { entries, vector, positions, residuals, queries, max_tokens }
    }
}

impl ProductsBench {
    /// The bench of a unit with these parameters.
    pub fn of(design: &Design<ProductsPorts>, p: TableParams) -> ProductsBench {
        let io = &design.ports;
        let sources = [
            StreamPorts::of(design, &io.command),
            StreamPorts::of(design, &io.query),
            StreamPorts::of(design, &io.words),
        ];
        let write = io.write.signals().into_iter().map(|port| design.port_index(port).expect("a port")).collect();
        ProductsBench { unit: TableUnit::of(p), sources, done: StreamPorts::of(design, &io.done), write }
    }
}

impl EncoderBench {
    /// The bench of a unit with these parameters.
    pub fn of(design: &Design<EncoderPorts>, p: TableParams) -> EncoderBench {
        let io = &design.ports;
        let sources = [
            StreamPorts::of(design, &io.command),
            StreamPorts::of(design, &io.query),
            StreamPorts::of(design, &io.words),
        ];
        let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.done)];
        EncoderBench { unit: TableUnit::of(p), sources, sinks }
    }
}

impl ScoresBench {
    /// The bench of a unit with these parameters.
    pub fn of(design: &Design<ScoresPorts>, p: ScoresParams) -> ScoresBench {
        let io = &design.ports;
        let mut sources = vec![
            StreamPorts::of(design, &io.command),
            StreamPorts::of(design, &io.query),
            StreamPorts::of(design, &io.words),
        ];
        sources.extend(io.scale.map(|scale| StreamPorts::of(design, &scale)));
        let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
        ScoresBench { unit: TableUnit::of(p.table), sources, sinks }
    }
}

impl ValuesBench {
    /// The bench of a unit with these parameters.
    pub fn of(design: &Design<ValuesPorts>, p: ValuesParams) -> ValuesBench {
        let io = &design.ports;
        let sources = [
            StreamPorts::of(design, &io.command),
            StreamPorts::of(design, &io.weight),
            StreamPorts::of(design, &io.words),
        ];
        let sinks = [StreamPorts::of(design, &io.m), StreamPorts::of(design, &io.report)];
        let (unit, copies) = (TableUnit::of(p.table), p.copies() as usize);
        ValuesBench { unit, copies, scaled: p.scaled, sources, sinks }
    }
}

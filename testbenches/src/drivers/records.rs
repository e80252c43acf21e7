//! Record join and record split: the parts of records take turns, and every byte is there.

use super::Driver;
use super::built::build;
use super::stream::{Streams, Traffic};
use fastrand::Rng;
use hw::oaken::{EngineParams, record_join, record_split};
use sim::bus::{Beat, StreamPorts, packet, packet_bytes};

/// The parts of records, sparse and dense, as engines with 4 bits give them: of outliers only, of none, and between.
fn records(rng: &mut Rng) -> Vec<[Vec<u8>; 2]> {
    let record = |i: usize, rng: &mut Rng| {
        let n = 64 * rng.usize(1..=8);
        let outliers = [n, 0, rng.usize(0..=n)][i.min(2)];
        let mut bytes = |count: usize| (0..count).map(|_| rng.u8(..)).collect::<Vec<u8>>();
        [bytes(8 + n / 64 + outliers), bytes(n / 2)]
    };
    (0..12).map(|i| record(i, rng)).collect()
}

/// Packets as beats of so many bytes.
fn beats<'a>(packets: impl Iterator<Item = &'a Vec<u8>>, bytes: usize) -> Vec<Beat> {
    packets.flat_map(|of| packet(of, bytes)).collect()
}

/// Bytes of a beat.
fn bytes(stream: &StreamPorts) -> usize {
    stream.payload[1].width as usize
}

fn both_parts(rng: &mut Rng, streams: &Streams) -> Traffic {
    let (records, width) = (records(rng), |i: usize| bytes(&streams.sources[i]));
    let [sparse, dense] = [0, 1].map(|part| beats(records.iter().map(|r| &r[part]), width(1 - part)));
    vec![dense, sparse]
}

fn in_turns(rng: &mut Rng, streams: &Streams) -> Traffic {
    vec![beats(records(rng).iter().flatten(), bytes(&streams.sources[0]))]
}

/// A record join.
pub fn record_join_driver(name: &str, p: EngineParams) -> Driver {
    let design = build(record_join(name, p));
    let io = &design.ports;
    let sources = vec![StreamPorts::of(&design, &io.s_axis_dense), StreamPorts::of(&design, &io.s_axis_sparse)];
    let sinks = vec![StreamPorts::of(&design, &io.m_axis)];
    let width = bytes(&sinks[0]);
    let model = move |sent: &Traffic| {
        let (dense, sparse) = (packet_bytes(&sent[0]), packet_bytes(&sent[1]));
        vec![beats(sparse.iter().zip(&dense).flat_map(|(sparse, dense)| [sparse, dense]), width)]
    };
    let streams = Streams { feed: both_parts, model: Box::new(model), ..Streams::new(sources, sinks) };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

/// A record split.
pub fn record_split_driver(name: &str, p: EngineParams) -> Driver {
    let design = build(record_split(name, p));
    let io = &design.ports;
    let sources = vec![StreamPorts::of(&design, &io.s_axis)];
    let sinks = vec![StreamPorts::of(&design, &io.m_axis_dense), StreamPorts::of(&design, &io.m_axis_sparse)];
    let widths = [bytes(&sinks[0]), bytes(&sinks[1])];
    let model = move |sent: &Traffic| {
        let packets = packet_bytes(&sent[0]);
        // every second packet, the sparse part first
        let part = |i: usize| beats(packets.iter().skip(1 - i).step_by(2), widths[i]);
        vec![part(0), part(1)]
    };
    let streams = Streams { feed: in_turns, model: Box::new(model), ..Streams::new(sources, sinks) };
    Driver::new(name, design, move |engine, effort| streams.test(engine, effort))
}

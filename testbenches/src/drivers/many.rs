//! Forks and joins of any number of streams.

use super::Driver;
use super::built::build;
use super::lanes::Lanes;
use super::routing::{stream_of, whole};
use super::stream::{Streams, Traffic};
use hdl::{Bundle, Design, Errors, Module, Signal, Stream, bits, cat, module, ports, stream};
use hw::stream::several::{Streams as SideBySide, streams};
use hw::stream::{fork_many, join_many};
use sim::bus::Beat;

ports! {
    /// Ports of a fork.
    struct ForkPorts(width: u32, outputs: u32) {
        /// To all.
        input s: Stream = stream(bits(width)),
        /// The outputs side by side, each with its word.
        output m: SideBySide = streams(outputs, width * outputs),
    }
}

ports! {
    /// Ports of a join.
    struct JoinPorts(width: u32, inputs: u32) {
        /// The inputs side by side, each with its word.
        input s: SideBySide = streams(inputs, width * inputs),
        /// A word of each.
        output m: Stream = stream(bits(width * inputs)),
    }
}

#[module]
fn fork_module(width: u32, outputs: u32) -> Result<Design<ForkPorts>, Errors> {
    let m = Module::new(format!("fork_{outputs}x{width}"));
    let io = ForkPorts::new(m, width, outputs);
    let all = fork_many(m, io.s, outputs as usize);
    let side_by_side = |of: fn(&Stream) -> Signal| cat(&all.iter().rev().map(of).collect::<Vec<_>>());
    io.m.valid.set(side_by_side(|output| output.valid));
    io.m.payload.set(side_by_side(|output| output.payload));
    all.iter().enumerate().for_each(|(i, output)| output.ready.set(io.m.ready.bit(i as u32)));
    m.finish(io)
}

#[module]
fn join_module(width: u32, inputs: u32) -> Result<Design<JoinPorts>, Errors> {
    let m = Module::new(format!("join_{inputs}x{width}"));
    let io = JoinPorts::new(m, width, inputs);
    let word = |i: u32| io.s.payload.bits(width * i + width - 1, width * i);
    let all: Vec<Stream> =
        (0..inputs).map(|i| Stream { valid: io.s.valid.bit(i), ready: m.wire(bits(1)), payload: word(i) }).collect();
    io.s.ready.set(cat(&all.iter().rev().map(|input| input.ready).collect::<Vec<_>>()));
    io.m.set(join_many(m, &all));
    m.finish(io)
}

/// A fork to so many.
pub fn fork_driver(name: impl Into<String>, width: u32, outputs: u32) -> Driver {
    let design = build(fork_module(width, outputs));
    let io = &design.ports;
    let lanes = Lanes::of(&design, &[io.m.valid, io.m.ready, io.m.payload], outputs);
    let at = (&design, &lanes);
    let sinks = (0..outputs as usize).map(|i| stream_of(at, &io.m, &[("payload", io.m.payload)], (i, true))).collect();
    let model = Box::new(move |sent: &Traffic| vec![sent[0].clone(); outputs as usize]);
    let plain = Streams::new(vec![whole(at, &io.s)], sinks);
    let streams = Streams { model, latency: Some(0), full_rate: Some(0), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(&mut lanes.on(engine), effort))
}

/// A join of so many.
pub fn join_driver(name: impl Into<String>, width: u32, inputs: u32) -> Driver {
    let design = build(join_module(width, inputs));
    let io = &design.ports;
    let lanes = Lanes::of(&design, &[io.s.valid, io.s.ready, io.s.payload], inputs);
    let at = (&design, &lanes);
    let sources = (0..inputs as usize).map(|i| stream_of(at, &io.s, &[("payload", io.s.payload)], (i, true))).collect();
    let joined = move |sent: &Traffic, i: usize| {
        let low_first = sent.iter().rev().fold(hdl::BigUint::ZERO, |word, input| (word << width) | &input[i].0[0]);
        Beat(vec![low_first])
    };
    let model = Box::new(move |sent: &Traffic| vec![(0..sent[0].len()).map(|i| joined(sent, i)).collect()]);
    let plain = Streams::new(sources, vec![whole(at, &io.m)]);
    let streams = Streams { model, latency: Some(0), full_rate: Some(0), capacity: Some(0), ..plain };
    Driver::new(name, design, move |engine, effort| streams.test(&mut lanes.on(engine), effort))
}

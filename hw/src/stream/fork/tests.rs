use super::*;
use crate::stream::testing::*;
use hdl::{Design, Errors, module, ports, stream};
use sim::bus::{Bench, Stalls};

ports! {
    struct ForkPorts(width: u32) {
        input s: Stream = stream(bits(width)),
        output left: Stream = stream(bits(width)),
        output middle: Stream = stream(bits(width)),
        output right: Stream = stream(bits(width)),
    }
}

#[module]
fn three(width: u32) -> Result<Design<ForkPorts>, Errors> {
    let m = Module::new("three");
    let io = ForkPorts::new(m, width);
    let [left, middle, right] = fork(m, io.s);
    io.left.set(left);
    io.middle.set(middle);
    io.right.set(right);
    m.finish(io)
}

#[test]
fn every_output_gets_every_word_once() {
    let design = build(three(16));
    let ready = jit::simulator(&design);
    let words = counting(300, 16);
    for round in 0..8 {
        let mut engine = ready.clone();
        let mut bench = Bench::new(&mut engine, sim::bus::run_seed(round));
        let s = bench.source(&design, &design.ports.s, Stalls::Percent(20));
        let outputs = [design.ports.left, design.ports.middle, design.ports.right];
        let sinks = outputs.map(|m| bench.sink(&design, &m, Stalls::Percent(50)));
        bench.reset().unwrap();
        bench.send(s, words.clone());
        sinks.iter().for_each(|m| bench.run_until_received(*m, 300, 10_000).unwrap());
        bench.run(20).unwrap();
        sinks.iter().for_each(|m| assert_eq!(bench.beats(*m), words));
    }
}

#[test]
fn no_output_waits_for_another_and_none_runs_ahead() {
    let design = build(three(16));
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
    let s = bench.source(&design, &design.ports.s, Stalls::Never);
    let left = bench.sink(&design, &design.ports.left, Stalls::Never);
    let middle = bench.sink(&design, &design.ports.middle, Stalls::Never);
    let right = bench.sink(&design, &design.ports.right, Stalls::Always);
    bench.reset().unwrap();
    bench.send(s, counting(50, 16));
    bench.run(10).unwrap();
    assert_eq!([left, middle, right].map(|m| bench.beats(m).len()), [1, 1, 0]);
    assert_eq!(bench.sent_at(s).len(), 0, "the word is taken when all have it");
    bench.stall_sink(right, Stalls::Never);
    let start = bench.cycle();
    bench.run_until_received(right, 50, 60).unwrap();
    assert_eq!(bench.cycle() - start, 50, "full rate");
}

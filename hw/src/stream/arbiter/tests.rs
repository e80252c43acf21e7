use super::*;
use crate::stream::testing::*;
use hdl::engine::Engine;
use hdl::sim::Simulator;
use sim::bus::{Beat, Bench, Stalls, seed};

ports! {
    struct ThreePorts() {
        input s0: Stream = stream(bits(16)),
        input s1: Stream = stream(bits(16)),
        input s2: Stream = stream(bits(16)),
        output m: Stream<(Signal, Signal)> = stream((bits(16), bits(2))),
    }
}

#[module]
fn three() -> Result<Design<ThreePorts>, Errors> {
    let m = Module::new("three");
    let io = ThreePorts::new(m);
    let granted = arbitrate(m, &[io.s0, io.s1, io.s2])?;
    io.m.set(granted);
    m.finish(io)
}

/// Words of an input: its number in the high bits.
fn words(input: u64, count: u64) -> Vec<Beat> {
    (0..count).map(|i| (input << 12 | i).into()).collect()
}

#[test]
fn every_word_goes_once_with_its_source_and_inputs_keep_their_order() {
    let design = build(three());
    let ThreePorts { s0, s1, s2, m } = design.ports;
    for (source_stalls, sink_stalls) in STALLS {
        let mut engine = Simulator::new(&design);
        let mut bench = Bench::new(&mut engine, seed(4));
        let inputs = [(s0, source_stalls), (s1, Stalls::Percent(50)), (s2, source_stalls)];
        let sources = inputs.map(|(s, stalls)| bench.source(&design, &s, stalls));
        let sink = bench.sink(&design, &m, sink_stalls);
        bench.reset().unwrap();
        for (i, source) in sources.iter().enumerate() {
            bench.send(*source, words(i as u64, 200));
        }
        bench.run_until_received(sink, 600, 10_000).unwrap();
        bench.run(20).unwrap();
        for i in 0..3 {
            let from_i = bench.beats(sink).iter().filter(|beat| beat.field(1) == i);
            let got: Vec<Beat> = from_i.map(|beat| beat.field(0).into()).collect();
            assert_eq!(got, words(i, 200), "input {i}");
        }
        assert_eq!(bench.beats(sink).len(), 600);
    }
}

#[test]
fn takes_turns_without_a_bubble() {
    let design = build(three());
    let ThreePorts { s0, s1, s2, m } = design.ports;
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, 1);
    let sources = [s0, s1, s2].map(|s| bench.source(&design, &s, Stalls::Never));
    let sink = bench.sink(&design, &m, Stalls::Never);
    bench.reset().unwrap();
    sources.iter().for_each(|s| bench.send(*s, words(0, 30)));
    bench.run_until_received(sink, 90, 91).unwrap();
    let order: Vec<u64> = bench.beats(sink).iter().map(|beat| beat.field(1)).collect();
    assert_eq!(order, (0..90).map(|i| i % 3).collect::<Vec<_>>());
    // one alone has all of the rate
    bench.send(sources[1], words(1, 50));
    bench.run_until_received(sink, 140, 52).unwrap();
}

/// Against the bound of the contract, with every pattern of requests over and over.
#[test]
fn nobody_waits_for_more_than_one_word_of_each_other() {
    for inputs in [2u32, 3, 5, 8] {
        let design = build(arbiter(8, inputs));
        let mut engine = Simulator::new(&design);
        let port = |signal| design.port_index(signal).unwrap();
        let ArbiterPorts { s, m } = design.ports;
        let mut rng = fastrand::Rng::with_seed(7);
        let (mut offered, mut waited, mut longest) = (0u64, vec![0; inputs as usize], 0);
        engine.reset(2);
        for _ in 0..5000 {
            offered |= rng.u64(0..1 << inputs) & rng.u64(..);
            engine.poke(port(s.valid), offered);
            engine.poke(port(m.ready), u64::from(rng.u8(0..4) > 0));
            let granted = engine.peek(port(s.ready)) & offered;
            assert!(granted.count_ones() <= 1);
            for (i, waited) in waited.iter_mut().enumerate() {
                let mine = granted >> i & 1 == 1;
                let others = granted != 0 && !mine && offered >> i & 1 == 1;
                *waited = if mine { 0 } else { *waited + u32::from(others) };
                longest = longest.max(*waited);
            }
            offered &= !granted;
            engine.step();
        }
        assert_eq!(longest, inputs - 1, "the bound holds, and is reached");
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(arbiter(8, 1)), "inputs = 1 is out of range");
    assert_eq!(message(arbiter(8, 65)), "inputs = 65 is out of range");
    assert_eq!(message(arbiter(0, 2)), "width = 0 is out of range");
    assert_eq!(message(arbiter(65536, 2)), "the words of all inputs have 131072 bits");
}

#[test]
fn has_the_paths_that_it_states() {
    assert_eq!(build(arbiter(8, 4)).combinational_paths(), [("s_valid", "s_ready"), ("m_ready", "s_ready")]);
}

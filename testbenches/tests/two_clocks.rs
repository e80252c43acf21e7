//! The parts between two clocks on both engines of simulation: the same edges and inputs give the same outputs.

use hdl::engine::Engine;
use hdl::sim::Simulator;
use hdl::{Design, Reset};
use hw::stream::fifo::Style;
use hw::stream::fifo_two_clocks::{FifoTwoClocksPorts, fifo_two_clocks};
use hw::stream::pulse_synchronizer::pulse_synchronizer;
use sim::bus::{Beat, Bench, Stalls, Ticks, seed};

const WORDS: u64 = 300;

/// The instants of the transfers in and out.
fn run(
    engine: &mut dyn Engine,
    design: &Design<FifoTwoClocksPorts>,
    periods: [u64; 2],
    stalls: (Stalls, Stalls),
) -> (Vec<u64>, Vec<u64>) {
    assert_eq!(engine.clocks(), ["s_clk", "m_clk"]);
    let mut bench = Bench::new(engine, seed(5));
    let s = bench.source(design, &design.ports.s, stalls.0);
    let m = bench.sink(design, &design.ports.m, stalls.1);
    bench.source_clock(s, 0);
    bench.sink_clock(m, 1);
    let words: Vec<Beat> = (0..WORDS).map(|i| (i * 0x9e37 % 65536).into()).collect();
    let result = bench.reset().and_then(|()| {
        bench.send(s, words.iter().cloned());
        let ticks = Ticks::new(&periods, periods[0].min(periods[1]) / 3, seed(6));
        ticks.take(60 * WORDS as usize).try_for_each(|edges| bench.edge(edges))
    });
    result.unwrap_or_else(|e| panic!("{} {periods:?} {stalls:?}: {e}", design.name()));
    assert_eq!(bench.beats(m), words, "{} {periods:?} {stalls:?}", design.name());
    (bench.sent_at(s).to_vec(), bench.received_at(m).to_vec())
}

#[test]
fn both_engines_move_every_word_at_the_same_edges() {
    for (depth, style, stages) in [(4, Style::Distributed, 2), (16, Style::Distributed, 3), (16, Style::Block, 2)] {
        let design = fifo_two_clocks(16, depth, style, stages).unwrap_or_else(|e| panic!("{e}"));
        for reset in [Reset::default(), Reset { asynchronous: true, active_low: true }] {
            let mut verilated = testbenches::have(&["verilator"])
                .then(|| sim::verilator::Model::of(&design, reset).unwrap_or_else(|e| panic!("{e}")));
            for periods in [[100, 100], [100, 137], [300, 100], [61, 400]] {
                for stalls in [
                    (Stalls::Never, Stalls::Never),
                    (Stalls::Percent(30), Stalls::Percent(50)),
                    (Stalls::Runs(7), Stalls::Runs(12)),
                ] {
                    let own = run(&mut Simulator::new(&design), &design, periods, stalls);
                    if let Some(model) = &mut verilated {
                        assert_eq!(own, run(model, &design, periods, stalls), "{periods:?} {stalls:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn both_engines_pass_pulses_at_the_same_edges() {
    if !testbenches::have(&["verilator"]) {
        return;
    }
    for stages in [2, 3] {
        let design = pulse_synchronizer(stages).unwrap_or_else(|e| panic!("{e}"));
        let port = |signal| design.port_index(signal).expect("a port");
        let outputs = [port(design.ports.s_ready), port(design.ports.m_pulse)];
        let mut model = sim::verilator::Model::of(&design, Reset::default()).unwrap_or_else(|e| panic!("{e}"));
        for periods in [[100, 137], [300, 100], [61, 400]] {
            let mut own = Simulator::new(&design);
            let mut rng = fastrand::Rng::with_seed(seed(8));
            let mut pulses = 0;
            own.reset(stages + 1);
            model.reset(stages + 1);
            for (instant, edges) in Ticks::new(&periods, 20, seed(9)).take(3000).enumerate() {
                let pulse = rng.u64(..2);
                let seen = [&mut own as &mut dyn Engine, &mut model].map(|engine| {
                    engine.poke(port(design.ports.s_pulse), pulse);
                    let seen = outputs.map(|output| engine.peek(output));
                    engine.edge(edges);
                    seen
                });
                assert_eq!(seen[0], seen[1], "{stages} {periods:?} at {instant}");
                pulses += u64::from(edges & 0b10 != 0) & seen[0][1];
            }
            assert!(pulses > 50, "{pulses} pulses with periods {periods:?}");
        }
    }
}

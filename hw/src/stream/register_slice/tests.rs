use super::*;
use crate::stream::testing::*;
use hdl::sim::Simulator;
use sim::bus::{Bench, Stalls};

#[test]
fn passes_every_word_once_and_in_order() {
    for width in [1, 8, 64, 65, 200] {
        let design = build(register_slice(width));
        let words = counting(300, width);
        check_stream(&design, &design.ports.s, &design.ports.m, &words, &words);
    }
}

#[test]
fn moves_a_word_in_every_cycle_and_holds_it_for_one() {
    let design = build(register_slice(16));
    let t = timing(&design, &design.ports.s, &design.ports.m, &counting(100, 16), 100);
    assert_eq!(t.sent, (0..100).collect::<Vec<_>>());
    assert_eq!(t.received, (1..101).collect::<Vec<_>>());
    assert_eq!(design.combinational_paths(), []);
}

#[test]
fn holds_two_words_when_the_output_is_stuck() {
    let design = build(register_slice(16));
    let mut engine = Simulator::new(&design);
    let mut bench = Bench::new(&mut engine, 1);
    let s = bench.source(&design, &design.ports.s, Stalls::Never);
    let m = bench.sink(&design, &design.ports.m, Stalls::Always);
    bench.reset().unwrap();
    bench.send(s, counting(10, 16));
    bench.run(20).unwrap();
    assert_eq!(bench.sent_at(s).len(), 2);
    bench.stall_sink(m, Stalls::Never);
    bench.run_until_received(m, 10, 20).unwrap();
    assert_eq!(bench.beats(m), counting(10, 16));
    assert_eq!(bench.bubbles(m), 0, "full rate again at once");
}

#[test]
fn refuses_a_width_of_zero() {
    assert_eq!(message(register_slice(0)), "width = 0 is out of range");
    assert_eq!(message(register_slice(65537)), "width = 65537 is out of range");
}

#[derive(Clone, Copy, Bundle)]
struct Pair {
    sign: hdl::Signal,
    number: hdl::Signal,
}

fn pair() -> Pair {
    Pair { sign: bits(1), number: bits(7) }
}

ports! {
    struct PairPorts() {
        input s: Stream<Pair> = stream(pair()),
        output m: Stream<Pair> = stream(pair()),
    }
}

#[test]
fn stands_behind_a_stream_of_any_payload() {
    #[module]
    fn two_slices() -> Result<Design<PairPorts>, Errors> {
        let m = Module::new("two_slices");
        let io = PairPorts::new(m);
        let first = register_slice_after(m, io.s)?;
        let second = register_slice_after(m, first)?;
        io.m.set(second);
        m.finish(io)
    }
    let design = build(two_slices());
    let beats: Vec<sim::bus::Beat> = (0..100u64).map(|i| [i % 2, i].into()).collect();
    check_stream(&design, &design.ports.s, &design.ports.m, &beats, &beats);
}

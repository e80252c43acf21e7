use super::*;
use crate::stream::testing::slices::Slice;
use crate::stream::testing::*;
use sim::bus::{Bench, Stalls};

#[test]
fn keeps_its_contract() {
    Slice { build: register_slice, after: register_slice_after, latency: 1, held: 2, paths: &[] }.check();
}

#[test]
fn runs_at_full_rate_again_after_the_output_was_stuck() {
    let design = build(register_slice(16));
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
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

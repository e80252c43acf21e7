use super::*;
use crate::stream::testing::*;
use hdl::{Design, Errors, module, ports, stream};
use sim::bus::{Beat, Bench, Stalls};

ports! {
    struct JoinPorts() {
        input a: Stream = stream(bits(8)),
        input b: Stream = stream(bits(16)),
        input c: Stream = stream(bits(16)),
        output m: Stream = stream(bits(40)),
    }
}

/// Joins b and c as streams of one kind, and a with them.
#[module]
fn three() -> Result<Design<JoinPorts>, Errors> {
    let m = Module::new("three");
    let io = JoinPorts::new(m);
    let pair = join_many(m, &[io.b, io.c]);
    let all = join(m, io.a, pair);
    io.m.set(all.with(all.payload.0.cat(all.payload.1)));
    m.finish(io)
}

#[test]
fn a_word_of_each_makes_a_word() {
    let design = build(three());
    let ready = jit::simulator(&design);
    let expected: Vec<Beat> = (0..200u64).map(|i| (i << 32 | (i + 2000) << 16 | (i + 1000)).into()).collect();
    for (round, stalls) in [Stalls::Never, Stalls::Percent(40), Stalls::Runs(6)].into_iter().enumerate() {
        let mut engine = ready.clone();
        let mut bench = Bench::new(&mut engine, sim::bus::run_seed(round as u64));
        let a = bench.source(&design, &design.ports.a, stalls);
        let b = bench.source(&design, &design.ports.b, stalls);
        let c = bench.source(&design, &design.ports.c, stalls);
        let m = bench.sink(&design, &design.ports.m, stalls);
        bench.reset().unwrap();
        bench.send(a, 0..200u64);
        bench.send(b, 1000..1200u64);
        bench.send(c, 2000..2200u64);
        bench.run_until_received(m, 200, 10_000).unwrap();
        bench.run(20).unwrap();
        assert_eq!(bench.beats(m), expected);
        if stalls == Stalls::Never {
            assert_eq!(bench.bubbles(m), 0);
        }
    }
}

#[test]
fn nothing_moves_while_one_is_missing() {
    let design = build(three());
    let mut engine = jit::simulator(&design);
    let mut bench = Bench::new(&mut engine, sim::bus::seed(1));
    let a = bench.source(&design, &design.ports.a, Stalls::Never);
    let b = bench.source(&design, &design.ports.b, Stalls::Never);
    bench.source(&design, &design.ports.c, Stalls::Always);
    let m = bench.sink(&design, &design.ports.m, Stalls::Never);
    bench.reset().unwrap();
    bench.send(a, 0..4u64);
    bench.send(b, 0..4u64);
    bench.run(20).unwrap();
    assert_eq!((bench.sent_at(a).len(), bench.sent_at(b).len(), bench.beats(m).len()), (0, 0, 0));
}

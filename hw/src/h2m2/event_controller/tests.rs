use super::*;
use crate::stream::testing::{build, message};
use ::sim::h2m2_event_bench::{EventBench, EventStalls, Tally};
use hdl::bus::{Bench, Stalls, run_seed, seed};
use hdl::sim::Simulator;

/// A run of so many kernels against the model, from anything in the memories.
fn run(design: &Design<EventControllerPorts>, engine: &mut Simulator, kernels: u32, count: usize, seed: u64) -> Tally {
    let io = &design.ports;
    let some = |seed: u64| [Stalls::Never, Stalls::Percent(50), Stalls::Runs(20)][seed as usize % 3];
    let stalls = EventStalls([some(seed), some(seed / 3), some(seed / 9), some(seed / 2)]);
    let stray = [io.stray.any, io.stray.slot, io.stray.side];
    let settings = (kernels as usize, stalls, seed);
    let bench =
        EventBench::new(engine, design, (&io.register, &io.answer), (&io.launch, &io.complete), stray, settings);
    bench.run(count, None).unwrap_or_else(|error| panic!("{kernels} kernels, seed {seed}: {error}"))
}

#[test]
fn kernels_are_launched_as_the_model_says() {
    let mut all = vec![];
    for kernels in [2, 3, 4, 5, 7, 16, 33, 63, 64] {
        let design = build(event_controller("events", kernels));
        let mut engine = jit::simulator(&design);
        let first = run_seed(u64::from(kernels) * 100);
        let runs: Vec<Tally> = (first..first + 9).map(|seed| run(&design, &mut engine, kernels, 150, seed)).collect();
        let sum = |of: fn(&Tally) -> usize| runs.iter().map(of).sum::<usize>();
        assert!(sum(|x| x.answers[1]) == 0 || !kernels.is_power_of_two(), "{kernels} kernels: all numbers are some");
        assert_eq!(sum(|x| x.launches[0] + x.launches[1]), sum(|x| x.answers[0]), "{kernels} kernels");
        all.extend(runs);
    }
    let sum = |of: fn(&Tally) -> usize| all.iter().map(of).sum::<usize>();
    assert!(
        sum(|x| x.answers[1]) > 100
            && sum(|x| x.answers[0]) > 6000
            && sum(|x| x.answers[2]) > 1000
            && sum(|x| x.answers[3]) > 500
    );
    assert!(sum(|x| x.launches[0]) > 3000 && sum(|x| x.launches[1]) > 3000 && sum(|x| x.strays) > 1000);
    assert!(all.iter().any(|x| x.most > 25) && all.iter().any(|x| x.together > 3));
}

/// One kernel waits for all others, and all others for one: 63 become ready at once, and the last one when the 63rd is over.
#[test]
fn all_wait_for_one_and_one_for_all() {
    let design = build(event_controller("events", 64));
    let mut engine = jit::simulator(&design);
    let io = &design.ports;
    let mut bench = Bench::new(&mut engine, seed(1));
    let register = bench.source(&design, &io.register, Stalls::Never);
    let answer = bench.sink(&design, &io.answer, Stalls::Never);
    let launch = [0, 1].map(|side| bench.sink(&design, &io.launch[side], Stalls::Never));
    let complete = [0, 1].map(|side| bench.source(&design, &io.complete[side], Stalls::Never));
    bench.reset().unwrap();
    // 0 first; 1 to 62 wait for it, on both sides; 63 waits for all
    bench.send(register, (0..63).map(|slot| [slot, slot & 1, u64::from(slot > 0)]));
    bench.send(register, [[63, 0, u64::MAX >> 1]]);
    bench.run_until_received(answer, 64, 20_000).unwrap();
    assert!(bench.beats(answer).iter().all(|beat| beat.field(1) == 0));
    assert_eq!((bench.beats(launch[0]).len(), bench.beats(launch[1]).len()), (1, 0));
    bench.send(complete[0], [[0]]);
    bench.run(80).unwrap();
    let over = bench.sent_at(complete[0])[0];
    for (side, first) in [(1, 0), (0, 1)] {
        let times = &bench.received_at(launch[side])[usize::from(side == 0)..];
        let right: Vec<u64> = (0..31).map(|i| over + 4 + first + 2 * i).collect();
        assert_eq!(times, right, "the lowest number first, one in a cycle");
    }
    bench.send(complete[1], (1..63).filter(|slot| slot & 1 == 1).map(|slot| [slot]));
    bench.send(complete[0], (1..63).filter(|slot| slot & 1 == 0).map(|slot| [slot]));
    bench.run(100).unwrap();
    let last = bench.sent_at(complete[0]).iter().chain(bench.sent_at(complete[1])).max().unwrap();
    assert_eq!(
        (bench.beats(launch[0]).last().unwrap().field(0), bench.received_at(launch[0]).last()),
        (63, Some(&(last + 4)))
    );
}

/// A reset in the middle of anything leaves nothing behind.
#[test]
fn a_reset_begins_anew() {
    let design = build(event_controller("events", 16));
    let mut engine = jit::simulator(&design);
    let io = &design.ports;
    for round in 0..30 {
        let seed = run_seed(round);
        for stop in [Some(200 + 37 * round), None] {
            let stray = [io.stray.any, io.stray.slot, io.stray.side];
            let settings = (16, EventStalls([Stalls::Percent(30); 4]), seed);
            let ports = ((&io.register, &io.answer), (&io.launch[..], &io.complete[..]), stray, settings);
            let bench = EventBench::new(&mut engine, &design, ports.0, ports.1, ports.2, ports.3);
            bench.run(30, stop).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
        }
    }
}

#[test]
fn refuses_parameters_out_of_range() {
    assert_eq!(message(event_controller("e", 1)), "kernels = 1 is out of range");
    assert_eq!(message(event_controller("e", 65)), "kernels = 65 is out of range");
}

/// A side says in every cycle that a kernel is over which does not run: registrations that wait for others go on.
#[test]
fn strays_stop_no_registration() {
    let design = build(event_controller("events", 8));
    let mut engine = jit::simulator(&design);
    let io = &design.ports;
    let mut bench = Bench::new(&mut engine, seed(1));
    let register = bench.source(&design, &io.register, Stalls::Never);
    let answer = bench.sink(&design, &io.answer, Stalls::Never);
    let stray = bench.source(&design, &io.complete[1], Stalls::Never);
    bench.reset().unwrap();
    bench.send(stray, vec![[5u64]; 4000]);
    bench.send(register, [[0, 0, 0], [1, 0, 1], [2, 1, 3]]);
    bench.run_until_received(answer, 3, 400).unwrap();
    assert!(bench.beats(answer).iter().all(|beat| beat.field(1) == 0));
}

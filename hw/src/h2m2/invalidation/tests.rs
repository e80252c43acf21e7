//! What the contract of invalidation says, by hand: which sets are emptied, when the epoch flips, and when it is done.

use super::*;
use crate::h2m2::tests::SMALL;
use hdl::engine::Engine;
use hdl::sim::Simulator;

/// Steps until the next range may come. The sets that were emptied, and in which cycles the epoch flipped and `done` came.
fn run(sim: &mut Simulator, io: &InvalidationPorts) -> (Vec<u64>, Vec<u64>, Vec<u64>) {
    let (mut sets, mut flips, mut done, mut cycle) = (vec![], vec![], vec![], 0);
    while sim.peek(io.pages.ready) == 0 {
        if sim.peek(io.flush_set.valid) == 1 {
            sets.push(sim.peek(io.flush_set.payload));
        }
        for (port, cycles) in [(io.epoch_flips, &mut flips), (io.done, &mut done)] {
            if sim.peek(port) == 1 {
                cycles.push(cycle);
            }
        }
        cycle += 1;
        sim.step();
    }
    (sets, flips, done)
}

/// Behind a reset whose sets are emptied, where nobody holds anything.
fn quiet(design: &Design<InvalidationPorts>) -> (Simulator, Vec<u64>) {
    let (mut sim, io) = (jit::simulator(design), &design.ports);
    sim.reset(2);
    for (port, value) in [(io.flush_set.ready, 1), (io.answered, 1), (io.unused, 3)] {
        sim.poke(port, value);
    }
    assert_eq!(sim.peek(io.starts), 1);
    let (sets, _, done) = run(&mut sim, io);
    assert_eq!((sim.peek(io.starts), done), (0, vec![]), "that is no command");
    (sim, sets)
}

/// A range is taken.
fn take(sim: &mut Simulator, io: &InvalidationPorts, [first, last]: [u64; 2]) {
    for (port, value) in [(io.pages.valid, 1), (io.pages.payload.first, first), (io.pages.payload.last, last)] {
        sim.poke(port, value);
    }
    assert_eq!(sim.peek(io.cancel), 1, "walks of before are out of date");
    sim.step();
    sim.poke(io.pages.valid, 0);
    assert_eq!(sim.peek(io.cancel), 0);
}

#[test]
fn the_sets_of_a_range_are_emptied() {
    let design = invalidation(SMALL).unwrap();
    let (mut sim, sets) = quiet(&design);
    let all: Vec<u64> = (0..SMALL.sets().into()).collect();
    assert_eq!(sets, all, "all of them behind a reset");
    let of_range = |sim: &mut Simulator, range| {
        take(sim, &design.ports, range);
        run(sim, &design.ports).0
    };
    assert_eq!(of_range(&mut sim, [0x35, 0x36]), [5, 6]);
    assert_eq!(of_range(&mut sim, [0x1f, 0x20]), [15, 0]);
    assert_eq!(of_range(&mut sim, [0, 400]).len(), all.len(), "no set twice");
}

#[test]
fn it_is_done_when_the_epoch_has_flipped_and_all_is_answered() {
    let design = invalidation(SMALL).unwrap();
    let (mut sim, _) = quiet(&design);
    let io = &design.ports;
    take(&mut sim, io, [3, 3]);
    let (sets, flips, done) = run(&mut sim, io);
    assert_eq!((sets.len(), flips.len(), done.len()), (1, 1, 1));
    assert!(flips[0] >= u64::from(SETTLE) && done[0] > flips[0], "flipped in cycle {}, done in {}", flips[0], done[0]);

    // a translation of the epoch before is in use: it does not flip
    sim.poke(io.unused, 0);
    take(&mut sim, io, [3, 3]);
    for _ in 0..50 {
        assert_eq!([io.epoch_flips, io.done, io.drained].map(|port| sim.peek(port)), [0; 3]);
        sim.step();
    }
    // a request of before is not answered: it flips, and is not done
    sim.poke(io.unused, 3);
    sim.poke(io.answered, 0);
    for _ in 0..50 {
        assert_eq!(sim.peek(io.done), 0);
        sim.step();
    }
    sim.poke(io.answered, 1);
    assert_eq!(run(&mut sim, io).2, [0]);
}

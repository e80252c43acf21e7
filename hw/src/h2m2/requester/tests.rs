//! What the contract of a requester says, by hand: answers keep the order of requests, and misses hold it.

use super::*;
use crate::h2m2::tests::SMALL;
use hdl::engine::Engine;
use hdl::sim::Simulator;

/// A requester that takes its answers.
fn ready(design: &Design<RequesterPorts>) -> Simulator {
    let mut sim = jit::simulator(design);
    sim.reset(2);
    sim.poke(design.ports.m.ready, 1);
    (0..2).for_each(|_| sim.step());
    sim
}

/// A request of one byte is offered, and granted if it asks. Tells whether it does.
fn ask(sim: &mut Simulator, io: &RequesterPorts, address: u64) -> bool {
    sim.poke(io.s.valid, 1);
    sim.poke(io.s.payload.address, address);
    let asks = sim.peek(io.asks);
    sim.poke(io.granted, asks);
    sim.step();
    sim.poke(io.s.valid, 0);
    sim.poke(io.granted, 0);
    asks == 1
}

/// A result for a slot: the first one, which may have to wait, or a later one.
fn result(sim: &mut Simulator, io: &RequesterPorts, slot: u64, [first, waits]: [u64; 2]) {
    let SlotResult { valid, first: is_first, slot: number, outcome } = io.result;
    for (port, value) in
        [(valid, 1), (is_first, first), (number, slot), (outcome.waits, waits), (outcome.frame, slot + 7)]
    {
        sim.poke(port, value);
    }
    sim.step();
    sim.poke(valid, 0);
}

#[test]
fn answers_keep_the_order_of_requests() {
    let design = requester(SMALL).unwrap();
    let (mut sim, io) = (ready(&design), &design.ports);
    assert!(ask(&mut sim, io, 0x11) && ask(&mut sim, io, 0x22));
    result(&mut sim, io, 0, [1, 1]);
    result(&mut sim, io, 1, [1, 0]);
    for _ in 0..10 {
        assert_eq!(sim.peek(io.m.valid), 0, "the first one waits for its walk");
        sim.step();
    }
    result(&mut sim, io, 0, [0, 0]);
    for (frame, offset) in [(7, 0x11), (8, 0x22)] {
        assert_eq!(sim.peek(io.m.valid), 1);
        assert_eq!(sim.peek(io.m.payload.address), frame << SMALL.page_bits | offset);
        sim.step();
    }
    assert_eq!(sim.peek(io.m.valid), 0, "each has one answer");
}

#[test]
fn four_misses_hold_it() {
    let design = requester(SMALL).unwrap();
    let (mut sim, io) = (ready(&design), &design.ports);
    for slot in 0..MISSES.into() {
        assert!(ask(&mut sim, io, 0), "request {slot}");
        result(&mut sim, io, slot, [1, 1]);
    }
    (0..5).for_each(|_| sim.step());
    assert!(!ask(&mut sim, io, 0), "four miss");
    result(&mut sim, io, 0, [0, 0]);
    assert!(ask(&mut sim, io, 0), "one less");
}

#[test]
fn a_burst_that_ends_in_another_page_says_so() {
    let design = requester(SMALL).unwrap();
    let (mut sim, io) = (ready(&design), &design.ports);
    let page = 1 << SMALL.page_bits;
    for (address, bytes, leaves) in [(page - 64, 64, 0), (page - 64, 65, 1), (page, 4096, 0)] {
        sim.poke(io.s.payload.address, address);
        sim.poke(io.s.payload.bytes_minus_1, bytes - 1);
        assert_eq!(sim.peek(io.leaves), leaves, "{bytes} bytes at {address:#x}");
    }
}

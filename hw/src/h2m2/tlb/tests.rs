//! What the contract of the sets says, by hand: lookups find what was filled in, an emptied set has nothing, and what is to be written gets its
//! cycle.

use super::*;
use crate::h2m2::tests::SMALL;
use hdl::engine::Engine;
use hdl::sim::Simulator;

/// The sets, all of them emptied.
fn emptied(design: &Design<TlbPorts>) -> Simulator {
    let mut sim = jit::simulator(design);
    sim.reset(2);
    (0..SMALL.sets().into()).for_each(|set| flush(&mut sim, &design.ports, set));
    sim
}

fn flush(sim: &mut Simulator, io: &TlbPorts, set: u64) {
    sim.poke(io.flush_set.valid, 1);
    sim.poke(io.flush_set.payload, set);
    while sim.peek(io.flush_set.ready) == 0 {
        sim.step();
    }
    sim.step();
    sim.poke(io.flush_set.valid, 0);
    (0..3).for_each(|_| sim.step()); // it is written
}

/// Offers an entry for reads only; its physical page is 3 more.
fn offer(sim: &mut Simulator, io: &TlbPorts, page: u64, way: u64) {
    let Fill { page: number, place, permitted } = io.fill.payload;
    for (port, value) in [(io.fill.valid, 1), (number, page), (place.way, way), (place.round, 1)] {
        sim.poke(port, value);
    }
    let Permitted { read, write, moving, side, frame } = permitted;
    for (port, value) in [(read, 1), (write, 0), (moving, 0), (side, 1), (frame, page + 3)] {
        sim.poke(port, value);
    }
}

fn fill(sim: &mut Simulator, io: &TlbPorts, page: u64, way: u64) {
    offer(sim, io, page, way);
    while sim.peek(io.fill.ready) == 0 {
        sim.step();
    }
    sim.step();
    sim.poke(io.fill.valid, 0);
    (0..3).for_each(|_| sim.step());
}

/// Found, allowed, and the physical page, three cycles later.
fn look(sim: &mut Simulator, io: &TlbPorts, page: u64, write: u64) -> [u64; 3] {
    for (port, value) in [(io.look.valid, 1), (io.look.page, page), (io.look.write, write)] {
        sim.poke(port, value);
    }
    sim.step();
    sim.poke(io.look.valid, 0);
    (0..2).for_each(|_| sim.step());
    [io.found, io.allowed, io.frame].map(|port| sim.peek(port))
}

#[test]
fn a_lookup_finds_its_page_and_what_it_permits() {
    let design = tlb(SMALL).unwrap();
    let (mut sim, io) = (emptied(&design), &design.ports);
    let (page, same_set) = (0x125, 0x225);
    assert_eq!(look(&mut sim, io, page, 0), [0, 0, 0]);
    fill(&mut sim, io, page, 2);
    assert_eq!(look(&mut sim, io, page, 0), [1, 1, page + 3]);
    assert_eq!(look(&mut sim, io, page, 1), [1, 0, 0], "it permits no writes");
    assert_eq!(look(&mut sim, io, same_set, 0), [0, 0, 0]);
    fill(&mut sim, io, same_set, 1);
    assert_eq!(look(&mut sim, io, page, 0), [1, 1, page + 3], "beside an entry in another way");
}

#[test]
fn a_set_is_emptied_and_no_other() {
    let design = tlb(SMALL).unwrap();
    let (mut sim, io) = (emptied(&design), &design.ports);
    (0..4).for_each(|way| fill(&mut sim, io, 16 * way + 5, way));
    fill(&mut sim, io, 6, 0);
    flush(&mut sim, io, 5);
    for way in 0..4 {
        assert_eq!(look(&mut sim, io, 16 * way + 5, 0)[0], 0, "way {way}");
    }
    assert_eq!(look(&mut sim, io, 6, 0)[0], 1);
}

/// Lookups of its set in every cycle that is not held do not keep an entry from being written.
#[test]
fn what_is_to_be_written_holds_lookups_of_its_set() {
    let design = tlb(SMALL).unwrap();
    let (mut sim, io) = (emptied(&design), &design.ports);
    sim.poke(io.look.page, 5);
    let mut held = 0;
    offer(&mut sim, io, 5, 0);
    for cycle in 0..8 {
        let hold = sim.peek(io.hold);
        held += hold;
        sim.poke(io.look.valid, 1 - hold);
        sim.step();
        sim.poke(io.fill.valid, 0);
        if cycle == 3 {
            assert_eq!(sim.peek(io.fill.ready), 1, "it is written within three cycles");
        }
    }
    assert!(held > 0, "lookups were held");
    assert_eq!(look(&mut sim, io, 5, 0), [1, 1, 8]);
}

//! What the contract of the walks says, by hand: misses to one page share a read, cancelled walks fill nothing in, and the bus gets rid of its
//! data.

use super::*;
use crate::h2m2::tests::SMALL;
use hdl::engine::Engine;
use hdl::sim::Simulator;

/// An entry that may be read, of physical page 9.
const WORD: u64 = 9 << SMALL.page_bits | 3;

/// Walks behind a bus and a TLB that take everything, and a pipeline that takes misses again.
fn ready(design: &Design<WalksPorts>) -> Simulator {
    let (mut sim, io) = (jit::simulator(design), &design.ports);
    sim.reset(2);
    for port in [io.base, io.m_axi.arready, io.fill.ready, io.replay.ready] {
        sim.poke(port, 1);
    }
    sim
}

fn miss(sim: &mut Simulator, io: &WalksPorts, page: u64, slot: u64) {
    for (port, value) in [(io.miss_valid, 1), (io.miss.asker.page, page), (io.miss.asker.slot, slot)] {
        sim.poke(port, value);
    }
    sim.step();
    sim.poke(io.miss_valid, 0);
}

/// Steps, and notes the addresses of reads, what comes back (slot, cause, whether it shared) and pages that are filled in.
#[derive(Default)]
struct Seen {
    reads: Vec<u64>,
    replays: Vec<[u64; 3]>,
    fills: Vec<u64>,
}

impl Seen {
    fn steps(&mut self, sim: &mut Simulator, io: &WalksPorts, cycles: u32) {
        for _ in 0..cycles {
            if sim.peek(io.m_axi.arvalid) == 1 {
                self.reads.push(sim.peek(io.m_axi.araddr));
            }
            if sim.peek(io.replay.valid) == 1 {
                let Replay { asker, walked, shared } = io.replay.payload;
                self.replays.push([asker.slot, walked.cause, shared].map(|port| sim.peek(port)));
            }
            if sim.peek(io.fill.valid) == 1 && sim.peek(io.fill.ready) == 1 {
                self.fills.push(sim.peek(io.fill.payload.page));
            }
            sim.step();
        }
    }
    /// The bus answers one read.
    fn answer(&mut self, sim: &mut Simulator, io: &WalksPorts) {
        for (port, value) in [(io.m_axi.rvalid, 1), (io.m_axi.rdata, WORD)] {
            sim.poke(port, value);
        }
        while sim.peek(io.m_axi.rready) == 0 {
            self.steps(sim, io, 1);
        }
        self.steps(sim, io, 1);
        sim.poke(io.m_axi.rvalid, 0);
    }
}

#[test]
fn misses_to_one_page_share_a_read() {
    let design = walks(SMALL).unwrap();
    let (mut sim, io, mut seen) = (ready(&design), &design.ports, Seen::default());
    miss(&mut sim, io, 5, 1);
    miss(&mut sim, io, 5, 2);
    seen.steps(&mut sim, io, 10);
    assert_eq!(seen.reads, [4096 + 8 * 5]);
    seen.answer(&mut sim, io);
    seen.steps(&mut sim, io, 20);
    assert_eq!(seen.replays, [[1, cause::NONE.into(), 0], [2, cause::NONE.into(), 1]], "in their order");
    assert_eq!((seen.reads.len(), seen.fills), (1, vec![5]));
}

#[test]
fn a_cancelled_walk_answers_its_miss_and_fills_nothing_in() {
    let design = walks(SMALL).unwrap();
    let (mut sim, io, mut seen) = (ready(&design), &design.ports, Seen::default());
    miss(&mut sim, io, 5, 1);
    seen.steps(&mut sim, io, 10);
    sim.poke(io.cancel, 1);
    seen.steps(&mut sim, io, 1);
    sim.poke(io.cancel, 0);
    miss(&mut sim, io, 5, 2);
    seen.steps(&mut sim, io, 10);
    assert_eq!(seen.reads.len(), 2, "a later miss has a walk of its own");
    seen.answer(&mut sim, io);
    seen.answer(&mut sim, io);
    seen.steps(&mut sim, io, 20);
    assert_eq!(seen.replays.len(), 2);
    assert_eq!(seen.fills, [5], "by the second one alone");
}

/// Data are taken at once, or in the third cycle behind others, if the TLB takes the entry of those at once.
#[test]
fn data_wait_for_the_entry_before_them() {
    let design = walks(SMALL).unwrap();
    let (mut sim, io, mut seen) = (ready(&design), &design.ports, Seen::default());
    (0..3).for_each(|page| miss(&mut sim, io, page, page));
    seen.steps(&mut sim, io, 20);
    for wait in [0, 5] {
        assert_eq!(sim.peek(io.m_axi.rready), 1);
        seen.answer(&mut sim, io);
        sim.poke(io.fill.ready, u64::from(wait == 0));
        let ready = |sim: &mut Simulator, seen: &mut Seen| {
            let ready = sim.peek(io.m_axi.rready);
            seen.steps(sim, io, 1);
            ready
        };
        let before: Vec<u64> = (0..2 + wait).map(|_| ready(&mut sim, &mut seen)).collect();
        assert_eq!(before, vec![0; 2 + wait], "it waits");
        sim.poke(io.fill.ready, 1);
        seen.steps(&mut sim, io, u32::from(wait > 0));
        assert_eq!(sim.peek(io.m_axi.rready), 1, "and goes on behind it");
    }
    assert_eq!(seen.fills, [0, 1]);
}

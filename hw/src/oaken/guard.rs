//! Length guard: makes every packet of a stream exactly as long as it should be.
//!
//! It counts the beats of a packet. A packet that ends early is filled with zeros up to its length, the beats of one that
//! ends late are dropped up to its last; either raises a flag for one cycle. Behind it, `last` is always right.
//!
//! | port | |
//! | --- | --- |
//! | `s` | packets as they come; ready is combinational from `m` ready |
//! | `beats_minus_1` | length of a packet, held by the user while a packet is under way |
//! | `start` | 1: a new packet may begin (an open one goes on without it) |
//! | `m` | packets of that length; `first` marks their first beat |
//! | `early`, `late` | one cycle each, at the beat that shows the mistake |
//!
//! Parameters: width of the data, beats of the longest packet (2 to 8192, or 1). Latency 0; one beat a cycle.
//! Combinational: `s` to `m`, `m` ready and `start` to `s` ready, `start` to `m` valid.

use super::types::{Beat, beat};
use hdl::*;

#[derive(Clone, Copy, State)]
enum Phase {
    Pass,
    Pad,
    Drop,
}

/// A beat with both ends of its packet marked.
#[derive(Clone, Copy, Bundle)]
pub struct GuardedBeat {
    /// Elements or codes.
    pub data: Signal,
    /// First beat of the packet.
    pub first: Signal,
    /// Last beat of the packet.
    pub last: Signal,
}

ports! {
    /// Ports of [`length_guard`].
    pub struct GuardPorts(width: u32, count_bits: u32) {
        /// Packets as they come.
        input s: Stream<Beat> = stream(beat(width)),
        /// Beats of a packet, less one.
        input beats_minus_1: Signal = bits(count_bits),
        /// A new packet may begin.
        input start: Signal = bits(1),
        /// Packets of the right length.
        output m: Stream<GuardedBeat> = stream(GuardedBeat { data: bits(width), first: bits(1), last: bits(1) }),
        /// A packet ended early and was filled with zeros.
        output early: Signal = bits(1),
        /// A packet ended late; the surplus is dropped.
        output late: Signal = bits(1),
    }
}

/// A guard for beats of `width` bits and packets of up to `max_beats` beats.
#[module]
pub fn length_guard(width: u32, max_beats: u32) -> Result<Design<GuardPorts>, Errors> {
    let m = Module::new(format!("length_guard_{width}x{max_beats}"));
    m.doc("Makes every packet exactly as long as it should be: fills early ends with zeros, drops late ones.");
    let io = GuardPorts::new(m, width, clog2(max_beats as usize));

    m.section("where in the packet");
    let phase = m.state(Phase::Pass);
    let position = m.reg_reset(bits(clog2(max_beats as usize)), 0);
    let first = position.eq(0);
    let last = position.eq(io.beats_minus_1);
    let open = !first | io.start;

    m.section("handshake");
    let passing = phase.is(Phase::Pass);
    let padding = phase.is(Phase::Pad);
    io.m.valid.set((passing & open & io.s.valid) | padding);
    io.m.payload.data.set(padding.mux(io.s.payload.data.zeros(width), io.s.payload.data));
    io.m.payload.first.set(first);
    io.m.payload.last.set(last);
    io.s.ready.set((passing & open & io.m.ready) | phase.is(Phase::Drop));

    m.section("mistakes");
    let transfer = io.m.transfer();
    let ends_early = transfer & passing & io.s.payload.last & !last;
    let ends_late = transfer & passing & last & !io.s.payload.last;
    io.early.set(ends_early);
    io.late.set(ends_late);

    m.section("update");
    m.when(transfer, || position.set(last.mux(position.zeros(position.width()), position + 1)));
    m.switch(phase, |s| {
        s.case(Phase::Pass, || {
            m.when(ends_early, || phase.set(Phase::Pad)).elsewhen(ends_late, || phase.set(Phase::Drop));
        });
        s.case(Phase::Pad, || m.when(transfer & last, || phase.set(Phase::Pass)));
        s.case(Phase::Drop, || m.when(io.s.valid & io.s.payload.last, || phase.set(Phase::Pass)));
    });
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use ::sim::bus::{Bench, Stalls};
    use fastrand::Rng;
    use hdl::sim::Simulator;

    #[test]
    fn every_packet_gets_its_length() {
        for stalls in [Stalls::Never, Stalls::Percent(35)] {
            let design = length_guard(8, 16).unwrap_or_else(|e| panic!("{e}"));
            let mut engine = Simulator::new(&design);
            let index = |s| design.port_index(s).expect("a port");
            let mut bench = Bench::new(&mut engine, 5);
            let s = bench.source(&design, &design.ports.s, stalls);
            let m = bench.sink(&design, &design.ports.m, stalls);
            bench.engine.poke(index(design.ports.beats_minus_1), 4);
            bench.engine.poke(index(design.ports.start), 1);
            bench.reset().unwrap_or_else(|e| panic!("{e}"));
            let mut rng = Rng::with_seed(1);
            let (mut expected, mut early, mut late) = (vec![], 0, 0);
            for _ in 0..300 {
                let length = rng.u64(1..=9);
                (early, late) = (early + u64::from(length < 5), late + u64::from(length > 5));
                let data: Vec<u64> = (0..length).map(|_| rng.u64(1..256)).collect();
                bench.send(s, data.iter().enumerate().map(|(i, x)| [*x, u64::from(i as u64 + 1 == length)]));
                let beat = |i: usize| [data.get(i).copied().unwrap_or(0), u64::from(i == 0), u64::from(i == 4)];
                expected.extend((0..5).map(beat));
            }
            let (mut seen_early, mut seen_late) = (0, 0);
            for _ in 0..20_000 {
                bench.step().unwrap_or_else(|e| panic!("{e}"));
                // the pulses stand before the edge: look at what the next one will count
                seen_early += bench.engine.peek(index(design.ports.early));
                seen_late += bench.engine.peek(index(design.ports.late));
                if bench.beats(m).len() == expected.len() && bench.unsent(s) == 0 {
                    break;
                }
            }
            let got: Vec<[u64; 3]> = bench.beats(m).iter().map(|b| [b.field(0), b.field(1), b.field(2)]).collect();
            assert_eq!(got, expected);
            if stalls == Stalls::Never {
                assert!(seen_early > 0 && seen_late > 0, "{seen_early} of {early} early, {seen_late} of {late} late");
            }
        }
    }

    #[test]
    fn a_packet_waits_for_start() {
        let design = length_guard(8, 4).unwrap_or_else(|e| panic!("{e}"));
        let mut engine = Simulator::new(&design);
        let start = design.port_index(design.ports.start).expect("a port");
        let mut bench = Bench::new(&mut engine, 5);
        let s = bench.source(&design, &design.ports.s, Stalls::Never);
        let m = bench.sink(&design, &design.ports.m, Stalls::Never);
        bench.engine.poke(design.port_index(design.ports.beats_minus_1).expect("a port"), 1);
        bench.engine.poke(start, 0);
        bench.reset().unwrap_or_else(|e| panic!("{e}"));
        bench.send(s, [[1u64, 0], [2, 1]]);
        bench.run(20).unwrap_or_else(|e| panic!("{e}"));
        assert!(bench.beats(m).is_empty());
        bench.engine.poke(start, 1);
        bench.run_until_received(m, 1, 5).unwrap_or_else(|e| panic!("{e}"));
        // an open packet goes on without it
        bench.engine.poke(start, 0);
        bench.run_until_received(m, 2, 5).unwrap_or_else(|e| panic!("{e}"));
    }
}

//! The list of active positions: beats of entries, of which some are active, become beats of active ones alone.
//!
//! | port | |
//! | --- | --- |
//! | `s` | entries, those that are active marked; any number, also none. `s_ready` follows `m_ready` |
//! | `m` | the active ones in their order, without gaps: all beats are full but the last one of a list, which always comes and may have none. Registers |
//!
//! - Parameters: `entry_bits`, bits of an entry; `lanes`, entries of a beat, 1 to 64.
//! - Throughput: a beat in every cycle, however many are active. Latency: [`latency`] cycles from the last beat of a list to its last beat at most.
//! - Combinational paths: from `m_ready` to `s_ready`.

use crate::oaken::compact::compact;
use crate::stream::pack::{Beats, pack};
use crate::stream::{Beat, beat};
use hdl::*;

/// Entries, some of them active.
#[derive(Clone, Copy, Debug, Bundle)]
pub struct Marked {
    /// All of them.
    pub entries: Vector<Signal>,
    /// One bit for each: it is active.
    pub active: Signal,
    /// The list ends with them.
    pub last: Signal,
}

/// The shape of marked entries.
pub fn marked(entry_bits: u32, lanes: u32) -> Marked {
    Marked { entries: vector(bits(entry_bits), lanes as usize), active: bits(lanes), last: bits(1) }
}

ports! {
    /// Ports of a list of active positions.
    pub struct ActiveListPorts(entry_bits: u32, lanes: u32) {
        /// Entries.
        input s: Stream<Marked> = stream(marked(entry_bits, lanes)),
        /// The active ones.
        output m: Stream<Beat> = stream(beat(entry_bits, lanes)),
    }
}

/// Cycles from the last beat of a list to its last beat, at most.
pub fn latency(lanes: u32) -> u32 {
    // counted, moved together by two levels a stage, packed into two beats
    if lanes == 1 { 1 } else { 1 + clog2(lanes as usize).div_ceil(2) + 2 }
}

/// A list of active positions.
#[module]
pub fn active_list(entry_bits: u32, lanes: u32) -> Result<Design<ActiveListPorts>, Errors> {
    let name = format!("active_list_{lanes}x{entry_bits}");
    if !(1..=64).contains(&lanes) || entry_bits == 0 {
        let help = "1 to 64 lanes, as many as entries are moved together of; entries of a bit or more";
        return Err(Errors::parameter(&name, format!("{lanes} lanes of {entry_bits} bits"), help));
    }
    let m = Module::new(name);
    m.doc("Beats of entries, of which some are active, become beats of active ones alone.");
    let io = ActiveListPorts::new(m, entry_bits, lanes);

    m.section("the active ones of a beat are moved together");
    let (pipeline, s) = m.pipeline_stream("together", io.s, Elastic { collapse: false, flush: None });
    let active: Vec<Signal> = (0..lanes).map(|lane| s.active.bit(lane)).collect();
    let (entries, count) = compact(&s.entries, &active);
    let [count, last] = [count, s.last].map(|x| x.meet(entries[0]));
    let keep = (0..lanes).map(|lane| count.gt(lane));
    let together = m.wire(stream(beat(entry_bits, lanes)));
    let payload = Beat { data: Vector::of(entries).pack(), keep: Vector::of(keep).pack(), last };
    pipeline.leave_stream(payload, together);

    m.section("beats are filled");
    if lanes == 1 {
        // a beat without an entry is there for the end alone
        let there = together.payload.keep | together.payload.last;
        io.m.valid.set(together.valid & there);
        together.ready.set(io.m.ready | !there);
        io.m.payload.set(together.payload);
    } else {
        let packer = m.instance(&pack(entry_bits, lanes, lanes, Beats::Any)?);
        packer.s.set(together);
        io.m.set(packer.m);
    }
    m.finish(io)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;
    use hdl::bus::{Beat as Sent, Bench, Stalls, run_seed};

    /// Lists of any length with any share of active entries, each with a number of its own.
    fn lists(rng: &mut Rng, lanes: usize) -> Vec<Vec<(Vec<u64>, u64)>> {
        let mut number = 0;
        let mut beat = |rng: &mut Rng, share: u8| {
            let entries = (0..lanes).map(|_| {
                number += 1;
                number & 0xffff
            });
            let active = (0..lanes).map(|lane| u64::from(rng.u8(0..100) < share) << lane).sum();
            (entries.collect(), active)
        };
        let mut list = |rng: &mut Rng| {
            let share = [0, 3, 30, 100][rng.usize(0..4)];
            (0..rng.usize(1..12)).map(|_| beat(rng, share)).collect()
        };
        (0..60).map(|_| list(rng)).collect()
    }

    #[test]
    fn each_active_entry_once_and_in_order() {
        for (number, lanes) in [1, 2, 3, 4, 12].into_iter().enumerate() {
            let design = active_list(16, lanes as u32).unwrap();
            let mut sim = jit::simulator(&design);
            for round in 0..3 {
                let seed = run_seed(10 * number as u64 + round);
                let lists = lists(&mut Rng::with_seed(seed), lanes);
                let stalls = [Stalls::Never, Stalls::Percent(40), Stalls::Runs(8)][round as usize];
                let mut bench = Bench::new(&mut sim, seed);
                let s = bench.source(&design, &design.ports.s, stalls);
                let m = bench.sink(&design, &design.ports.m, stalls);
                bench.reset().unwrap();
                let mut expected = vec![];
                for list in &lists {
                    for (i, (entries, active)) in list.iter().enumerate() {
                        let fields = entries.iter().copied().chain([*active, u64::from(i + 1 == list.len())]);
                        bench.send(s, [Sent(fields.map(Into::into).collect())]);
                    }
                    let of = |(entries, active): &(Vec<u64>, u64)| {
                        let active = *active;
                        let there = entries.iter().enumerate().filter(move |(lane, _)| active >> lane & 1 == 1);
                        there.map(|(_, entry)| *entry).collect::<Vec<_>>()
                    };
                    let list: Vec<u64> = list.iter().flat_map(of).collect();
                    let mut beats: Vec<(Vec<u64>, bool)> = list.chunks(lanes).map(|x| (x.to_vec(), false)).collect();
                    match beats.last_mut() {
                        Some(last) => last.1 = true,
                        None => beats.push((vec![], true)),
                    }
                    expected.push(beats);
                }
                bench.run(5000).unwrap();
                assert_eq!(bench.unsent(s), 0);
                let got = bench.beats(m).iter().map(|beat| {
                    let (data, keep) = (beat.0[0].clone(), beat.field(1));
                    let count = keep.trailing_ones();
                    assert_eq!(keep >> count, 0, "no gaps");
                    let entry = |lane: u32| u64::try_from((&data >> (16 * lane)) & BigUint::from(0xffffu32)).unwrap();
                    ((0..count).map(entry).collect(), beat.field(2) == 1)
                });
                check(&got.collect::<Vec<_>>(), &expected, lanes);
            }
        }
    }

    /// The beats of each list; where its entries fill the last one, another one without any may bring the end.
    fn check(got: &[(Vec<u64>, bool)], expected: &[Vec<(Vec<u64>, bool)>], lanes: usize) {
        let lists: Vec<_> = got.split_inclusive(|(_, last)| *last).collect();
        assert_eq!(lists.len(), expected.len());
        for (got, expected) in lists.into_iter().zip(expected) {
            let entries = |beats: &[(Vec<u64>, bool)]| beats.iter().flat_map(|(x, _)| x.clone()).collect::<Vec<_>>();
            assert_eq!(entries(got), entries(expected));
            assert!(got[..got.len() - 1].iter().all(|(x, _)| x.len() == lanes), "full beats");
        }
    }
}

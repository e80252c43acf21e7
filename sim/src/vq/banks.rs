//! How many lookups a cycle lanes get that share the banks of one book, by how far they may run apart: a model of the
//! alternatives of a codebook cache, to choose from before any is built.
//!
//! Every lane has a stream of indices. A bank gives one entry a cycle, with `broadcast` to all lanes that want it; entry `e` is in bank `e mod banks`.

use std::collections::BTreeSet;

/// How lanes share the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All lanes wait until each has its entry.
    Lockstep {
        /// Lanes that want the same entry get it together.
        broadcast: bool,
    },
    /// A lane may run ahead of the slowest one; each looks up in order.
    Slip {
        /// By so many lookups.
        ahead: usize,
        /// Lanes that want the same entry get it together.
        broadcast: bool,
        /// Entries that a bank gives in a cycle.
        ports: usize,
    },
    /// Lanes look up out of order; the oldest lookup goes first.
    Window {
        /// Among so many beats, of which the first is the oldest that is not complete.
        beats: usize,
        /// Lanes that want the same entry get it together.
        broadcast: bool,
    },
}

/// Lookups a cycle and lane. The first `registers` entries are in registers of every lane and need no bank.
pub fn rate(streams: &[Vec<u16>], banks: usize, registers: usize, sharing: Sharing) -> f64 {
    let cycles = match sharing {
        Sharing::Lockstep { broadcast } => lockstep(streams, banks, registers, broadcast),
        Sharing::Slip { ahead, broadcast, ports } => {
            slipping(streams, ahead, || Taken::new(banks, registers, broadcast, ports))
        }
        Sharing::Window { beats, broadcast } => {
            out_of_order(streams, beats, || Taken::new(banks, registers, broadcast, 1))
        }
    };
    streams[0].len() as f64 / cycles as f64
}

/// The bank of an index, unless it is in registers.
fn bank(index: u16, banks: usize, registers: usize) -> Option<usize> {
    (usize::from(index) >= registers).then(|| usize::from(index) % banks)
}

/// Lookups in the bank that has most of them, 1 at least: cycles until all lanes of a beat have their entries.
pub(super) fn busiest(looked_up: impl Iterator<Item = usize>, banks: usize) -> usize {
    let mut loads = vec![0; banks];
    looked_up.for_each(|bank| loads[bank] += 1);
    loads.into_iter().fold(1, usize::max)
}

fn lockstep(streams: &[Vec<u16>], banks: usize, registers: usize, broadcast: bool) -> usize {
    let cycles = |step: usize| {
        let mut indices: Vec<u16> = streams.iter().map(|stream| stream[step]).collect();
        if broadcast {
            indices = indices.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
        }
        busiest(indices.into_iter().filter_map(|index| bank(index, banks, registers)), banks)
    };
    (0..streams[0].len()).map(cycles).sum()
}

/// What the banks give in a cycle.
struct Taken {
    entries: Vec<Vec<u16>>,
    registers: usize,
    broadcast: bool,
    ports: usize,
}

impl Taken {
    fn new(banks: usize, registers: usize, broadcast: bool, ports: usize) -> Self {
        Self { entries: vec![vec![]; banks], registers, broadcast, ports }
    }
    /// Whether a lane has the entry in this cycle.
    fn gives(&mut self, index: u16) -> bool {
        let Some(bank) = bank(index, self.entries.len(), self.registers) else { return true };
        let given = &mut self.entries[bank];
        if self.broadcast && given.contains(&index) {
            return true;
        }
        let free = given.len() < self.ports;
        if free {
            given.push(index);
        }
        free
    }
}

fn slipping(streams: &[Vec<u16>], slip: usize, idle: impl Fn() -> Taken) -> usize {
    let (length, mut done, mut cycles) = (streams[0].len(), vec![0; streams.len()], 0);
    while let Some(&least) = done.iter().min().filter(|least| **least < length) {
        let mut taken = idle();
        let mut order: Vec<usize> = (0..streams.len()).collect();
        // who is behind goes first
        order.sort_by_key(|&lane| done[lane]);
        for lane in order {
            if done[lane] == length || done[lane] > least + slip {
                continue;
            }
            if taken.gives(streams[lane][done[lane]]) {
                done[lane] += 1;
            }
        }
        cycles += 1;
    }
    cycles
}

fn out_of_order(streams: &[Vec<u16>], window: usize, idle: impl Fn() -> Taken) -> usize {
    let (length, mut head, mut cycles) = (streams[0].len(), 0, 0);
    let mut served = vec![vec![false; length]; streams.len()];
    while head < length {
        let mut busy = vec![false; streams.len()];
        let mut taken = idle();
        for step in head..length.min(head + window) {
            for lane in 0..streams.len() {
                if served[lane][step] || busy[lane] {
                    continue;
                }
                if taken.gives(streams[lane][step]) {
                    (served[lane][step], busy[lane]) = (true, true);
                }
            }
        }
        while head < length && served.iter().all(|lane| lane[head]) {
            head += 1;
        }
        cycles += 1;
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // two lanes, two banks: conflict, same entry, no conflict
        let streams = [vec![0, 5, 2], vec![2, 5, 3]];
        assert_eq!(lockstep(&streams, 2, 0, false), 5);
        assert_eq!(lockstep(&streams, 2, 0, true), 4);
        assert_eq!(lockstep(&streams, 2, 6, false), 3);
        // lane 0: 0, 5, 2; lane 1 begins a cycle later: 2, 5, 3
        let [alone, together, two] =
            [(false, 1), (true, 1), (false, 2)].map(|(broadcast, ports)| move || Taken::new(2, 0, broadcast, ports));
        assert_eq!(slipping(&streams, 1, alone), 4);
        // without slip nobody may be ahead
        assert_eq!(slipping(&streams, 0, alone), 5);
        assert_eq!(out_of_order(&streams, 1, alone), 5);
        assert_eq!(out_of_order(&streams, 3, alone), 3);
        // both lanes get 5 at once
        assert_eq!(slipping(&streams, 0, together), 4);
        assert_eq!(out_of_order(&streams, 1, together), 4);
        assert_eq!(slipping(&streams, 0, two), 3);
    }

    #[test]
    fn a_lane_alone_never_waits() {
        let stream: Vec<u16> = (0..100).map(|i| i * 37 % 256).collect();
        for sharing in [
            Sharing::Lockstep { broadcast: false },
            Sharing::Slip { ahead: 3, broadcast: false, ports: 1 },
            Sharing::Window { beats: 4, broadcast: false },
        ] {
            assert_eq!(rate(std::slice::from_ref(&stream), 4, 0, sharing), 1.0);
        }
    }
}

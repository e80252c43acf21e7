//! How many lookups a cycle lanes get that share the banks of one book, by how far they may run apart: a model of the
//! alternatives of a codebook cache, to choose from before any is built.
//!
//! Every lane has a stream of indices. A bank gives one entry a cycle; entry `e` is in bank `e mod banks`.

use std::collections::BTreeSet;

/// How lanes share the banks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// All lanes wait until each has its entry.
    Lockstep {
        /// Lanes that want the same entry get it together.
        broadcast: bool,
    },
    /// A lane may be so many lookups ahead of the slowest one; each looks up in order.
    Slip(usize),
    /// Lanes look up out of order among so many of their next lookups; the oldest goes first.
    Window(usize),
}

/// Lookups a cycle and lane. The first `registers` entries are in registers of every lane and need no bank.
pub fn rate(streams: &[Vec<u16>], banks: usize, registers: usize, sharing: Sharing) -> f64 {
    let cycles = match sharing {
        Sharing::Lockstep { broadcast } => lockstep(streams, banks, registers, broadcast),
        Sharing::Slip(slip) => slipping(streams, banks, registers, slip),
        Sharing::Window(window) => out_of_order(streams, banks, registers, window),
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

fn slipping(streams: &[Vec<u16>], banks: usize, registers: usize, slip: usize) -> usize {
    let (length, mut done, mut cycles) = (streams[0].len(), vec![0; streams.len()], 0);
    while let Some(&least) = done.iter().min().filter(|least| **least < length) {
        let mut taken = vec![false; banks];
        let mut order: Vec<usize> = (0..streams.len()).collect();
        // who is behind goes first
        order.sort_by_key(|&lane| done[lane]);
        for lane in order {
            if done[lane] == length || done[lane] > least + slip {
                continue;
            }
            match bank(streams[lane][done[lane]], banks, registers) {
                Some(bank) if std::mem::replace(&mut taken[bank], true) => {}
                _ => done[lane] += 1,
            }
        }
        cycles += 1;
    }
    cycles
}

fn out_of_order(streams: &[Vec<u16>], banks: usize, registers: usize, window: usize) -> usize {
    let (length, mut head, mut cycles) = (streams[0].len(), 0, 0);
    let mut served = vec![vec![false; length]; streams.len()];
    while head < length {
        let (mut taken, mut busy) = (vec![false; banks], vec![false; streams.len()]);
        for step in head..length.min(head + window) {
            for lane in 0..streams.len() {
                if served[lane][step] || busy[lane] {
                    continue;
                }
                match bank(streams[lane][step], banks, registers) {
                    Some(bank) if std::mem::replace(&mut taken[bank], true) => {}
                    _ => (served[lane][step], busy[lane]) = (true, true),
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
        assert_eq!(slipping(&streams, 2, 0, 1), 4);
        // without slip nobody may be ahead
        assert_eq!(slipping(&streams, 2, 0, 0), 5);
        assert_eq!(out_of_order(&streams, 2, 0, 1), 5);
        assert_eq!(out_of_order(&streams, 2, 0, 3), 3);
    }

    #[test]
    fn a_lane_alone_never_waits() {
        let stream: Vec<u16> = (0..100).map(|i| i * 37 % 256).collect();
        for sharing in [Sharing::Lockstep { broadcast: false }, Sharing::Slip(3), Sharing::Window(4)] {
            assert_eq!(rate(std::slice::from_ref(&stream), 4, 0, sharing), 1.0);
        }
    }
}

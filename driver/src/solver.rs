//! Algorithm 1 (section 4.3.2): for attention, qkv-linear and fc in turn, how many of its parts go to the fast side.
//!
//! Each step takes the number with the least peak time of both sides among those that the capacities allow; of equal ones the least, which
//! leaves more of the fast side to the sublayers that follow. A number is allowed if what is left of both sides still has room for those
//! that follow: the paper's text looks at one sublayer alone and could end without a place for the last.

pub mod exhaustive;
pub mod gap;
#[cfg(test)]
mod tests;

use thiserror::Error;

/// A sublayer as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Parts, at most one million.
    pub parts: u64,
    /// Bytes of a part.
    pub bytes: u64,
    /// Time of a part on the fast side, in picoseconds.
    pub fast: u64,
    /// Time of a part on the large side, in picoseconds.
    pub large: u64,
}

/// What is to be mapped to where.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the fast side.
    pub fast_capacity: u64,
    /// Bytes of the large side.
    pub large_capacity: u64,
    /// Attention, qkv-linear and fc.
    pub loads: [Load; 3],
}

/// How many parts of attention, qkv-linear and fc are on the fast side; the others are on the large side.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mapping(pub [u64; 3]);

/// No mapping at all has room on both sides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{needed} bytes do not fit: {fast} on the fast side and {large} on the large side, in whole parts")]
pub struct DoesNotFit {
    /// Bytes of everything.
    pub needed: u64,
    /// Bytes of the fast side.
    pub fast: u64,
    /// Bytes of the large side.
    pub large: u64,
}

impl Load {
    /// The longer of both sides' times with `fast` parts on the fast side.
    pub fn peak(&self, fast: u64) -> u64 {
        (self.fast * fast).max(self.large * (self.parts - fast))
    }
    /// Fewest and most parts that may be on the fast side when so many bytes are left on each.
    fn allowed(&self, fast_left: u64, large_left: u64) -> Option<(u64, u64)> {
        if self.bytes == 0 {
            return Some((0, self.parts));
        }
        let fewest = self.parts - self.parts.min(large_left / self.bytes);
        let most = self.parts.min(fast_left / self.bytes);
        (fewest <= most).then_some((fewest, most))
    }
    /// The best number between two. The peak falls up to where both sides take equally long and rises after it, so the best is beside that.
    fn best(&self, (fewest, most): (u64, u64)) -> u64 {
        let rate = self.fast + self.large;
        let equal = if rate == 0 { 0 } else { (self.large * self.parts).div_ceil(rate) };
        let below = equal.saturating_sub(1).clamp(fewest, most);
        let above = equal.clamp(fewest, most);
        if self.peak(below) <= self.peak(above) { below } else { above }
    }
}

/// Algorithm 1. Takes well below a microsecond (`cargo bench -p kvforge-driver`) unless memory is so full that the plain steps find no
/// room.
pub fn solve(problem: &Problem) -> Result<Mapping, DoesNotFit> {
    plain(problem).or_else(|| looking_ahead(problem)).ok_or_else(|| does_not_fit(problem))
}

/// Each step by itself. If all three find room, every one of them had left room for the rest, so this is the answer.
fn plain(problem: &Problem) -> Option<Mapping> {
    let (mut fast_left, mut large_left) = (problem.fast_capacity, problem.large_capacity);
    let mut mapping = Mapping::default();
    for (load, chosen) in problem.loads.iter().zip(&mut mapping.0) {
        let n = load.best(load.allowed(fast_left, large_left)?);
        *chosen = n;
        fast_left -= n * load.bytes;
        large_left -= (load.parts - n) * load.bytes;
    }
    Some(mapping)
}

/// Each step by trying all numbers, and only those after which the rest has room.
fn looking_ahead(problem: &Problem) -> Option<Mapping> {
    let (mut fast_left, mut large_left) = (problem.fast_capacity, problem.large_capacity);
    let mut mapping = Mapping::default();
    for (i, load) in problem.loads.iter().enumerate() {
        let rest = &problem.loads[i + 1..];
        let (fewest, most) = load.allowed(fast_left, large_left)?;
        let left = |n: u64| (fast_left - n * load.bytes, large_left - (load.parts - n) * load.bytes);
        let mut numbers: Vec<u64> = (fewest..=most).collect();
        numbers.sort_by_key(|&n| (load.peak(n), n));
        let n = numbers.into_iter().find(|&n| has_room(rest, left(n)))?;
        mapping.0[i] = n;
        (fast_left, large_left) = left(n);
    }
    Some(mapping)
}

/// Whether there is a mapping of these sublayers into what is left.
fn has_room(loads: &[Load], (fast_left, large_left): (u64, u64)) -> bool {
    let Some((load, rest)) = loads.split_first() else { return true };
    let Some((fewest, most)) = load.allowed(fast_left, large_left) else { return false };
    let after = |n: u64| (fast_left - n * load.bytes, large_left - (load.parts - n) * load.bytes);
    rest.is_empty() || (fewest..=most).any(|n| has_room(rest, after(n)))
}

fn does_not_fit(problem: &Problem) -> DoesNotFit {
    let needed = problem.loads.iter().map(|load| load.parts * load.bytes).sum();
    DoesNotFit { needed, fast: problem.fast_capacity, large: problem.large_capacity }
}

impl Problem {
    /// Bytes of a mapping on the fast and on the large side.
    pub fn bytes(&self, mapping: Mapping) -> (u64, u64) {
        let on = |part: fn(&Load, u64) -> u64| {
            self.loads.iter().zip(mapping.0).map(|(load, n)| load.bytes * part(load, n)).sum::<u64>()
        };
        (on(|_, n| n), on(|load, n| load.parts - n))
    }
    /// Whether a mapping has room on both sides.
    pub fn fits(&self, mapping: Mapping) -> bool {
        let (fast, large) = self.bytes(mapping);
        fast <= self.fast_capacity && large <= self.large_capacity
    }
    /// Time of a mapping: the sublayers follow each other, each as long as its longer side.
    pub fn time(&self, mapping: Mapping) -> u64 {
        self.loads.iter().zip(mapping.0).map(|(load, n)| load.peak(n)).sum()
    }
}

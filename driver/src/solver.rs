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

/// Most parts of a sublayer: as many as a [`Shape`](crate::shape::Shape) may have heads.
pub const MAX_PARTS: u64 = 1 << 20;

/// A sublayer as the solver sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Parts, at most [`MAX_PARTS`].
    pub parts: u64,
    /// Bytes of a part; those of all parts together are below 2^60. Without parts, bytes and times count for nothing.
    pub bytes: u64,
    /// Time of a part on the fast side, in picoseconds; below 2^60 for all of them.
    pub fast: u64,
    /// Time of a part on the large side, in picoseconds; below 2^60 for all of them.
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

/// Why there is no mapping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum NoMapping {
    /// No mapping at all has room on both sides.
    #[error("{needed} bytes do not fit: {fast} on the fast side and {large} on the large side, in whole parts")]
    DoesNotFit {
        /// Bytes of everything.
        needed: u64,
        /// Bytes of the fast side.
        fast: u64,
        /// Bytes of the large side.
        large: u64,
    },
    /// More parts than are looked at.
    #[error("a sublayer has {0} parts; legal are at most 1048576")]
    Parts(u64),
    /// A sum would not fit 64 bits.
    #[error("the bytes and the times of all parts of a sublayer must be below 2^60")]
    TooLarge,
}

impl Load {
    /// The longer of both sides' times with `fast` parts on the fast side; `u64::MAX` if 64 bits do not hold it.
    ///
    /// # Panics
    /// If there are not so many parts.
    #[track_caller]
    pub fn peak(&self, fast: u64) -> u64 {
        let on_large = self.on_large(fast);
        self.fast.saturating_mul(fast).max(self.large.saturating_mul(on_large))
    }
    /// Parts of the large side.
    #[track_caller]
    fn on_large(&self, fast: u64) -> u64 {
        let parts = self.parts;
        let wrong = || panic!("fast = {fast} parts is out of range; legal is 0 to {parts}");
        parts.checked_sub(fast).unwrap_or_else(wrong)
    }
    /// The same, in a problem that has been checked.
    fn checked_peak(&self, fast: u64) -> u64 {
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
        // without parts, the times may be any
        let rate = self.fast.saturating_add(self.large);
        let equal = if rate == 0 { 0 } else { (self.large * self.parts).div_ceil(rate) };
        let below = equal.saturating_sub(1).clamp(fewest, most);
        let above = equal.clamp(fewest, most);
        if self.checked_peak(below) <= self.checked_peak(above) { below } else { above }
    }
    /// All numbers between two, those of lower peak first, of equal ones the least: what is below the best one and what is above it are
    /// in that order by themselves.
    fn best_first(&self, (fewest, most): (u64, u64)) -> impl Iterator<Item = u64> {
        let best = self.best((fewest, most));
        let mut below = (fewest..best).rev().peekable();
        let mut above = (best..=most).peekable();
        std::iter::from_fn(move || match (below.peek(), above.peek()) {
            (Some(&low), Some(&high)) if self.checked_peak(low) <= self.checked_peak(high) => below.next(),
            (_, Some(_)) => above.next(),
            _ => below.next(),
        })
    }
    /// Whether there is a mapping of this sublayer and another one into what is left.
    fn has_room_beside(&self, other: &Load, fast_left: u64, large_left: u64) -> bool {
        if self.bytes == 0 || other.bytes == 0 {
            let with_bytes = if self.bytes == 0 { other } else { self };
            return with_bytes.allowed(fast_left, large_left).is_some();
        }
        let (all_other, all_own) = (other.parts * other.bytes, self.parts * self.bytes);
        // the fast side takes so many bytes at least, else the large side has no room for the rest
        let least = (all_own + all_other).saturating_sub(large_left);
        let Some(slack) = fast_left.checked_sub(least) else { return false };
        let fewest = least.saturating_sub(all_other).div_ceil(self.bytes);
        let most = self.parts.min(fast_left / self.bytes);
        if fewest > most {
            return false;
        }
        // all parts of the other one beside the fewest of this one, or none beside the most
        if fast_left - fewest * self.bytes >= all_other || most * self.bytes >= least {
            return true;
        }
        // a number has room if as many parts of the other one as fit beside it leave no more than the slack
        let beside_fewest = (fast_left - fewest * self.bytes) % other.bytes;
        beside_fewest <= slack
            || first_between(self.bytes, other.bytes, beside_fewest - slack, beside_fewest)
                .is_some_and(|more| more <= most - fewest)
    }
}

/// Algorithm 1. How long it takes, in nearly full memories, too, measures `cargo bench -p kvforge-driver` (docs/h2m2-model.md).
pub fn solve(problem: &Problem) -> Result<Mapping, NoMapping> {
    let needed = problem.check()?;
    let (fast, large) = (problem.fast_capacity, problem.large_capacity);
    let more = needed > fast.saturating_add(large);
    let found = if more { None } else { plain(problem).or_else(|| looking_ahead(problem)) };
    found.ok_or(NoMapping::DoesNotFit { needed, fast, large })
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

/// Each step by trying numbers, the best ones first, until the rest has room.
fn looking_ahead(problem: &Problem) -> Option<Mapping> {
    let (mut fast_left, mut large_left) = (problem.fast_capacity, problem.large_capacity);
    let mut mapping = Mapping::default();
    for (i, load) in problem.loads.iter().enumerate() {
        let rest = &problem.loads[i + 1..];
        let left = |n: u64| (fast_left - n * load.bytes, large_left - (load.parts - n) * load.bytes);
        // what is free in the end, and what the rest's share of the fast side is a multiple of: most numbers fail by these
        let bytes = problem.loads[i..].iter().map(|load| load.parts * load.bytes).sum();
        let slack = fast_left.saturating_add(large_left).checked_sub(bytes)?;
        let unit = rest.iter().fold(0, |unit, load| greatest_common_divisor(unit, load.bytes)).max(1);
        let has_room = |n: &u64| left(*n).0 % unit <= slack && has_room(rest, left(*n));
        let n = load.best_first(load.allowed(fast_left, large_left)?).find(has_room)?;
        mapping.0[i] = n;
        (fast_left, large_left) = left(n);
    }
    Some(mapping)
}

fn greatest_common_divisor(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { greatest_common_divisor(b, a % b) }
}

/// Whether there is a mapping of these sublayers, two at most, into what is left.
fn has_room(loads: &[Load], (fast_left, large_left): (u64, u64)) -> bool {
    match loads {
        [] => true,
        [load] => load.allowed(fast_left, large_left).is_some(),
        [load, other, ..] => load.has_room_beside(other, fast_left, large_left),
    }
}

/// The least `n` for which `n a` modulo `m` lies between two numbers below `m`. Like Euclid's algorithm, it halves the numbers in each
/// step, so it takes a hundred steps at most.
fn first_between(a: u64, m: u64, least: u64, most: u64) -> Option<u64> {
    if least == 0 {
        return Some(0);
    }
    let a = a % m;
    if 2 * a > m {
        return first_between(m - a, m, m - most, m - least);
    }
    if a == 0 {
        return None;
    }
    let n = least.div_ceil(a);
    if n * a <= most {
        return Some(n);
    }
    // no multiple of a lies between: how often must m be gone round, so that one does?
    let rounds = first_between(a - m % a, a, least % a, most % a)?;
    Some((u128::from(m) * u128::from(rounds) + u128::from(least)).div_ceil(a.into()) as u64)
}

impl Problem {
    /// Checks that nothing exceeds 64 bits later; gives the bytes of everything.
    fn check(&self) -> Result<u64, NoMapping> {
        let mut needed = 0;
        for load in &self.loads {
            if load.parts > MAX_PARTS {
                return Err(NoMapping::Parts(load.parts));
            }
            let longest = load.bytes.max(load.fast).max(load.large);
            if longest.checked_mul(load.parts).is_none_or(|product| product >> 60 != 0) {
                return Err(NoMapping::TooLarge);
            }
            needed += load.parts * load.bytes;
        }
        Ok(needed)
    }
    /// Bytes of a mapping on the fast and on the large side.
    ///
    /// # Panics
    /// If the mapping has more parts of a sublayer on the fast side than there are.
    #[track_caller]
    pub fn bytes(&self, mapping: Mapping) -> (u64, u64) {
        let (mut fast, mut large) = (0, 0);
        for (load, n) in self.loads.iter().zip(mapping.0) {
            large += load.bytes * load.on_large(n);
            fast += load.bytes * n;
        }
        (fast, large)
    }
    /// Whether a mapping has room on both sides. One with more parts of a sublayer than there are has none.
    pub fn fits(&self, mapping: Mapping) -> bool {
        if self.loads.iter().zip(mapping.0).any(|(load, n)| n > load.parts) {
            return false;
        }
        let (fast, large) = self.bytes(mapping);
        fast <= self.fast_capacity && large <= self.large_capacity
    }
    /// Time of a mapping, in picoseconds: the sublayers follow each other, each as long as its longer side.
    ///
    /// # Panics
    /// If the mapping has more parts of a sublayer on the fast side than there are.
    pub fn time(&self, mapping: Mapping) -> u64 {
        self.loads.iter().zip(mapping.0).map(|(load, n)| load.peak(n)).sum()
    }
}

//! The best of all mappings, found by trying all of them: what Algorithm 1 is measured against (section 4.3.1: N^3 of them).

use super::{Mapping, Problem};

/// The mapping of least time that has room, by any measure of time; `None` if none has room.
///
/// Of equal ones the first. Takes time that grows with the product of the parts: 884,736 for GPT3-175B.
pub fn best(problem: &Problem, time: impl Fn(Mapping) -> u64) -> Option<(Mapping, u64)> {
    let mut best = None;
    for mapping in all(problem).filter(|&mapping| problem.fits(mapping)) {
        let time = time(mapping);
        if best.is_none_or(|(_, least)| time < least) {
            best = Some((mapping, time));
        }
    }
    best
}

/// All mappings, those without room too.
pub fn all(problem: &Problem) -> impl Iterator<Item = Mapping> {
    let [attention, qkv_linear, fc] = problem.loads.map(|load| load.parts);
    let pairs = (0..=attention).flat_map(move |a| (0..=qkv_linear).map(move |q| (a, q)));
    pairs.flat_map(move |(a, q)| (0..=fc).map(move |f| Mapping([a, q, f])))
}

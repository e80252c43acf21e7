//! Multiplexers that become jumps: those with much work that only one of the two sides needs.

use super::Logic;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// Needed by nobody so far.
const NOBODY: u32 = 0;
/// Needed by more than one side of one condition.
const ALL: u32 = 1;
/// Needed by nothing but arms of choices.
const IN_ARMS: u32 = 2;

/// Marks the conditions whose multiplexers have at least so much work on their sides, `worth` and one more for each of them.
///
/// A condition of a multiplexer in the arm of a choice is left alone: multiplexers of one condition are decided together, which would
/// take the work of all arms out of them.
pub fn branches(logic: &impl Logic, roots: &[u32], worth: usize) -> Vec<bool> {
    let n = logic.count();
    // The side that needs each value: `NOBODY`, `ALL`, `IN_ARMS`, or 3 and more.
    let mut owner = vec![NOBODY; n];
    roots.iter().for_each(|root| owner[*root as usize] = ALL);
    let mut sides: HashMap<u32, u32> = HashMap::default();
    let (mut work, mut muxes) = (vec![0usize; 3], vec![0usize; 3]);
    let mut in_arms = HashSet::default();
    for node in (0..n as u32).rev() {
        let by = owner[node as usize];
        if by == NOBODY || logic.is_free(node) {
            continue;
        }
        work[by as usize] += 1;
        let mux = logic.mux(node);
        if let Some([condition, ..]) = mux.filter(|_| by == IN_ARMS) {
            in_arms.insert(condition);
        }
        if let Some([condition, yes, no]) = mux.filter(|_| by != IN_ARMS) {
            let side = *sides.entry(condition).or_insert(work.len() as u32);
            work.resize(work.len().max(side as usize + 2), 0);
            muxes.resize(work.len(), 0);
            muxes[side as usize] += 1;
            join(&mut owner[condition as usize], ALL);
            join(&mut owner[yes as usize], side);
            join(&mut owner[no as usize], side + 1);
        } else if logic.choice(node).is_some() {
            logic.each_operand(node, &mut |x| join(&mut owner[x as usize], IN_ARMS));
        } else {
            logic.each_operand(node, &mut |x| join(&mut owner[x as usize], by));
        }
    }
    let mut branches = vec![false; n];
    for (condition, side) in sides.into_iter().filter(|(condition, _)| !in_arms.contains(condition)) {
        let side = side as usize;
        branches[condition as usize] = work[side] + work[side + 1] >= worth + muxes[side];
    }
    branches
}

fn join(owner: &mut u32, by: u32) {
    *owner = match *owner {
        NOBODY => by,
        same if same == by => by,
        _ => ALL,
    }
}

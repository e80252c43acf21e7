//! The order in which states take their next values.

use super::compile::Commit;
use rustc_hash::FxHashMap as HashMap;

/// Orders copies between states such that each state is read before it is written. Those that wait for each other in
/// a circle are returned apart. Copies of a state to itself are dropped.
pub(super) fn order(commits: Vec<Commit>) -> (Vec<Commit>, Vec<Commit>) {
    let commits: Vec<Commit> = commits.into_iter().filter(|c| c.src != c.dst).collect();
    let limbs_of = |c: &Commit| c.dst..c.dst + c.limbs;
    let owner: HashMap<u32, usize> =
        commits.iter().enumerate().flat_map(|(i, c)| limbs_of(c).map(move |limb| (limb, i))).collect();
    // A source lies within one state, or within none.
    let reads: Vec<Option<usize>> = commits.iter().map(|c| owner.get(&c.src).copied()).collect();
    let mut readers = vec![0; commits.len()];
    reads.iter().flatten().for_each(|i| readers[*i] += 1);
    let mut ready: Vec<usize> = (0..commits.len()).rev().filter(|i| readers[*i] == 0).collect();
    let mut ordered = Vec::with_capacity(commits.len());
    let mut done = vec![false; commits.len()];
    while let Some(i) = ready.pop() {
        done[i] = true;
        ordered.push(commits[i]);
        if let Some(j) = reads[i] {
            readers[j] -= 1;
            if readers[j] == 0 {
                ready.push(j);
            }
        }
    }
    let circular = (0..commits.len()).filter(|i| !done[*i]).map(|i| commits[i]).collect();
    (ordered, circular)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(dst: u32, src: u32) -> Commit {
        Commit { dst, src, limbs: 1, domain: 0 }
    }

    #[test]
    fn readers_come_first() {
        let (ordered, circular) = order(vec![commit(0, 9), commit(1, 0), commit(2, 1), commit(3, 3)]);
        assert_eq!(ordered.iter().map(|c| c.dst).collect::<Vec<_>>(), [2, 1, 0]);
        assert!(circular.is_empty());
    }

    #[test]
    fn circles_are_found() {
        let (ordered, circular) = order(vec![commit(0, 1), commit(1, 0), commit(2, 0)]);
        assert_eq!(ordered.iter().map(|c| c.dst).collect::<Vec<_>>(), [2]);
        assert_eq!(circular.iter().map(|c| c.dst).collect::<Vec<_>>(), [0, 1]);
    }
}

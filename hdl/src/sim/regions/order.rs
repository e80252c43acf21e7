//! An order of the work in which choices that can be made together stand together.

use super::{Item, Logic, Node};
use rustc_hash::FxHashMap as HashMap;
use std::collections::BTreeSet;

/// Work, and the members of each group.
pub(super) struct Order {
    pub order: Vec<Item>,
    pub groups: Vec<Vec<Node>>,
}

/// Choices with one selector and one table.
#[derive(Default)]
struct Bucket {
    /// Those that wait for nothing else.
    ready: Vec<Node>,
    /// How many have no place in the order.
    left: usize,
}

struct Sorter {
    /// Operands of each value that have no place yet.
    waits: Vec<u32>,
    /// Users of each value, as one list with the start of each value's part.
    start: Vec<u32>,
    users: Vec<Node>,
    /// The bucket of each choice.
    bucket: HashMap<Node, usize>,
    buckets: Vec<Bucket>,
    /// Values other than choices that wait for nothing.
    ready: Vec<Node>,
    /// Buckets of which all are ready, and others of which some are.
    complete: Vec<usize>,
    begun: BTreeSet<usize>,
}

/// Orders everything that the roots need and that is not done.
pub(super) fn order(logic: &impl Logic, roots: &[Node], done: &[bool]) -> Order {
    let wanted = wanted(logic, roots, done);
    let mut s = Sorter::new(logic, &wanted);
    let all = (0..logic.count() as Node).filter(|n| wanted[*n as usize]);
    let (mut order, mut groups) = (vec![], vec![]);
    if s.buckets.is_empty() {
        return Order { order: all.map(Item::Node).collect(), groups };
    }
    all.filter(|n| s.waits[*n as usize] == 0).collect::<Vec<_>>().into_iter().rev().for_each(|n| s.release(n));
    loop {
        while let Some(node) = s.ready.pop() {
            order.push(Item::Node(node));
            s.finish(node);
        }
        // A bucket that is complete can lose nothing; of the others any may be the better one.
        let next = s.complete.pop().or_else(|| s.begun.pop_first());
        let Some(bucket) = next else { break };
        let mut members = std::mem::take(&mut s.buckets[bucket].ready);
        s.buckets[bucket].left -= members.len();
        members.sort_unstable();
        order.push(Item::Group(groups.len() as u32));
        members.iter().for_each(|node| s.finish(*node));
        groups.push(members);
    }
    Order { order, groups }
}

/// What the roots need and is not there.
fn wanted(logic: &impl Logic, roots: &[Node], done: &[bool]) -> Vec<bool> {
    let absent = |n: Node| !logic.is_free(n) && !done.get(n as usize).is_some_and(|d| *d);
    let mut wanted = vec![false; logic.count()];
    roots.iter().filter(|n| absent(**n)).for_each(|n| wanted[*n as usize] = true);
    for n in (0..wanted.len()).rev() {
        if wanted[n] {
            logic.each_operand(n as Node, &mut |x| wanted[x as usize] |= absent(x));
        }
    }
    wanted
}

impl Sorter {
    fn new(logic: &impl Logic, wanted: &[bool]) -> Sorter {
        let n = wanted.len();
        let all = || (0..n).filter(|n| wanted[*n]);
        let (mut buckets, mut bucket): (Vec<Bucket>, HashMap<Node, usize>) = Default::default();
        let mut keys = HashMap::default();
        for node in all() {
            let Some(choice) = logic.choice(node as Node) else { continue };
            let index = *keys.entry((choice.selector, choice.labels)).or_insert(buckets.len());
            buckets.resize_with(buckets.len().max(index + 1), Bucket::default);
            buckets[index].left += 1;
            bucket.insert(node as Node, index);
        }
        let (mut start, mut waits) = (vec![0u32; n + 1], vec![0u32; n]);
        for node in all() {
            logic.each_operand(node as Node, &mut |x| {
                let counts = u32::from(wanted[x as usize]);
                start[x as usize + 1] += counts;
                waits[node] += counts;
            });
        }
        (0..n).for_each(|i| start[i + 1] += start[i]);
        let (mut users, mut fill) = (vec![0; start[n] as usize], start.clone());
        for node in all() {
            logic.each_operand(node as Node, &mut |x| {
                if wanted[x as usize] {
                    users[fill[x as usize] as usize] = node as Node;
                    fill[x as usize] += 1;
                }
            });
        }
        let (ready, complete, begun) = Default::default();
        Sorter { waits, start, users, bucket, buckets, ready, complete, begun }
    }

    /// Nothing that it waits for is left.
    fn release(&mut self, node: Node) {
        let Some(&index) = self.bucket.get(&node) else { return self.ready.push(node) };
        let bucket = &mut self.buckets[index];
        bucket.ready.push(node);
        if bucket.ready.len() == bucket.left {
            self.begun.remove(&index);
            self.complete.push(index);
        } else {
            self.begun.insert(index);
        }
    }

    /// It has its place.
    fn finish(&mut self, node: Node) {
        for at in self.start[node as usize]..self.start[node as usize + 1] {
            let user = self.users[at as usize];
            self.waits[user as usize] -= 1;
            if self.waits[user as usize] == 0 {
                self.release(user);
            }
        }
    }
}

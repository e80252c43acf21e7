//! The regions in which each value is computed. A region is what is done always, or in one arm of a group; regions are a tree.

use super::{Item, Logic, Node};

/// What is done always.
pub(super) const ROOT: u32 = 0;
/// Arms that may compute the same value, each for itself.
const MOST_COPIES: usize = 256;
/// Values that these copies may come to, with what they are computed from.
const MOST_WORK: usize = 1024;

/// Where everything is computed.
pub(super) struct Homes {
    /// Number of regions.
    pub regions: usize,
    /// The regions of each value, none of which is within another.
    pub nodes: Vec<Vec<u32>>,
    pub groups: Vec<GroupRegions>,
}

/// The regions of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct GroupRegions {
    /// Where it is done.
    pub home: u32,
    /// Arms and their regions, by arm.
    pub arms: Vec<(u32, u32)>,
    pub default: u32,
}

impl GroupRegions {
    /// Where an arm stands in the list.
    pub fn arm(&self, number: u32) -> usize {
        self.arms.binary_search_by_key(&number, |(arm, _)| *arm).expect("all arms of the members are listed")
    }
}

/// Finds a home for everything in the order.
pub(super) fn homes(logic: &impl Logic, roots: &[Node], order: &[Item], groups: &[Vec<Node>]) -> Homes {
    let first = Search::new(logic, roots, order, groups, vec![]).run();
    let early = early(logic, order, &first.nodes);
    match early.contains(&true) {
        true => Search::new(logic, roots, order, groups, early).run(),
        false => first,
    }
}

/// Which values are better computed once, before the jump, than in several arms.
fn early(logic: &impl Logic, order: &[Item], homes: &[Vec<u32>]) -> Vec<bool> {
    let mut early = vec![false; homes.len()];
    // What a copy of each value comes to.
    let mut work = vec![0usize; homes.len()];
    for item in order {
        let Item::Node(node) = *item else { continue };
        let copies = homes[node as usize].len();
        if copies < 2 {
            continue;
        }
        let mut sum = 1usize;
        logic.each_operand(node, &mut |x| sum = sum.saturating_add(work[x as usize]));
        if sum.saturating_mul(copies) > MOST_WORK {
            early[node as usize] = true;
        } else {
            work[node as usize] = sum;
        }
    }
    early
}

struct Search<'a, L> {
    logic: &'a L,
    order: &'a [Item],
    members: &'a [Vec<Node>],
    /// Values that have one home at most.
    early: Vec<bool>,
    /// The region around each region, and how many there are.
    parent: Vec<u32>,
    depth: Vec<u32>,
    nodes: Vec<Vec<u32>>,
}

impl<'a, L: Logic> Search<'a, L> {
    fn new(logic: &'a L, roots: &[Node], order: &'a [Item], members: &'a [Vec<Node>], early: Vec<bool>) -> Self {
        let mut nodes = vec![vec![]; logic.count()];
        roots.iter().for_each(|root| nodes[*root as usize] = vec![ROOT]);
        Search { logic, order, members, early, parent: vec![ROOT], depth: vec![0], nodes }
    }

    /// From the users to what they use.
    fn run(mut self) -> Homes {
        let mut groups = vec![GroupRegions::default(); self.members.len()];
        for item in self.order.iter().rev() {
            match *item {
                Item::Node(node) => {
                    let homes = self.take(node);
                    let single = self.early.get(node as usize).is_some_and(|e| *e) || homes.len() > MOST_COPIES;
                    let homes = if single { vec![self.around(&homes)] } else { homes };
                    let Search { logic, nodes, .. } = &mut self;
                    logic.each_operand(node, &mut |x| need(*logic, nodes, x, &homes));
                    self.nodes[node as usize] = homes;
                }
                Item::Group(group) => groups[group as usize] = self.group(group),
            }
        }
        Homes { regions: self.parent.len(), nodes: self.nodes, groups }
    }

    fn region(&mut self, parent: u32) -> u32 {
        self.parent.push(parent);
        self.depth.push(self.depth[parent as usize] + 1);
        self.parent.len() as u32 - 1
    }

    fn group(&mut self, group: u32) -> GroupRegions {
        let (logic, members) = (self.logic, &self.members[group as usize]);
        let mut homes: Vec<u32> = members.iter().flat_map(|m| std::mem::take(&mut self.nodes[*m as usize])).collect();
        homes.sort_unstable();
        homes.dedup();
        let home = self.around(&homes);
        let mut arms = vec![];
        members.iter().for_each(|m| logic.each_arm(*m, &mut |arm, _| arms.push(arm)));
        arms.sort_unstable();
        arms.dedup();
        let arms = arms.into_iter().map(|arm| (arm, self.region(home))).collect();
        let regions = GroupRegions { home, arms, default: self.region(home) };
        for &member in members {
            self.nodes[member as usize] = vec![home];
            let mut listed = 0;
            logic.each_arm(member, &mut |arm, value| {
                need(logic, &mut self.nodes, value, &[regions.arms[regions.arm(arm)].1]);
                listed += 1;
            });
            let Some(choice) = logic.choice(member) else { continue };
            need(logic, &mut self.nodes, choice.selector, &[home]);
            let default = if listed < regions.arms.len() { home } else { regions.default };
            need(logic, &mut self.nodes, choice.default, &[default]);
        }
        regions
    }

    /// The regions that need a value, without those within others of them.
    fn take(&mut self, node: Node) -> Vec<u32> {
        let mut homes = std::mem::take(&mut self.nodes[node as usize]);
        if homes.len() == 1 {
            return homes;
        }
        homes.sort_unstable();
        homes.dedup();
        if homes.first().is_none_or(|first| *first == ROOT) {
            return vec![ROOT];
        }
        let within = |region: u32| {
            let mut around = self.parent[region as usize];
            while around != ROOT && homes.binary_search(&around).is_err() {
                around = self.parent[around as usize];
            }
            around != ROOT
        };
        homes.iter().copied().filter(|r| !within(*r)).collect()
    }

    /// The innermost region that all of these are in.
    fn around(&self, homes: &[u32]) -> u32 {
        homes.iter().copied().reduce(|a, b| self.both(a, b)).unwrap_or(ROOT)
    }

    fn both(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b {
            let deeper = if self.depth[a as usize] >= self.depth[b as usize] { &mut a } else { &mut b };
            *deeper = self.parent[*deeper as usize];
        }
        a
    }
}

/// These regions need a value.
fn need<L: Logic>(logic: &L, nodes: &mut [Vec<u32>], node: Node, homes: &[u32]) {
    let known = &mut nodes[node as usize];
    if !logic.is_free(node) && known[..] != [ROOT] {
        match homes {
            [ROOT] => *known = vec![ROOT],
            _ => known.extend(homes),
        }
    }
}

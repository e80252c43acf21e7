//! Small graphs: values are numbers, in the order in which they are added.

use super::*;

enum Kind {
    Free,
    Computed(Vec<u32>),
    Mux([u32; 3]),
    Choice(Choice, Vec<(u32, u32)>),
}

#[derive(Default)]
struct Toy {
    nodes: Vec<Kind>,
    branches: Vec<bool>,
}

impl Toy {
    fn add(&mut self, kind: Kind) -> u32 {
        self.nodes.push(kind);
        self.nodes.len() as u32 - 1
    }
    fn free(&mut self) -> u32 {
        self.add(Kind::Free)
    }
    fn node<const N: usize>(&mut self, operands: [u32; N]) -> u32 {
        self.add(Kind::Computed(operands.to_vec()))
    }
    /// A choice by a selector and table 0.
    fn pick(&mut self, selector: u32, arms: &[(u32, u32)], default: u32) -> u32 {
        self.add(Kind::Choice(Choice { selector, labels: 0, default }, arms.to_vec()))
    }
    fn plan(&self, roots: &[u32]) -> Regions {
        regions(self, roots, &[])
    }
}

impl Logic for Toy {
    fn count(&self) -> usize {
        self.nodes.len()
    }
    fn is_free(&self, node: u32) -> bool {
        matches!(self.nodes[node as usize], Kind::Free)
    }
    fn each_operand(&self, node: u32, f: &mut dyn FnMut(u32)) {
        match &self.nodes[node as usize] {
            Kind::Free => {}
            Kind::Computed(operands) => operands.iter().for_each(|x| f(*x)),
            Kind::Mux(operands) => operands.iter().for_each(|x| f(*x)),
            Kind::Choice(choice, arms) => {
                f(choice.selector);
                arms.iter().for_each(|(_, x)| f(*x));
                f(choice.default);
            }
        }
    }
    fn mux(&self, node: u32) -> Option<[u32; 3]> {
        match self.nodes[node as usize] {
            Kind::Mux(operands) => Some(operands),
            _ => None,
        }
    }
    fn choice(&self, node: u32) -> Option<Choice> {
        match self.nodes[node as usize] {
            Kind::Choice(choice, _) => Some(choice),
            Kind::Mux([selector, _, default]) if self.branches.get(selector as usize) == Some(&true) => {
                Some(Choice { selector, labels: BRANCH, default })
            }
            _ => None,
        }
    }
    fn each_arm(&self, node: u32, f: &mut dyn FnMut(u32, u32)) {
        match &self.nodes[node as usize] {
            Kind::Choice(_, arms) => arms.iter().for_each(|(arm, x)| f(*arm, *x)),
            Kind::Mux([_, yes, _]) => f(0, *yes),
            _ => {}
        }
    }
}

fn nodes(items: &[Item]) -> Vec<u32> {
    let node = |item: &Item| match item {
        Item::Node(node) => Some(*node),
        Item::Group(_) => None,
    };
    items.iter().filter_map(node).collect()
}

#[test]
fn what_one_arm_needs_is_computed_in_it() {
    let mut t = Toy::default();
    let (selector, x) = (t.free(), t.free());
    let inner = t.node([x]);
    let (first, second, everywhere) = (t.node([inner]), t.node([x]), t.node([x]));
    let choice = t.pick(selector, &[(0, first), (3, second)], everywhere);
    let plan = t.plan(&[choice, everywhere]);
    assert_eq!((nodes(&plan.root), plan.groups.len()), (vec![everywhere], 1));
    let group = &plan.groups[0];
    assert_eq!(
        group.arms[0],
        (0, Arm { items: vec![Item::Node(inner), Item::Node(first)], results: vec![(choice, first)] })
    );
    assert_eq!(group.arms[1], (3, Arm { items: vec![Item::Node(second)], results: vec![(choice, second)] }));
    assert_eq!(group.default, Arm { items: vec![], results: vec![(choice, everywhere)] });
    let always = [choice, everywhere, first, inner].map(|n| plan.always[n as usize]);
    assert_eq!(always, [true, true, false, false]);
}

#[test]
fn the_default_waits_for_the_jump_only_if_all_arms_are_listed() {
    let mut t = Toy::default();
    let (selector, x) = (t.free(), t.free());
    let [a, b, lazy, eager] = [0; 4].map(|_| t.node([x]));
    let (all, some) = (t.pick(selector, &[(0, a), (1, b)], lazy), t.pick(selector, &[(1, x)], eager));
    let plan = t.plan(&[all, some]);
    assert_eq!(nodes(&plan.root), [eager]);
    let group = &plan.groups[0];
    assert_eq!((&group.members, &group.before), (&vec![all, some], &vec![(some, eager)]));
    assert_eq!(group.default, Arm { items: vec![Item::Node(lazy)], results: vec![(all, lazy)] });
}

#[test]
fn what_several_arms_need_is_computed_in_each_unless_that_is_too_much() {
    for (length, copied) in [(3, true), (600, false)] {
        let mut t = Toy::default();
        let (selector, x) = (t.free(), t.free());
        let chain: Vec<u32> = std::iter::successors(Some(x), |last| Some(t.node([*last]))).take(length + 1).collect();
        let shared = chain[length];
        let (first, second) = (t.node([shared]), t.node([shared, x]));
        let choice = t.pick(selector, &[(0, first), (1, second)], x);
        let plan = t.plan(&[choice]);
        let [one, two] = [0, 1].map(|arm| nodes(&plan.groups[0].arms[arm].1.items));
        assert!(one.contains(&first) && two.contains(&second));
        let copies = one.iter().filter(|n| two.contains(n)).count();
        assert_eq!(one.len() + two.len() + nodes(&plan.root).len(), length + 2 + copies);
        assert!(if copied { copies == length } else { copies < length / 2 }, "{copies} of {length}");
        assert_eq!(plan.always[chain[1] as usize], !copied);
    }
}

#[test]
fn choices_that_wait_for_each_other_are_made_one_after_the_other() {
    let mut t = Toy::default();
    let (selector, other, x) = (t.free(), t.free(), t.free());
    // together, {a, d} and {b, c} would wait for each other
    let (a, b) = (t.pick(selector, &[(0, x)], other), t.pick(other, &[(0, x)], selector));
    let (c, d) = (t.pick(other, &[(1, a)], x), t.pick(selector, &[(1, b)], x));
    let plan = t.plan(&[c, d]);
    assert_eq!(plan.groups.len(), 3);
    let mut done = vec![];
    for group in &plan.groups {
        for &member in &group.members {
            t.each_operand(member, &mut |x| assert!(t.is_free(x) || done.contains(&x), "{x} before {member}"));
        }
        done.extend(&group.members);
    }
    done.sort_unstable();
    assert_eq!(done, [a, b, c, d]);
}

#[test]
fn choices_within_arms() {
    let mut t = Toy::default();
    let (selector, second, x) = (t.free(), t.free(), t.free());
    let (deep, wide) = (t.node([x]), t.node([x]));
    let inner = t.pick(second, &[(0, deep), (1, wide)], x);
    let outer = t.pick(selector, &[(0, inner), (1, wide)], x);
    let plan = t.plan(&[outer]);
    assert_eq!(plan.root, [Item::Group(1)]);
    let [first, other] = [0, 1].map(|arm| &plan.groups[1].arms[arm].1.items);
    assert_eq!((&first[..], &other[..]), (&[Item::Group(0)][..], &[Item::Node(wide)][..]));
    assert_eq!(nodes(&plan.groups[0].arms[0].1.items), [deep]);
    assert_eq!(nodes(&plan.groups[0].arms[1].1.items), [wide]);
}

#[test]
fn what_is_done_is_not_done_again() {
    let mut t = Toy::default();
    let (selector, x) = (t.free(), t.free());
    let (first, second) = (t.node([x]), t.node([x]));
    let choice = t.pick(selector, &[(0, first), (1, second)], x);
    let mut done = vec![false; t.count()];
    done[first as usize] = true;
    let plan = regions(&t, &[choice], &done);
    assert_eq!(plan.groups[0].arms[0].1, Arm { items: vec![], results: vec![(choice, first)] });
    assert_eq!(nodes(&plan.groups[0].arms[1].1.items), [second]);
}

#[test]
fn multiplexers_with_much_work_become_jumps() {
    for (length, jump) in [(9, false), (10, true)] {
        let mut t = Toy::default();
        let (small, large, x) = (t.free(), t.free(), t.free());
        let body = (0..length).fold(x, |last, _| t.node([last]));
        let (one, two) = (t.add(Kind::Mux([large, body, x])), t.add(Kind::Mux([small, x, large])));
        t.branches = branches(&t, &[one, two], 9);
        assert_eq!([large, small].map(|c| t.branches[c as usize]), [jump, false], "{length}");
        let plan = t.plan(&[one, two]);
        assert_eq!(plan.always[body as usize], !jump);
    }
}

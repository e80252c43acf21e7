//! Where values are computed: always, or only in the arms of a choice that need them.
//!
//! Choices by the same selector and labels are made together, in one jump, as far as they do not wait for each other
//! (`order`). Multiplexers with much work on their sides are choices too (`branches`). A value that only arms need is computed in these arms (`homes`): in each of them if there are several, unless
//! that would be much more code; then it is computed before the jump.
//!
//! The same is done for the expressions of the interpreter and for the words of machine code: they are [`Logic`].

mod branches;
mod homes;
mod order;

pub use branches::branches;

/// A value.
type Node = u32;

/// Values that are computed from others; operands have smaller numbers.
pub trait Logic {
    /// How many there are.
    fn count(&self) -> usize;
    /// Is it there without being computed, as constants and states are?
    fn is_free(&self, node: u32) -> bool;
    /// Calls `f` with everything that it is computed from.
    fn each_operand(&self, node: u32, f: &mut dyn FnMut(u32));
    /// Is it a multiplexer? Its condition, and its values for 1 and for 0.
    fn mux(&self, node: u32) -> Option<[u32; 3]>;
    /// Is it a choice among arms, of which only one needs to be computed?
    fn choice(&self, node: u32) -> Option<Choice>;
    /// The arms that a choice lists, and their values.
    fn each_arm(&self, node: u32, f: &mut dyn FnMut(u32, u32));
}

/// In place of a table: a condition that is 1 chooses arm 0.
pub const BRANCH: u32 = u32::MAX;

/// A choice: arms that it does not list have the value of the default.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Choice {
    /// What chooses.
    pub selector: u32,
    /// Which table says how: choices with one selector and one table can be made together.
    pub labels: u32,
    /// Where no arm is listed.
    pub default: u32,
}

/// A piece of work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Item {
    /// Computes a value.
    Node(u32),
    /// Makes the choices of a group.
    Group(u32),
}

/// Choices that are made together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Group {
    /// What chooses.
    pub selector: u32,
    /// Which table says how.
    pub labels: u32,
    /// The choices.
    pub members: Vec<u32>,
    /// What is done before the jump: members that take their default where an arm does not list them.
    pub before: Vec<(u32, u32)>,
    /// The arms that members list, by their numbers.
    pub arms: Vec<(u32, Arm)>,
    /// Where none of these is taken.
    pub default: Arm,
}

/// What is done in an arm.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Arm {
    /// First all of this.
    pub items: Vec<Item>,
    /// Then members take values.
    pub results: Vec<(u32, u32)>,
}

/// All work, in an order in which it can be done.
#[derive(Debug, Default)]
pub struct Regions {
    /// What is done always.
    pub root: Vec<Item>,
    /// The choices; work in arms refers to them too.
    pub groups: Vec<Group>,
    /// Everything, also what stands in arms, each once, in an order in which it can be done.
    pub order: Vec<Item>,
    /// For each value: is it computed always?
    pub always: Vec<bool>,
}

/// Plans the work for `roots`; values that are marked in `done` are there already.
pub fn regions(logic: &impl Logic, roots: &[u32], done: &[bool]) -> Regions {
    let order::Order { order, groups } = order::order(logic, roots, done);
    let mut always = vec![false; logic.count()];
    if groups.is_empty() {
        for item in &order {
            if let Item::Node(node) = item {
                always[*node as usize] = true;
            }
        }
        return Regions { root: order.clone(), order, always, ..Regions::default() };
    }
    let homes = homes::homes(logic, roots, &order, &groups);
    let mut items = vec![vec![]; homes.regions];
    for item in &order {
        match item {
            Item::Node(node) => {
                let regions = &homes.nodes[*node as usize];
                regions.iter().for_each(|r| items[*r as usize].push(*item));
                always[*node as usize] = regions[..] == [homes::ROOT];
            }
            Item::Group(group) => {
                let home = homes.groups[*group as usize].home;
                items[home as usize].push(*item);
                groups[*group as usize].iter().for_each(|node| always[*node as usize] = home == homes::ROOT);
            }
        }
    }
    let make = |(members, regions): (Vec<Node>, &homes::GroupRegions)| group(logic, members, regions, &mut items);
    let groups = groups.into_iter().zip(&homes.groups).map(make).collect();
    Regions { root: std::mem::take(&mut items[homes::ROOT as usize]), groups, order, always }
}

/// A group with the work of its arms.
fn group(logic: &impl Logic, members: Vec<Node>, regions: &homes::GroupRegions, items: &mut [Vec<Item>]) -> Group {
    let mut arm = |region: u32| Arm { items: std::mem::take(&mut items[region as usize]), results: vec![] };
    let mut arms: Vec<(u32, Arm)> = regions.arms.iter().map(|(number, region)| (*number, arm(*region))).collect();
    let (mut default, mut before) = (arm(regions.default), vec![]);
    let choice = |node: Node| logic.choice(node).expect("members are choices");
    for &member in &members {
        let mut listed = 0;
        logic.each_arm(member, &mut |number, value| {
            let at = regions.arm(number);
            arms[at].1.results.push((member, value));
            listed += 1;
        });
        let results = if listed < arms.len() { &mut before } else { &mut default.results };
        results.push((member, choice(member).default));
    }
    let Choice { selector, labels, .. } = choice(members[0]);
    Group { selector, labels, members, before, arms, default }
}

#[cfg(test)]
mod tests;

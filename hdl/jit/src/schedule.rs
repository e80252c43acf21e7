//! The order of the work, cut into functions of a size that compiles quickly.
//!
//! States are stored in place, so whoever reads one after it was stored must find what it held before: such a state is
//! kept in a slot of its own first. The order makes that rare, by storing states in the reverse of the order in which the
//! design declares them: data flows through a design from top to bottom, so most readers come before.
//!
//! What only states with one enable need is computed under that enable (a gate), in one block with the stores.

use crate::roots::{MemWrite, Roots, Store};
use crate::scalar::{Op, Word, Words};
use hdl::sim::native::{self, Arm, Group, Regions, branches, regions};
use rustc_hash::FxHashMap as HashMap;

/// Computations of one function: more make compiling slower, fewer give more values that pass through memory.
const FUNCTION: usize = 1500;
/// Computations that a block under a gate collects.
const BLOCK: usize = 300;
/// A gate that spares less than this is a multiplexer.
const WORTH_A_GATE: usize = 6;

/// Selections with so much work on their sides are jumps.
const WORTH_A_JUMP: usize = 100;

/// One piece of work.
#[derive(Clone, Copy, Debug)]
pub enum Item {
    Compute(Word),
    /// Index of a group of choices.
    Switch(u32),
    Store(Store),
    /// Index of a write port.
    Write(usize),
}

/// Pieces of work under one condition.
#[derive(Clone, Debug, Default)]
pub struct Block {
    pub gate: Option<Word>,
    pub items: Vec<Item>,
}

/// A function: blocks in their order.
pub type Function = Vec<Block>;

/// All functions: first those that settle the ports, then those of the edge.
#[derive(Debug)]
pub struct Schedule {
    pub functions: Vec<Function>,
    /// How many of them settle the ports.
    pub settling: usize,
    /// Choices that are made together.
    pub groups: Vec<Group>,
}

/// Not computed by anything yet.
const NOBODY: u32 = 0;
/// Computed under no gate.
const ALL: u32 = 1;

struct Scheduler<'a> {
    words: &'a Words,
    /// Who needs a word: `NOBODY`, `ALL`, or 2 and more for a gate.
    owner: Vec<u32>,
    done: Vec<bool>,
    /// Choices that are made together, and which group makes each choice that is not made in an arm.
    groups: Vec<Group>,
    group: HashMap<Word, u32>,
    /// Which words of the phase are not computed in arms.
    always: Vec<bool>,
    functions: Vec<Function>,
    /// Items in the last function.
    filled: usize,
}

pub fn schedule(words: &mut Words, roots: &mut Roots) -> Schedule {
    drop_small_gates(words, roots);
    let ports: Vec<Word> = roots.ports.iter().map(|port| port.value).collect();
    words.branches = branches(words, &[&ports[..], &edge_roots(roots)].concat(), WORTH_A_JUMP);
    let n = words.nodes.len();
    let (functions, groups, group) = Default::default();
    let mut s = Scheduler {
        words,
        owner: vec![ALL; n],
        done: vec![false; n],
        groups,
        group,
        always: vec![],
        functions,
        filled: usize::MAX,
    };
    s.choices(regions(words, &ports, &s.done));
    for port in &roots.ports {
        s.root(None, ALL, &[*port]);
    }
    let settling = s.functions.len();
    s.begin_edge(roots);
    s.states(roots);
    s.writes(roots);
    Schedule { functions: s.functions, settling, groups: s.groups }
}

/// Everything that an edge needs.
fn edge_roots(roots: &Roots) -> Vec<Word> {
    let states = roots.states.iter().flat_map(|root| root.stores.iter().map(|s| s.value).chain(root.gate));
    states.chain(roots.writes.iter().flat_map(write_operands)).collect()
}

fn write_operands(write: &MemWrite) -> impl Iterator<Item = Word> {
    write.limbs.iter().flat_map(|(a, b)| [*a, *b]).chain([write.gate, write.addr])
}

/// The gates of states, each with a number from 2 on.
fn gates(roots: &Roots) -> HashMap<Word, u32> {
    let mut gates = HashMap::default();
    for gate in roots.states.iter().filter_map(|r| r.gate) {
        let next = gates.len() as u32 + 2;
        gates.entry(gate).or_insert(next);
    }
    gates
}

/// Which gate each word serves alone. `order` has everything that is to be computed; choices that are made together serve one.
fn owners(
    words: &Words,
    roots: &Roots,
    gates: &HashMap<Word, u32>,
    order: &[native::Item],
    groups: &[Group],
) -> Vec<u32> {
    let mut owner = vec![NOBODY; words.nodes.len()];
    let join = |owner: &mut u32, by: u32| {
        *owner = match *owner {
            NOBODY => by,
            same if same == by => by,
            _ => ALL,
        }
    };
    for root in &roots.states {
        let by = root.gate.map_or(ALL, |g| gates[&g]);
        root.gate.iter().for_each(|g| owner[*g as usize] = ALL);
        root.stores.iter().for_each(|s| join(&mut owner[s.value as usize], by));
    }
    for write in &roots.writes {
        for word in write_operands(write) {
            owner[word as usize] = ALL;
        }
    }
    for item in order.iter().rev() {
        let one;
        let members = match item {
            native::Item::Node(word) => {
                one = [*word];
                &one[..]
            }
            native::Item::Group(group) => &groups[*group as usize].members,
        };
        let mut by = NOBODY;
        members.iter().for_each(|word| join(&mut by, owner[*word as usize]));
        for &word in members {
            owner[word as usize] = by;
            words.each_operand(word, |x| join(&mut owner[x as usize], by));
        }
    }
    owner
}

/// Gates that spare little become multiplexers.
fn drop_small_gates(words: &mut Words, roots: &mut Roots) {
    let gates = gates(roots);
    let all: Vec<native::Item> = (0..words.nodes.len() as Word).map(native::Item::Node).collect();
    let owner = owners(words, roots, &gates, &all, &[]);
    let mut size = vec![0; gates.len() + 2];
    for (by, node) in owner.iter().zip(&words.nodes) {
        size[*by as usize] += usize::from(!node.op.is_leaf());
    }
    for root in &roots.states {
        root.gate.iter().for_each(|g| size[gates[g] as usize] += root.stores.len());
    }
    for root in &mut roots.states {
        let Some(gate) = root.gate.filter(|g| size[gates[g] as usize] < WORTH_A_GATE) else { continue };
        root.gate = None;
        for store in &mut root.stores {
            let old = words.load(store.slot, store.mask);
            store.value = words.select(gate, store.value, old);
        }
    }
}

impl Scheduler<'_> {
    /// Between the ports and the edge: what the ports left can be used, and is fetched from memory; what is quickly
    /// computed again is computed again.
    fn begin_edge(&mut self, roots: &Roots) {
        let words = self.words;
        for word in 0..self.done.len() {
            let mut cheap = true;
            words.each_operand(word as Word, |x| cheap &= words.op(x).is_leaf());
            self.done[word] &= !cheap || matches!(words.nodes[word].op, Op::Case(_));
        }
        let regions = regions(words, &edge_roots(roots), &self.done);
        self.owner = owners(words, roots, &gates(roots), &regions.order, &regions.groups);
        self.choices(regions);
        self.filled = usize::MAX;
    }

    fn states(&mut self, roots: &Roots) {
        let gates = gates(roots);
        // Roots that wait for their block.
        let mut open: HashMap<Option<Word>, Vec<Store>> = HashMap::default();
        let mut order = vec![];
        for root in roots.states.iter().rev() {
            let by = root.gate.map_or(ALL, |g| gates[&g]);
            let waiting = open.entry(root.gate).or_insert_with(|| {
                order.push((root.gate, by));
                vec![]
            });
            waiting.extend(&root.stores);
            if waiting.len() >= BLOCK / 8 || root.gate.is_none() {
                let stores = std::mem::take(waiting);
                self.root(root.gate, by, &stores);
            }
        }
        for (gate, by) in order {
            let stores = open.remove(&gate).unwrap_or_default();
            self.root(gate, by, &stores);
        }
    }

    /// All operands of the writes come before the first of them: they may read memories.
    fn writes(&mut self, roots: &Roots) {
        let mut items = vec![];
        for write in &roots.writes {
            for word in write_operands(write) {
                self.collect(word, ALL, &mut items, &mut vec![]);
            }
        }
        self.push(None, items);
        for (i, write) in roots.writes.iter().enumerate() {
            self.push(Some(write.gate), vec![Item::Write(i)]);
        }
    }

    /// Adds the work for some stores under one gate.
    fn root(&mut self, gate: Option<Word>, by: u32, stores: &[Store]) {
        let (mut shared, mut own) = (vec![], vec![]);
        gate.iter().for_each(|g| self.collect(*g, ALL, &mut shared, &mut vec![]));
        for store in stores {
            match gate {
                None => self.collect(store.value, ALL, &mut shared, &mut own),
                Some(_) => self.collect(store.value, by, &mut shared, &mut own),
            }
            let items = if gate.is_none() { &mut shared } else { &mut own };
            items.push(Item::Store(*store));
        }
        self.push(None, shared);
        if gate.is_some() {
            self.push(gate, own);
        }
    }

    /// Takes up the choices of a phase.
    fn choices(&mut self, regions: Regions) {
        let offset = self.groups.len() as u32;
        let arm = |arm: &mut Arm| {
            for item in &mut arm.items {
                if let native::Item::Group(group) = item {
                    *group += offset;
                }
            }
        };
        for (index, mut group) in (offset..).zip(regions.groups) {
            group.arms.iter_mut().map(|(_, a)| a).chain([&mut group.default]).for_each(arm);
            let always = group.members.iter().filter(|word| regions.always[**word as usize]);
            self.group.extend(always.map(|word| (*word, index)));
            self.groups.push(group);
        }
        self.always = regions.always;
    }

    /// Adds what a word needs, operands first: what only the gate `by` needs to `own`, the rest to `shared`.
    fn collect(&mut self, root: Word, by: u32, shared: &mut Vec<Item>, own: &mut Vec<Item>) {
        let mut stack = vec![(root, false)];
        while let Some((word, ready)) = stack.pop() {
            if self.done[word as usize] || self.words.op(word).is_leaf() {
                continue;
            }
            let group = self.group.get(&word).copied();
            if ready {
                let gated = by != ALL && self.owner[word as usize] == by;
                let items = if gated { &mut *own } else { &mut *shared };
                match group {
                    Some(group) => {
                        items.push(Item::Switch(group));
                        self.groups[group as usize].members.iter().for_each(|word| self.done[*word as usize] = true);
                    }
                    None => {
                        items.push(Item::Compute(word));
                        self.done[word as usize] = true;
                    }
                }
                continue;
            }
            stack.push((word, true));
            match group {
                Some(group) => self.each_outside(group, &mut |x| stack.push((x, false))),
                None => self.words.each_operand(word, |x| stack.push((x, false))),
            }
        }
    }

    /// Everything that choices need and that is not computed in their arms.
    fn each_outside(&self, group: u32, f: &mut dyn FnMut(Word)) {
        let mut f = |word: Word| {
            if self.always[word as usize] {
                f(word)
            }
        };
        let group = &self.groups[group as usize];
        f(group.selector);
        group.before.iter().for_each(|(_, value)| f(*value));
        for Arm { items, results } in group.arms.iter().map(|(_, arm)| arm).chain([&group.default]) {
            for item in items {
                match item {
                    native::Item::Node(word) => self.words.each_operand(*word, &mut f),
                    native::Item::Group(group) => self.each_outside(*group, &mut f),
                }
            }
            results.iter().for_each(|(_, value)| f(*value));
        }
    }

    /// Work that an item stands for.
    fn weight(&self, item: &Item) -> usize {
        let Item::Switch(group) = item else { return 1 };
        let group = &self.groups[*group as usize];
        let arm = |Arm { items, results }: &Arm| {
            let item = |item: &native::Item| match item {
                native::Item::Node(_) => 1,
                native::Item::Group(group) => self.weight(&Item::Switch(*group)),
            };
            results.len() + items.iter().map(item).sum::<usize>()
        };
        group.arms.iter().map(|(_, arm)| arm).chain([&group.default]).map(arm).sum()
    }

    /// Appends a block, in pieces where it is large.
    fn push(&mut self, gate: Option<Word>, items: Vec<Item>) {
        let mut piece = vec![];
        let mut weight = 0;
        for item in items {
            let more = self.weight(&item);
            if weight + more > FUNCTION {
                self.push_piece(gate, std::mem::take(&mut piece), weight);
                weight = 0;
            }
            piece.push(item);
            weight += more;
        }
        self.push_piece(gate, piece, weight);
    }

    fn push_piece(&mut self, gate: Option<Word>, items: Vec<Item>, weight: usize) {
        if items.is_empty() {
            return;
        }
        if self.filled.saturating_add(weight) > FUNCTION {
            self.functions.push(vec![]);
            self.filled = 0;
        }
        self.filled += weight;
        let Some(function) = self.functions.last_mut() else { return };
        match function.last_mut() {
            Some(last) if last.gate == gate => last.items.extend(items),
            _ => function.push(Block { gate, items }),
        }
    }
}

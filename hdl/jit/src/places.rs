//! Which values pass through memory: those that another function (or a block that may be left out) computes, and what
//! states held before they were stored.

use crate::roots::Roots;
use crate::scalar::{Op, Word, Words};
use crate::schedule::{Item, Schedule};
use hdl::sim::native::{self, Arm};
use rustc_hash::FxHashMap as HashMap;

/// Slots beside those of the simulator.
#[derive(Debug, Default)]
pub struct Places {
    /// For values.
    pub passed: HashMap<Word, u32>,
    /// For old values of states, by the slot of the state.
    pub saved: HashMap<u32, u32>,
    /// When each state is stored, counted in items (and one for the beginning of each block).
    pub stored: HashMap<u32, usize>,
    /// Slots in all.
    pub slots: u32,
}

/// Where something is computed: function and block, and whether the block may be left out.
#[derive(Clone, Copy)]
struct Origin {
    function: usize,
    block: usize,
    gated: bool,
}

pub fn places(words: &Words, roots: &Roots, schedule: &Schedule, slots: u32) -> Places {
    let mut places = Places { slots, ..Places::default() };
    let items = schedule.functions.iter().flatten().flat_map(|b| [None].into_iter().chain(b.items.iter().map(Some)));
    for (at, item) in items.enumerate() {
        if let Some(Item::Store(store)) = item {
            places.stored.insert(store.slot, at);
        }
    }
    let mut origins: HashMap<Word, Origin> = HashMap::default();
    let mut at = 0;
    for (function, blocks) in schedule.functions.iter().enumerate() {
        for (block, content) in blocks.iter().enumerate() {
            let here = Origin { function, block, gated: content.gate.is_some() };
            content.gate.iter().for_each(|g| places.look(words, &origins, *g, here, at));
            at += 1;
            for item in &content.items {
                match item {
                    Item::Switch(group) => places.group(words, schedule, &mut origins, *group, here, at),
                    _ => each_operand(item, words, roots, &mut |w| places.look(words, &origins, w, here, at)),
                }
                if let Item::Compute(word) = item {
                    origins.insert(*word, here);
                }
                at += 1;
            }
        }
    }
    places
}

/// What an item reads.
fn each_operand(item: &Item, words: &Words, roots: &Roots, f: &mut impl FnMut(Word)) {
    match item {
        Item::Compute(word) => words.each_operand(*word, f),
        Item::Switch(_) => unreachable!("its arms read, each what it needs"),
        Item::Store(store) => f(store.value),
        Item::Write(i) => {
            f(roots.writes[*i].addr);
            roots.writes[*i].limbs.iter().for_each(|(data, mask)| [*data, *mask].into_iter().for_each(&mut *f));
        }
    }
}

impl Places {
    /// All results of a choice pass through memory, so that each arm writes only its own.
    fn group(
        &mut self,
        words: &Words,
        schedule: &Schedule,
        origins: &mut HashMap<Word, Origin>,
        group: u32,
        here: Origin,
        at: usize,
    ) {
        let group = &schedule.groups[group as usize];
        self.look(words, origins, group.selector, here, at);
        group.before.iter().for_each(|(_, value)| self.look(words, origins, *value, here, at));
        for Arm { items, results } in group.arms.iter().map(|(_, arm)| arm).chain([&group.default]) {
            for item in items {
                match *item {
                    native::Item::Group(inner) => self.group(words, schedule, origins, inner, here, at),
                    native::Item::Node(word) => {
                        words.each_operand(word, |w| self.look(words, origins, w, here, at));
                        origins.insert(word, here);
                    }
                }
            }
            results.iter().for_each(|(_, value)| self.look(words, origins, *value, here, at));
        }
        for &member in &group.members {
            origins.insert(member, here);
            let place = self.new_slot();
            self.passed.insert(member, place);
        }
    }

    fn new_slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    /// Makes a place for what is read here, if it needs one.
    fn look(&mut self, words: &Words, origins: &HashMap<Word, Origin>, word: Word, here: Origin, at: usize) {
        match words.op(word) {
            Op::Load(slot) if self.is_late(slot, at) && !self.saved.contains_key(&slot) => {
                let place = self.new_slot();
                self.saved.insert(slot, place);
            }
            op if op.is_leaf() => {}
            _ => {
                let from = origins[&word];
                let near = from.function == here.function && (from.block == here.block || !from.gated);
                if !near && !self.passed.contains_key(&word) {
                    let place = self.new_slot();
                    self.passed.insert(word, place);
                }
            }
        }
    }

    /// Is the state stored before this?
    pub fn is_late(&self, slot: u32, at: usize) -> bool {
        self.stored.get(&slot).is_some_and(|stored| *stored < at)
    }
}

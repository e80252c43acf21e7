//! What the items of a random pipeline are, stage by stage.

use super::random::{Step, rom};

/// An item in the pipeline: what it is now, and how many steps are done.
pub struct Item {
    first: u64,
    pub x: u64,
    done: usize,
    pub stage: u32,
}

impl Item {
    pub fn new(first: u64) -> Item {
        Item { first, x: first, done: 0, stage: 0 }
    }
}

/// What each step remembers of the items before.
pub struct Model<'a> {
    steps: &'a [(u32, Step)],
    memory: Vec<u64>,
    tables: Vec<[u64; 256]>,
    /// What comes back at the end of the cycle.
    back: Vec<(usize, u64)>,
}

impl<'a> Model<'a> {
    pub fn new(steps: &'a [(u32, Step)]) -> Self {
        Self { steps, memory: vec![0; steps.len()], tables: vec![[0; 256]; steps.len()], back: vec![] }
    }
    /// The item leaves the stages before this one.
    pub fn leaves(&mut self, item: &mut Item, before: u32) {
        while let Some((_, step)) = self.steps.get(item.done).filter(|(at, _)| *at < before) {
            item.x = self.step(item.done, *step, item.first, item.x) % 256;
            item.done += 1;
        }
    }
    fn step(&mut self, i: usize, step: Step, first: u64, x: u64) -> u64 {
        let (memory, table) = (&mut self.memory[i], &mut self.tables[i]);
        match step {
            Step::Delay(_) => x,
            Step::Mix => x + first,
            Step::Rom { .. } => rom(x),
            Step::Register => x + 1,
            Step::Enabled => {
                *memory = if x % 2 == 1 { x + 1 } else { *memory };
                *memory
            }
            Step::Sum { after } => {
                let before = std::mem::replace(memory, (*memory + x) % 256);
                if after { *memory } else { before }
            }
            Step::LastOdd => x ^ if x % 2 == 1 { std::mem::replace(memory, x) } else { *memory },
            Step::Times => {
                table[x as usize] += 1;
                x + table[x as usize] - 1
            }
            Step::Table => x + std::mem::replace(&mut table[x as usize], first),
            Step::Feedback(_) => x ^ *memory,
            Step::Back(to) => {
                self.back.push((to, (x + 1) % 256));
                x
            }
            Step::Unit(_) => x + 7,
            Step::TwoOutputs(_) => (x * 3 % 256) ^ x,
        }
    }
    /// The edge: what came back in this cycle is there in the next.
    pub fn edge(&mut self) {
        self.back.drain(..).for_each(|(to, x)| self.memory[to] = x);
    }
}

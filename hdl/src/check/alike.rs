//! Signals that are alike: made by the same operators of the same signals, or words of one memory at one address. An expression that is written twice is two nodes.

use super::assigned::Assigned;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;

/// For each signal the first one that is alike.
pub(super) struct Alike {
    first: Vec<Id>,
}

impl Alike {
    pub fn new(def: &Def, assigned: &Assigned) -> Alike {
        let mut first: Vec<Id> = (0..def.nodes.len() as Id).collect();
        let mut known: HashMap<(Op, u32), Id> = HashMap::default();
        let mut words: HashMap<(u32, Id), Id> = HashMap::default();
        // operands stand before what is made of them; names may not, and are followed
        for id in 0..def.nodes.len() as Id {
            let node = &def.nodes[id as usize];
            if let Op::Net(Net::MemRead(memory, port)) = node.op {
                let read = &def.mems[memory as usize].reads[port as usize];
                let address = first[assigned.behind_names(read.addr) as usize];
                if !read.sync {
                    first[id as usize] = *words.entry((memory, address)).or_insert(id);
                }
                continue;
            }
            if node.op.operands().is_empty() || matches!(node.op, Op::Alias(_)) {
                continue;
            }
            let op = node.op.with_operands(|of| first[assigned.behind_names(of) as usize]);
            first[id as usize] = *known.entry((op, node.width)).or_insert(id);
        }
        Alike { first }
    }
    /// The first signal that is alike.
    pub fn first(&self, id: Id) -> Id {
        self.first[id as usize]
    }
}

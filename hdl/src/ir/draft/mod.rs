//! The module under construction.

mod assign;
mod constant;
mod delay;
mod elastic;
mod element;
mod enabled;
mod label;
mod mark;
mod naming;
mod pin;
mod pipe;
mod slice;
mod stage;
mod switch;

pub(crate) use elastic::{Elastic as ElasticData, Leaving};
pub(crate) use element::{AtStage, Chosen};
pub(crate) use enabled::Enabled;
pub(crate) use pipe::{Advance, Gate, Mark, PipeData, Staging, Written};
pub(crate) use switch::{Arm, Cases};

use super::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeMap;

/// A mistake was found here and is reported; what depends on it is not to be judged.
pub(crate) struct Reported;

#[derive(Debug, Default)]
pub(crate) struct Draft {
    pub def: Def,
    /// Nobody asks whether assignments have an effect.
    pub unchecked_effects: bool,
    pub errors: Vec<Diagnostic>,
    /// Open blocks of `when` and `switch`; the first is the module itself.
    pub blocks: Vec<Vec<Stmt>>,
    /// Numbers of the open blocks of `when` and `switch`, so that they can be told apart.
    pub open_blocks: Vec<u32>,
    /// How many there were so far.
    pub block_count: u32,
    /// Conditions and selectors of the open blocks.
    pub conds: Vec<Id>,
    pub shared: HashMap<SharedKey, Id>,
    /// Assignments that stand before all others: what properties inside `when` are where it does not apply.
    pub defaults: Vec<Stmt>,
    pub domain: u32,
    /// Registers that are being made with a number as their reset value, and where.
    pub numbered: HashMap<Id, Loc>,
    /// Registers that hold a state, and of which enum.
    pub state_registers: HashMap<Id, StateEnum>,
    /// Wires, registers and inputs of instances that are declared under a `when` or `switch`: the number of its block.
    pub declared_under: HashMap<Id, u32>,
    pub enabling: enabled::Enabling,
    /// Where a value was first assigned to a net: target, value.
    pub set_at: HashMap<(Id, Id), Loc>,
    /// Clocks of instances that the user connected: instance, domain in it.
    pub connected: HashSet<(u32, usize)>,
    /// Prefixes of `scope`.
    pub scopes: Vec<String>,
    pub staging: Staging,
    /// How the user's Rust calls what has the name of something else in the hardware.
    pub variables: HashMap<Id, String>,
    /// Registers named after what they delay.
    pub named_after: HashMap<Id, Id>,
    /// Where the user stated the latency.
    pub latency_at: Option<Loc>,
    /// What the user stated of single outputs: cycles, and where.
    pub latencies: BTreeMap<Id, (u32, Loc)>,
    /// What was made by choosing one of several signals: how to assign it.
    pub chosen: HashMap<Id, Chosen>,
    /// Signals side by side, from which one is chosen; by the signals and their stages, and whether zeros fill it up for an index that
    /// may go beyond the last.
    pub gathered: HashMap<(Vec<AtStage>, bool), Id>,
    /// Products of an index and the width of an element.
    pub scaled: HashMap<(Id, u32), Id>,
    /// The conditions under which an index names an element that is assigned.
    pub index_conditions: HashSet<Id>,
    /// Registers that hold a field of all elements of a register file.
    pub files: HashSet<Id>,
}

/// Constants and slices are shared, so that `x.bit(3)` twice is one node.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum SharedKey {
    Const(BigUint, u32),
    Variant(u32, u32),
    Slice(Id, u32, u32),
    /// A field of a tagged union: payload, lowest bit, width, name.
    Field(Id, u32, u32, String),
}

/// The most bits of a signal.
pub(crate) const MAX_WIDTH: u64 = 1 << 24;

impl Draft {
    pub fn node(&self, id: Id) -> &Node {
        &self.def.nodes[id as usize]
    }
    pub fn push(&mut self, op: Op, width: u32, loc: Loc) -> Id {
        let id = self.def.nodes.len() as Id;
        self.def.nodes.push(Node { op, width, loc, name: None, stage: None, comment: None });
        id
    }
    pub fn share(&mut self, key: SharedKey, op: Op, width: u32, loc: Loc) -> Id {
        if let Some(&id) = self.shared.get(&key) {
            return id;
        }
        let id = self.push(op, width, loc);
        self.shared.insert(key, id);
        id
    }
    /// A node of the given operator; its stage follows from its operands.
    pub fn make(&mut self, op: Op, width: u32, loc: Loc) -> Id {
        let operands = op.operands();
        let poisoned = operands.iter().any(|o| self.node(*o).op == Op::Poison);
        if let Some(v) = self.folded(&op, width) {
            return self.share(SharedKey::Const(v.clone(), width), Op::Const(v), width, loc);
        }
        let place = matches!(op, Op::Part(of, _) if self.node(of).stage.is_none() && self.place(of).is_some());
        let stage = match place {
            true => Ok(None), // it gets its stage by what is assigned
            false => self.merge_stages(&operands, loc),
        };
        let Ok(stage) = stage else { return self.poison(width, loc) };
        let id = self.push(if poisoned { Op::Poison } else { op }, width, loc);
        self.def.nodes[id as usize].stage = stage;
        id
    }
    pub fn poison(&mut self, width: u32, loc: Loc) -> Id {
        self.push(Op::Poison, width.max(1), loc)
    }
    /// A width that a signal can have; another one is reported.
    pub fn possible_width(&mut self, width: u64, what: &str, loc: Loc) -> Option<u32> {
        if width > MAX_WIDTH {
            let help = format!("a signal has at most {MAX_WIDTH} bits");
            self.error(loc, format!("{what} cannot have {width} bits"), vec![], Some(help));
            return None;
        }
        Some(width as u32)
    }
    /// Why a crossing does no harm stands in the constraints, where a line break would begin another command.
    pub fn check_reason(&mut self, reason: &str, loc: Loc) {
        if reason.trim().is_empty() || reason.contains(char::is_control) {
            let message = "a crossing needs a reason, on one line".into();
            self.error(loc, message, vec![], Some("say why it is safe".into()));
        }
    }
    pub fn error(&mut self, loc: Loc, message: String, notes: Vec<(Loc, &str)>, help: Option<String>) {
        let mistake = Diagnostic {
            module: self.def.name.clone(),
            message,
            span: loc.into(),
            notes: notes.into_iter().map(|(l, t)| (l.into(), t.to_string())).collect(),
            help,
        };
        // one line that runs several times is one mistake
        if !self.errors.contains(&mistake) {
            self.errors.push(mistake);
        }
    }
    /// How many sections began so far.
    pub fn section(&self) -> u32 {
        self.def.sections.len() as u32
    }
    pub fn block(&mut self) -> &mut Vec<Stmt> {
        self.blocks.last_mut().expect("a module has at least its own block")
    }
    /// Number of the innermost open block; 0 is the module itself.
    pub fn block_number(&self) -> u32 {
        self.open_blocks.last().copied().unwrap_or(0)
    }
    pub fn open_block(&mut self, cond: Id) {
        self.block_count += 1;
        self.open_blocks.push(self.block_count);
        self.blocks.push(vec![]);
        self.conds.push(cond);
    }
    pub fn close_block(&mut self) -> Vec<Stmt> {
        self.open_blocks.pop();
        self.conds.pop();
        self.blocks.pop().unwrap_or_default()
    }
}

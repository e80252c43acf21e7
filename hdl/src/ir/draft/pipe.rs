//! What a draft knows of its pipeline scopes.

use super::ElasticData;
use crate::ir::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

/// A pipeline scope.
#[derive(Debug)]
pub(crate) struct PipeData {
    /// For the user and for names in the Verilog.
    pub name: String,
    /// How the user's Rust calls it: for help.
    pub variable: String,
    pub loc: Loc,
    pub advance: Advance,
    /// The `in_enabled` in which it begins.
    pub enabled: Option<Enabled>,
    /// It was to begin with a stream that cannot be one: what else is wrong follows from that.
    pub refused: bool,
}

/// When the registers of a pipeline move.
#[derive(Debug)]
pub(crate) enum Advance {
    /// At every edge.
    Always,
    /// Where this is 1.
    When(Id),
    /// As its streams are taken.
    Stream(Box<ElasticData>),
}

/// What the user said of a register, wire or memory in a pipeline.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Mark {
    /// Read and written at one stage.
    State,
    /// Read early, written late.
    Feedback,
    /// The value of one clock edge earlier, for properties.
    Past,
}

/// An alias that leads into a pipeline or out of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Gate {
    Enter,
    Leave,
    Constant,
    /// State, as the item leaves it.
    After,
    /// Something of a stage, only while that moves.
    Held,
    /// What a pipeline says of its items.
    Told,
}

/// A write port of a memory, as the user gave it.
#[derive(Clone, Debug)]
pub(crate) struct Written {
    pub memory: u32,
    /// Address, data and mask.
    pub sources: [Id; 3],
    /// Their stage, as far as it was known.
    pub stage: Option<Stage>,
    /// The `in_enabled` in which it stands.
    pub enabled: Option<Enabled>,
    pub loc: Loc,
}

/// All that belongs to the stages of a module.
#[derive(Debug, Default)]
pub(crate) struct Staging {
    pub pipes: Vec<PipeData>,
    /// The register one stage behind a signal.
    pub delayed: HashMap<Id, Id>,
    /// Signals whose delayed copies are reset to 0.
    pub valids: HashSet<Id>,
    /// Base stage of instances, and how many sections began before it.
    pub instances: HashMap<u32, (Stage, u32)>,
    pub marks: HashMap<Id, Mark>,
    /// Memories that are read and written at different stages on purpose.
    pub feedback_memories: HashSet<u32>,
    pub gates: HashMap<Id, Gate>,
    /// The stage at which a register or a marked wire is written.
    pub written: HashMap<Id, Stage>,
    /// Nets to which something from outside of all pipelines is assigned, and what.
    pub from_outside: HashMap<Id, Id>,
    /// Write ports of memories.
    pub writes: Vec<Written>,
    /// Registers that hold unless this is 1, beside their own enable.
    pub held: HashMap<Id, Id>,
    /// What was at no stage when it was given where only a signal from outside has a meaning, and how messages call it.
    pub outside: Vec<(Id, String, Loc)>,
}

impl Draft {
    pub fn pipe(&self, stage: Stage) -> &PipeData {
        &self.staging.pipes[stage.pipe as usize]
    }
    /// What lets the registers between a stage and the next one move; `None`: they always do.
    pub fn advance(&mut self, stage: Stage) -> Option<Id> {
        match &self.pipe(stage).advance {
            Advance::Always => None,
            Advance::When(enable) => Some(*enable),
            Advance::Stream(_) => Some(self.elastic_advance(stage)),
        }
    }
    /// One bit: what is at this stage goes on, and an item is there (as far as the pipeline knows of items). `None`: always.
    pub fn moves(&mut self, stage: Stage) -> Option<Id> {
        match &self.pipe(stage).advance {
            Advance::Always => None,
            Advance::When(enable) => Some(*enable),
            Advance::Stream(_) => Some(self.elastic_moves(stage)),
        }
    }
    /// `a` and, if there is one, `b` for every bit of `a`; it stands where `a` does, whatever `b` is.
    pub fn gated(&mut self, a: Id, b: Option<Id>, stage: Option<Stage>) -> Id {
        let (width, loc) = (self.node(a).width, self.node(a).loc);
        let Some(b) = b.filter(|b| *b != a) else { return a };
        let all = width == 1 && self.constant(a).is_some_and(|v| v.bit(0));
        let op = match width {
            1 if all => Op::Alias(b),
            1 => Op::Bin(BinOp::And, a, b),
            _ => Op::Bin(BinOp::And, a, self.push(Op::Repeat(b, width), width, loc)),
        };
        let id = self.push(op, width, loc);
        self.def.nodes[id as usize].stage = stage;
        self.staging.gates.insert(id, Gate::Held);
        id
    }
    /// Reports a signal of a pipeline where only one from outside of all pipelines has a meaning.
    pub fn check_outside(&mut self, id: Id, what: &str, loc: Loc) {
        let Some(stage @ Stage { at: Some(at), .. }) = self.node(id).stage else {
            // it may be assigned from a stage later
            return self.staging.outside.push((id, what.to_string(), loc));
        };
        let (pipe, variable) = (self.pipe(stage).name.clone(), self.pipe(stage).variable.clone());
        let message = format!("{what} is {}, which is at stage {at} of pipeline `{pipe}`", self.describe(id));
        let help = format!("take it out of the pipeline: `{variable}.leave({})`", self.rust(id, "x"));
        self.error(loc, message, vec![(self.node(id).loc, "it comes from here")], Some(help));
    }
    /// The enable of a read port with an address of this stage: the word stands while its stage does.
    pub fn read_enable(&mut self, addr: Id, stage: Stage, sync: bool, own: Option<Id>, loc: Loc) -> Option<Id> {
        let advance = if sync { self.advance(stage) } else { None };
        if own.is_none() || own == advance {
            return advance;
        }
        let own = own.filter(|own| self.merge_stages(&[addr, *own], loc).is_ok())?;
        // a word that is held is that of an item before: where there is none, nothing may take its place
        let moves = if sync { self.moves(stage) } else { None };
        Some(self.gated(own, moves, Some(stage)))
    }
}

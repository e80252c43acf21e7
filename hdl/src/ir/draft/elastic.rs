//! Pipelines between two streams: which stage holds an item, and which moves.

use super::{Advance, Draft, SharedKey};
use crate::ir::*;
use num_bigint::BigUint;
use std::collections::BTreeMap;

/// A pipeline with a stream at either end. What follows is made as it is asked for, and assigned when the pipeline leaves.
#[derive(Debug, Default)]
pub(crate) struct Elastic {
    /// A stage moves when the next one is empty or moves; else all move together.
    pub collapse: bool,
    pub flush: Option<Id>,
    pub domain: u32,
    /// The handshake at the beginning.
    pub valid: Id,
    pub ready: Id,
    /// The payload there, as it is outside.
    pub enters: Vec<Id>,
    /// One bit for each stage from 1: it holds an item.
    pub valids: Vec<Id>,
    /// One bit for each stage: its registers take what comes from it.
    pub advances: BTreeMap<i32, Id>,
    /// One bit for each stage: an item goes on from it, and is not thrown away.
    pub moves: BTreeMap<i32, Id>,
    /// Stages that move together because one instance spans them: the first and the last.
    pub spans: Vec<(i32, i32)>,
    /// The last stage that something stands at, and what.
    pub deepest: Option<(i32, Id, Loc)>,
    /// That something stands behind the end was reported: what follows stands further behind.
    pub beyond: bool,
    pub leaves: Option<Leaving>,
    /// What leaves there.
    pub payload: Vec<Id>,
    /// What the pipeline assigns to the stream into which it leaves, valid first.
    pub assigns: Vec<Id>,
}

/// Where a pipeline ends.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaving {
    /// Its last stage.
    pub at: i32,
    /// What takes from there.
    pub ready: Id,
    /// How many sections began before.
    pub section: u32,
    pub loc: Loc,
}

impl Draft {
    pub fn elastic(&mut self, pipe: u32) -> Option<&mut Elastic> {
        match &mut self.staging.pipes[pipe as usize].advance {
            Advance::Stream(elastic) => Some(elastic),
            _ => None,
        }
    }
    /// Can a pipeline give this as its ready?
    pub fn can_be_ready(&mut self, id: Id, loc: Loc) -> bool {
        let assignable = matches!(self.node(id).op, Op::Net(Net::Output | Net::Wire | Net::PinIn(_)));
        if !assignable {
            let message = format!("{} cannot be assigned", self.describe(id));
            let help =
                "a pipeline begins with a stream that comes in: an input port, the output of an instance, or a wire";
            self.error(loc, message, vec![(self.node(id).loc, "it comes from here")], Some(help.into()));
        }
        assignable
    }
    fn elastic_wire(&mut self, pipe: u32, name: &str) -> Id {
        let (prefix, loc) = (self.staging.pipes[pipe as usize].name.clone(), self.staging.pipes[pipe as usize].loc);
        let id = self.push(Op::Net(Net::Wire), 1, loc);
        self.def.nodes[id as usize].name = Some(format!("{prefix}_{name}"));
        id
    }
    /// The registers behind this stage take what comes from it.
    pub fn elastic_advance(&mut self, stage: Stage) -> Id {
        let at = stage.at.unwrap_or(0);
        let Some(elastic) = self.elastic(stage.pipe) else { return 0 };
        // without collapsing, one signal serves all
        let (key, name) = if elastic.collapse { (at, format!("advance_s{at}")) } else { (0, "advance".into()) };
        if let Some(&known) = elastic.advances.get(&key) {
            return known;
        }
        let id = self.elastic_wire(stage.pipe, &name);
        self.elastic(stage.pipe).map(|e| e.advances.insert(key, id));
        id
    }
    /// An item goes on from this stage.
    pub fn elastic_moves(&mut self, stage: Stage) -> Id {
        let at = stage.at.unwrap_or(0);
        if let Some(&known) = self.elastic(stage.pipe).and_then(|e| e.moves.get(&at)) {
            return known;
        }
        let id = self.elastic_wire(stage.pipe, &format!("moves_s{at}"));
        self.elastic(stage.pipe).map(|e| e.moves.insert(at, id));
        id
    }
    /// This stage holds an item.
    pub fn elastic_valid(&mut self, stage: Stage) -> Id {
        let at = stage.at.unwrap_or(0) as usize;
        loop {
            let Some(elastic) = self.elastic(stage.pipe) else { return 0 };
            if at == 0 {
                return elastic.valid;
            }
            if let Some(&known) = elastic.valids.get(at - 1) {
                return known;
            }
            let (number, domain) = (elastic.valids.len() + 1, elastic.domain);
            let id = self.elastic_wire(stage.pipe, &format!("valid_s{number}"));
            self.def.nodes[id as usize].op = Op::Net(Net::Reg(self.def.regs.len() as u32));
            self.def.regs.push(Reg {
                node: id,
                reset: Some(BigUint::ZERO),
                states: None,
                enable: None,
                async_reset: None,
                domain,
            });
            if let Some(elastic) = self.elastic(stage.pipe) {
                elastic.valids.push(id);
            }
        }
    }
    /// Something stands at a stage behind registers of the pipeline.
    pub fn reaches(&mut self, id: Id, loc: Loc) {
        let Some(Stage { pipe, at: Some(at) }) = self.node(id).stage else { return };
        let Some(elastic) = self.elastic(pipe) else { return };
        if elastic.deepest.is_none_or(|(known, ..)| known < at) {
            elastic.deepest = Some((at, id, loc));
        }
        self.beyond(pipe);
    }
    /// Behind the stage at which a pipeline leaves, nothing moves.
    fn beyond(&mut self, pipe: u32) {
        let Some(elastic) = self.elastic(pipe) else { return };
        let (Some((at, id, loc)), Some(leaving)) = (elastic.deepest, elastic.leaves) else { return };
        if at > leaving.at && !std::mem::replace(&mut elastic.beyond, true) {
            let message = format!(
                "{} is at stage {at} of pipeline `{}`, which leaves at stage {}",
                self.describe(id),
                self.staging.pipes[pipe as usize].name,
                leaving.at
            );
            let help = "let the whole leave later, or take this out with `leave` and register it outside";
            self.error(loc, message, vec![(leaving.loc, "it leaves here")], Some(help.into()));
        }
    }
    /// An instance spans so many stages, which move together.
    pub fn elastic_instance(&mut self, stage: Stage, latency: u32) {
        let at = stage.at.unwrap_or(0);
        if let Some(elastic) = self.elastic(stage.pipe).filter(|_| latency > 1) {
            elastic.spans.push((at, at + latency as i32 - 1));
        }
    }
    /// The pipeline leaves at this stage, to where `ready` is. The valid bit there.
    pub fn elastic_leave(&mut self, stage: Stage, payload: Vec<Id>, ready: Id, loc: Loc) -> Id {
        let (at, section) = (stage.at.unwrap_or(0), self.section());
        if let Some(elastic) = self.elastic(stage.pipe) {
            (elastic.leaves, elastic.payload) = (Some(Leaving { at, ready, section, loc }), payload);
        }
        self.beyond(stage.pipe);
        let valid = self.elastic_valid(stage);
        match self.elastic(stage.pipe).and_then(|e| e.flush) {
            // what has not entered yet waits outside
            Some(flush) if at == 0 => {
                let stays = self.push(Op::Un(UnOp::Not, flush), 1, loc);
                self.gated(valid, Some(stays), None)
            }
            _ => valid,
        }
    }
    /// It leaves with these signals.
    pub fn elastic_leaves_with(&mut self, pipe: u32, signals: Vec<Id>) {
        if let Some(elastic) = self.elastic(pipe) {
            elastic.assigns = signals;
        }
    }
    /// Assigns all that was asked for: the module is complete, but for its checks.
    pub fn close_elastic(&mut self) {
        for pipe in 0..self.staging.pipes.len() as u32 {
            let Some(Some(leaving)) = self.elastic(pipe).map(|e| e.leaves) else { continue };
            let mut statements = vec![];
            self.move_valids(pipe, leaving, &mut statements);
            self.assign_advances(pipe, leaving, &mut statements);
            self.assign_moves(pipe, leaving, &mut statements);
            self.def.stmts.extend(statements);
        }
    }
    /// Each valid bit takes the one before; where something is thrown away, it is gone in all stages.
    fn move_valids(&mut self, pipe: u32, leaving: Leaving, out: &mut Vec<Stmt>) {
        let flush = self.elastic(pipe).and_then(|e| e.flush);
        let zero = self.share(SharedKey::Const(BigUint::ZERO, 1), Op::Const(BigUint::ZERO), 1, leaving.loc);
        for at in 1..=leaving.at {
            let before = Stage { pipe, at: Some(at - 1) };
            let (advance, from, to) =
                (self.elastic_advance(before), self.elastic_valid(before), self.elastic_valid(before.later(1)));
            out.push(Stmt::If { cond: advance, then: vec![leaving.set(to, from)], otherwise: vec![] });
            if let Some(cond) = flush {
                out.push(Stmt::If { cond, then: vec![leaving.set(to, zero)], otherwise: vec![] });
            }
        }
    }
    /// A stage can move when the next one is empty or moves itself, the last one when it is taken.
    fn assign_advances(&mut self, pipe: u32, leaving: Leaving, out: &mut Vec<Stmt>) {
        let Some(elastic) = self.elastic(pipe) else { return };
        let (collapse, spans) = (elastic.collapse, elastic.spans.clone());
        let stage = |at: i32| Stage { pipe, at: Some(at) };
        let mut next = leaving.ready;
        if !collapse {
            if leaving.at > 0 {
                next = self.empty_or(stage(leaving.at), next, leaving.loc);
            }
            let advance = self.elastic_advance(stage(0));
            return out.push(leaving.set(advance, next));
        }
        for at in (0..=leaving.at).rev() {
            // stages that an instance spans move as the last of them does
            let inside = spans.iter().any(|(first, last)| (*first..*last).contains(&at));
            if at < leaving.at && !inside {
                next = self.empty_or(stage(at + 1), next, leaving.loc);
            }
            let advance = self.elastic_advance(stage(at));
            out.push(leaving.set(advance, next));
            next = advance;
        }
    }
    fn empty_or(&mut self, stage: Stage, next: Id, loc: Loc) -> Id {
        let valid = self.elastic_valid(stage);
        let empty = self.push(Op::Un(UnOp::Not, valid), 1, loc);
        self.push(Op::Bin(BinOp::Or, empty, next), 1, loc)
    }
    /// The beginning is ready when its stage can move. Where something is thrown away, nothing enters, and nothing moves but what
    /// leaves.
    fn assign_moves(&mut self, pipe: u32, leaving: Leaving, out: &mut Vec<Stmt>) {
        let Some(elastic) = self.elastic(pipe) else { return };
        let (flush, ready, moves) = (elastic.flush, elastic.ready, elastic.moves.clone());
        let stage = |at: i32| Stage { pipe, at: Some(at) };
        let stays = flush.map(|f| self.push(Op::Un(UnOp::Not, f), 1, leaving.loc));
        let first = self.elastic_advance(stage(0));
        let accepts = self.gated(first, stays, None);
        out.push(leaving.set(ready, accepts));
        for (at, wire) in moves {
            let (valid, advance) = (self.elastic_valid(stage(at)), self.elastic_advance(stage(at)));
            let goes = self.push(Op::Bin(BinOp::And, valid, advance), 1, leaving.loc);
            let thrown_away = flush.is_some() && (at < leaving.at || at == 0);
            let goes = if thrown_away { self.gated(goes, stays, None) } else { goes };
            out.push(leaving.set(wire, goes));
        }
    }
}

impl Leaving {
    fn set(self, target: Id, value: Id) -> Stmt {
        Stmt::Set { target, place: Place::Whole, value, section: self.section, loc: self.loc }
    }
}

//! Pipeline scopes: signals know their stage, and combining two stages is an error.
//!
//! ```
//! use hdl::*;
//! # ports! { struct MacPorts() {
//! #   input a: Signal = bits(8), input b: Signal = bits(8), input c: Signal = bits(16), output y: Signal = bits(16) } }
//! # #[module]
//! # fn mac() -> Result<Design<MacPorts>, Errors> {
//! # let m = Module::new("mac");
//! # let io = MacPorts::new(m);
//! let p = m.pipeline("mac");
//! let (a, b, c) = p.enter((io.a, io.b, io.c));    // stage 0
//! let product = (a * b).next();                   // a register: stage 1
//! let sum = (product + c.meet(product)).next();   // c is delayed to stage 1; `product + c` would be an error
//! io.y.set(p.leave(sum));                         // stage 2
//! # m.finish(io)
//! # }
//! # mac().unwrap();
//! ```

use crate::body::{self, Body, PipeData};
use crate::bundle::Bundle;
use crate::ir::*;
use crate::module::Module;
use crate::signal::Signal;
use std::panic::Location;

/// A pipeline scope of a module.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    module: Module,
    index: u32,
}

impl Module {
    /// A pipeline that advances at every clock edge.
    #[track_caller]
    pub fn pipeline(self, name: &str) -> Pipeline {
        self.pipe(name, None)
    }
    /// A pipeline whose registers hold unless `advance` is 1.
    #[track_caller]
    pub fn pipeline_enabled(self, name: &str, advance: Signal) -> Pipeline {
        advance.one_bit("the enable of a pipeline");
        self.pipe(name, Some(advance.id))
    }
    #[track_caller]
    fn pipe(self, name: &str, enable: Option<Id>) -> Pipeline {
        let index = self.with(|b| {
            b.pipes.push(PipeData { name: name.into(), enable });
            b.pipes.len() as u32 - 1
        });
        Pipeline { module: self, index }
    }
}

impl Pipeline {
    /// Takes signals into the pipeline, at stage 0.
    #[track_caller]
    pub fn enter<B: Bundle>(self, x: B) -> B {
        self.enter_at(0, x)
    }
    /// Takes signals into the pipeline at a later stage.
    #[track_caller]
    pub fn enter_at<B: Bundle>(self, stage: u32, x: B) -> B {
        let loc = Location::caller();
        x.map(&mut |_, _, s| {
            let id = body::with(self.module.key, loc, |b| {
                if !b.check_same(&[s], loc) {
                    return b.poison(s.width, loc);
                }
                if let Some((p, at)) = b.node(s.id).stage {
                    let (what, name) = (b.describe(s.id), b.pipes[p as usize].name.clone());
                    let message = format!("{what} is already at stage {at} of pipeline `{name}`");
                    b.error(loc, message, vec![], Some("take it out with `leave` first".into()));
                    return b.poison(s.width, loc);
                }
                let id = b.push(Op::Alias(s.id), s.width, loc);
                b.def.nodes[id as usize].stage = Some((self.index, stage as i32));
                id
            });
            Signal { id: id.unwrap_or(0), ..s }
        })
    }
    /// As [`Pipeline::enter`], for a valid bit: its delayed copies are reset to 0.
    #[track_caller]
    pub fn enter_valid(self, valid: Signal) -> Signal {
        self.valid(self.enter(valid))
    }
    /// Marks a signal in the pipeline as a valid bit: its delayed copies are reset to 0.
    #[track_caller]
    pub fn valid(self, s: Signal) -> Signal {
        self.module.with(|b| b.valids.insert(s.id));
        s
    }
    /// Takes signals out of the pipeline; all must be at one stage.
    #[track_caller]
    pub fn leave<B: Bundle>(self, x: B) -> B {
        let loc = Location::caller();
        let mut ids = vec![];
        x.each(&mut |_, _, s| ids.push(s.id));
        body::with(self.module.key, loc, |b| b.merge_stages(&ids, loc).is_ok());
        x.map(&mut |_, _, s| {
            let id = body::with(self.module.key, loc, |b| match b.check_same(&[s], loc) {
                true => b.push(Op::Alias(s.id), s.width, loc),
                false => b.poison(s.width, loc),
            });
            Signal { id: id.unwrap_or(0), key: self.module.key, ..s }
        })
    }
    /// The stage of a signal, from 0; `None` for signals outside, such as constants and settings.
    pub fn stage_of(self, s: Signal) -> Option<u32> {
        self.module.with(|b| b.node(s.id).stage.map(|(_, s)| s as u32))
    }
}

/// What signals and bundles in a pipeline can do.
pub trait Staged: Bundle {
    /// This value in a register, one stage later.
    #[track_caller]
    fn next(self) -> Self {
        self.later(1)
    }
    /// This value so many stages later.
    #[track_caller]
    fn later(self, stages: u32) -> Self {
        let loc = Location::caller();
        self.map(&mut |_, _, s| {
            let id = body::with(s.key, loc, |b| (0..stages).fold(s.id, |id, _| b.delay(id, loc)));
            Signal { id: id.unwrap_or(s.id), ..s }
        })
    }
    /// This value delayed to the stage of `other`.
    #[track_caller]
    fn meet<B: Bundle>(self, other: B) -> Self {
        let loc = Location::caller();
        let mut ids = vec![];
        other.each(&mut |_, _, s| ids.push(s.id));
        self.map(&mut |_, _, s| {
            let id = body::with(s.key, loc, |b| match b.merge_stages(&ids, loc) {
                Ok(goal) => b.delay_to(s.id, goal, loc),
                Err(_) => b.poison(s.width, loc),
            });
            Signal { id: id.unwrap_or(s.id), ..s }
        })
    }
}

impl<B: Bundle> Staged for B {}

impl Body {
    fn delay(&mut self, id: Id, loc: Loc) -> Id {
        if let Some(&known) = self.delayed.get(&id) {
            return known;
        }
        let node = self.node(id).clone();
        if node.op == Op::Poison {
            return id;
        }
        let Some((pipe, stage)) = node.stage else {
            if matches!(node.op, Op::Const(_) | Op::Variant(..)) {
                return id; // a constant is at every stage
            }
            let message = format!("{} is not in a pipeline", self.describe(id));
            self.error(loc, message, vec![], Some("take it in with `enter`, or use a register".into()));
            return self.poison(node.width, loc);
        };
        let index = self.def.regs.len() as u32;
        let reg = self.push(Op::Net(Net::Reg(index)), node.width, loc);
        self.def.nodes[reg as usize].stage = Some((pipe, stage + 1));
        let reset = self.valids.contains(&id).then(num_bigint::BigUint::default);
        if reset.is_some() {
            self.valids.insert(reg);
        }
        let (enable, domain) = (self.pipes[pipe as usize].enable, self.domain);
        self.def.regs.push(Reg { node: reg, reset, enable, at_once: None, domain });
        // a delay does not depend on the conditions it is written under
        let section = self.section();
        self.blocks[0].push(Stmt::Set { target: reg, place: Place::Whole, value: id, section });
        self.named_after.insert(reg, id);
        self.delayed.insert(id, reg);
        reg
    }
    fn delay_to(&mut self, id: Id, goal: Option<(u32, i32)>, loc: Loc) -> Id {
        let (Some((pipe, stage)), Some((goal_pipe, goal_stage))) = (self.node(id).stage, goal) else { return id };
        if pipe != goal_pipe || stage > goal_stage {
            let message = format!(
                "{} is at stage {stage} of pipeline `{}` and cannot meet stage {goal_stage}",
                self.describe(id),
                self.pipes[pipe as usize].name
            );
            self.error(loc, message, vec![], Some("delay the other one: a value can only be delayed".into()));
            return self.poison(self.node(id).width, loc);
        }
        (stage..goal_stage).fold(id, |id, _| self.delay(id, loc))
    }
    /// The stage of an assigned net: it takes that of what is assigned, and every later assignment must have it too.
    pub fn assign_stage(&mut self, target: Id, value: Id, loc: Loc) {
        let mut sources = self.conds.clone();
        sources.push(value);
        let Ok(Some(stage)) = self.merge_stages(&sources, loc) else { return };
        let of = sources.into_iter().find(|s| self.node(*s).stage == Some(stage)).unwrap_or(value);
        match self.node(target).op {
            Op::Net(Net::Output) => {
                let message =
                    format!("{} is inside pipeline `{}`", self.describe(of), self.pipes[stage.0 as usize].name);
                self.error(loc, message, vec![], Some("take it to an output with `leave`".into()));
            }
            Op::Net(Net::PinIn(inst)) => self.pin_stage(inst, of, stage, loc),
            // a wire or register belongs to the stage at which it is assigned
            _ if self.node(target).stage.is_none() => self.def.nodes[target as usize].stage = Some(stage),
            _ if self.node(target).stage != Some(stage) => self.stage_error(target, of, loc),
            _ => {}
        }
    }
    /// The first staged input of an instance gives its outputs their stage; the others must be at the same one.
    fn pin_stage(&mut self, inst: u32, value: Id, stage: (u32, i32), loc: Loc) {
        let def = self.def.insts[inst as usize].def.clone();
        let Some(latency) = def.latency else {
            let message = format!("`{}` does not state its latency, so it cannot stand in a pipeline", def.name);
            let help = "state it there with `latency`, or connect values that left the pipeline";
            return self.error(loc, message, vec![], Some(help.into()));
        };
        match self.inst_stage.get(&inst) {
            Some(&base) if base != stage => {
                let (what, name) = (self.describe(value), self.pipes[base.0 as usize].name.clone());
                let message = format!(
                    "{what} is at stage {}, but this instance of `{}` takes its inputs at stage {} of pipeline `{name}`",
                    stage.1, def.name, base.1
                );
                self.error(loc, message, vec![], Some("delay the earlier one with `meet`".into()));
            }
            Some(_) => {}
            None => {
                self.inst_stage.insert(inst, stage);
                for (pin, port) in self.def.insts[inst as usize].pins.clone().into_iter().zip(&def.ports) {
                    if !port.input {
                        self.def.nodes[pin as usize].stage = Some((stage.0, stage.1 + latency as i32));
                    }
                }
            }
        }
    }
}

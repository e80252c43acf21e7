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
//!
//! What is not in the scope cannot be combined with what is: it enters, or it is marked as [`Pipeline::constant`] or
//! [`Pipeline::state`]. Literals fit anywhere.

use super::bundle::Bundle;
use super::module::Module;
use super::naming::Nameable;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// The most stages of one `later`.
const MAX_STAGES: u32 = 1 << 14;

/// A pipeline scope of a module.
#[derive(Clone, Copy, Debug)]
pub struct Pipeline {
    pub(crate) module: Module,
    pub(crate) index: u32,
}

impl Module {
    /// A pipeline that advances at every clock edge.
    #[track_caller]
    pub fn pipeline(self, name: &str) -> Pipeline {
        self.pipe(name, Advance::Always)
    }
    /// A pipeline that stands still unless `advance` is 1: its registers, also those that the user declares and writes in it, its
    /// memories and the instances in it.
    #[track_caller]
    pub fn pipeline_enabled(self, name: &str, advance: Signal) -> Pipeline {
        let loc = Location::caller();
        advance.one_bit("the enable of a pipeline");
        let ours = store::with(self.key, loc, |b| {
            let ours = b.check_same(&[advance], loc);
            if ours {
                b.check_outside(advance.id, &format!("the enable of pipeline `{name}`"), loc);
            }
            ours
        });
        let ours = ours.unwrap_or(false);
        self.pipe(name, if ours { Advance::When(advance.id) } else { Advance::Always })
    }
    #[track_caller]
    pub(crate) fn pipe(self, name: &str, advance: Advance) -> Pipeline {
        let loc = Location::caller();
        let index = self.with(|b| {
            let enabled = b.enabling.current;
            if let (Some(enabled), Advance::Stream(_)) = (enabled, &advance) {
                let message = format!("the streams of pipeline `{name}` go on while the enable around it is 0");
                let notes = vec![(enabled.loc, "the enable is given here")];
                let help = "begin it outside, and let its streams wait: `valid` and `ready` with the enable";
                b.error(loc, message, notes, Some(help.into()));
            }
            let variable = "p".into();
            b.staging.pipes.push(PipeData { name: name.into(), variable, loc, advance, enabled, refused: false });
            b.staging.pipes.len() as u32 - 1
        });
        Pipeline { module: self, index }
    }
}

impl Nameable for Pipeline {
    /// Messages call it so.
    fn take_name(&self, name: &str) {
        self.module.with(|b| {
            if let Some(pipe) = b.staging.pipes.get_mut(self.index as usize) {
                pipe.variable = name.into();
            }
        });
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
        if stage > MAX_STAGES {
            self.module.with(|b| {
                let help = format!("0 to {MAX_STAGES}");
                b.error(loc, format!("stage {stage} is too late for `enter_at`"), vec![], Some(help));
            });
        }
        self.gate(x, Gate::Enter, Some(stage.min(MAX_STAGES) as i32), loc)
    }
    /// Settings that stand still while data is in flight: they can be used at every stage. Where they change while something is in
    /// the pipeline, it is computed with some old and some new ones.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input x: Signal = bits(8), input limit: Signal = bits(8), output y: Signal = bits(8) } }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let p = m.pipeline("clamp");
    /// let x = p.enter(io.x).next();
    /// let limit = p.constant(io.limit); // `x.gt(io.limit)` is an error: the limit of which item?
    /// io.y.set(p.leave(x.gt(limit).mux(limit, x)));
    /// # m.finish(io)
    /// # }
    /// # example().unwrap();
    /// ```
    #[track_caller]
    pub fn constant<B: Bundle>(self, x: B) -> B {
        self.gate(x, Gate::Constant, None, Location::caller())
    }
    /// Puts signals from outside behind a gate.
    fn gate<B: Bundle>(self, x: B, gate: Gate, at: Option<i32>, loc: Loc) -> B {
        x.map(&mut |_, _, s| {
            let id = store::with(self.module.key, loc, |b| {
                if !b.check_same(&[s], loc) || b.node(s.id).op == Op::Poison {
                    return b.poison(s.width, loc);
                }
                if let Some(stage @ Stage { at: Some(at), .. }) = b.node(s.id).stage {
                    let message =
                        format!("{} is already at stage {at} of pipeline `{}`", b.describe(s.id), b.pipe(stage).name);
                    let p = &b.staging.pipes[self.index as usize].variable;
                    let help = match gate {
                        Gate::Constant if stage.pipe == self.index => format!(
                            "data of an item does not stand still: use it at its stage, or delayed with `meet`; what the items before left is `{p}.state(r, x)`"
                        ),
                        _ => "take it out with `leave` first".into(),
                    };
                    b.error(loc, message, vec![], Some(help));
                    return b.poison(s.width, loc);
                }
                let id = b.push(Op::Alias(s.id), s.width, loc);
                b.def.nodes[id as usize].stage = Some(Stage { pipe: self.index, at });
                b.staging.gates.insert(id, gate);
                id
            });
            Signal { id: id.unwrap_or(0), key: self.module.key, ..s }
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
        let loc = Location::caller();
        let staged = store::with(self.module.key, loc, |b| {
            let staged = self.witness(b, &[s], loc).is_some();
            if staged && s.width == 1 {
                b.mark_valid(s.id);
            }
            staged
        });
        if staged == Some(true) {
            s.one_bit("a valid bit");
        }
        s
    }
    /// Takes signals out of the pipeline; all must be at one stage.
    #[track_caller]
    pub fn leave<B: Bundle>(self, x: B) -> B {
        let loc = Location::caller();
        let ours = x.signals().into_iter().filter(|s| s.key == self.module.key); // others are reported below
        let ids: Vec<Id> = ours.map(|s| s.id).collect();
        store::with(self.module.key, loc, |b| self.check_leaving(b, &ids, loc));
        x.map(&mut |_, _, s| {
            let id = store::with(self.module.key, loc, |b| match b.check_same(&[s], loc) {
                true => {
                    let id = b.push(Op::Alias(s.id), s.width, loc);
                    b.staging.gates.insert(id, Gate::Leave);
                    id
                }
                false => b.poison(s.width, loc),
            });
            Signal { id: id.unwrap_or(0), key: self.module.key, ..s }
        })
    }
    fn check_leaving(self, b: &mut Draft, ids: &[Id], loc: Loc) {
        let Ok(stage) = b.merge_stages(ids, loc) else { return };
        let name = b.staging.pipes[self.index as usize].name.clone();
        if let Some(outside) = b.outsider(ids) {
            if b.may_be_reported(outside) {
                return;
            }
            let message = format!("{} is not in pipeline `{name}`", b.describe(outside));
            b.error(loc, message, vec![], Some("use it as it is: only what entered can leave".into()));
        } else if let Some(stage) = stage.filter(|s| s.pipe != self.index) {
            let other = b.pipe(stage).variable.clone();
            let message =
                format!("{} is in pipeline `{}`, and leaves `{name}` here", b.describe(ids[0]), b.pipe(stage).name);
            b.error(loc, message, vec![], Some(format!("leave the one that it is in: `{other}.leave(..)`")));
        }
    }
    /// The stage of a signal, from 0; `None` for signals outside, such as literals, and for constants of the pipeline.
    #[track_caller]
    pub fn stage_of(self, s: Signal) -> Option<u32> {
        let loc = Location::caller();
        self.module.with(|b| {
            let stage = if b.check_same(&[s], loc) { b.node(s.id).stage } else { None };
            stage.and_then(|s| s.at).map(|at| at as u32)
        })
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
            if stages > MAX_STAGES {
                store::with(s.key, loc, |b| {
                    let help = format!("at most {MAX_STAGES} stages at a time; a memory delays longer in less room");
                    b.error(loc, format!("`later` cannot delay by {stages} stages"), vec![], Some(help));
                });
                return s.poison(s.width);
            }
            let id = store::with(s.key, loc, |b| (0..stages).fold(s.id, |id, _| b.delay(id, loc)));
            Signal { id: id.unwrap_or(s.id), ..s }
        })
    }
    /// This value delayed to the stage of `other`.
    #[track_caller]
    fn meet<B: Bundle>(self, other: B) -> Self {
        let loc = Location::caller();
        let others = other.signals();
        let (ids, mut ours): (Vec<Id>, bool) = (others.iter().map(|s| s.id).collect(), true);
        self.map(&mut |_, _, s| {
            let id = store::with(s.key, loc, |b| {
                ours = ours && b.check_same(&others, loc); // once for all fields
                match ours.then(|| b.merge_stages(&ids, loc)) {
                    Some(Ok(goal)) => b.delay_to(s.id, goal, loc),
                    _ => b.poison(s.width, loc),
                }
            });
            Signal { id: id.unwrap_or(s.id), ..s }
        })
    }
}

impl<B: Bundle> Staged for B {}

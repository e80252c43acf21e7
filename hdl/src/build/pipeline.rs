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

use super::bundle::Bundle;
use super::module::Module;
use super::store;
use crate::ir::*;
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
            let id = store::with(self.module.key, loc, |b| {
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
        store::with(self.module.key, loc, |b| b.merge_stages(&ids, loc).is_ok());
        x.map(&mut |_, _, s| {
            let id = store::with(self.module.key, loc, |b| match b.check_same(&[s], loc) {
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
            let id = store::with(s.key, loc, |b| (0..stages).fold(s.id, |id, _| b.delay(id, loc)));
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
            let id = store::with(s.key, loc, |b| match b.merge_stages(&ids, loc) {
                Ok(goal) => b.delay_to(s.id, goal, loc),
                Err(_) => b.poison(s.width, loc),
            });
            Signal { id: id.unwrap_or(s.id), ..s }
        })
    }
}

impl<B: Bundle> Staged for B {}

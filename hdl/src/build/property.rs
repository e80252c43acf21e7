//! Properties: what always holds (`assert`), what the surroundings promise (`assume`), what can happen (`cover`).
//!
//! They are looked at at the clock edge, with the values of before, and not while their clock domain is in reset. In every run
//! the built-in simulator and the Verilator engine (for Verilog printed with its properties) check asserts and assumes and count
//! how often each cover held: see [`Engine::failures`](crate::engine::Engine::failures) and
//! [`Engine::covers`](crate::engine::Engine::covers). A prover looks at all runs; synthesis sees none of them.

use super::bundle::Bundle;
use super::control::check_conditions;
use super::module::Module;
use super::store;
use crate::ir::*;
use num_bigint::BigUint;
use std::panic::Location;

impl Module {
    /// States that `cond` (one bit) is 1 at every clock edge out of reset; inside `when` and `switch`, where they apply.
    #[track_caller]
    pub fn assert(self, cond: Signal, message: &str) {
        self.property(PropertyKind::Assert, cond, message);
    }
    /// States that the surroundings keep `cond` at 1: a prover takes it for granted, a simulator reports where it is not so.
    #[track_caller]
    pub fn assume(self, cond: Signal, message: &str) {
        self.property(PropertyKind::Assume, cond, message);
    }
    /// States that `cond` can be 1: a prover shows how, a simulator counts how often
    /// ([`Engine::covers`](crate::engine::Engine::covers)).
    #[track_caller]
    pub fn cover(self, cond: Signal, message: &str) {
        self.property(PropertyKind::Cover, cond, message);
    }
    /// A value that a prover chooses once for all cycles, to speak of any word at once. In simulation it is 0, or what
    /// [`Engine::choose`](crate::engine::Engine::choose) makes it.
    #[track_caller]
    pub fn anyconst(self, width: u32) -> Signal {
        self.net(width, Net::Any(false), None, Location::caller())
    }
    /// A value that a prover chooses anew in every cycle; in simulation as [`Module::anyconst`].
    #[track_caller]
    pub fn anyseq(self, width: u32) -> Signal {
        self.net(width, Net::Any(true), None, Location::caller())
    }
    /// The value of one clock edge earlier; nothing is known about it in the first cycle (see [`Module::past_valid`]). It does
    /// not depend on the `when` and `switch` that it stands in. Of a value in a pipeline that may stand there is none: take it out with
    /// `leave`.
    #[track_caller]
    pub fn past<B: Bundle>(self, x: B) -> B {
        let loc = Location::caller();
        x.map(&mut |_, _, s| {
            let reg = self.reg_at(s.width, loc);
            store::with(self.key, loc, |b| {
                if b.check_same(&[s], loc) {
                    b.def.nodes[reg.id as usize].stage = b.node(s.id).stage;
                    b.staging.marks.insert(reg.id, Mark::Past);
                    b.check_past(s.id, loc);
                    let section = b.section();
                    b.blocks[0].push(Stmt::Set { target: reg.id, place: Place::Whole, value: s.id, section, loc });
                }
            });
            reg
        })
    }
    /// One bit: at least one clock edge passed since reset, so that what [`Module::past`] gives is out of reset too.
    #[track_caller]
    pub fn past_valid(self) -> Signal {
        let loc = Location::caller();
        let reg = self.reg_at(1, loc);
        store::with(self.key, loc, |b| {
            let [zero, one] =
                [0u32, 1].map(BigUint::from).map(|v| b.share(SharedKey::Const(v.clone(), 1), Op::Const(v), 1, loc));
            b.set_reset(reg.id, zero, loc);
            let section = b.section();
            b.blocks[0].push(Stmt::Set { target: reg.id, place: Place::Whole, value: one, section, loc });
        });
        reg
    }
    #[track_caller]
    fn property(self, kind: PropertyKind, cond: Signal, message: &str) {
        let loc = Location::caller();
        let what = format!("the condition of `{kind}`");
        store::with(self.key, loc, |b| {
            if !b.check_same(&[cond], loc) || b.node(cond.id).op == Op::Poison {
                return;
            }
            if cond.width != 1 {
                let message = format!("{what} must be one bit, not {}", b.describe(cond.id));
                return b.error(loc, message, vec![], Some("reduce it with `any()` or compare it".into()));
            }
            if message.trim().is_empty() || !names::quotable(message) {
                let help = "say in a few words what holds, in ASCII, without quotes, backslashes and line breaks";
                return b.error(
                    loc,
                    format!("`{kind}` cannot have the message {message:?}"),
                    vec![],
                    Some(help.into()),
                );
            }
            check_conditions(b, &format!("`{kind}`"), loc);
            let mut together = b.conds.clone();
            together.push(cond.id);
            if b.merge_stages(&together, loc).is_err() {
                return;
            }
            let cond = if b.blocks.len() == 1 { cond.id } else { b.conditional(kind, cond.id, loc) };
            let (cond, domain) = (b.condition_here(kind, cond, loc), b.domain);
            b.def.props.push(Prop { kind, cond, domain, message: message.to_string(), loc });
        });
    }
}

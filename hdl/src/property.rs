//! Properties: what always holds (`assert`), what the surroundings promise (`assume`), what can happen (`cover`).
//!
//! They are looked at at the clock edge, with the values of before, and not while their clock domain is in reset. In every run
//! the built-in simulator and the Verilator engine (for Verilog printed with its properties) check asserts and assumes and count
//! how often each cover held: see [`Engine::failures`](crate::engine::Engine::failures) and
//! [`Engine::covers`](crate::engine::Engine::covers). A prover looks at all runs; synthesis sees none of them.

use crate::body::{self, SharedKey};
use crate::bundle::Bundle;
use crate::error::Span;
use crate::ir::*;
use crate::module::{Design, Module};
use crate::signal::Signal;
use num_bigint::BigUint;
use std::fmt;
use std::panic::Location;

/// What a property says about its condition.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PropertyKind {
    /// It always holds.
    Assert,
    /// It always holds because what surrounds the module keeps to it.
    Assume,
    /// It holds at some time.
    Cover,
}

/// A property of a design.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Property {
    /// What it says about its condition.
    pub kind: PropertyKind,
    /// The user's words.
    pub message: String,
    /// Where the user wrote it.
    pub span: Span,
}

/// An assert or assume that did not hold in simulation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Failure {
    /// Which one.
    pub property: Property,
    /// Hierarchical name of the instance that it stands in; empty for the top.
    pub instance: String,
    /// Clock edges before the one at which it failed.
    pub cycle: u64,
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PropertyKind::Assert => "assert",
            PropertyKind::Assume => "assume",
            PropertyKind::Cover => "cover",
        })
    }
}

/// `assert "no word is lost" at src/fifo.rs:61:5`; [`Property::find`] reads it.
impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} \"{}\" at {}", self.kind, self.message, self.span)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "cycle {}: failed {}", self.cycle, self.property)?;
        if self.instance.is_empty() { Ok(()) } else { write!(f, " in {}", self.instance) }
    }
}

impl Property {
    /// The property that a line of printed Verilog belongs to: tools report a failure with the line.
    pub fn find(line: &str) -> Option<Property> {
        let (_, text) = line.split_once("// property: ")?;
        let (kind, rest) = text.split_once(" \"")?;
        let (message, place) = rest.rsplit_once("\" at ")?;
        let mut place = place.trim_end().rsplitn(3, ':');
        let (column, line) = (place.next()?.parse().ok()?, place.next()?.parse().ok()?);
        let kinds = [PropertyKind::Assert, PropertyKind::Assume, PropertyKind::Cover];
        let kind = kinds.into_iter().find(|k| k.to_string() == kind)?;
        Some(Property { kind, message: message.into(), span: Span { file: place.next()?.into(), line, column } })
    }
}

impl Prop {
    /// For the user.
    pub fn public(&self) -> Property {
        Property { kind: self.kind, message: self.message.clone(), span: self.loc.into() }
    }
}

impl<P> Design<P> {
    /// The properties of this module, without those of its instances.
    pub fn properties(&self) -> Vec<Property> {
        self.def.props.iter().map(Prop::public).collect()
    }
}

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
    /// not depend on the `when` and `switch` that it stands in.
    #[track_caller]
    pub fn past<B: Bundle>(self, x: B) -> B {
        let loc = Location::caller();
        x.map(&mut |_, _, s| {
            let reg = self.reg_at(s.width, loc);
            body::with(self.key, loc, |b| {
                if b.check_same(&[s], loc) {
                    b.def.nodes[reg.id as usize].stage = b.node(s.id).stage;
                    let section = b.section();
                    b.blocks[0].push(Stmt::Set { target: reg.id, place: Place::Whole, value: s.id, section });
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
        body::with(self.key, loc, |b| {
            let [zero, one] =
                [0u32, 1].map(BigUint::from).map(|v| b.share(SharedKey::Const(v.clone(), 1), Op::Const(v), 1, loc));
            b.set_reset(reg.id, zero, loc);
            let section = b.section();
            b.blocks[0].push(Stmt::Set { target: reg.id, place: Place::Whole, value: one, section });
        });
        reg
    }
    #[track_caller]
    fn property(self, kind: PropertyKind, cond: Signal, message: &str) {
        let loc = Location::caller();
        let what = format!("the condition of `{kind}`");
        body::with(self.key, loc, |b| {
            if !b.check_same(&[cond], loc) || b.node(cond.id).op == Op::Poison {
                return;
            }
            if cond.width != 1 {
                let message = format!("{what} must be one bit, not {}", b.describe(cond.id));
                return b.error(loc, message, vec![], Some("reduce it with `any()` or compare it".into()));
            }
            if message.trim().is_empty() || message.contains(['"', '\n', '\\']) {
                let help = "say in a few words what holds, without quotes, backslashes and line breaks";
                return b.error(loc, format!("the message {message:?} of `{kind}`"), vec![], Some(help.into()));
            }
            let mut together = b.conds.clone();
            together.push(cond.id);
            if b.merge_stages(&together, loc).is_err() {
                return;
            }
            let cond = if b.blocks.len() == 1 { cond.id } else { b.conditional(kind, cond.id, loc) };
            let domain = b.domain;
            b.def.props.push(Prop { kind, cond, domain, message: message.to_string(), loc });
        });
    }
}

impl body::Body {
    /// A wire that is `cond` where the open `when` and `switch` apply, and else what makes the property say nothing.
    fn conditional(&mut self, kind: PropertyKind, cond: Id, loc: Loc) -> Id {
        let wire = self.push(Op::Net(Net::Wire), 1, loc);
        self.def.nodes[wire as usize].name = Some(format!("{kind}_l{}", loc.line()));
        let idle = BigUint::from(u32::from(kind != PropertyKind::Cover));
        let idle = self.share(SharedKey::Const(idle.clone(), 1), Op::Const(idle), 1, loc);
        let section = self.section();
        self.defaults.push(Stmt::Set { target: wire, place: Place::Whole, value: idle, section: 0 });
        self.block().push(Stmt::Set { target: wire, place: Place::Whole, value: cond, section });
        wire
    }
}

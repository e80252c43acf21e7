//! Clocks and resets that come from inside a module: the output of a PLL, the output of a reset synchronizer.

use crate::body::{self, Body};
use crate::domains::ClockDomain;
use crate::ir::*;
use crate::module::Module;
use crate::signal::Signal;
use std::collections::HashMap;
use std::panic::Location;

/// What of a domain comes from inside the module.
#[derive(Clone, Debug)]
pub(crate) struct Inside {
    /// Index into `domains`.
    pub domain: u32,
    /// The output of a foreign module that is the clock; `None`: a port of this module.
    pub clock: Option<Id>,
    /// One bit that is 1 in reset; `None`: a port of this module.
    pub reset: Option<Id>,
    /// Something uses the clock, and the reset.
    pub needed: (bool, bool),
    /// Where the clock was declared.
    pub loc: Loc,
    /// Where the reset was given.
    pub reset_loc: Loc,
}

impl Inside {
    fn of(domain: u32, loc: Loc) -> Inside {
        Inside { domain, clock: None, reset: None, needed: (false, false), loc, reset_loc: loc }
    }
}

impl Module {
    /// A clock that an output of a foreign module or black box makes, such as a PLL. It is called `name` in the Verilog. Its reset
    /// is what [`Module::reset_from`] says; without that, nothing in it can be reset.
    ///
    /// The built-in simulator runs it as one more clock: [`Engine::clocks`](crate::engine::Engine::clocks) has it, and the test
    /// says when its edges are.
    #[track_caller]
    pub fn clock_from(self, name: &str, output: Signal) -> ClockDomain {
        let loc = Location::caller();
        let index = body::with(self.key, loc, |b| {
            if !b.check_same(&[output], loc) {
                return 0;
            }
            let foreign = match b.node(output.id).op {
                Op::Net(Net::PinOut(i)) => b.def.insts[i as usize].def.foreign.is_some() && output.width == 1,
                _ => false,
            };
            if !foreign {
                let message = format!("{} cannot be the clock `{name}`", b.describe(output.id));
                let help = "a clock is a port, or an output of one bit of a foreign module or black box, such as a PLL";
                b.error(loc, message, vec![], Some(help.into()));
            }
            if !crate::finish::usable(name) || b.def.domains.iter().any(|d| d.clock == name) {
                let message = format!("`{name}` cannot be the name of a clock");
                let help = "letters, digits and underscores, not a digit first, not a keyword of Verilog or C++, not the name of another clock";
                b.error(loc, message, vec![], Some(help.into()));
            }
            let domain = b.def.domain_index(&Domain { clock: name.into(), reset: format!("{name}_reset") });
            b.def.inside.push(Inside { clock: Some(output.id), ..Inside::of(domain, loc) });
            domain
        });
        ClockDomain { key: self.key, index: index.unwrap_or(0) }
    }
    /// The reset of a domain is this signal (1: in reset), not a port. It belongs to the clock of the domain, as everything that is
    /// taken up by it: what comes from elsewhere goes through a reset synchronizer.
    #[track_caller]
    pub fn reset_from(self, domain: ClockDomain, reset: Signal) {
        let loc = Location::caller();
        let Some(domain) = self.domain_here(domain, loc) else {
            return;
        };
        if !reset.one_bit("a reset") {
            return;
        }
        body::with(self.key, loc, |b| {
            if !b.check_same(&[reset], loc) {
                return;
            }
            let clock = b.def.domains[domain as usize].clock.clone();
            match b.def.inside.iter_mut().find(|i| i.domain == domain) {
                Some(Inside { reset: Some(_), reset_loc, .. }) => {
                    let notes = vec![(*reset_loc, "here")];
                    b.error(loc, format!("the reset of clock `{clock}` is given already"), notes, None);
                }
                Some(inside) => (inside.reset, inside.reset_loc) = (Some(reset.id), loc),
                None => b.def.inside.push(Inside { reset: Some(reset.id), ..Inside::of(domain, loc) }),
            }
        });
    }
}

impl Def {
    /// What of a domain comes from inside.
    pub fn inside_of(&self, domain: u32) -> Option<&Inside> {
        self.inside.iter().find(|i| i.domain == domain)
    }
    /// The signal that resets a domain, if it is no port.
    pub fn reset_inside(&self, domain: u32) -> Option<Id> {
        self.inside_of(domain)?.reset
    }
    /// Is the clock of a domain no port?
    pub fn clock_inside(&self, domain: u32) -> bool {
        self.inside_of(domain).is_some_and(|i| i.clock.is_some())
    }
}

/// Clocks from inside are clocks and nothing else, and what needs their reset has one; no two clocks have one name.
pub(crate) fn check(b: &mut Body, drivers: &HashMap<Id, Vec<Id>>, loc: Loc) {
    let used = needed(&b.def);
    for (i, (domain, _)) in used.iter().enumerate() {
        if used[..i].iter().any(|(d, _)| d.clock == domain.clock) {
            let message = format!("two clocks are called `{}`", domain.clock);
            let help =
                "they have different resets, or one comes from inside; an instance is connected with `connect_clock`";
            b.error(loc, message, vec![], Some(help.into()));
        }
    }
    let read = crate::finish::read_nodes(&b.def, drivers);
    for inside in b.def.inside.clone() {
        let name = b.def.domains[inside.domain as usize].clock.clone();
        if let Some(clock) = inside.clock.filter(|clock| read.contains(clock)) {
            let message = format!("{} is the clock `{name}`, and is read as data", b.describe(clock));
            let help = "as a signal, it is `m.clock()` in its domain";
            b.error(inside.loc, message, vec![], Some(help.into()));
        }
        if inside.clock.is_some() && inside.reset.is_none() && inside.needed.1 {
            let message = format!("clock `{name}` comes from inside, and has no reset, but something in it is reset");
            let help = "give it one with `reset_from`, mostly the output of a reset synchronizer";
            b.error(inside.loc, message, vec![], Some(help.into()));
        }
    }
}

/// The domains that the module and the modules below it need from outside, and whether they need the reset. Notes what is needed of
/// those that come from inside.
pub(crate) fn clocks(def: &mut Def) -> Vec<(Domain, bool)> {
    let mut list = needed(def);
    for inside in &mut def.inside {
        let domain = &def.domains[inside.domain as usize];
        let Some(at) = list.iter().position(|(d, _)| d == domain) else {
            continue;
        };
        inside.needed = (true, list[at].1);
        if inside.clock.is_some() {
            list.remove(at);
        } else {
            list[at].1 = false;
        }
    }
    list
}

/// The domains that the module and the modules below it need, and whether they need the reset.
fn needed(def: &Def) -> Vec<(Domain, bool)> {
    let mut list: Vec<(Domain, bool)> = vec![];
    let mut need = |domain: &Domain, reset: bool| match list.iter_mut().find(|(d, _)| d == domain) {
        Some((_, r)) => *r |= reset,
        None => list.push((domain.clone(), reset)),
    };
    let domain = |i: u32| &def.domains[i as usize];
    def.regs.iter().for_each(|r| need(domain(r.domain), r.reset.is_some()));
    for m in &def.mems {
        m.reads.iter().filter(|r| r.sync).for_each(|r| need(domain(r.domain), false));
        m.writes.iter().for_each(|w| need(domain(w.domain), false));
    }
    def.props.iter().for_each(|p| need(domain(p.domain), true));
    for n in &def.nodes {
        match n.op {
            Op::Net(Net::Clock(d)) => need(domain(d), false),
            Op::Net(Net::Reset(d)) => need(domain(d), true),
            _ => {}
        }
    }
    for inst in &def.insts {
        let used = inst.def.clocks.iter().filter_map(|(d, reset)| Some((inst.outer(d)?, *reset)));
        used.for_each(|(outer, reset)| need(domain(outer), reset));
    }
    // in the order of declaration, so that it does not depend on use
    let order = |d: &Domain| def.domains.iter().position(|x| x == d).unwrap_or(usize::MAX);
    list.sort_by_key(|(d, _)| order(d));
    list
}

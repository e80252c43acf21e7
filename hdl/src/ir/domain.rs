//! Clocks: domains, what crosses between them, and those that come from inside a module.

use super::def::{Def, Inst};
use super::foreign::ForeignDef;
use super::node::{Id, Loc};
use std::sync::Arc;

/// In the place of a domain's index: no clock at all. So are inputs that change at any time.
pub(crate) const ASYNCHRONOUS: u32 = u32::MAX;

/// A clock and its reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub clock: String,
    pub reset: String,
}

/// A declared crossing to another clock.
#[derive(Clone, Debug)]
pub(crate) struct CrossingData {
    pub what: Crosser,
    /// Found by the check of clocks.
    pub from: Origin,
    pub to: u32,
    pub reason: String,
}

/// Where the clock of a signal comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It has none, or several.
    None,
    /// A domain.
    Domain(u32),
    /// The input port with this index, which takes any clock.
    Input(u32),
}

/// What crosses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crosser {
    /// The signal `from`, as `node` in the other domain.
    Signal { node: Id, from: Id },
    /// The words of a memory.
    Memory(u32),
}

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
    pub fn of(domain: u32, loc: Loc) -> Inside {
        Inside { domain, clock: None, reset: None, needed: (false, false), loc, reset_loc: loc }
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

impl Def {
    /// The index of a domain, which is added if it is new.
    pub fn domain_index(&mut self, wanted: &Domain) -> u32 {
        let known = self.domains.iter().position(|d| d == wanted);
        known.unwrap_or_else(|| {
            self.domains.push(wanted.clone());
            self.domains.len() - 1
        }) as u32
    }
    /// For an instance of `child` in the domain `current`: `clk` is that one, the others connect by name.
    pub fn connect_domains(&mut self, child: &Def, current: u32) -> Vec<u32> {
        // the Verilog of a foreign module has its own names for resets
        let same_clock = |def: &Def, d: &Domain| def.domains.iter().position(|x| x.clock == d.clock).map(|i| i as u32);
        let known = |def: &Def, d: &Domain| same_clock(def, d).filter(|_| child.foreign.is_some());
        let count = self.insts.len();
        let rest = child.domains.iter().enumerate().skip(1).map(|(i, d)| {
            if child.clock_inside(i as u32) {
                // a clock of its own, which nothing here has
                let name = format!("{}.{count}.{}", child.name, d.clock);
                return self.domain_index(&Domain { reset: format!("{name}_reset"), clock: name });
            }
            known(self, d).unwrap_or_else(|| self.domain_index(d))
        });
        std::iter::once(current).chain(rest).collect()
    }
}

impl Inst {
    /// The number of the port that a pin belongs to.
    pub fn port_of(&self, pin: Id) -> Option<usize> {
        self.pins.iter().position(|p| *p == pin)
    }
    /// What a simulation runs: the module, or the model of a foreign one; with the parent's domain for each of its domains
    /// that something uses.
    pub fn simulated(&self) -> (&Arc<Def>, Vec<Option<u32>>) {
        match self.def.foreign.as_deref().and_then(|f| Some((f, f.model.as_ref()?))) {
            Some((f, model)) => {
                let inner = |d| model_domain(&self.def, f, model, d).map(|i| self.domains[i as usize]);
                (model, model.domains.iter().map(inner).collect())
            }
            None => (&self.def, self.domains.iter().copied().map(Some).collect()),
        }
    }
    /// The domain of the parent that a domain of the instance is connected to.
    pub fn outer(&self, domain: &Domain) -> Option<u32> {
        self.domains.get(self.def.domains.iter().position(|d| d == domain)?).copied()
    }
}

/// The domain of the foreign module that a domain of its model stands for.
pub(crate) fn model_domain(def: &Def, f: &ForeignDef, model: &Def, domain: &Domain) -> Option<u32> {
    let first = model.domains.first() == Some(domain) && !f.clocks.is_empty();
    let at = if first { Some(0) } else { f.clocks.iter().position(|c| c.name == domain.clock) };
    at.filter(|at| *at < def.domains.len()).map(|at| at as u32)
}

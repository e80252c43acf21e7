//! Clocks and resets that come from inside a module: the output of a PLL, the output of a reset synchronizer.

use super::domains::ClockDomain;
use super::module::Module;
use super::store;
use crate::ir::*;
use std::panic::Location;

impl Module {
    /// A clock that an output of a foreign module or black box makes, such as a PLL. It is called `name` in the Verilog. Its reset
    /// is what [`Module::reset_from`] says; without that, nothing in it can be reset.
    ///
    /// The built-in simulator runs it as one more clock: [`Engine::clocks`](crate::engine::Engine::clocks) has it, and the test
    /// says when its edges are.
    #[track_caller]
    pub fn clock_from(self, name: &str, output: Signal) -> ClockDomain {
        let loc = Location::caller();
        let index = store::with(self.key, loc, |b| {
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
            if !names::usable_for_port(name) || b.def.domains.iter().any(|d| d.clock == name) {
                let message = format!("`{name}` cannot be the name of a clock");
                let help = "a letter, then letters, digits and underscores; no keyword of Verilog, SystemVerilog or C++, not the name of another clock";
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
        store::with(self.key, loc, |b| {
            if !b.check_same(&[reset], loc) {
                return;
            }
            b.check_outside(reset.id, "this reset", loc);
            let clock = b.def.domains[domain as usize].clock.clone();
            match b.def.inside.iter_mut().find(|i| i.domain == domain) {
                Some(Inside { reset: Some(_), reset_loc, .. }) => {
                    let notes = vec![(*reset_loc, "here")];
                    let help = "give each clock its reset once";
                    b.error(loc, format!("the reset of clock `{clock}` is given already"), notes, Some(help.into()));
                }
                Some(inside) => (inside.reset, inside.reset_loc) = (Some(reset.id), loc),
                None => b.def.inside.push(Inside { reset: Some(reset.id), ..Inside::of(domain, loc) }),
            }
        });
    }
}

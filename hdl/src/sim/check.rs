//! Properties while a design runs.

use super::program::Slot;
use super::run::Simulator;
use crate::engine::{Engine, check_choice};
use crate::ir::{Failure, Property, PropertyKind};
use num_bigint::BigUint;
use std::sync::Arc;

/// What came of the properties so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Checks {
    /// Failures do not panic.
    pub keep: bool,
    /// The first of each property in each instance.
    pub failures: Vec<Failure>,
    /// How often each property's condition was 1 (covers) or 0 (others); empty before the first edge.
    counts: Vec<u64>,
}

impl Checks {
    /// Without a failure so far.
    pub fn keeping(keep: bool) -> Checks {
        Checks { keep, ..Checks::default() }
    }
}

impl Simulator {
    /// What [`Engine::covers`] gives.
    pub(super) fn cover_counts(&self) -> Vec<(&Property, &str, u64)> {
        let covers = self.design.props.iter().enumerate().filter(|(_, p)| p.property.kind == PropertyKind::Cover);
        let count = |i: usize| self.checks.counts.get(i).copied().unwrap_or(0);
        let mut covers: Vec<_> = covers.map(|(i, p)| (&p.property, p.instance.as_str(), count(i))).collect();
        covers.sort_by_key(|(_, instance, _)| *instance);
        covers
    }

    /// What [`Engine::choose`] does.
    pub(super) fn choose_value(&mut self, name: &str, value: &BigUint) {
        let design = Arc::clone(&self.design);
        let free = &design.free[check_choice(&design.free, name, value)];
        let probe = self.find(name).expect("it is a named signal");
        let slot = design.program.signals[probe.0 as usize].slot;
        let digits = value.to_u64_digits();
        (0..free.limbs()).for_each(|i| self.set(slot + i as Slot, digits.get(i).copied().unwrap_or(0)));
    }

    /// Looks at the properties of the clocks that rise now; combinational logic has settled.
    pub(super) fn check_properties(&mut self, clocks: u64) {
        let design = &self.design;
        if design.props.is_empty() {
            return;
        }
        let cycle = self.cycles();
        let counts = &mut self.checks.counts;
        counts.resize(design.props.len(), 0);
        let conditions = &design.program.ports[design.ports.len()..];
        for (i, (p, slot)) in design.props.iter().zip(conditions).enumerate() {
            let in_reset = p.by_reset_port && self.slots[design.program.resets[p.domain as usize] as usize] != 0;
            let holds = self.slots[*slot as usize] != 0;
            if clocks >> p.domain & 1 == 0 || in_reset || holds != (p.property.kind == PropertyKind::Cover) {
                continue;
            }
            counts[i] += 1;
            if counts[i] == 1 && p.property.kind != PropertyKind::Cover {
                let (property, instance) = (p.property.clone(), p.instance.clone());
                self.checks.failures.push(Failure { property, instance, cycle });
            }
            if p.property.kind != PropertyKind::Cover && !self.checks.keep {
                panic!("{}", Failure { property: p.property.clone(), instance: p.instance.clone(), cycle });
            }
        }
    }
}

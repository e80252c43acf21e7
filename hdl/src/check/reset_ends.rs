//! A register may rise at a clock edge, and its asynchronous reset too: it falls within the time step, or never rose. What it resets
//! would then be reset in one simulator and not in another. Legal is a reset that leaves it as it resets the others, and one by a port;
//! then who drives that must know of it. The reset of a clock counts, since the Verilog may be printed so that it is asynchronous.

use super::reset_sources::{Source, at_pin, begins_with_ports, behind, sources};
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::collections::BTreeSet;

pub(super) fn check(b: &mut Draft) {
    check_registers(b);
    check_domains(b);
    check_instances(b);
    let ResetEnds { ports, domains } = &mut b.def.reset_ends;
    ports.sort();
    ports.dedup();
    domains.sort();
    domains.dedup();
}

/// Registers of this module with an asynchronous reset of their own.
fn check_registers(b: &mut Draft) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let register = source.id;
        let Op::Net(Net::Reg(r)) = b.node(register).op else { continue };
        let Some((by, value)) = b.def.regs[r as usize].async_reset.clone() else { continue };
        if source.resets_with(&value) || comes_from_ports(b, by) || !seen.insert(register) {
            continue;
        }
        let message = format!(
            "{} is an asynchronous reset; {} resets it to {value}, which releases what it resets: it may begin and end at one clock edge",
            b.describe(register),
            b.describe(by)
        );
        let notes = vec![(b.node(by).loc, "what resets it comes from here")];
        b.error(b.node(register).loc, message, notes, Some(HELP.into()));
    }
}

/// Registers that the reset of their clock resets; they may stand in an instance.
fn check_domains(b: &mut Draft) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let ending = ended_by(&b.def, source);
        let Some((domain, by)) = ending.into_iter().find_map(|domain| Some((domain, reset_of(b, domain)?))) else {
            continue;
        };
        if !seen.insert(source.id) {
            continue;
        }
        let message = format!(
            "{} is an asynchronous reset; {}, the reset of clock `{}`, releases what it resets: it may begin and end at one clock edge",
            b.describe(source.id),
            b.describe(by),
            b.def.domains[domain as usize].clock
        );
        let notes = vec![(b.node(by).loc, "the reset of that clock comes from here")];
        b.error(b.node(source.id).loc, message, notes, Some(HELP.into()));
    }
}

/// The same for what does so inside of instances.
fn check_instances(b: &mut Draft) {
    for i in 0..b.def.insts.len() {
        let Inst { def, domains, .. } = b.def.insts[i].clone();
        for input in &def.reset_ends.ports {
            let by = at_pin(&b.def.insts[i], *input);
            if !begins_outside(b, by) {
                let name = &def.ports[input.port as usize].name;
                let what = format!("{} is given to `{name}`", b.describe(named(&b.def, by.id)));
                in_instance(b, &def, b.first_assigned_at(by.id), &what);
            }
        }
        for inner in &def.reset_ends.domains {
            if let Some(by) = reset_of(b, domains[*inner as usize]) {
                let clock = &def.domains[*inner as usize].clock;
                let what = format!("{} is the reset of clock `{clock}`", b.describe(by));
                in_instance(b, &def, b.node(by).loc, &what);
            }
        }
    }
}

fn in_instance(b: &mut Draft, def: &Def, loc: Loc, what: &str) {
    let message = format!(
        "{what} of an instance of `{}`, where it releases an asynchronous reset: that may begin and end at one clock edge",
        def.name
    );
    b.error(loc, message, vec![], Some(HELP.into()));
}

const HELP: &str = "give it a reset value with which it resets, as in a reset synchronizer, or a reset that comes from a port; or \
                    assign it under `when` instead of a reset: then it changes at edges only";

/// The domains of this module whose resets leave registers, here or in an instance, as they do not reset others.
fn ended_by(def: &Def, source: Source) -> Vec<u32> {
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Reg(r)) => {
            let register = &def.regs[r as usize];
            register.reset.iter().filter(|value| !source.resets_with(value)).map(|_| register.domain).collect()
        }
        Op::Net(Net::PinOut(inst)) if def.insts[inst as usize].def.foreign.is_none() => {
            let inst = &def.insts[inst as usize];
            let Inst { def, domains, .. } = inst;
            let Some(port) = inst.port_of(source.id) else { return vec![] };
            let mut inside = vec![];
            behind(def, Source { id: def.ports[port].node, ..source }, &mut inside);
            // a reset from inside was looked at there
            let ending = inside.into_iter().flat_map(|source| ended_by(def, source));
            ending.filter(|domain| def.reset_inside(*domain).is_none()).map(|domain| domains[domain as usize]).collect()
        }
        _ => vec![],
    }
}

/// What resets a domain, if that is a signal which changes with a clock. Else who drives this module is told.
fn reset_of(b: &mut Draft, domain: u32) -> Option<Id> {
    match b.def.reset_inside(domain) {
        Some(by) => (!comes_from_ports(b, by)).then_some(by),
        None => {
            b.def.reset_ends.domains.push(domain);
            None
        }
    }
}

/// Does a reset begin with ports alone, and never at an edge of a clock? Then who drives these is told.
fn comes_from_ports(b: &mut Draft, by: Id) -> bool {
    begins_outside(b, Source::whole(&b.def, by, false))
}

fn begins_outside(b: &mut Draft, by: Source) -> bool {
    let mut begun = ResetEnds::default();
    let from_ports = begins_with_ports(&b.def, by, &mut HashSet::default(), &mut begun);
    if from_ports {
        b.def.reset_ends.ports.extend(begun.ports);
        b.def.reset_ends.domains.extend(begun.domains);
    }
    from_ports
}

/// What a signal is another name, the complement or a bit of.
fn named(def: &Def, mut id: Id) -> Id {
    while let Some(of) = match def.nodes[id as usize].op {
        Op::Un(_, of) | Op::Slice(of, _) => Some(of),
        _ => walk::other_name(def, id),
    } {
        id = of;
    }
    id
}

//! A register may rise at a clock edge, and its asynchronous reset too: it falls within the time step, or never rose. What it resets
//! would then be reset in one simulator and not in another. Legal is a reset that leaves it as it resets the others, and one by a port;
//! then who drives that must know of it. The reset of a clock counts, since the Verilog may be printed so that it is asynchronous.

use super::reset_sources::{Behind, Source, behind, directly_behind, sources};
use crate::ir::*;
use std::collections::{BTreeSet, HashSet};

pub(super) fn check(b: &mut Draft) {
    check_registers(b);
    check_domains(b);
    check_instances(b);
    for list in [&mut b.def.reset_ends.ports, &mut b.def.reset_ends.domains] {
        list.sort();
        list.dedup();
    }
}

/// Registers of this module with an asynchronous reset of their own.
fn check_registers(b: &mut Draft) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let register = source.id;
        let Op::Net(Net::Reg(r)) = b.node(register).op else { continue };
        let Some((by, value)) = b.def.regs[r as usize].async_reset.clone() else { continue };
        // one that resets itself is a loop, which is reported as such
        if named(&b.def, by) == register || source.resets_with(&value) {
            continue;
        }
        if comes_from_ports(b, by) || !seen.insert(register) {
            continue;
        }
        let message = format!(
            "{} resets others asynchronously, and is itself reset asynchronously by {}, to {value}, with which it does not",
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
        let Some(domain) = ended_by(&b.def, source) else { continue };
        let Some(by) = reset_of(b, domain) else { continue };
        if !seen.insert(source.id) {
            continue;
        }
        let message = format!(
            "{} resets others, and is itself reset with the clock `{}`, by {}, to a value with which it does not",
            b.describe(source.id),
            b.def.domains[domain as usize].clock,
            b.describe(by)
        );
        let notes = vec![(b.node(by).loc, "the reset of that clock comes from here")];
        b.error(b.node(source.id).loc, message, notes, Some(HELP.into()));
    }
}

/// The same for what does so inside of instances.
fn check_instances(b: &mut Draft) {
    for i in 0..b.def.insts.len() {
        let Inst { def, pins, domains, .. } = b.def.insts[i].clone();
        for pin in def.reset_ends.ports.iter().map(|port| pins[*port as usize]) {
            if !comes_from_ports(b, pin) {
                let port = pins.iter().position(|p| *p == pin).unwrap_or_default();
                let what = format!("{} is given to `{}`", b.describe(named(&b.def, pin)), def.ports[port].name);
                in_instance(b, &def, b.first_assigned_at(pin), &what);
            }
        }
        for domain in def.reset_ends.domains.iter().map(|domain| domains[*domain as usize]) {
            if let Some(by) = reset_of(b, domain) {
                let what =
                    format!("{} is the reset of clock `{}`", b.describe(by), b.def.domains[domain as usize].clock);
                in_instance(b, &def, b.node(by).loc, &what);
            }
        }
    }
}

fn in_instance(b: &mut Draft, def: &Def, loc: Loc, what: &str) {
    let message = format!(
        "{what} of an instance of `{}`, where it resets what resets others, to a value with which that does not",
        def.name
    );
    b.error(loc, message, vec![], Some(HELP.into()));
}

const HELP: &str = "what resets others asynchronously is itself reset only to a value with which it does, as in a reset synchronizer, or \
                    by what begins with a port alone: else a reset may begin and end at one clock edge; what is assigned under `when` \
                    changes at edges";

/// The domain of this module whose reset leaves a register, here or in an instance, as it does not reset others.
fn ended_by(def: &Def, source: Source) -> Option<u32> {
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Reg(r)) => {
            let register = &def.regs[r as usize];
            register.reset.as_ref().filter(|value| !source.resets_with(value)).map(|_| register.domain)
        }
        Op::Net(Net::PinOut(inst)) if def.insts[inst as usize].def.foreign.is_none() => {
            let Inst { def, pins, domains, .. } = &def.insts[inst as usize];
            let port = pins.iter().position(|pin| *pin == source.id)?;
            let mut inside = vec![];
            behind(def, Source { id: def.ports[port].node, ..source }, &mut inside);
            inside.into_iter().find_map(|source| ended_by(def, source)).map(|domain| domains[domain as usize])
        }
        _ => None,
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
    let mut begun = ResetEnds::default();
    let from_ports = begins_with_ports(&b.def, Source::whole(&b.def, by, false), &mut HashSet::new(), &mut begun);
    if from_ports {
        b.def.reset_ends.ports.extend(begun.ports);
        b.def.reset_ends.domains.extend(begun.domains);
    }
    from_ports
}

fn begins_with_ports(def: &Def, reset: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    let mut sources = vec![];
    behind(def, reset, &mut sources).is_none()
        && sources.into_iter().all(|s| source_begins_with_ports(def, s, seen, begun))
}

fn source_begins_with_ports(def: &Def, source: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    if !seen.insert(source) {
        return true;
    }
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Input) => begun.ports.extend(source.input(def).map(|input| input.port)),
        Op::Net(Net::Reset(domain)) => return domain_begins_with_ports(def, domain, seen, begun),
        // as in a reset synchronizer: it resets as it is reset, and lets go at an edge
        Op::Net(Net::Reg(r)) => {
            let Some((reset, value)) = &def.regs[r as usize].async_reset else { return false };
            return source.resets_with(value)
                && never_assigned_a_reset(def, source, seen, begun)
                && begins_with_ports(def, Source::whole(def, *reset, false), seen, begun);
        }
        Op::Net(Net::PinOut(inst)) => {
            let inst = &def.insts[inst as usize];
            let Some(port) = inst.pins.iter().position(|pin| *pin == source.id) else { return false };
            if inst.def.foreign.is_some() {
                return inst.def.ports[port].domain == Some(ASYNCHRONOUS);
            }
            let (output, mut inside) = (Source { id: inst.def.ports[port].node, ..source }, ResetEnds::default());
            let whole = |port: &u32| Source::whole(def, inst.pins[*port as usize], false);
            return begins_with_ports(&inst.def, output, &mut HashSet::new(), &mut inside)
                && inside.ports.iter().all(|port| begins_with_ports(def, whole(port), seen, begun))
                && inside
                    .domains
                    .iter()
                    .all(|d| domain_begins_with_ports(def, inst.domains[*d as usize], seen, begun));
        }
        _ => return false,
    }
    true
}

fn domain_begins_with_ports(def: &Def, domain: u32, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    match def.reset_inside(domain) {
        Some(by) => begins_with_ports(def, Source::whole(def, by, false), seen, begun),
        None => {
            begun.domains.push(domain);
            true
        }
    }
}

/// Is all that is assigned to a register a constant with which it does not reset, or another register of which that holds?
fn never_assigned_a_reset(def: &Def, source: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    let mut values = vec![];
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, _| {
        if target == source.id {
            values.push((place == Place::Whole).then_some(Source { id: value, ..source }));
        }
    });
    values.into_iter().all(|value| value.is_some_and(|value| value_begins_with_ports(def, value, seen, begun)))
}

fn value_begins_with_ports(def: &Def, value: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    match directly_behind(def, value) {
        _ if fold::constant(def, value.id).is_some_and(|constant| value.resets_with(constant)) => false,
        Some(Behind { a_source: false, others }) => {
            others.into_iter().all(|other| value_begins_with_ports(def, other, seen, begun))
        }
        Some(Behind { a_source: true, .. }) => {
            matches!(def.nodes[value.id as usize].op, Op::Net(Net::Reg(_)))
                && source_begins_with_ports(def, value, seen, begun)
        }
        None => false,
    }
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

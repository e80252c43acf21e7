//! A register may rise at a clock edge, and its asynchronous reset too: it falls within the time step, or never rose. What it resets
//! would then be reset in one simulator and not in another. Legal is a reset that leaves it as it resets the others, and one by a port;
//! then who drives that must know of it. The reset of a clock counts, since the Verilog may be printed so that it is asynchronous.

use super::reset_sources::{Source, behind, sources};
use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::{BTreeSet, HashMap, HashSet};

pub(super) fn check(b: &mut Draft) {
    check_circles(b);
    if !b.errors.is_empty() {
        return;
    }
    let drivers = walk::drivers(&b.def);
    check_registers(b, &drivers);
    check_domains(b, &drivers);
    check_instances(b, &drivers);
    for list in [&mut b.def.reset_ends.ports, &mut b.def.reset_ends.domains] {
        list.sort();
        list.dedup();
    }
}

/// No register resets the clock in which it is reset itself, nor do registers of several clocks so in turn.
fn check_circles(b: &mut Draft) {
    let mut resets: HashMap<u32, Vec<(u32, Id)>> = HashMap::new();
    for (domain, reset) in b.def.inside.iter().filter_map(|inside| Some((inside.domain, inside.reset?))) {
        let mut registers = vec![];
        behind(&b.def, Source::whole(&b.def, reset, false), &mut registers);
        let by = registers.into_iter().filter_map(|source| Some((reset_with(&b.def, source)?, source.id)));
        resets.insert(domain, by.collect());
    }
    for inside in b.def.inside.clone() {
        let (mut todo, mut seen) = (vec![inside.domain], HashSet::new());
        while let Some(domain) = todo.pop() {
            if !seen.insert(domain) {
                continue;
            }
            let by = resets.get(&domain).into_iter().flatten();
            if let Some((_, register)) = by.clone().find(|(of, _)| *of == inside.domain) {
                let (register, name) = (*register, b.def.domains[inside.domain as usize].clock.clone());
                let way = if domain == inside.domain { "" } else { ", by way of other clocks" };
                let message = format!("{} is reset with the clock `{name}`, and resets it{way}", b.describe(register));
                let help = "keep what resets a clock in a register without reset (`reg`), or in another clock";
                let notes = vec![(inside.reset_loc, "the reset of the clock is given here")];
                b.error(b.node(register).loc, message, notes, Some(help.into()));
                return;
            }
            todo.extend(by.map(|(of, _)| *of));
        }
    }
}

/// The domain of this module with which a register is reset, here or in an instance.
fn reset_with(def: &Def, source: Source) -> Option<u32> {
    standing(def, source, |register, _| register.reset.is_some())
}

/// Registers of this module with an asynchronous reset of their own.
fn check_registers(b: &mut Draft, drivers: &Drivers) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let register = source.id;
        let Op::Net(Net::Reg(r)) = b.node(register).op else { continue };
        let Some((by, value)) = b.def.regs[r as usize].async_reset.clone() else { continue };
        // one that resets itself is a loop, which is reported as such
        if named(&b.def, by) == register || source.resets_with(&value) {
            continue;
        }
        if comes_from_ports(b, drivers, by) || !seen.insert(register) {
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
fn check_domains(b: &mut Draft, drivers: &Drivers) {
    let mut seen = BTreeSet::new();
    for source in sources(&b.def) {
        let Some(domain) = ended_by(&b.def, source) else { continue };
        let Some(by) = reset_of(b, drivers, domain) else { continue };
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
fn check_instances(b: &mut Draft, drivers: &Drivers) {
    for i in 0..b.def.insts.len() {
        let Inst { def, pins, domains, .. } = b.def.insts[i].clone();
        for pin in def.reset_ends.ports.iter().map(|port| pins[*port as usize]) {
            if !comes_from_ports(b, drivers, pin) {
                let port = pins.iter().position(|p| *p == pin).unwrap_or_default();
                let what = format!("{} is given to `{}`", b.describe(named(&b.def, pin)), def.ports[port].name);
                in_instance(b, &def, b.first_assigned_at(pin), &what);
            }
        }
        for domain in def.reset_ends.domains.iter().map(|domain| domains[*domain as usize]) {
            if let Some(by) = reset_of(b, drivers, domain) {
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
                    by a port that no register drives: else a reset may begin and end at one clock edge; what is assigned under `when` \
                    changes at edges";

/// The domain of this module whose reset leaves a register, here or in an instance, as it does not reset others.
fn ended_by(def: &Def, source: Source) -> Option<u32> {
    standing(def, source, |register, source| register.reset.as_ref().is_some_and(|value| !source.resets_with(value)))
}

/// The domain of this module in which a register stands, here or in an instance, if it is such a one.
fn standing(def: &Def, source: Source, is_one: impl Fn(&Reg, Source) -> bool + Copy) -> Option<u32> {
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Reg(r)) => {
            Some(&def.regs[r as usize]).filter(|register| is_one(register, source)).map(|r| r.domain)
        }
        Op::Net(Net::PinOut(inst)) if def.insts[inst as usize].def.foreign.is_none() => {
            let Inst { def, pins, domains, .. } = &def.insts[inst as usize];
            let port = pins.iter().position(|pin| *pin == source.id)?;
            let mut inside = vec![];
            behind(def, Source { id: def.ports[port].node, ..source }, &mut inside);
            inside.into_iter().find_map(|source| standing(def, source, is_one)).map(|domain| domains[domain as usize])
        }
        _ => None,
    }
}

/// What resets a domain, if that is a signal which changes with a clock. Else who drives this module is told.
fn reset_of(b: &mut Draft, drivers: &Drivers, domain: u32) -> Option<Id> {
    match b.def.reset_inside(domain) {
        Some(by) => (!comes_from_ports(b, drivers, by)).then_some(by),
        None => {
            b.def.reset_ends.domains.push(domain);
            None
        }
    }
}

/// Does a signal come from nothing that changes with a clock, but from ports? Then who drives these is told.
fn comes_from_ports(b: &mut Draft, drivers: &Drivers, from: Id) -> bool {
    let (mut todo, mut seen, mut ports, mut domains) = (vec![from], HashSet::new(), vec![], vec![]);
    while let Some(id) = todo.pop() {
        match b.def.nodes[id as usize].op {
            _ if !seen.insert(id) => {}
            Op::Net(Net::Reg(_) | Net::MemRead(..) | Net::PinOut(_)) => return false,
            Op::Net(Net::Reset(domain)) => match b.def.reset_inside(domain) {
                Some(by) => todo.push(by),
                None => domains.push(domain),
            },
            Op::Net(Net::Input) => ports.extend(b.def.ports.iter().position(|p| p.node == id).map(|p| p as u32)),
            _ => todo.extend(walk::sources(&b.def, drivers, id)),
        }
    }
    b.def.reset_ends.ports.extend(ports);
    b.def.reset_ends.domains.extend(domains);
    true
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

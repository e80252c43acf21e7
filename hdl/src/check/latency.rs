//! The cycles that a module states of its outputs are compared with its pipelines and registers.

use super::arrivals::{Arrival, arrivals};
use super::distance::{Distances, ways, within_the_cycle};
use super::stated::{Stated, check_twice, registers, stated};
use super::{advance, outputs, settings, together};
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashMap as HashMap;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    check_twice(b);
    let stated = stated(b);
    b.def.latencies = stated.iter().map(|s| (s.output as u32, s.cycles)).collect();
    if !stated.is_empty() && b.errors.is_empty() {
        check_stated(b, drivers, &stated);
    }
    if stated.is_empty() && b.errors.is_empty() {
        // a module around this one may hold it
        b.def.advance = b.def.advance.or_else(|| advance::find(b, drivers, &Distances::of_module(b, drivers)));
    }
    b.def.advance_is_stated = b.def.advance.is_some_and(|port| advance::is_stated(b, drivers, port));
    // also where none is stated: a module around this one may state one
    if b.errors.is_empty() {
        let distances = Distances::of_module(b, drivers);
        b.def.settings = settings::of_module(b, drivers, &distances);
        b.def.constants = settings::constants(b, drivers, &distances);
        b.def.ways = ways(b, &distances);
        b.def.at_once = within_the_cycle(b, &distances);
        outputs::check(b, &distances);
    }
}

fn check_stated(b: &mut Draft, drivers: &Drivers, stated: &[Stated]) {
    let distances = Distances::of_module(b, drivers);
    check_streams(b, &distances, stated);
    check_clocks(b, &distances, stated);
    if !b.errors.is_empty() {
        return;
    }
    b.def.advance = b.def.advance.or_else(|| advance::find(b, drivers, &distances));
    // what holds all of the module brings no data
    let distances = Distances::of_module(b, drivers);
    for check in [check_entering, check_leaving, check_registers, check_furthest, together::check] {
        check(b, &distances, stated);
        if !b.errors.is_empty() {
            return;
        }
    }
    b.def.traces = traces(b, &distances);
    b.def.remembers = !b.def.traces.is_empty();
    b.def.remembers_late = b.def.remembers && has_late_state(b);
    if let Some(late) = stated.iter().find(|s| s.cycles > 0) {
        advance::check(b, &distances, *late);
    }
}

/// Between streams the time varies.
fn check_streams(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    let streams: Vec<u32> = (0..b.staging.pipes.len() as u32).filter(|pipe| b.elastic(*pipe).is_some()).collect();
    let waits = |b: &Draft, s: &Stated| {
        let leaves = distances.behind([b.def.ports[s.output].node]).into_iter().filter_map(|id| b.node(id).stage);
        let behind: Vec<u32> = leaves.map(|stage| stage.pipe).collect();
        streams.iter().copied().find(|pipe| s.of_all || behind.contains(pipe))
    };
    let found = stated.iter().find_map(|s| Some((*s, waits(b, s)?)));
    if let Some((Stated { cycles, loc, .. }, pipe)) = found {
        let (name, begins) = (b.staging.pipes[pipe as usize].name.clone(), b.staging.pipes[pipe as usize].loc);
        let message = format!("a latency of {cycles} is stated, but items of pipeline `{name}` wait for their stream");
        let help = "state none: who uses this module connects the streams";
        b.error(loc, message, vec![(begins, "the pipeline begins here")], Some(help.into()));
    }
}

/// Cycles of several clocks are no number of cycles.
fn check_clocks(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    let mut first: Option<(&Domain, Id)> = None;
    let mut behind: Vec<Id> = distances.behind(stated.iter().map(|s| b.def.ports[s.output].node));
    behind.sort();
    for id in behind {
        for domain in domains_of(&b.def, id).into_iter().map(|domain| &b.def.domains[domain as usize]) {
            let (known, other) = *first.get_or_insert((domain, id));
            if known.clock != domain.clock {
                let message = format!(
                    "a latency of {} is stated, but behind the outputs are registers of two clocks, `{}` and `{}`",
                    stated[0].cycles, known.clock, domain.clock
                );
                let (one, other_clock) =
                    (format!("clocked by `{}`", known.clock), format!("clocked by `{}`", domain.clock));
                let notes = vec![(b.node(other).loc, one.as_str()), (b.node(id).loc, other_clock.as_str())];
                let help = "cycles of one clock are counted: state none, and let who uses this module connect streams or crossings; a \
                            setting that crosses stands still: `p.constant(x)`";
                return b.error(stated[0].loc, message, notes, Some(help.into()));
            }
        }
    }
}

/// The clocks with which a signal changes: of a register, of what a memory has read, of an instance.
fn domains_of(def: &Def, id: Id) -> Vec<u32> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Reg(r)) => vec![def.regs[r as usize].domain],
        Op::Net(Net::MemRead(memory, port)) => {
            let port = &def.mems[memory as usize].reads[port as usize];
            if port.sync { vec![port.domain] } else { vec![] }
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &def.insts[i as usize];
            inst.def.clocks.iter().filter_map(|(domain, _)| inst.outer(domain)).collect()
        }
        _ => vec![],
    }
}

/// Where signals enter pipelines: pipeline, stage, signal.
fn entrances(b: &Draft) -> Vec<(usize, i32, Id)> {
    let entrance = |(&id, gate): (&Id, &Gate)| match (gate, b.node(id).stage) {
        (Gate::Enter, Some(Stage { pipe, at: Some(at) })) => Some((pipe as usize, at, id)),
        _ => None,
    };
    let mut entrances: Vec<_> = b.staging.gates.iter().filter_map(entrance).collect();
    entrances.sort();
    entrances
}

/// What enters a pipeline together came in together: counted from the inputs, its stage 0 is at one time.
fn check_entering(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    let Stated { cycles: latency, loc, .. } = stated[0];
    let mut first: HashMap<usize, (i32, i32, Id)> = HashMap::default();
    for (pipe, at, id, base) in based(b, distances) {
        let Some(base) = base else { continue };
        let (known, other_at, other) = *first.entry(pipe).or_insert((base, at, id));
        if known != base {
            let enters = |id: Id, at: i32, base: i32| {
                let cycles = at + base;
                let of = if let Op::Alias(of) = b.node(id).op { of } else { id };
                format!("{} enters at stage {at}, {} after the inputs", b.describe(of), counted(cycles, "cycle"))
            };
            let message = format!(
                "a latency of {latency} is stated, but what enters pipeline `{}` comes from inputs of different cycles",
                b.staging.pipes[pipe].name
            );
            let (one, two) = (enters(other, other_at, known), enters(id, at, base));
            let notes = vec![(b.node(other).loc, one.as_str()), (b.node(id).loc, two.as_str())];
            let help = "the parent gives all inputs in one cycle: what is later enters at a later stage (`enter_at`), or what is earlier is delayed";
            return b.error(loc, message, notes, Some(help.into()));
        }
    }
}

/// The outputs at which something of an item can stay longer than the latency: in feedback, in a memory, or because inputs of different
/// cycles are combined; also in an instance, of which no input may be behind it, as of a counter of items.
fn traces(b: &Draft, distances: &Distances) -> Vec<u32> {
    let in_an_instance = |id: &Id| {
        let Op::Net(Net::PinOut(inst)) = b.node(*id).op else { return false };
        let inst = &b.def.insts[inst as usize];
        inst.port_of(*id).is_some_and(|port| inst.def.traces.contains(&(port as u32)))
    };
    let stays = |id: Id| match distances.furthest(b, id) {
        None => true,
        Some(most) => {
            distances.nearest(b, id, false).is_some_and(|(_, fewest)| fewest < most)
                || distances.behind([id]).iter().any(in_an_instance)
        }
    };
    (0..).zip(&b.def.ports).filter(|(_, p)| !p.input && stays(p.node)).map(|(i, _)| i).collect()
}

/// Is there state at a stage behind that at which items enter? It changes when they are there, a cycle after they came.
fn has_late_state(b: &Draft) -> bool {
    let mut first: HashMap<usize, i32> = HashMap::default();
    for (pipe, at, _) in entrances(b) {
        first.entry(pipe).and_modify(|first| *first = at.min(*first)).or_insert(at);
    }
    let registers =
        b.staging.written.iter().filter(|(id, _)| b.staging.marks.contains_key(id)).map(|(_, stage)| *stage);
    let memories = b.staging.writes.iter().filter_map(|write| write.stage);
    let instances = b.staging.instances.iter().filter(|(inst, _)| b.def.insts[**inst as usize].def.remembers);
    let mut stages = registers.chain(memories).chain(instances.map(|(_, (stage, _))| *stage));
    let inside = b.def.insts.iter().any(|inst| inst.def.remembers_late);
    inside
        || stages
            .any(|stage| stage.at.is_some_and(|at| first.get(&(stage.pipe as usize)).is_some_and(|first| at > *first)))
}

/// The entrances, each with the time of its pipeline's stage 0 in cycles from the inputs, as this entrance has it. `None` where the
/// ways from the inputs differ, or state is among them: then the user's word is all there is.
fn based(b: &Draft, distances: &Distances) -> Vec<(usize, i32, Id, Option<i32>)> {
    let base = |at: i32, id: Id| {
        let (_, fewest) = distances.nearest(b, id, false)?;
        (distances.furthest(b, id)? == fewest).then_some(fewest as i32 - at)
    };
    entrances(b).into_iter().map(|(pipe, at, id)| (pipe, at, id, base(at, id))).collect()
}

/// When a pipeline's stage 0 is, if it is fed by inputs or by pipelines that begin above it.
fn bases(b: &Draft, distances: &Distances) -> Vec<Option<i32>> {
    let mut bases: Vec<Option<i32>> = vec![None; b.staging.pipes.len()];
    for (pipe, _, _, base) in based(b, distances) {
        bases[pipe] = bases[pipe].max(base);
    }
    bases
}

/// Every output that comes from a pipeline comes when the module says.
fn check_leaving(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    let (bases, arrivals) = (bases(b, distances), arrivals(b, distances));
    for s in stated {
        let port = b.def.ports[s.output].clone();
        let late = |arrival: &Arrival| Some(bases[arrival.pipe as usize]? + arrival.cycles);
        let wrong = arrivals[&port.node].iter().find_map(|arrival| {
            let cycles = late(arrival)?;
            (cycles != s.cycles as i32).then_some((arrival, cycles))
        });
        let Some((arrival, cycles)) = wrong else { continue };
        let after = if arrival.at == cycles { String::new() } else { format!(", {cycles} cycles after the inputs") };
        let message = format!(
            "a latency of {} is stated, but output `{}` leaves pipeline `{}` at stage {}{after}",
            s.cycles, port.name, b.staging.pipes[arrival.pipe as usize].name, arrival.at
        );
        let help = s.other(b, cycles, "or other registers: ");
        return b.error(s.loc, message, vec![(b.node(arrival.left).loc, "it leaves here")], Some(help));
    }
}

/// No output comes sooner than the registers between let it, and none at once where a latency is stated.
fn check_registers(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    for s in stated {
        let (latency, port) = (s.cycles, b.def.ports[s.output].clone());
        if latency > 0 && !b.def.keeps_something() {
            let message = format!("a latency of {latency} is stated, but the module has no register");
            return b.error(s.loc, message, vec![], Some(s.other(b, 0, "if ")));
        }
        let Some((input, cycles)) = distances.nearest(b, port.node, false) else { continue };
        if latency > 0 && cycles == 0 {
            let name = b.label(input);
            let message = format!(
                "a latency of {latency} is stated, but input `{name}` reaches output `{}` within the cycle",
                port.name
            );
            let help = "put registers between; a setting that stands still while data is in flight is marked in its pipeline: `p.constant(x)`";
            return b.error(s.loc, message, vec![(b.node(input).loc, "the input")], Some(help.into()));
        }
        // an output may show what the items before left, which is a register less
        let least = distances.nearest(b, port.node, true).filter(|_| cycles > latency);
        if least.is_some_and(|(_, least)| least > latency) {
            let registers = registers(cycles);
            let message = format!(
                "a latency of {latency} is stated, but at least {registers} between every input and output `{}`",
                port.name
            );
            return b.error(s.loc, message, vec![], Some(s.other(b, cycles as i32, "if ")));
        }
    }
}

/// Every output comes as late as stated, where that has a bound.
fn check_furthest(b: &mut Draft, distances: &Distances, stated: &[Stated]) {
    for s in stated {
        let port = b.def.ports[s.output].clone();
        let most = distances.furthest(b, port.node).filter(|most| *most < s.cycles);
        let Some(most) = most.filter(|_| distances.nearest(b, port.node, false).is_some()) else { continue };
        let message = format!(
            "a latency of {} is stated, but at most {} between an input and output `{}`",
            s.cycles,
            registers(most),
            port.name
        );
        return b.error(s.loc, message, vec![], Some(s.other(b, most as i32, "if ")));
    }
}

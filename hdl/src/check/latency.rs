//! The latency that a module states, against its pipelines and registers; and which input holds all of it.

use super::distance::{behind_outputs, furthest, is_setting, nearest, steps, writes_settings};
use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::{HashMap, HashSet};

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    if let (Some(latency), Some(loc)) = (b.def.latency, b.latency_at) {
        check_stated(b, drivers, latency, loc);
    }
    b.def.advance_is_stated = b.def.advance.is_some_and(|port| is_stated(b, drivers, port));
    // also where none is stated: a module around this one may state one
    if b.errors.is_empty() {
        b.def.settings = settings(b, drivers);
    }
}

fn check_stated(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    let errors = b.errors.len();
    check_streams(b, latency, loc);
    check_clocks(b, drivers, latency, loc);
    if b.errors.len() > errors {
        return;
    }
    b.def.advance = b.def.advance.or_else(|| find_advance(b, drivers));
    check_entering(b, drivers, latency, loc);
    if b.errors.len() == errors {
        check_leaving(b, drivers, latency, loc);
    }
    if b.errors.len() == errors {
        check_registers(b, drivers, latency, loc);
    }
    if b.errors.len() == errors {
        check_furthest(b, drivers, latency, loc);
    }
    if b.errors.len() == errors {
        b.def.remembers = remembers(b, drivers);
        check_enable(b, drivers, latency, loc);
    }
}

/// Between streams the time varies.
fn check_streams(b: &mut Draft, latency: u32, loc: Loc) {
    let stream = (0..b.staging.pipes.len() as u32).find(|p| b.elastic(*p).is_some());
    if let Some(pipe) = stream {
        let (name, begins) = (b.staging.pipes[pipe as usize].name.clone(), b.staging.pipes[pipe as usize].loc);
        let message = format!("a latency of {latency} is stated, but items of pipeline `{name}` wait for their stream");
        let help = "state none: who uses this module connects the streams";
        b.error(loc, message, vec![(begins, "the pipeline begins here")], Some(help.into()));
    }
}

/// Cycles of several clocks are no number of cycles.
fn check_clocks(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    let mut first: Option<(&Domain, Id)> = None;
    let mut behind: Vec<Id> = behind_outputs(b, drivers).into_iter().collect();
    behind.sort();
    for id in behind {
        for domain in domains_of(&b.def, id).into_iter().map(|domain| &b.def.domains[domain as usize]) {
            let (known, other) = *first.get_or_insert((domain, id));
            if known.clock != domain.clock {
                let message = format!(
                    "a latency of {latency} is stated, but behind the outputs are registers of two clocks, `{}` and `{}`",
                    known.clock, domain.clock
                );
                let notes = vec![(b.node(other).loc, "one of the first"), (b.node(id).loc, "one of the other")];
                let help = "cycles of one clock are counted: state none, and let who uses this module connect streams or crossings; a \
                            setting that crosses stands still: `p.constant(x)`";
                return b.error(loc, message, notes, Some(help.into()));
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
fn check_entering(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    let mut first: HashMap<usize, (i32, Id)> = HashMap::new();
    for (pipe, _, id, base) in based(b, drivers) {
        let Some(base) = base else { continue };
        let (known, other) = *first.entry(pipe).or_insert((base, id));
        if known != base {
            let late = |base: i32| match base {
                1 => "from inputs of the cycle before its stage 0".to_string(),
                -1 => "from inputs of the cycle behind its stage 0".to_string(),
                0 => "from inputs of the cycle of its stage 0".to_string(),
                2.. => format!("from inputs of {base} cycles before its stage 0"),
                _ => format!("from inputs of {} cycles behind its stage 0", -base),
            };
            let message = format!(
                "a latency of {latency} is stated, but what enters pipeline `{}` comes from inputs of different cycles",
                b.staging.pipes[pipe].name
            );
            let (one, two) = (late(known), late(base));
            let notes = vec![(b.node(other).loc, one.as_str()), (b.node(id).loc, two.as_str())];
            let help = "who uses this module gives all inputs in one cycle: enter them at one stage of the first pipeline, and delay them there";
            return b.error(loc, message, notes, Some(help.into()));
        }
    }
}

/// Does what went through stay: in state that goes round, in a memory, or where inputs of different cycles are taken together?
fn remembers(b: &Draft, drivers: &Drivers) -> bool {
    let stays = |id: Id| match furthest(b, drivers, id) {
        None => true,
        Some(most) => nearest(b, drivers, id, false).is_some_and(|(_, fewest)| fewest < most),
    };
    b.def.ports.iter().any(|p| !p.input && stays(p.node))
}

/// The inputs that the module takes as standing still: from which a way leads to what it marks as constant, gives to an instance as a
/// setting, or resets something with, also over registers, and also if they are read otherwise.
fn settings(b: &Draft, drivers: &Drivers) -> Vec<u32> {
    let behind = behind_outputs(b, drivers);
    let mut todo: Vec<Id> = behind.iter().copied().filter(|id| is_setting(b, *id)).collect();
    // a reset acts whether or not the item goes on that it comes with
    todo.extend(behind.iter().flat_map(|id| resets(&b.def, *id)));
    let mut seen = HashSet::new();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            let of = if is_setting(b, id) { walk::sources(&b.def, drivers, id) } else { vec![] };
            todo.extend(steps(b, drivers, id).into_iter().map(|(x, _)| x).chain(of));
        }
    }
    let setting = |p: &Port| p.input && seen.contains(&p.node);
    (0..).zip(&b.def.ports).filter(|(_, p)| setting(p)).map(|(i, _)| i).collect()
}

/// What resets a register, or an instance of which this is an output: signals of this module.
fn resets(def: &Def, id: Id) -> Vec<Id> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Reg(r)) => {
            let reg = &def.regs[r as usize];
            let domain = reg.reset.as_ref().and_then(|_| def.reset_inside(reg.domain));
            reg.async_reset.iter().map(|(reset, _)| *reset).chain(domain).collect()
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &def.insts[i as usize];
            let reset = inst.def.clocks.iter().filter(|(_, reset)| *reset).filter_map(|(d, _)| inst.outer(d));
            reset.filter_map(|domain| def.reset_inside(domain)).collect()
        }
        _ => vec![],
    }
}

/// The entrances, each with the time of its pipeline's stage 0 in cycles from the inputs, as this entrance has it. `None` where the
/// ways from the inputs differ, or state is among them: then the user's word is all there is.
fn based(b: &Draft, drivers: &Drivers) -> Vec<(usize, i32, Id, Option<i32>)> {
    let base = |at: i32, id: Id| {
        let (_, fewest) = nearest(b, drivers, id, false)?;
        (furthest(b, drivers, id)? == fewest).then_some(fewest as i32 - at)
    };
    entrances(b).into_iter().map(|(pipe, at, id)| (pipe, at, id, base(at, id))).collect()
}

/// When a pipeline's stage 0 is, if it is fed by inputs or by pipelines that begin above it.
pub(super) fn bases(b: &Draft, drivers: &Drivers) -> Vec<Option<i32>> {
    let mut bases: Vec<Option<i32>> = vec![None; b.staging.pipes.len()];
    for (pipe, _, _, base) in based(b, drivers) {
        bases[pipe] = bases[pipe].max(base);
    }
    bases
}

/// Cycles from the inputs to a signal that left a pipeline.
pub(super) fn left(b: &Draft, bases: &[Option<i32>], id: Id) -> Option<i32> {
    let (Some(Gate::Leave), Op::Alias(of)) = (b.staging.gates.get(&id), &b.node(id).op) else { return None };
    let Stage { pipe, at } = b.node(*of).stage?;
    Some((*bases.get(pipe as usize)?)? + at?)
}

/// Every output that comes from a pipeline comes when the module says.
fn check_leaving(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    let bases = bases(b, drivers);
    for port in b.def.ports.clone().iter().filter(|p| !p.input) {
        // beyond a pipeline, its own inside does not count
        let cone = leaves_before(b, drivers, port.node);
        let wrong = cone.into_iter().find_map(|id| {
            let cycles = left(b, &bases, id)?;
            (cycles != latency as i32).then_some((id, cycles))
        });
        let Some((id, cycles)) = wrong else { continue };
        let Op::Alias(of) = b.node(id).op else { continue };
        let Some(stage) = b.node(of).stage else { continue };
        let at = stage.at.unwrap_or(0);
        let after = if at == cycles { String::new() } else { format!(", {cycles} cycles after the inputs") };
        let message = format!(
            "a latency of {latency} is stated, but output `{}` leaves pipeline `{}` at stage {at}{after}",
            port.name,
            b.pipe(stage).name
        );
        let help =
            format!("`m.latency({cycles})`, or other registers: all outputs come so many cycles after the inputs");
        b.error(loc, message, vec![(b.node(id).loc, "it leaves here")], Some(help));
        return;
    }
}

/// The signals that left a pipeline, as an output sees them: not those behind them.
pub(super) fn leaves_before(b: &Draft, drivers: &Drivers, from: Id) -> Vec<Id> {
    let (mut todo, mut seen, mut found) = (vec![from], HashSet::new(), vec![]);
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match b.staging.gates.get(&id) {
            Some(Gate::Leave) => found.push(id),
            _ if is_setting(b, id) => {}
            _ => todo.extend(walk::sources(&b.def, drivers, id)),
        }
    }
    found
}

/// No output comes sooner than the registers between let it, and none at once where a latency is stated.
fn check_registers(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    if latency > 0 && !b.def.keeps_something() {
        let message = format!("a latency of {latency} is stated, but the module has no register");
        let help = "`m.latency(0)`: its outputs follow its inputs within the cycle";
        return b.error(loc, message, vec![], Some(help.into()));
    }
    for port in b.def.ports.clone().iter().filter(|p| !p.input) {
        let Some((input, cycles)) = nearest(b, drivers, port.node, false) else { continue };
        if latency > 0 && cycles == 0 {
            let name = b.label(input);
            let message = format!(
                "a latency of {latency} is stated, but input `{name}` reaches output `{}` within the cycle",
                port.name
            );
            let help = "put registers between; a setting that stands still while data is in flight is marked in its pipeline: `p.constant(x)`";
            return b.error(loc, message, vec![(b.node(input).loc, "the input")], Some(help.into()));
        }
        // an output may show what the items before left, which is a register less
        let least = if cycles > latency { nearest(b, drivers, port.node, true) } else { None };
        if least.is_some_and(|(_, least)| least > latency) {
            let plural = if cycles == 1 { "register is" } else { "registers are" };
            let message = format!(
                "a latency of {latency} is stated, but at least {cycles} {plural} between every input and output `{}`",
                port.name
            );
            let help = format!("`m.latency({cycles})`, if all outputs come so many cycles after the inputs");
            return b.error(loc, message, vec![], Some(help));
        }
    }
}

/// Every output comes as late as stated, where that has a bound.
fn check_furthest(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    for port in b.def.ports.clone().iter().filter(|p| !p.input) {
        let most = furthest(b, drivers, port.node).filter(|most| *most < latency);
        let Some(most) = most.filter(|_| nearest(b, drivers, port.node, false).is_some()) else { continue };
        let plural = if most == 1 { "register is" } else { "registers are" };
        let message = format!(
            "a latency of {latency} is stated, but at most {most} {plural} between an input and output `{}`",
            port.name
        );
        let help = format!("`m.latency({most})`, if all outputs come so many cycles after the inputs");
        return b.error(loc, message, vec![], Some(help));
    }
}

/// The input without which everything behind the outputs holds, but for settings.
fn find_advance(b: &Draft, drivers: &Drivers) -> Option<u32> {
    let (mut todo, mut seen) = (vec![], HashSet::new());
    todo.extend(b.def.ports.iter().filter(|p| !p.input).map(|p| p.node));
    let (mut enables, mut writes) = (vec![], vec![]);
    while let Some(id) = todo.pop() {
        if !seen.insert(id) || is_setting(b, id) {
            continue;
        }
        match b.node(id).op {
            Op::Net(Net::Reg(r)) => enables.push(b.def.regs[r as usize].enable),
            Op::Net(Net::MemRead(m, p)) => {
                let memory = &b.def.mems[m as usize];
                enables.extend(memory.reads.get(p as usize).filter(|r| r.sync).map(|r| r.enable));
                writes.extend(&memory.writes);
            }
            Op::Net(Net::PinOut(i)) if b.def.insts[i as usize].def.keeps_something() => {
                let pin = b.advance_pin(i);
                let driver = pin
                    .and_then(|pin| drivers.get(&pin))
                    .and_then(|d| if let [one] = d[..] { Some(one) } else { None });
                enables.push(driver);
            }
            _ => {}
        }
        todo.extend(steps(b, drivers, id).into_iter().map(|(x, _)| x));
    }
    let held = |port: &Port| enables.iter().all(|e| e.is_some_and(|e| b.enables_of(e).contains(&port.node)));
    let written = |port: &Port| writes.iter().all(|w| stands_without(b, w, port.node));
    let holds = |port: &Port| !(enables.is_empty() && writes.is_empty()) && held(port) && written(port);
    b.def.ports.iter().position(|p| p.input && p.width == 1 && holds(p)).map(|p| p as u32)
}

/// Did the user say of this input that it holds something as a whole: the module, a pipeline, or an instance that says so?
fn is_stated(b: &Draft, drivers: &Drivers, port: u32) -> bool {
    let input = b.def.ports[port as usize].node;
    let of_a_pipeline = |p: &PipeData| matches!(p.advance, Advance::When(enable) if enable == input);
    let of_an_instance = |inst: u32| {
        let by = b.advance_pin(inst).and_then(|pin| drivers.get(&pin));
        b.def.insts[inst as usize].def.advance_is_stated && by.is_some_and(|by| by[..] == [input])
    };
    b.def.advance_is_all
        || b.staging.pipes.iter().any(of_a_pipeline)
        || (0..b.def.insts.len() as u32).any(of_an_instance)
}

/// Does a write port change nothing while `input` is 0?
fn stands_without(b: &Draft, port: &WritePort, input: Id) -> bool {
    writes_settings(b, port) || is_zero_without(b, port.mask, input)
}

/// Is this mask of a write port 0 while `input` is? A setting stands still while data is in flight, so it is not what holds the module.
fn is_zero_without(b: &Draft, mask: Id, input: Id) -> bool {
    let leaves = walk::leaves(mask, |id| match b.node(id).op {
        _ if id == input || is_setting(b, id) => None,
        Op::Alias(of) | Op::Repeat(of, _) => Some(vec![of]),
        Op::Bin(BinOp::And, x, y) => Some(vec![x, y]),
        _ => None,
    });
    leaves.contains(&input)
}

/// A pipeline that may stand has a latency only together with the input that holds it, and nothing else.
fn check_enable(b: &mut Draft, drivers: &Drivers, latency: u32, loc: Loc) {
    if latency == 0 {
        return;
    }
    let input = b.def.advance.map(|port| b.def.ports[port as usize].node);
    let other = |enable: &Id| Some(*enable) != input;
    // pipelines beside those that outputs depend on serve properties and tables alone
    let stages = behind_outputs(b, drivers).into_iter().filter_map(|id| b.node(id).stage);
    let seen: HashSet<u32> = stages.filter(|stage| stage.at.is_some()).map(|stage| stage.pipe).collect();
    let stands = b.staging.pipes.iter().zip(0..).filter(|(_, pipe)| seen.contains(pipe)).find_map(|(p, _)| {
        let own = if let Advance::When(enable) = p.advance { Some(enable) } else { None };
        let around = p.enabled.map_or(vec![], |enabled| b.enables_of(enabled.enable));
        Some((p.name.clone(), own.into_iter().chain(around).find(other)?, p.loc))
    });
    let Some((name, enable, begins)) = stands else { return };
    let held = match b.def.advance {
        None => "no input holds all of the module".to_string(),
        Some(port) => format!("who uses the module holds it with `{}` alone", b.def.ports[port as usize].name),
    };
    let message = format!(
        "a latency of {latency} is stated, but pipeline `{name}` stands while {} is 0, and {held}",
        b.describe(enable)
    );
    let help = "a latency is counted where one input of one bit holds everything behind the outputs: make that the enable of the \
                pipeline, and of the registers beside it; or state no latency";
    b.error(loc, message, vec![(begins, "the pipeline")], Some(help.into()));
}

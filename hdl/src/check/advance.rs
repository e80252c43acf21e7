//! The input that holds all of a module, so that a pipeline around it can let it stand.

use super::distance::Distances;
use super::stated::Stated;
use super::steps::{is_setting, writes_settings};
use crate::ir::walk::Drivers;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashSet as HashSet;

/// What moves by itself: the enables of registers and of words that are read, and the write ports.
#[derive(Default)]
struct Moving<'a> {
    enables: Vec<Option<Id>>,
    writes: Vec<&'a WritePort>,
}

/// The input without which everything behind the outputs holds, but for settings. Where nothing is behind them, that of all pipelines.
pub(super) fn find(b: &Draft, drivers: &Drivers, distances: &Distances) -> Option<u32> {
    let behind = distances.behind_outputs(b);
    let moving = moving(b, drivers, behind.into_iter().filter(|id| !is_setting(b, *id)));
    if moving.enables.is_empty() && moving.writes.is_empty() {
        return of_all_pipelines(b, drivers);
    }
    let held = |port: &Port| moving.enables.iter().all(|e| e.is_some_and(|e| b.enables_of(e).contains(&port.node)));
    let written = |port: &Port| moving.writes.iter().all(|w| stands_without(b, w, port.node));
    b.def.ports.iter().position(|p| p.input && p.width == 1 && held(p) && written(p)).map(|p| p as u32)
}

/// What moves among these.
fn moving<'a>(b: &'a Draft, drivers: &Drivers, ids: impl Iterator<Item = Id>) -> Moving<'a> {
    let mut all = Moving::default();
    for id in ids {
        match b.node(id).op {
            Op::Net(Net::Reg(r)) => all.enables.push(b.def.regs[r as usize].enable),
            Op::Net(Net::MemRead(m, p)) => {
                let memory = &b.def.mems[m as usize];
                all.enables.extend(memory.reads.get(p as usize).filter(|r| r.sync).map(|r| r.enable));
                all.writes.extend(&memory.writes);
            }
            Op::Net(Net::PinOut(i)) if shows_registers(&b.def.insts[i as usize], id) => {
                all.enables.push(held_by(b, drivers, i));
            }
            _ => {}
        }
    }
    all
}

/// What alone is given to the input that holds an instance.
fn held_by(b: &Draft, drivers: &Drivers, inst: u32) -> Option<Id> {
    let given = b.advance_pin(inst).and_then(|pin| drivers.get(&pin))?;
    if let [one] = given[..] { Some(one) } else { None }
}

/// The input that is the enable of all pipelines of a module, of which no output depends on a register, and of whatever else has a clock.
fn of_all_pipelines(b: &Draft, drivers: &Drivers) -> Option<u32> {
    let input = b.staging.pipes.iter().find_map(|pipe| match pipe.advance {
        Advance::When(enable) => Some(enable),
        Advance::Always | Advance::Stream(_) => None,
    })?;
    let holds = |enable: Option<Id>| enable.is_some_and(|enable| b.enables_of(enable).contains(&input));
    let stands = |pipe: &PipeData| matches!(pipe.advance, Advance::When(enable) if enable == input);
    let mut reads = b.def.mems.iter().flat_map(|memory| memory.reads.iter().filter(|read| read.sync));
    let mut writes = b.def.mems.iter().flat_map(|memory| &memory.writes);
    let mut insts = (0..).zip(&b.def.insts).filter(|(_, inst)| inst.def.keeps_something());
    let all = b.staging.pipes.iter().all(stands)
        && b.def.regs.iter().all(|reg| holds(reg.enable))
        && reads.all(|read| holds(read.enable))
        && writes.all(|write| stands_without(b, write, input))
        && insts.all(|(i, _)| holds(held_by(b, drivers, i)));
    let port = b.def.ports.iter().position(|port| port.input && port.node == input);
    port.filter(|_| all).map(|port| port as u32)
}

/// Are there registers, or what keeps a value otherwise, before this output of an instance? One that no input reaches shows them, or is
/// a constant.
fn shows_registers(inst: &Inst, output: Id) -> bool {
    let output = inst.port_of(output).unwrap_or(0) as u32;
    let def = &inst.def;
    let over_registers = || !def.ways_to(output).is_empty() || def.latency_of(output).is_some_and(|cycles| cycles > 0);
    def.keeps_something() && (def.foreign.is_some() || over_registers())
}

/// Did the user say of this input that it holds something as a whole: the module, a pipeline, or an instance that says so?
pub(super) fn is_stated(b: &Draft, drivers: &Drivers, port: u32) -> bool {
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

/// Is this mask of a write port 0 while `input` is, or always? A setting stands still while data is in flight, so it is not what holds the module.
fn is_zero_without(b: &Draft, mask: Id, input: Id) -> bool {
    let leaves = walk::leaves(mask, |id| match b.node(id).op {
        _ if id == input || is_setting(b, id) => None,
        Op::Alias(of) | Op::Repeat(of, _) => Some(vec![of]),
        Op::Bin(BinOp::And, x, y) => Some(vec![x, y]),
        _ => None,
    });
    let is_zero = |id: &Id| b.constant(*id).is_some_and(|number| *number == BigUint::ZERO);
    leaves.contains(&input) || leaves.iter().any(is_zero)
}

/// A pipeline that may stand has a latency only together with the input that holds it, and nothing else.
pub(super) fn check(b: &mut Draft, distances: &Distances, stated: Stated) {
    let Stated { cycles: latency, loc, .. } = stated;
    let input = b.def.advance.map(|port| b.def.ports[port as usize].node);
    let other = |enable: &Id| Some(*enable) != input;
    // pipelines beside those that outputs depend on serve properties and tables alone
    let stages = distances.behind_outputs(b).into_iter().filter_map(|id| b.node(id).stage);
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

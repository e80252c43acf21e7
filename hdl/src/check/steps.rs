//! What a signal depends on, and over how many registers: one step back.

use super::driven::covered;
use crate::ir::walk::Drivers;
use crate::ir::*;

/// Is this where a setting comes in: marked as constant, or an input that an instance takes for one?
pub(super) fn is_setting(b: &Draft, id: Id) -> bool {
    let of_an_instance =
        if let Op::Net(Net::PinIn(inst)) = b.node(id).op { b.takes_as_setting(inst, id) } else { false };
    of_an_instance || b.staging.gates.get(&id) == Some(&Gate::Constant)
}

/// What a node depends on, and the cycles between.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub of: Id,
    /// The least number of cycles.
    pub least: u32,
    /// The least, where state counts as if it came at once; `None` from a node marked with `state` or `feedback`.
    pub before: Option<u32>,
    /// The greatest; `None` where there is no bound, as where state goes round: what `Distances` finds out.
    pub most: Option<u32>,
}

impl Step {
    pub fn exactly(of: Id, cycles: u32) -> Step {
        Step { of, least: cycles, before: Some(cycles), most: Some(cycles) }
    }
}

/// What a node depends on, each with the cycles between. What comes in as a setting ends the way.
pub(super) fn steps(b: &Draft, drivers: &Drivers, id: Id) -> Vec<Step> {
    if is_setting(b, id) {
        return vec![];
    }
    if let Op::Net(Net::Reg(r)) = b.node(id).op {
        // what resets it is not among these: that is a setting
        let enables = b.def.regs[r as usize].enable.map(|enable| enables(b, enable)).unwrap_or_default();
        let reads = drivers.get(&id).into_iter().flatten().copied().chain(enables);
        return reads.map(|x| Step::exactly(x, 1)).collect();
    }
    let at_once = match b.node(id).op {
        Op::Net(Net::PinOut(inst)) => at_once(b, inst, id),
        _ => walk::sources(&b.def, drivers, id),
    };
    let mut out: Vec<Step> = at_once.into_iter().map(|x| Step::exactly(x, 0)).collect();
    match b.node(id).op {
        Op::Net(Net::MemRead(m, p)) => {
            let mem = &b.def.mems[m as usize];
            let port = &mem.reads[p as usize];
            let enables = port.enable.map(|enable| enables(b, enable)).unwrap_or_default();
            out.extend(enables.into_iter().chain([port.addr]).map(|x| Step::exactly(x, u32::from(port.sync))));
            let written = mem.writes.iter().flat_map(|w| mask(b, w.mask).into_iter().chain([w.addr, w.data]));
            // a word of a stage is state of it, from the items before
            let of_a_stage = b.node(id).stage.is_some_and(|stage| stage.at.is_some());
            let before = if of_a_stage { u32::from(port.sync) } else { 1 };
            out.extend(written.map(|x| Step { before: Some(before), ..Step::exactly(x, 1) }));
        }
        Op::Net(Net::PinOut(inst)) => out.extend(through_instance(b, drivers, inst, id)),
        _ => {}
    }
    out
}

/// What an output of an instance depends on within the cycle.
fn at_once(b: &Draft, inst: u32, output: Id) -> Vec<Id> {
    let Inst { def, pins, .. } = &b.def.insts[inst as usize];
    let port = b.def.insts[inst as usize].port_of(output).unwrap_or(0) as u32;
    let inputs = def.reached_at_once().iter().find(|(of, _)| *of == port).map_or(&[][..], |(_, inputs)| inputs);
    inputs.iter().map(|input| pins[*input as usize]).collect()
}

/// What an output of an instance depends on over its registers: when its module states cycles, these, of each input that reaches it; else
/// as its registers were counted.
fn through_instance(b: &Draft, drivers: &Drivers, inst: u32, output: Id) -> Vec<Step> {
    let Inst { def, pins, .. } = &b.def.insts[inst as usize];
    if !def.keeps_something() {
        return vec![];
    }
    let output = b.def.insts[inst as usize].port_of(output).unwrap_or(0) as u32;
    let stated = def.latency_of(output).filter(|cycles| *cycles > 0);
    let steps: Vec<Step> = if def.foreign.is_some() {
        // nobody knows which inputs reach it
        let inputs = pins.iter().filter(|p| matches!(b.node(**p).op, Op::Net(Net::PinIn(_))));
        inputs.map(|pin| Step::exactly(*pin, stated.unwrap_or(1))).collect()
    } else {
        let counted = |of: Id, way: &Way| Step { of, least: way.least.max(1), before: Some(way.least), most: way.most };
        let step = |way: &Way| {
            let pin = pins[way.input as usize];
            stated.map_or_else(|| counted(pin, way), |cycles| Step::exactly(pin, cycles))
        };
        let settings = def.settings.iter().map(|port| Step::exactly(pins[*port as usize], 1));
        def.ways_to(output).iter().map(step).chain(settings).collect()
    };
    // what holds the instance brings what chooses: no data
    let advance = b.advance_pin(inst);
    let holds = |pin: Id| drivers.get(&pin).into_iter().flatten().flat_map(|of| enables(b, *of)).collect();
    let behind = |step: Step| {
        let of = if Some(step.of) == advance { holds(step.of) } else { vec![step.of] };
        of.into_iter().map(move |of| Step { of, ..step })
    };
    steps.into_iter().flat_map(behind).collect()
}

/// What an enable brings to a register, but for the input that holds all of the module: that brings no data.
pub(super) fn enables(b: &Draft, enable: Id) -> Vec<Id> {
    let holds = b.def.advance.map(|port| b.def.ports[port as usize].node);
    b.enables_of(enable).into_iter().filter(|enable| Some(*enable) != holds).collect()
}

/// The same for the mask of a write port. What is marked as a setting is looked at no further: it is one.
fn mask(b: &Draft, of: Id) -> Vec<Id> {
    let leaves = walk::leaves(of, |id| match b.node(id).op {
        _ if is_setting(b, id) => None,
        Op::Alias(of) | Op::Repeat(of, _) => Some(vec![of]),
        Op::Bin(BinOp::And, one, other) => Some(vec![one, other]),
        _ => None,
    });
    leaves.into_iter().flat_map(|id| if is_setting(b, id) { vec![id] } else { enables(b, id) }).collect()
}

/// Can this enable be 0 while the module itself is enabled?
pub(super) fn chosen(b: &Draft, enable: Id) -> bool {
    let advance = b.def.advance.map(|port| b.def.ports[port as usize].node);
    let always = |enable: Id| b.constant(enable).is_some_and(|value| value.bit(0));
    b.enables_of(enable).into_iter().any(|enable| Some(enable) != advance && !always(enable))
}

/// Is an instance held while the module goes on, by what drives the input that holds it?
fn chosen_instance(b: &Draft, drivers: &Drivers, inst: u32) -> bool {
    let by = b.advance_pin(inst).and_then(|pin| drivers.get(&pin));
    by.into_iter().flatten().any(|enable| chosen(b, *enable))
}

/// Does a write port depend on nothing but settings? It writes the same to the same place again and again.
pub(super) fn writes_settings(b: &Draft, port: &WritePort) -> bool {
    let setting = |id: &Id| b.node(*id).stage.is_some_and(|s| s.at.is_none()) || b.is_free(*id);
    [port.addr, port.data, port.mask].iter().all(setting)
}

/// Does what goes in stay for an unknown time?
pub(super) fn keeps(b: &Draft, drivers: &Drivers, id: Id) -> bool {
    match b.node(id).op {
        Op::Net(Net::MemRead(m, p)) => {
            let mem = &b.def.mems[m as usize];
            let port = &mem.reads[p as usize];
            mem.writes.iter().any(|w| !writes_settings(b, w))
                || (port.sync && port.enable.is_some_and(|e| chosen(b, e)))
        }
        Op::Net(Net::Reg(r)) => {
            let all = fold::ones(b.node(id).width);
            b.def.regs[r as usize].enable.is_some_and(|e| chosen(b, e)) || covered(&b.def, &b.def.stmts, id) != all
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &b.def.insts[i as usize];
            let (def, output) = (&inst.def, inst.port_of(id).unwrap_or(0) as u32);
            if def.foreign.is_some() {
                // of a foreign module nothing is counted
                let unknown = def.latency.is_none() || chosen_instance(b, drivers, i);
                return def.remembers || (def.keeps_something() && unknown);
            }
            def.traces.contains(&output) || (!def.ways_to(output).is_empty() && chosen_instance(b, drivers, i))
        }
        _ => false,
    }
}

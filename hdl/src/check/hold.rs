//! What is in a pipeline that stands, stands: enables of registers that the user declared, and of instances.

use crate::ir::*;
use num_bigint::BigUint;

pub(super) fn connect(b: &mut Draft) {
    let mut instances: Vec<(u32, (Stage, u32))> = b.staging.instances.iter().map(|(i, at)| (*i, *at)).collect();
    instances.sort_by_key(|(inst, _)| *inst);
    // what they ask of a pipeline between streams is assigned when that is closed
    let enables: Vec<Option<Id>> =
        instances.iter().map(|(inst, (stage, _))| instance_enable(b, *inst, *stage)).collect();
    b.close_elastic();
    for r in 0..b.def.regs.len() {
        let (node, own) = (b.def.regs[r].node, b.def.regs[r].enable);
        if let Some(&moves) = b.staging.held.get(&node) {
            let enable = own.map_or(moves, |own| b.gated(own, Some(moves), None));
            b.def.regs[r].enable = Some(enable);
        }
    }
    for ((inst, (stage, section)), enable) in instances.into_iter().zip(enables) {
        if let Some(pin) = b.advance_pin(inst) {
            connect_instance(b, inst, pin, stage, section, enable);
        }
    }
}

/// What remembers its items takes nothing else; what only delays must let go of what is before a gap.
fn instance_enable(b: &mut Draft, inst: u32, stage: Stage) -> Option<Id> {
    b.advance_pin(inst)?;
    let def = &b.def.insts[inst as usize].def;
    if def.remembers && def.longest_latency().is_some_and(|latency| latency <= 1) {
        b.moves(stage)
    } else {
        b.advance(stage)
    }
}

/// The input that holds an instance is the enable of its pipeline. Where that never stands it is 1, if the module says that the input holds
/// it; an input of which that was only found out must be assigned as every other.
fn connect_instance(b: &mut Draft, inst: u32, pin: Id, stage: Stage, section: u32, enable: Option<Id>) {
    if b.enabling.pins.contains_key(&pin) {
        return narrow(b, pin, enable);
    }
    let mut given = vec![];
    Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, _, value, _, under| {
        if target == pin {
            given.push((value, under.to_vec()));
        }
    });
    let [] = given[..] else {
        if !b.def.insts[inst as usize].def.keeps_something() {
            return; // there is nothing to hold
        }
        let same = |(value, under): &(Id, Vec<Id>)| {
            under.is_empty()
                && (Some(*value) == enable || (enable.is_none() && b.constant(*value).is_some_and(|v| v.bit(0))))
        };
        // where nothing stands, an item may say itself whether its value is kept: in the one cycle that the instance takes
        let latency = b.def.insts[inst as usize].def.longest_latency().unwrap_or(0);
        let of_the_item = |(value, _): &(Id, Vec<Id>)| b.node(*value).stage == Some(stage);
        let sampled = enable.is_none() && latency <= 1 && given.iter().all(of_the_item);
        if !sampled && !given.iter().all(same) {
            drives_already(b, (inst, pin), stage, given[0].0, enable.is_none());
        }
        return;
    };
    if enable.is_none() && !b.def.insts[inst as usize].def.advance_is_stated {
        return;
    }
    let value = enable.unwrap_or_else(|| {
        let (one, loc) = (BigUint::from(1u32), b.node(pin).loc);
        b.share(SharedKey::Const(one.clone(), 1), Op::Const(one), 1, loc)
    });
    let loc = b.node(pin).loc;
    b.def.stmts.push(Stmt::Set { target: pin, place: Place::Whole, value, section, loc });
}

/// What holds an instance is an `in_enabled` already: the pipeline holds it too.
fn narrow(b: &mut Draft, pin: Id, enable: Option<Id>) {
    let mut stmts = std::mem::take(&mut b.def.stmts);
    for stmt in &mut stmts {
        if let Stmt::Set { target, value, .. } = stmt
            && *target == pin
        {
            *value = b.gated(*value, enable, None);
        }
    }
    b.def.stmts = stmts;
}

/// `never`: the pipeline never stands.
fn drives_already(b: &mut Draft, (inst, pin): (u32, Id), stage: Stage, value: Id, never: bool) {
    let loc = b.set_at.get(&(pin, value)).copied().unwrap_or(b.node(pin).loc);
    let port = b.def.insts[inst as usize].def.advance.map_or(0, |port| port as usize);
    let def = &b.def.insts[inst as usize].def;
    let (what, port, name) = (b.describe(value), &def.ports[port].name, &b.pipe(stage).name);
    let given = format!("{what} is given to `{port}` of an instance of `{}`", def.name);
    let (message, help) = match never {
        true => (
            format!("{given}, which holds it while pipeline `{name}` goes on"),
            "give it 1; where the instance takes one cycle, a bit of the item without conditions does, too",
        ),
        false => (
            format!("{given}, which pipeline `{name}` connects"),
            "leave it unconnected: it holds the instance while the pipeline stands; or take the values out with `leave`",
        ),
    };
    b.error(loc, message, vec![], Some(help.into()));
}

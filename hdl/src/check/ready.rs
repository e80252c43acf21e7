//! Where a pipeline leaves into a stream: the payload does not follow the `ready` that takes it, since it stands still until it is taken,
//! and nobody else assigns `valid`.

use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;
use std::ops::Range;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    assigned_once(b);
    for pipe in 0..b.staging.pipes.len() as u32 {
        let Some((leaving, payload)) = b.elastic(pipe).and_then(|e| Some((e.leaves?, e.payload.clone()))) else {
            continue;
        };
        let ready = readies_behind(b, drivers, leaving.ready);
        let Some(&id) = payload.iter().find(|id| follows(b, drivers, **id, &ready)) else { continue };
        let (what, name) = (b.describe(id), b.staging.pipes[pipe as usize].name.clone());
        let message =
            format!("{what} leaves pipeline `{name}` as payload, and follows `ready` of that stream within the cycle");
        let help = "a payload does not wait for `ready`: `occupied` says that an item is there; what `moves` says is for state and for what \
                    `leave` takes out";
        b.error(leaving.loc, message, vec![(b.node(id).loc, "it comes from here")], Some(help.into()));
    }
}

/// A signal, what it is another name of, and every `ready` that a consumer gives on which it depends within the cycle.
fn readies_behind(b: &Draft, drivers: &Drivers, ready: Id) -> Vec<Id> {
    let (mut found, mut name) = (vec![ready], ready);
    while let Some(of) = walk::other_name(&b.def, name) {
        found.push(of);
        name = of;
    }
    let (mut todo, mut seen) = (vec![name], HashSet::default());
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            found.extend(is_given(b, id).then_some(id));
            todo.extend(walk::sources(&b.def, drivers, id));
        }
    }
    found
}

/// Is this the `ready` of a stream: of a port, or of an instance?
pub(super) fn is_ready(b: &Draft, id: Id) -> bool {
    match b.node(id).op {
        Op::Net(Net::Input | Net::Output) => b.def.ports.iter().any(|port| port.node == id && port.is_ready),
        Op::Net(Net::PinIn(inst) | Net::PinOut(inst)) => {
            let inst = &b.def.insts[inst as usize];
            inst.pins.iter().zip(&inst.def.ports).any(|(pin, port)| *pin == id && port.is_ready)
        }
        _ => false,
    }
}

/// Does the consumer of a stream take with this: behind an output of the module, or in an instance?
fn is_given(b: &Draft, id: Id) -> bool {
    matches!(b.node(id).op, Op::Net(Net::Input | Net::PinOut(_))) && is_ready(b, id)
}

/// Does a signal depend on others within the cycle?
fn follows(b: &Draft, drivers: &Drivers, from: Id, on: &[Id]) -> bool {
    let (mut todo, mut seen) = (vec![from], HashSet::default());
    while let Some(id) = todo.pop() {
        if on.contains(&id) {
            return true;
        }
        if seen.insert(id) {
            todo.extend(walk::sources(&b.def, drivers, id));
        }
    }
    false
}

/// Valid and payload are assigned by their pipeline alone, which counts an item as taken when `ready` comes. Only where it assigns a
/// part, or what a signal chooses, others may have assigned what holds elsewhere, before.
fn assigned_once(b: &mut Draft) {
    for pipe in 0..b.staging.pipes.len() as u32 {
        let Some((ours, leaves)) = b.elastic(pipe).and_then(|e| Some((e.assigns.clone(), e.leaves?.loc))) else {
            continue;
        };
        if let Some(register) = register_assigned(b, &ours) {
            let name = &b.staging.pipes[pipe as usize].name;
            let message = format!("pipeline `{name}` leaves into the register {}", b.describe(register));
            let help = "the pipeline would not know when an item is taken: let it leave into a wire or a port; `register_slice` of crate `hw` \
                        has registers";
            b.error(leaves, message, vec![(b.node(register).loc, "the register")], Some(help.into()));
            continue;
        }
        let Some(other) = assigned_after(b, &ours) else { continue };
        let name = b.staging.pipes[pipe as usize].name.clone();
        let message = format!("{} is assigned, and pipeline `{name}` leaves there", b.describe(other.0));
        let help = "the pipeline would not know, and items would go lost: let it leave into a wire, and join both where `valid` and \
                    `ready` are assigned";
        let loc = b.set_at.get(&other).copied().unwrap_or(leaves);
        b.error(loc, message, vec![(leaves, "it leaves here")], Some(help.into()));
    }
}

/// The first assignment to bits to which one of these values was assigned before, and its target.
fn assigned_after(b: &Draft, ours: &[Id]) -> Option<(Id, Id)> {
    let (mut assigned, mut found) = (vec![], None);
    Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, place, value, _, _| {
        let bits = place.bits(b.node(value).width);
        if ours.contains(&value) {
            assigned.push((target, bits));
        } else if found.is_none() && assigned.iter().any(|(net, own)| *net == target && overlap(own, &bits)) {
            found = Some((target, value));
        }
    });
    found
}

fn overlap(a: &Range<u32>, b: &Range<u32>) -> bool {
    a.start < b.end && b.start < a.end
}

/// A register to which one of these values is assigned.
fn register_assigned(b: &Draft, ours: &[Id]) -> Option<Id> {
    let mut found = None;
    Stmt::each_set(&b.def.stmts, &mut vec![], &mut |target, _, value, _, _| {
        let register = ours.contains(&value) && matches!(b.node(target).op, Op::Net(Net::Reg(_)));
        found = found.or(register.then_some(target));
    });
    found
}

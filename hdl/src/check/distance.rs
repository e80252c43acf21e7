//! How many registers are between the inputs and a node.

use super::driven::covered;
use crate::ir::walk::Drivers;
use crate::ir::*;
use std::collections::{BTreeMap, HashMap, HashSet};

/// Is this where a setting comes in: marked as constant, or an input that an instance takes for one?
pub(super) fn is_setting(b: &Draft, id: Id) -> bool {
    let of_an_instance =
        if let Op::Net(Net::PinIn(inst)) = b.node(id).op { b.takes_as_setting(inst, id) } else { false };
    of_an_instance || b.staging.gates.get(&id) == Some(&Gate::Constant)
}

/// What a node depends on, each with the cycles between: at least so many. What comes in as a setting ends the way.
pub(super) fn steps(b: &Draft, drivers: &Drivers, id: Id) -> Vec<(Id, u32)> {
    if is_setting(b, id) {
        return vec![];
    }
    if let Op::Net(Net::Reg(r)) = b.node(id).op {
        // what resets it is a setting, too
        let enables = b.def.regs[r as usize].enable.map(|enable| enables(b, enable)).unwrap_or_default();
        return drivers.get(&id).into_iter().flatten().copied().chain(enables).map(|x| (x, 1)).collect();
    }
    let mut out: Vec<(Id, u32)> = walk::sources(&b.def, drivers, id).into_iter().map(|x| (x, 0)).collect();
    match b.node(id).op {
        Op::Net(Net::MemRead(m, p)) => {
            let mem = &b.def.mems[m as usize];
            let port = &mem.reads[p as usize];
            let enables = port.enable.map(|enable| enables(b, enable)).unwrap_or_default();
            out.extend(enables.into_iter().chain([port.addr]).map(|x| (x, u32::from(port.sync))));
            out.extend(
                mem.writes.iter().flat_map(|w| mask(b, w.mask).into_iter().chain([w.addr, w.data])).map(|x| (x, 1)),
            );
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &b.def.insts[i as usize];
            let cycles = inst.def.latency.unwrap_or(1).max(1);
            if inst.def.keeps_something() {
                let advance = b.advance_pin(i);
                let holds = |pin: &Id| drivers.get(pin).into_iter().flatten().flat_map(|of| enables(b, *of)).collect();
                let ways = |pin: &Id| if Some(*pin) == advance { holds(pin) } else { vec![*pin] };
                let inputs = inst.pins.iter().filter(|p| matches!(b.node(**p).op, Op::Net(Net::PinIn(_))));
                out.extend(inputs.flat_map(ways).map(|x| (x, cycles)));
            }
        }
        _ => {}
    }
    out
}

/// What an enable brings to a register, but for the input that holds all of the module: that brings no data.
fn enables(b: &Draft, enable: Id) -> Vec<Id> {
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

/// The input that reaches a node over the fewest registers, and how many. With `before`, what is kept of the items before counts as
/// if it came at once.
pub(super) fn nearest(b: &Draft, drivers: &Drivers, from: Id, before: bool) -> Option<(Id, u32)> {
    let (mut todo, mut done) = (BTreeMap::from([(0, vec![from])]), HashSet::new());
    while let Some(mut entry) = todo.first_entry() {
        let cycles = *entry.key();
        let Some(id) = entry.get_mut().pop() else {
            entry.remove();
            continue;
        };
        if b.node(id).op == Op::Net(Net::Input) {
            return Some((id, cycles));
        }
        if done.insert(id) {
            let at_once = before && is_state(b, drivers, id);
            let more = |more: u32| if at_once { 0 } else { more };
            steps(b, drivers, id).into_iter().for_each(|(x, n)| todo.entry(cycles + more(n)).or_default().push(x));
        }
    }
    None
}

/// The most registers between an input and a node; 0 if there is no input. `None` where that has no bound: state that goes round,
/// words of memories, and instances of which no latency is known.
pub(super) fn furthest(b: &Draft, drivers: &Drivers, from: Id) -> Option<u32> {
    let (mut path, mut open) = (vec![from], HashSet::new());
    let mut done: HashMap<Id, u32> = HashMap::new();
    while let Some(&id) = path.last() {
        if done.contains_key(&id) {
            path.pop();
            continue;
        }
        if keeps(b, drivers, id) {
            return None;
        }
        let before = steps(b, drivers, id);
        let next: Vec<Id> = before.iter().map(|(x, _)| *x).filter(|x| !done.contains_key(x)).collect();
        if next.is_empty() {
            done.insert(id, before.iter().map(|(x, more)| done[x] + more).max().unwrap_or(0));
            open.remove(&id);
        } else if !open.insert(id) || next.iter().any(|x| open.contains(x)) {
            return None;
        }
        path.extend(next);
    }
    done.get(&from).copied()
}

/// Does this enable hold something while the module goes on: is it not, or not only, what holds all of it?
fn chosen(b: &Draft, enable: Id) -> bool {
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

/// All that the outputs depend on, now or over registers; not what is behind a setting.
pub(super) fn behind_outputs(b: &Draft, drivers: &Drivers) -> HashSet<Id> {
    let mut todo: Vec<Id> = b.def.ports.iter().filter(|p| !p.input).map(|p| p.node).collect();
    let mut seen = HashSet::new();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            todo.extend(steps(b, drivers, id).into_iter().map(|(x, _)| x));
        }
    }
    seen
}

/// Is this a register that holds what the items before left: on its own terms, or because it follows itself?
fn is_state(b: &Draft, drivers: &Drivers, id: Id) -> bool {
    if !matches!(b.node(id).op, Op::Net(Net::Reg(_))) {
        return false;
    }
    let (mut todo, mut seen) = (vec![id], HashSet::new());
    keeps(b, drivers, id)
        || std::iter::from_fn(|| {
            let next = todo.pop()?;
            let before = steps(b, drivers, next).into_iter().map(|(x, _)| x);
            todo.extend(before.filter(|x| *x == id || seen.insert(*x)));
            Some(next)
        })
        .skip(1)
        .any(|x| x == id)
}

/// Does what goes in stay for an unknown time?
fn keeps(b: &Draft, drivers: &Drivers, id: Id) -> bool {
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
            let def = &b.def.insts[i as usize].def;
            let unknown = def.latency.is_none() || chosen_instance(b, drivers, i);
            def.remembers || (def.keeps_something() && unknown)
        }
        _ => false,
    }
}

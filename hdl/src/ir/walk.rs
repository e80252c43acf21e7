//! Walks over a module: what depends on what.

use super::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeSet;

/// For each assigned net: the nodes that its value depends on (values, places and conditions).
pub(crate) type Drivers = HashMap<Id, Vec<Id>>;

/// Those of a module.
pub(crate) fn drivers(def: &Def) -> Drivers {
    let mut out = Drivers::default();
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        let reads = out.entry(target).or_default();
        reads.push(value);
        reads.extend(under);
        if let Place::AtSignal(low) = place {
            reads.push(low);
        }
    });
    out
}

/// How many assignments a net has.
pub(crate) fn assignments(def: &Def, net: Id) -> usize {
    let mut count = 0;
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, _, _, _| count += usize::from(target == net));
    count
}

/// What is assigned to a net, if that is one value without conditions.
pub(crate) fn only_value(def: &Def, net: Id) -> Option<Id> {
    let mut values = vec![];
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, value, _, under| {
        if target == net {
            values.push(under.is_empty().then_some(value));
        }
    });
    if let [value] = values[..] { value } else { None }
}

/// What a signal is another name of; also where it is assigned once, without condition.
pub(crate) fn other_name(def: &Def, id: Id) -> Option<Id> {
    match def.nodes[id as usize].op {
        Op::Alias(of) => Some(of),
        Op::Net(Net::Wire | Net::PinIn(_)) => only_value(def, id),
        _ => None,
    }
}

/// What a signal is made of, each once and in order: what `parts` gives no parts of.
pub(crate) fn leaves(from: Id, parts: impl Fn(Id) -> Option<Vec<Id>>) -> Vec<Id> {
    let (mut todo, mut seen, mut leaves) = (vec![from], HashSet::default(), vec![]);
    while let Some(id) = todo.pop() {
        if !seen.insert(id) {
            continue;
        }
        match parts(id) {
            Some(parts) => todo.extend(parts.into_iter().rev()),
            None => leaves.push(id),
        }
    }
    leaves
}

/// Calls `each` for a node, and before it for those that it depends on, `parts` of each, which are not `done`. In a loop, one is called
/// before one of its parts.
pub(crate) fn operands_first(
    from: Id,
    done: impl Fn(Id) -> bool,
    parts: impl Fn(Id) -> Vec<Id>,
    mut each: impl FnMut(Id),
) {
    let (mut todo, mut begun) = (vec![from], HashSet::default());
    while let Some(&id) = todo.last() {
        let open: Vec<Id> = match done(id) || !begun.insert(id) {
            true => vec![],
            false => parts(id).into_iter().filter(|part| !begun.contains(part) && !done(*part)).collect(),
        };
        if open.is_empty() {
            todo.pop();
            if !done(id) {
                each(id);
            }
        }
        todo.extend(open);
    }
}

/// All nodes that something reads.
pub(crate) fn read_nodes(def: &Def, drivers: &Drivers) -> BTreeSet<Id> {
    let mut read: BTreeSet<Id> = drivers.values().flatten().copied().collect();
    read.extend(def.nodes.iter().flat_map(|n| n.op.operands()));
    read.extend(def.regs.iter().flat_map(Reg::reads));
    for m in &def.mems {
        m.reads.iter().for_each(|r| read.extend(r.enable.iter().chain([&r.addr])));
        m.writes.iter().for_each(|w| read.extend([w.addr, w.data, w.mask]));
    }
    read.extend(def.inside.iter().filter_map(|i| i.reset));
    read.extend(&def.unused);
    read.extend(def.props.iter().map(|p| p.cond));
    read
}

/// The nodes that lie on a loop, of those in `from` and all reached from there (Tarjan's strongly connected components, without recursion);
/// `count` is how many nodes there are.
pub(crate) fn in_loops(count: usize, from: &[Id], next: impl Fn(Id) -> Vec<Id>) -> HashSet<Id> {
    const NEW: u32 = u32::MAX;
    const CLOSED: u32 = u32::MAX - 1;
    let (mut lowest, mut visited, mut open, mut found) = (vec![NEW; count], 0, vec![], HashSet::default());
    for start in from {
        let mut enter = (lowest[*start as usize] == NEW).then_some(*start);
        let mut path: Vec<(Id, u32, Vec<Id>)> = vec![];
        loop {
            if let Some(id) = enter.take() {
                lowest[id as usize] = visited;
                open.push(id);
                path.push((id, visited, next(id)));
                visited += 1;
            }
            let Some((id, number, todo)) = path.last_mut() else { break };
            let (id, number) = (*id, *number);
            if let Some(to) = todo.pop() {
                let of = lowest[to as usize];
                enter = (of == NEW).then_some(to);
                // what is new or closed has the greatest numbers
                lowest[id as usize] = lowest[id as usize].min(of);
                found.extend((to == id).then_some(id));
                continue;
            }
            path.pop();
            if let Some((before, ..)) = path.last() {
                lowest[*before as usize] = lowest[*before as usize].min(lowest[id as usize]);
            }
            if lowest[id as usize] == number {
                // all that goes round by way of `id` is known
                let first = open.iter().rposition(|x| *x == id).unwrap_or(0);
                let circle = open.split_off(first);
                circle.iter().for_each(|id| lowest[*id as usize] = CLOSED);
                found.extend(circle.iter().filter(|_| circle.len() > 1));
            }
        }
    }
    found
}

/// The nodes whose value a node depends on within a cycle.
pub(crate) fn sources(def: &Def, drivers: &Drivers, id: Id) -> Vec<Id> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => drivers.get(&id).cloned().unwrap_or_default(),
        Op::Net(Net::PinOut(i)) => {
            let inst = &def.insts[i as usize];
            let port = inst.port_of(id).expect("an instance has all its pins") as u32;
            let inputs = inst.def.comb.iter().find(|(p, _)| *p == port).map_or(&[][..], |(_, inputs)| inputs);
            inputs.iter().map(|p| inst.pins[*p as usize]).collect()
        }
        Op::Net(Net::Reset(d)) => def.reset_inside(d).into_iter().collect(),
        Op::Net(Net::Reg(r)) => def.regs[r as usize].async_reset.iter().map(|(reset, _)| *reset).collect(),
        Op::Net(Net::MemRead(m, p)) => {
            let port = &def.mems[m as usize].reads[p as usize];
            if port.sync { vec![] } else { vec![port.addr] }
        }
        ref op => op.operands(),
    }
}

/// For each output port, the input ports that reach it through these sources of nodes.
pub(crate) fn combinational(def: &Def, sources: impl Fn(Id) -> Vec<Id>) -> Vec<(u32, Vec<u32>)> {
    let inputs: HashMap<Id, u32> =
        def.ports.iter().enumerate().filter(|(_, p)| p.input).map(|(i, p)| (p.node, i as u32)).collect();
    let outputs = def.ports.iter().enumerate().filter(|(_, p)| !p.input);
    let reached = outputs.map(|(i, p)| {
        let (mut todo, mut seen, mut found) = (vec![p.node], vec![false; def.nodes.len()], BTreeSet::new());
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                found.extend(inputs.get(&id));
                todo.extend(sources(id));
            }
        }
        (i as u32, found.into_iter().collect())
    });
    reached.collect()
}

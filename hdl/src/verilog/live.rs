//! Which nodes reach an output, how often each is read, and which of its bits.

use super::Properties;
use super::process::{Processes, reg};
use super::steps::Step;
use crate::ir::*;
use num_bigint::BigUint;

pub struct Live {
    /// How many places read the node; 0: dead, not printed.
    pub uses: Vec<u32>,
    /// Memories with a live read port.
    pub mems: Vec<bool>,
    /// Conditions of printed properties.
    pub props: Vec<Id>,
}

pub fn live(def: &Def, properties: Properties, processes: &Processes) -> Live {
    let mut reads: Vec<Vec<Id>> = processes.iter().map(|process| Step::reads(&process.steps)).collect();
    let props = if properties == Properties::Omit { &[][..] } else { &def.props };
    let props = props.iter().map(|p| p.cond).collect();
    let mut live = Live { uses: vec![0; def.nodes.len()], mems: vec![false; def.mems.len()], props };
    let mut todo: Vec<Id> = def.ports.iter().filter(|p| !p.input).map(|p| p.node).collect();
    todo.extend(def.insts.iter().flat_map(|i| i.pins.iter().copied()));
    todo.extend(&def.unused);
    todo.extend(def.inside.iter().filter(|i| i.needed.1).filter_map(|i| i.reset));
    todo.extend(&live.props);
    if properties != Properties::Omit {
        // a test may choose them also where nothing comes of it
        let any = |id: &Id| matches!(def.nodes[*id as usize].op, Op::Net(Net::Any(_)));
        todo.extend((0..def.nodes.len() as Id).filter(any));
    }
    while let Some(id) = todo.pop() {
        live.uses[id as usize] += 1;
        if live.uses[id as usize] > 1 {
            continue;
        }
        let op = &def.nodes[id as usize].op;
        todo.extend(op.operands());
        // once for all that a process assigns
        todo.extend(processes.index(id).map(|at| std::mem::take(&mut reads[at])).unwrap_or_default());
        todo.extend(reg(def, id).into_iter().flat_map(Reg::reads));
        if let Op::Net(Net::MemRead(m, p)) = *op {
            let mem = &def.mems[m as usize];
            let port = &mem.reads[p as usize];
            todo.extend(port.enable.iter().chain([&port.addr]));
            if !std::mem::replace(&mut live.mems[m as usize], true) {
                todo.extend(mem.writes.iter().flat_map(|w| [w.addr, w.data, w.mask]));
            }
        }
    }
    live
}

/// For every node the bits that something reads. `declared` are the nodes that stand under a name of their own.
pub fn read_bits(def: &Def, processes: &Processes, live: &Live, declared: &[bool]) -> Vec<BigUint> {
    let mut bits = vec![BigUint::default(); def.nodes.len()];
    let all = |bits: &mut Vec<BigUint>, id: Id| bits[id as usize] = fold::ones(def.nodes[id as usize].width);
    let is_live = |id: Id| live.uses[id as usize] > 0;
    for process in processes.iter() {
        Step::reads(&process.steps).into_iter().for_each(|x| all(&mut bits, x));
    }
    def.regs.iter().filter(|r| is_live(r.node)).flat_map(Reg::reads).for_each(|e| all(&mut bits, e));
    for (m, _) in def.mems.iter().zip(&live.mems).filter(|(_, live)| **live) {
        m.reads.iter().filter(|r| is_live(r.data)).for_each(|r| {
            all(&mut bits, r.addr);
            r.enable.iter().for_each(|e| all(&mut bits, *e));
        });
        m.writes.iter().flat_map(|w| [w.addr, w.data, w.mask]).for_each(|x| all(&mut bits, x));
    }
    live.props.iter().for_each(|p| all(&mut bits, *p));
    for i in &def.inside {
        let used = [i.clock.filter(|_| i.needed.0), i.reset.filter(|_| i.needed.1)];
        used.into_iter().flatten().for_each(|x| all(&mut bits, x));
    }
    for p in def.ports.iter().filter(|p| !p.input) {
        all(&mut bits, p.node);
    }
    for n in 0..def.nodes.len() as Id {
        if matches!(def.nodes[n as usize].op, Op::Net(Net::PinIn(_))) {
            all(&mut bits, n);
        }
    }
    // readers stand behind what they read, so from the last node to the first each is complete when it comes
    for id in (0..def.nodes.len()).rev().filter(|id| live.uses[*id] > 0) {
        match def.nodes[id].op {
            Op::Slice(x, lo) => bits[x as usize] |= fold::ones(def.nodes[id].width) << lo,
            // another name that is not printed reads no more than its own readers do
            Op::Alias(x) if !declared[id] => {
                let through = bits[id].clone();
                bits[x as usize] |= through;
            }
            ref op => op.operands().into_iter().for_each(|x| all(&mut bits, x)),
        }
    }
    bits
}

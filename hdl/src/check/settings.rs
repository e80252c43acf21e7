//! Which inputs stand still while data is in flight.

use super::distance::Distances;
use super::steps::{is_setting, steps};
use crate::ir::walk::Drivers;
use crate::ir::*;
use rustc_hash::FxHashSet as HashSet;

/// The inputs that the module takes as standing still: from which a way leads to what it marks as constant, gives to an instance as a
/// setting, or resets something with, also over registers, and also if they are read otherwise.
pub(super) fn of_module(b: &Draft, drivers: &Drivers, distances: &Distances) -> Vec<u32> {
    let behind = distances.behind_outputs(b);
    let mut from: Vec<Id> = behind.iter().copied().filter(|id| is_setting(b, *id)).collect();
    // a reset acts whether or not the item goes on that it comes with
    from.extend(behind.iter().flat_map(|id| resets(&b.def, *id)));
    inputs_behind(b, drivers, from)
}

/// Those of them that do more than reset something beside the stages of pipelines. Data of items may not be connected to these, also where
/// no pipeline is around the instance.
pub(super) fn constants(b: &Draft, drivers: &Drivers, distances: &Distances) -> Vec<u32> {
    let is_constant = |id: &Id| match b.node(*id).op {
        Op::Net(Net::PinIn(inst)) => {
            let inst = &b.def.insts[inst as usize];
            inst.port_of(*id).is_some_and(|port| inst.def.constants.contains(&(port as u32)))
        }
        _ => b.staging.gates.get(id) == Some(&Gate::Constant),
    };
    let behind = distances.behind_outputs(b);
    // a register of a stage is reset at once, whatever item is there
    let at_a_stage = |id: &&Id| b.node(**id).stage.is_some_and(|stage| stage.at.is_some());
    let resets = behind.iter().filter(at_a_stage).flat_map(|id| asynchronous_reset(&b.def, *id));
    inputs_behind(b, drivers, behind.iter().copied().filter(is_constant).chain(resets).collect())
}

/// The inputs from which a way leads to these, also over registers, what resets them, and settings.
fn inputs_behind(b: &Draft, drivers: &Drivers, mut todo: Vec<Id>) -> Vec<u32> {
    let mut seen = HashSet::default();
    while let Some(id) = todo.pop() {
        if seen.insert(id) {
            let of = if is_setting(b, id) { walk::sources(&b.def, drivers, id) } else { vec![] };
            // what stands still is not reset by what does not
            let of = of.into_iter().chain(resets(&b.def, id));
            todo.extend(steps(b, drivers, id).into_iter().map(|step| step.of).chain(of));
        }
    }
    let setting = |p: &Port| p.input && seen.contains(&p.node);
    (0..).zip(&b.def.ports).filter(|(_, p)| setting(p)).map(|(i, _)| i).collect()
}

/// What resets a register at once.
fn asynchronous_reset(def: &Def, id: Id) -> Option<Id> {
    let Op::Net(Net::Reg(r)) = def.nodes[id as usize].op else { return None };
    def.regs[r as usize].async_reset.as_ref().map(|(reset, _)| *reset)
}

/// What resets a register, or an instance of which this is an output: signals of this module.
fn resets(def: &Def, id: Id) -> Vec<Id> {
    match def.nodes[id as usize].op {
        Op::Net(Net::Reg(r)) => {
            let reg = &def.regs[r as usize];
            let domain = reg.reset.as_ref().and_then(|_| def.reset_inside(reg.domain));
            asynchronous_reset(def, id).into_iter().chain(domain).collect()
        }
        Op::Net(Net::PinOut(i)) => {
            let inst = &def.insts[i as usize];
            let reset = inst.def.clocks.iter().filter(|(_, reset)| *reset).filter_map(|(d, _)| inst.outer(d));
            reset.filter_map(|domain| def.reset_inside(domain)).collect()
        }
        _ => vec![],
    }
}

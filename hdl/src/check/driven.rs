//! Everything is assigned on every path, and what is declared is used.

use super::assigned::{bits_of, branches};
use super::{decided, pads};
use crate::ir::fold::ones;
use crate::ir::walk::Drivers;
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashSet as HashSet;

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    check_assigned(b, drivers);
    check_used(b, drivers);
    pads::check_used(b, drivers);
    check_memories(b);
}

/// The bits of `target` that every path through `block` assigns.
pub(super) fn covered(def: &Def, block: &[Stmt], target: Id) -> BigUint {
    let width = def.nodes[target as usize].width;
    let mut mask = BigUint::default();
    for stmt in block.iter().filter(|s| s.touches(target)) {
        mask |= match *stmt {
            Stmt::Set { place: Place::AtSignal(_), .. } => BigUint::default(),
            Stmt::Set { place, value, .. } => bits_of(def, target, place, value),
            Stmt::If { .. } | Stmt::Case { .. } => {
                branches(def, stmt).into_iter().fold(ones(width), |all, block| all & covered(def, block, target))
            }
        };
    }
    mask
}

/// The bits of `target` that some path through `block` may assign.
fn reached(def: &Def, block: &[Stmt], target: Id) -> BigUint {
    let mut mask = BigUint::default();
    Stmt::each_set(block, &mut vec![], &mut |to, place, value, _, _| {
        if to == target {
            mask |= bits_of(def, target, place, value);
        }
    });
    mask
}

fn check_assigned(b: &mut Draft, drivers: &Drivers) {
    let mut conditional = HashSet::default();
    for id in 0..b.def.nodes.len() as Id {
        let (op, loc, width) = (b.node(id).op.clone(), b.node(id).loc, b.node(id).width);
        let assigned = drivers.contains_key(&id);
        match op {
            Op::Net(Net::Reg(_)) if !assigned => {
                let message = format!("register {} is never assigned", b.describe(id));
                b.error(loc, message, vec![], Some("assign it with `set`; what never changes is a constant".into()));
            }
            Op::Net(Net::Reg(r))
                if b.def.regs[r as usize].reset.is_none() && b.def.regs[r as usize].async_reset.is_none() =>
            {
                if let Some(bit) = (ones(width) ^ reached(&b.def, &b.def.stmts, id)).trailing_zeros() {
                    let message = format!("bit {bit} of {} is never assigned, and has no reset", b.describe(id));
                    let help = "assign all bits, declare fewer, or give it a reset";
                    b.error(loc, message, vec![], Some(help.into()));
                }
            }
            Op::Net(Net::PinIn(i)) if !assigned => {
                if pads::report_unconnected(b, i, id) {
                    continue;
                }
                let inst = &b.def.insts[i as usize];
                let port = inst.port_of(id).map_or("?".into(), |p| inst.def.ports[p].name.clone());
                let message = format!("input `{port}` of instance `{}` is not connected", inst.name);
                let holds = b.advance_pin(i) == Some(id) && b.staging.instances.contains_key(&i);
                let help = match holds {
                    true => {
                        "assign it with `set`; a pipeline that never stands connects it if the module names it with `enabled_by` or `pipeline_enabled`"
                    }
                    false => "assign it with `set`",
                };
                b.error(loc, message, vec![], Some(help.into()));
            }
            Op::Net(Net::Wire | Net::Output) if !assigned => {
                let what = if matches!(op, Op::Net(Net::Wire)) { "wire" } else { "output" };
                let message = format!("{what} {} is never assigned", b.describe(id));
                b.error(loc, message, vec![], Some("assign it with `set`".into()));
            }
            Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => {
                let missing = ones(width) ^ covered(&b.def, &b.def.stmts, id);
                if let Some(bit) = missing.trailing_zeros() {
                    // an instance that stands under a condition is one mistake, whatever number of inputs it has
                    if let Op::Net(Net::PinIn(inst)) = op
                        && b.declared_under.contains_key(&id)
                        && !conditional.insert(inst)
                    {
                        continue;
                    }
                    let bits = if missing == ones(width) { "".into() } else { format!("bit {bit} of ") };
                    let message =
                        format!("{bits}{} is not assigned on every path: that would be a latch", b.describe(id));
                    let help = match b.declared_under.contains_key(&id) {
                        true => {
                            "it is declared under a `when` or `switch`, and assigned only there: declare it, or call the function that does, before \
                             that"
                        }
                        false => "assign a default before the `when` or `switch`",
                    };
                    let notes = decided_over(&b.def, id);
                    b.error(loc, message, notes, Some(help.into()));
                }
            }
            _ => {}
        }
    }
}

/// Conditions over assignments to a net of which a number alone decides the outcome: they are conditions all the same.
fn decided_over(def: &Def, net: Id) -> Vec<(Loc, &'static str)> {
    let mut found = vec![];
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, _, _, under| {
        let outcomes = under.iter().filter_map(|cond| Some((*cond, decided::outcome(def, *cond)?)));
        if target == net {
            found.extend(outcomes.map(|(cond, is_true)| (def.nodes[cond as usize].loc, is_true)));
        }
    });
    found.sort();
    found.dedup();
    let text = |is_true| match is_true {
        true => "this is always true: assign without the condition",
        false => "this is always false: what stands under it never applies",
    };
    found.into_iter().map(|(loc, is_true)| (loc, text(is_true))).collect()
}

fn check_used(b: &mut Draft, drivers: &Drivers) {
    let read = walk::read_nodes(&b.def, drivers);
    for p in b.def.ports.clone().iter().filter(|p| p.input && !read.contains(&p.node)) {
        let help = "use it, remove it, or say that it is on purpose with `unused()`";
        b.error(b.node(p.node).loc, format!("input `{}` is never used", p.name), vec![], Some(help.into()));
    }
}

fn check_memories(b: &mut Draft) {
    for m in b.def.mems.clone() {
        check_style(b, &m);
        if m.reads.is_empty() {
            let help = "read it, with `read` or `read_sync`, or leave it out";
            b.error(m.loc, format!("memory `{}` is never read", m.name), vec![], Some(help.into()));
        }
        if m.writes.is_empty() && m.init.is_empty() {
            let help = "write it, or give it contents with `init`";
            b.error(m.loc, format!("memory `{}` has no contents", m.name), vec![], Some(help.into()));
        }
    }
}

/// What is asked for can be had: no tool builds these, and some say nothing and build something else.
fn check_style(b: &mut Draft, m: &Memory) {
    let style = m.attributes.iter().find(|(name, _)| name == "ram_style").map_or("", |(_, value)| value.as_str());
    let message = match style {
        "block" => {
            if let Some(read) = m.reads.iter().find(|read| !read.sync) {
                let message = format!("`{}` is to lie in block RAM, which cannot be read in the same cycle", m.name);
                let notes = vec![(m.loc, "the memory is declared here")];
                let help = "read it with `read_sync`, or leave out `style(RamStyle::Block)`";
                b.error(b.node(read.data).loc, message, notes, Some(help.into()));
            }
            (m.writes.len() > 2).then_some("block RAM, which has at most 2 write ports")
        }
        "distributed" => (m.writes.len() > 1).then_some("LUT RAM, which has one write port"),
        _ => None,
    };
    if let Some(what) = message {
        let message = format!("`{}` is to lie in {what}, and has {}", m.name, m.writes.len());
        let help = "share a port, or use several memories, or `style(RamStyle::Registers)`";
        b.error(m.loc, message, vec![], Some(help.into()));
    }
}

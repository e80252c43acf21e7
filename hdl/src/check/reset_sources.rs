//! Where asynchronous resets come from: ports, registers, outputs of foreign modules; or logic, which may glitch.

use crate::ir::*;
use num_bigint::BigUint;
use std::collections::HashSet;

/// A signal from which a reset comes: some of its bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct Source {
    pub id: Id,
    pub low: u32,
    pub width: u32,
    /// It resets while one of these bits is 0; else while one is 1.
    pub inverted: bool,
}

impl Source {
    /// All of a signal.
    pub fn whole(def: &Def, id: Id, inverted: bool) -> Source {
        Source { id, low: 0, width: def.nodes[id as usize].width, inverted }
    }
    /// Does it reset while the signal has this value?
    pub fn resets_with(self, value: &BigUint) -> bool {
        let bits = (value >> self.low) & fold::ones(self.width);
        if self.inverted { bits != fold::ones(self.width) } else { bits.bits() > 0 }
    }
    /// An input of a module that resets asynchronously.
    pub fn input(self, def: &Def) -> Option<ResetInput> {
        let port = def.ports.iter().position(|p| p.input && p.node == self.id)?;
        Some(ResetInput { port: port as u32, low: self.low, width: self.width, inverted: self.inverted })
    }
}

/// What resets registers asynchronously, or clocks, or something in an instance.
pub(super) fn resets(def: &Def) -> Vec<Source> {
    let of_registers = def.regs.iter().filter_map(|r| r.async_reset.as_ref().map(|(reset, _)| *reset));
    let of_domains = def.inside.iter().filter_map(|i| i.reset);
    let of_instances = def.insts.iter().flat_map(|inst| inst.def.resets.iter().map(|input| at_pin(inst, *input)));
    of_registers.chain(of_domains).map(|id| Source::whole(def, id, false)).chain(of_instances).collect()
}

/// The sources of all asynchronous resets.
pub(super) fn sources(def: &Def) -> Vec<Source> {
    let mut list = vec![];
    for reset in resets(def) {
        behind(def, reset, &mut list);
    }
    list
}

/// An input of an instance, from outside.
fn at_pin(inst: &Inst, input: ResetInput) -> Source {
    let ResetInput { port, low, width, inverted } = input;
    Source { id: inst.pins[port as usize], low, width, inverted }
}

/// What a reset comes from; and what of that may glitch, if something may: logic, or an output of an instance.
pub(super) fn behind(def: &Def, from: Source, sources: &mut Vec<Source>) -> Option<Id> {
    let (mut todo, mut seen) = (vec![from], HashSet::new());
    while let Some(source) = todo.pop() {
        if !seen.insert(source) {
            continue;
        }
        let Some(Behind { a_source, others }) = directly_behind(def, source) else { return Some(source.id) };
        if a_source {
            sources.push(source);
        }
        todo.extend(others.into_iter().rev());
    }
    None
}

/// Where a reset comes from, a step further.
pub(super) struct Behind {
    /// From a port, a register or an output of a foreign module: itself.
    pub a_source: bool,
    pub others: Vec<Source>,
}

/// None: it may glitch. An OR of resets does no harm: if one ends as another begins, it may be 0 for a moment, after which
/// all is in reset again.
pub(super) fn directly_behind(def: &Def, from: Source) -> Option<Behind> {
    let Source { id, inverted, .. } = from;
    let node = &def.nodes[id as usize];
    let whole = |id: Id| vec![Source::whole(def, id, inverted)];
    let others = match node.op {
        Op::Alias(of) => vec![Source { id: of, ..from }],
        Op::Un(UnOp::Not, of) => vec![Source { id: of, inverted: !inverted, ..from }],
        Op::Un(UnOp::Any, of) if !inverted => whole(of),
        Op::Un(UnOp::All, of) if inverted => whole(of),
        Op::Un(_, of) if def.nodes[of as usize].width == 1 => whole(of),
        Op::Bin(BinOp::Or, a, b) if !inverted => vec![Source { id: a, ..from }, Source { id: b, ..from }],
        Op::Bin(BinOp::And, a, b) if inverted => vec![Source { id: a, ..from }, Source { id: b, ..from }],
        Op::Slice(of, low) => vec![Source { id: of, low: from.low + low, ..from }],
        Op::Cat(ref parts) => in_parts(def, parts, from),
        Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => vec![Source { id: walk::only_value(def, id)?, ..from }],
        Op::Net(Net::PinOut(inst)) => return behind_output(&def.insts[inst as usize], from),
        Op::Net(Net::MemRead(memory, port)) if !def.mems[memory as usize].reads[port as usize].sync => return None,
        Op::Net(_) => return Some(Behind { a_source: true, others: vec![] }),
        Op::Const(_) | Op::Variant(..) | Op::Poison => vec![],
        _ => return None,
    };
    Some(Behind { a_source: false, others })
}

/// The same bits, in the operands of a concatenation.
fn in_parts(def: &Def, parts: &[Id], from: Source) -> Vec<Source> {
    let (mut list, mut at) = (vec![], 0);
    for part in parts.iter().rev() {
        let end = at + def.nodes[*part as usize].width;
        let (low, high) = (from.low.max(at), (from.low + from.width).min(end));
        if low < high {
            list.push(Source { id: *part, low: low - at, width: high - low, ..from });
        }
        at = end;
    }
    list
}

/// Through an instance to what drives its inputs, or to what stands inside: that is known by the output. Foreign modules are believed.
/// A register inside was not known to reset others when its module was made: it may rise and fall at one edge.
fn behind_output(inst: &Inst, from: Source) -> Option<Behind> {
    let port = inst.pins.iter().position(|p| *p == from.id);
    let Some(port) = port.filter(|_| inst.def.foreign.is_none()) else {
        return Some(Behind { a_source: true, others: vec![] });
    };
    let mut inside = vec![];
    let logic = behind(&inst.def, Source { id: inst.def.ports[port].node, ..from }, &mut inside);
    if logic.is_some() || inside.iter().any(|source| may_fall_again(&inst.def, *source)) {
        return None;
    }
    let inputs: Vec<Source> = inside.iter().filter_map(|source| Some(at_pin(inst, source.input(&inst.def)?))).collect();
    Some(Behind { a_source: inputs.len() < inside.len(), others: inputs })
}

/// Is this a register with several assignments, or one whose own reset ends that of others? See [`super::reset_drivers`] and
/// [`super::reset_ends`].
fn may_fall_again(def: &Def, source: Source) -> bool {
    let Op::Net(Net::Reg(r)) = def.nodes[source.id as usize].op else { return false };
    let mut sets = 0;
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, _, _, _| sets += u32::from(target == source.id));
    let Reg { reset, async_reset, domain, .. } = &def.regs[r as usize];
    let of_clock = reset.as_ref().filter(|_| def.reset_inside(*domain).is_some());
    let ends =
        async_reset.as_ref().map(|(_, value)| value).or(of_clock).is_some_and(|value| !source.resets_with(value));
    sets > 1 || ends
}

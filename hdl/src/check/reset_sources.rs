//! Where asynchronous resets come from: ports, registers, outputs of foreign modules; or logic, which may glitch.

use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::FxHashSet as HashSet;

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
    /// Of a value that is assigned to a place of this signal, the bits that these bits get.
    fn among(self, place: Place, width: u32, value: Id) -> Option<Source> {
        let bits = place.bits(width);
        let (low, high) = (self.low.max(bits.start), (self.low + self.width).min(bits.end));
        (low < high).then(|| Source { id: value, low: low - bits.start, width: high - low, ..self })
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
pub(super) fn at_pin(inst: &Inst, input: ResetInput) -> Source {
    let ResetInput { port, low, width, inverted } = input;
    Source { id: inst.pins[port as usize], low, width, inverted }
}

/// What a reset comes from; and what of that may glitch, if something may: logic, or an output of an instance.
pub(super) fn behind(def: &Def, from: Source, sources: &mut Vec<Source>) -> Option<Id> {
    let (mut todo, mut seen) = (vec![from], HashSet::default());
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
struct Behind {
    /// From a port, a register or an output of a foreign module: itself.
    a_source: bool,
    others: Vec<Source>,
}

/// None: it may glitch. An OR of resets does no harm: if one ends as another begins, it may be 0 for a moment, after which
/// all is in reset again.
fn directly_behind(def: &Def, from: Source) -> Option<Behind> {
    let Source { id, inverted, .. } = from;
    let node = &def.nodes[id as usize];
    let whole = |id: Id| vec![Source::whole(def, id, inverted)];
    let others = match node.op {
        Op::Alias(of) => vec![Source { id: of, ..from }],
        Op::Un(UnOp::Not, of) => vec![Source { id: of, inverted: !inverted, ..from }],
        Op::Un(UnOp::Any, of) if !inverted => whole(of),
        Op::Un(UnOp::All, of) if inverted => whole(of),
        Op::Un(_, of) if def.nodes[of as usize].width == 1 => whole(of),
        Op::Bin(BinOp::Eq | BinOp::Ne, a, b) if def.nodes[a as usize].width == 1 => compared(def, from, a, b)?,
        Op::Bin(BinOp::Or, a, b) if !inverted => vec![Source { id: a, ..from }, Source { id: b, ..from }],
        Op::Bin(BinOp::And, a, b) if inverted => vec![Source { id: a, ..from }, Source { id: b, ..from }],
        Op::Slice(of, low) => vec![Source { id: of, low: from.low + low, ..from }],
        Op::Cat(ref parts) => in_parts(def, parts, from),
        Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => assigned(def, from)?,
        Op::Net(Net::PinOut(inst)) => return behind_output(&def.insts[inst as usize], from),
        Op::Net(Net::MemRead(memory, port)) if !def.mems[memory as usize].reads[port as usize].sync => return None,
        // the reset of a clock, from inside or from a port; while it is not in reset, more than one thing may change
        Op::Net(Net::Reset(_)) if inverted => return None,
        Op::Net(Net::Reset(domain)) if def.reset_inside(domain).is_some() => {
            def.reset_inside(domain).map(|by| Source::whole(def, by, false)).into_iter().collect()
        }
        Op::Net(_) => return Some(Behind { a_source: true, others: vec![] }),
        Op::Const(_) | Op::Variant(..) | Op::Poison => vec![],
        _ => return None,
    };
    Some(Behind { a_source: false, others })
}

/// A bit compared with a number is that bit, or its complement.
fn compared(def: &Def, from: Source, a: Id, b: Id) -> Option<Vec<Source>> {
    let number = |id: Id| fold::constant_behind_names(def, id).map(|number| number.bit(0));
    let (of, number) = number(b).map(|number| (a, number)).or_else(|| number(a).map(|number| (b, number)))?;
    let equal = matches!(def.nodes[from.id as usize].op, Op::Bin(BinOp::Eq, ..));
    Some(vec![Source { id: of, inverted: from.inverted ^ (number != equal), ..from }])
}

/// What is assigned to these bits of a net, without conditions and once each. What is not assigned at all is reported elsewhere.
fn assigned(def: &Def, from: Source) -> Option<Vec<Source>> {
    let (mut list, mut once) = (vec![], true);
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, under| {
        if target == from.id
            && let Some(bits) = from.among(place, def.nodes[value as usize].width, value)
        {
            once &= under.is_empty() && !matches!(place, Place::AtSignal(_));
            list.push(bits);
        }
    });
    let bits: u32 = list.iter().map(|source| source.width).sum();
    (once && bits <= from.width).then_some(list)
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
    let port = inst.port_of(from.id);
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
    let Reg { reset, async_reset, domain, .. } = &def.regs[r as usize];
    let begins_inside = |by| {
        let mut begun = ResetEnds::default();
        !begins_with_ports(def, Source::whole(def, by, false), &mut HashSet::default(), &mut begun)
    };
    let of_clock = reset.as_ref().filter(|_| def.reset_inside(*domain).is_some_and(begins_inside));
    let ends =
        async_reset.as_ref().map(|(_, value)| value).or(of_clock).is_some_and(|value| !source.resets_with(value));
    walk::assignments(def, source.id) > 1 || ends
}

/// Does a reset begin with ports alone, and never at an edge of a clock? Notes which, and which clocks' resets from outside.
pub(super) fn begins_with_ports(def: &Def, reset: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    let mut sources = vec![];
    behind(def, reset, &mut sources).is_none()
        && sources.into_iter().all(|s| source_begins_with_ports(def, s, seen, begun))
}

fn source_begins_with_ports(def: &Def, source: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    if !seen.insert(source) {
        return true;
    }
    match def.nodes[source.id as usize].op {
        Op::Net(Net::Input) => begun.ports.extend(source.input(def)),
        Op::Net(Net::Reset(domain)) => return domain_begins_with_ports(def, domain, seen, begun),
        // as in a reset synchronizer: it resets as it is reset, and lets go at an edge
        Op::Net(Net::Reg(r)) => {
            let Some((reset, value)) = &def.regs[r as usize].async_reset else { return false };
            return source.resets_with(value)
                && never_assigned_a_reset(def, source, seen, begun)
                && begins_with_ports(def, Source::whole(def, *reset, false), seen, begun);
        }
        Op::Net(Net::PinOut(inst)) => {
            let inst = &def.insts[inst as usize];
            let Some(port) = inst.port_of(source.id) else { return false };
            if inst.def.foreign.is_some() {
                return inst.def.ports[port].domain == Some(ASYNCHRONOUS);
            }
            let (output, mut inside) = (Source { id: inst.def.ports[port].node, ..source }, ResetEnds::default());
            return begins_with_ports(&inst.def, output, &mut HashSet::default(), &mut inside)
                && inside.ports.iter().all(|input| begins_with_ports(def, at_pin(inst, *input), seen, begun))
                && inside
                    .domains
                    .iter()
                    .all(|d| domain_begins_with_ports(def, inst.domains[*d as usize], seen, begun));
        }
        _ => return false,
    }
    true
}

fn domain_begins_with_ports(def: &Def, domain: u32, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    match def.reset_inside(domain) {
        Some(by) => begins_with_ports(def, Source::whole(def, by, false), seen, begun),
        None => {
            begun.domains.push(domain);
            true
        }
    }
}

/// What a signal is another name, a bit or the complement of.
fn first_name(def: &Def, mut from: Source) -> Source {
    while let Some(Behind { a_source: false, others }) = directly_behind(def, from) {
        let [one] = others[..] else { break };
        from = one;
    }
    from
}

/// Does a register never begin to reset at an edge, since all that is assigned to it are constants with which it does not reset; or, in one
/// place, registers with the same reset of which that is so, or its own reset? Whether it takes them or holds makes no difference: they
/// begin with its own reset.
fn never_assigned_a_reset(def: &Def, source: Source, seen: &mut HashSet<Source>, begun: &mut ResetEnds) -> bool {
    let (mut values, mut anywhere) = (vec![], false);
    Stmt::each_set(&def.stmts, &mut vec![], &mut |target, place, value, _, _| {
        if target == source.id
            && let Some(bits) = source.among(place, def.nodes[value as usize].width, value)
        {
            anywhere |= matches!(place, Place::AtSignal(_));
            values.push(bits);
        }
    });
    if anywhere {
        return false;
    }
    let Some(taken) = values.iter().map(|value| never_constant_reset(def, *value)).collect::<Option<Vec<_>>>() else {
        return false;
    };
    let taken: Vec<Source> = taken.into_iter().flatten().collect();
    let once = values.iter().map(|value| value.width).sum::<u32>() == source.width;
    let reset_of = |id: Id| match def.nodes[id as usize].op {
        Op::Net(Net::Reg(r)) => def.regs[r as usize].async_reset.as_ref().map(|(reset, _)| *reset),
        _ => None,
    };
    let own = reset_of(source.id).and_then(|reset| never_constant_reset(def, Source::whole(def, reset, false)));
    let named = |reset: Id| first_name(def, Source::whole(def, reset, false));
    let same_reset = |other: Source| match (reset_of(other.id), reset_of(source.id)) {
        (Some(one), Some(other)) => one == other || named(one) == named(other),
        _ => false,
    };
    taken.is_empty()
        || once
            && taken.into_iter().all(|one| {
                own.as_ref().is_some_and(|own| own.contains(&one))
                    || same_reset(one) && source_begins_with_ports(def, one, seen, begun)
            })
}

/// What a value comes from, if that is no logic that may glitch and no constant with which it resets.
fn never_constant_reset(def: &Def, from: Source) -> Option<Vec<Source>> {
    let (mut todo, mut seen, mut sources) = (vec![from], HashSet::default(), vec![]);
    while let Some(source) = todo.pop() {
        if !seen.insert(source) {
            continue;
        }
        if let Some(number) = fold::constant(def, source.id) {
            if source.resets_with(number) {
                return None;
            }
            continue;
        }
        let Behind { a_source, others } = directly_behind(def, source)?;
        // a constant out of an instance: it may be one with which it resets
        if !a_source && others.is_empty() {
            return None;
        }
        sources.extend(a_source.then_some(source));
        todo.extend(others);
    }
    Some(sources)
}

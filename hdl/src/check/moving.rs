//! What moves when a signal does: its ways back through logic, and through what takes a value at every edge, or at every edge at which
//! the items of a pipeline go on. What holds otherwise ends a way: whether it stands still is the user's word.

use super::going::{Going, Live};
use super::samples::Samples;
use super::taken;
use crate::ir::*;
use num_bigint::BigUint;
use std::cell::{Cell, RefCell};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

/// Bits of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    id: Id,
    low: u32,
    width: u32,
}

/// An assignment to a net.
struct Given {
    place: Place,
    value: Id,
    /// The conditions and selectors it stands under.
    under: Vec<Id>,
}

/// The ways back in one module.
pub(super) struct Ways<'a> {
    def: &'a Def,
    given: HashMap<Id, Vec<Given>>,
    /// What is known of bits where items go on.
    going: Going<'a>,
    /// What is tried there.
    samples: Samples<'a>,
    /// What is assigned to each wire, whatever the conditions.
    values: HashMap<Id, Vec<Id>>,
    /// How many wires more are looked into for what holds a register.
    looks: Cell<u32>,
    /// The bits of nets that take something wherever items go on.
    taken: HashMap<Id, BigUint>,
    /// Of registers that hold on some paths: those that take something nevertheless.
    tried: RefCell<HashMap<Id, BigUint>>,
    /// Registers between stages of pipelines.
    delays: HashSet<Id>,
    /// The clocks (indices into `domains`) of which the reset, from outside, was on the ways.
    resets: RefCell<BTreeSet<u32>>,
}

/// A wire may be assigned from wires, in two branches each, and so on: so many are looked into at most.
const LOOKS: u32 = 10_000;

/// For outputs of modules (by the place of the definition, index of the port, and whether what holds the module always goes): the inputs
/// with which they move.
#[derive(Default)]
pub(super) struct Known(HashMap<(*const Def, u32, bool), Origins>);

/// What an output moves with: inputs (indices into `ports`), and resets from outside (indices into `domains`).
#[derive(Clone, Default)]
struct Origins {
    inputs: Vec<u32>,
    resets: Vec<u32>,
}

impl<'a> Ways<'a> {
    pub fn new(def: &'a Def, advancing: HashSet<Id>, delays: HashSet<Id>) -> Ways<'a> {
        let mut ways = Ways {
            def,
            given: HashMap::new(),
            samples: Samples::new(def, advancing.iter().copied()),
            going: Going::new(def, advancing),
            values: HashMap::new(),
            looks: Cell::new(LOOKS),
            taken: HashMap::new(),
            tried: RefCell::default(),
            delays,
            resets: RefCell::default(),
        };
        Stmt::each_set(&def.stmts, &mut vec![], &mut |target, _, value, _, _| {
            if def.nodes[target as usize].op == Op::Net(Net::Wire) {
                ways.values.entry(target).or_default().push(value);
            }
        });
        // of registers without what changes nothing: conditions that are 1 where items go on; what is assigned to itself holds
        let stmts = ways.moving(&def.stmts);
        let is_register = |id: Id| matches!(def.nodes[id as usize].op, Op::Net(Net::Reg(_)));
        for (block, of_registers) in [(&stmts, true), (&def.stmts, false)] {
            Stmt::each_set(block, &mut vec![], &mut |target, place, value, _, under| {
                if is_register(target) == of_registers && !taken::keeps(def, target, place, value) {
                    ways.given.entry(target).or_default().push(Given { place, value, under: under.to_vec() });
                }
            });
        }
        ways.taken = taken::on_all_paths(def, &stmts);
        ways
    }
    /// For each of these the first signal on its ways back that is found. Ways go over the same signals: one walk from all finds out
    /// whether there is anything to look for.
    pub fn find_each(&self, known: &mut Known, from: &[Id], found: impl Fn(Id) -> bool) -> Vec<Option<Id>> {
        match self.find(known, from.iter().copied(), &found) {
            Some(_) => from.iter().map(|id| self.find(known, [*id], &found)).collect(),
            None => vec![None; from.len()],
        }
    }
    /// The first signal on the ways back from these that is found.
    pub fn find(
        &self,
        known: &mut Known,
        from: impl IntoIterator<Item = Id>,
        mut found: impl FnMut(Id) -> bool,
    ) -> Option<Id> {
        let mut todo: Vec<Part> = from.into_iter().map(|id| self.whole(id)).collect();
        let mut seen = HashSet::new();
        while let Some(part) = todo.pop() {
            if seen.insert(part) {
                if found(part.id) {
                    return Some(part.id);
                }
                todo.extend(self.behind(known, part));
            }
        }
        None
    }
    fn whole(&self, id: Id) -> Part {
        Part { id, low: 0, width: self.def.nodes[id as usize].width }
    }
    /// Statements that are taken where items go on.
    fn moving(&self, block: &[Stmt]) -> Vec<Stmt> {
        let is_register = |id: Id| matches!(self.def.nodes[id as usize].op, Op::Net(Net::Reg(_)));
        let mut out = vec![];
        for stmt in block {
            match stmt {
                Stmt::Set { target, place: Place::Whole | Place::At(_), value, .. } if is_register(*target) => {
                    out.extend(self.changing(stmt, *value))
                }
                Stmt::Set { .. } => out.push(stmt.clone()),
                Stmt::If { cond, then, otherwise } => match self.going.value(*cond) {
                    Some(outcome) => out.extend(self.moving(if outcome { then } else { otherwise })),
                    None => {
                        out.push(Stmt::If { cond: *cond, then: self.moving(then), otherwise: self.moving(otherwise) })
                    }
                },
                Stmt::Case { selector, arms, default, rest } => match self.going.live(*selector, arms, default) {
                    Live::One(block) => out.extend(self.moving(block)),
                    Live::Some(arms) => out.push(Stmt::Case {
                        selector: *selector,
                        arms: arms.into_iter().map(|(values, block)| (values, self.moving(block))).collect(),
                        default: default.as_ref().map(|block| self.moving(block)),
                        rest: rest.clone(),
                    }),
                },
            }
        }
        out
    }
    /// An assignment to a register, or a part of one, with what holds it as a statement: `r.set(c.mux(x, r))` is `when(c, || r.set(x))` and
    /// else `r.set(r)`. So is a wire for the next value to which `r` is assigned, and `x` under `when`.
    fn changing(&self, set: &Stmt, value: Id) -> Vec<Stmt> {
        let Stmt::Set { target: register, place, .. } = *set else { return vec![set.clone()] };
        let holds = |value: Id| {
            let leaves = walk::leaves(value, |id| match self.def.nodes[id as usize].op {
                _ if taken::keeps(self.def, register, place, id) => None,
                Op::Mux(_, x, y) => Some(vec![x, y]),
                _ => self.going.name(id).map(|of| vec![of]).or_else(|| self.values.get(&id).cloned()),
            });
            leaves.into_iter().any(|leaf| taken::keeps(self.def, register, place, leaf))
        };
        match (self.def.nodes[value as usize].op.clone(), self.going.name(value)) {
            (Op::Mux(cond, x, y), _) => match self.going.value(cond) {
                Some(outcome) => self.changing(set, if outcome { x } else { y }),
                None if holds(value) => {
                    vec![Stmt::If { cond, then: self.changing(set, x), otherwise: self.changing(set, y) }]
                }
                None => vec![with_value(set, value)],
            },
            (_, Some(of)) if holds(of) => self.changing(set, of),
            (Op::Net(Net::Wire), None) if place == Place::Whole && self.looks.get() > 0 && holds(value) => {
                self.looks.set(self.looks.get() - 1);
                self.moving(&assignments_to(&self.def.stmts, value, register))
            }
            _ => vec![with_value(set, value)],
        }
    }
    /// Is this bit always 1, or 1 whenever items go on?
    fn goes(&self, id: Id) -> bool {
        self.going.value(id).unwrap_or_else(|| self.samples.goes(&self.going, id))
    }
    /// What some bits of a signal move with.
    fn behind(&self, known: &mut Known, part: Part) -> Vec<Part> {
        let same = |id: &Id| Part { id: *id, ..part };
        match &self.def.nodes[part.id as usize].op {
            Op::Alias(of) | Op::Un(UnOp::Not, of) => vec![same(of)],
            Op::Slice(of, low) => vec![Part { id: *of, low: low + part.low, ..part }],
            Op::Bin(BinOp::And | BinOp::Or | BinOp::Xor, x, y) => vec![same(x), same(y)],
            Op::Mux(choice, x, y) => vec![self.whole(*choice), same(x), same(y)],
            Op::Cat(parts) => self.of_parts(parts, part),
            Op::Net(net) => self.behind_net(known, *net, part),
            op => op.operands().into_iter().map(|id| self.whole(id)).collect(),
        }
    }
    fn of_parts(&self, parts: &[Id], of: Part) -> Vec<Part> {
        let (mut low, mut out) = (0, vec![]);
        for &id in parts.iter().rev() {
            let width = self.def.nodes[id as usize].width;
            out.extend(common(of.range(), low..low + width).map(|bits| Part::new(id, bits, low)));
            low += width;
        }
        out
    }
    fn behind_net(&self, known: &mut Known, net: Net, part: Part) -> Vec<Part> {
        match net {
            Net::Wire | Net::Output | Net::PinIn(_) => self.assigned(part, None),
            Net::Reg(r) => {
                let reg = &self.def.regs[r as usize];
                let held = reg.enable.is_some_and(|enable| !self.goes(enable));
                let mut behind = match self.delays.contains(&part.id) {
                    true => self.assigned(part, None),
                    false if held => vec![],
                    false => self.assigned(part, Some(&self.taken(part))),
                };
                // whatever holds it
                behind.extend(reg.async_reset.iter().map(|(reset, _)| self.whole(*reset)));
                behind.extend(reg.reset.as_ref().and_then(|_| self.reset(reg.domain)));
                behind
            }
            Net::PinOut(inst) => self.behind_instance(known, &self.def.insts[inst as usize], part.id),
            Net::MemRead(memory, port) => self.behind_memory(&self.def.mems[memory as usize], port),
            Net::Reset(domain) => self.reset(domain).into_iter().collect(),
            Net::Input | Net::Clock(_) | Net::Any(_) => vec![],
        }
    }
    /// The bits of a register that take something wherever items go on; at least of this part.
    fn taken(&self, part: Part) -> BigUint {
        let taken = self.taken.get(&part.id).cloned().unwrap_or_default();
        if part.range().all(|bit| taken.bit(bit.into())) {
            return taken;
        }
        let mut tried = self.tried.borrow_mut();
        taken | tried.entry(part.id).or_insert_with(|| self.samples.taken(&self.going, part.id)).clone()
    }
    /// The reset of a clock, if it comes from inside; else it is noted.
    fn reset(&self, domain: u32) -> Option<Part> {
        let inside = self.def.reset_inside(domain);
        if inside.is_none() {
            self.resets.borrow_mut().insert(domain);
        }
        inside.map(|id| self.whole(id))
    }
    /// What is assigned to bits of a net, of a register to those of them that take something on every path.
    fn assigned(&self, part: Part, taken: Option<&BigUint>) -> Vec<Part> {
        let mut out = vec![];
        for given in self.given.get(&part.id).into_iter().flatten() {
            let width = self.def.nodes[given.value as usize].width;
            let Some(bits) = common(part.range(), given.place.bits(width)) else { continue };
            if taken.is_some_and(|taken| !bits.clone().any(|bit| taken.bit(bit.into()))) {
                continue;
            }
            out.extend(given.under.iter().map(|id| self.whole(*id)));
            match given.place {
                Place::Whole => out.push(Part::new(given.value, bits, 0)),
                Place::At(low) => out.push(Part::new(given.value, bits, low)),
                Place::AtSignal(at) => out.extend([given.value, at].map(|id| self.whole(id))),
            }
        }
        out
    }
    /// The inputs with which an output of an instance moves.
    fn behind_instance(&self, known: &mut Known, inst: &Inst, pin: Id) -> Vec<Part> {
        let port = inst.port_of(pin).map_or(0, |port| port as u32);
        let goes = inst.def.advance.is_none_or(|advance| self.goes(inst.pins[advance as usize]));
        let Origins { inputs, resets } = known.origins(&inst.def, port, goes);
        let resets = resets.into_iter().filter_map(|domain| self.reset(inst.domains[domain as usize]));
        inputs.into_iter().map(|input| self.whole(inst.pins[input as usize])).chain(resets).collect()
    }
    /// Is this an output of an instance that moves with the items of a pipeline in it, and is the instance not held here?
    pub fn brings_items(&self, id: Id) -> Option<&'a Def> {
        let Op::Net(Net::PinOut(inst)) = self.def.nodes[id as usize].op else { return None };
        let inst = &self.def.insts[inst as usize];
        let port = inst.port_of(id)? as u32;
        let goes = || inst.def.advance.is_none_or(|advance| self.goes(inst.pins[advance as usize]));
        (inst.def.items.contains(&port) && goes()).then_some(&*inst.def)
    }
    /// The address of a word, unless the word is held, and what is written at every edge.
    fn behind_memory(&self, memory: &Memory, port: u32) -> Vec<Part> {
        let read = &memory.reads[port as usize];
        if read.sync && read.enable.is_some_and(|enable| !self.goes(enable)) {
            return vec![];
        }
        let writes = memory.writes.iter().filter(|write| self.goes(write.mask));
        let written = writes.flat_map(|write| [write.addr, write.data]);
        [read.addr].into_iter().chain(written).map(|id| self.whole(id)).collect()
    }
}

impl Part {
    fn new(id: Id, bits: Range<u32>, from: u32) -> Part {
        Part { id, low: bits.start - from, width: bits.end - bits.start }
    }
    fn range(self) -> Range<u32> {
        self.low..self.low + self.width
    }
}

/// The same assignment of another value.
fn with_value(set: &Stmt, value: Id) -> Stmt {
    let mut set = set.clone();
    if let Stmt::Set { value: of, .. } = &mut set {
        *of = value;
    }
    set
}

/// The statements that assign to a wire, as they would assign to a register.
fn assignments_to(block: &[Stmt], wire: Id, register: Id) -> Vec<Stmt> {
    let inner = |block: &[Stmt]| assignments_to(block, wire, register);
    let touching = block.iter().filter(|stmt| stmt.touches(wire));
    touching
        .map(|stmt| match stmt.clone() {
            Stmt::Set { place, value, section, loc, .. } => Stmt::Set { target: register, place, value, section, loc },
            Stmt::If { cond, then, otherwise } => Stmt::If { cond, then: inner(&then), otherwise: inner(&otherwise) },
            Stmt::Case { selector, arms, default, rest } => Stmt::Case {
                selector,
                arms: arms.iter().map(|(values, block)| (values.clone(), inner(block))).collect(),
                default: default.as_ref().map(|block| inner(block)),
                rest,
            },
        })
        .collect()
}

/// The bits of both.
fn common(a: Range<u32>, b: Range<u32>) -> Option<Range<u32>> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (!both.is_empty()).then_some(both)
}

impl Known {
    /// The inputs with which an output of a module moves: those that reach it within the cycle, and, unless they are held on the way, over
    /// registers. Where what holds the module always goes (or nothing holds it), that holds nothing.
    fn origins(&mut self, def: &Arc<Def>, output: u32, goes: bool) -> Origins {
        let inputs = || (0..).zip(&def.ports).filter(|(_, port)| port.input);
        if def.foreign.is_some() {
            if goes && def.latency_of(output).is_some_and(|cycles| cycles > 0) {
                let inputs = inputs().map(|(i, _)| i).filter(|i| Some(*i) != def.advance).collect();
                return Origins { inputs, resets: vec![] };
            }
            let path = def.comb.iter().find(|(port, _)| *port == output);
            return Origins { inputs: path.map_or(vec![], |(_, inputs)| inputs.clone()), resets: vec![] };
        }
        let key = (Arc::as_ptr(def), output, goes);
        if let Some(origins) = self.0.get(&key) {
            return origins.clone();
        }
        let advance = def.advance.filter(|_| goes).map(|port| def.ports[port as usize].node);
        let (ways, mut reached) = (Ways::new(def, advance.into_iter().collect(), HashSet::new()), HashSet::new());
        ways.find(self, [def.ports[output as usize].node], |id| {
            reached.insert(id);
            false
        });
        let inputs: Vec<u32> = inputs().filter(|(_, port)| reached.contains(&port.node)).map(|(i, _)| i).collect();
        let origins = Origins { inputs, resets: ways.resets.take().into_iter().collect() };
        self.0.insert(key, origins.clone());
        origins
    }
}

/// What is 1 where the items of a pipeline go on.
pub(super) fn advancing(b: &Draft, pipe: u32) -> HashSet<Id> {
    let pipe = &b.staging.pipes[pipe as usize];
    let enables = pipe.enabled.map(|enabled| enabled.enable).into_iter().chain(match &pipe.advance {
        Advance::When(enable) => Some(*enable),
        Advance::Always | Advance::Stream(_) => None,
    });
    let mut all: HashSet<Id> = enables.flat_map(|enable| [vec![enable], b.enables_of(enable)].concat()).collect();
    if let Advance::Stream(e) = &pipe.advance {
        all.extend([e.valid, e.ready].into_iter().chain(e.leaves.map(|leaves| leaves.ready)));
        all.extend(e.valids.iter().chain(e.advances.values()).chain(e.moves.values()).chain(e.assigns.first()));
    }
    all
}

/// The ways back in a module under construction, where these are 1 and the items of these pipelines go on.
pub(super) fn ways(b: &Draft, advancing: HashSet<Id>, pipes: impl IntoIterator<Item = u32>) -> Ways<'_> {
    let pipes: HashSet<u32> = pipes.into_iter().collect();
    let is_of_these = |id: &Id| b.node(*id).stage.is_some_and(|stage| pipes.contains(&stage.pipe));
    Ways::new(&b.def, advancing, b.named_after.keys().copied().filter(is_of_these).collect())
}

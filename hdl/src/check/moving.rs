//! What moves when a signal does: its ways back through logic, and through what takes a value at every edge, or at every edge at which
//! the items of a pipeline go on. What holds otherwise ends a way: whether it stands still is the user's word.

use super::{decided, driven};
use crate::ir::*;
use num_bigint::BigUint;
use std::collections::{HashMap, HashSet};
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
    /// The statements without what changes nothing: conditions that are 1 where items go on, and registers assigned to themselves.
    stmts: Vec<Stmt>,
    /// Signals that are 1 where items go on.
    advancing: HashSet<Id>,
    /// Registers between stages of pipelines.
    delays: HashSet<Id>,
}

/// For outputs of modules (by the place of the definition, and index of the port): the inputs with which they move.
#[derive(Default)]
pub(super) struct Known(HashMap<(*const Def, u32), Vec<u32>>);

impl<'a> Ways<'a> {
    pub fn new(def: &'a Def, advancing: HashSet<Id>, delays: HashSet<Id>) -> Ways<'a> {
        let mut ways = Ways { def, given: HashMap::new(), stmts: vec![], advancing, delays };
        ways.stmts = ways.moving(&def.stmts);
        let mut given: HashMap<Id, Vec<Given>> = HashMap::new();
        Stmt::each_set(&ways.stmts, &mut vec![], &mut |target, place, value, _, under| {
            given.entry(target).or_default().push(Given { place, value, under: under.to_vec() });
        });
        ways.given = given;
        ways
    }
    /// The first signal on the ways back from here that is found.
    pub fn find<T>(&self, known: &mut Known, from: Id, mut found: impl FnMut(Id) -> Option<T>) -> Option<T> {
        let (mut todo, mut seen) = (vec![self.whole(from)], HashSet::new());
        while let Some(part) = todo.pop() {
            if seen.insert(part) {
                if let Some(found) = found(part.id) {
                    return Some(found);
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
                Stmt::Set { target, value, .. } if target == value && is_register(*target) => {}
                Stmt::If { cond, then, .. } if self.goes(*cond) => out.extend(self.moving(then)),
                Stmt::If { cond, then, otherwise } => {
                    out.push(Stmt::If { cond: *cond, then: self.moving(then), otherwise: self.moving(otherwise) })
                }
                Stmt::Case { selector, arms, default, rest } => out.push(Stmt::Case {
                    selector: *selector,
                    arms: arms.iter().map(|(values, block)| (values.clone(), self.moving(block))).collect(),
                    default: default.as_ref().map(|block| self.moving(block)),
                    rest: rest.clone(),
                }),
                Stmt::Set { .. } => out.push(stmt.clone()),
            }
        }
        out
    }
    /// Is this bit always 1, or 1 whenever items go on?
    fn goes(&self, id: Id) -> bool {
        if self.advancing.contains(&id) {
            return true;
        }
        match self.def.nodes[id as usize].op {
            Op::Const(ref value) => *value != BigUint::ZERO,
            Op::Repeat(of, _) => self.goes(of),
            Op::Bin(BinOp::And, one, other) => self.goes(one) && self.goes(other),
            Op::Net(Net::Output) => walk::only_value(self.def, id).is_some_and(|of| self.goes(of)),
            _ => {
                decided::outcome(self.def, id) == Some(true)
                    || walk::other_name(self.def, id).is_some_and(|of| self.goes(of))
            }
        }
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
                let held = self.def.regs[r as usize].enable.is_some_and(|enable| !self.goes(enable));
                match self.delays.contains(&part.id) {
                    true => self.assigned(part, None),
                    false if held => vec![],
                    false => self.assigned(part, Some(&driven::covered(self.def, &self.stmts, part.id))),
                }
            }
            Net::PinOut(inst) => self.behind_instance(known, &self.def.insts[inst as usize], part.id),
            Net::MemRead(memory, port) => self.behind_memory(&self.def.mems[memory as usize], port),
            Net::Reset(domain) => self.def.reset_inside(domain).map(|id| self.whole(id)).into_iter().collect(),
            Net::Input | Net::Clock(_) | Net::Any(_) => vec![],
        }
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
        let inputs = known.inputs(&inst.def, port);
        inputs.into_iter().map(|input| self.whole(inst.pins[input as usize])).collect()
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

/// The bits of both.
fn common(a: Range<u32>, b: Range<u32>) -> Option<Range<u32>> {
    let both = a.start.max(b.start)..a.end.min(b.end);
    (!both.is_empty()).then_some(both)
}

impl Known {
    /// The inputs with which an output of a module moves. Its items go on where the input says so that holds it.
    fn inputs(&mut self, def: &Arc<Def>, output: u32) -> Vec<u32> {
        if def.foreign.is_some() {
            let path = def.comb.iter().find(|(port, _)| *port == output);
            return path.map_or(vec![], |(_, inputs)| inputs.clone());
        }
        let key = (Arc::as_ptr(def), output);
        if let Some(inputs) = self.0.get(&key) {
            return inputs.clone();
        }
        let advancing = def.advance.map(|port| def.ports[port as usize].node).into_iter().collect();
        let (ways, mut reached) = (Ways::new(def, advancing, HashSet::new()), HashSet::new());
        ways.find(self, def.ports[output as usize].node, |id| {
            reached.insert(id);
            None::<()>
        });
        let ports = (0..).zip(&def.ports);
        let inputs: Vec<u32> = ports.filter(|(_, p)| p.input && reached.contains(&p.node)).map(|(i, _)| i).collect();
        self.0.insert(key, inputs.clone());
        inputs
    }
}

/// What is 1 where the items of a pipeline go on.
fn advancing(b: &Draft, pipe: u32) -> HashSet<Id> {
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

/// The ways back in a module under construction, where the items of these pipelines go on.
pub(super) fn ways(b: &Draft, pipes: impl IntoIterator<Item = u32>) -> Ways<'_> {
    let advancing = pipes.into_iter().flat_map(|pipe| advancing(b, pipe)).collect();
    Ways::new(&b.def, advancing, b.named_after.keys().copied().collect())
}

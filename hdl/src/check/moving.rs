//! What moves when a signal does: its ways back through logic, and through what takes a value at every edge, or at every edge at which
//! the items of a pipeline go on. What holds otherwise ends a way: whether it stands still is the user's word.

use super::assigned::{Given, given};
use super::samples::{Samples, keeps};
use crate::ir::*;
use num_bigint::BigUint;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

/// Bits of a signal.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Part {
    id: Id,
    low: u32,
    width: u32,
}

/// The ways back in one module.
pub(super) struct Ways<'a> {
    def: &'a Def,
    given: HashMap<Id, Vec<Given>>,
    /// What is tried where items go on.
    samples: Samples<'a>,
    /// The bits of registers that take something wherever items go on.
    taken: RefCell<HashMap<Id, BigUint>>,
    /// Registers between stages of pipelines.
    delays: HashSet<Id>,
    /// The clocks (indices into `domains`) of which the reset, from outside, was on the ways.
    resets: RefCell<BTreeSet<u32>>,
}

/// For outputs of modules (by the place of the definition, index of the port, and the inputs that are 1 where items go on): with what they
/// move.
#[derive(Default)]
pub(super) struct Known(HashMap<(*const Def, u32, Vec<u32>), MovesWith>);

/// What an output moves with: inputs (indices into `ports`), resets from outside (indices into `domains`), and what follows from itself
/// in the module.
#[derive(Clone, Default)]
struct MovesWith {
    inputs: Vec<u32>,
    resets: Vec<u32>,
    itself: bool,
}

impl<'a> Ways<'a> {
    pub fn new(def: &'a Def, advancing: HashSet<Id>, delays: HashSet<Id>) -> Ways<'a> {
        let mut given = given(def);
        given.iter_mut().for_each(|(target, all)| all.retain(|x| !keeps(def, *target, x.place, x.value)));
        let (samples, taken, resets) = (Samples::new(def, advancing), RefCell::default(), RefCell::default());
        Ways { def, given, samples, taken, delays, resets }
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
        let mut seen = HashSet::default();
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
    /// Is this not 0 wherever items go on?
    fn goes(&self, id: Id) -> bool {
        self.samples.goes(id)
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
                    false => {
                        let mut taken = self.taken.borrow_mut();
                        let taken = taken.entry(part.id).or_insert_with(|| self.samples.taken(part.id));
                        self.assigned(part, Some(taken))
                    }
                };
                // a reset acts also while the register is held
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
        let all = self.given.get(&part.id).into_iter().flatten();
        let given: Vec<(&Given, Vec<Range<u32>>)> =
            all.map(|given| (given, given.runs(part.range(), None))).filter(|(_, runs)| !runs.is_empty()).collect();
        let alone = taken.is_some() && given.len() == 1;
        let mut out = vec![];
        for (given, mut runs) in given {
            if taken.is_some() {
                runs = given.runs(part.range(), taken);
            }
            if runs.is_empty() {
                continue;
            }
            // of a register that else holds, a condition that is the same wherever items go on changes nothing
            let changes_nothing =
                |id: Id| taken.is_some() && self.samples.is_settled(id) && !self.samples.matters(part.id, id);
            let under = given.under.iter().filter(|id| !changes_nothing(**id));
            out.extend(under.map(|id| self.whole(*id)));
            let value = if alone { self.unless_kept(part.id, given) } else { given.value };
            let from = match given.place {
                Place::Whole => 0,
                Place::At(low) => low,
                Place::AtSignal(at) => {
                    out.extend([value, at].map(|id| self.whole(id)));
                    continue;
                }
            };
            out.extend(runs.into_iter().map(|bits| Part::new(value, bits, from)));
        }
        out
    }
    /// What a register takes by `c.mux(x, r)`, where `c` is the same wherever items go on; else all of the value.
    fn unless_kept(&self, register: Id, given: &Given) -> Id {
        let Op::Mux(choice, x, y) = self.def.nodes[given.value as usize].op else { return given.value };
        let kept = [x, y].map(|value| keeps(self.def, register, given.place, value));
        match kept {
            [false, true] if self.samples.is_settled(choice) => x,
            [true, false] if self.samples.is_settled(choice) => y,
            _ => given.value,
        }
    }
    /// The inputs with which an output of an instance moves.
    fn behind_instance(&self, known: &mut Known, inst: &Inst, pin: Id) -> Vec<Part> {
        let MovesWith { inputs, resets, .. } = self.moves_with(known, inst, pin);
        let resets = resets.into_iter().filter_map(|domain| self.reset(inst.domains[domain as usize]));
        inputs.into_iter().map(|input| self.whole(inst.pins[input as usize])).chain(resets).collect()
    }
    /// What an output of an instance moves with there.
    fn moves_with(&self, known: &mut Known, inst: &Inst, pin: Id) -> MovesWith {
        let port = inst.port_of(pin).map_or(0, |port| port as u32);
        let inputs = (0..).zip(inst.def.ports.iter().zip(&inst.pins));
        let bits = inputs.filter(|(_, (port, pin))| port.input && self.def.nodes[**pin as usize].width == 1);
        let goes = bits.filter(|(_, (_, pin))| self.goes(**pin)).map(|(input, _)| input).collect();
        known.moves_with(&inst.def, port, goes)
    }
    /// Is this an output of an instance that follows from itself there, as a counter does?
    fn counts(&self, known: &mut Known, id: Id) -> bool {
        let Op::Net(Net::PinOut(inst)) = self.def.nodes[id as usize].op else { return false };
        self.moves_with(known, &self.def.insts[inst as usize], id).itself
    }
    /// Is this an output of an instance that moves with the items of a pipeline in it, and is the instance not held here?
    pub fn brings_items(&self, id: Id) -> Option<&'a Def> {
        let Op::Net(Net::PinOut(inst)) = self.def.nodes[id as usize].op else { return None };
        let inst = &self.def.insts[inst as usize];
        let port = inst.port_of(id)? as u32;
        let goes = || inst.def.advance.is_none_or(|advance| self.goes(inst.pins[advance as usize]));
        (inst.def.items.contains(&port) && goes()).then_some(&*inst.def)
    }
    /// For each of these the first signal on its ways back that is found; else the first register, word or output of an instance that is on
    /// its own ways back, as a counter is.
    pub fn find_moving(&self, known: &mut Known, from: &[Id], found: impl Fn(Id) -> bool) -> Vec<Option<Id>> {
        let data = self.find_each(known, from, found);
        let themselves = self.moving_themselves(known, from);
        let others = match themselves.is_empty() {
            true => vec![None; from.len()],
            false => self.find_each(known, from, |id| themselves.contains(&id)),
        };
        data.into_iter().zip(others).map(|(data, other)| data.or(other)).collect()
    }
    /// What a message says of what no pipeline of this module brings.
    pub fn what(&self, b: &Draft, id: Id) -> String {
        let what = b.describe(id);
        match self.brings_items(id) {
            Some(def) => format!("{what} comes out of a pipeline of `{}`", def.name),
            None => format!("{what} follows from itself wherever items go on"),
        }
    }
    /// Is this wire the next value of that register, which holds where it is itself?
    fn is_held_by(&self, register: Id, wire: Id) -> bool {
        let op = |id: Id| &self.def.nodes[id as usize].op;
        let next_value = matches!((op(register), op(wire)), (Op::Net(Net::Reg(_)), Op::Net(Net::Wire)));
        let given = self.given.get(&register).filter(|_| next_value);
        given.is_some_and(|given| matches!(given[..], [Given { place: Place::Whole, value, .. }] if value == wire))
    }
    /// The registers, words of memories and outputs of instances on the ways back from these that are on their own ways back, in this module
    /// or in that of the instance.
    fn moving_themselves(&self, known: &mut Known, from: &[Id]) -> HashSet<Id> {
        let mut parts: Vec<Part> = from.iter().map(|id| self.whole(*id)).collect();
        let mut number: HashMap<Part, Id> = parts.iter().copied().zip(0..).collect();
        let mut behind: Vec<Vec<Id>> = vec![];
        while let Some(&part) = parts.get(behind.len()) {
            let mut of_one = vec![];
            for next in self.behind(known, part).into_iter().filter(|next| !self.is_held_by(next.id, part.id)) {
                let new = parts.len() as Id;
                let at = *number.entry(next).or_insert(new);
                if at == new {
                    parts.push(next);
                }
                of_one.push(at);
            }
            behind.push(of_one);
        }
        let all: Vec<Id> = (0..parts.len() as Id).collect();
        let loops = walk::in_loops(parts.len(), &all, |at| behind[at as usize].clone());
        let ids = loops.into_iter().map(|at| parts[at as usize].id);
        let keeps_something = |id: &Id| {
            matches!(self.def.nodes[*id as usize].op, Op::Net(Net::Reg(_) | Net::MemRead(..) | Net::PinOut(_)))
        };
        let counting = parts.iter().map(|part| part.id).filter(|id| self.counts(known, *id));
        ids.filter(keeps_something).chain(counting).collect()
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
    /// With what an output of a module moves: inputs that reach it within the cycle, and, unless they are held on the way, over registers;
    /// where these inputs `go`, they are 1.
    fn moves_with(&mut self, def: &Arc<Def>, output: u32, go: Vec<u32>) -> MovesWith {
        let inputs = || (0..).zip(&def.ports).filter(|(_, port)| port.input);
        if def.foreign.is_some() {
            let goes = def.advance.is_none_or(|advance| go.contains(&advance));
            if goes && def.latency_of(output).is_some_and(|cycles| cycles > 0) {
                let inputs = inputs().map(|(i, _)| i).filter(|i| Some(*i) != def.advance).collect();
                return MovesWith { inputs, ..MovesWith::default() };
            }
            let path = def.comb.iter().find(|(port, _)| *port == output);
            return MovesWith { inputs: path.map_or(vec![], |(_, inputs)| inputs.clone()), ..MovesWith::default() };
        }
        let key = (Arc::as_ptr(def), output, go);
        if let Some(known) = self.0.get(&key) {
            return known.clone();
        }
        let advancing = key.2.iter().map(|port| def.ports[*port as usize].node).collect();
        let (ways, mut reached) = (Ways::new(def, advancing, HashSet::default()), HashSet::default());
        let from = [def.ports[output as usize].node];
        ways.find(self, from, |id| {
            reached.insert(id);
            false
        });
        let inputs: Vec<u32> = inputs().filter(|(_, port)| reached.contains(&port.node)).map(|(i, _)| i).collect();
        let itself = !ways.moving_themselves(self, &from).is_empty();
        let found = MovesWith { inputs, resets: ways.resets.take().into_iter().collect(), itself };
        self.0.insert(key, found.clone());
        found
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

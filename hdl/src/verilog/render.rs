//! One module as text.

use super::live::{self, Live};
use super::text::{begin, comment, comment_lines, lead, paren, range};
use super::{Child, Options, Pads, Properties, Reset};
use crate::ir::Pin;
use crate::ir::*;
use num_bigint::BigUint;
use std::collections::{BTreeSet, HashMap};

/// Order of what stands in one section after the same node.
#[derive(PartialEq, Eq, PartialOrd, Ord, Clone, Copy)]
pub enum Rank {
    Section,
    Wire,
    Process,
    Instance,
}

pub enum Item {
    Text(String),
    /// A register. Neighbours of one kind share a process.
    Clocked {
        domain: u32,
        reset: Option<String>,
        /// The signal that resets it at once.
        at_once: Option<String>,
        lines: Vec<String>,
    },
}

/// The assignments of a net.
#[derive(Default)]
pub struct Driver<'a> {
    /// The statements of the module that assign it, on any path.
    stmts: Vec<&'a Stmt>,
    /// Values that are assigned to it.
    values: Vec<Id>,
    /// The last node that they read.
    pub last: Id,
    /// The section in which the last of them stands.
    pub section: u32,
}

pub struct Render<'a> {
    pub def: &'a Def,
    pub nets: HashMap<Id, Driver<'a>>,
    pub live: Live,
    /// How a node is referred to: a name or an expression.
    pub text: Vec<String>,
    /// Nodes that stand under a name.
    pub declared: Vec<bool>,
    pub decls: Vec<String>,
    /// Output ports that a process assigns.
    pub reg_ports: BTreeSet<Id>,
    /// With their places: section, last node that is read, rank.
    pub items: Vec<((u32, Id, Rank), Item)>,
    pub reset: Reset,
    pub lut_ram: bool,
    pub properties: Properties,
    pub pads: Pads,
}

/// Everything after the module's name.
pub fn body(def: &Def, children: &[Child], options: &Options, properties: Properties, pads: Pads) -> String {
    let count = def.nodes.len();
    let mut r = Render {
        def,
        nets: drivers(def),
        live: live::live(def, properties),
        text: vec![String::new(); count],
        declared: vec![false; count],
        decls: vec![],
        reg_ports: BTreeSet::new(),
        items: vec![],
        reset: options.reset,
        lut_ram: options.lut_ram,
        properties,
        pads,
    };
    r.expressions();
    r.nets();
    r.inside();
    r.memories();
    r.instances(children);
    for (i, (_, title)) in def.sections.iter().enumerate() {
        r.push(i as u32 + 1, 0, Rank::Section, Item::Text(format!("\n    {}", comment_lines(title).join("\n    "))));
    }
    r.items.sort_by_key(|(place, _)| *place);
    r.print()
}

impl<'a> Render<'a> {
    pub fn op(&self, id: Id) -> &'a Op {
        &self.def.nodes[id as usize].op
    }
    pub fn width(&self, id: Id) -> u32 {
        self.def.nodes[id as usize].width
    }
    pub fn t(&self, id: Id) -> &str {
        &self.text[id as usize]
    }
    /// Adds what is printed in a section, after a node.
    pub fn push(&mut self, section: u32, at: Id, rank: Rank, item: Item) {
        self.items.push(((section, at, rank), item));
    }
    /// The section in which a node was made.
    pub fn section_of(&self, id: Id) -> u32 {
        self.def.sections.partition_point(|(at, _)| *at <= id) as u32
    }
    pub fn is_live(&self, id: Id) -> bool {
        self.live.uses[id as usize] > 0
    }
    fn port(&self, id: Id) -> bool {
        matches!(self.op(id), Op::Net(Net::Input | Net::Output))
    }
    /// Where the user wrote it, as a comment.
    pub fn note(&self, id: Id) -> String {
        let n = &self.def.nodes[id as usize];
        let comment = n.comment.as_ref().map(|c| format!("{} | ", comment(c))).unwrap_or_default();
        format!(" // {comment}{}", file_and_line(n.loc))
    }
    /// Decides which expressions get a wire, and prints those.
    fn expressions(&mut self) {
        let mut must = vec![false; self.text.len()];
        for id in (0..self.text.len() as Id).filter(|id| self.is_live(*id)) {
            must[id as usize] |= self.needs_name(id);
            self.selected(id).into_iter().for_each(|x| must[x as usize] = true);
        }
        for m in &self.def.mems {
            // lanes select from mask and data
            m.writes.iter().filter(|w| self.width(w.mask) > 1).for_each(|w| {
                must[w.mask as usize] = true;
                must[w.data as usize] = true;
            });
        }
        for r in &self.def.regs {
            // it stands in the list of events of a process
            r.at_once.iter().for_each(|(reset, _)| must[*reset as usize] = true);
        }
        for id in self.indices() {
            // Icarus takes the arithmetic of an index as wider than its operands are
            must[id as usize] |= matches!(self.op(id), Op::Bin(..) | Op::Un(..) | Op::Mux(..) | Op::Alias(_));
        }
        let mut temps = 0;
        for id in 0..self.text.len() as Id {
            let i = id as usize;
            let node = &self.def.nodes[i];
            if matches!(node.op, Op::Net(_)) {
                self.text[i] = self.net_text(id);
                self.declared[i] = true;
                continue;
            }
            if !self.is_live(id) {
                continue;
            }
            if let (Op::Alias(of), None) = (&node.op, &node.name)
                && (self.declared[*of as usize] || !must[i])
            {
                self.text[i] = self.t(*of).to_string();
                continue;
            }
            let expr = self.expr(id);
            let constant = matches!(node.op, Op::Const(_) | Op::Variant(..));
            let repeated = self.live.uses[i] > 1 && !self.is_cheap(id);
            let name = match &node.name {
                Some(name) => name.clone(),
                None if must[i] || (!constant && (repeated || expr.len() > 88)) => {
                    temps += 1;
                    format!("_t{temps}")
                }
                None => {
                    self.text[i] = expr;
                    continue;
                }
            };
            let decl = format!("wire {}{name} = {expr};{}", range(node.width), self.note(id));
            self.push(self.section_of(id), id, Rank::Wire, Item::Text(decl));
            self.text[i] = name;
            self.declared[i] = true;
        }
    }
    /// What selects words of memories, and bits at a place that a signal gives.
    fn indices(&self) -> Vec<Id> {
        let part = |n: &Node| {
            if let Op::Part(_, low) = n.op { Some(low) } else { None }
        };
        let mut out: Vec<Id> = self.def.nodes.iter().filter_map(part).collect();
        Stmt::each_set(&self.def.stmts, &mut vec![], &mut |_, place, _, _, _| match place {
            Place::AtSignal(low) => out.push(low),
            Place::Whole | Place::At(_) => {}
        });
        for m in &self.def.mems {
            out.extend(m.reads.iter().map(|r| r.addr).chain(m.writes.iter().map(|w| w.addr)));
        }
        out
    }
    fn net_text(&self, id: Id) -> String {
        match *self.op(id) {
            Op::Net(Net::Clock(d)) => self.def.domains[d as usize].clock.clone(),
            Op::Net(Net::Reset(d)) => self.reset_condition(d),
            _ => self.def.nodes[id as usize].name.clone().unwrap_or_default(),
        }
    }
    /// Is repeating the expression no worse than a name?
    fn is_cheap(&self, id: Id) -> bool {
        let simple = |x: &Id| self.declared[*x as usize] || matches!(self.op(*x), Op::Const(_) | Op::Slice(..));
        match self.op(id) {
            Op::Const(_) | Op::Variant(..) | Op::Slice(..) => true,
            Op::Un(UnOp::Not, x) | Op::Alias(x) => simple(x),
            Op::Cat(v) => v.len() == 2 && v.iter().all(simple),
            _ => false,
        }
    }
    pub fn reset_name(&self, domain: u32) -> String {
        let base = &self.def.domains[domain as usize].reset;
        if self.reset.active_low { format!("{base}_n") } else { base.clone() }
    }
    pub fn reset_condition(&self, domain: u32) -> String {
        let name = self.reset_name(domain);
        if self.reset.active_low { format!("!{name}") } else { name }
    }
    /// Wires and registers with their assignments.
    fn nets(&mut self) {
        let live: Vec<Id> = (0..self.text.len() as Id).filter(|id| self.is_live(*id)).collect();
        for id in live {
            match *self.op(id) {
                Op::Net(Net::Wire | Net::Output | Net::PinIn(_)) => self.wire(id),
                Op::Net(Net::Reg(r)) => self.register(id, r),
                Op::Net(Net::Any(sequence)) => self.free(id, sequence),
                Op::Net(Net::PinOut(_)) => {
                    let decl = format!("wire {}{};", range(self.width(id)), self.t(id));
                    self.decls.push(decl);
                }
                _ => {}
            }
        }
    }
    /// Clocks and resets that are no ports.
    fn inside(&mut self) {
        for i in &self.def.inside {
            let (clock, reset) = (i.clock.filter(|_| i.needed.0), i.reset.filter(|_| i.needed.1));
            if let Some(clock) = clock {
                let name = &self.def.domains[i.domain as usize].clock;
                self.decls.push(format!("wire {name} = {}; // {}", self.t(clock), file_and_line(i.loc)));
            }
            if let Some(reset) = reset {
                let name = self.reset_name(i.domain);
                self.decls.push(format!("wire {name}; // {}", file_and_line(i.reset_loc)));
                let value =
                    if self.reset.active_low { format!("!{}", paren(self.t(reset))) } else { self.t(reset).into() };
                let line = Item::Text(format!("assign {name} = {value};"));
                self.push(self.section_of(reset), reset, Rank::Process, line);
            }
        }
    }
    /// The unconditional assignments of separate parts of a net, if those are all.
    fn plain_parts(&self, id: Id) -> Option<Vec<(Place, Id)>> {
        let mut parts = vec![];
        let mut used = BigUint::default();
        let stmts = &self.nets.get(&id)?.stmts;
        // what stands before an unconditional assignment of the whole has no effect
        let whole = |s: &&Stmt| matches!(s, Stmt::Set { place: Place::Whole, .. });
        for s in &stmts[stmts.iter().rposition(whole).unwrap_or(0)..] {
            match s {
                Stmt::Set { place: Place::Whole, value, .. } => parts.push((Place::Whole, *value)),
                Stmt::Set { place: Place::At(lo), value, .. } => {
                    let mask = ((BigUint::from(1u32) << self.width(*value)) - 1u32) << *lo;
                    if (&used & &mask) != BigUint::default() || parts.iter().any(|(p, _)| *p == Place::Whole) {
                        return None;
                    }
                    used |= mask;
                    parts.push((Place::At(*lo), *value));
                }
                _ => return None,
            }
        }
        Some(parts)
    }
    fn wire(&mut self, id: Id) {
        let (name, is_port) = (self.t(id).to_string(), self.port(id));
        let width = range(self.width(id));
        if self.passed_on(id).is_some() {
            return;
        }
        if let Some(parts) = self.plain_parts(id) {
            if !is_port {
                self.decls.push(format!("wire {width}{name};{}", self.note(id)));
            }
            let section = self.nets[&id].section;
            for (place, value) in parts {
                let line = format!("assign {} = {};", self.place(id, place, value), self.t(value));
                self.push(section, value.max(id), Rank::Process, Item::Text(line));
            }
            return;
        }
        let Driver { stmts, last, section, .. } = &self.nets[&id];
        let (lines, last, section) = (self.stmts(stmts.iter().copied(), id, "="), *last, *section);
        if is_port {
            self.reg_ports.insert(id);
        } else {
            self.decls.push(format!("reg {width}{name};{}", self.note(id)));
        }
        self.push(section, last.max(id), Rank::Process, Item::Text(begin("always @*", lines).join("\n    ")));
    }
    /// The value of an instance input that only passes it on: it stands in the port list of the instance.
    pub fn passed_on(&self, id: Id) -> Option<Id> {
        let Op::Net(Net::PinIn(inst)) = *self.op(id) else {
            return None;
        };
        if self.live.uses[id as usize] > 1 || self.is_split(&self.def.insts[inst as usize], id) {
            return None;
        }
        match self.plain_parts(id)?[..] {
            [(Place::Whole, value)] => Some(value),
            _ => None,
        }
    }
    /// Is every bit of the pin a port of its own? Then bits are selected from it, which takes a name.
    fn is_split(&self, inst: &Inst, pin: Id) -> bool {
        let port = inst.pins.iter().position(|p| *p == pin).map(|at| &inst.def.ports[at]);
        let foreign = inst.def.foreign.as_deref().zip(port);
        foreign.is_some_and(|(f, port)| port.width > 1 && matches!(f.pin(port), Pin::PerBit(_)))
    }
    fn register(&mut self, id: Id, index: u32) {
        let reg = &self.def.regs[index as usize];
        let name = self.t(id).to_string();
        let attributes = self.def.attributes.iter().filter(|(node, ..)| *node == id);
        let attributes: String = attributes.map(|(_, k, v)| super::text::attribute(k, v)).collect();
        self.decls.push(format!("{attributes}reg {}{name};{}", range(self.width(id)), self.note(id)));
        let Driver { stmts, values, last, section } = &self.nets[&id];
        let (mut last, section) = (*last, *section);
        let mut lines = self.stmts(stmts.iter().copied(), id, "<=");
        if let Some(enable) = reg.enable {
            lines = lead(&format!("if ({})", self.t(enable)), lines);
        }
        let value = reg.reset.as_ref().or(reg.at_once.as_ref().map(|(_, value)| value));
        let reset = value.map(|v| format!("{name} <= {};", self.reset_value(reg, values, v)));
        let at_once = reg.at_once.as_ref().map(|(reset, _)| self.t(*reset).to_string());
        last = reg.reads().fold(last, Id::max);
        self.push(section, last.max(id), Rank::Process, Item::Clocked { domain: reg.domain, reset, at_once, lines });
    }
    /// A state register is reset to the name of a state.
    fn reset_value(&self, reg: &Reg, assigned: &[Id], value: &BigUint) -> String {
        let width = self.width(reg.node);
        let state = |v: &Id| if let Op::Variant(e, _) = self.op(*v) { Some(*e) } else { None };
        let of = reg.states.or_else(|| assigned.iter().find_map(state));
        let states = of.map(|e| &self.def.enums[e as usize]);
        match states.and_then(|e| Some(&e.variants[e.with_code(value)?])) {
            Some(state) => state.localparam.clone(),
            None => format!("{width}'h{value:x}"),
        }
    }
}

/// Where the user wrote it.
fn file_and_line(loc: Loc) -> String {
    format!("{}:{}", loc.file().rsplit(['/', '\\']).next().unwrap_or(""), loc.line())
}

/// The assignments of every net.
fn drivers(def: &Def) -> HashMap<Id, Driver<'_>> {
    let mut nets: HashMap<Id, Driver> = HashMap::new();
    for stmt in &def.stmts {
        Stmt::each_set(std::slice::from_ref(stmt), &mut vec![], &mut |target, place, value, section, under| {
            let net = nets.entry(target).or_default();
            if net.stmts.last().is_none_or(|last| !std::ptr::eq(*last, stmt)) {
                net.stmts.push(stmt);
            }
            net.values.push(value);
            net.last = under.iter().copied().fold(net.last.max(value), Id::max);
            if let Place::AtSignal(low) = place {
                net.last = net.last.max(low);
            }
            net.section = net.section.max(section);
        });
    }
    nets
}

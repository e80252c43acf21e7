//! One module as text.

use super::live::{self, Live};
use super::process::Processes;
use super::steps::Step;
use super::text::{Statement, comment, comment_lines, paren, range};
use super::{Child, Options, Pads, Properties, Reset};
use crate::ir::*;
use std::collections::BTreeSet;

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
    /// Registers. Neighbours of one kind share a process.
    Clocked {
        domain: u32,
        /// The values in reset; with none, no register of the process has a reset.
        resets: Vec<String>,
        /// The signal that resets it at once.
        async_reset: Option<String>,
        /// Statements, with the enable that they stand under.
        parts: Vec<(Option<String>, Vec<Statement>)>,
    },
}

pub struct Render<'a> {
    pub def: &'a Def,
    pub processes: Processes,
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
    let single = Processes::single(def);
    let reached = live::live(def, properties, &single);
    let processes = Processes::grouped(def, &single, |id| reached.uses[id as usize] > 0);
    let mut r = Render {
        def,
        live: live::live(def, properties, &processes),
        processes,
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
    /// Where the user wrote it, as a comment.
    pub fn note(&self, id: Id) -> String {
        let n = &self.def.nodes[id as usize];
        let comment = n.comment.as_ref().map(|c| format!("{} | ", comment(c))).unwrap_or_default();
        format!(" // {comment}{}", file_and_line(n.loc))
    }
    /// Decides which expressions get a wire, and prints those.
    fn expressions(&mut self) {
        let must = self.must_have_names();
        let mut temps = 0;
        for id in 0..self.text.len() as Id {
            let i = id as usize;
            if matches!(self.op(id), Op::Net(_)) {
                self.text[i] = self.net_text(id);
                self.declared[i] = true;
            } else if self.is_live(id) {
                self.expression(id, must[i], &mut temps);
            }
        }
    }
    /// The expressions for which Verilog's rules ask for a name.
    fn must_have_names(&self) -> Vec<bool> {
        let mut must = vec![false; self.text.len()];
        for id in (0..self.text.len() as Id).filter(|id| self.is_live(*id)) {
            must[id as usize] |= self.needs_name(id);
            self.selected(id).into_iter().for_each(|x| must[x as usize] = true);
        }
        // lanes select from mask and data
        let masked = self.def.mems.iter().flat_map(|m| &m.writes).filter(|w| self.width(w.mask) > 1);
        masked.for_each(|w| [w.mask, w.data].into_iter().for_each(|x| must[x as usize] = true));
        // a reset that acts at once stands in the list of events of a process
        let async_reset = self.def.regs.iter().filter_map(|r| r.async_reset.as_ref());
        async_reset.for_each(|(reset, _)| must[*reset as usize] = true);
        for id in self.indices() {
            // Icarus takes the arithmetic of an index as wider than its operands are
            must[id as usize] |= matches!(self.op(id), Op::Bin(..) | Op::Un(..) | Op::Mux(..) | Op::Alias(_));
        }
        must
    }
    /// The text of an expression, or the wire that stands for it.
    fn expression(&mut self, id: Id, must: bool, temps: &mut u32) {
        let (i, node) = (id as usize, &self.def.nodes[id as usize]);
        if let (Op::Alias(of), None) = (&node.op, &node.name)
            && (self.declared[*of as usize] || !must)
        {
            self.text[i] = self.t(*of).to_string();
            return;
        }
        let expr = self.expr(id);
        let constant = matches!(node.op, Op::Const(_) | Op::Variant(..));
        let repeated = self.live.uses[i] > 1 && !self.is_cheap(id);
        let name = match &node.name {
            Some(name) => name.clone(),
            None if must || (!constant && (repeated || expr.len() > 88)) => {
                *temps += 1;
                format!("_t{temps}")
            }
            None => {
                self.text[i] = expr;
                return;
            }
        };
        let decl = format!("wire {}{name} = {expr};{}", range(node.width), self.note(id));
        self.push(self.section_of(id), id, Rank::Wire, Item::Text(decl));
        self.text[i] = name;
        self.declared[i] = true;
    }
    /// What selects words of memories, and bits at a place that a signal gives.
    fn indices(&self) -> Vec<Id> {
        let part = |n: &Node| {
            if let Op::Part(_, low) = n.op { Some(low) } else { None }
        };
        let mut out: Vec<Id> = self.def.nodes.iter().filter_map(part).collect();
        for process in self.processes.iter() {
            Step::each(&process.steps, &mut |step| {
                if let Step::Set { place: Place::AtSignal(low), .. } = step {
                    out.push(*low);
                }
            });
        }
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
}

/// Where the user wrote it.
pub fn file_and_line(loc: Loc) -> String {
    format!("{}:{}", loc.file().rsplit(['/', '\\']).next().unwrap_or(""), loc.line())
}

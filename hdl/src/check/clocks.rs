//! The check of clocks at [`Module::finish`](crate::Module::finish): nothing is taken up by a clock that it does not belong
//! to, unless that is declared.
//!
//! A signal belongs to the clock of the registers, synchronous memory reads, instances and input ports that reach it
//! combinationally. Two clocks in one expression are a mistake where it is used. What crosses on purpose belongs to the
//! clock that it goes to (`crossings.rs`). A property looks at the clock that it stands in. Each asynchronous
//! signal counts as a clock of its own.

use crate::ir::walk::Drivers;
use crate::ir::walk::sources;
use crate::ir::*;
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};
use std::collections::BTreeSet;

/// What clock a signal belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Clock {
    /// It comes from constants only.
    Any,
    /// A domain, and a signal that it comes from.
    Of(u32, Id),
    /// Several clocks: index into `mixes`.
    Mixed(usize),
}

/// Where signals of two clocks are combined.
pub(super) struct Mix {
    at: Id,
    pub first: (u32, Id),
    pub second: (u32, Id),
}

/// A signal that is taken up by a clock.
struct Use {
    read: Id,
    domain: u32,
    loc: Loc,
    /// What takes it up, in words.
    by: String,
}

pub(super) struct Check<'a> {
    pub b: &'a Draft,
    pub drivers: &'a Drivers,
    clocks: Vec<Option<Clock>>,
    pub mixes: Vec<Mix>,
    /// The domains to which declared crossings go.
    crossed: HashMap<Id, u32>,
    /// Inputs of which nothing is declared.
    pub open: HashSet<Id>,
}

pub(super) type Report = (Loc, String, Vec<(Loc, &'static str)>, &'static str);

const HELP: &str = "bring it over with a synchronizer or a FIFO of two clocks, or say with `cross` why it is safe";
const INPUT_HELP: &str = "an input belongs to `clk` unless `port_domain` says otherwise; else bring the signal over with a \
synchronizer or a FIFO of two clocks, or say with `cross` why it is safe";
/// How a message calls an enable for all that is declared in it.
const ENABLED: &str = "`in_enabled`";
/// How a message calls an input of an instance.
const PIN: &str = "input";
const PIN_HELP: &str = "`connect_clock` gives a clock of an instance another one of this module; else bring the signal over with a \
synchronizer or a FIFO of two clocks, or say with `cross` why it is safe";
const ASYNCHRONOUS_HELP: &str = "bring it over with a synchronizer, or say with `cross` why it is safe";

pub(super) fn check(b: &mut Draft, drivers: &Drivers) {
    if b.def.unchecked_clocks.is_some() {
        b.def.ports.iter_mut().for_each(|p| p.domain = None);
        b.def.timed = b.def.comb.clone();
        return;
    }
    let crossed = b.def.crossings.iter().filter_map(|c| match c.what {
        Crosser::Signal { node, .. } => Some((node, c.to)),
        Crosser::Memory(_) => None,
    });
    let open = b.def.ports.iter().filter(|p| p.input && p.domain.is_none()).map(|p| p.node);
    let (crossed, open) = (crossed.collect(), open.collect());
    let mut c = Check { b, drivers, clocks: vec![None; b.def.nodes.len()], mixes: vec![], crossed, open };
    (0..b.def.nodes.len() as Id).for_each(|id| c.settle(id));
    let uses = c.uses();
    let together = c.together();
    let mut reports = c.memories();
    reports.extend(c.wrong(&uses));
    reports.extend(together.reports);
    let ports = c.ports(&uses, &together.bound);
    let (from, memories) = (c.crossing_sources(), c.memory_crossings());
    let timed = walk::combinational(&c.b.def, |id| c.reads(id));
    let arriving: Vec<Vec<Origin>> =
        c.b.def.insts.iter().map(|i| i.pins.iter().map(|pin| c.origin(*pin)).collect()).collect();
    for (loc, message, notes, help) in reports {
        b.error(loc, message, notes, Some(help.into()));
    }
    b.def.timed = timed;
    b.def.ports.iter_mut().zip(ports).for_each(|(port, domain)| port.domain = domain);
    b.def.crossings.iter_mut().zip(from).for_each(|(crossing, from)| crossing.from = from);
    b.def.crossings.extend(memories);
    b.def.crossing_inputs = together.groups;
    b.def.insts.iter_mut().zip(arriving).for_each(|(inst, arriving)| inst.arriving = arriving);
}

impl Check<'_> {
    pub fn clock(&self, id: Id) -> Clock {
        self.clocks[id as usize].unwrap_or(Clock::Any)
    }
    /// Finds the clock of a node and of all that it is computed from (there are no loops any more).
    fn settle(&mut self, start: Id) {
        let mut path = vec![start];
        while let Some(&id) = path.last() {
            if self.clocks[id as usize].is_some() {
                path.pop();
                continue;
            }
            let reads = self.reads(id);
            let before = path.len();
            path.extend(reads.iter().filter(|r| self.clocks[**r as usize].is_none()));
            if path.len() == before {
                self.clocks[id as usize] = Some(self.of(id, &reads));
                path.pop();
            }
        }
    }
    /// What a node's clock follows from.
    pub fn reads(&self, id: Id) -> Vec<Id> {
        if self.crossed.contains_key(&id) {
            return vec![];
        }
        match self.b.node(id).op {
            // a register belongs to its clock, also if its reset is asynchronous; so does the reset of a clock
            Op::Net(Net::Reg(_) | Net::Reset(_)) => vec![],
            Op::Net(Net::PinOut(i)) => {
                let inst = &self.b.def.insts[i as usize];
                if pin_domain(inst, id) == Some(ASYNCHRONOUS) {
                    return vec![];
                }
                let paths = if inst.def.foreign.is_some() { &inst.def.comb } else { &inst.def.timed };
                let port = inst.port_of(id).map(|port| port as u32);
                let inputs = paths.iter().filter(|(to, _)| Some(*to) == port).flat_map(|(_, inputs)| inputs);
                inputs.map(|input| inst.pins[*input as usize]).collect()
            }
            _ => sources(&self.b.def, self.drivers, id),
        }
    }
    fn of(&mut self, id: Id, reads: &[Id]) -> Clock {
        let def = &self.b.def;
        if let Some(to) = self.crossed.get(&id) {
            return Clock::Of(*to, id);
        }
        let own = match def.nodes[id as usize].op {
            Op::Net(Net::Input) => {
                let port = def.ports.iter().find(|p| p.node == id);
                Clock::Of(port.and_then(|p| p.domain).unwrap_or(0), id)
            }
            Op::Net(Net::Reg(r)) => Clock::Of(def.regs[r as usize].domain, id),
            Op::Net(Net::Clock(d) | Net::Reset(d)) => Clock::Of(d, id),
            Op::Net(Net::PinOut(i)) => pin_domain(&def.insts[i as usize], id).map_or(Clock::Any, |d| Clock::Of(d, id)),
            Op::Net(Net::MemRead(m, p)) => {
                let mem = &def.mems[m as usize];
                let port = &mem.reads[p as usize];
                match (port.sync, self.clock(port.addr), mem.writes.first()) {
                    (true, ..) => Clock::Of(port.domain, id),
                    (false, Clock::Any, Some(write)) => Clock::Of(write.domain, id),
                    _ => Clock::Any,
                }
            }
            _ => Clock::Any,
        };
        reads.iter().fold(own, |clock, read| self.join(id, clock, self.clock(*read)))
    }
    pub fn join(&mut self, at: Id, a: Clock, b: Clock) -> Clock {
        match (a, b) {
            (Clock::Any, x) | (x, Clock::Any) => x,
            (Clock::Mixed(_), _) => a,
            (_, Clock::Mixed(_)) => b,
            // an input of which nothing is declared says less than any other signal
            (Clock::Of(d, source), Clock::Of(e, other)) if d == e && (d != ASYNCHRONOUS || source == other) => {
                if self.open.contains(&source) { b } else { a }
            }
            (Clock::Of(d, x), Clock::Of(e, y)) => {
                self.mixes.push(Mix { at, first: (d, x), second: (e, y) });
                Clock::Mixed(self.mixes.len() - 1)
            }
        }
    }
    /// Everything that a clock takes up.
    fn uses(&self) -> Vec<Use> {
        let enabled = self.b.enabling.used.iter();
        let mut uses: Vec<Use> = enabled
            .map(|((read, domain), loc)| Use { read: *read, domain: *domain, loc, by: ENABLED.into() })
            .collect();
        self.uses_by_assignments(&mut uses);
        self.uses_by_registers(&mut uses);
        self.uses_by_memories(&mut uses);
        self.uses_by_properties(&mut uses);
        uses
    }
    /// What is assigned, and under which conditions.
    fn uses_by_assignments(&self, uses: &mut Vec<Use>) {
        Stmt::each_set(&self.b.def.stmts, &mut vec![], &mut |target, place, value, _, under| {
            let Some((domain, by)) = self.taker(target) else { return };
            let loc = self.set_at(target, value);
            let low = if let Place::AtSignal(low) = place { Some(low) } else { None };
            let reads = under.iter().copied().chain(low).chain([value]);
            uses.extend(reads.map(|read| Use { read, domain, loc, by: by.clone() }));
        });
    }
    /// The domain that takes what is assigned to a net, and what to call that.
    fn taker(&self, target: Id) -> Option<(u32, String)> {
        let (def, by) = (&self.b.def, self.b.describe(target));
        match def.nodes[target as usize].op {
            Op::Net(Net::Reg(r)) => Some((def.regs[r as usize].domain, by)),
            Op::Net(Net::PinIn(i)) => {
                // an asynchronous input takes anything
                let domain = pin_domain(&def.insts[i as usize], target).filter(|d| *d != ASYNCHRONOUS);
                domain.map(|d| (d, format!("{PIN} {by}")))
            }
            Op::Net(Net::Output) => {
                let port = def.ports.iter().find(|p| p.node == target);
                port.and_then(|p| p.domain).map(|d| (d, format!("output {by}")))
            }
            _ => None,
        }
    }
    /// Enables and resets.
    fn uses_by_registers(&self, uses: &mut Vec<Use>) {
        let def = &self.b.def;
        for r in &def.regs {
            let (domain, loc, by) = (r.domain, def.nodes[r.node as usize].loc, self.b.describe(r.node));
            let async_reset = r.async_reset.as_ref().map(|(read, _)| (*read, "reset"));
            let reads = r.enable.map(|read| (read, "enable")).into_iter().chain(async_reset);
            uses.extend(reads.map(|(read, what)| Use { read, domain, loc, by: format!("the {what} of {by}") }));
        }
        for (i, reset) in def.inside.iter().filter_map(|i| Some((i, i.reset?))) {
            uses.push(Use { read: reset, domain: i.domain, loc: i.reset_loc, by: "the reset".into() });
        }
    }
    /// The ports of memories.
    fn uses_by_memories(&self, uses: &mut Vec<Use>) {
        let def = &self.b.def;
        for mem in &def.mems {
            for r in mem.reads.iter().filter(|r| r.sync) {
                let (loc, by) = (def.nodes[r.data as usize].loc, format!("a read port of `{}`", mem.name));
                let port = |read: &Id| Use { read: *read, domain: r.domain, loc, by: by.clone() };
                uses.extend(r.enable.iter().chain([&r.addr]).map(port));
            }
            for w in &mem.writes {
                let by = format!("a write port of `{}`", mem.name);
                let port = |read| Use { read, domain: w.domain, loc: w.loc, by: by.clone() };
                uses.extend([w.addr, w.data, w.mask].map(port));
            }
        }
    }
    /// What properties look at.
    fn uses_by_properties(&self, uses: &mut Vec<Use>) {
        let property = |p: &Prop| Use {
            read: p.cond,
            domain: p.domain,
            loc: p.loc,
            by: format!("the {} `{}`", p.kind, p.message),
        };
        uses.extend(self.b.def.props.iter().map(property));
    }
    pub fn set_at(&self, target: Id, value: Id) -> Loc {
        self.b.set_at.get(&(target, value)).copied().unwrap_or(self.b.node(target).loc)
    }
    /// The uses by a clock that the signal does not belong to, and expressions of several clocks that are used.
    fn wrong(&self, uses: &[Use]) -> Vec<Report> {
        let (mut reports, mut mixed, mut known) = (vec![], BTreeSet::new(), HashSet::default());
        // what holds many registers is reported once
        let mut told = HashSet::default();
        for u in uses {
            match self.clock(u.read) {
                Clock::Of(domain, source) if domain != u.domain => {
                    let (what, to) = (self.of_clock(domain, source), self.name(u.domain));
                    if u.by == ENABLED {
                        told.insert((source, u.domain));
                    }
                    let first = u.by == ENABLED || !told.contains(&(source, u.domain));
                    if first && known.insert((source, u.by.clone())) {
                        let message = format!("{what} is used by {} of clock `{to}`", u.by);
                        let notes = vec![(self.b.node(source).loc, "the signal comes from here")];
                        let help = if u.by.starts_with(PIN) { PIN_HELP } else { self.help(&[source]) };
                        reports.push((u.loc, message, notes, help));
                    }
                }
                Clock::Mixed(mix) => drop(mixed.insert(mix)),
                _ => {}
            }
        }
        for port in self.b.def.ports.iter().filter(|p| !p.input) {
            if let Clock::Mixed(mix) = self.clock(port.node) {
                mixed.insert(mix);
            }
        }
        reports.extend(mixed.into_iter().map(|mix| self.mixed(&self.mixes[mix])));
        reports
    }
    fn mixed(&self, mix: &Mix) -> Report {
        let ((d, x), (e, y)) = (mix.first, mix.second);
        let message = format!("{} and {} are combined", self.of_clock(d, x), self.of_clock(e, y));
        let notes =
            vec![(self.b.node(x).loc, "the first comes from here"), (self.b.node(y).loc, "the second from here")];
        // a net is combined where the signal of the other clock is assigned
        let assigned = self.b.set_at.iter().filter(|((target, value), _)| {
            *target == mix.at && matches!(self.clock(*value), Clock::Of(domain, _) if domain == e)
        });
        let loc = assigned.map(|(_, loc)| *loc).min().unwrap_or(self.b.node(mix.at).loc);
        (loc, message, notes, self.help(&[x, y]))
    }
    fn help(&self, signals: &[Id]) -> &'static str {
        match () {
            _ if signals.iter().any(|s| matches!(self.clock(*s), Clock::Of(ASYNCHRONOUS, _))) => ASYNCHRONOUS_HELP,
            _ if signals.iter().any(|s| self.open.contains(s)) => INPUT_HELP,
            _ => HELP,
        }
    }
    fn name(&self, domain: u32) -> &str {
        &self.b.def.domains[domain as usize].clock
    }
    /// A signal and its clock, in words.
    pub fn of_clock(&self, domain: u32, id: Id) -> String {
        match domain {
            ASYNCHRONOUS => format!("{}, which belongs to no clock,", self.b.describe(id)),
            domain => format!("{} of clock `{}`", self.b.describe(id), self.name(domain)),
        }
    }
    /// The clock that a read port of a memory belongs to.
    fn reader(&self, port: &ReadPort) -> Option<u32> {
        match (port.sync, self.clock(port.addr)) {
            (true, _) => Some(port.domain),
            (false, Clock::Of(domain, _)) => Some(domain),
            _ => None,
        }
    }
    /// Pairs of clocks of a memory: written by, and used by another.
    pub fn memory_clocks(&self, mem: &Memory) -> BTreeSet<(u32, u32)> {
        let users = || mem.reads.iter().filter_map(|r| self.reader(r)).chain(mem.writes.iter().map(|w| w.domain));
        let pairs = mem.writes.iter().flat_map(|w| users().map(|user| (w.domain, user)));
        pairs.filter(|(a, b)| a != b).collect()
    }
    fn memories(&self) -> Vec<Report> {
        let undeclared = self.b.def.mems.iter().filter(|m| m.crossing.is_none());
        let report = |m: &Memory| {
            let (writer, user) = self.memory_clocks(m).first().copied()?;
            let user = match user {
                ASYNCHRONOUS => "read at an address that belongs to no clock".to_string(),
                user => format!("used by clock `{}`", self.name(user)),
            };
            let message = format!("memory `{}` is written by clock `{}` and {user}", m.name, self.name(writer));
            Some((m.loc, message, vec![], "say with `crossing` why no word is read or written by both at a time"))
        };
        undeclared.filter_map(report).collect()
    }
    /// For a parent: the clock that takes up an input or gives an output.
    fn ports(&self, uses: &[Use], bound: &[Id]) -> Vec<Option<u32>> {
        let mut seen = vec![false; self.b.def.nodes.len()];
        let mut todo: Vec<Id> = uses.iter().map(|u| u.read).chain(bound.iter().copied()).collect();
        while let Some(id) = todo.pop() {
            if !std::mem::replace(&mut seen[id as usize], true) {
                todo.extend(self.reads(id));
            }
        }
        let domain = |p: &Port| match (p.input, self.clock(p.node)) {
            (true, _) => p.domain.or(seen[p.node as usize].then_some(0)),
            (false, Clock::Of(domain, source)) if !self.free(source) => Some(domain),
            _ => None,
        };
        self.b.def.ports.iter().map(domain).collect()
    }
}

/// The parent's domain to which a pin of an instance belongs.
pub(super) fn pin_domain(inst: &Inst, pin: Id) -> Option<u32> {
    let port = inst.port_of(pin)?;
    let domain = inst.def.ports[port].domain?;
    Some(if domain == ASYNCHRONOUS { ASYNCHRONOUS } else { inst.domains[domain as usize] })
}

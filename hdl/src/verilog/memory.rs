//! Memories and instances.

use super::Child;
use super::render::{Item, Rank, Render};
use super::text::{begin, paren, range};
use crate::ir::Pin;
use crate::ir::*;
use num_bigint::BigUint;

impl Render<'_> {
    pub fn memories(&mut self) {
        let live: Vec<&Memory> =
            self.def.mems.iter().zip(&self.live.mems).filter(|(_, l)| **l).map(|(m, _)| m).collect();
        for m in live {
            let printed =
                |(k, v): &&(String, String)| self.lut_ram || (k.as_str(), v.as_str()) != crate::ir::names::LUT_RAM;
            let attributes = m.attributes.iter().filter(printed).map(|(k, v)| super::text::attribute(k, v));
            let attributes: String = attributes.collect();
            self.decls.push(format!("{attributes}reg {}{} [0:{}];", range(m.width), m.name, m.depth - 1));
            if !m.init.is_empty() {
                let word = |(i, v): (usize, &BigUint)| format!("{}[{i}] = {}'h{v:x};", m.name, m.width);
                self.decls.extend(begin("initial", m.init.iter().enumerate().map(word).collect()));
            }
            m.reads
                .iter()
                .filter(|r| self.live.uses[r.data as usize] > 0)
                .cloned()
                .collect::<Vec<_>>()
                .iter()
                .for_each(|r| self.read_port(m, r));
            // one process for each clock: only inside one does Verilog give the ports an order
            let mut domains: Vec<u32> = m.writes.iter().map(|w| w.domain).collect();
            domains.sort();
            domains.dedup();
            for domain in domains {
                let ports = || m.writes.iter().filter(|w| w.domain == domain);
                let lines = ports().flat_map(|w| self.write_lines(m, w)).map(|line| vec![line]).collect();
                let at = ports().flat_map(|w| [w.addr, w.data, w.mask]).max().unwrap_or(0);
                let section = ports().map(|w| w.section).max().unwrap_or(0);
                self.push(
                    section,
                    at,
                    Rank::Process,
                    Item::Clocked { domain, resets: vec![], async_reset: None, parts: vec![(None, lines)] },
                );
            }
        }
    }
    fn read_port(&mut self, m: &Memory, r: &ReadPort) {
        let (name, width) = (self.t(r.data).to_string(), range(m.width));
        let read = format!("{}[{}];", m.name, self.t(r.addr));
        let at = r.addr.max(r.data).max(r.enable.unwrap_or(0));
        if !r.sync {
            self.push(
                self.section_of(r.data),
                at,
                Rank::Wire,
                Item::Text(format!("wire {width}{name} = {read}{}", self.note(r.data))),
            );
            return;
        }
        self.decls.push(format!("reg {width}{name};{}", self.note(r.data)));
        let enable = r.enable.map(|enable| self.t(enable).to_string());
        let parts = vec![(enable, vec![vec![format!("{name} <= {read}")]])];
        let item = Item::Clocked { domain: r.domain, resets: vec![], async_reset: None, parts };
        self.push(self.section_of(r.data), at, Rank::Process, item);
    }
    fn write_lines(&self, m: &Memory, w: &WritePort) -> Vec<String> {
        let (addr, data, mask) = (self.t(w.addr), self.t(w.data), self.t(w.mask));
        let lanes = self.width(w.mask);
        // Yosys cuts the address of a single word to no bits, and would write it wherever that points
        let guarded = m.depth == 1 && !matches!(self.op(w.addr), Op::Const(at) if *at == BigUint::ZERO);
        let here = |mask: String| if guarded { format!("{mask} && !{}", paren(addr)) } else { mask };
        if lanes == 1 {
            let mask = if guarded { paren(mask) } else { mask.to_string() };
            return vec![format!("if ({}) {}[{addr}] <= {data};", here(mask), m.name)];
        }
        let part = m.width / lanes;
        let lane = |i: u32| {
            let select = if part == 1 { format!("[{i}]") } else { format!("[{}:{}]", (i + 1) * part - 1, i * part) };
            format!("if ({}) {}[{addr}]{select} <= {data}{select};", here(format!("{mask}[{i}]")), m.name)
        };
        (0..lanes).map(lane).collect()
    }
    pub fn instances(&mut self, children: &[Child]) {
        for (inst, child) in self.def.insts.iter().zip(children) {
            let (mut pins, parameters) = self.clock_pins(inst, child);
            let foreign = inst.def.foreign.as_deref().filter(|_| !child.model);
            for (port, pin) in inst.def.ports.iter().zip(&inst.pins) {
                let value = self.t(self.passed_on(*pin).unwrap_or(*pin));
                match foreign.map(|f| f.pin(port)) {
                    None => pins.push(format!(".{}({value})", port.name)),
                    Some(Pin::Named(name)) => pins.push(format!(".{name}({value})")),
                    Some(Pin::PerBit(name)) if port.width == 1 => pins.push(format!(".{name}0({value})")),
                    Some(Pin::PerBit(name)) => {
                        pins.extend((0..port.width).map(|bit| format!(".{name}{bit}({value}[{bit}])")));
                    }
                }
            }
            let list = |items: &[String]| format!("(\n        {}\n    )", items.join(",\n        "));
            let parameters = if parameters.is_empty() { String::new() } else { format!("#{} ", list(&parameters)) };
            let text = format!("{} {parameters}{} {};", child.name, inst.name, list(&pins));
            let inputs = || inst.pins.iter().filter(|p| matches!(self.op(**p), Op::Net(Net::PinIn(_))));
            let at = inputs().filter_map(|p| self.processes.get(*p)).map(|p| p.last).max().unwrap_or(0);
            let section = inputs()
                .filter_map(|p| self.processes.get(*p))
                .map(|p| p.section)
                .chain(inst.pins.iter().map(|p| self.section_of(*p)))
                .max();
            self.push(section.unwrap_or(0), at, Rank::Instance, Item::Text(text));
        }
    }
    /// The connections of clocks and resets, and the parameters.
    fn clock_pins(&self, inst: &Inst, child: &Child) -> (Vec<String>, Vec<String>) {
        let mut pins = vec![];
        if let Some(f) = inst.def.foreign.as_deref().filter(|_| !child.model) {
            for (clock, outer) in f.clocks.iter().zip(&inst.domains) {
                pins.push(format!(".{}({})", clock.name, self.def.domains[*outer as usize].clock));
                pins.extend(clock.reset.as_ref().map(|(name, low)| {
                    let not = if *low == self.reset.active_low { "" } else { "!" };
                    format!(".{name}({not}{})", self.reset_name(*outer))
                }));
            }
            return (pins, f.parameters.iter().map(|(name, value, _)| format!(".{name}({value})")).collect());
        }
        let (def, domains) = inst.simulated();
        for (domain, reset) in &def.clocks {
            let at = def.domains.iter().position(|d| d == domain).and_then(|at| domains[at]).unwrap_or(0);
            pins.push(format!(".{}({})", domain.clock, self.def.domains[at as usize].clock));
            if *reset {
                let suffix = if self.reset.active_low { "_n" } else { "" };
                pins.push(format!(".{}{suffix}({})", domain.reset, self.reset_name(at)));
            }
        }
        (pins, vec![])
    }
}

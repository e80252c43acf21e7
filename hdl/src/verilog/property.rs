//! Properties, and what only they keep alive.

use super::Properties;
use super::render::Render;
use super::text::{paren, range};
use crate::ir::PropertyKind;
use crate::ir::*;
use std::fmt::Write;

/// Makes Verilator keep a register, for others to read.
const COUNTED: &str = "/*verilator public_flat_rd*/";

/// Makes Verilator take a register as written by others.
const CHOSEN: &str = "/*verilator public_flat_rw*/";

/// The register that counts how often a cover held, by its index in the module. No name of a user begins with an underscore.
fn counter(property: usize) -> String {
    format!("_cover{}", property + 1)
}

impl Render<'_> {
    /// A value that a prover chooses, or with Verilator the test.
    pub fn free(&mut self, id: Id, sequence: bool) {
        let (width, name) = (self.width(id), self.t(id));
        let plain = format!("wire {}{name} = {width}'h0;{}", range(width), self.note(id));
        if self.properties == Properties::Omit {
            return self.decls.push(plain);
        }
        let attribute = if sequence { "anyseq" } else { "anyconst" };
        let reg = format!("reg {}{name}", range(width));
        let free = format!("(* {attribute} *) {reg};{}", self.note(id));
        let chosen = format!("{reg} {CHOSEN};{}\n    initial {name} = {width}'h0;", self.note(id));
        let text = format!("`ifdef FORMAL\n    {free}\n`elsif VERILATOR\n    {chosen}\n`else\n    {plain}\n`endif");
        self.decls.push(text);
    }
    /// The properties at the end of the module: for provers, not for synthesis, and for all others as plain checks.
    pub fn property_lines(&self) -> String {
        if self.properties == Properties::Omit || (self.def.props.is_empty() && self.properties == Properties::Print) {
            return String::new();
        }
        let formal = self.formal_lines();
        if formal.is_empty() {
            return String::new();
        }
        let mut out = format!("\n    // properties\n`ifdef FORMAL\n{formal}");
        let checks = self.processes(|i, p, cond| match p.kind {
            PropertyKind::Cover => format!("if ({cond}) {0} <= {0} + 64'h1;", counter(i)),
            kind => {
                let message = p.message.replace('%', "%%");
                format!("if (!{}) begin $display(\"%m: {kind} failed: {message}\"); $stop; end", paren(cond))
            }
        });
        if !checks.is_empty() {
            write!(out, "`elsif SYNTHESIS\n`else\n{}{checks}", self.counters()).unwrap_or(());
        }
        out + "`endif\n"
    }
    /// The registers that count how often the covers held. The Verilator engine finds them by their lines.
    fn counters(&self) -> String {
        let covers = self.def.props.iter().enumerate().filter(|(_, p)| p.kind == PropertyKind::Cover);
        let declare = |(i, p): (usize, &Prop)| {
            let (name, property) = (counter(i), p.public());
            format!("    reg [63:0] {name} {COUNTED}; // property: {property}\n    initial {name} = 64'h0;\n")
        };
        covers.map(declare).collect()
    }
    fn formal_lines(&self) -> String {
        let mut out = String::new();
        if self.properties == Properties::PrintTop {
            for (domain, _) in self.def.clocks.iter().filter(|(_, reset)| *reset) {
                let low = self.reset.active_low;
                let in_reset = if low { format!("!{}_n", domain.reset) } else { domain.reset.clone() };
                writeln!(out, "    initial assume ({in_reset});").unwrap_or(());
            }
        }
        out + &self.processes(|_, p, cond| format!("{} ({cond});", p.kind))
    }
    /// For each domain the lines of its properties, at its clock, out of reset.
    fn processes(&self, line: impl Fn(usize, &Prop, &str) -> String) -> String {
        let mut out = String::new();
        for domain in 0..self.def.domains.len() as u32 {
            let of_domain = self.def.props.iter().enumerate().filter(|(_, p)| p.domain == domain);
            let text = |(i, p): (usize, &Prop)| {
                format!("        {} // property: {}\n", line(i, p, self.t(p.cond)), p.public())
            };
            let lines: String = of_domain.map(text).collect();
            if !lines.is_empty() {
                let (clock, low) = (&self.def.domains[domain as usize].clock, self.reset.active_low);
                let running = if low { self.reset_name(domain) } else { format!("!{}", self.reset_name(domain)) };
                writeln!(out, "    always @(posedge {clock}) if ({running}) begin\n{lines}    end").unwrap_or(());
            }
        }
        out
    }
    /// Clocks and resets that only omitted properties need: the ports of a module do not depend on the options.
    pub fn idle_clocks(&self) -> Vec<String> {
        if self.properties != Properties::Omit {
            return vec![];
        }
        let def = self.def;
        let mut idle = vec![];
        for (domain, reset) in &def.clocks {
            let here = |d: u32| def.domains[d as usize] == *domain;
            let below = |needed: fn(bool) -> bool| {
                let below =
                    def.insts.iter().flat_map(|i| i.def.clocks.iter().filter_map(|(d, r)| Some((i.outer(d)?, *r))));
                below.into_iter().any(|(d, r)| here(d) && needed(r))
            };
            let regs = || def.regs.iter().filter(|r| here(r.domain) && self.is_live(r.node));
            let live_mems = || def.mems.iter().zip(&self.live.mems).filter(|(_, live)| **live).map(|(m, _)| m);
            let writes = live_mems().flat_map(|m| &m.writes).any(|w| here(w.domain));
            let reads = live_mems().flat_map(|m| &m.reads).any(|r| r.sync && here(r.domain) && self.is_live(r.data));
            let net = |reset: bool| {
                (0..def.nodes.len() as Id).filter(|id| self.is_live(*id)).any(|id| match *self.op(id) {
                    Op::Net(Net::Clock(d)) => !reset && here(d),
                    Op::Net(Net::Reset(d)) => reset && here(d),
                    _ => false,
                })
            };
            if !(regs().next().is_some() || writes || reads || below(|_| true) || net(false)) {
                idle.push(domain.clock.clone());
            }
            if *reset && !(regs().any(|r| r.reset.is_some()) || below(|r| r) || net(true)) {
                idle.push(if self.reset.active_low { format!("{}_n", domain.reset) } else { domain.reset.clone() });
            }
        }
        idle
    }
}

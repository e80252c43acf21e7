//! The pieces in their order: ports, declarations, sections.

use super::live;
use super::render::{Item, Render};
use super::text::{Statement, begin, comment, is_block, label, lead_all, range};
use crate::ir::names::UNUSED;
use crate::ir::*;
use num_bigint::BigUint;
use std::fmt::Write;

impl Render<'_> {
    pub fn print(&mut self) -> String {
        let mut out: String = self.pad_lines().iter().map(|line| format!("    {line}\n")).collect();
        for d in &self.decls {
            out += &if d.starts_with('`') { format!("{d}\n") } else { format!("    {d}\n") };
        }
        out += &self.item_lines();
        out += &self.property_lines();
        out += &self.sink();
        self.port_list() + &self.localparams(&out) + &out + "endmodule\n"
    }
    /// The states of the enums that `text` mentions. Those that only its comments mention are comments too: Verilator warns of a
    /// parameter that is not used.
    fn localparams(&self, text: &str) -> String {
        let without_comments: String = text.lines().map(|line| without_comment(line).to_string() + "\n").collect();
        let mut out = String::new();
        for e in self.def.enums.iter().filter(|e| e.variants.iter().any(|v| mentions(text, &v.localparam))) {
            for Variant { code, localparam, .. } in &e.variants {
                let w = e.width;
                let value = if e.one_hot { format!("{w}'b{code:0>0$b}", w as usize) } else { format!("{w}'h{code:x}") };
                let used = if mentions(&without_comments, localparam) { "" } else { "// " };
                writeln!(out, "    {used}localparam {}{localparam} = {value};", range(w)).unwrap_or(());
            }
        }
        out
    }
    fn item_lines(&mut self) -> String {
        let mut out = String::new();
        let mut items = std::mem::take(&mut self.items).into_iter().peekable();
        while let Some((_, item)) = items.next() {
            match item {
                Item::Text(t) if t.starts_with('\n') => out += &format!("{t}\n"),
                Item::Text(t) => out += &format!("    {t}\n"),
                Item::Clocked { domain, mut resets, async_reset, mut parts } => {
                    let alike = |item: &Item| {
                        matches!(item, Item::Clocked { domain: d, resets: r, async_reset: a, .. }
                            if *d == domain && r.is_empty() == resets.is_empty() && *a == async_reset)
                    };
                    let mut more_resets = vec![];
                    while let Some((_, Item::Clocked { resets, parts: more, .. })) = items.next_if(|i| alike(&i.1)) {
                        more_resets.extend(resets);
                        parts.extend(more);
                    }
                    resets.extend(more_resets);
                    self.process(domain, async_reset.as_deref(), resets, under_enables(parts))
                        .iter()
                        .for_each(|l| out += &format!("    {l}\n"));
                }
            }
        }
        out
    }
    fn process(
        &self,
        domain: u32,
        async_reset: Option<&str>,
        resets: Vec<String>,
        statements: Vec<Statement>,
    ) -> Vec<String> {
        let clock = &self.def.domains[domain as usize].clock;
        if resets.is_empty() {
            return label(&format!("always @(posedge {clock})"), statements);
        }
        let edge = match (async_reset, self.reset.asynchronous, self.reset.active_low) {
            (Some(reset), ..) => match reset.strip_prefix('!') {
                Some(active_low) => format!(" or negedge {active_low}"),
                None => format!(" or posedge {reset}"),
            },
            (None, false, _) => String::new(),
            (None, true, low) => format!(" or {} {}", if low { "negedge" } else { "posedge" }, self.reset_name(domain)),
        };
        let condition = async_reset.map_or_else(|| self.reset_condition(domain), str::to_string);
        let mut inner = begin(&format!("if ({condition})"), resets);
        inner.pop();
        match &statements[..] {
            [one] if is_block(one) || (one.len() == 1 && one[0].starts_with("if (")) => {
                inner.push(format!("end else {}", one[0]));
                inner.extend_from_slice(&one[1..]);
            }
            _ => inner.extend(begin("end else", statements.concat())),
        }
        begin(&format!("always @(posedge {clock}{edge})"), inner)
    }
    fn port_list(&self) -> String {
        let mut pins: Vec<(String, String)> = vec![];
        for (domain, reset) in &self.def.clocks {
            pins.push((format!("input  wire {}", domain.clock), String::new()));
            if *reset {
                let low = self.reset.active_low;
                let name = if low { format!("{}_n", domain.reset) } else { domain.reset.clone() };
                pins.push((format!("input  wire {name}"), String::new()));
            }
        }
        for p in &self.def.ports {
            let note = if p.doc.is_empty() { String::new() } else { format!(" // {}", comment(&p.doc)) };
            if let Some(pad) = self.pad_of(p.node) {
                if p.node == pad.out {
                    pins.push((format!("inout  wire {}{}", range(pad.width), pad.name), note));
                }
                continue;
            }
            let kind = match (p.input, self.reg_ports.contains(&p.node)) {
                (true, _) => "input  wire",
                (false, false) => "output wire",
                (false, true) => "output reg ",
            };
            pins.push((format!("{kind} {}{}", range(p.width), p.name), note));
        }
        let count = pins.len();
        let line = |(i, (pin, note)): (usize, (String, String))| {
            format!("    {pin}{}{note}\n", if i + 1 < count { "," } else { "" })
        };
        format!("(\n{});\n", pins.into_iter().enumerate().map(line).collect::<String>())
    }
    /// Bits that nothing reads, gathered so that lint tools know it is on purpose.
    fn sink(&self) -> String {
        let read = live::read_bits(self.def, &self.processes, &self.live, &self.declared);
        let mut unread = self.idle_clocks();
        for id in (0..self.text.len() as Id).filter(|id| self.declared[*id as usize]) {
            let input = matches!(self.op(id), Op::Net(Net::Input));
            if self.passed_on(id).is_some()
                || (!self.is_live(id) && !input)
                || matches!(self.op(id), Op::Net(Net::Output | Net::Clock(_) | Net::Reset(_)))
            {
                continue;
            }
            unread.extend(self.unread_ranges(id, &read[id as usize]));
        }
        if unread.is_empty() {
            return String::new();
        }
        format!("    wire {UNUSED} = &{{1'b0, {}}};\n", unread.join(", "))
    }
    fn unread_ranges(&self, id: Id, read: &BigUint) -> Vec<String> {
        let (width, name) = (self.width(id), self.t(id));
        let mut out = vec![];
        let mut bit = 0;
        while bit < width {
            let from = bit;
            while bit < width && !read.bit(u64::from(bit)) {
                bit += 1;
            }
            match bit - from {
                0 => bit += 1,
                n if n == width => out.push(name.to_string()),
                1 => out.push(format!("{name}[{from}]")),
                _ => out.push(format!("{name}[{}:{from}]", bit - 1)),
            }
        }
        out
    }
}

/// One `if` for neighbours with the same enable.
fn under_enables(parts: Vec<(Option<String>, Vec<Statement>)>) -> Vec<Statement> {
    let mut joined: Vec<(Option<String>, Vec<Statement>)> = vec![];
    for (enable, statements) in parts {
        match joined.last_mut() {
            Some((last, before)) if *last == enable => before.extend(statements),
            _ => joined.push((enable, statements)),
        }
    }
    let under = |(enable, statements): (Option<String>, Vec<Statement>)| match enable {
        Some(enable) => vec![lead_all(&format!("if ({enable})"), statements)],
        None => statements,
    };
    joined.into_iter().flat_map(under).collect()
}

/// Does the name stand in the text, and not only inside other names?
fn mentions(text: &str, name: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
    text.match_indices(name)
        .any(|(at, _)| !inside(text[..at].chars().next_back()) && !inside(text[at + name.len()..].chars().next()))
}

/// A line as far as tools read it.
fn without_comment(line: &str) -> &str {
    let outside_of_texts = |at: &usize| line[..*at].matches('"').count().is_multiple_of(2);
    let comment = line.match_indices("//").map(|(at, _)| at).find(outside_of_texts);
    &line[..comment.unwrap_or(line.len())]
}

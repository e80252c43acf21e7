//! What is checked when a foreign module is finished: its names, its ports against its text, its model.

use super::model;
use crate::foreign_text::{self, Range, TextModule, TextParameter, TextPort};
use crate::foreign_text::{Token, Unreadable};
use crate::foreign_text::{Value, evaluate};
use crate::ir::*;
use std::collections::BTreeSet;

/// A port as Rust declares it, by its name in the Verilog.
struct Declared {
    name: String,
    width: u32,
    input: bool,
    loc: Loc,
}

/// Checks a foreign module and completes its definition.
pub(super) fn finish(mut b: Draft) -> Result<Def, Errors> {
    let Some(mut f) = b.def.foreign.take() else { return Err(b.errors.into()) };
    let declared = declared(&b, &f);
    check_names(&mut b, &f, &declared);
    check_logic(&mut b, &f);
    check_pads(&mut b, &f);
    check_values(&mut b, &f);
    if let Some(text) = f.text.clone().filter(|_| b.errors.is_empty()) {
        f.modules = check_text(&mut b, &f, &declared, &text);
    }
    if b.errors.is_empty() {
        complete(&mut b.def, &f);
        model::check(&mut b, &f);
    }
    b.def.foreign = Some(f);
    if b.errors.is_empty() { Ok(b.def) } else { Err(b.errors.into()) }
}

fn declared(b: &Draft, f: &ForeignDef) -> Vec<Declared> {
    let bit = |name: &str, loc| Declared { name: name.into(), width: 1, input: true, loc };
    let mut all = vec![];
    for clock in &f.clocks {
        all.push(bit(&clock.name, clock.loc));
        all.extend(clock.reset.iter().map(|(name, _)| bit(name, clock.loc)));
    }
    for p in &b.def.ports {
        let loc = b.node(p.node).loc;
        let pins = f.pin_names(p).into_iter();
        all.extend(pins.map(|(name, width)| Declared { name, width, input: p.input, loc }));
    }
    all
}

/// Verilog has names with `$` in them, which this language never makes.
fn legal(name: &str) -> bool {
    names::legal(&name.replace('$', "_"))
}

fn check_names(b: &mut Draft, f: &ForeignDef, declared: &[Declared]) {
    let mut seen = BTreeSet::new();
    let parameters = f.parameters.iter().map(|(name, _, loc)| (name.as_str(), *loc, "parameter"));
    let ports = declared.iter().map(|d| (d.name.as_str(), d.loc, "port"));
    let own = (b.def.name.clone(), f.loc, "foreign module");
    for (name, loc, what) in std::iter::once((own.0.as_str(), own.1, own.2)).chain(parameters).chain(ports) {
        if !legal(name) {
            let help = "letters, digits, underscores and `$`, not a digit first, not a Verilog keyword";
            b.error(loc, format!("`{name}` cannot be the name of a {what}"), vec![], Some(help.into()));
        } else if !seen.insert((what, name)) {
            let help = "each has a name of its own, as in the Verilog";
            b.error(loc, format!("two {what}s of `{}` are called `{name}`", own.0), vec![], Some(help.into()));
        }
    }
}

const INOUT_HELP: &str = "a wire of both directions is only at the top of a design, behind the pad of an `inout` port; give the module \
what a pad has: an output, its enable and an input";

/// A foreign module has no port of both directions.
fn check_pads(b: &mut Draft, f: &ForeignDef) {
    for pad in b.def.pads.clone() {
        let message = format!("`{}` is an `inout` port of the foreign module `{}`", pad.name, b.def.name);
        let notes = vec![(f.loc, "the module begins here")];
        b.error(b.node(pad.out).loc, message, notes, Some(INOUT_HELP.into()));
    }
}

/// Nothing is built in a foreign module.
fn check_logic(b: &mut Draft, f: &ForeignDef) {
    let port = |n: &&Node| matches!(n.op, Op::Net(Net::Input | Net::Output));
    let built = b.def.nodes.iter().find(|n| !port(n)).map(|n| n.loc);
    let assigned = b.set_at.values().min().copied();
    if let Some(loc) = assigned.or(built) {
        let message = format!("something is built in the foreign module `{}`", b.def.name);
        let help = "it has ports and parameters only; what it does stands in its Verilog";
        b.error(loc, message, vec![(f.loc, "the module begins here")], Some(help.into()));
    }
}

fn check_values(b: &mut Draft, f: &ForeignDef) {
    for (name, value, loc) in &f.parameters {
        let wrong = match value {
            Parameter::Integer(v) if i32::try_from(*v).is_err() => {
                Some(("does not fit 32 bits with a sign", "a bit vector can be longer: `(value, width)`"))
            }
            Parameter::Bits(v, width) if *width == 0 || v.bits() > u64::from(*width) => {
                Some(("does not fit its width", "give it more bits"))
            }
            Parameter::Text(t) if !names::quotable(t) => {
                Some(("cannot be printed", "letters, digits and signs of ASCII, but no quotes and no backslash"))
            }
            _ => None,
        };
        if let Some((problem, help)) = wrong {
            let message = format!("the value {value} of parameter `{name}` of `{}` {problem}", b.def.name);
            b.error(loc, message, vec![], Some(help.into()));
        }
    }
}

/// The module of the text with what it needs to speak of it.
struct Comparison<'a> {
    b: &'a mut Draft,
    f: &'a ForeignDef,
    name: String,
    module: TextModule<'a>,
}

/// Compares ports and parameters with the text; returns the names of its modules.
fn check_text(b: &mut Draft, f: &ForeignDef, declared: &[Declared], text: &str) -> Vec<String> {
    let name = b.def.name.clone();
    let modules = match foreign_text::modules(text) {
        Ok(modules) => modules,
        Err(problem) => {
            unreadable(b, f, &problem);
            return vec![];
        }
    };
    let names: Vec<String> = modules.iter().map(|m| m.name.text.to_string()).collect();
    let mut found = modules.into_iter().filter(|m| m.name.text == name);
    match (found.next(), found.next()) {
        (None, _) => {
            let help = format!("it has {}", list(names.iter().map(|n| format!("`{n}`"))));
            b.error(f.loc, format!("the text has no module `{name}`"), vec![], Some(help));
        }
        (_, Some(second)) => {
            report(
                b,
                f.loc,
                format!("the text has two modules `{name}`"),
                Some((&second.name, "the second")),
                Some("remove or rename one".into()),
            );
        }
        (Some(module), None) => match module.problem.clone() {
            Some(problem) => unreadable(b, f, &problem),
            None => Comparison { b, f, name, module }.compare(declared),
        },
    }
    names
}

fn unreadable(b: &mut Draft, f: &ForeignDef, problem: &Unreadable) {
    let help = "Verilog-2005 is read, as it comes out of a preprocessor (`iverilog -E`)";
    let message = format!("the Verilog of `{}` cannot be read: {}", b.def.name, problem.why);
    at_text(b, f.loc, message, problem.line, problem.column, "there", Some(help.into()));
}

fn report(b: &mut Draft, loc: Loc, message: String, token: Option<(&Token, &str)>, help: Option<String>) {
    match token {
        Some((t, note)) => at_text(b, loc, message, t.line, t.column, note, help),
        None => b.error(loc, message, vec![], help),
    }
}

/// An error with a note that points into the text.
fn at_text(b: &mut Draft, loc: Loc, message: String, line: u32, column: u32, note: &str, help: Option<String>) {
    let module = b.def.name.clone();
    let span = Span { file: format!("the Verilog of `{module}`"), line, column };
    let notes = vec![(span, note.to_string())];
    b.errors.push(Diagnostic { module, message, span: loc.into(), notes, help });
}

fn tokens_text(tokens: &[Token]) -> String {
    tokens.iter().map(|t| t.text).collect::<Vec<_>>().join(" ")
}

impl Comparison<'_> {
    fn compare(mut self, declared: &[Declared]) {
        self.parameters();
        for d in declared {
            let port = self.module.ports.iter().find(|p| p.name.text == d.name).cloned();
            match port {
                Some(port) => self.port(d, &port),
                None => self.no_port(d),
            }
        }
        let missing = |p: &&TextPort| declared.iter().all(|d| d.name != p.name.text);
        for port in self.module.ports.iter().filter(missing).cloned().collect::<Vec<_>>() {
            self.missing(&port);
        }
    }
    fn parameters(&mut self) {
        for (name, _, loc) in &self.f.parameters {
            let Some(p) = self.module.parameters.iter().find(|p| p.name.text == name) else {
                let help = self.settable();
                let message = format!("`{}` has no parameter `{name}`", self.name);
                self.b.error(loc, message, vec![], Some(help));
                continue;
            };
            let token = p.name;
            if p.local {
                let message = format!("parameter `{name}` of `{}` cannot be set: it is a localparam", self.name);
                let help = self.settable();
                report(self.b, loc, message, Some((&token, "declared there")), Some(help));
            } else if let Err(problem) = self.declared_as(p, None) {
                let message = format!("parameter `{name}` of `{}`: {}", self.name, problem.why);
                report(self.b, loc, message, Some((&token, "declared there")), None);
            }
        }
    }
    /// The parameters that can be set, in words.
    fn settable(&self) -> String {
        let settable = self.module.parameters.iter().filter(|p| !p.local);
        format!("it has {}", list(settable.map(|p| format!("`{}`", p.name.text))))
    }
    fn port(&mut self, d: &Declared, port: &TextPort) {
        let (wanted, name) = (if d.input { "input" } else { "output" }, &self.name);
        let there = Some((&port.name, "declared there"));
        if port.direction != wanted {
            let message =
                format!("port `{}` of `{name}` is an {} in its text, but an {wanted} here", d.name, port.direction);
            let help = match port.direction {
                "inout" => INOUT_HELP.to_string(),
                other => format!("declare it as `{other}`"),
            };
            return report(self.b, d.loc, message, there, Some(help));
        }
        match self.width(port) {
            Err(problem) => {
                let message = format!("the width of port `{}` of `{name}` is not known: {}", d.name, problem.why);
                let help =
                    Some("give the text with widths that are numbers or simple expressions of parameters".into());
                at_text(self.b, d.loc, message, problem.line, problem.column, "there", help);
            }
            Ok(width) if width != u64::from(d.width) => {
                let width = counted(width, "bit");
                let message = format!(
                    "port `{}` of `{name}` has {width} in its text, but {} here",
                    d.name,
                    counted(d.width, "bit")
                );
                let help = port.range.as_ref().map(|range| self.range_text(range));
                report(self.b, d.loc, message, there, help);
            }
            Ok(_) => {}
        }
    }
    fn no_port(&mut self, d: &Declared) {
        let ports = list(self.module.ports.iter().map(|p| format!("`{}`", p.name.text)));
        let message = format!("`{}` has no port `{}` in its text", self.name, d.name);
        self.b.error(d.loc, message, vec![], Some(format!("it has {ports}")));
    }
    fn missing(&mut self, port: &TextPort) {
        let width = match self.width(port) {
            Ok(width) => format!(" of {}", counted(width, "bit")),
            Err(_) => String::new(),
        };
        let (name, direction) = (port.name.text, port.direction);
        let message = format!("port `{name}` of `{}`, an {direction}{width}, is not declared", self.name);
        let help = match direction {
            "inout" => INOUT_HELP,
            _ => "declare it in `ports!`; a clock with `clock`, its reset with `reset` or `reset_low`",
        };
        report(self.b, self.f.loc, message, Some((&port.name, "it stands there")), Some(help.into()));
    }
    /// The range as it is written, and what the parameters in it are.
    fn range_text(&self, range: &Range) -> String {
        let mut text = format!("its range there is `[{}:{}]`", tokens_text(&range.high), tokens_text(&range.low));
        let mut named = BTreeSet::new();
        for token in range.high.iter().chain(&range.low) {
            if let Ok(value) = self.lookup(token, 0)
                && named.insert(token.text)
            {
                text += &format!("; `{}` is {}", token.text, value.v);
            }
        }
        text
    }
    fn width(&self, port: &TextPort) -> Result<u64, Unreadable> {
        port.range.as_ref().map_or(Ok(u64::from(port.width)), |range| self.range_width(range, 0))
    }
    fn range_width(&self, range: &Range, depth: u32) -> Result<u64, Unreadable> {
        let Some(colon) = range.low.first().or(Some(&range.end)) else { return Ok(1) };
        let high = evaluate(&range.high, *colon, &mut |name| self.lookup(name, depth))?;
        let low = evaluate(&range.low, range.end, &mut |name| self.lookup(name, depth))?;
        let width = u64::try_from((high.v - low.v).abs() + 1);
        width.map_err(|_| range.end.unreadable("the range is too long"))
    }
    /// The value of a parameter.
    fn lookup(&self, name: &Token, depth: u32) -> Result<Value, Unreadable> {
        let Some(p) = self.module.parameters.iter().find(|p| p.name.text == name.text) else {
            return Err(name.unreadable(format!("`{}` is not a parameter of this module", name.text)));
        };
        if depth > 100 {
            return Err(name.unreadable(format!("parameter `{}` depends on itself", name.text)));
        }
        let given = self.f.parameters.iter().find(|(given, ..)| !p.local && given == p.name.text);
        let value = match given.map(|(_, value, _)| value) {
            None => evaluate(&p.value, p.end, &mut |inner| self.lookup(inner, depth + 1))?,
            Some(value) => number(value).ok_or_else(|| name.unreadable(format!("`{}` is {value}", name.text)))?,
        };
        self.declared_as(p, Some((value, depth + 1)))
    }
    /// A value (without one: the value that is set) with the type of its parameter.
    fn declared_as(&self, p: &TextParameter, value: Option<(Value, u32)>) -> Result<Value, Unreadable> {
        let set = || {
            let given = self.f.parameters.iter().find(|(name, ..)| name == p.name.text)?;
            number(&given.1).map(|value| (value, 0))
        };
        // a text has no width to check
        let Some((value, depth)) = value.or_else(set) else { return Ok(Value::integer(0)) };
        let width = match &p.range {
            Some(range) => self.range_width(range, depth)?,
            None if p.integer => 32,
            None => return Ok(Value { signed: value.signed || p.signed, negative: value.v < 0, ..value }),
        };
        let typed =
            Value { width: width.try_into().unwrap_or(u32::MAX), signed: p.signed, negative: value.v < 0, ..value };
        let why = || format!("{} does not fit the {} of `{}`", value.v, counted(width, "bit"), p.name.text);
        if typed.fits() { Ok(typed) } else { Err(p.name.unreadable(why())) }
    }
}

fn number(value: &Parameter) -> Option<Value> {
    match value {
        Parameter::Integer(v) => Some(Value::integer(i128::from(*v))),
        Parameter::Bits(v, width) => {
            Some(Value { v: i128::try_from(v).ok()?, width: *width, signed: false, negative: false })
        }
        Parameter::Text(_) => None,
    }
}

/// Clocks and paths, as a parent needs them.
fn complete(def: &mut Def, f: &ForeignDef) {
    for (domain, clock) in def.domains.iter_mut().zip(&f.clocks) {
        if let Some((reset, _)) = &clock.reset {
            domain.reset = reset.clone();
        }
    }
    let needed = def.domains.iter().zip(&f.clocks);
    def.clocks = needed.map(|(domain, clock)| (domain.clone(), clock.reset.is_some())).collect();
    let index = |node: &Id| def.ports.iter().position(|p| p.node == *node).map(|i| i as u32);
    let inputs = def.ports.iter().zip(0..).filter(|(p, _)| p.input).map(|(_, i)| i);
    let inputs: Vec<u32> = inputs.collect();
    let from = |output: &Port| match f.clocks.is_empty() {
        true => inputs.clone(),
        false => f.paths.iter().filter(|(to, _)| *to == output.node).filter_map(|(_, from)| index(from)).collect(),
    };
    def.comb = def.ports.iter().zip(0..).filter(|(p, _)| !p.input).map(|(p, i)| (i, from(p))).collect();
    let none = f.clocks.is_empty();
    let domain = |p: &Port| p.domain.filter(|d| !none || *d == ASYNCHRONOUS).or((!none).then_some(0));
    def.ports.iter_mut().for_each(|p| p.domain = domain(p));
}

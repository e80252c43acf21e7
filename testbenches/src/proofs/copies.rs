//! Two copies of a part, and what is said of their outputs.

use super::{Engine, Proof};
use crate::outputs::{Kind, kinds};
use hdl::engine::PortInfo;
use hdl::{Bundle, ClockDomain, Design, Errors, Module, Ports, Signal, bits, cat, module};

/// The ports of an instance, in the order of the design's list.
fn pins<P: Ports>(m: Module, part: &Design<P>) -> Vec<Signal> {
    let (mut inside, mut outside) = (vec![], vec![]);
    part.ports.map_ports(&mut |s| {
        inside.push(s);
        bits(1) // nothing of a finished module
    });
    m.instance(part).ports.map_ports(&mut |s| {
        outside.push(s);
        s
    });
    let mut pins: Vec<(usize, Signal)> =
        inside.into_iter().zip(outside).filter_map(|(port, pin)| Some((part.port_index(port)?, pin))).collect();
    pins.sort_by_key(|(at, _)| *at);
    pins.into_iter().map(|(_, pin)| pin).collect()
}

/// The words of a payload that count, where something beside it says which; all of it elsewhere.
fn kept(ports: &[PortInfo], at: usize, pins: &[Signal]) -> Signal {
    let stem = ports[at].name.strip_suffix("data");
    let says = |port: &PortInfo| {
        let rest = stem.and_then(|stem| port.name.strip_prefix(stem));
        rest.is_some_and(|rest| ["keep", "strobes", "strb"].contains(&rest))
    };
    let Some(keep) = ports.iter().position(says) else { return pins[at] };
    let words = pins[keep].lanes(1);
    let width = pins[at].width() / words.len() as u32;
    let mask: Vec<Signal> = words.into_iter().rev().map(|keep| keep.repeat(width)).collect();
    pins[at] & cat(&mask)
}

/// A part, and what is said of two copies of it.
pub(super) struct Copies<P> {
    name: String,
    part: Result<Design<P>, Errors>,
    told: Told,
    two_clocks: bool,
    given: Vec<Box<Given>>,
    engine: Engine,
    cover_depth: u32,
}

/// What the surroundings keep to, said of the ports of a copy.
type Given = dyn Fn(Module, &Pins);

/// Which outputs of the copies are the same.
#[derive(Clone, Default)]
pub(super) struct Told {
    /// Payloads are not.
    no_payloads: bool,
    /// Outputs whose names begin so mean something while the port named behind is 1, or so many cycles after it was.
    during: Vec<(&'static str, &'static str, u32)>,
    /// Outputs whose names begin so are not.
    left_out: Vec<&'static str>,
    /// Outputs whose names begin so are 1 too seldom to be shown.
    seldom: Vec<&'static str>,
}

/// The ports of a copy by their names.
pub(super) struct Pins {
    ports: Vec<PortInfo>,
    pins: Vec<Signal>,
}

impl Pins {
    /// The signal of a port.
    pub(super) fn get(&self, name: &str) -> Signal {
        let at = self.ports.iter().position(|port| port.name == name);
        self.pins[at.unwrap_or_else(|| panic!("no port {name}"))]
    }
}

/// What is offered at the input `stem` stays until it is taken.
#[module]
pub(super) fn keeps_offers(m: Module, pins: &Pins, stem: &str) {
    let waits = m.past(pins.get(&format!("{stem}_valid")) & !pins.get(&format!("{stem}_ready"))) & m.past_valid();
    let of_it = |port: &PortInfo| port.input && port.name.starts_with(stem);
    for (_, pin) in pins.ports.iter().zip(&pins.pins).filter(|(port, _)| of_it(port)) {
        m.assume(!waits | pin.eq(m.past(*pin)), "what is offered stays until it is taken");
    }
}

/// Copies of a part of one clock: handshakes, statuses and valid payloads are the same.
pub(super) fn of<P: Ports>(name: &str, part: Result<Design<P>, Errors>) -> Copies<P> {
    let (name, told, engine) = (name.into(), Told::default(), Engine::Pdr);
    Copies { name, part, told, two_clocks: false, given: vec![], engine, cover_depth: 12 }
}

impl<P: Ports> Copies<P> {
    /// Nothing is said of payloads: what a memory was never given stays what it was.
    pub(super) fn without_payloads(mut self) -> Self {
        self.told.no_payloads = true;
        self
    }
    /// The part's own properties ask rules of its neighbours which are not kept here, and are proved elsewhere.
    pub(super) fn without_its_own(self) -> Self {
        Copies { part: self.part.map(Design::without_properties), ..self }
    }
    /// Outputs whose names begin with `outputs` mean something while `valid` is 1.
    pub(super) fn during(mut self, outputs: &'static str, valid: &'static str) -> Self {
        self.told.during.push((outputs, valid, 0));
        self
    }
    /// They do so many cycles after `valid` was.
    pub(super) fn after(mut self, outputs: &'static str, valid: &'static str, cycles: u32) -> Self {
        self.told.during.push((outputs, valid, cycles));
        self
    }
    /// Nothing is said of outputs whose names begin so.
    pub(super) fn leaving_out(mut self, outputs: &'static str) -> Self {
        self.told.left_out.push(outputs);
        self
    }
    /// It takes too long to show that outputs whose names begin so (with "": all) are ever 1.
    pub(super) fn seldom(mut self, outputs: &'static str) -> Self {
        self.told.seldom.push(outputs);
        self
    }
    /// The surroundings keep to rules.
    pub(super) fn given(mut self, rule: impl Fn(Module, &Pins) + 'static) -> Self {
        self.given.push(Box::new(rule));
        self
    }
    /// The ports `s` have one clock, the ports `m` another.
    pub(super) fn between_clocks(self) -> Self {
        Copies { two_clocks: true, ..self }
    }
    /// For so many cycles only.
    pub(super) fn for_cycles(self, cycles: u32) -> Self {
        Copies { engine: Engine::Bounded(cycles), ..self }
    }
    /// All statuses are shown to be 1 within so many cycles.
    pub(super) fn shown_within(self, cover_depth: u32) -> Self {
        Copies { cover_depth, ..self }
    }
    /// The proof.
    pub(super) fn proof(self) -> Result<Proof, Errors> {
        let Copies { name, part, told, two_clocks, given, engine, cover_depth } = self;
        let (m, part) = (Module::new(format!("prove_power_up_{name}")), part?);
        let clocks = two_clocks.then(|| (m.clock_domain("s_clk", "s_rst"), m.clock_domain("m_clk", "m_rst")));
        let clock = |port: &str| clocks.map(|(s, m)| if port.starts_with("s_") { s } else { m });
        let pins = Pins { pins: both(m, &part, &told, clock)?, ports: part.port_list() };
        given.iter().for_each(|rule| rule(m, &pins));
        let (name, part) = (format!("power_up_{name}"), format!("any power-up, {name}"));
        Ok(Proof { name, part, design: m.finish(())?, engine, cover_depth })
    }
}

/// The copies, with the same inputs, and what is said of their outputs; `clock` is that of a port. The ports of one of them.
#[module]
pub(super) fn both<P: Ports>(
    m: Module,
    part: &Design<P>,
    told: &Told,
    clock: impl Fn(&str) -> Option<ClockDomain>,
) -> Result<Vec<Signal>, Errors> {
    let (one, other) = (m.scope("one", || pins(m, part)), m.scope("other", || pins(m, part)));
    let ports = part.port_list();
    let kinds = kinds(&ports);
    for (at, port) in ports.iter().enumerate() {
        if port.input {
            let input = m.port(&port.name, "", true, bits(port.width));
            if let Some(clock) = clock(&port.name) {
                m.port_domain(input, clock);
            }
            one[at].set(input);
            other[at].set(input);
            continue;
        }
        let compare = || compare(m, [&one, &other], at, &ports, kinds[at], told);
        match clock(&port.name) {
            Some(clock) => m.in_domain(clock, compare),
            None => compare(),
        }
    }
    Ok(one)
}

/// An output of both copies.
fn compare(m: Module, [one, other]: [&[Signal]; 2], at: usize, ports: &[PortInfo], kind: Kind, told: &Told) {
    let begins = |stem: &&str| ports[at].name.starts_with(*stem);
    let during = told.during.iter().find(|(stem, ..)| begins(stem));
    let valid = during.and_then(|(_, valid, _)| ports.iter().position(|port| port.name == *valid));
    match valid.map_or(kind, Kind::While) {
        _ if told.left_out.iter().any(begins) => {
            one[at].unused();
            other[at].unused();
        }
        Kind::Known => {
            let same = one[at].eq(other[at]);
            m.assert(same, "handshakes and statuses are the same whatever there was before the reset");
            if !told.seldom.iter().any(begins) {
                m.cover(one[at].any(), "a handshake or status is not 0");
            }
        }
        Kind::While(_) if told.no_payloads => {
            one[at].unused();
            other[at].unused();
        }
        Kind::While(valid) => {
            let same = kept(ports, at, one).eq(kept(ports, at, other));
            let valid = ago(m, during.map_or(0, |(.., cycles)| *cycles), one[valid].any());
            m.assert(!valid | same, "valid payloads are the same whatever there was before the reset");
        }
    }
}

/// So many cycles ago; nothing after reset.
pub(super) fn ago(m: Module, cycles: u32, event: Signal) -> Signal {
    (0..cycles).fold(event, |event, _| {
        let before = m.reg_reset(bits(1), 0);
        before.set(event);
        before
    })
}

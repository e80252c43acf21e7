//! Instances of modules.

use super::domains::ClockDomain;
use super::module::Module;
use super::naming::Nameable;
use super::store;
use crate::design::{Design, Ports};
use crate::ir::*;
use std::panic::Location;

/// An instance: dereferences to the ports of its module.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn invert() -> Result<Design<P>, Errors> {
/// #     let m = Module::new("invert");
/// #     let io = P::new(m);
/// #     io.y.set(!io.a);
/// #     m.finish(io)
/// # }
/// #[module]
/// fn twice() -> Result<Design<P>, Errors> {
///     let m = Module::new("twice");
///     let io = P::new(m);
///     let invert = invert()?;
///     let first = m.instance(&invert);  // called `first` in the Verilog
///     let second = m.instance(&invert); // the module is printed once
///     first.a.set(io.a);
///     second.a.set(first.y);
///     io.y.set(second.y);
///     m.finish(io)
/// }
/// # twice().unwrap();
/// ```
#[derive(Clone, Copy)]
pub struct Instance<P> {
    pub(crate) module: Module,
    pub(crate) index: u32,
    /// The ports as nets of the parent: inputs are assigned with `set`, outputs are read.
    pub ports: P,
}

impl Module {
    /// An instance of a module: its fields are the ports, seen from outside. It takes the name of its `let`.
    #[track_caller]
    pub fn instance<P: Ports>(self, design: &Design<P>) -> Instance<P> {
        let loc = Location::caller();
        let index = self.with(|b| b.def.insts.len() as u32);
        let kind = |input| if input { Net::PinIn(index) } else { Net::PinOut(index) };
        let pins: Vec<Signal> = design.def.ports.iter().map(|p| self.net(p.width, kind(p.input), None, loc)).collect();
        store::with(self.key, loc, |b| {
            let pins = pins.iter().map(|p| p.id).collect();
            let domains = b.def.connect_domains(&design.def, b.domain);
            b.def.insts.push(Inst { name: String::new(), def: design.def.clone(), pins, domains, arriving: vec![] });
            b.enable_instance(index, loc);
        });
        let port_of = |s: Signal| design.def.ports.iter().position(|p| p.node == s.id);
        let ports = design.ports.map_ports(&mut |s| port_of(s).map_or(s, |i| pins[i]));
        Instance { module: self, index, ports }
    }
}

impl<P> std::ops::Deref for Instance<P> {
    type Target = P;
    fn deref(&self) -> &P {
        &self.ports
    }
}

impl<P> Instance<P> {
    /// Names the instance, where the `let` does not give the right name.
    #[track_caller]
    pub fn named(self, name: impl AsRef<str>) -> Self {
        Nameable::take_name(&self, name.as_ref());
        self
    }
}

impl<P> Nameable for Instance<P> {
    fn take_name(&self, name: &str) {
        store::if_open(self.module.key, |b| {
            let name = b.scopes.iter().rev().fold(name.to_string(), |n, scope| names::join(scope, &n));
            let inst = &mut b.def.insts[self.index as usize];
            if inst.name.is_empty() {
                inst.name = name;
            }
        });
    }
}

impl<P> Instance<P> {
    /// Connects a clock of the instance, and its reset, to a domain of this module. Without it, `clk` is connected to the
    /// domain in which the instance stands, and every other clock to the one of the same name.
    #[track_caller]
    pub fn connect_clock(self, clock: &str, domain: ClockDomain) -> Self {
        let loc = Location::caller();
        let Some(index) = self.module.domain_here(domain, loc) else {
            return self;
        };
        store::with(self.module.key, loc, |b| {
            let inst = &mut b.def.insts[self.index as usize];
            let found = inst.def.domains.iter().position(|d| d.clock == clock);
            match found.filter(|at| !inst.def.clock_inside(*at as u32)) {
                Some(at) if b.connected.contains(&(self.index, at)) => {
                    let message = format!("clock `{clock}` of an instance of `{}` is connected already", inst.def.name);
                    b.error(loc, message, vec![], Some("leave one of them out".into()));
                }
                Some(at) => {
                    inst.domains[at] = index;
                    b.connected.insert((self.index, at));
                }
                None => {
                    let clocks: Vec<String> = inst.def.clocks.iter().map(|(d, _)| format!("`{}`", d.clock)).collect();
                    let help = match clocks.is_empty() {
                        true => "it has none".to_string(),
                        false => format!("it has {}", clocks.join(", ")),
                    };
                    let message = format!("`{}` has no clock `{clock}`", inst.def.name);
                    b.error(loc, message, vec![], Some(help));
                }
            }
        });
        self
    }
}

//! [`Module`]: what a module function builds on.

use crate::body::{self, Body};
use crate::bundle::Bundle;
use crate::ir::*;
use crate::ports::Ports;
use crate::signal::{Signal, Value, literal};
use std::panic::Location;
use std::sync::Arc;

/// A module under construction: a `Copy` handle.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), input b: Signal = bits(8), output y: Signal = bits(8) } }
/// # #[module]
/// # fn example() -> Result<Design<P>, Errors> {
/// # let m = Module::new("example");
/// # let io = P::new(m);
/// let sum = m.reg_reset(bits(8), 0);
/// m.section("a heading in the Verilog");
/// m.when(io.b.ne(0), || sum.set(io.a + io.b)).otherwise(|| sum.set(io.a));
/// io.y.set(sum);
/// # m.finish(io)
/// # }
/// # example().unwrap();
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Module {
    pub(crate) key: u32,
}

/// A finished module: checked, immutable, instantiated any number of times. `P` is the struct of its ports.
///
/// ```
/// # use hdl::*;
/// # ports! { struct P() { input a: Signal = bits(8), output y: Signal = bits(8) } }
/// #[module]
/// fn invert() -> Result<Design<P>, Errors> {
///     let m = Module::new("invert");
///     let io = P::new(m);
///     io.y.set(!io.a);
///     m.finish(io)
/// }
///
/// let design = invert()?;
/// assert_eq!((design.name(), design.port_list().len()), ("invert", 2));
/// assert_eq!(design.combinational_paths(), [("a", "y")]);
/// # Ok::<(), Errors>(())
/// ```
#[derive(Clone)]
pub struct Design<P> {
    pub(crate) def: Arc<Def>,
    /// The ports: to connect in a parent through [`Module::instance`], to drive in a test through an engine.
    pub ports: P,
}

/// A row of [`Design::port_table`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PortRow<'a> {
    /// Name in the Verilog.
    pub name: &'a str,
    /// Bits.
    pub width: u32,
    /// Is it an input?
    pub input: bool,
    /// What it is; the doc of a bundle stands at its first field, the others have an empty one.
    pub doc: &'a str,
}

impl<P> std::fmt::Debug for Design<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Design({})", self.def.name)
    }
}

impl<P> Design<P> {
    /// Name of the module.
    pub fn name(&self) -> &str {
        &self.def.name
    }
    /// Cycles from inputs to outputs, if stated with [`Module::latency`].
    pub fn latency(&self) -> Option<u32> {
        self.def.latency
    }
    /// Where a signal of [`Design::ports`] stands among the ports: the index that an [`Engine`](crate::engine::Engine)
    /// knows it by. `None` for a signal that is no port of this module.
    pub fn port_index(&self, port: Signal) -> Option<usize> {
        self.def.ports.iter().position(|p| port.key == self.def.key && p.node == port.id)
    }
    /// Name of the port with this index.
    ///
    /// # Panics
    /// If there is no such port.
    pub fn port_name(&self, index: usize) -> &str {
        &self.def.ports[index].name
    }
    /// The ports for people: a table with their docs. Clocks and resets are apart, in [`Design::clocks`].
    pub fn port_table(&self) -> impl ExactSizeIterator<Item = PortRow<'_>> {
        self.def.ports.iter().map(|p| PortRow { name: &p.name, width: p.width, input: p.input, doc: &p.doc })
    }
    /// Names of the clocks, each with the reset that belongs to it if some register needs one.
    pub fn clocks(&self) -> impl Iterator<Item = (&str, Option<&str>)> {
        self.def.clocks.iter().map(|(d, reset)| (d.clock.as_str(), reset.then_some(d.reset.as_str())))
    }
    /// What was said with [`Module::doc`].
    pub fn doc(&self) -> &str {
        &self.def.doc
    }
    /// The design without the type of its ports: for lists of different designs.
    pub fn erase(self) -> Design<()> {
        Design { def: self.def, ports: () }
    }
    /// All ports but clocks and resets.
    pub fn port_list(&self) -> Vec<crate::engine::PortInfo> {
        let info = |p: &Port| crate::engine::PortInfo { name: p.name.clone(), width: p.width, input: p.input };
        self.def.ports.iter().map(info).collect()
    }
    /// The paths from an input port to an output port without a register between them, as pairs of names.
    pub fn combinational_paths(&self) -> Vec<(&str, &str)> {
        let name = |index: &u32| self.port_name(*index as usize);
        self.def.comb.iter().flat_map(|(to, from)| from.iter().map(move |f| (name(f), name(to)))).collect()
    }
}

impl Module {
    /// Starts a module. The name is that of the Verilog module.
    #[track_caller]
    pub fn new(name: impl Into<String>) -> Module {
        let name = name.into();
        let mut body = Body { blocks: vec![vec![]], ..Body::default() };
        body.def.name = name.clone();
        body.def.domains.push(Domain { clock: "clk".into(), reset: "rst".into() });
        if !crate::finish::usable(&name) {
            let message = format!("`{name}` is not a legal module name");
            let help = "letters, digits and underscores, not a digit first, not a keyword of Verilog or C++";
            body.error(Location::caller(), message, vec![], Some(help.into()));
        }
        Module { key: body::open(body) }
    }
    #[track_caller]
    pub(crate) fn with<R: Default>(self, f: impl FnOnce(&mut Body) -> R) -> R {
        body::with(self.key, Location::caller(), f).unwrap_or_default()
    }
    /// Text printed above the module.
    #[track_caller]
    pub fn doc(self, text: &str) {
        self.with(|b| b.def.doc = text.to_string());
    }
    /// Synthesis is to map this module by itself (the attribute `keep_hierarchy`), instead of dissolving it in the one around it.
    ///
    /// Mapping shortens the longest path at any price, and takes inputs of modules and outputs of multipliers for early. A boundary
    /// where a path is half done keeps it from rebuilding the second half for what comes late in the first. That can make a design
    /// smaller, or larger: measure it.
    #[track_caller]
    pub fn keep_hierarchy(self) {
        self.with(|b| b.def.keep_hierarchy = true);
    }
    /// A heading in the Verilog: what follows belongs together.
    #[track_caller]
    pub fn section(self, text: &str) {
        self.with(|b| b.def.sections.push((b.def.nodes.len() as Id, text.to_string())));
    }
    /// States the cycles from inputs to outputs, so that a pipeline scope of a parent knows them.
    #[track_caller]
    pub fn latency(self, cycles: u32) {
        self.with(|b| b.def.latency = Some(cycles));
    }
    /// Names given inside `f` start with `prefix_`.
    #[track_caller]
    pub fn scope<R>(self, prefix: impl Into<String>, f: impl FnOnce() -> R) -> R {
        self.with(|b| b.scopes.push(prefix.into()));
        let result = f();
        self.with(|b| drop(b.scopes.pop()));
        result
    }
    /// A constant of the given width.
    #[track_caller]
    pub fn lit(self, value: impl Into<num_bigint::BigUint>, width: u32) -> Signal {
        literal(self.key, value.into(), width)
    }
    #[track_caller]
    pub(crate) fn net(self, width: u32, kind: Net, name: Option<String>, loc: Loc) -> Signal {
        let id = body::with(self.key, loc, |b| {
            if width == 0 {
                b.error(loc, "a signal needs at least one bit".into(), vec![], None);
            }
            let id = b.push(Op::Net(kind), width.max(1), loc);
            b.def.nodes[id as usize].name = name;
            id
        });
        Signal { key: self.key, id: id.unwrap_or(0), width }
    }
    /// Declares the ports of a [`ports!`](crate::ports!) struct.
    #[track_caller]
    pub fn port<B: Bundle>(self, name: &str, doc: &str, input: bool, shape: B) -> B {
        let loc = Location::caller();
        let mut doc = doc.trim();
        shape.map(&mut |path, flip, s| {
            let (name, input) = (crate::naming::join(name, path), input != flip);
            let net = self.net(s.width, if input { Net::Input } else { Net::Output }, Some(name.clone()), loc);
            body::with(self.key, loc, |b| {
                if b.def.ports.iter().any(|p| p.name == name) {
                    b.error(loc, format!("two ports are called `{name}`"), vec![], None);
                }
                // the doc of a bundle stands at its first field
                let doc = std::mem::take(&mut doc).to_string();
                let domain = (b.domain != 0).then_some(b.domain);
                b.def.ports.push(Port { name, node: net.id, width: s.width, input, doc, domain });
            });
            net
        })
    }
    /// A wire of the given shape, assigned with `set` on every path.
    #[track_caller]
    pub fn wire<B: Bundle>(self, shape: B) -> B {
        let loc = Location::caller();
        shape.map(&mut |_, _, s| self.net(s.width, Net::Wire, None, loc))
    }
    /// A register of the given shape without reset; it holds where nothing is assigned.
    #[track_caller]
    pub fn reg<B: Bundle>(self, shape: B) -> B {
        let loc = Location::caller();
        shape.map(&mut |_, flip, s| {
            if flip {
                let help = Some("register the forward fields one by one");
                let message = "a bundle with flipped fields cannot be a register".to_string();
                body::with(self.key, loc, |b| b.error(loc, message, vec![], help.map(Into::into)));
            }
            self.reg_at(s.width, loc)
        })
    }
    pub(crate) fn reg_at(self, width: u32, loc: Loc) -> Signal {
        let index = body::with(self.key, loc, |b| b.def.regs.len() as u32).unwrap_or(0);
        let net = self.net(width, Net::Reg(index), None, loc);
        body::with(self.key, loc, |b| {
            let domain = b.domain;
            b.def.regs.push(Reg { node: net.id, reset: None, enable: None, at_once: None, domain });
        });
        net
    }
    /// A register with a reset value.
    #[track_caller]
    pub fn reg_reset<B: Bundle>(self, shape: B, reset: impl Value<Signal> + Copy) -> B {
        let loc = Location::caller();
        shape.map(&mut |_, _, s| {
            let net = self.reg_at(s.width, loc);
            let errors = self.with(|b| b.errors.len());
            let value = reset.like(&net);
            body::with(self.key, loc, |b| {
                // a number that does not fit is reported from inside this function
                b.errors[errors..].iter_mut().for_each(|e| e.span = loc.into());
                b.set_reset(net.id, value.id, loc);
            });
            net
        })
    }
    /// The clock of the current domain as a signal, for what needs it as data.
    #[track_caller]
    pub fn clock(self) -> Signal {
        let domain = self.with(|b| b.domain);
        self.net(1, Net::Clock(domain), None, Location::caller())
    }
    /// One bit: the current domain is in reset (whatever the polarity of the reset port).
    #[track_caller]
    pub fn in_reset(self) -> Signal {
        let domain = self.with(|b| b.domain);
        self.net(1, Net::Reset(domain), None, Location::caller())
    }
    /// An instance of a module: its fields are the ports, seen from outside. It takes the name of its `let`.
    #[track_caller]
    pub fn instance<P: Ports>(self, design: &Design<P>) -> Instance<P> {
        let loc = Location::caller();
        let index = self.with(|b| b.def.insts.len() as u32);
        let kind = |input| if input { Net::PinIn(index) } else { Net::PinOut(index) };
        let pins: Vec<Signal> = design.def.ports.iter().map(|p| self.net(p.width, kind(p.input), None, loc)).collect();
        body::with(self.key, loc, |b| {
            let pins = pins.iter().map(|p| p.id).collect();
            let domains = b.def.connect_domains(&design.def, b.domain);
            b.def.insts.push(Inst { name: String::new(), def: design.def.clone(), pins, domains, arriving: vec![] });
        });
        let port_of = |s: Signal| design.def.ports.iter().position(|p| p.node == s.id);
        let ports = design.ports.map_ports(&mut |s| port_of(s).map_or(s, |i| pins[i]));
        Instance { module: self, index, ports }
    }
    /// Checks the module. `ports` is the struct that was declared; all errors come back together.
    #[track_caller]
    pub fn finish<P: Ports>(self, ports: P) -> Result<Design<P>, crate::Errors> {
        crate::finish::finish(self, Location::caller()).map(|def| Design { def: Arc::new(def), ports })
    }
}

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
        crate::naming::Nameable::take_name(&self, name.as_ref());
        self
    }
}

impl<P> crate::naming::Nameable for Instance<P> {
    fn take_name(&self, name: &str) {
        self.module.with(|b| {
            let name = b.scopes.iter().rev().fold(name.to_string(), |n, scope| crate::naming::join(scope, &n));
            let inst = &mut b.def.insts[self.index as usize];
            if inst.name.is_empty() {
                inst.name = name;
            }
        });
    }
}

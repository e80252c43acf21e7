//! Clock domains: which clock and reset a part of a module uses, and the crossings between them that the user declares.
//!
//! Every signal belongs to the clock of the registers that it comes from. What belongs to one clock cannot be used by
//! another, except through [`Module::cross`] (on which synchronizers are built) or a memory that says so. The check is
//! in `clock_check`.

use crate::body;
use crate::bundle::Bundle;
use crate::ir::*;
use crate::module::{Design, Instance, Module};
use crate::signal::Signal;
use std::panic::Location;
use std::sync::Arc;

/// A clock and its reset in one module: from [`Module::clock_domain`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockDomain {
    pub(crate) key: u32,
    pub(crate) index: u32,
}

/// A place where a signal goes to another clock on purpose: from [`Design::crossings`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Crossing {
    /// The instance in which it stands, such as `core.entry`; empty for the module itself.
    pub instance: String,
    /// What crosses: the register, port or expression, or the memory, by its name in that instance.
    pub signal: String,
    /// Bits that cross together, such as a number in gray code; 0 for the words of a memory, which stand still when they are read.
    pub width: u32,
    /// The clock port of the top module that it comes from; `None` where it is no matter of clocks (an input without one,
    /// a constant).
    pub from: Option<String>,
    /// The input of the top module that it comes from, if that belongs to no clock.
    pub port: Option<String>,
    /// The clock port of the top module that it goes to.
    pub to: String,
    /// Why nothing can go wrong, in the words of the module.
    pub reason: String,
}

impl Module {
    /// Declares a clock and its reset, which become ports. The first clock of every module is `clk` with `rst`; whatever is
    /// declared outside of [`Module::in_domain`] belongs to it.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input data: Signal = bits(8), input strobe: Signal = bits(1), output copy: Signal = bits(8) } }
    /// # #[module]
    /// # fn receiver() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("receiver");
    /// # let io = P::new(m);
    /// let rx = m.clock_domain("rx_clk", "rx_rst");
    /// m.port_domain((io.data, io.strobe), rx);
    /// let held = m.in_domain(rx, || m.reg(bits(8)).enable(io.strobe));
    /// held.set(io.data);
    /// // `io.copy.set(held)` is an error that names both clocks
    /// io.copy.set(m.cross(held, m.current_domain(), "it is set once, before anybody looks"));
    /// # m.finish(io)
    /// # }
    /// let design = receiver()?;
    /// assert_eq!(design.crossings()[0].from.as_deref(), Some("rx_clk"));
    /// let sdc = constraints(&design, &[]).expect("there is a crossing");
    /// assert!(sdc.contains("set_max_delay"));
    /// # Ok::<(), Errors>(())
    /// ```
    #[track_caller]
    pub fn clock_domain(self, clock: &str, reset: &str) -> ClockDomain {
        let loc = Location::caller();
        let wanted = Domain { clock: clock.into(), reset: reset.into() };
        let index = self.with(|b| {
            for name in [clock, reset].into_iter().filter(|name| !crate::finish::usable(name)) {
                let help = "letters, digits and underscores, not a digit first, not a keyword of Verilog or C++";
                b.error(loc, format!("`{name}` is not a legal name"), vec![], Some(help.into()));
            }
            b.def.domain_index(&wanted)
        });
        ClockDomain { key: self.key, index }
    }
    /// The domain of what is declared here.
    #[track_caller]
    pub fn current_domain(self) -> ClockDomain {
        ClockDomain { key: self.key, index: self.with(|b| b.domain) }
    }
    /// Everything declared inside `f` uses this clock and reset: registers, memory ports, ports, and the clock `clk` of
    /// instances.
    #[track_caller]
    pub fn in_domain<R>(self, domain: ClockDomain, f: impl FnOnce() -> R) -> R {
        let Some(index) = self.domain_here(domain, Location::caller()) else {
            return f();
        };
        let before = self.with(|b| std::mem::replace(&mut b.domain, index));
        let result = f();
        self.with(|b| b.domain = before);
        result
    }
    /// [`Module::clock_domain`] and [`Module::in_domain`] in one.
    #[track_caller]
    pub fn domain<R>(self, clock: &str, reset: &str, f: impl FnOnce() -> R) -> R {
        self.in_domain(self.clock_domain(clock, reset), f)
    }
    /// These ports belong to this clock: inputs change with it, outputs must come from it. Ports declared inside
    /// [`Module::in_domain`] belong to that clock already; inputs of which nothing is said belong to `clk`.
    #[track_caller]
    pub fn port_domain<B: Bundle>(self, ports: B, domain: ClockDomain) {
        let loc = Location::caller();
        let Some(index) = self.domain_here(domain, loc) else {
            return;
        };
        ports.each(&mut |_, _, s| {
            body::with(self.key, loc, |b| match b.def.ports.iter().position(|p| p.node == s.id && s.key == self.key) {
                Some(port) => b.def.ports[port].domain = Some(index),
                None if b.check_same(&[s], loc) => {
                    let message = format!("{} is not a port of this module", b.describe(s.id));
                    b.error(loc, message, vec![], Some("only ports are declared to belong to a clock".into()));
                }
                None => {}
            });
        });
    }
    /// The signal, to be used by another clock: a declared exception. The reason says why the registers that take it up
    /// cannot be hurt by a change at any time; it is listed by [`Design::crossings`] and stands in the constraints.
    #[track_caller]
    pub fn cross<B: Bundle>(self, signal: B, to: ClockDomain, reason: &str) -> B {
        let loc = Location::caller();
        let Some(to) = self.domain_here(to, loc) else {
            return signal;
        };
        signal.map(&mut |_, flip, s| {
            let id = body::with(self.key, loc, |b| {
                if reason.trim().is_empty() {
                    b.error(loc, "a crossing needs a reason".into(), vec![], Some("say why it is safe".into()));
                }
                if flip {
                    let message = "a bundle with flipped fields cannot cross to another clock".to_string();
                    b.error(loc, message, vec![], Some("a stream crosses in a FIFO of two clocks".into()));
                }
                if !b.check_same(&[s], loc) {
                    return b.poison(s.width, loc);
                }
                let id = b.make(Op::Alias(s.id), s.width, loc);
                b.def.crossings.push(CrossingData {
                    what: Crosser::Signal { node: id, from: s.id },
                    from: Origin::None,
                    to,
                    reason: reason.into(),
                });
                id
            });
            id.map_or(s, |id| Signal { id, ..s })
        })
    }
    /// Signals of this module are not checked for their clocks; neither are the ports where it is used. Only for what cannot
    /// be described better, such as random modules in tests of tools.
    #[track_caller]
    pub fn unchecked_clocks(self, reason: &str) {
        let reason = reason.to_string();
        self.with(|b| b.def.unchecked_clocks = Some(reason));
    }
    pub(crate) fn domain_here(self, domain: ClockDomain, loc: Loc) -> Option<u32> {
        if domain.key == self.key {
            return Some(domain.index);
        }
        let message = "a clock of another module".to_string();
        let help = "every module declares its own with `clock_domain`; instances connect with `connect_clock`";
        body::with(self.key, loc, |b| b.error(loc, message, vec![], Some(help.into())));
        None
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
        body::with(self.module.key, loc, |b| {
            let inst = &mut b.def.insts[self.index as usize];
            let found = inst.def.domains.iter().position(|d| d.clock == clock);
            match found.filter(|at| !inst.def.clock_inside(*at as u32)) {
                Some(at) => inst.domains[at] = index,
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

impl<P> Design<P> {
    /// All declared crossings between clocks, of this module and of those below it.
    pub fn crossings(&self) -> Vec<Crossing> {
        let mut found = vec![];
        let clocks: Vec<String> = self.def.domains.iter().map(|d| d.clock.clone()).collect();
        // an input that no clock takes up directly
        let free = |p: &Port| (p.input && p.domain.is_none()).then(|| p.name.clone());
        let inputs: Vec<Arrival> = self.def.ports.iter().map(|p| Arrival { clock: None, port: free(p) }).collect();
        collect(&self.def, "", &clocks, &inputs, &mut found);
        found
    }
}

/// Where the input of an instance comes from.
#[derive(Clone, Default)]
struct Arrival {
    /// A clock port of the top module.
    clock: Option<String>,
    /// An input of the top module that belongs to no clock.
    port: Option<String>,
}

/// The crossings of a module whose domains are driven by these clock ports of the top, and whose inputs come from those.
fn collect(def: &Def, path: &str, clocks: &[String], inputs: &[Arrival], found: &mut Vec<Crossing>) {
    let arrival = |origin: Origin| match origin {
        Origin::None => Arrival::default(),
        Origin::Domain(d) => Arrival { clock: Some(clocks[d as usize].clone()), port: None },
        Origin::Input(port) => inputs.get(port as usize).cloned().unwrap_or_default(),
    };
    for c in &def.crossings {
        let Arrival { clock: from, port } = arrival(c.from);
        found.push(Crossing {
            instance: path.trim_end_matches('.').to_string(),
            signal: match c.what {
                Crosser::Signal { from, .. } => named_source(def, from),
                Crosser::Memory(m) => def.mems[m as usize].name.clone(),
            },
            width: match c.what {
                Crosser::Signal { from, .. } => def.nodes[from as usize].width,
                Crosser::Memory(_) => 0,
            },
            from,
            port,
            to: clocks[c.to as usize].clone(),
            reason: c.reason.clone(),
        });
    }
    for inst in &def.insts {
        let inner: Vec<String> = inst.domains.iter().map(|d| clocks[*d as usize].clone()).collect();
        let arriving: Vec<Arrival> = inst.arriving.iter().map(|origin| arrival(*origin)).collect();
        collect(&inst.def, &format!("{path}{}.", inst.name), &inner, &arriving, found);
    }
}

/// The name of a signal, or of the first named one that it is computed from.
fn named_source(def: &Def, mut id: Id) -> String {
    loop {
        let node = &def.nodes[id as usize];
        match (&node.name, node.op.operands().first()) {
            (Some(name), _) => return name.clone(),
            (None, Some(first)) => id = *first,
            (None, None) => return String::new(),
        }
    }
}

impl Def {
    /// The index of a domain, which is added if it is new.
    pub fn domain_index(&mut self, wanted: &Domain) -> u32 {
        let known = self.domains.iter().position(|d| d == wanted);
        known.unwrap_or_else(|| {
            self.domains.push(wanted.clone());
            self.domains.len() - 1
        }) as u32
    }
    /// For an instance of `child` in the domain `current`: `clk` is that one, the others connect by name.
    pub fn connect_domains(&mut self, child: &Def, current: u32) -> Vec<u32> {
        // the Verilog of a foreign module has its own names for resets
        let same_clock = |def: &Def, d: &Domain| def.domains.iter().position(|x| x.clock == d.clock).map(|i| i as u32);
        let known = |def: &Def, d: &Domain| same_clock(def, d).filter(|_| child.foreign.is_some());
        let count = self.insts.len();
        let rest = child.domains.iter().enumerate().skip(1).map(|(i, d)| {
            if child.clock_inside(i as u32) {
                // a clock of its own, which nothing here has
                let name = format!("{}.{count}.{}", child.name, d.clock);
                return self.domain_index(&Domain { reset: format!("{name}_reset"), clock: name });
            }
            known(self, d).unwrap_or_else(|| self.domain_index(d))
        });
        std::iter::once(current).chain(rest).collect()
    }
}

impl Inst {
    /// What a simulation runs: the module, or the model of a foreign one; with the parent's domain for each of its domains
    /// that something uses.
    pub fn simulated(&self) -> (&Arc<Def>, Vec<Option<u32>>) {
        match self.def.foreign.as_deref().and_then(|f| Some((f, f.model.as_ref()?))) {
            Some((f, model)) => {
                let inner = |d| crate::foreign::model_domain(&self.def, f, model, d).map(|i| self.domains[i as usize]);
                (model, model.domains.iter().map(inner).collect())
            }
            None => (&self.def, self.domains.iter().copied().map(Some).collect()),
        }
    }
    /// The domain of the parent that a domain of the instance is connected to.
    pub fn outer(&self, domain: &Domain) -> Option<u32> {
        self.domains.get(self.def.domains.iter().position(|d| d == domain)?).copied()
    }
}

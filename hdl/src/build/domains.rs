//! Clock domains: which clock and reset a part of a module uses, and the crossings between them that the user declares.
//!
//! Every signal belongs to the clock of the registers that it comes from. What belongs to one clock cannot be used by
//! another, except through [`Module::cross`] (on which synchronizers are built) or a memory that says so. The check is
//! `check/clocks.rs`.

use super::bundle::Bundle;
use super::module::Module;
use super::store;
use crate::ir::*;
use std::panic::Location;

/// A clock and its reset in one module: from [`Module::clock_domain`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ClockDomain {
    pub(crate) key: u32,
    pub(crate) index: u32,
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
            for name in [clock, reset].into_iter().filter(|name| !names::usable_for_port(name)) {
                let help =
                    "a letter, then letters, digits and underscores; no keyword of Verilog, SystemVerilog or C++";
                b.error(loc, format!("`{name}` is not a legal name"), vec![], Some(help.into()));
            }
            if let Some(name) = [clock, reset].into_iter().find(|name| *name == b.def.name) {
                let help = "give the clock or the reset another name, or the module";
                b.error(loc, format!("`{name}` is the name of the module already"), vec![], Some(help.into()));
            }
            let model = names::model_of(&b.def.name);
            if let Some(name) = [clock, reset].into_iter().find(|name| **name == model) {
                let help = "give the clock or the reset another name, or the module";
                b.error(loc, format!("Verilator calls its C++ of the module `{name}`"), vec![], Some(help.into()));
            }
            b.def.domain_index(&wanted)
        });
        ClockDomain { key: self.key, index }
    }
    /// No clock: for [`Module::port_domain`], where an input changes at any time, such as a button or a wire that somebody else
    /// drives. What uses it in a register, without a synchronizer (or [`Module::cross`]), is an error.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input button: Signal = bits(1), output pressed: Signal = bits(1) } }
    /// # #[module]
    /// # fn button() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("button_reader");
    /// # let io = P::new(m);
    /// m.port_domain(io.button, m.asynchronous());
    /// let first = m.reg(bits(1)); // `first.set(io.button)` is an error
    /// first.set(m.cross(io.button, m.current_domain(), "the next register waits until it has settled"));
    /// # let second = m.reg(bits(1));
    /// # second.set(first);
    /// # io.pressed.set(second);
    /// # m.finish(io)
    /// # }
    /// let sdc = constraints(&button()?, &[]).expect("there is a crossing");
    /// assert!(sdc.contains("set_false_path -from [get_ports button]"));
    /// # Ok::<(), Errors>(())
    /// ```
    pub fn asynchronous(self) -> ClockDomain {
        ClockDomain { key: self.key, index: ASYNCHRONOUS }
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
    /// [`Module::in_domain`] belong to that clock already; inputs of which nothing is said belong to `clk`. Inputs can be
    /// [`asynchronous`](Module::asynchronous). What is said last counts.
    #[track_caller]
    pub fn port_domain<B: Bundle>(self, ports: B, domain: ClockDomain) {
        let loc = Location::caller();
        let index = match domain == self.asynchronous() {
            true => Some(ASYNCHRONOUS),
            false => self.domain_here(domain, loc),
        };
        let Some(index) = index else {
            return;
        };
        ports.each(&mut |_, _, s| {
            store::with(self.key, loc, |b| {
                match b.def.ports.iter().position(|p| p.node == s.id && s.key == self.key) {
                    Some(port) if index == ASYNCHRONOUS && !b.def.ports[port].input && b.def.foreign.is_none() => {
                        let message = format!("output {} cannot be asynchronous", b.describe(s.id));
                        let help = "an output belongs to the clock of the registers that it comes from";
                        b.error(loc, message, vec![], Some(help.into()));
                    }
                    Some(port) => b.def.ports[port].domain = Some(index),
                    None if b.check_same(&[s], loc) => {
                        let message = format!("{} is not a port of this module", b.describe(s.id));
                        b.error(loc, message, vec![], Some("only ports are declared to belong to a clock".into()));
                    }
                    None => {}
                }
            });
        });
    }
    /// The signal, to be used by another clock: a declared exception. The reason says why the registers that take it up
    /// cannot be hurt by a change at any time; it is listed by [`Design::crossings`](crate::Design::crossings) and stands in the constraints.
    #[track_caller]
    pub fn cross<B: Bundle>(self, signal: B, to: ClockDomain, reason: &str) -> B {
        let loc = Location::caller();
        let Some(to) = self.domain_here(to, loc) else {
            return signal;
        };
        signal.map(&mut |_, flip, s| {
            let id = store::with(self.key, loc, |b| {
                b.check_reason(reason, loc);
                if flip {
                    let message = "a bundle with flipped fields cannot cross to another clock".to_string();
                    b.error(loc, message, vec![], Some("a stream crosses in a FIFO of two clocks".into()));
                }
                if !b.check_same(&[s], loc) {
                    return b.poison(s.width, loc);
                }
                b.check_outside(s.id, "what crosses to another clock", loc);
                let id = b.make(Op::Alias(s.id), s.width, loc);
                b.def.crossings.push(CrossingData {
                    what: Crosser::Signal { node: id, from: s.id },
                    from: Origin::None,
                    to,
                    reason: reason.into(),
                });
                id
            });
            id.map_or(s, |id| Signal { id, key: self.key, ..s })
        })
    }
    /// Signals of this module are not checked for their clocks; neither are the ports where it is used. Only for what cannot
    /// be described better, such as random modules in tests of tools.
    #[track_caller]
    pub fn unchecked_clocks(self, reason: &str) {
        let reason = reason.to_string();
        self.with(|b| b.def.unchecked_clocks = Some(reason));
    }
    /// Assignments of this module may be without effect. Only for what cannot be described better, such as random modules in tests of
    /// tools.
    #[track_caller]
    pub fn unchecked_effects(self) {
        self.with(|b| b.unchecked_effects = true);
    }
    pub(crate) fn domain_here(self, domain: ClockDomain, loc: Loc) -> Option<u32> {
        let (message, help) = match (domain.key == self.key, domain.index) {
            (true, ASYNCHRONOUS) => {
                ("a clock is needed here, `asynchronous` is none", "only inputs can be so, with `port_domain`")
            }
            (true, index) => return Some(index),
            (false, _) => (
                "this clock belongs to another module",
                "every module declares its own with `clock_domain`; instances connect with `connect_clock`",
            ),
        };
        store::with(self.key, loc, |b| b.error(loc, message.into(), vec![], Some(help.into())));
        None
    }
}

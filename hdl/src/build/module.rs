//! [`Module`]: what a module function builds on.

use super::bundle::Bundle;
use super::number::{Value, literal};
use super::state_fields::StateFields;
use super::store;
use crate::check;
use crate::design::{Design, Ports};
use crate::ir::*;
use num_bigint::BigUint;
use std::panic::Location;
use std::sync::Arc;

/// A module under construction: a `Copy` handle.
///
/// All its mistakes come back from [`Module::finish`]. After that nothing can be built in it or from its signals: what is tried all
/// the same panics at once, with file and line, since there is nobody to whom the mistake could come back. So does what belongs to no
/// module, such as a sum of two shapes, and what is built on another thread than the module.
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

impl Module {
    /// Starts a module. The name is that of the Verilog module.
    #[track_caller]
    pub fn new(name: impl Into<String>) -> Module {
        let name = name.into();
        let mut body = Draft { blocks: vec![vec![]], ..Draft::default() };
        body.def.name = name.clone();
        body.def.domains.push(Domain { clock: names::FIRST_CLOCK.into(), reset: names::FIRST_RESET.into() });
        if let Err(legal) = names::legal_module_name(&name) {
            let message = format!("`{name}` is not a legal module name");
            body.error(Location::caller(), message, vec![], Some(legal));
        }
        Module { key: store::open(body) }
    }
    #[track_caller]
    pub(crate) fn with<R: Default>(self, f: impl FnOnce(&mut Draft) -> R) -> R {
        store::with(self.key, Location::caller(), f).unwrap_or_default()
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
    /// States the cycles from inputs to outputs, so that a pipeline scope of a parent knows them. It is compared with the stage at
    /// which the module's own pipeline leaves, and with the registers on the way from inputs to outputs. Where an input holds
    /// all of these (see [`Module::pipeline_enabled`]), a parent's pipeline connects it.
    #[track_caller]
    pub fn latency(self, cycles: u32) {
        let loc = Location::caller();
        self.with(|b| {
            if let Some(first) = b.def.latency.replace(cycles).filter(|first| *first != cycles) {
                let help = "state it once";
                b.error(loc, format!("the latency is {first} already, not {cycles}"), vec![], Some(help.into()));
            }
            b.latency_at = Some(loc);
        });
    }
    /// States the cycles from the inputs to these outputs, instead of [`Module::latency`] where outputs come at different times: with
    /// outputs that leave a pipeline at different stages, each is stated. It is compared with those stages, and with the registers between. Where it is stated of every
    /// output, an instance can stand in a pipeline scope of a parent, and each output stands at its own stage.
    ///
    /// ```
    /// # use hdl::*;
    /// # ports! { struct P() { input a: Signal = bits(8), output early: Signal = bits(1), output y: Signal = bits(8) } }
    /// # #[module]
    /// # fn example() -> Result<Design<P>, Errors> {
    /// # let m = Module::new("example");
    /// # let io = P::new(m);
    /// let p = m.pipeline("sum");
    /// let a = p.enter(io.a).next();
    /// io.early.set(p.leave(a.msb()));
    /// io.y.set(p.leave((a + 1).next()));
    /// m.latency_of(io.early, 1); // without these two lines: an error
    /// m.latency_of(io.y, 2);
    /// # m.finish(io)
    /// # }
    /// # example().unwrap();
    /// ```
    #[track_caller]
    pub fn latency_of<B: Bundle>(self, outputs: B, cycles: u32) {
        let loc = Location::caller();
        let mut comes_back = None;
        outputs.each(&mut |_, flip, s| comes_back = comes_back.or(flip.then_some(s)));
        if let Some(ready) = comes_back {
            return self.with(|b| {
                let message = format!("a latency is stated of a stream, or of another bundle of which {} runs the other way", b.describe(ready.id));
                let help = "an item of a stream comes when it is taken, and nothing is stated of it; of other bundles, name the fields that are \
                            outputs";
                b.error(loc, message, vec![], Some(help.into()));
            });
        }
        outputs.each(&mut |_, _, s| {
            store::with(self.key, loc, |b| {
                if !b.check_same(&[s], loc) {
                    return;
                }
                if b.node(s.id).op != Op::Net(Net::Output) {
                    let help = "give an output port: the cycles are counted from the inputs to it";
                    let message = format!("{} is not an output of this module", b.describe(s.id));
                    return b.error(loc, message, vec![], Some(help.into()));
                }
                if let Some((before, _)) =
                    b.latencies.insert(s.id, (cycles, loc)).filter(|(before, _)| *before != cycles)
                {
                    let message = format!("the latency of {} is {before} already, not {cycles}", b.describe(s.id));
                    b.error(loc, message, vec![], Some("state it once".into()));
                }
            });
        });
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
    pub fn lit(self, value: impl Into<BigUint>, width: u32) -> Signal {
        literal(self.key, value.into(), width)
    }
    #[track_caller]
    pub(crate) fn net(self, width: u32, kind: Net, name: Option<String>, loc: Loc) -> Signal {
        let width = self.possible_width(width.into(), "a signal", loc);
        let id = store::with(self.key, loc, |b| {
            if width == 0 {
                b.error(
                    loc,
                    "a signal needs at least one bit".into(),
                    vec![],
                    Some("`bits(n)` with `n` from 1 up".into()),
                );
            }
            let id = b.push(Op::Net(kind), width.max(1), loc);
            b.def.nodes[id as usize].name = name;
            let block = b.block_number();
            if block > 0 && matches!(kind, Net::Wire | Net::Reg(_) | Net::PinIn(_)) {
                b.declared_under.insert(id, block);
            }
            id
        });
        Signal { key: self.key, id: id.unwrap_or(0), width }
    }
    /// What stands where a mistake was reported.
    pub(crate) fn lost(self, width: u32, loc: Loc) -> Signal {
        let id = store::with(self.key, loc, |b| b.poison(width, loc));
        Signal { key: self.key, id: id.unwrap_or(0), width }
    }
    /// A width that a signal can have: this one, or the widest in its place. Then it is reported.
    pub(crate) fn possible_width(self, width: u64, what: &str, loc: Loc) -> u32 {
        let possible = store::with(self.key, loc, |b| b.possible_width(width, what, loc)).flatten();
        possible.unwrap_or(MAX_WIDTH as u32)
    }
    /// Declares the ports of a [`ports!`](crate::ports!) struct.
    #[track_caller]
    pub fn port<B: Bundle>(self, name: &str, doc: &str, input: bool, shape: B) -> B {
        let loc = Location::caller();
        let mut doc = doc.trim();
        let bundle = self.with(|b| b.def.ports.len() as u32);
        shape.map(&mut |path, flip, s| {
            let (name, input) = (names::join(name, path), input != flip);
            let net = self.net(s.width, if input { Net::Input } else { Net::Output }, Some(name.clone()), loc);
            store::with(self.key, loc, |b| {
                if b.def.ports.iter().any(|p| p.name == name) {
                    let help =
                        "fields of bundles have the port's name in front: `s_valid` is a port, and a field of `s`";
                    b.error(loc, format!("two ports are called `{name}`"), vec![], Some(help.into()));
                }
                // the doc of a bundle stands at its first field
                let doc = std::mem::take(&mut doc).to_string();
                let domain = (b.domain != 0).then_some(b.domain);
                let is_ready = names::is_handshake(path, "ready");
                b.def.ports.push(Port { name, node: net.id, width: s.width, input, is_ready, bundle, doc, domain });
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
        self.forward(&shape, "a register", "register", loc);
        shape.map(&mut |_, _, s| self.reg_at(s.width, loc))
    }
    /// No field of a register, or of the words of a memory, is flipped.
    pub(crate) fn forward(self, shape: &impl Bundle, what: &str, verb: &str, loc: Loc) {
        shape.each(&mut |_, flip, _| {
            if flip {
                let help = format!("{verb} the forward fields one by one");
                let message = format!("a bundle with flipped fields cannot be {what}");
                store::with(self.key, loc, |b| b.error(loc, message, vec![], Some(help)));
            }
        });
    }
    pub(crate) fn reg_at(self, width: u32, loc: Loc) -> Signal {
        let index = store::with(self.key, loc, |b| b.def.regs.len() as u32).unwrap_or(0);
        let net = self.net(width, Net::Reg(index), None, loc);
        store::with(self.key, loc, |b| {
            let (enable, domain) = (b.register_enable(net.id, None, loc), b.domain);
            b.def.regs.push(Reg { node: net.id, reset: None, states: None, enable, async_reset: None, domain });
        });
        net
    }
    /// A register with a reset value.
    #[track_caller]
    pub fn reg_reset<B: Bundle>(self, shape: B, reset: impl Value<Signal> + Copy) -> B {
        let loc = Location::caller();
        self.forward(&shape, "a register", "register", loc);
        let registers = shape.map(&mut |_, _, s| {
            let net = self.reg_at(s.width, loc);
            let errors = self.with(|b| b.errors.len());
            let value = reset.like(&net);
            store::with(self.key, loc, |b| {
                // a number that does not fit is reported from inside this function
                b.errors[errors..].iter_mut().for_each(|e| e.span = loc.into());
                b.set_reset_number(net.id, value.id, loc);
            });
            net
        });
        self.with(|b| b.numbered.clear());
        self.check_reset_of_states(&shape, &registers, loc);
        registers
    }
    /// What holds states is reset to states, also the fields of the variant to whose tag a tagged union is reset. Of a register file,
    /// whose registers hold a field of all elements, every element.
    pub(super) fn check_reset_of_states<B: Bundle>(self, shape: &B, registers: &B, loc: Loc) {
        let fields = StateFields::of(shape);
        if fields.is_empty() {
            return;
        }
        let (mut widths, mut word) = (vec![], BigUint::ZERO);
        shape.high_first(&mut |s| widths.push(s.width));
        let mut widths = widths.into_iter();
        self.with(|b| {
            registers.high_first(&mut |s| {
                let width = widths.next().unwrap_or(s.width);
                let reset = match b.node(s.id).op {
                    Op::Net(Net::Reg(r)) => b.def.regs[r as usize].reset.clone(),
                    _ => None,
                };
                word = (&word << width) | (reset.unwrap_or_default() & fold::ones(width));
            });
            if let Some(wrong) = fields.wrong(&word).filter(|_| b.errors.is_empty()) {
                let (what, help) = match wrong.in_union {
                    true => (
                        "a field of a tagged union",
                        "`reg_reset_to` takes a variant with its fields, or a bundle of such".into(),
                    ),
                    false => (
                        "a register",
                        format!(
                            "`reg_reset_to` takes states, alone or in bundles: `m.lit_state({}::{})`",
                            wrong.of.name, wrong.of.variants[0].name
                        ),
                    ),
                };
                let message = format!("{what} is reset to {}, which is no state of `{}`", wrong.code, wrong.of.name);
                b.error(loc, message, vec![], Some(help));
            }
        });
    }
    /// A register that holds `reset` after a reset: a state, a variant of a tagged union, a bundle of constants.
    #[track_caller]
    pub fn reg_reset_to<B: Bundle>(self, shape: B, reset: impl Value<B>) -> B {
        let loc = Location::caller();
        let reg = self.reg(shape);
        let value = reset.like(&reg);
        reg.zip_each(&value, &mut |_, reg, value| {
            store::with(self.key, loc, |b| {
                if b.check_same(&[value], loc) && reg.width != value.width {
                    b.width_error("reg_reset_to", reg.id, value.id, loc);
                } else {
                    b.set_reset(reg.id, value.id, loc);
                }
            });
        });
        self.check_reset_of_states(&reg, &reg, loc);
        reg
    }
    /// The clock of the current domain as a signal, for outputs and for foreign modules that take a clock as a signal.
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
    /// Checks the module. `ports` is the struct that was declared; all errors come back together.
    #[track_caller]
    pub fn finish<P: Ports>(self, ports: P) -> Result<Design<P>, Errors> {
        let loc = Location::caller();
        let mut foreign = false;
        ports.map_ports(&mut |s| {
            foreign |= s.key != self.key;
            s
        });
        if foreign {
            let help = "make them of this module: `let io = P::new(m);`".to_string();
            let message = "these ports are those of another module".to_string();
            self.with(|b| b.error(loc, message, vec![], Some(help)));
        }
        check::finish(store::close(self.key, loc)?, loc).map(|def| Design { def: Arc::new(def), ports })
    }
}

//! Foreign modules: Verilog that is given as text, and black boxes of which there is no text.

use super::bundle::Bundle;
use super::domains::ClockDomain;
use super::module::Module;
use super::store;
use crate::design::{Design, Ports};
use crate::ir::*;
use std::panic::Location;
use std::sync::Arc;

/// A module that is Verilog already, under construction: its ports are declared as those of every module, and
/// [`Foreign::finish`] compares them with the text.
///
/// ```
/// use hdl::*;
///
/// ports! {
///     struct ParityPorts(width: u32) {
///         input word: Signal = bits(width),
///         output odd: Signal = bits(1),
///     }
/// }
///
/// fn parity(width: u32) -> Result<Design<ParityPorts>, Errors> {
///     let f = Foreign::text("parity", "
///         module parity #(parameter WIDTH = 8) (input wire clk, input wire [WIDTH-1:0] word, output reg odd);
///             always @(posedge clk) odd <= ^word;
///         endmodule");
///     f.parameter("WIDTH", width);
///     f.clock("clk");
///     f.latency(1);
///     let io = ParityPorts::new(f, width);
///     f.finish(io)
/// }
///
/// #[module]
/// fn top() -> Result<Design<ParityPorts>, Errors> {
///     let m = Module::new("top");
///     let io = ParityPorts::new(m, 12);
///     let parity = m.instance(&parity(12)?); // as any other module
///     parity.word.set(io.word);
///     io.odd.set(parity.odd);
///     m.finish(io)
/// }
///
/// let source = verilog(&top()?, &Options::default());
/// let files: Vec<_> = source.files().map(|(name, _)| name).collect();
/// assert_eq!(files, ["parity.v", "top.v"]);
/// assert!(source.single().contains(".WIDTH(12)"));
/// # Ok::<(), Errors>(())
/// ```
///
/// What it promises beside its ports:
/// - an input belongs to the first clock that was declared, unless [`Foreign::port_domain`] says otherwise; without a clock
///   it takes any;
/// - with a clock, no input reaches an output within a cycle unless [`Foreign::combinational`] says so; without one, every
///   input reaches every output.
///
/// The text is Verilog-2005, as it comes out of a preprocessor. It is read as far as its modules, parameters and ports: what
/// cannot be read there is an error. It is printed as it is, in a file of its own.
#[derive(Clone, Copy, Debug)]
pub struct Foreign {
    module: Module,
}

impl From<Foreign> for Module {
    /// For the `new` of a [`ports!`](crate::ports!) struct.
    fn from(foreign: Foreign) -> Module {
        foreign.module
    }
}

impl Foreign {
    /// The module `name` of a Verilog text, which may hold others that it needs. The text goes into a file of its own.
    #[track_caller]
    pub fn text(name: impl Into<String>, text: impl Into<String>) -> Foreign {
        Foreign::new(name.into(), Some(Arc::new(text.into())), Location::caller())
    }
    /// A module that other tools know: a primitive of a vendor, a macro of a foundry. Nobody checks its ports.
    ///
    /// ```
    /// # use hdl::*;
    /// ports! {
    ///     /// An 18 by 18 bit multiplier of the ECP5, without registers.
    ///     struct MultPorts() {
    ///         input a: Signal = bits(18),
    ///         input b: Signal = bits(18),
    ///         output p: Signal = bits(36),
    ///     }
    /// }
    ///
    /// fn mult() -> Result<Design<MultPorts>, Errors> {
    ///     let f = Foreign::black_box("MULT18X18D");
    ///     f.parameter("REG_OUTPUT_CLK", "NONE");
    ///     let io = MultPorts::new(f);
    ///     f.pin_per_bit(io.a, "A"); // A0, A1, ..
    ///     f.pin_per_bit(io.b, "B");
    ///     f.pin_per_bit(io.p, "P");
    ///     f.finish(io)
    /// }
    /// # mult().unwrap();
    /// ```
    #[track_caller]
    pub fn black_box(name: impl Into<String>) -> Foreign {
        Foreign::new(name.into(), None, Location::caller())
    }
    fn new(name: String, text: Option<Arc<String>>, loc: Loc) -> Foreign {
        let mut body = Draft { blocks: vec![vec![]], ..Draft::default() };
        body.def.name = name.clone();
        body.def.domains.push(Domain { clock: "clk".into(), reset: "rst".into() });
        body.def.foreign = Some(Box::new(ForeignDef {
            loc,
            text,
            modules: vec![name],
            parameters: vec![],
            pins: vec![],
            clocks: vec![],
            paths: vec![],
            model: None,
        }));
        Foreign { module: Module { key: store::open(body) } }
    }
    #[track_caller]
    fn with(self, f: impl FnOnce(&mut ForeignDef)) {
        self.module.with(|b| b.def.foreign.as_deref_mut().map(f));
    }
    /// Text for people, as of every module.
    #[track_caller]
    pub fn doc(self, text: &str) {
        self.module.doc(text);
    }
    /// Cycles from inputs to outputs, as of every module.
    #[track_caller]
    pub fn latency(self, cycles: u32) {
        self.module.latency(cycles);
    }
    /// What goes through it stays in it, as in a sum or a memory: in a pipeline between streams, cycles without an item must not reach
    /// it. What only delays what goes through it does not remember.
    #[track_caller]
    pub fn remembers(self) {
        self.module.with(|b| b.def.remembers = true);
    }
    /// The input of one bit that holds all its registers while it is 0, as [`Module::enabled_by`]. A pipeline that stands connects it to
    /// what lets it move ([`Module::pipeline_enabled`]), [`Module::in_enabled`] to its enable.
    #[track_caller]
    pub fn advance(self, input: Signal) {
        let loc = Location::caller();
        let one_bit = input.one_bit("what holds a module");
        self.module.with(|b| {
            let found = b.def.ports.iter().position(|p| p.node == input.id && p.input && input.key == b.def.key);
            if found.is_none() && one_bit {
                let help = "give an input that the module declares";
                b.error(loc, "what holds a module must be one of its inputs".into(), vec![], Some(help.into()));
            }
            (b.def.advance, b.def.advance_is_all) = (found.map(|port| port as u32), found.is_some());
        });
    }
    /// Sets a parameter: a number, a text, or `(value, width)` for a bit vector.
    #[track_caller]
    pub fn parameter(self, name: &str, value: impl Into<Parameter>) {
        let (name, value, loc) = (name.to_string(), value.into(), Location::caller());
        self.with(|f| f.parameters.push((name, value, loc)));
    }
    /// A clock of the module, by its port: everything happens at its rising edge. The first one is connected to the domain in
    /// which an instance stands, the others to the clocks of the same name, or with `connect_clock`.
    #[track_caller]
    pub fn clock(self, port: &str) -> ClockDomain {
        let loc = Location::caller();
        let index = self.module.with(|b| {
            let f = b.def.foreign.as_deref_mut()?;
            f.clocks.push(Clock { name: port.into(), reset: None, loc });
            let (index, domain) = (f.clocks.len() - 1, Domain { clock: port.into(), reset: format!("{port}_reset") });
            match b.def.domains.get_mut(index) {
                Some(first) => *first = domain,
                None => b.def.domains.push(domain),
            }
            Some(index as u32)
        });
        ClockDomain { key: self.module.key, index: index.unwrap_or(0) }
    }
    /// The reset of a clock, by its port; it is active at 1.
    #[track_caller]
    pub fn reset(self, clock: ClockDomain, port: &str) {
        self.set_reset(clock, port, false);
    }
    /// The reset of a clock, by its port; it is active at 0.
    #[track_caller]
    pub fn reset_low(self, clock: ClockDomain, port: &str) {
        self.set_reset(clock, port, true);
    }
    #[track_caller]
    fn set_reset(self, clock: ClockDomain, port: &str, low: bool) {
        let loc = Location::caller();
        let Some(index) = self.module.domain_here(clock, loc) else { return };
        let mut before = None;
        self.with(|f| {
            if let Some(clock) = f.clocks.get_mut(index as usize) {
                before = clock.reset.replace((port.into(), low)).map(|(reset, _)| (clock.name.clone(), reset));
            }
        });
        if let Some((clock, reset)) = before {
            let message = format!("clock `{clock}` has a reset already, `{reset}`");
            self.module.with(|b| b.error(loc, message, vec![], Some("a clock has one reset".into())));
        }
    }
    /// No clock, as [`Module::asynchronous`]: for inputs that take any, and outputs that change at any time.
    pub fn asynchronous(self) -> ClockDomain {
        self.module.asynchronous()
    }
    /// These ports belong to this clock.
    #[track_caller]
    pub fn port_domain<B: Bundle>(self, ports: B, clock: ClockDomain) {
        self.module.port_domain(ports, clock);
    }
    /// This input reaches this output within a cycle.
    #[track_caller]
    pub fn combinational<A: Bundle, B: Bundle>(self, input: A, output: B) {
        let loc = Location::caller();
        let ports = |of: Vec<Signal>, input| of.into_iter().filter(move |s| self.is_port(*s, input, loc)).map(|s| s.id);
        let inputs: Vec<Id> = ports(input.signals(), true).collect();
        if inputs.len() < input.signals().len() {
            return; // reversed, both would be wrong
        }
        for to in ports(output.signals(), false) {
            self.with(|f| f.paths.extend(inputs.iter().map(|from| (to, *from))));
        }
    }
    /// Is this a port of the module, of this direction? If not, that is reported.
    fn is_port(self, s: Signal, input: bool, loc: Loc) -> bool {
        let check = |b: &mut Draft| {
            if !b.check_same(&[s], loc) {
                return false;
            }
            let found = b.def.ports.iter().any(|p| p.node == s.id && p.input == input);
            if !found {
                let wanted = if input { "input" } else { "output" };
                let message = format!("{} is not an {wanted} of `{}`", b.describe(s.id), b.def.name);
                let help = "give an input, then an output that it reaches: `f.combinational(io.a, io.y)`";
                b.error(loc, message, vec![], Some(help.into()));
            }
            found
        };
        store::with(self.module.key, loc, check).unwrap_or(false)
    }
    /// The port is called otherwise in the Verilog.
    #[track_caller]
    pub fn pin(self, port: Signal, name: &str) {
        self.add_pin(port, Pin::Named(name.into()), Location::caller());
    }
    /// In the Verilog every bit is a port of its own: `name` and its number.
    #[track_caller]
    pub fn pin_per_bit(self, port: Signal, name: &str) {
        self.add_pin(port, Pin::PerBit(name.into()), Location::caller());
    }
    fn add_pin(self, port: Signal, pin: Pin, loc: Loc) {
        store::with(self.module.key, loc, |b| {
            if !b.check_same(&[port], loc) {
                return;
            }
            let described = b.describe(port.id);
            let Some(f) = b.def.foreign.as_deref_mut() else { return };
            let (mut first, mut other) = (None, false);
            for (known, name) in &f.pins {
                let (Pin::Named(text) | Pin::PerBit(text)) = name;
                first = first.or((*known == port.id).then(|| text.clone()));
                other |= *known != port.id && *name == pin;
            }
            let (Pin::Named(name) | Pin::PerBit(name)) = &pin;
            let message = match first {
                Some(first) => Some(format!("{described} is called `{first}` already, not `{name}`")),
                None => other.then(|| format!("two ports are called `{name}`")),
            };
            match message {
                Some(message) => b.error(loc, message, vec![], Some("give each port a name of its own, once".into())),
                None => f.pins.push((port.id, pin)),
            }
        });
    }
    /// What the built-in simulator runs in its place: a module with the same ports. In Verilog it stands for a black box
    /// if [`Options::models`](crate::Options) asks for it. Its clock `clk` is the first clock of the foreign module; others
    /// have the same names.
    #[track_caller]
    pub fn model<P>(self, model: &Design<P>) {
        let model = model.def.clone();
        self.with(|f| f.model = Some(model));
    }
    /// Compares the ports with the text. `ports` is the struct that was declared; all errors come back together.
    #[track_caller]
    pub fn finish<P: Ports>(self, ports: P) -> Result<Design<P>, Errors> {
        self.module.finish(ports)
    }
}

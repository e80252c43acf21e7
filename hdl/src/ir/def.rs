//! A module and its parts.

use super::domain::{CrossingData, Domain, Inside, Origin};
use super::foreign::ForeignDef;
use super::node::{Id, Loc, Node};
use super::property::Prop;
use super::statement::Stmt;
use super::states::Enum;
use num_bigint::BigUint;
use std::sync::Arc;

/// A register. Order of precedence: reset, enable, statements.
#[derive(Clone, Debug)]
pub(crate) struct Reg {
    pub node: Id,
    /// Value under reset; `None`: the register has no reset.
    pub reset: Option<BigUint>,
    /// That value is a state of this enum (index into `enums`).
    pub states: Option<u32>,
    /// The register holds unless this is 1 (reset still applies).
    pub enable: Option<Id>,
    /// It has this value while that signal is 1, whatever the clock does; then it has no other reset.
    pub async_reset: Option<(Id, BigUint)>,
    /// Index into `domains`.
    pub domain: u32,
}

/// A read port of a memory. A sync port delivers a cycle later and sees the contents before the write of that cycle.
#[derive(Clone, Debug)]
pub(crate) struct ReadPort {
    pub addr: Id,
    pub data: Id,
    pub sync: bool,
    /// Sync ports: holds its data unless this is 1.
    pub enable: Option<Id>,
    pub domain: u32,
}

/// A write port. Lane `i` of the word (all lanes equally wide) is written where bit `i` of `mask` is 1.
#[derive(Clone, Debug)]
pub(crate) struct WritePort {
    pub addr: Id,
    pub data: Id,
    pub mask: Id,
    pub domain: u32,
    /// How many sections began before it.
    pub section: u32,
    /// Where it was written.
    pub loc: Loc,
}

/// A memory. Addresses are `clog2(depth)` bits wide; reading past the end gives an unspecified value (the simulator:
/// zero), writing past the end does nothing. Write ports are applied in their order.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub name: String,
    pub width: u32,
    pub depth: u32,
    /// Contents before the first clock edge; empty: unspecified (the simulator: random). Else `depth` words.
    pub init: Vec<BigUint>,
    pub reads: Vec<ReadPort>,
    pub writes: Vec<WritePort>,
    /// Verilog attributes such as `ram_style`.
    pub attributes: Vec<(String, String)>,
    /// Why no word is read while another clock writes it.
    pub crossing: Option<String>,
    pub loc: Loc,
}

/// An instance of another module.
#[derive(Clone, Debug)]
pub(crate) struct Inst {
    pub name: String,
    pub def: Arc<Def>,
    /// Pin nets of this module, one for each port of `def` in its order.
    pub pins: Vec<Id>,
    /// For each domain of `def`, the domain of this module that drives it.
    pub domains: Vec<u32>,
    /// Where the clock of each input comes from, in the order of the ports; found by the check of clocks.
    pub arriving: Vec<Origin>,
}

/// A port other than clocks and resets; its node is a net `Input` or `Output`.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub name: String,
    pub node: Id,
    pub width: u32,
    pub input: bool,
    /// It is the field `ready` of a stream, or of a channel of a bus (`wready`).
    pub is_ready: bool,
    /// The first port of the bundle that it is declared with (index into `ports`).
    pub bundle: u32,
    pub doc: String,
    /// While building: the domain that the user declared. In a [`Def`]: the domain (index) whose registers take up the
    /// input or give the output; `None` if there are none, or if it was declared that they do not matter. [`ASYNCHRONOUS`]
    /// if it was declared to belong to none.
    pub domain: Option<u32>,
}

/// An input that resets something asynchronously: while one of these bits is 1.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct ResetInput {
    /// Index into `ports`.
    pub port: u32,
    pub low: u32,
    pub width: u32,
    /// While one is 0.
    pub inverted: bool,
}

/// What ends resets of others, as it resets what resets these.
#[derive(Clone, Debug, Default)]
pub(crate) struct ResetEnds {
    /// Inputs, with bits and polarity.
    pub ports: Vec<ResetInput>,
    /// Resets of clocks that come from outside (indices into `domains`).
    pub domains: Vec<u32>,
}

/// A port of both directions: three of the ports to everything but the Verilog of a top module.
#[derive(Clone, Debug)]
pub(crate) struct PadDef {
    pub name: String,
    pub width: u32,
    /// What the module drives.
    pub out: Id,
    /// For each bit: it drives.
    pub enable: Id,
    /// What it sees.
    pub input: Id,
}

/// A finished module: checked, named, immutable.
#[derive(Clone, Debug, Default)]
pub(crate) struct Def {
    /// Tells signals of this module from those of others.
    pub key: u32,
    pub name: String,
    pub doc: String,
    /// Synthesis is to leave the module as it is.
    pub keep_hierarchy: bool,
    pub ports: Vec<Port>,
    pub pads: Vec<PadDef>,
    pub nodes: Vec<Node>,
    pub stmts: Vec<Stmt>,
    pub regs: Vec<Reg>,
    pub mems: Vec<Memory>,
    pub insts: Vec<Inst>,
    pub props: Vec<Prop>,
    pub domains: Vec<Domain>,
    pub enums: Vec<Enum>,
    /// Comment lines, each before the node with this index.
    pub sections: Vec<(Id, String)>,
    /// Signals that are not used on purpose.
    pub unused: Vec<Id>,
    /// Domains whose clock, and whose reset, this module or a module below it needs: (domain names, reset needed).
    pub clocks: Vec<(Domain, bool)>,
    /// Clocks and resets that are no ports.
    pub inside: Vec<Inside>,
    /// Verilog attributes of registers: node, name, value.
    pub attributes: Vec<(Id, String, String)>,
    /// Where signals go to other clocks on purpose.
    pub crossings: Vec<CrossingData>,
    /// Inputs (indices into `ports`) that cross to another clock together, of whatever clock they are: one clock for each list.
    pub crossing_inputs: Vec<Vec<u32>>,
    /// Why nobody checks the clocks of this module.
    pub unchecked_clocks: Option<String>,
    /// For each output port (index into `ports`): the input ports that reach it within one cycle.
    pub comb: Vec<(u32, Vec<u32>)>,
    /// The same by bits, without what stands still: what the latencies of who uses the module go by.
    pub at_once: Vec<(u32, Vec<u32>)>,
    /// The same as `comb` for the inputs that bring their clock with them: not those behind declared crossings and asynchronous resets.
    pub timed: Vec<(u32, Vec<u32>)>,
    /// Cycles from inputs to outputs, if the user stated them.
    pub latency: Option<u32>,
    /// The same of single outputs (indices into `ports`), where not all come at one time.
    pub latencies: Vec<(u32, u32)>,
    /// For each output: the inputs that reach it over registers, and over how many.
    pub ways: Vec<(u32, Vec<Way>)>,
    /// The input (index into `ports`) that everything behind the outputs holds without.
    pub advance: Option<u32>,
    /// It holds all that has a clock, also what stands behind no output.
    pub advance_is_all: bool,
    /// It was not only found out: it is the enable of all, of a pipeline, or of an instance of which this holds.
    pub advance_is_stated: bool,
    /// What goes through it leaves a trace: it must not see what is no item. Known where a latency is stated.
    pub remembers: bool,
    /// It does so a cycle after an item came, or later: by state of a stage behind the first.
    pub remembers_late: bool,
    /// The outputs (indices into `ports`) that show such a trace.
    pub traces: Vec<u32>,
    /// The inputs (indices into `ports`) that stand still while data is in flight.
    pub settings: Vec<u32>,
    /// Those of them that are marked as constant, here or below; the others only reset something.
    pub constants: Vec<u32>,
    /// The outputs (indices into `ports`) that move with items of a pipeline, here or below.
    pub items: Vec<u32>,
    /// The inputs that reset something asynchronously.
    pub resets: Vec<ResetInput>,
    /// What resets asynchronously what resets others, to a value that ends that reset.
    pub reset_ends: ResetEnds,
    /// Inputs (indices into `ports`) that something takes up at edges of a clock.
    pub taken_inputs: Vec<u32>,
    /// Outputs (indices into `ports`) that are clocks, or come from one within the cycle.
    pub clock_outputs: Vec<u32>,
    /// Registers without reset in a loop with their own enable.
    pub loops: Vec<Id>,
    /// Of a foreign module: its Verilog. It has ports, and nothing else of the above.
    pub foreign: Option<Box<ForeignDef>>,
    /// All foreign modules below this one.
    pub foreign_below: Vec<Arc<Def>>,
}

/// How many registers are between an input (index into `ports`) and an output.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Way {
    pub input: u32,
    /// So many at least, where what is kept of the items before counts as if it came at once.
    pub least: u32,
    /// So many at most, if that has a bound.
    pub most: Option<u32>,
}

impl Def {
    /// The cycles from the inputs to an output (index into `ports`), if they are stated.
    pub fn latency_of(&self, output: u32) -> Option<u32> {
        self.latency.or_else(|| self.latencies.iter().find(|(of, _)| *of == output).map(|(_, cycles)| *cycles))
    }
    /// For outputs: the inputs that reach them within the cycle, by bits as far as they are known.
    pub fn reached_at_once(&self) -> &[(u32, Vec<u32>)] {
        if self.foreign.is_some() { &self.comb } else { &self.at_once }
    }
    /// The inputs that reach an output over registers.
    pub fn ways_to(&self, output: u32) -> &[Way] {
        self.ways.iter().find(|(of, _)| *of == output).map_or(&[], |(_, ways)| ways)
    }
    /// The cycles to the last output, if those of each are stated.
    pub fn longest_latency(&self) -> Option<u32> {
        let outputs = (0..).zip(&self.ports).filter(|(_, port)| !port.input);
        let latencies: Option<Vec<u32>> = outputs.map(|(i, _)| self.latency_of(i)).collect();
        self.latency.or_else(|| latencies?.into_iter().max())
    }
    /// Has this module, or one below it, anything that keeps a value from cycle to cycle?
    pub fn keeps_something(&self) -> bool {
        let memory = |m: &Memory| !m.writes.is_empty() || m.reads.iter().any(|r| r.sync);
        let clocked = self.foreign.as_ref().is_some_and(|f| !f.clocks.is_empty());
        clocked
            || !self.regs.is_empty()
            || self.mems.iter().any(memory)
            || self.insts.iter().any(|i| i.def.keeps_something())
    }
}

impl Reg {
    /// What it reads beside its statements.
    pub fn reads(&self) -> impl Iterator<Item = Id> {
        self.enable.into_iter().chain(self.async_reset.as_ref().map(|(reset, _)| *reset))
    }
}

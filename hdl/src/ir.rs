//! The graph of a module: what the builder fills, the checks read, the printer prints and the simulator runs.
//!
//! A module is a list of [`Node`]s in an order in which every node stands after its operands, except that nets
//! ([`Op::Net`]) get their value from elsewhere: from the statements (wires, registers, output ports, instance
//! inputs), from a memory, from an instance or from outside.

use crate::foreign::ForeignDef;
use crate::inside::Inside;
use crate::property::PropertyKind;
use num_bigint::BigUint;
use std::panic::Location;
use std::sync::Arc;

/// Index of a node in its module.
pub(crate) type Id = u32;
/// Where the user wrote it.
pub(crate) type Loc = &'static Location<'static>;

/// What gives a named net its value. Indices point into the lists of [`Def`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Net {
    /// An input port.
    Input,
    /// An output port, assigned by statements (combinationally).
    Output,
    /// Assigned by statements (combinationally).
    Wire,
    /// A register, index into `regs`; statements give its next value, it holds where they do not.
    Reg(u32),
    /// An input pin of an instance (index into `insts`), assigned by statements (combinationally).
    PinIn(u32),
    /// An output pin of an instance.
    PinOut(u32),
    /// Data of read port `.1` of memory `.0`.
    MemRead(u32, u32),
    /// The clock of a domain, as a signal.
    Clock(u32),
    /// The reset of a domain, as a signal: 1 while in reset, whatever the polarity in the Verilog.
    Reset(u32),
    /// What a proof chooses freely: once (`false`), or anew in every cycle (`true`).
    Any(bool),
}

/// Operators with one operand. The reductions give one bit.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Every bit inverted.
    Not,
    /// OR of all bits.
    Any,
    /// AND of all bits.
    All,
    /// XOR of all bits.
    Parity,
}

/// Operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// `Add` to `Xor`: both operands and the result have one width; add and subtract wrap.
    Add,
    /// Difference.
    Sub,
    /// AND of each bit.
    And,
    /// OR of each bit.
    Or,
    /// XOR of each bit.
    Xor,
    /// Products: the result is as wide as both operands together.
    Mul,
    /// Of two's complement numbers.
    MulSigned,
    /// Comparisons: operands of one width, the result is one bit.
    Eq,
    /// Not equal.
    Ne,
    /// Less.
    Lt,
    /// Less or equal.
    Le,
    /// Greater.
    Gt,
    /// Greater or equal.
    Ge,
    /// Less, of two's complement numbers.
    LtSigned,
    /// Less or equal, of two's complement numbers.
    LeSigned,
    /// Greater, of two's complement numbers.
    GtSigned,
    /// Greater or equal, of two's complement numbers.
    GeSigned,
    /// Shifts: the result is as wide as the left operand; the amount is unsigned, of any width and value.
    Shl,
    /// Shift right that brings in zeros.
    Shr,
    /// Shift right that copies the sign bit.
    Sra,
}

/// What a node computes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Op {
    /// A constant.
    Const(BigUint),
    /// A variant of a state enum: index into `enums`, variant. Its value is `enums[e].variants[v].1`.
    Variant(u32, u32),
    Net(Net),
    /// Another name for the operand.
    Alias(Id),
    Un(UnOp, Id),
    Bin(BinOp, Id, Id),
    /// `condition ? yes : no`.
    Mux(Id, Id, Id),
    /// Bits from the given one upwards, as many as the node is wide.
    Slice(Id, u32),
    /// As `Slice`, from a bit that a signal gives; the builder makes sure that it cannot reach past the end.
    Part(Id, Id),
    /// Concatenation, the first in the high bits.
    Cat(Vec<Id>),
    /// The operand so many times.
    Repeat(Id, u32),
    /// Stands where an error was reported, so that elaboration goes on.
    Poison,
}

/// One signal.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub width: u32,
    pub loc: Loc,
    /// While building: the wished name. In a [`Def`]: unique in the module and legal Verilog; always there for nets.
    pub name: Option<String>,
    /// Pipeline and stage, for signals inside a pipeline scope.
    pub stage: Option<(u32, i32)>,
    pub comment: Option<String>,
}

/// Which bits of a net an assignment sets (as many as its value is wide).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Place {
    Whole,
    /// From this bit upwards.
    At(u32),
    /// From the bit that this node gives; the builder makes sure that nothing can fall past the end.
    AtSignal(Id),
}

/// Assignments, as the user nested them. Later ones win.
#[derive(Clone, Debug)]
pub(crate) enum Stmt {
    /// `section`: how many sections (see [`Def::sections`]) began before it.
    Set {
        target: Id,
        place: Place,
        value: Id,
        section: u32,
    },
    If {
        cond: Id,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// The first arm that lists the value; `default` is `None` where the user gave none.
    Case {
        selector: Id,
        arms: Vec<(Vec<Id>, Vec<Stmt>)>,
        default: Option<Vec<Stmt>>,
    },
}

/// A register. Order of precedence: reset, enable, statements.
#[derive(Clone, Debug)]
pub(crate) struct Reg {
    pub node: Id,
    /// Value under reset; `None`: the register has no reset.
    pub reset: Option<BigUint>,
    /// The register holds unless this is 1 (reset still applies).
    pub enable: Option<Id>,
    /// It has this value while that signal is 1, whatever the clock does; then it has no other reset.
    pub at_once: Option<(Id, BigUint)>,
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
}

/// A memory. Addresses are `clog2(depth)` bits wide; reading past the end gives an unspecified value (the simulator:
/// zero), writing past the end does nothing. Write ports are applied in their order.
#[derive(Clone, Debug)]
pub(crate) struct Memory {
    pub name: String,
    pub width: u32,
    pub depth: u32,
    /// Contents before the first clock edge; empty: unspecified (the simulator: zero). Else `depth` words.
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

/// A clock and its reset.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Domain {
    pub clock: String,
    pub reset: String,
}

/// A state enum that the module uses.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Enum {
    pub name: String,
    pub width: u32,
    pub variants: Vec<(String, u64)>,
}

/// A property: `cond` is looked at at the clock edge, unless the domain is in reset.
#[derive(Clone, Debug)]
pub(crate) struct Prop {
    pub kind: PropertyKind,
    pub cond: Id,
    /// Index into `domains`.
    pub domain: u32,
    pub message: String,
    pub loc: Loc,
}

/// A port other than clocks and resets; its node is a net `Input` or `Output`.
#[derive(Clone, Debug)]
pub(crate) struct Port {
    pub name: String,
    pub node: Id,
    pub width: u32,
    pub input: bool,
    pub doc: String,
    /// While building: the domain that the user declared. In a [`Def`]: the domain (index) whose registers take up the
    /// input or give the output; `None` if there are none, or if it was declared that they do not matter.
    pub domain: Option<u32>,
}

/// A declared crossing to another clock.
#[derive(Clone, Debug)]
pub(crate) struct CrossingData {
    pub what: Crosser,
    /// Found by the check of clocks.
    pub from: Origin,
    pub to: u32,
    pub reason: String,
}

/// Where the clock of a signal comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// It has none, or several.
    None,
    /// A domain.
    Domain(u32),
    /// The input port with this index, which takes any clock.
    Input(u32),
}

/// What crosses.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Crosser {
    /// The signal `from`, as `node` in the other domain.
    Signal { node: Id, from: Id },
    /// The words of a memory.
    Memory(u32),
}

/// A finished module: checked, named, immutable.
#[derive(Debug, Default)]
pub(crate) struct Def {
    /// Tells signals of this module from those of others.
    pub key: u32,
    pub name: String,
    pub doc: String,
    /// Synthesis is to leave the module as it is.
    pub keep_hierarchy: bool,
    pub ports: Vec<Port>,
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
    /// Why nobody checks the clocks of this module.
    pub unchecked_clocks: Option<String>,
    /// For each output port (index into `ports`): the input ports that reach it within one cycle.
    pub comb: Vec<(u32, Vec<u32>)>,
    /// The same for the inputs that bring their clock with them: not those behind declared crossings and asynchronous resets.
    pub timed: Vec<(u32, Vec<u32>)>,
    /// Cycles from inputs to outputs, if the user stated them.
    pub latency: Option<u32>,
    /// Of a foreign module: its Verilog. It has ports, and nothing else of the above.
    pub foreign: Option<Box<ForeignDef>>,
    /// All foreign modules below this one.
    pub foreign_below: Vec<Arc<Def>>,
}

impl Op {
    /// The nodes that this one computes its value from (none for nets).
    pub fn operands(&self) -> Vec<Id> {
        match self {
            Op::Const(_) | Op::Variant(..) | Op::Net(_) | Op::Poison => vec![],
            Op::Alias(a) | Op::Un(_, a) | Op::Slice(a, _) | Op::Repeat(a, _) => vec![*a],
            Op::Bin(_, a, b) | Op::Part(a, b) => vec![*a, *b],
            Op::Mux(c, a, b) => vec![*c, *a, *b],
            Op::Cat(parts) => parts.clone(),
        }
    }
}

impl Reg {
    /// What it reads beside its statements.
    pub fn reads(&self) -> impl Iterator<Item = Id> {
        self.enable.into_iter().chain(self.at_once.as_ref().map(|(reset, _)| *reset))
    }
}

impl Stmt {
    /// Calls `f` with every assignment below: target, place, value, section, conditions and selectors it stands under.
    pub fn each_set(block: &[Stmt], under: &mut Vec<Id>, f: &mut impl FnMut(Id, Place, Id, u32, &[Id])) {
        for stmt in block {
            match stmt {
                Stmt::Set { target, place, value, section } => f(*target, *place, *value, *section, under),
                Stmt::If { cond, then, otherwise } => {
                    under.push(*cond);
                    Stmt::each_set(then, under, f);
                    Stmt::each_set(otherwise, under, f);
                    under.pop();
                }
                Stmt::Case { selector, arms, default } => {
                    under.push(*selector);
                    arms.iter().for_each(|(_, b)| Stmt::each_set(b, under, f));
                    default.iter().for_each(|b| Stmt::each_set(b, under, f));
                    under.pop();
                }
            }
        }
    }
    /// Does this statement assign to `target` on any path?
    pub fn touches(&self, target: Id) -> bool {
        let any = |b: &[Stmt]| b.iter().any(|s| s.touches(target));
        match self {
            Stmt::Set { target: t, .. } => *t == target,
            Stmt::If { then, otherwise, .. } => any(then) || any(otherwise),
            Stmt::Case { arms, default, .. } => arms.iter().any(|(_, b)| any(b)) || default.as_deref().is_some_and(any),
        }
    }
}

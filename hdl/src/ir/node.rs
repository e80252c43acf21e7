//! One signal of a module: what it computes from which others.

use super::operator::{BinOp, UnOp};
use num_bigint::BigUint;
use std::panic::Location;

/// Index of a node in its module.
pub(crate) type Id = u32;
/// Where the user wrote it.
pub(crate) type Loc = &'static Location<'static>;

/// What gives a named net its value. Indices point into the lists of [`Def`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
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

/// What a node computes.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Op {
    /// A constant.
    Const(BigUint),
    /// A variant of a state enum: index into `enums`, variant. Its value is the variant's code.
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

/// Where a signal stands in a pipeline scope.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Stage {
    /// Index into the pipelines of the module.
    pub pipe: u32,
    /// `None`: at every stage, because it stands still while data is in flight.
    pub at: Option<i32>,
}

impl Stage {
    /// So many stages later.
    pub fn later(self, stages: i32) -> Stage {
        Stage { at: self.at.map(|at| at + stages), ..self }
    }
}

/// One signal.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub op: Op,
    pub width: u32,
    pub loc: Loc,
    /// While building: the wished name. In a [`Def`]: unique in the module and legal Verilog; always there for nets.
    pub name: Option<String>,
    /// For signals inside a pipeline scope.
    pub stage: Option<Stage>,
    pub comment: Option<String>,
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
    /// The same with other operands.
    pub fn with_operands(&self, f: impl Fn(Id) -> Id) -> Op {
        match self {
            Op::Const(_) | Op::Variant(..) | Op::Net(_) | Op::Poison => self.clone(),
            Op::Alias(a) => Op::Alias(f(*a)),
            Op::Un(op, a) => Op::Un(*op, f(*a)),
            Op::Slice(a, low) => Op::Slice(f(*a), *low),
            Op::Repeat(a, times) => Op::Repeat(f(*a), *times),
            Op::Bin(op, a, b) => Op::Bin(*op, f(*a), f(*b)),
            Op::Part(a, b) => Op::Part(f(*a), f(*b)),
            Op::Mux(c, a, b) => Op::Mux(f(*c), f(*a), f(*b)),
            Op::Cat(parts) => Op::Cat(parts.iter().map(|part| f(*part)).collect()),
        }
    }
}

//! The netlist of a design without hierarchy: what [`super::flatten`] makes and [`super::lower`] orders.

use super::case::{Case, LabelTables};
use crate::engine::{MemoryInfo, PortInfo};
use crate::ir::{BinOp, Domain, Property, UnOp};
use num_bigint::BigUint;

/// Index of a node in the [`Netlist`].
pub(super) type Node = u32;

/// What a node computes. Unlike in a module, operands may stand anywhere: [`super::lower`] finds an order.
#[derive(Clone, Debug)]
pub(super) enum Flat {
    Const(BigUint),
    /// Index into [`Netlist::sources`].
    Source(u32),
    Alias(Node),
    Un(UnOp, Node),
    Bin(BinOp, Node, Node),
    Mux(Node, Node, Node),
    Slice(Node, u32),
    Part(Node, Node),
    Cat(Vec<Node>),
    Repeat(Node, u32),
    /// The first with the bits from `.2` upwards replaced by the second; what falls past the end is dropped.
    Insert(Node, Node, Node),
    /// Word of memory `.0` at address `.1`, now.
    Read(u32, Node),
    /// Labels are those of [`Netlist::labels`].
    Case(Box<Case<Node>>),
}

impl Flat {
    pub fn operands(&self, out: &mut Vec<Node>) {
        match self {
            Flat::Const(_) | Flat::Source(_) => {}
            Flat::Alias(a) | Flat::Un(_, a) | Flat::Slice(a, _) | Flat::Repeat(a, _) | Flat::Read(_, a) => out.push(*a),
            Flat::Bin(_, a, b) | Flat::Part(a, b) => out.extend([*a, *b]),
            Flat::Mux(a, b, c) | Flat::Insert(a, b, c) => out.extend([*a, *b, *c]),
            Flat::Cat(parts) => out.extend(parts),
            Flat::Case(case) => case.each_operand(|operand| out.push(operand)),
        }
    }
}

/// A node and its width in bits.
#[derive(Clone, Debug)]
pub(super) struct FlatNode {
    pub op: Flat,
    pub width: u32,
}

/// A register, or the output of a sync read port.
#[derive(Debug)]
pub(super) struct State {
    pub source: u32,
    pub width: u32,
    pub domain: u32,
    pub reset: Option<BigUint>,
    pub next: Next,
    /// It begins as 0, and not with random contents: the design has no such register.
    pub begins_as_0: bool,
}

/// What a state takes at the clock edge.
#[derive(Debug)]
pub(super) enum Next {
    Node(Node),
    /// The word of a memory as it was before the edge; holds unless the enable is 1.
    Read {
        mem: u32,
        addr: Node,
        enable: Option<Node>,
    },
}

#[derive(Debug)]
pub(super) struct Write {
    pub mem: u32,
    pub addr: Node,
    pub data: Node,
    pub mask: Node,
    pub domain: u32,
}

#[derive(Debug)]
pub(super) struct FlatMem {
    /// Hierarchical.
    pub name: String,
    pub width: u32,
    pub depth: u32,
    pub init: Vec<BigUint>,
}

/// A design without hierarchy.
#[derive(Debug, Default)]
pub(super) struct Netlist {
    pub nodes: Vec<FlatNode>,
    /// Width of each source. The first ones are the top's ports.
    pub sources: Vec<u32>,
    pub domains: Vec<Domain>,
    pub states: Vec<State>,
    pub mems: Vec<FlatMem>,
    /// What chooses between the arms of a `switch`.
    pub labels: LabelTables,
    /// In the order of application.
    pub writes: Vec<Write>,
    /// Named signals: hierarchical name, node.
    pub names: Vec<(String, Node)>,
    /// Source of each domain's reset.
    pub resets: Vec<u32>,
    pub props: Vec<FlatProp>,
    /// The values that a prover would choose, with hierarchical names.
    pub free: Vec<PortInfo>,
    /// A domain behind those of the design, whose edges are between theirs: asynchronous resets are looked at there, too.
    pub between: Option<u32>,
    pub async_reset: Vec<AsyncReset>,
}

/// A register with an asynchronous reset.
#[derive(Clone, Copy, Debug)]
pub(super) struct AsyncReset {
    /// What is seen of it.
    pub shown: Node,
    pub held: Node,
    pub value: Node,
    pub reset: Node,
    pub domain: u32,
}

/// A property of an instance.
#[derive(Clone, Debug)]
pub(super) struct FlatProp {
    pub cond: Node,
    pub domain: u32,
    /// It is not looked at while the domain's port is in reset; else `cond` knows what resets the domain.
    pub by_reset_port: bool,
    pub property: Property,
    pub instance: String,
}

impl Netlist {
    pub fn push(&mut self, op: Flat, width: u32) -> Node {
        self.nodes.push(FlatNode { op, width });
        (self.nodes.len() - 1) as Node
    }
    pub fn source(&mut self, width: u32) -> u32 {
        self.sources.push(width);
        (self.sources.len() - 1) as u32
    }
    /// The index of a domain of the top, which is added if it is new.
    pub fn domain(&mut self, domain: &Domain) -> u32 {
        if let Some(i) = self.domains.iter().position(|d| d == domain) {
            return i as u32;
        }
        self.domains.push(domain.clone());
        let reset = self.source(1);
        self.resets.push(reset);
        (self.domains.len() - 1) as u32
    }
}

impl FlatMem {
    /// For tests.
    pub fn info(&self) -> MemoryInfo {
        MemoryInfo { name: self.name.clone(), width: self.width, depth: self.depth.into() }
    }
}

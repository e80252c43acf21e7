//! A minimal, unchecked builder of [`Def`]s, and a small random number generator.

use crate::engine::Engine;
use crate::ir::*;
use crate::sim::Simulator;
use num_bigint::BigUint;
use std::panic::Location;
use std::sync::Arc;

pub(crate) struct Build(pub Def);

impl Build {
    /// A module with one domain, `clk` and `rst`.
    pub fn new(name: &str) -> Build {
        let mut def = Def { name: name.into(), ..Def::default() };
        def.domains = vec![domain("clk", "rst")];
        def.clocks = vec![(domain("clk", "rst"), true)];
        Build(def)
    }
    pub fn node(&mut self, op: Op, width: u32) -> Id {
        let node = Node { op, width, loc: Location::caller(), name: None, stage: None, comment: None };
        self.0.nodes.push(node);
        (self.0.nodes.len() - 1) as Id
    }
    pub fn net(&mut self, name: &str, net: Net, width: u32) -> Id {
        let id = self.node(Op::Net(net), width);
        self.0.nodes[id as usize].name = Some(name.into());
        id
    }
    fn port(&mut self, name: &str, node: Id, width: u32, input: bool) {
        self.0.ports.push(Port {
            name: name.into(),
            node,
            width,
            input,
            is_ready: false,
            bundle: 0,
            doc: String::new(),
            domain: None,
        });
    }
    pub fn input(&mut self, name: &str, width: u32) -> Id {
        let id = self.net(name, Net::Input, width);
        self.port(name, id, width, true);
        id
    }
    /// An output with this value.
    pub fn output(&mut self, name: &str, value: Id) -> Id {
        let width = self.0.nodes[value as usize].width;
        let id = self.net(name, Net::Output, width);
        self.port(name, id, width, false);
        self.0.stmts.push(set(id, Place::Whole, value));
        id
    }
    pub fn wire(&mut self, name: &str, width: u32) -> Id {
        self.net(name, Net::Wire, width)
    }
    pub fn reg(&mut self, name: &str, width: u32, reset: Option<u64>, enable: Option<Id>, domain: u32) -> Id {
        let id = self.net(name, Net::Reg(self.0.regs.len() as u32), width);
        self.0.regs.push(Reg {
            node: id,
            reset: reset.map(BigUint::from),
            states: None,
            enable,
            async_reset: None,
            domain,
        });
        id
    }
    pub fn lit(&mut self, value: impl Into<BigUint>, width: u32) -> Id {
        self.node(Op::Const(value.into()), width)
    }
    pub fn bin(&mut self, op: BinOp, a: Id, b: Id) -> Id {
        let (wa, wb) = (self.0.nodes[a as usize].width, self.0.nodes[b as usize].width);
        let width = match op {
            BinOp::Mul | BinOp::MulSigned => wa + wb,
            BinOp::Add | BinOp::Sub | BinOp::And | BinOp::Or | BinOp::Xor => wa,
            BinOp::Shl | BinOp::Shr | BinOp::Sra => wa,
            _ => 1,
        };
        self.node(Op::Bin(op, a, b), width)
    }
    pub fn set(&mut self, target: Id, value: Id) {
        self.0.stmts.push(set(target, Place::Whole, value));
    }
    pub fn finish(self) -> Arc<Def> {
        Arc::new(self.0)
    }
    pub fn simulate(self) -> Simulator {
        Simulator::from_def(&self.finish(), None)
    }
}

pub(crate) fn domain(clock: &str, reset: &str) -> Domain {
    Domain { clock: clock.into(), reset: reset.into() }
}

pub(crate) fn set(target: Id, place: Place, value: Id) -> Stmt {
    Stmt::Set { target, place, value, section: 0, loc: std::panic::Location::caller() }
}

/// Pokes and peeks by name.
pub(crate) trait ByName {
    fn put(&mut self, port: &str, value: u64);
    fn get(&mut self, port: &str) -> u64;
}

impl ByName for Simulator {
    fn put(&mut self, port: &str, value: u64) {
        let port = self.port(port).expect("a port");
        self.poke(port, value);
    }
    fn get(&mut self, port: &str) -> u64 {
        let port = self.port(port).expect("a port");
        self.peek(port)
    }
}

/// xorshift64*.
pub(crate) struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }
    pub fn below(&mut self, n: u64) -> u64 {
        (self.next() >> 32) % n
    }
    /// A number of this many bits; often with long runs of zeros or ones, where carries and signs go wrong.
    pub fn bits(&mut self, width: u32) -> BigUint {
        let ones = (BigUint::from(1u8) << width) - 1u8;
        let mut value = BigUint::ZERO;
        for _ in 0..width.div_ceil(64) {
            value = (value << 64) | BigUint::from(self.next());
        }
        let value = value & &ones;
        match self.below(8) {
            0 => BigUint::ZERO,
            1 => ones,
            2 => BigUint::from(1u8) << (width - 1),
            3 => value >> self.below(u64::from(width)),
            4 => &ones ^ (value >> self.below(u64::from(width))),
            _ => value,
        }
    }
}

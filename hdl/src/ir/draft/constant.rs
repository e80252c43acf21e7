//! What is constant is folded while building.

use super::Draft;
use crate::ir::*;
use num_bigint::BigUint;

impl Draft {
    /// The value of a constant.
    pub fn constant(&self, id: Id) -> Option<&BigUint> {
        fold::constant(&self.def, id)
    }
    /// The value of an operator whose operands are constants.
    pub fn folded(&self, op: &Op, width: u32) -> Option<BigUint> {
        let ones = fold::ones(width);
        Some(match op {
            Op::Un(op, a) => fold::un(*op, self.constant(*a)?, self.node(*a).width),
            Op::Bin(op, a, b) => {
                fold::bin(*op, self.constant(*a)?, self.constant(*b)?, self.node(*a).width, self.node(*b).width)
            }
            Op::Mux(c, a, b) => {
                let (c, a, b) = (self.constant(*c)?, self.constant(*a)?, self.constant(*b)?);
                if *c == BigUint::ZERO { b.clone() } else { a.clone() }
            }
            Op::Cat(parts) => {
                let mut value = BigUint::ZERO;
                for part in parts {
                    value = (value << self.node(*part).width) | self.constant(*part)?;
                }
                value
            }
            Op::Repeat(a, n) => {
                let (w, a) = (self.node(*a).width, self.constant(*a)?);
                (0..*n).fold(BigUint::ZERO, |value, _| (value << w) | a)
            }
            Op::Part(a, low) => (self.constant(*a)? >> u32::try_from(self.constant(*low)?).ok()?) & ones,
            _ => return None,
        })
    }
}

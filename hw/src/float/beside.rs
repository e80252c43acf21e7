//! Units whose valid bit travels beside them, in a pipeline of the module that calls, and not through them.
//!
//! Each function connects an instance of the caller, whose `let` names it, and gives its result.

use super::add::BinaryPorts;
use super::operand::UnaryPorts;
use hdl::*;

/// -0 in binary16, which changes no number that it is added to.
pub const NOTHING: u32 = 0x8000;

/// A function of one number.
#[module]
pub fn of_one(m: Module, unit: &Instance<UnaryPorts>, a: Signal) -> Signal {
    unit.in_valid.set(m.lit(0u32, 1));
    unit.out_valid.unused();
    unit.a.set(a);
    unit.y
}

/// A function of two numbers, as a sum or a product.
#[module]
pub fn of_two(m: Module, unit: &Instance<BinaryPorts>, a: Signal, b: Signal) -> Signal {
    unit.in_valid.set(m.lit(0u32, 1));
    unit.out_valid.unused();
    unit.a.set(a);
    unit.b.set(b);
    unit.y
}

/// `a + b`, of an adder of its own.
#[module]
pub fn sum_of(m: Module, unit: &Design<BinaryPorts>, a: Signal, b: Signal) -> Signal {
    let adder = m.instance(unit);
    of_two(m, &adder, a, b)
}

/// `a * b`, of a multiplier of its own.
#[module]
pub fn product_of(m: Module, unit: &Design<BinaryPorts>, a: Signal, b: Signal) -> Signal {
    let multiplier = m.instance(unit);
    of_two(m, &multiplier, a, b)
}

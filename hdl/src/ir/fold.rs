//! Operators on constants.

use crate::ir::{BinOp, Def, Id, Op, UnOp};
use num_bigint::{BigInt, BigUint};

/// The largest number of this many bits.
pub(crate) fn ones(width: u32) -> BigUint {
    (BigUint::from(1u8) << width) - 1u8
}

/// The value of a node that is a constant. One that has entered a pipeline, or has another name, is none while a module is built: it has a
/// stage.
pub(crate) fn constant(def: &Def, id: Id) -> Option<&BigUint> {
    match &def.nodes[id as usize].op {
        Op::Const(v) => Some(v),
        Op::Variant(e, v) => Some(&def.enums[*e as usize].variants[*v as usize].code),
        _ => None,
    }
}

/// The value of a constant, whatever names it has.
pub(crate) fn constant_behind_names(def: &Def, id: Id) -> Option<&BigUint> {
    match def.nodes[id as usize].op {
        Op::Alias(of) => constant_behind_names(def, of),
        _ => constant(def, id),
    }
}

/// Width of the result.
pub(crate) fn bin_width(op: BinOp, wa: u32, wb: u32) -> u32 {
    use BinOp::*;
    match op {
        Add | Sub | And | Or | Xor | Shl | Shr | Sra => wa,
        Mul | MulSigned => wa + wb,
        Eq | Ne | Lt | Le | Gt | Ge | LtSigned | LeSigned | GtSigned | GeSigned => 1,
    }
}

/// Two's complement.
fn signed(value: &BigUint, width: u32) -> BigInt {
    let value = BigInt::from(value.clone());
    let negative = value.bit(u64::from(width) - 1);
    if negative { value - (BigInt::from(1) << width) } else { value }
}

/// The lowest bits of a number, in two's complement.
fn wrap(value: BigInt, width: u32) -> BigUint {
    let modulus = BigInt::from(1) << width;
    let rest = ((value % &modulus) + &modulus) % &modulus;
    rest.magnitude().clone()
}

pub(crate) fn un(op: UnOp, a: &BigUint, width: u32) -> BigUint {
    match op {
        UnOp::Not => ones(width) ^ a,
        UnOp::Any => BigUint::from(*a != BigUint::ZERO),
        UnOp::All => BigUint::from(*a == ones(width)),
        UnOp::Parity => BigUint::from(a.count_ones() % 2),
    }
}

pub(crate) fn bin(op: BinOp, a: &BigUint, b: &BigUint, wa: u32, wb: u32) -> BigUint {
    use BinOp::*;
    let (sa, sb) = (|| signed(a, wa), || signed(b, wb));
    let by = || u32::try_from(b).unwrap_or(wa).min(wa);
    match op {
        Add => (a + b) & ones(wa),
        Sub => (a + (BigUint::from(1u8) << wa) - b) & ones(wa),
        And => a & b,
        Or => a | b,
        Xor => a ^ b,
        Mul => a * b,
        MulSigned => wrap(sa() * sb(), wa + wb),
        Eq => (a == b).into(),
        Ne => (a != b).into(),
        Lt => (a < b).into(),
        Le => (a <= b).into(),
        Gt => (a > b).into(),
        Ge => (a >= b).into(),
        LtSigned => (sa() < sb()).into(),
        LeSigned => (sa() <= sb()).into(),
        GtSigned => (sa() > sb()).into(),
        GeSigned => (sa() >= sb()).into(),
        Shl => (a << by()) & ones(wa),
        Shr => a >> by(),
        // Shifting a negative BigInt to the right rounds towards minus infinity, as the hardware does.
        Sra => wrap(sa() >> by(), wa),
    }
}

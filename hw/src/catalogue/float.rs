//! The number units.

use super::Block;
use super::blocks::nothing;
use super::parameter::{Legal, Parameter, Preset, Values};
use crate::float::format::{EXP_BITS, FRAC_BITS, Format, Subnormals};
use crate::float::{add, multiply};
use hdl::Design;

const fn any(min: u32, max: u32) -> Legal {
    Legal::Range { min: min as i128, max: max as i128, multiple_of: 1 }
}

/// Exponent bits of the format.
pub(super) const EXP: Parameter = Parameter {
    name: "exp",
    doc: "exponent bits of the format: 5 for binary16, 8 for bfloat16",
    unit: "bits",
    default: None,
    legal: any(*EXP_BITS.start(), *EXP_BITS.end()),
    why: "with one, numbers could not be told from infinity, and wider ones are not tested",
};

/// Fraction bits of the format.
pub(super) const FRAC: Parameter = Parameter {
    name: "frac",
    doc: "fraction bits of the format: 10 for binary16, 7 for bfloat16",
    unit: "bits",
    default: None,
    legal: any(*FRAC_BITS.start(), *FRAC_BITS.end()),
    why: "NaN needs one, and formats wider than binary32 are not tested",
};

/// What becomes of subnormals.
pub(super) const SUBNORMALS: Parameter = Parameter {
    name: "subnormals",
    doc: "keep: as IEEE 754 has it; flush: operands and results that are subnormal become zeros, which is smaller",
    unit: "",
    default: Some(Preset::Name("keep")),
    legal: Legal::Choice(&["keep", "flush"]),
    why: "a unit does the one or the other",
};

/// The latency of a unit of this natural depth.
pub(super) const fn latency(natural: u32) -> Parameter {
    Parameter {
        name: "latency",
        doc: "cycles from operands to result; 0 is without registers",
        unit: "cycles",
        default: Some(Preset::Number(natural as i128)),
        legal: any(0, natural),
        why: "there are no more places for registers",
    }
}

/// The parameters of most units.
pub(super) const fn unit(natural: u32) -> [Parameter; 4] {
    [EXP, FRAC, SUBNORMALS, latency(natural)]
}

/// The format that was asked for.
pub(super) fn format(v: &Values) -> Format {
    Format { exp: v.number("exp"), frac: v.number("frac") }
}

/// What was asked for subnormals.
pub(super) fn subnormals(v: &Values) -> Subnormals {
    if v.choice("subnormals") == "keep" { Subnormals::Keep } else { Subnormals::Flush }
}

/// The latency that was asked for, in words.
pub(super) fn cycles(v: &Values) -> String {
    match v.number("latency") {
        1 => "1 cycle".into(),
        n => format!("{n} cycles"),
    }
}

/// The throughput of all units.
pub(super) fn every_cycle(_: &Values) -> String {
    "1 result a cycle".into()
}

pub(super) const ADD: Block = Block {
    name: "float_add",
    summary: "floating point adder, round to nearest even",
    parameters: &unit(add::NATURAL),
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    build: |_, v| add::add(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const MULTIPLY: Block = Block {
    name: "float_multiply",
    summary: "floating point multiplier, round to nearest even",
    parameters: &unit(multiply::NATURAL),
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    build: |_, v| multiply::multiply(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

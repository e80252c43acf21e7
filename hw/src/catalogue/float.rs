//! The number units.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, nothing};
use crate::float::format::{EXP_BITS, FRAC_BITS, Format, Subnormals};
use crate::float::{add, compare, dot, multiply, multiply_add, tree};
use hdl::Design;
use std::any::type_name_of_val;

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
    doc: "keep: as IEEE 754 has it; flush: operands and results that are subnormal become zeros, which saves two thirds of a multiplier",
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
    function: || type_name_of_val(&add::add),
    build: |_, v| add::add(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const MULTIPLY: Block = Block {
    name: "float_multiply",
    summary: "floating point multiplier, round to nearest even",
    parameters: &unit(multiply::NATURAL),
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&multiply::multiply),
    build: |_, v| multiply::multiply(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const MULTIPLY_ADD: Block = Block {
    name: "float_multiply_add",
    summary: "floating point fused multiply-add, rounded once to nearest even",
    parameters: &unit(multiply_add::NATURAL),
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&multiply_add::multiply_add),
    build: |_, v| multiply_add::multiply_add(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const COMPARE: Block = Block {
    name: "float_compare",
    summary: "floating point comparison, minimum and maximum",
    parameters: &unit(compare::NATURAL),
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&compare::compare),
    build: |_, v| compare::compare(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

const LANES: Parameter = Parameter {
    name: "lanes",
    doc: "numbers of a vector",
    unit: "numbers",
    default: None,
    legal: any(2, tree::MAX_LANES),
    why: "one has no sum, and wider vectors no device has the adders for",
};

/// The latency of a unit whose natural depth depends on the lanes; this is that of the most.
const fn latency_of_lanes(most: u32) -> Parameter {
    Parameter { default: None, ..latency(most) }
}

/// An error if so many cycles are more than the natural depth of the lanes.
fn latency_fits(v: &Values, natural: fn(u32) -> u32) -> Result<(), Box<Mistake>> {
    let (lanes, latency) = (v.number("lanes"), v.number("latency"));
    if latency <= natural(lanes) {
        return Ok(());
    }
    let what = format!("a latency of {latency} cycles is too long for {lanes} lanes");
    let legal = format!("a latency of at most {} cycles", natural(lanes));
    Err(Mistake::together(&["lanes", "latency"], what, legal, "there are no more places for registers"))
}

pub(super) const TREE: Block = Block {
    name: "float_tree",
    summary: "balanced floating point adder tree: the sum of a vector",
    parameters: &[EXP, FRAC, SUBNORMALS, LANES, latency_of_lanes(add::NATURAL * 8)],
    check: |v| latency_fits(v, tree::natural),
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&tree::tree),
    build: |_, v| tree::tree(format(v), subnormals(v), v.number("lanes"), v.number("latency")).map(Design::erase),
};

pub(super) const DOT: Block = Block {
    name: "float_dot",
    summary: "dot product of two vectors: multipliers and a balanced adder tree",
    parameters: &[EXP, FRAC, SUBNORMALS, LANES, latency_of_lanes(multiply::NATURAL + add::NATURAL * 8)],
    check: |v| latency_fits(v, dot::natural),
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&dot::dot),
    build: |_, v| dot::dot(format(v), subnormals(v), v.number("lanes"), v.number("latency")).map(Design::erase),
};

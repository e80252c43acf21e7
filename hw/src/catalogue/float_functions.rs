//! The number units that are more than sums and products.

use super::block::Block;
use super::float::{EXP, FRAC, SUBNORMALS, cycles, every_cycle, format, latency, subnormals};
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, nothing};
use crate::float::format::{Format, Subnormals};
use crate::float::integer::Integers;
use crate::float::{convert, divide, exponential, integer, recip, rsqrt, sqrt};
use hdl::{Design, Errors};
use std::any::type_name_of_val;

/// The latency of a unit with a row for each bit of its result: `most` for the longest fractions.
const fn rows(most: u32) -> Parameter {
    Parameter { default: None, why: "there are no more places for registers: few for short fractions", ..latency(most) }
}

/// Latencies beyond the natural one of this format.
fn natural(v: &Values, natural: u32) -> Result<(), Box<Mistake>> {
    if v.number("latency") <= natural {
        return Ok(());
    }
    let what = format!("latency = {} is too much for frac = {}", v.number("latency"), v.number("frac"));
    let legal = format!("0 to {natural} (cycles)");
    Err(Mistake::together(&["latency", "frac"], what, legal, "there are no more places for registers"))
}

/// Formats whose roots are all normal numbers.
fn roots(v: &Values) -> Result<(), Box<Mistake>> {
    let f = format(v);
    if u64::from(f.frac) < f.bias() {
        return Ok(());
    }
    let what = format!("frac = {} is too much for exp = {}", f.frac, f.exp);
    let legal = format!("frac below {}", f.bias());
    Err(Mistake::together(&["exp", "frac"], what, legal, "roots of subnormal numbers would be subnormal"))
}

/// At most so many segments.
fn lines(v: &Values, most: u32) -> Result<(), Box<Mistake>> {
    let (frac, segments) = (v.number("frac"), v.number("segments"));
    if segments <= most {
        return Ok(());
    }
    let what = format!("segments = {segments} is too much for frac = {frac}");
    let why = "a segment without numbers inside needs no line";
    Err(Mistake::together(&["segments", "frac"], what, format!("segments up to {most}"), why))
}

/// Fraction bits for which straight lines are good for something.
const SHORT_FRAC: Parameter = Parameter {
    legal: Legal::Range { min: 2, max: 12, multiple_of: 1 },
    why: "straight lines are no more accurate",
    ..FRAC
};

const SEGMENTS: Parameter = Parameter {
    name: "segments",
    doc: "straight lines that the function consists of",
    unit: "",
    default: None,
    legal: Legal::OneOf(&[4, 8, 16, 32, 64, 128, 256]),
    why: "the first bits of a number choose its line, and more lines no format needs",
};

const INTEGER: [Parameter; 2] = [
    Parameter {
        name: "bits",
        doc: "bits of the integer",
        unit: "bits",
        default: None,
        legal: Legal::Range { min: 2, max: 32, multiple_of: 1 },
        why: "wider ones are not tested",
    },
    Parameter {
        name: "signed",
        doc: "two's complement, or unsigned",
        unit: "",
        default: Some(Preset::Flag(true)),
        legal: Legal::Flag,
        why: "it is the one or the other",
    },
];

fn integers(v: &Values) -> Integers {
    Integers { bits: v.number("bits"), signed: v.flag("signed") }
}

/// The throughput and the largest error.
fn with_error(v: &Values, error: fn(Format, Subnormals, u32) -> Result<f64, Errors>) -> String {
    let rate = every_cycle(v);
    match error(format(v), subnormals(v), v.number("segments")) {
        Ok(error) => format!("{rate}, with an error of at most {error:.3} units of the last place"),
        Err(_) => rate,
    }
}

pub(super) const DIVIDE: Block = Block {
    name: "float_divide",
    summary: "floating point divider, round to nearest even",
    parameters: &[EXP, FRAC, SUBNORMALS, rows(29)],
    check: |v| natural(v, divide::natural(format(v))),
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&divide::divide),
    build: |_, v| divide::divide(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const RECIP: Block = Block {
    name: "float_recip",
    summary: "reciprocal of a floating point number, round to nearest even",
    parameters: &[EXP, FRAC, SUBNORMALS, rows(27)],
    check: |v| natural(v, recip::natural(format(v))),
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&recip::recip),
    build: |_, v| recip::recip(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const SQRT: Block = Block {
    name: "float_sqrt",
    summary: "square root of a floating point number, round to nearest even",
    parameters: &[EXP, FRAC, SUBNORMALS, rows(26)],
    check: |v| roots(v).and_then(|()| natural(v, sqrt::natural(format(v)))),
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&sqrt::sqrt),
    build: |_, v| sqrt::sqrt(format(v), subnormals(v), v.number("latency")).map(Design::erase),
};

pub(super) const RSQRT: Block = Block {
    name: "float_rsqrt",
    summary: "reciprocal square root of a floating point number, piecewise linear",
    parameters: &[EXP, SHORT_FRAC, SUBNORMALS, SEGMENTS, latency(rsqrt::NATURAL)],
    check: |v| roots(v).and_then(|()| lines(v, 1 << v.number("frac"))),
    latency: cycles,
    throughput: |v| with_error(v, rsqrt::largest_error),
    function: || type_name_of_val(&rsqrt::rsqrt),
    build: |_, v| rsqrt::rsqrt(format(v), subnormals(v), v.number("segments"), v.number("latency")).map(Design::erase),
};

pub(super) const EXPONENTIAL: Block = Block {
    name: "float_exp",
    summary: "exponential function of a floating point number, piecewise linear",
    parameters: &[EXP, SHORT_FRAC, SUBNORMALS, SEGMENTS, latency(exponential::NATURAL)],
    check: |v| lines(v, 4 << v.number("frac")),
    latency: cycles,
    throughput: |v| with_error(v, exponential::largest_error),
    function: || type_name_of_val(&exponential::exponential),
    build: |_, v| {
        let segments = v.number("segments");
        exponential::exponential(format(v), subnormals(v), segments, v.number("latency")).map(Design::erase)
    },
};

pub(super) const FROM_INTEGER: Block = Block {
    name: "float_from_integer",
    summary: "integer to floating point number, round to nearest even",
    parameters: &[EXP, FRAC, INTEGER[0], INTEGER[1], latency(integer::NATURAL)],
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&integer::from_integer),
    build: |_, v| integer::from_integer(format(v), integers(v), v.number("latency")).map(Design::erase),
};

pub(super) const TO_INTEGER: Block = Block {
    name: "float_to_integer",
    summary: "floating point number to integer, round to nearest even, saturating, NaN to 0",
    parameters: &[EXP, FRAC, SUBNORMALS, INTEGER[0], INTEGER[1], latency(integer::NATURAL)],
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&integer::to_integer),
    build: |_, v| integer::to_integer(format(v), subnormals(v), integers(v), v.number("latency")).map(Design::erase),
};

pub(super) const CONVERT: Block = Block {
    name: "float_convert",
    summary: "floating point number to another format, round to nearest even",
    parameters: &[
        EXP,
        FRAC,
        Parameter { name: "to_exp", doc: "exponent bits of the result's format", ..EXP },
        Parameter { name: "to_frac", doc: "fraction bits of the result's format", ..FRAC },
        SUBNORMALS,
        latency(convert::NATURAL),
    ],
    check: nothing,
    latency: cycles,
    throughput: every_cycle,
    function: || type_name_of_val(&convert::convert),
    build: |_, v| {
        let to = Format { exp: v.number("to_exp"), frac: v.number("to_frac") };
        convert::convert(format(v), to, subnormals(v), v.number("latency")).map(Design::erase)
    },
};

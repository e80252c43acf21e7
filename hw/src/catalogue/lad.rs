//! Parts of LAD attention.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::lad::apid::{ApidParams, MAX_POSITIONS, apid};
use crate::lad::centres::{self, CentresParams};
use crate::lad::interval_search::INTERVALS;
use crate::lad::md::{CHANGES, LATENCY, MdParams, OUTSTANDING, OVERHEAD, md};
use crate::lad::scores::{MAX_HEAD, ScoresParams, scores};
use crate::lad::sums::{OVERHEAD as SUMS_OVERHEAD, SumsParams, interval, latency, sums};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of LAD's scores.
pub fn lad_scores_params(v: &Values) -> ScoresParams {
    let [head, lanes, queries] = ["head", "lanes", "queries"].map(|name| v.number(name));
    ScoresParams { head, lanes, queries, exact: v.flag("exact") }
}

/// The parameters of APID.
pub fn apid_params(v: &Values) -> ApidParams {
    ApidParams { lanes: v.number("lanes"), max_positions: v.number("max_positions") }
}

/// The parameters of MD.
pub fn md_params(v: &Values) -> MdParams {
    let [intervals, max_positions, max_changes, outstanding] =
        ["intervals", "max_positions", "max_changes", "outstanding"].map(|name| v.number(name));
    MdParams { intervals, max_positions, max_changes, outstanding }
}

/// The parameters of sums.
pub fn lad_sums_params(v: &Values) -> SumsParams {
    let [head, lanes, max_positions] = ["head", "lanes", "max_positions"].map(|name| v.number(name));
    SumsParams { head, lanes, max_positions }
}

/// The parameters of centres.
pub fn centres_params(v: &Values) -> CentresParams {
    CentresParams { max_positions: v.number("max_positions") }
}

/// Vectors are whole beats.
fn lanes_divide_the_head(v: &Values) -> Result<(), Box<Mistake>> {
    let [head, lanes]: [u32; 2] = ["head", "lanes"].map(|name| v.number(name));
    if head.is_multiple_of(lanes) {
        return Ok(());
    }
    let what = format!("lanes = {lanes} with heads of {head} elements");
    Err(Mistake::together(&["head", "lanes"], what, "lanes that divide the head".into(), "vectors are whole beats"))
}

const HEAD: Parameter = Parameter {
    name: "head",
    doc: "elements of a query or key",
    unit: "elements",
    default: Some(Preset::Number(64)),
    legal: any(16, MAX_HEAD as i128),
    why: "sums of more products need more than 64 bits",
};

const LANES: Parameter = Parameter {
    name: "lanes",
    doc: "elements in a cycle",
    unit: "elements",
    default: Some(Preset::Number(8)),
    legal: any(4, MAX_HEAD as i128),
    why: "fewer are not worth the tree; a divisor of `head`",
};

const QUERIES: Parameter = Parameter {
    name: "queries",
    doc: "queries that are held",
    unit: "queries",
    default: Some(Preset::Number(2)),
    legal: Legal::OneOf(&[2, 4, 8, 16]),
    why: "one is loaded while others are used, and their numbers are whole bits",
};

const EXACT: Parameter = Parameter {
    name: "exact",
    doc: "whether the dot product comes beside the score as it is before it is rounded",
    unit: "",
    default: Some(Preset::Flag(false)),
    legal: Legal::Flag,
    why: "it comes, or it does not",
};

const COUNTED: [Parameter; 4] = [
    Parameter {
        name: "intervals",
        doc: "intervals of a score, with interval 0",
        unit: "intervals",
        default: Some(Preset::Number(8)),
        legal: any(*INTERVALS.start() as i128, *INTERVALS.end() as i128),
        why: "a mode has 4 bits, and fewer lines are too coarse",
    },
    Parameter {
        name: "max_positions",
        doc: "the most positions of a sequence",
        unit: "positions",
        default: Some(Preset::Number(2048)),
        legal: any(16, MAX_POSITIONS as i128),
        why: "the latest 16 are no matter of MD, and a counter has 16 bits",
    },
    Parameter {
        name: "max_changes",
        doc: "the most positions that change their mode in a step",
        unit: "positions",
        default: Some(Preset::Number(64)),
        legal: any(*CHANGES.start() as i128, *CHANGES.end() as i128),
        why: "each is an update of the caches, and without any no mode would change",
    },
    Parameter {
        name: "outstanding",
        doc: "scores, and rows of counters, that are asked for before the first one is there",
        unit: "positions",
        default: Some(Preset::Number(16)),
        legal: any(*OUTSTANDING.start() as i128, *OUTSTANDING.end() as i128),
        why: "they wait in LUT RAM",
    },
];

const SUMMED: [Parameter; 3] = [
    Parameter {
        name: "head",
        doc: "elements of a value",
        unit: "elements",
        default: Some(Preset::Number(64)),
        legal: any(16, MAX_HEAD as i128),
        why: "the number of an element has 7 bits",
    },
    Parameter {
        name: "lanes",
        doc: "elements of a value in a cycle",
        unit: "elements",
        default: Some(Preset::Number(8)),
        legal: any(4, MAX_HEAD as i128),
        why: "fewer are not worth the quotient; a divisor of `head`",
    },
    Parameter {
        name: "max_positions",
        doc: "the most positions of a job",
        unit: "positions",
        default: Some(Preset::Number(2048)),
        legal: any(16, MAX_POSITIONS as i128),
        why: "the latest 16 are added in each step, and a position has 16 bits",
    },
];

const POSITIONS: [Parameter; 2] = [
    Parameter {
        name: "lanes",
        doc: "positions in a cycle",
        unit: "positions",
        default: Some(Preset::Number(4)),
        legal: any(1, 12),
        why: "each has a copy of the scores; the paper has 12",
    },
    Parameter {
        name: "max_positions",
        doc: "the most positions of a sequence",
        unit: "positions",
        default: Some(Preset::Number(2048)),
        legal: any(16, MAX_POSITIONS as i128),
        why: "the latest 16 are no matter of APID, and a record has 16 bits for a position",
    },
];

const KEYS: [Parameter; 1] = [Parameter {
    name: "max_positions",
    doc: "the most positions of a sequence",
    unit: "positions",
    default: Some(Preset::Number(2048)),
    legal: any(16, MAX_POSITIONS as i128),
    why: "the latest 16 are in no cache, and a record has 16 bits for a position",
}];

pub(super) const APID: Block = Block {
    name: "lad_apid",
    summary: "lists the positions whose score, or its estimate, is outside of the interval of their mode",
    parameters: &POSITIONS,
    check: nothing,
    latency: |v| format!("{} cycles a pass, besides those in which positions are taken", apid_params(v).overhead()),
    throughput: |v| format!("{} positions in every cycle, however many are active", v.number("lanes")),
    function: || type_name_of_val(&apid),
    build: |_, v| apid(apid_params(v)).map(Design::erase),
};

pub(super) const MD: Block = Block {
    name: "lad_md",
    summary: "takes the accurate scores of active positions, and counts their intervals: a higher maximum, or what their modes are now",
    parameters: &COUNTED,
    check: nothing,
    latency: |_| {
        format!(
            "{LATENCY} cycles from a command to its report, besides those in which positions are taken and those in which they are counted"
        )
    },
    throughput: |_| format!("a position in every cycle, and {OVERHEAD} cycles a pass"),
    function: || type_name_of_val(&md),
    build: |_, v| md(md_params(v)).map(Design::erase),
};

pub(super) const CENTRES: Block = Block {
    name: "lad_centres",
    summary: "finds the centre of a new key among those before it, from dot products: the position of the centre, and the factor that makes an estimate of its score",
    parameters: &KEYS,
    check: nothing,
    latency: |_| {
        format!(
            "from the last beat of a list {} cycles to the record, and up to 11 more where the factor's product is moved; from the first beat at least {}",
            centres::LAST,
            centres::OWN
        )
    },
    throughput: |_| "a centre in every cycle".into(),
    function: || type_name_of_val(&centres::centres),
    build: |_, v| centres::centres(centres_params(v)).map(Design::erase),
};

pub(super) const SCORES: Block = Block {
    name: "lad_scores",
    summary: "dot products of keys with queries, exact but for products cut behind 24 places, rounded once to LAD's scores",
    parameters: &[HEAD, LANES, QUERIES, EXACT],
    check: lanes_divide_the_head,
    latency: |v| format!("{} cycles from the last beat of a key to its score", lad_scores_params(v).latency()),
    throughput: |v| format!("{} products in every cycle, key after key", v.number("lanes")),
    function: || type_name_of_val(&scores),
    build: |_, v| scores(lad_scores_params(v)).map(Design::erase),
};

pub(super) const SUMS: Block = Block {
    name: "lad_sums",
    summary: "adds the terms of positions to numerator and denominator of a query head, and gives their quotient in binary16",
    parameters: &SUMMED,
    check: lanes_divide_the_head,
    latency: |v| format!("{} cycles from the last beat of a job to its report", latency(lad_sums_params(v))),
    throughput: |v| {
        let (lanes, interval) = (v.number("lanes"), interval(lad_sums_params(v)));
        format!("{lanes} products in every cycle, and {SUMS_OVERHEAD} cycle a job; an output in {interval} cycles")
    },
    function: || type_name_of_val(&sums),
    build: |_, v| sums(lad_sums_params(v)).map(Design::erase),
};

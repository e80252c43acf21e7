//! The softmax between scores and values, and the merging of partial results of attention.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::attention::merge::{self, MAX_NUMBERS, MAX_PARTS, MIN_WORDS, MergeParams, merge};
use crate::attention::merge_axi::{self, MergeAxiParams, merge_axi};
use crate::attention::softmax::{self, SoftmaxParams, softmax};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of a softmax.
pub fn softmax_params(v: &Values) -> SoftmaxParams {
    SoftmaxParams { tokens: v.number("tokens"), statistics: false }
}

/// The most scores of a query, or tokens of a head.
pub(super) const TOKENS: Legal = Legal::OneOf(&[8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192]);

pub(super) const SOFTMAX: Block = Block {
    name: "softmax",
    summary: "weights of a softmax over the scores of one query, in binary16",
    parameters: &[Parameter {
        name: "tokens",
        doc: "the most scores of a query",
        unit: "scores",
        default: Some(Preset::Number(8192)),
        legal: TOKENS,
        why: "words of a memory are addressed by bits, and units by table have no more tokens",
    }],
    check: nothing,
    latency: |v| {
        let cycles = softmax::latency(softmax_params(v));
        format!("{cycles} cycles, and one for each score, from a query's last score to its first weight")
    },
    throughput: |_| "a score a cycle, then, after the latency, a weight a cycle; then the next query".to_string(),
    function: || type_name_of_val(&softmax),
    build: |_, v| softmax(softmax_params(v)).map(Design::erase),
};

/// The parameters of the merging of partial results.
pub fn merge_params(v: &Values) -> MergeParams {
    MergeParams { parts: v.number("parts"), numbers: v.number("numbers"), lanes: v.number("lanes") }
}

fn vector_is_long_enough(v: &Values) -> Result<(), Box<Mistake>> {
    let words = merge_params(v).words();
    if words >= MIN_WORDS {
        return Ok(());
    }
    let legal = format!("numbers / lanes from {MIN_WORDS} on");
    let why = "a sum is written before the next part reads it";
    Err(Mistake::together(&["numbers", "lanes"], format!("a vector of {words} words"), legal, why))
}

const PARTS: Parameter = Parameter {
    name: "parts",
    doc: "the most parts of a query",
    unit: "parts",
    default: Some(Preset::Number(2)),
    legal: any(2, MAX_PARTS as i128),
    why: "the sum has room for as many parts, and one part alone is the result",
};

const NUMBERS: Parameter = Parameter {
    name: "numbers",
    doc: "numbers of a vector, in binary16",
    unit: "numbers",
    default: Some(Preset::Number(64)),
    legal: Legal::Range { min: 16, max: MAX_NUMBERS as i128, multiple_of: 16 },
    why: "a head's vectors have so many",
};

pub(super) const MERGE: Block = Block {
    name: "attention_merge",
    summary: "merges partial results of attention: several heads attend to parts of the tokens of one query",
    parameters: &[
        PARTS,
        NUMBERS,
        Parameter {
            name: "lanes",
            doc: "numbers of a word, each with a multiplier and an adder",
            unit: "numbers",
            default: Some(Preset::Number(4)),
            legal: Legal::OneOf(&[1, 2, 4]),
            why: "words divide a vector, and a bus of 64 bits has no more",
        },
    ],
    check: vector_is_long_enough,
    latency: |v| {
        let (cycles, result) = (merge::latency(merge_params(v)), merge::result_latency());
        format!(
            "{cycles} cycles, and two for each part, from the last part to its first word; {result} from the last word to the result"
        )
    },
    throughput: |_| {
        "a part a cycle, then, after the latency, a word a cycle, then a word of the result a cycle; then the next query".to_string()
    },
    function: || type_name_of_val(&merge),
    build: |_, v| merge(merge_params(v)).map(Design::erase),
};

/// The parameters of the merging over AXI.
pub fn merge_axi_params(v: &Values) -> MergeAxiParams {
    let [parts, numbers, address_bits] = ["parts", "numbers", "address_bits"].map(|name| v.number(name));
    MergeAxiParams { parts, numbers, address_bits }
}

/// Bits of a byte address of what an attention head works on.
pub(super) const ADDRESS_BITS: Parameter = Parameter {
    name: "address_bits",
    doc: "bits of a byte address",
    unit: "bits",
    default: Some(Preset::Number(32)),
    legal: any(22, 64),
    why: "the rows of all tokens have room, and AXI4 has addresses of up to 64 bits",
};

pub(super) const MERGE_AXI: Block = Block {
    name: "attention_merge_axi",
    summary: "merges partial results of attention over AXI: reads what several heads wrote to memory, and writes one result",
    parameters: &[
        PARTS,
        Parameter {
            legal: Legal::Range { min: 32, max: MAX_NUMBERS as i128, multiple_of: 16 },
            why: "words have four numbers, and a sum is written before the next part reads it",
            ..NUMBERS
        },
        Parameter { why: "as for the heads, and AXI4 has addresses of up to 64 bits", ..ADDRESS_BITS },
    ],
    check: nothing,
    latency: |v| {
        let p = merge_axi_params(v).merge();
        let cycles = merge::latency(p) + merge::result_latency();
        format!(
            "{cycles} cycles, two for each part, at most {} more, and two accesses of the memory, besides its words",
            merge_axi::OVERHEAD
        )
    },
    throughput: |_| "a word a cycle, those of the parts and then those of the result; then the next job".to_string(),
    function: || type_name_of_val(&merge_axi),
    build: |name, v| merge_axi(name, merge_axi_params(v)).map(Design::erase),
};

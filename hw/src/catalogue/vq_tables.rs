//! What works by table on vector-quantized data.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use super::softmax;
use crate::vq::attention_head::{self, HeadParams, attention_head};
use crate::vq::attention_tiles::{MAX_TILES, TilesParams, attention_tiles};
use crate::vq::encoder::{self, encoder};
use crate::vq::products::{self, products};
use crate::vq::scores::{self, ScoresParams, scores};
use crate::vq::table_types::{LANES, MAX_POSITIONS, MAX_QUERIES, TableParams};
use crate::vq::values::{self, ValuesParams, values};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of the units that work by table.
pub fn table_params(v: &Values) -> TableParams {
    TableParams {
        entries: v.number("entries"),
        vector: v.number("vector"),
        positions: v.number("positions"),
        residuals: v.number("residuals"),
        queries: v.number("queries"),
    }
}

/// The parameters of an encoder.
pub fn encoder_params(v: &Values) -> TableParams {
    let [entries, vector, positions, residuals] =
        ["entries", "vector", "positions", "residuals"].map(|name| v.number(name));
    TableParams { entries, vector, positions, residuals, queries: 1 }
}

/// The parameters of scores.
pub fn scores_params(v: &Values) -> ScoresParams {
    ScoresParams { table: table_params(v), scaled: v.flag("scaled") }
}

/// The parameters of values.
pub fn values_params(v: &Values) -> ValuesParams {
    let [entries, vector, positions] = ["entries", "vector", "positions"].map(|name| v.number(name));
    let table = TableParams { entries, vector, positions, residuals: 1, queries: 1 };
    ValuesParams { table, scaled: v.flag("scaled") }
}

/// The parameters of an attention head.
pub fn head_params(v: &Values) -> HeadParams {
    let [entries, vector, positions, tokens, address_bits] =
        ["entries", "vector", "positions", "tokens", "address_bits"].map(|name| v.number(name));
    HeadParams { entries, vector, positions, tokens, address_bits, partial: v.flag("partial") }
}

/// The parameters of attention tiles.
pub fn tiles_params(v: &Values) -> TilesParams {
    let [tiles, entries, vector, positions, tokens, address_bits] =
        ["tiles", "entries", "vector", "positions", "tokens", "address_bits"].map(|name| v.number(name));
    TilesParams { head: HeadParams { entries, vector, positions, tokens, address_bits, partial: true }, tiles }
}

/// The merging adds up vectors of so many numbers.
fn merged_vectors_are_long_enough(v: &Values) -> Result<(), Box<Mistake>> {
    let numbers = tiles_params(v).merge().numbers;
    if numbers >= 32 {
        return Ok(());
    }
    let legal = "vector * positions from 32 on".to_string();
    let why = "in the merging, a sum is written before the next part reads it";
    Err(Mistake::together(&["vector", "positions"], format!("a vector of {numbers} numbers"), legal, why))
}

/// A query has two words or more.
fn query_is_long_enough(v: &Values) -> Result<(), Box<Mistake>> {
    let numbers = encoder_params(v).query_numbers();
    if numbers >= 8 {
        return Ok(());
    }
    let names = ["vector", "positions", "residuals"];
    let legal = "vector * positions / residuals from 8 on".to_string();
    Err(Mistake::together(&names, format!("a query of {numbers} numbers"), legal, "it has two words or more"))
}

const ENTRIES: Parameter = Parameter {
    name: "entries",
    doc: "the most entries of a book",
    unit: "entries",
    default: Some(Preset::Number(256)),
    legal: Legal::OneOf(&[8, 16, 32, 64, 128, 256]),
    why: "an index is a byte; tables are addressed by bits",
};

const VECTOR: Parameter = Parameter {
    name: "vector",
    doc: "numbers of an entry, in binary16",
    unit: "numbers",
    default: Some(Preset::Number(2)),
    legal: Legal::OneOf(&[1, 2, 4, 8, 16]),
    why: "words of four numbers and entries must divide each other",
};

const POSITIONS: Parameter = Parameter {
    name: "positions",
    doc: "indices of a row, each with a book of its own",
    unit: "indices",
    default: Some(Preset::Number(32)),
    legal: Legal::Range { min: LANES as i128, max: MAX_POSITIONS as i128, multiple_of: LANES as i128 },
    why: "a word has eight indices",
};

const RESIDUALS: Parameter = Parameter {
    name: "residuals",
    doc: "indices of a group",
    unit: "indices",
    default: Some(Preset::Number(1)),
    legal: Legal::OneOf(&[1, 2, 4]),
    why: "the number of a group is part of a position's",
};

const QUERIES: Parameter = Parameter {
    name: "queries",
    doc: "queries of a command",
    unit: "queries",
    default: Some(Preset::Number(1)),
    legal: any(1, MAX_QUERIES as i128),
    why: "more are several units",
};

const SCALED: Parameter = Parameter {
    name: "scaled",
    doc: "whether each token has a scale",
    unit: "",
    default: Some(Preset::Flag(false)),
    legal: Legal::Flag,
    why: "there are scales, or none",
};

pub(super) const PRODUCTS: Block = Block {
    name: "vq_products",
    summary: "multiplies queries with all entries of the codebooks that stream by, and writes the products into tables",
    parameters: &[ENTRIES, VECTOR, POSITIONS, RESIDUALS, QUERIES],
    check: query_is_long_enough,
    latency: |v| format!("{} cycles from a word to its products", products::latency(table_params(v))),
    throughput: |v| format!("a word a cycle, but for one cycle a book: {} products", 4 * v.number("queries")),
    function: || type_name_of_val(&products),
    build: |_, v| products(table_params(v), false).map(Design::erase),
};

pub(super) const ENCODER: Block = Block {
    name: "vq_encoder",
    summary: "encodes new keys and values: the index of the nearest entry of each codebook that streams by",
    parameters: &[
        ENTRIES,
        VECTOR,
        POSITIONS,
        Parameter {
            legal: Legal::OneOf(&[1]),
            why: "what an entry leaves over is known when the next book has begun",
            ..RESIDUALS
        },
    ],
    check: query_is_long_enough,
    latency: |v| format!("{} cycles from the last word of a book to its index", encoder::latency(encoder_params(v))),
    throughput: |v| {
        let overhead = encoder::overhead(encoder_params(v));
        format!("a word a cycle, but for one cycle a book and {overhead} cycles a command")
    },
    function: || type_name_of_val(&encoder),
    build: |_, v| encoder(encoder_params(v)).map(Design::erase),
};

pub(super) const SCORES: Block = Block {
    name: "vq_scores",
    summary: "the scores of a key head by table: products while the codebooks stream by, then lookups and sums",
    parameters: &[
        ENTRIES,
        Parameter { legal: Legal::OneOf(&[2, 4, 8, 16]), why: "block RAM takes two products in a cycle", ..VECTOR },
        POSITIONS,
        RESIDUALS,
        QUERIES,
        SCALED,
    ],
    check: query_is_long_enough,
    latency: |v| format!("{} cycles from the last word of a row to its scores", scores::latency(scores_params(v))),
    throughput: |v| {
        let overhead = scores::overhead(scores_params(v));
        format!("a word a cycle, but for one cycle a book and {overhead} cycles a command")
    },
    function: || type_name_of_val(&scores),
    build: |_, v| scores(scores_params(v)).map(Design::erase),
};

pub(super) const VALUES: Block = Block {
    name: "vq_values",
    summary: "the weighted sum of the values of a value head by table: weights are added to entries, then one product for each number of an entry",
    parameters: &[
        ENTRIES,
        Parameter { legal: Legal::OneOf(&[1, 2, 4]), why: "an entry is no longer than a word", ..VECTOR },
        POSITIONS,
        SCALED,
    ],
    check: nothing,
    latency: |v| {
        format!("at most {} cycles from the last word of the last book to its sums", values::latency(values_params(v)))
    },
    throughput: |v| {
        let overhead = values::overhead(values_params(v));
        format!("a word a cycle, but for one cycle a book and at most {overhead} cycles a command")
    },
    function: || type_name_of_val(&values),
    build: |_, v| values(values_params(v)).map(Design::erase),
};

/// Numbers of an entry, in a head.
const HEAD_VECTOR: Parameter =
    Parameter { legal: Legal::OneOf(&[2, 4]), why: "what both scores and values by table can be made of", ..VECTOR };

const TOKENS: Parameter = Parameter {
    name: "tokens",
    doc: "the most tokens",
    unit: "tokens",
    default: Some(Preset::Number(8192)),
    legal: softmax::TOKENS,
    why: "words of a memory are addressed by bits",
};

pub(super) const ATTENTION_HEAD: Block = Block {
    name: "vq_attention_head",
    summary: "attention of a key-value head over AXI: encodes and appends new keys and values, and attends to all of them with a query",
    parameters: &[
        ENTRIES,
        HEAD_VECTOR,
        POSITIONS,
        TOKENS,
        softmax::ADDRESS_BITS,
        Parameter {
            name: "partial",
            doc: "whether a word with the largest score and the sum of the softmax is written behind the result",
            unit: "",
            default: Some(Preset::Flag(false)),
            legal: Legal::Flag,
            why: "it is there or not",
        },
    ],
    check: nothing,
    latency: |v| {
        let overhead = attention_head::overhead(head_params(v));
        format!(
            "a job that only attends takes a cycle a word, a book and a token, at most {overhead} more, and three accesses of the memory"
        )
    },
    throughput: |_| "a word a cycle, but for one cycle a book and, between scores and values, one cycle a token".into(),
    function: || type_name_of_val(&attention_head),
    build: |name, v| attention_head(name, head_params(v)).map(Design::erase),
};

pub(super) const ATTENTION_TILES: Block = Block {
    name: "vq_attention_tiles",
    summary: "several attention heads, each with a bus of its own, and the merging of their results: the tokens of a key-value head are dealt out to them",
    parameters: &[
        Parameter {
            name: "tiles",
            doc: "heads",
            unit: "heads",
            default: Some(Preset::Number(2)),
            legal: any(2, MAX_TILES as i128),
            why: "so many results are merged",
        },
        ENTRIES,
        HEAD_VECTOR,
        POSITIONS,
        TOKENS,
        softmax::ADDRESS_BITS,
    ],
    check: merged_vectors_are_long_enough,
    latency: |_| "that of a head with a part of the tokens, and that of the merging over AXI".to_string(),
    throughput: |v| format!("{} words a cycle, as those of so many heads", v.number("tiles")),
    function: || type_name_of_val(&attention_tiles),
    build: |name, v| attention_tiles(name, tiles_params(v)).map(Design::erase),
};

//! The softmax between scores and values.

use super::block::Block;
use super::parameter::{Legal, Parameter, Preset, Values, nothing};
use crate::attention::softmax::{self, SoftmaxParams, softmax};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of a softmax.
pub fn softmax_params(v: &Values) -> SoftmaxParams {
    SoftmaxParams { tokens: v.number("tokens") }
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

//! What cuts Oaken's records into slices for memory, and makes records of slices.

use super::block::Block;
use super::oaken_engines::ENGINE;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::oaken::slices::{MAX_HEADS, MAX_TAG};
use crate::oaken::{EngineParams, SliceParams, slice_framer, slice_splitter};
use hdl::Design;
use std::any::type_name_of_val;

/// The longest vector, in elements.
const LONGEST: u32 = 8192;

const HEADS: Parameter = Parameter {
    name: "heads",
    doc: "heads of a vector",
    unit: "heads",
    default: Some(Preset::Number(32)),
    legal: any(1, MAX_HEADS as i128),
    why: "the longest vector has 8192 elements, 64 heads of 128",
};

const HEAD_ELEMENTS: Parameter = Parameter {
    name: "head_elements",
    doc: "elements of a head",
    unit: "elements",
    default: Some(Preset::Number(128)),
    legal: Legal::Range { min: 64, max: LONGEST as i128, multiple_of: 64 },
    why: "a slice is whole chunks of 64 elements, and vectors have up to 8192",
};

const BUS_BITS: Parameter = Parameter {
    name: "bus_bits",
    doc: "width of the memory side",
    unit: "bits",
    default: Some(Preset::Number(64)),
    legal: Legal::OneOf(&[64, 128, 256, 512]),
    why: "a header of 8 bytes fits in a beat of each",
};

const SPLITTER: [Parameter; 5] = [ENGINE[0], ENGINE[2], HEADS, HEAD_ELEMENTS, BUS_BITS];
const TAG_BITS: Parameter = Parameter {
    name: "tag_bits",
    doc: "bits of the tag that goes from a history to tuser of its records",
    unit: "bits",
    default: Some(Preset::Number(0)),
    legal: any(0, MAX_TAG as i128),
    why: "a dequantizer takes the number of a setting there, which has 6 bits; the MMU has tags of up to 16",
};

const FRAMER: [Parameter; 5] = [ENGINE[0], ENGINE[2], HEAD_ELEMENTS, BUS_BITS, TAG_BITS];

/// The parameters of a slice splitter.
pub fn slice_params(v: &Values) -> SliceParams {
    let (lanes, dense_bits) = (v.number("lanes"), v.number("dense_bits"));
    let engine = EngineParams { lanes, max_length: LONGEST, dense_bits, settings: 1 };
    SliceParams { engine, head_elements: v.number("head_elements"), bus_bytes: v.number("bus_bits") / 8, tag_bits: 0 }
}

/// The parameters of a slice framer.
pub fn framer_params(v: &Values) -> SliceParams {
    SliceParams { tag_bits: v.number("tag_bits"), ..slice_params(v) }
}

fn vector_fits(v: &Values) -> Result<(), Box<Mistake>> {
    let (heads, head) = (v.number("heads"), v.number("head_elements"));
    if heads * head <= LONGEST {
        return Ok(());
    }
    let what = format!("heads = {heads} of {head} elements are {} elements", heads * head);
    let why = "the record format has vectors of up to 8192 elements";
    let legal = format!("heads * head_elements of at most {LONGEST}");
    Err(Mistake::together(&["heads", "head_elements"], what, legal, why))
}

pub(super) const OAKEN_SLICE_SPLITTER: Block = Block {
    name: "oaken_slice_splitter",
    summary: "cuts the quantizer's records into slices for memory, two packets for each head, their lengths beside them",
    parameters: &SPLITTER,
    check: vector_fits,
    latency: |_| {
        "a slice is announced when all of it was read, and leaves behind those before it, the last one when the record has ended".into()
    },
    throughput: |v| {
        let word = slice_params(v).sparse_word();
        format!(
            "1 beat of the bus a cycle; a header takes 1 cycle, a chunk 1 and 1 for each word of {word} bytes that its entries touch, a record 2 more"
        )
    },
    function: || type_name_of_val(&slice_splitter),
    build: |name, v| slice_splitter(name, v.number("heads"), slice_params(v)).map(Design::erase),
};

pub(super) const OAKEN_SLICE_FRAMER: Block = Block {
    name: "oaken_slice_framer",
    summary: "makes records for the dequantizer of the slices of a head, which come from memory byte after byte",
    parameters: &FRAMER,
    check: nothing,
    latency: |_| {
        "2 cycles for the dense part, 4 for a word of the sparse part, and those of converters between unlike widths"
            .into()
    },
    throughput: |v| {
        let word = slice_params(v).sparse_word();
        format!(
            "1 beat of the bus a cycle of the dense part; of the sparse part a word of {word} bytes, and 1 cycle more for each count and header piece"
        )
    },
    function: || type_name_of_val(&slice_framer),
    build: |name, v| slice_framer(name, framer_params(v)).map(Design::erase),
};

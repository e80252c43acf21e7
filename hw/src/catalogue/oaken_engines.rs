//! Oaken's quantizer and dequantizer, and what handles their records.

use super::block::Block;
use super::parameter::{Legal, Parameter, Preset, Values, nothing};
use crate::oaken::{EngineParams, dequantizer_axi, quantizer_axi, record_join, record_split};
use hdl::Design;
use std::any::type_name_of_val;

/// The parameters of an engine, and, but for the last, of what handles its records.
pub(super) const ENGINE: [Parameter; 4] = [
    Parameter {
        name: "lanes",
        doc: "elements in a cycle",
        unit: "elements",
        default: Some(Preset::Number(16)),
        legal: Legal::OneOf(&[1, 2, 4, 8, 16, 32, 64]),
        why: "a chunk of 64 elements must be a whole number of beats",
    },
    Parameter {
        name: "max_length",
        doc: "elements of the longest vector; the length register chooses up to this",
        unit: "elements",
        default: Some(Preset::Number(4096)),
        legal: Legal::Range { min: 64, max: 8192, multiple_of: 64 },
        why: "vectors are whole chunks of 64 elements, and the length register has 14 bits",
    },
    Parameter {
        name: "dense_bits",
        doc: "width of a code in the dense part of a record",
        unit: "bits",
        default: Some(Preset::Number(4)),
        legal: Legal::OneOf(&[3, 4, 5, 6]),
        why: "the record format has these widths; the paper has 4",
    },
    Parameter {
        name: "settings",
        doc: "thresholds and lengths that the engine holds; of more than one, each vector names its own with tuser",
        unit: "settings",
        default: Some(Preset::Number(1)),
        legal: Legal::OneOf(&[1, 2, 4, 8, 16, 32, 64]),
        why: "their numbers are whole bits, and the keys and values of 32 layers have room",
    },
];

const RECORDS: [Parameter; 3] = [ENGINE[0], ENGINE[1], ENGINE[2]];

/// The parameters of an engine, or of what handles its records.
pub fn engine_params(v: &Values) -> EngineParams {
    let settings = if v.iter().any(|(name, _)| name == "settings") { v.number("settings") } else { 1 };
    EngineParams {
        lanes: v.number("lanes"),
        max_length: v.number("max_length"),
        dense_bits: v.number("dense_bits"),
        settings,
    }
}

/// Least and greatest latency over all numbers of lanes up to 16, or above (`wide`), in cycles; measured by a test. At widths other than 4 bits a beat of the
/// bus is filled by two beats of elements, and waits in the packer and the register behind it.
pub(super) fn quantizer_latency(dense_bits: u32, wide: bool) -> (u64, u64) {
    match (dense_bits, wide) {
        (4, false) => (38, 41),
        (5, false) => (40, 44),
        (_, false) => (40, 43),
        (4, true) => (48, 48),
        (_, true) => (51, 51),
    }
}
/// The same of the dequantizer, at every width.
pub(super) const DEQUANTIZER_LATENCY: (u64, u64) = (27, 38);

/// Cycles to look up the setting that a vector names.
fn look_up_latency(v: &Values) -> u64 {
    if v.number("settings") > 1 { 2 } else { 0 }
}

/// As `38 to 41`, or `48`.
fn cycles((least, greatest): (u64, u64)) -> String {
    if least == greatest { least.to_string() } else { format!("{least} to {greatest}") }
}

pub(super) const OAKEN_QUANTIZER: Block = Block {
    name: "oaken_quantizer",
    summary: "quantizes keys and values to about 4.8 bits an element (docs/oaken-format.md), AXI edges",
    parameters: &ENGINE,
    check: nothing,
    latency: |v| {
        let (least, greatest) = quantizer_latency(v.number("dense_bits"), engine_params(v).wide());
        let more = look_up_latency(v);
        let latency = cycles((least + more, greatest + more));
        format!("a record begins {latency} cycles after the last beat of its vector")
    },
    throughput: |v| format!("{} elements in every cycle, vector after vector", v.number("lanes")),
    function: || type_name_of_val(&quantizer_axi),
    build: |name, v| quantizer_axi(name, engine_params(v)).map(Design::erase),
};

pub(super) const OAKEN_DEQUANTIZER: Block = Block {
    name: "oaken_dequantizer",
    summary: "turns the records of the quantizer back into keys and values, AXI edges",
    parameters: &ENGINE,
    check: nothing,
    latency: |v| {
        let more = look_up_latency(v);
        let (least, greatest) = DEQUANTIZER_LATENCY;
        let latency = cycles((least + more, greatest + more));
        format!(
            "a vector begins {latency} cycles after the first word of its sparse part, if its first chunk has no outliers"
        )
    },
    throughput: |v| format!("{} elements in every cycle, vector after vector", v.number("lanes")),
    function: || type_name_of_val(&dequantizer_axi),
    build: |name, v| dequantizer_axi(name, engine_params(v)).map(Design::erase),
};

pub(super) const OAKEN_RECORD_JOIN: Block = Block {
    name: "oaken_record_join",
    summary: "both parts of the quantizer's records on one stream, the sparse part first",
    parameters: &RECORDS,
    check: nothing,
    latency: |_| "0 cycles for the sparse part; the dense part waits for its turn".into(),
    throughput: |_| "1 beat in every cycle".into(),
    function: || type_name_of_val(&record_join),
    build: |name, v| record_join(name, engine_params(v)).map(Design::erase),
};

pub(super) const OAKEN_RECORD_SPLIT: Block = Block {
    name: "oaken_record_split",
    summary: "records from one stream, the sparse part first, as the dequantizer takes them",
    parameters: &RECORDS,
    check: nothing,
    latency: |_| "1 or 2 cycles for the sparse part, at most 1 for the dense part".into(),
    throughput: |_| "1 beat in every cycle".into(),
    function: || type_name_of_val(&record_split),
    build: |name, v| record_split(name, engine_params(v)).map(Design::erase),
};

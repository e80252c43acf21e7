//! The blocks.

use super::parameter::{Legal, Mistake, Parameter, Preset, Values};
use super::{Block, float};
use crate::oaken::{EngineParams, dequantizer_axi, quantizer_axi};
use crate::stream::fifo::{MAX_DEPTH, Style, fifo};
use crate::stream::narrow::narrow;
use crate::stream::register_slice::register_slice;
use crate::stream::widen::widen;
use crate::stream::{MAX_RATIO, MAX_WIDTH};
use hdl::Design;

/// All blocks, in the order in which they are listed.
pub fn blocks() -> &'static [Block] {
    &[OAKEN_QUANTIZER, OAKEN_DEQUANTIZER, REGISTER_SLICE, FIFO, WIDEN, NARROW, float::ADD, float::MULTIPLY]
}

const fn any(min: i128, max: i128) -> Legal {
    Legal::Range { min, max, multiple_of: 1 }
}

const WIDTH: Parameter = Parameter {
    name: "width",
    doc: "bits of a word",
    unit: "bits",
    default: None,
    legal: any(1, MAX_WIDTH as i128),
    why: "a word needs a bit, and wider ones no device has the wires for",
};

pub(super) fn nothing(_: &Values) -> Result<(), Box<Mistake>> {
    Ok(())
}

const ENGINE: [Parameter; 2] = [
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
];

fn engine_params(v: &Values) -> EngineParams {
    EngineParams { lanes: v.number("lanes"), max_length: v.number("max_length") }
}

/// Least and greatest latency over all numbers of lanes, in cycles; measured by a test.
pub(super) const QUANTIZER_LATENCY: (u64, u64) = (34, 37);
/// The same of the dequantizer.
pub(super) const DEQUANTIZER_LATENCY: (u64, u64) = (14, 15);

/// `34 to 37`.
fn cycles((least, greatest): (u64, u64)) -> String {
    format!("{least} to {greatest}")
}

const OAKEN_QUANTIZER: Block = Block {
    name: "oaken_quantizer",
    summary: "quantizes keys and values to about 4.8 bits an element (docs/oaken-format.md), AXI edges",
    parameters: &ENGINE,
    check: nothing,
    latency: |_| format!("a record begins {} cycles after the last beat of its vector", cycles(QUANTIZER_LATENCY)),
    throughput: |v| format!("{} elements in every cycle, vector after vector", v.number("lanes")),
    build: |name, v| quantizer_axi(name, engine_params(v)).map(Design::erase),
};

const OAKEN_DEQUANTIZER: Block = Block {
    name: "oaken_dequantizer",
    summary: "turns the records of the quantizer back into keys and values, AXI edges",
    parameters: &ENGINE,
    check: nothing,
    latency: |_| {
        format!("a vector begins {} cycles after the first word of its sparse part", cycles(DEQUANTIZER_LATENCY))
    },
    throughput: |v| format!("{} elements in every cycle, for chunks of 64 with up to 8 outliers", v.number("lanes")),
    build: |name, v| dequantizer_axi(name, engine_params(v)).map(Design::erase),
};

const REGISTER_SLICE: Block = Block {
    name: "register_slice",
    summary: "cuts every path of a stream with registers",
    parameters: &[WIDTH],
    check: nothing,
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 word a cycle".into(),
    build: |_, v| register_slice(v.number("width")).map(Design::erase),
};

const FIFO: Block = Block {
    name: "fifo",
    summary: "first-in first-out queue of one clock, the first word falls through",
    parameters: &[
        WIDTH,
        Parameter {
            name: "depth",
            doc: "words that it holds",
            unit: "words",
            default: None,
            legal: any(2, MAX_DEPTH as i128),
            why: "for one word use a register slice; more than 2^20 the largest device does not hold",
        },
        Parameter {
            name: "style",
            doc: "where the words lie: block RAM, or LUT RAM for up to some 64 words",
            unit: "",
            default: Some(Preset::Name("block")),
            legal: Legal::Choice(&["block", "distributed"]),
            why: "these are the memories that devices have",
        },
    ],
    check: nothing,
    latency: |v| if v.choice("style") == "block" { "2 cycles".into() } else { "1 cycle".into() },
    throughput: |v| match (v.choice("style"), v.number("depth")) {
        ("block", 2) => "2 words in 3 cycles".into(),
        _ => "1 word in and 1 word out in every cycle".into(),
    },
    build: |_, v| {
        let style = if v.choice("style") == "block" { Style::Block } else { Style::Distributed };
        fifo(v.number("width"), v.number("depth") as usize, style).map(Design::erase)
    },
};

const CONVERTER: [Parameter; 3] = [
    Parameter {
        name: "word_width",
        doc: "bits of a word, 8 for AXI4-Stream",
        unit: "bits",
        default: Some(Preset::Number(8)),
        legal: any(1, MAX_WIDTH as i128),
        why: "a word needs a bit, and wider ones no device has the wires for",
    },
    Parameter {
        name: "words",
        doc: "words of a narrow beat",
        unit: "words",
        default: None,
        legal: any(1, MAX_WIDTH as i128),
        why: "a beat needs a word",
    },
    Parameter {
        name: "ratio",
        doc: "narrow beats in a wide one",
        unit: "beats",
        default: None,
        legal: any(2, MAX_RATIO as i128),
        why: "with 1 it would be a wire",
    },
];

/// The wide side must not be too wide.
fn converter_fits(v: &Values) -> Result<(), Box<Mistake>> {
    let factors = ["word_width", "words", "ratio"];
    let wide: u64 = factors.iter().map(|name| u64::from(v.number(name))).product();
    if wide <= u64::from(MAX_WIDTH) {
        return Ok(());
    }
    let what = format!("word_width * words * ratio = {wide} bits is too wide a beat");
    let legal = format!("a product of at most {MAX_WIDTH}");
    Err(Mistake::together(&factors, what, legal, "wider beats no device has the wires for"))
}

const WIDEN: Block = Block {
    name: "widen",
    summary: "joins narrow beats of a packet into wide ones",
    parameters: &CONVERTER,
    check: converter_fits,
    latency: |_| "1 cycle after the beat that fills or ends the wide one".into(),
    throughput: |_| "1 narrow beat in in every cycle".into(),
    build: |_, v| widen(v.number("word_width"), v.number("words"), v.number("ratio")).map(Design::erase),
};

const NARROW: Block = Block {
    name: "narrow",
    summary: "cuts wide beats of a packet into narrow ones",
    parameters: &CONVERTER,
    check: converter_fits,
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 narrow beat out in every cycle".into(),
    build: |_, v| narrow(v.number("word_width"), v.number("words"), v.number("ratio")).map(Design::erase),
};

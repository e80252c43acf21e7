//! The stream parts and the RAM.

use super::block::Block;
use super::parameter::{Legal, Mistake, Parameter, Preset, Values, any, nothing};
use crate::memory::ram::{Collision, RamParams, ram};
use crate::stream::arbiter::arbiter;
use crate::stream::convert::convert;
use crate::stream::credit_counter::{MAX_CREDITS, credit_counter};
use crate::stream::demultiplexer::demultiplexer;
use crate::stream::fifo::{MAX_DEPTH, Style, fifo};
use crate::stream::narrow::narrow;
use crate::stream::pack::{Beats, pack};
use crate::stream::packet_arbiter::packet_arbiter;
use crate::stream::register_slice::register_slice;
use crate::stream::register_slice_backward::register_slice_backward;
use crate::stream::register_slice_forward::register_slice_forward;
use crate::stream::several::MAX_STREAMS;
use crate::stream::widen::widen;
use crate::stream::{MAX_RATIO, MAX_WIDTH, MAX_WORDS};
use hdl::Design;
use std::any::type_name_of_val;

pub(super) const WIDTH: Parameter = Parameter {
    name: "width",
    doc: "bits of a word",
    unit: "bits",
    default: None,
    legal: any(1, MAX_WIDTH as i128),
    why: "a word needs a bit, and wider ones no device has the wires for",
};

pub(super) const STYLE: Parameter = Parameter {
    name: "style",
    doc: "where the words lie: block RAM, or LUT RAM for up to some 64 words",
    unit: "",
    default: Some(Preset::Name("block")),
    legal: Legal::Choice(&["block", "distributed"]),
    why: "these are the memories that devices have",
};

pub(super) fn style(v: &Values) -> Style {
    if v.choice("style") == "block" { Style::Block } else { Style::Distributed }
}

/// The product of these parameters is a number of bits that a device has wires for.
fn bits_fit(v: &Values, factors: &[&'static str], what: &str) -> Result<(), Box<Mistake>> {
    let bits: u64 = factors.iter().map(|name| u64::from(v.number(name))).product();
    if bits <= u64::from(MAX_WIDTH) {
        return Ok(());
    }
    let problem = format!("{} = {bits} bits is too wide a {what}", factors.join(" * "));
    let legal = format!("a product of at most {MAX_WIDTH}");
    Err(Mistake::together(factors, problem, legal, &format!("wider {what}s no device has the wires for")))
}

pub(super) const REGISTER_SLICE: Block = Block {
    name: "register_slice",
    summary: "cuts the paths of a stream with registers",
    parameters: &[
        WIDTH,
        Parameter {
            name: "kind",
            doc: "full cuts all paths, forward those of valid and payload, backward that of ready",
            unit: "",
            default: Some(Preset::Name("full")),
            legal: Legal::Choice(&["full", "forward", "backward"]),
            why: "a slice cuts one direction or both",
        },
    ],
    check: nothing,
    latency: |v| if v.choice("kind") == "backward" { "0 cycles".into() } else { "1 cycle".into() },
    throughput: |_| "1 word a cycle".into(),
    function: || type_name_of_val(&register_slice),
    build: |_, v| match (v.choice("kind"), v.number("width")) {
        ("forward", width) => register_slice_forward(width).map(Design::erase),
        ("backward", width) => register_slice_backward(width).map(Design::erase),
        (_, width) => register_slice(width).map(Design::erase),
    },
};

pub(super) const FIFO: Block = Block {
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
        STYLE,
    ],
    check: nothing,
    latency: |v| if v.choice("style") == "block" { "2 cycles".into() } else { "1 cycle".into() },
    throughput: |v| match (v.choice("style"), v.number("depth")) {
        ("block", 2) => "2 words in 3 cycles".into(),
        _ => "1 word in and 1 word out in every cycle".into(),
    },
    function: || type_name_of_val(&fifo),
    build: |_, v| fifo(v.number("width"), v.number("depth") as usize, style(v)).map(Design::erase),
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
    bits_fit(v, &["word_width", "words", "ratio"], "beat")
}

pub(super) const WIDEN: Block = Block {
    name: "widen",
    summary: "joins narrow beats of a packet into wide ones",
    parameters: &CONVERTER,
    check: converter_fits,
    latency: |_| "1 cycle after the beat that fills or ends the wide one".into(),
    throughput: |_| "1 narrow beat in in every cycle".into(),
    function: || type_name_of_val(&widen),
    build: |_, v| widen(v.number("word_width"), v.number("words"), v.number("ratio")).map(Design::erase),
};

pub(super) const NARROW: Block = Block {
    name: "narrow",
    summary: "cuts wide beats of a packet into narrow ones",
    parameters: &CONVERTER,
    check: converter_fits,
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 narrow beat out in every cycle".into(),
    function: || type_name_of_val(&narrow),
    build: |_, v| narrow(v.number("word_width"), v.number("words"), v.number("ratio")).map(Design::erase),
};

const fn words(name: &'static str, doc: &'static str, min: u32) -> Parameter {
    let why = "a beat needs a word, and more are not tested";
    Parameter { name, doc, unit: "words", default: None, legal: any(min as i128, MAX_WORDS as i128), why }
}

/// Both beats must not be too wide.
fn beats_fit(v: &Values) -> Result<(), Box<Mistake>> {
    bits_fit(v, &["word_width", "words_in"], "beat")?;
    bits_fit(v, &["word_width", "words_out"], "beat")
}

pub(super) const CONVERT: Block = Block {
    name: "convert",
    summary: "converts packets from beats of any number of words to beats of any other",
    parameters: &[
        CONVERTER[0],
        words("words_in", "words of a beat in", 1),
        words("words_out", "words of a beat out", 1),
    ],
    check: |v| {
        beats_fit(v)?;
        if v.number("words_in") != v.number("words_out") {
            return Ok(());
        }
        let (names, what) = (["words_in", "words_out"], "words_in and words_out are the same".to_string());
        Err(Mistake::together(&names, what, "two different numbers".into(), "it would be a wire"))
    },
    latency: |v| match (v.number("words_in"), v.number("words_out")) {
        (from, to) if from < to => "1 cycle after the beat that fills or ends the one out".into(),
        _ => "1 cycle".into(),
    },
    throughput: |v| match (v.number("words_in"), v.number("words_out")) {
        (from, to) if from < to => "1 beat in in every cycle".into(),
        _ => "1 beat out in every cycle".into(),
    },
    function: || type_name_of_val(&convert),
    build: |_, v| convert(v.number("word_width"), v.number("words_in"), v.number("words_out")),
};

pub(super) const PACK: Block = Block {
    name: "pack",
    summary: "packs beats of any number of words into full ones",
    parameters: &[
        CONVERTER[0],
        words("words_in", "words of a beat in, at most", 1),
        words("words_out", "words of a beat out", 2),
        Parameter {
            name: "beats",
            doc: "what comes in: any number of words in every beat, or full beats but for the last of a packet",
            unit: "",
            default: Some(Preset::Name("any")),
            legal: Legal::Choice(&["any", "full"]),
            why: "full beats need less logic",
        },
    ],
    check: |v| {
        beats_fit(v)?;
        let (from, to) = (v.number("words_in"), v.number("words_out"));
        if from < to || (from == to && v.choice("beats") == "any") {
            return Ok(());
        }
        let what = format!("words_in = {from}, words_out = {to} with beats = \"{}\"", v.choice("beats"));
        let legal = "words_in less than words_out, or the same with beats = \"any\"".to_string();
        Err(Mistake::together(
            &["words_in", "words_out", "beats"],
            what,
            legal,
            "a beat in gives at most one out; see `convert`",
        ))
    },
    latency: |_| "1 cycle after the beat that fills or ends the one out".into(),
    throughput: |_| "1 beat in in every cycle".into(),
    function: || type_name_of_val(&pack),
    build: |_, v| {
        let beats = if v.choice("beats") == "any" { Beats::Any } else { Beats::Full };
        pack(v.number("word_width"), v.number("words_in"), v.number("words_out"), beats).map(Design::erase)
    },
};

const fn side_by_side(name: &'static str, doc: &'static str) -> Parameter {
    let why = "one would be a wire; for more, use two levels";
    Parameter { name, doc, unit: "streams", default: None, legal: any(2, MAX_STREAMS as i128), why }
}

pub(super) const DEMULTIPLEXER: Block = Block {
    name: "demultiplexer",
    summary: "sends each word of a stream to the output whose number comes with it",
    parameters: &[WIDTH, side_by_side("outputs", "streams out")],
    check: nothing,
    latency: |_| "0 cycles".into(),
    throughput: |_| "1 word a cycle".into(),
    function: || type_name_of_val(&demultiplexer),
    build: |_, v| demultiplexer(v.number("width"), v.number("outputs")).map(Design::erase),
};

/// The words of all inputs together.
fn inputs_fit(v: &Values) -> Result<(), Box<Mistake>> {
    bits_fit(v, &["width", "inputs"], "port")
}

pub(super) const ARBITER: Block = Block {
    name: "arbiter",
    summary: "several streams to one, word by word in turn",
    parameters: &[WIDTH, side_by_side("inputs", "streams in")],
    check: inputs_fit,
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 word a cycle".into(),
    function: || type_name_of_val(&arbiter),
    build: |_, v| arbiter(v.number("width"), v.number("inputs")).map(Design::erase),
};

pub(super) const PACKET_ARBITER: Block = Block {
    name: "packet_arbiter",
    summary: "several streams to one, packet by packet in turn",
    parameters: &[WIDTH, side_by_side("inputs", "streams in")],
    check: inputs_fit,
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 beat a cycle, also from packet to packet".into(),
    function: || type_name_of_val(&packet_arbiter),
    build: |_, v| packet_arbiter(v.number("width"), v.number("inputs")).map(Design::erase),
};

pub(super) const CREDIT_COUNTER: Block = Block {
    name: "credit_counter",
    summary: "counts how many words may still be sent to a buffer that is far away",
    parameters: &[Parameter {
        name: "credits",
        doc: "words of the receiver's buffer",
        unit: "words",
        default: None,
        legal: any(1, MAX_CREDITS as i128),
        why: "with none nothing could be sent, and a larger buffer no device holds",
    }],
    check: nothing,
    latency: |_| "a credit that comes back can be taken in the next cycle".into(),
    throughput: |_| "1 credit taken and 1 given in every cycle".into(),
    function: || type_name_of_val(&credit_counter),
    build: |_, v| credit_counter(v.number("credits")).map(Design::erase),
};

pub(super) const RAM: Block = Block {
    name: "ram",
    summary: "RAM with a port to write and a stream to read",
    parameters: &[
        WIDTH,
        Parameter {
            name: "depth",
            doc: "words that it holds",
            unit: "words",
            default: None,
            legal: any(2, MAX_DEPTH as i128),
            why: "for one word use a register; more than 2^20 the largest device does not hold",
        },
        Parameter {
            name: "lanes",
            doc: "equal parts of a word that are written each by themselves: byte enables, if as many as bytes",
            unit: "lanes",
            default: Some(Preset::Number(1)),
            legal: any(1, MAX_WIDTH as i128),
            why: "a lane has at least one bit",
        },
        STYLE,
        Parameter {
            name: "collision",
            doc: "what a read gives in the cycle of a write to its address: the word from before, or anything (less logic)",
            unit: "",
            default: Some(Preset::Name("old")),
            legal: Legal::Choice(&["old", "any"]),
            why: "the word that is being written no block RAM gives everywhere",
        },
    ],
    check: |v| {
        let (width, lanes) = (v.number("width"), v.number("lanes"));
        if width.is_multiple_of(lanes) {
            return Ok(());
        }
        let what = format!("{lanes} lanes do not divide a word of {width} bits");
        Err(Mistake::together(
            &["width", "lanes"],
            what,
            "a divisor of width".into(),
            "lanes are equal parts of the word",
        ))
    },
    latency: |_| "1 cycle".into(),
    throughput: |_| "1 word read and 1 written in every cycle".into(),
    function: || type_name_of_val(&ram),
    build: |_, v| {
        let collision = if v.choice("collision") == "old" { Collision::Old } else { Collision::Any };
        let (width, depth, lanes) = (v.number("width"), v.number("depth") as usize, v.number("lanes"));
        ram(RamParams { width, depth, lanes, style: style(v), collision }).map(Design::erase)
    },
};

//! Block diagram of the quantizer with AXI edges.

use super::drawing::{Drawing, ENGINE};
use crate::diagram::{Align, Kind, rect};
use hdl::Errors;
use hw::oaken::quantizer_axi;

pub fn draw() -> Result<String, Errors> {
    let design = quantizer_axi("oaken_quantizer", ENGINE)?;
    let mut d = Drawing::new(&design, 1060, 590);
    d.diagram.frame(rect(110, 10, 810, 568), "oaken_quantizer: 16 elements a cycle", true);
    d.diagram.frame(rect(206, 128, 624, 438), "core", false);
    let registers = d.section(
        rect(214, 44, 608, 42),
        ("", "registers"),
        "registers",
        &["AXI4-Lite: length, thresholds, enable; status, errors, count of vectors"],
    );
    settings_and_streams(&mut d);
    d.diagram.arrow(&[(96, 65), registers.left(65)]);
    way_in(&mut d);
    way_out(&mut d);
    Ok(d.diagram.svg())
}

/// The ports, and what goes between the registers and the core.
fn settings_and_streams(d: &mut Drawing) {
    let d = &mut d.diagram;
    d.port((90, 60), Align::End, "s_axil", "registers");
    d.port((90, 201), Align::End, "s_axis", "binary16");
    d.port((934, 412), Align::Start, "m_axis_dense", "4-bit codes");
    d.port((934, 488), Align::Start, "m_axis_sparse", "header, counts,");
    d.label((934, 518), Align::Start, "outliers");
    d.arrow(&[(270, 86), (270, 128)]);
    d.label((278, 111), Align::Start, "length, thresholds, enable");
    d.arrow(&[(740, 128), (740, 86)]);
    d.label((732, 111), Align::End, "busy, finished, errors");
}

/// Elements to the ring, and to the steps of their vector.
fn way_in(d: &mut Drawing) {
    let guard = d.part(rect(220, 176, 104, 60), Kind::Logic, "core.guard", &["makes vectors", "of `length`"]);
    let lines = ["group of each", "element, 1 a lane"];
    let classify = d.parts(rect(360, 176, 130, 60), Kind::Logic, "core.classify", ENGINE.lanes, &lines);
    let extremes =
        d.part(rect(526, 176, 120, 60), Kind::Logic, "core.extremes", &["largest magnitude", "of each group"]);
    let steps =
        d.part(rect(690, 176, 126, 60), Kind::Logic, "core.steps", &["steps, reciprocals,", "header; 1 step unit"]);
    let counts = d.part(rect(220, 284, 104, 60), Kind::Memory, "core.counts", &["outliers of", "each chunk"]);
    let ring = d.part(rect(360, 284, 130, 60), Kind::Memory, "core.ring", &["elements wait for", "their steps"]);
    let queue = d.part(rect(690, 284, 126, 60), Kind::Memory, "core.queue", &["one descriptor", "for each vector"]);
    let step_unit = |name: &str| d.parts.iter().any(|p| p == name);
    assert!(step_unit("core.steps.step") && !step_unit("core.steps.step_1"), "one step unit");
    let d = &mut d.diagram;
    d.arrow(&[(96, 206), guard.left(206)]);
    for (from, to) in [(guard, classify), (classify, extremes), (extremes, steps)] {
        d.arrow(&[from.right(206), to.left(206)]);
    }
    d.arrow(&[classify.bottom(380), (380, 260), (272, 260), counts.top(272)]);
    d.arrow(&[classify.bottom(440), ring.top(440)]);
    d.arrow(&[steps.bottom(753), queue.top(753)]);
}

/// Elements from the ring to the two parts of the record.
fn way_out(d: &mut Drawing) {
    let encode =
        d.section(rect(400, 384, 130, 54), ("core", "out: encode"), "encode", &["element / step", "to a 4-bit code"]);
    let together = ("core", "out: move the entries together");
    let compact = d.section(rect(400, 460, 130, 54), together, "compact", &["outliers moved", "together"]);
    let writer = d.part(
        rect(620, 460, 170, 54),
        Kind::Logic,
        "core.writer",
        &["bytes turned to their", "place, a RAM for each"],
    );
    let dense = d.part(rect(620, 384, 170, 54), Kind::Logic, "core.dense", &["a queue in LUT RAM"]);
    let d = &mut d.diagram;
    d.arrow(&[(380, 344), (380, 411), encode.left(411)]);
    d.arrow(&[(380, 411), (380, 487), compact.left(487)]);
    d.arrow(&[encode.right(411), dense.left(411)]);
    d.label((572, 405), Align::Middle, "codes");
    d.arrow(&[compact.right(487), writer.left(487)]);
    d.label((572, 481), Align::Middle, "entries");
    d.arrow(&[dense.right(411), (930, 411)]);
    d.arrow(&[writer.right(487), (930, 487)]);
    d.arrow(&[(690, 314), (512, 314), encode.top(512)]);
    d.label((600, 307), Align::Middle, "steps of the vector");
    d.arrow(&[(753, 344), (753, 364), (808, 364), (808, 472), writer.right(472)]);
    d.label((780, 359), Align::Middle, "header");
    d.arrow(&[(272, 344), (272, 542), (705, 542), writer.bottom(705)]);
    d.label((446, 556), Align::Middle, "count of each chunk");
}

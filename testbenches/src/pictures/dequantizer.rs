//! Block diagram of the dequantizer with AXI edges.

use super::drawing::{Drawing, ENGINE};
use crate::diagram::{Align, Kind, rect};
use hdl::Errors;
use hw::oaken::dequantizer_axi;

pub fn draw() -> Result<String, Errors> {
    let design = dequantizer_axi("oaken_dequantizer", ENGINE)?;
    let mut d = Drawing::new(&design, 1040, 470);
    d.diagram.frame(rect(130, 10, 790, 448), "oaken_dequantizer: 16 elements a cycle, no vector is buffered", true);
    d.diagram.frame(rect(226, 128, 684, 318), "core", false);
    let registers = d.section(
        rect(234, 44, 668, 42),
        ("", "registers"),
        "registers",
        &["AXI4-Lite: length, thresholds, enable; status, errors, count of vectors"],
    );
    ports(&mut d);
    d.diagram.arrow(&[(116, 65), registers.left(65)]);
    blocks(&mut d);
    Ok(d.diagram.svg())
}

/// The ports, and what goes between the registers and the core.
fn ports(d: &mut Drawing) {
    let d = &mut d.diagram;
    d.port((110, 60), Align::End, "s_axil", "registers");
    d.port((110, 197), Align::End, "s_axis_sparse", "header, counts,");
    d.label((110, 227), Align::End, "outliers");
    d.port((110, 376), Align::End, "s_axis_dense", "4-bit codes");
    d.port((936, 376), Align::Start, "m_axis", "binary16");
    d.arrow(&[(290, 86), (290, 128)]);
    d.label((298, 111), Align::Start, "length, thresholds, enable");
    d.arrow(&[(800, 128), (800, 86)]);
    d.label((792, 111), Align::End, "busy, finished, errors");
}

fn blocks(d: &mut Drawing) {
    let walker = d.part(rect(240, 176, 124, 54), Kind::Logic, "core.walker", &["words to chunks", "and headers"]);
    let counter = d.part(rect(240, 246, 124, 54), Kind::Logic, "core.counter", &["entries of", "each beat"]);
    let guard = d.part(rect(240, 352, 124, 60), Kind::Logic, "core.guard", &["makes vectors", "of `length`"]);
    let levels = d.part(rect(430, 176, 130, 54), Kind::Logic, "core.writer", &["half steps of", "each group"]);
    let reader = d.part(rect(430, 246, 130, 54), Kind::Logic, "core.reader", &["entries to the", "map of a beat"]);
    let in_use = ("core", "the map in use");
    let map = d.section(rect(630, 176, 130, 124), in_use, "map in use", &["which of 16 are", "outliers, and how"]);
    let lines = ["tables of levels;", "code to binary16"];
    let lanes = d.section(rect(630, 352, 130, 60), ("core", "the lanes"), "lane0 \u{2026} 15", &lines);
    let slice = ("core", "a register slice");
    let slice = d.section(rect(806, 352, 90, 60), slice, "register", &["slice"]);
    let d = &mut d.diagram;
    d.arrow(&[(116, 203), walker.left(203)]);
    d.arrow(&[(116, 382), guard.left(382)]);
    d.arrow(&[walker.right(203), levels.left(203)]);
    d.label((397, 197), Align::Middle, "header");
    d.arrow(&[walker.bottom(302), counter.top(302)]);
    d.arrow(&[counter.right(273), reader.left(273)]);
    d.label((397, 267), Align::Middle, "counts");
    d.arrow(&[levels.right(203), (622, 203), (622, 336), (650, 336), lanes.top(650)]);
    d.arrow(&[reader.right(273), map.left(273)]);
    d.label((590, 197), Align::Middle, "levels");
    d.label((590, 267), Align::Middle, "marks");
    d.arrow(&[map.bottom(695), lanes.top(695)]);
    d.label((703, 330), Align::Start, "16 marks");
    d.arrow(&[guard.right(382), lanes.left(382)]);
    d.label((497, 376), Align::Middle, "16 codes");
    d.arrow(&[lanes.right(382), slice.left(382)]);
    d.arrow(&[slice.right(382), (932, 382)]);
}

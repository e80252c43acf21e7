//! Where the cells of a configuration sit: by the source file of hw/src whose signals they make.
//!
//! Modules are dissolved in the netlist (all but those that are to be kept), so a cell belongs to the nearest signal with a name that
//! it helps to make: the printed Verilog says beside each signal which line of which file it comes from. Shared logic counts once, for
//! the signal that is found first.

use super::record::Counts;
use anyhow::{Context, Result};
use serde_json::{Map, Value};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

/// What is counted for the files of which no signal is found.
const NONE: &str = "(ports)";

/// A cell of the netlist.
struct Cell<'a> {
    kind: &'a str,
    outputs: Vec<u64>,
}

/// Which cells read a bit.
type Readers = HashMap<u64, Vec<usize>>;

/// Counts of cells by source file. `netlist` is Yosys' JSON of `verilog`, which it read as the file `design.v`.
pub fn blocks(netlist: &Value, verilog: &str) -> Result<BTreeMap<String, Counts>> {
    let modules = netlist["modules"].as_object().context("the netlist has no modules")?;
    let top = modules.values().find(|module| !module["attributes"]["top"].is_null());
    let mut counts = BTreeMap::new();
    count(top.context("the netlist has no top module")?, modules, verilog, &mut counts)?;
    Ok(counts)
}

/// Adds the cells of a module and of the modules in it.
fn count(
    module: &Value,
    modules: &Map<String, Value>,
    verilog: &str,
    counts: &mut BTreeMap<String, Counts>,
) -> Result<()> {
    let files = files(module, verilog)?;
    let (cells, readers) = cells(module)?;
    for (index, cell) in cells.iter().enumerate() {
        // cells of the device have models without cells
        match modules.get(cell.kind).filter(|module| module["cells"].as_object().is_some_and(|cells| !cells.is_empty()))
        {
            Some(inner) => count(inner, modules, verilog, counts)?,
            None => {
                let file = nearest(index, &cells, &readers, &files).unwrap_or(NONE);
                *counts.entry(file.to_string()).or_default().entry(cell.kind.to_string()).or_default() += 1;
            }
        }
    }
    Ok(())
}

/// The source file of each bit that has a name in the Verilog.
fn files<'v>(module: &Value, verilog: &'v str) -> Result<HashMap<u64, &'v str>> {
    let lines: Vec<&str> = verilog.lines().collect();
    let mut files = HashMap::new();
    for net in module["netnames"].as_object().context("the netlist has no nets")?.values() {
        let Some(source) = net["attributes"]["src"].as_str() else { continue };
        // `design.v:3577.5-3581.8|cells_map.v:36.102-36.164`
        let line = |place: &str| place.strip_prefix("design.v:")?.split('.').next()?.parse::<usize>().ok();
        let Some(file) = source.split('|').filter_map(line).find_map(|n| file(lines.get(n - 1)?)) else { continue };
        bits(&net["bits"]).for_each(|bit| {
            files.entry(bit).or_insert(file);
        });
    }
    Ok(files)
}

/// `maxima.rs` of a line with the comment `// maxima.rs:64`.
fn file(line: &str) -> Option<&str> {
    let (file, _) = line.split_once("//")?.1.split_whitespace().next_back()?.split_once(':')?;
    file.ends_with(".rs").then_some(file)
}

/// The bits of a list; constants are left out.
fn bits(list: &Value) -> impl Iterator<Item = u64> {
    list.as_array().into_iter().flatten().filter_map(Value::as_u64)
}

/// All cells, and which of them read a bit.
fn cells(module: &Value) -> Result<(Vec<Cell<'_>>, Readers)> {
    let (mut cells, mut readers) = (vec![], Readers::new());
    for cell in module["cells"].as_object().context("the netlist has no cells")?.values() {
        let mut outputs = vec![];
        for (port, connected) in cell["connections"].as_object().into_iter().flatten() {
            match cell["port_directions"][port] == "output" {
                true => outputs.extend(bits(connected)),
                false => bits(connected).for_each(|bit| readers.entry(bit).or_default().push(cells.len())),
            }
        }
        cells.push(Cell { kind: cell["type"].as_str().context("a cell has no type")?, outputs });
    }
    Ok((cells, readers))
}

/// The file of the nearest bit with a name, from a cell's outputs on.
fn nearest<'v>(cell: usize, cells: &[Cell], readers: &Readers, files: &HashMap<u64, &'v str>) -> Option<&'v str> {
    let (mut seen, mut queue) = (HashSet::from([cell]), VecDeque::from([cell]));
    while let Some(at) = queue.pop_front() {
        if let Some(file) = cells[at].outputs.iter().find_map(|bit| files.get(bit)) {
            return Some(file);
        }
        let next = cells[at].outputs.iter().filter_map(|bit| readers.get(bit)).flatten();
        queue.extend(next.copied().filter(|reader| seen.insert(*reader)));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_cell_counts_for_the_file_of_the_nearest_signal_that_it_makes() {
        let verilog =
            "module top (\n    input a,\n    output y\n);\n    wire sum = a; // add.rs:7\n    reg held; // fifo.rs:9\n";
        let cell = |kind: &str, from: Value, to: Value| {
            let directions = json!({ "A": "input", "Z": "output" });
            json!({ "type": kind, "port_directions": directions, "connections": { "A": from, "Z": to } })
        };
        let net = |bits: Value, source: &str| json!({ "bits": bits, "attributes": { "src": source } });
        let netlist = json!({ "modules": { "LUT4": { "attributes": {} }, "top": {
            "attributes": { "top": "1" },
            "netnames": {
                "a": net(json!([2]), "design.v:2.11-2.12"),
                "sum": net(json!([4]), "cells.v:1.1-1.2|design.v:5.10-5.13"),
                "held": net(json!([5]), "design.v:6.9-6.13"),
            },
            "cells": {
                "first": cell("LUT4", json!([2]), json!([3])),
                "second": cell("LUT4", json!([3, "0"]), json!([4])),
                "third": cell("FF", json!([4]), json!([5])),
                "last": cell("LUT4", json!([5]), json!([6])),
                "inner": cell("inner", json!([5]), json!([7])),
            },
        }, "inner": { "attributes": {}, "netnames": { "held": net(json!([3]), "design.v:6.9-6.13") }, "cells": {
            "only": cell("FF", json!([2]), json!([3])),
        } } } });
        let count = |kind: &str, n| Counts::from([(kind.to_string(), n)]);
        let expected = [("add.rs", count("LUT4", 2)), ("fifo.rs", count("FF", 2)), (NONE, count("LUT4", 1))];
        let expected = expected.into_iter().map(|(file, counts)| (file.to_string(), counts)).collect();
        assert_eq!(blocks(&netlist, verilog).unwrap(), expected);
    }
}

//! The page of the coverage: its table, what was not reached, and the state of the hardware for which it holds.

use super::{Count, Point, Points, signal};
use crate::drivers::Driver;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The table, a row for each source file of `hw` that has a module and one for all, and behind it what was not reached.
///
/// # Errors
/// If a point has no place: the table would be silent about it.
pub fn table(points: &Points) -> Result<String, String> {
    let lost: Vec<String> = points.keys().filter(|point| point.file.is_empty()).map(name).collect();
    if !lost.is_empty() {
        return Err(format!("no place in hw/src for {} of Verilator's points: {}", lost.len(), lost.join(", ")));
    }
    let mut files: BTreeMap<&str, Vec<(&Point, u64)>> = BTreeMap::new();
    // what gathers unused bits for lint tools is no hardware
    for (point, count) in points.iter().filter(|(point, _)| !point.what.starts_with("unused_ok")) {
        files.entry(&point.file).or_default().push((point, *count));
    }
    let mut out =
        "| source | branches | reached | % | bits | toggled | % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            .to_string();
    for (file, points) in &files {
        out += &row(file, points);
    }
    out += &row("all", &files.values().flatten().copied().collect::<Vec<_>>());
    Ok(out + "\n" + &missed(&files))
}

/// The branches that were not reached.
pub fn unreached(points: &Points) -> Vec<String> {
    points.iter().filter(|(point, count)| point.count == Count::Branch && **count == 0).map(|(p, _)| name(p)).collect()
}

/// Module and signal or branch of a point.
fn name(point: &Point) -> String {
    match point.count {
        Count::Toggle => format!("`{} {}`", point.module, point.what),
        Count::Branch => format!("`{}`", point.what),
    }
}

/// A row of the table.
fn row(name: &str, points: &[(&Point, u64)]) -> String {
    let of = |kind: Count| {
        let all = points.iter().filter(|(point, _)| point.count == kind);
        let (all, reached) = (all.clone().count(), all.filter(|(_, count)| *count > 0).count());
        let percent = if all == 0 { "-".into() } else { format!("{:.1}", 100.0 * reached as f64 / all as f64) };
        format!("{all} | {reached} | {percent}")
    };
    format!("| {name} | {} | {} |\n", of(Count::Branch), of(Count::Toggle))
}

/// The points that were not reached, by source line: signals with their bits, and branches.
fn missed(files: &BTreeMap<&str, Vec<(&Point, u64)>>) -> String {
    let mut out = String::new();
    for (file, points) in files {
        let mut lines: BTreeMap<u32, BTreeMap<&str, BTreeSet<u32>>> = BTreeMap::new();
        for (point, _) in points.iter().filter(|(_, count)| *count == 0) {
            let (name, bit) = signal(&point.what);
            lines.entry(point.line).or_default().entry(name).or_default().extend(bit);
        }
        for (line, names) in lines {
            let place = if line == 0 { file.to_string() } else { format!("{file}:{line}") };
            let names: Vec<String> = names.iter().map(|(name, bits)| format!("`{name}{}`", ranges(bits))).collect();
            out += &format!("- {place}: {}\n", names.join(", "));
        }
    }
    out
}

/// `[7:4, 0]`, or nothing for a signal of one bit.
fn ranges(bits: &BTreeSet<u32>) -> String {
    let mut ranges: Vec<(u32, u32)> = vec![];
    for &bit in bits {
        match ranges.last_mut() {
            Some((high, _)) if *high + 1 == bit => *high = bit,
            _ => ranges.push((bit, bit)),
        }
    }
    let range = |(high, low): &(u32, u32)| if high == low { format!("{high}") } else { format!("{high}:{low}") };
    let ranges: Vec<String> = ranges.iter().rev().map(range).collect();
    if ranges.is_empty() { String::new() } else { format!("[{}]", ranges.join(", ")) }
}

/// What stands before the state in the page.
const STATE: &str = "Verilog that was measured: ";

/// The state of the hardware: a hash of the Verilog of the drivers' designs. A line that moves in a source does not change it.
pub fn state(drivers: &[Driver]) -> String {
    let texts = |driver: &Driver| driver.files().into_iter().map(|(_, text)| text).collect::<String>();
    state_of(drivers.iter().map(texts))
}

/// The state of designs, each all its Verilog in one text.
fn state_of(designs: impl Iterator<Item = String>) -> String {
    let mut hash = Sha256::new();
    designs.for_each(|text| hash.update(hdl::verilog_code(&text)));
    hash.finalize().iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// Does the page hold for this state?
///
/// # Errors
/// If it is of another one, or cannot be read.
pub fn check(document: &Path, state: &str) -> Result<(), String> {
    let text = std::fs::read_to_string(document).map_err(|e| format!("{}: {e}", document.display()))?;
    let of = text.lines().find_map(|line| line.strip_prefix(STATE)).unwrap_or("none");
    let help = "`cargo xtask coverage` renews it";
    if of == state { Ok(()) } else { Err(format!("docs/coverage.md is of Verilog {of}, not of {state}: {help}")) }
}

/// Renews the state and the table in a document, which stand behind the marker.
///
/// # Errors
/// If the file cannot be read or written, or has no marker.
pub fn write(document: &Path, marker: &str, state: &str, table: &str) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", document.display());
    let text = std::fs::read_to_string(document).map_err(failed)?;
    let (before, _) = text.split_once(marker).ok_or(format!("{} has no line {marker}", document.display()))?;
    std::fs::write(document, format!("{before}{marker}\n{STATE}{state}\n\n{table}")).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_sees_operators_and_not_the_lines_of_sources() {
        let text = "module m (input wire a, output wire y);\n    assign y = a & l57_s1; // and.rs:57\nendmodule\n";
        let of = |from: &str, to: &str| state_of([text.replace(from, to)].into_iter());
        assert_eq!(of("and.rs:57", "and.rs:58"), of("", ""));
        assert_eq!(of("57", "58"), of("", ""));
        assert_ne!(of("a & l57", "a | l57"), of("", ""));
    }

    #[test]
    fn a_page_of_another_state_is_out_of_date() {
        let file = crate::yosys::folder().join("page.md");
        std::fs::write(&file, "By hand.\n\n<!-- m -->\nold\n").unwrap();
        assert!(check(&file, "12ab").unwrap_err().contains("is of Verilog none, not of 12ab"));
        write(&file, "<!-- m -->\n", "12ab", "| new |\n").unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        assert_eq!(text, "By hand.\n\n<!-- m -->\n\nVerilog that was measured: 12ab\n\n| new |\n");
        assert_eq!(check(&file, "12ab"), Ok(()));
        assert!(check(&file, "12ac").unwrap_err().contains("`cargo xtask coverage` renews it"));
    }
}

//! Coverage: which branches of the printed Verilog ran and which bits toggled in the tests of the drivers, by hardware source file.
//!
//! Verilator counts, for each point, how often it was reached. A point stands on a line of the Verilog, whose comment names the
//! Rust line that it comes from; so the figures of a part in all its sizes come together in its source file.

use crate::drivers::{Driver, Effort, Kind};
use crate::mutation::rust_place;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// A branch of an `if` in a clocked process, or a block of statements.
    Branch,
    /// A bit that went to 1 or to 0.
    Toggle,
}

/// A point of one Verilog module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The hardware source file, `fifo.rs`; empty if the line names none.
    pub file: String,
    /// Its line; 0 if none is known.
    pub line: u32,
    /// The Verilog module.
    pub module: String,
    /// What is counted.
    pub count: Count,
    /// The signal and its bit, or the branch.
    pub what: String,
}

/// Points, and how often each was reached.
pub type Points = BTreeMap<Point, u64>;

/// Runs the driver's test and returns the points of its design.
///
/// # Errors
/// If the model cannot be built, or the test fails.
pub fn run(driver: &Driver, effort: Effort) -> Result<Points, String> {
    let verilog: String = driver.files().into_iter().map(|(_, text)| text).collect();
    let mut model = driver.model(&verilog, &[], Kind::Coverage).map_err(|e| e.to_string())?;
    driver.run(&mut model, effort)?;
    let folder = crate::yosys::folder();
    let file = folder.join("coverage.dat");
    model.write_coverage(&file).map_err(|e| e.to_string())?;
    let data = std::fs::read(&file).map_err(|e| format!("{}: {e}", file.display()))?;
    let _ = std::fs::remove_dir_all(&folder);
    Ok(points(&String::from_utf8_lossy(&data), &verilog))
}

/// The points of Verilator's file: lines `C '...' count`, with fields of which each is introduced by 1 and its value by 2.
fn points(data: &str, verilog: &str) -> Points {
    let mut points = Points::new();
    for line in data.lines() {
        let Some((fields, count)) = line.strip_prefix("C '").and_then(|rest| rest.rsplit_once("' ")) else { continue };
        let field = |name: &str| {
            let of = |field: &str| field.split_once('\u{2}').filter(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            fields.split('\u{1}').find_map(of).unwrap_or_default()
        };
        let (kind, module) = match field("page").split_once('/') {
            Some((kind, module)) => (kind.to_string(), module.to_string()),
            None => continue,
        };
        let number: u32 = field("l").parse().unwrap_or(0);
        let count_of = if kind.contains("toggle") { Count::Toggle } else { Count::Branch };
        let place = rust_place(verilog, number as usize);
        let (file, rust) = place.as_deref().and_then(|place| place.split_once(':')).unwrap_or_default();
        let what = match count_of {
            Count::Toggle => field("o"),
            Count::Branch => format!("{} of line {number}", field("o")),
        };
        let (file, rust_line) = (file.to_string(), rust.parse().unwrap_or(0));
        let point = Point { file, line: rust_line, module, count: count_of, what };
        *points.entry(point).or_default() += count.trim().parse::<u64>().unwrap_or(0);
    }
    known(points)
}

/// The signal of a point and its bit: `signal[3]:0->1`, or `signal:0->1` for one bit.
fn signal(what: &str) -> (&str, Option<u32>) {
    let signal = what.split(':').next().unwrap_or(what);
    let indexed = signal.strip_suffix(']').and_then(|s| s.rsplit_once('['));
    indexed.map_or((signal, None), |(name, bit)| (name, bit.parse().ok()))
}

/// Without the bits of which Verilator 5.048 knows nothing: signals wider than 64 bits are arrays of words of 32 bits for it, and
/// it counts the first word for all of them.
fn known(mut points: Points) -> Points {
    let mut wide = BTreeSet::new();
    for point in points.keys() {
        if let (name, Some(64..)) = signal(&point.what) {
            wide.insert((point.module.clone(), name.to_string()));
        }
    }
    points.retain(|point, _| {
        let (name, bit) = signal(&point.what);
        bit.is_none_or(|bit| bit < 32) || !wide.contains(&(point.module.clone(), name.to_string()))
    });
    points
}

/// Adds the points of another run.
pub fn merge(all: &mut Points, more: Points) {
    for (point, count) in more {
        *all.entry(point).or_default() += count;
    }
}

/// Names of the source files of the hardware.
fn sources() -> Vec<String> {
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../hw/src")];
    let mut names = vec![];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            match path.file_name().and_then(|name| name.to_str()) {
                _ if path.is_dir() => folders.push(path),
                Some(name) => names.push(name.to_string()),
                None => {}
            }
        }
    }
    names
}

/// The table, a row for each source file of `hw` that has a module, and behind it what was not reached.
pub fn table(points: &Points) -> String {
    let mut files: BTreeMap<&str, Vec<(&Point, u64)>> = BTreeMap::new();
    let sources = sources();
    // what gathers unused bits for lint tools is no hardware
    let hardware = |point: &Point| sources.contains(&point.file) && !point.what.starts_with("unused_ok");
    for (point, count) in points.iter().filter(|(point, _)| hardware(point)) {
        files.entry(&point.file).or_default().push((point, *count));
    }
    let mut out =
        "| source | branches | reached | % | bits | toggled | % |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            .to_string();
    for (file, points) in &files {
        let of = |kind: Count| {
            let all = points.iter().filter(|(point, _)| point.count == kind);
            let (all, reached) = (all.clone().count(), all.filter(|(_, count)| *count > 0).count());
            let percent = if all == 0 { "-".into() } else { format!("{:.1}", 100.0 * reached as f64 / all as f64) };
            format!("{all} | {reached} | {percent}")
        };
        out += &format!("| {file} | {} | {} |\n", of(Count::Branch), of(Count::Toggle));
    }
    out + "\n" + &missed(&files)
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

/// Renews the table in a document, which stands behind the marker.
///
/// # Errors
/// If the file cannot be read or written, or has no marker.
pub fn write(document: &Path, marker: &str, table: &str) -> Result<(), String> {
    let failed = |e: std::io::Error| format!("{}: {e}", document.display());
    let text = std::fs::read_to_string(document).map_err(failed)?;
    let (before, _) = text.split_once(marker).ok_or(format!("{} has no line {marker}", document.display()))?;
    std::fs::write(document, format!("{before}{marker}\n{table}")).map_err(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_are_read_merged_and_listed() {
        let verilog = "module m ();\n    reg [7:0] count; // fifo.rs:12\nendmodule\n";
        let line = |bit: u32, count: u32| {
            let o = format!("count[{bit}]:0->1");
            let fields = [("f", "model.v"), ("l", "2"), ("page", "v_toggle/m"), ("o", &o)];
            let fields: String = fields.iter().map(|(name, value)| format!("\u{1}{name}\u{2}{value}")).collect();
            format!("C '{fields}' {count}\n")
        };
        let head = "# SystemC::Coverage-3\n";
        let mut all = points(&format!("{head}{}{}", line(0, 3), line(1, 0)), verilog);
        assert_eq!(all.len(), 2);
        assert!(table(&all).contains("| fifo.rs | 0 | 0 | - | 2 | 1 | 50.0 |"), "{}", table(&all));
        assert!(table(&all).ends_with("- fifo.rs:12: `count[1]`\n"), "{}", table(&all));
        merge(&mut all, points(&line(1, 1), verilog));
        assert!(table(&all).contains("| 2 | 2 | 100.0 |"), "{}", table(&all));
        [3, 5, 6, 7].iter().for_each(|bit| merge(&mut all, points(&line(*bit, 0), verilog)));
        assert!(table(&all).ends_with("- fifo.rs:12: `count[7:5, 3]`\n"), "{}", table(&all));
        // of wide signals only the lowest word is known
        let wide = points(&format!("{}{}{}", line(0, 3), line(40, 3), line(64, 3)), verilog);
        assert_eq!(wide.keys().map(|point| &point.what[..]).collect::<Vec<_>>(), ["count[0]:0->1"]);
        assert_eq!(points(&format!("{}{}", line(40, 3), line(63, 3)), verilog).len(), 2);
    }
}

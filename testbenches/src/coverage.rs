//! Coverage: which branches of the printed Verilog ran and which bits toggled in the tests of the drivers, by hardware source file.
//!
//! Verilator counts, for each point, how often it was reached. A point stands on a line of the Verilog, which comes from a line in
//! Rust; so the figures of a part in all its sizes come together in its source file. No point is left out for want of a place:
//! [`table`] fails if one has none.

mod page;
mod places;

pub use page::{check, state, table, unreached, write};

use crate::drivers::{
    Driver, Effort, Kind, configuration, dot_of_two, engines_of_settings, names, small, tree_of_two, widths,
};
use hdl::engine::{Engine, PowerUp};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Count {
    /// A branch of an `if`, of a `case` or of a conditional operator, or a process.
    Branch,
    /// A bit that went to 1 or to 0.
    Toggle,
}

/// A point of one Verilog module.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Point {
    /// The hardware source file, `fifo.rs`; empty if nothing in the module names one.
    pub file: String,
    /// The line in it to which the point belongs.
    pub line: u32,
    /// The Verilog module.
    pub module: String,
    /// What is counted.
    pub count: Count,
    /// The signal and its bit; or the branch with its module, and its line (in the module) and column.
    pub what: String,
}

/// Points, and how often each was reached.
pub type Points = BTreeMap<Point, u64>;

/// All drivers with small parameters, the Oaken engines also with four lanes, with several settings and with 64 lanes, and the number
/// units of binary16; of the units of
/// vectors small ones.
///
/// # Errors
/// If a configuration cannot be built.
pub fn drivers() -> Result<Vec<Driver>, String> {
    let units = names().into_iter().filter(|name| name.starts_with("f16_") && !name.ends_with("dot16"));
    let units = units.chain(["oaken_quantizer_p4", "oaken_dequantizer_p4"].map(String::from));
    let units = units.map(|name| configuration(&name)).collect::<Result<Vec<_>, _>>()?;
    let wide = widths().into_iter().filter(|driver| driver.name.contains("_p64"));
    let engines = engines_of_settings().into_iter().chain(wide);
    Ok(small(false).into_iter().chain(units).chain(engines).chain([dot_of_two(), tree_of_two()]).collect())
}

/// Runs the driver's test and returns the points of its design.
///
/// # Errors
/// If the model cannot be built, or the test fails.
pub fn run(driver: &Driver, effort: Effort) -> Result<Points, String> {
    let verilog: String = driver.files().into_iter().map(|(_, text)| text).collect();
    let mut model = driver.model(&verilog, &[], Kind::Coverage).map_err(|e| e.to_string())?;
    // a bit that falls from what it came up with was moved by no test
    model.power_up(PowerUp::Zero);
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
    let modules = places::modules(verilog, &sources());
    let mut points = Points::new();
    for line in data.lines() {
        let Some((fields, count)) = line.strip_prefix("C '").and_then(|rest| rest.rsplit_once("' ")) else { continue };
        let field = |name: &str| {
            let of = |field: &'_ str| field.split_once('\u{2}').filter(|(n, _)| *n == name).map(|(_, v)| v.to_string());
            fields.split('\u{1}').find_map(of).unwrap_or_default()
        };
        *points.entry(point(field, &modules)).or_default() += count.trim().parse::<u64>().unwrap_or(0);
    }
    known(points)
}

/// The point that has these fields: `page` (kind and module), `l` and `n` (line and column), `o` (the branch, or the signal and its
/// bit), and `S` (the lines that a branch covers, `31-33,40`).
fn point(field: impl Fn(&str) -> String, modules: &[places::Module]) -> Point {
    let (page, what) = (field("page"), field("o"));
    let (kind, module) = page.split_once('/').unwrap_or_default();
    let count = if kind.contains("toggle") { Count::Toggle } else { Count::Branch };
    let number: usize = field("l").parse().unwrap_or(0);
    let of = modules.iter().find_map(|module| Some((module, module.line(number)?)));
    // an `else` is counted on the line of its `if`
    let covered: usize = field("S").split(['-', ',']).next().and_then(|line| line.parse().ok()).unwrap_or(number);
    let place = of.and_then(|(module, line)| match count {
        Count::Toggle => module.place(line, Some(signal(&what).0)),
        Count::Branch if what == "else" => module.place(module.line(covered)?, None),
        Count::Branch => module.place(line, None),
    });
    let (file, rust_line) = place.and_then(|place| place.split_once(':')).unwrap_or_default();
    let what = match (count, of) {
        (Count::Branch, Some((_, line))) => format!("{module} {what} of line {line}.{}", field("n")),
        _ => what,
    };
    Point { file: file.to_string(), line: rust_line.parse().unwrap_or(0), module: module.to_string(), count, what }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn page(points: &Points) -> String {
        table(points).expect("all have a place")
    }

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
        assert!(
            page(&all).contains("| fifo.rs | 0 | 0 | - | 2 | 1 | 50.0 |\n| all | 0 | 0 | - | 2 | 1 | 50.0 |"),
            "{}",
            page(&all)
        );
        assert!(page(&all).ends_with("- fifo.rs:12: `count[1]`\n"), "{}", page(&all));
        merge(&mut all, points(&line(1, 1), verilog));
        assert!(page(&all).contains("| 2 | 2 | 100.0 |"), "{}", page(&all));
        [3, 5, 6, 7].iter().for_each(|bit| merge(&mut all, points(&line(*bit, 0), verilog)));
        assert!(page(&all).ends_with("- fifo.rs:12: `count[7:5, 3]`\n"), "{}", page(&all));
        // of wide signals only the lowest word is known
        let wide = points(&format!("{}{}{}", line(0, 3), line(40, 3), line(64, 3)), verilog);
        assert_eq!(wide.keys().map(|point| &point.what[..]).collect::<Vec<_>>(), ["count[0]:0->1"]);
        assert_eq!(points(&format!("{}{}", line(40, 3), line(63, 3)), verilog).len(), 2);
    }

    /// A line of Verilator's file for a branch.
    fn branch(line: u32, column: u32, what: &str, covers: &str, count: u32) -> String {
        let (line, column) = (line.to_string(), column.to_string());
        let fields = [("l", &line[..]), ("n", &column), ("page", "v_branch/m"), ("o", what), ("S", covers)];
        let fields: String = fields.iter().map(|(name, value)| format!("\u{1}{name}\u{2}{value}")).collect();
        format!("C '{fields}' {count}\n")
    }

    #[test]
    fn every_branch_counts_by_itself() {
        let verilog = "module m ();
    reg head; // fifo.rs:7
    reg tail; // fifo.rs:8
    always @(posedge clk) begin
        if (rst) begin
            head <= 1'h0;
        end else begin
            if (a) tail <= b ? c : d ? e : f;
        end
    end
endmodule
";
        let resets = branch(5, 9, "if", "5-6", 3) + &branch(5, 10, "else", "7", 0);
        // two conditional operators of one line are two points
        let operators = branch(8, 30, "cond_then", "8", 4) + &branch(8, 38, "cond_then", "8", 0);
        let all = points(&format!("{resets}{operators}"), verilog);
        assert!(page(&all).contains("| fifo.rs | 4 | 2 | 50.0 | 0 | 0 | - |"), "{}", page(&all));
        assert_eq!(unreached(&all), ["`m cond_then of line 8.38`", "`m else of line 5.10`"]);
        assert!(
            page(&all).ends_with("- fifo.rs:8: `m cond_then of line 8.38`, `m else of line 5.10`\n"),
            "{}",
            page(&all)
        );
    }

    #[test]
    fn a_point_without_a_place_is_an_error_that_names_it() {
        let all = points(&branch(2, 3, "if", "2", 1), "module m ();\n    always @* if (a) b = c;\nendmodule\n");
        let error = table(&all).unwrap_err();
        assert_eq!(error, "no place in hw/src for 1 of Verilator's points: `m if of line 2.3`");
    }

    /// Points of modules of one name come together, also those of different designs.
    #[test]
    fn modules_of_one_name_are_one_module() {
        let mut all: BTreeMap<String, String> = BTreeMap::new();
        for driver in drivers().expect("drivers") {
            for (file, text) in driver.files() {
                // what stands before it names the configuration
                let module = text.find("\nmodule ").map_or(&text[..], |at| &text[at..]).to_string();
                let first = all.entry(file.clone()).or_insert_with(|| module.clone());
                assert!(*first == module, "{} has another {file}", driver.name);
            }
        }
        assert!(all.len() > 60, "{} modules", all.len());
    }
}

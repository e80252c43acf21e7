//! The figures as a table, and as the page `docs/qor.md`.

use super::peers::{peers, translations};
use super::record::{Counts, Record, lut_sites};
use crate::tools;
use std::cmp::Reverse;
use std::path::PathBuf;

/// Cells of the ECP5 in the order of the tables, with their headings.
const COLUMNS: &[(&str, &str)] = &[
    ("LUT4", "LUT4"),
    ("CCU2C", "CCU2C"),
    ("TRELLIS_DPR16X4", "DPR16X4"),
    ("TRELLIS_FF", "FF"),
    ("MULT18X18D", "MULT18X18D"),
    ("DP16KD", "DP16KD"),
];

const BEFORE: &str = "# Size and speed

Written by `cargo xtask qor --update` from [qor.json](qor.json); do not edit. `cargo xtask test` synthesizes what has changed and
fails where a count has grown by more than 2 % without these figures being renewed.
";

const HOW: &str = "
A number unit stands between registers: one before every input and one behind every output is counted with it, and the clock is
that of the paths between them. LUT sites = LUT4 + 2 for each CCU2C + 6 for each DPR16X4. Fmax is what nextpnr reaches on the
ECP5-85k, speed grade 6, placed without pins, seed 1, aiming at 200 MHz; in parentheses where the Verilog has changed since.
Above 20,000 LUT4 nextpnr's static placer places, elsewhere its own choice.
iCE40 is the UP5K (5280 LUT, 30 BRAM, 8 DSP), which has no LUT RAM; Gowin the GW1NR-9 (8640 LUT, 26 BRAM, 20 DSP), where ALU cells
count as LUTs, with wide LUTs (builds for boards make none, docs/boards.md). Dashes: it does not fit, has no path between registers, or its clock was not measured.

## Reproduce

    cargo xtask setup                          # the pinned tools
    cargo xtask qor f16_add                    # one configuration, seconds
    cargo xtask qor f16_add --pnr              # with its clock frequency, minutes for the large ones
    cargo xtask qor f16_add --pnr --seed 2     # of another placement: up to a fifth more or less
    cargo xtask qor oaken_quantizer_p16 --blocks   # where its cells sit, by source file
    cargo xtask qor --check                    # what CI does
    cargo xtask qor --update                   # after a change that is meant to be larger

The counts need nothing of this project but the Verilog: `yosys -p \"read_verilog rtl_out/NAME/*.v; synth_ecp5 -top TOP; stat\"`.
";

/// The file of the page.
pub fn path() -> PathBuf {
    tools::root().join("docs/qor.md")
}

/// The rows of a table: each a name and its cells, headings first.
fn rows(record: &Record) -> Vec<Vec<String>> {
    let mut head = vec!["configuration".to_string(), "LUT sites".into()];
    head.extend(COLUMNS.iter().map(|(_, heading)| heading.to_string()));
    head.extend(["Fmax MHz", "iCE40 LUT", "BRAM", "DSP", "Gowin LUT", "BRAM"].map(String::from));
    let mut rows = vec![head];
    for (name, figures) in &record.configurations {
        let mut row = vec![name.clone(), figures.lut_sites().to_string()];
        row.extend(COLUMNS.iter().map(|(cell, _)| figures.count(cell).to_string()));
        row.push(figures.clock());
        row.extend(["LUT", "BRAM", "DSP"].map(|cell| count(&figures.ice40, cell)));
        row.extend(["LUT", "BRAM"].map(|cell| count(&figures.gowin, cell)));
        rows.push(row);
    }
    rows
}

fn count(counts: &Option<Counts>, cell: &str) -> String {
    counts.as_ref().map_or("-".into(), |counts| counts.get(cell).copied().unwrap_or(0).to_string())
}

/// A table for the terminal.
pub fn table(record: &Record) -> String {
    let rows = rows(record);
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..rows[0].len()).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        let cells = row.iter().zip(&widths).enumerate();
        let cells = cells.map(|(i, (cell, w))| if i == 0 { format!("{cell:w$}") } else { format!("{cell:>w$}") });
        text += &(cells.collect::<Vec<_>>().join("  ") + "\n");
    }
    text += &format!("{}; nextpnr {}\n", record.tools.yosys, record.tools.nextpnr);
    text + &blocks(record)
}

/// The page.
pub fn page(record: &Record) -> String {
    let mut text = format!("{BEFORE}\nMeasured with {} and nextpnr {}.\n\n", record.tools.yosys, record.tools.nextpnr);
    for (i, row) in rows(record).iter().enumerate() {
        text += &format!("| {} |\n", row.join(" | "));
        if i == 0 {
            text += &format!("| --- |{}\n", " ---: |".repeat(row.len() - 1));
        }
    }
    text += HOW;
    text += &blocks(record);
    text += &peers(record);
    text += &translations(record);
    text
}

/// Where the cells of configurations sit, for those that were asked for it: the largest first.
fn blocks(record: &Record) -> String {
    let mut text = String::new();
    for (name, figures) in &record.configurations {
        let Some(blocks) = &figures.blocks else { continue };
        let stale = if blocks.verilog == figures.verilog { "" } else { ", of earlier Verilog" };
        let headings: String = COLUMNS.iter().map(|(_, heading)| format!(" {heading} |")).collect();
        text += &format!("\n## Where the cells of {name} sit{stale}\n\n| source | LUT sites |{headings}\n");
        text += &format!("| --- | ---: |{}\n", " ---: |".repeat(COLUMNS.len()));
        let mut files: Vec<(&String, &Counts)> = blocks.files.iter().collect();
        files.sort_by_key(|(_, counts)| Reverse(lut_sites(counts)));
        for (file, counts) in files {
            let cells: String =
                COLUMNS.iter().map(|(cell, _)| format!(" {} |", counts.get(*cell).unwrap_or(&0))).collect();
            text += &format!("| {file} | {} |{cells}\n", lut_sites(counts));
        }
    }
    if !text.is_empty() {
        text += "\nA cell counts for the file of hw/src whose signal it makes, or else for that of the nearest one behind it.\n";
    }
    text
}

//! Every tool accepts what the printer prints, without a warning.
#![allow(missing_docs)]

use std::path::{Path, PathBuf};
use testbenches::{have, lint};

#[test]
fn the_printers_golden_files_are_clean() {
    if !have(&lint::TOOLS) {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../hdl/tests/verilog");
    let mut complaints = String::new();
    let mut folders: Vec<PathBuf> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.sort();
    assert!(folders.len() >= 8, "{folders:?}");
    for folder in folders {
        for files in designs(&folder) {
            let top = files.last().unwrap().file_stem().unwrap().to_string_lossy().into_owned();
            complaints += &lint::complaints(&folder, &files, &top);
        }
    }
    assert!(complaints.is_empty(), "{complaints}");
}

/// The files of each design of a folder, children first: the last one is the top. Without a list, each file is a design, if it is called
/// like its module; the others are parts of one text, or need the cells of a vendor.
fn designs(folder: &Path) -> Vec<Vec<PathBuf>> {
    if let Ok(list) = std::fs::read_to_string(folder.join("files.txt")) {
        return vec![list.lines().map(PathBuf::from).collect()];
    }
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let alone = |file: &PathBuf| {
        let text = std::fs::read_to_string(file).unwrap();
        let own = format!("\nmodule {} ", file.file_stem().unwrap().to_string_lossy());
        text.contains(&own) && text.matches("\nmodule ").count() == 1
    };
    files.into_iter().filter(alone).map(|file| vec![file.file_name().unwrap().into()]).collect()
}

/// The check itself finds what it is for.
#[test]
fn a_width_mistake_is_found_by_the_tools() {
    if !have(&lint::TOOLS) {
        return;
    }
    let folder = std::env::temp_dir().join(format!("kvforge-lint-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let text = "module top (input wire [3:0] a, output wire y);\n    child c (.a(a), .y(y));\nendmodule\n\
                module child (input wire [2:0] a, output wire y);\n    assign y = a[0] + missing;\nendmodule\n";
    std::fs::write(folder.join("top.v"), format!("`default_nettype none\n{text}")).unwrap();
    let log = lint::complaints(&folder, &["top.v".into()], "top");
    std::fs::remove_dir_all(&folder).unwrap();
    for tool in lint::TOOLS {
        assert!(log.contains(&format!("{tool} on top")), "{tool} is content with\n{text}");
    }
}

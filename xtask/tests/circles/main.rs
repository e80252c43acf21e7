//! No new circles of files: but for those of [`KNOWN`], in no crate of the workspace do files import each other in a loop.
//!
//! A file imports another one if a path in it names something that the other defines; who only hands a name on (`pub use`) does
//! not count, nor do tests.

mod imports;
mod source;

use imports::{circles, imports};
use source::Source;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the crate lies in the workspace").into()
}

/// The roots of all crates: `lib.rs`, or `main.rs` where there is none.
fn crates() -> Vec<PathBuf> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).expect("the manifest of the workspace");
    let list =
        manifest.split("\nmembers = [").nth(1).and_then(|rest| rest.split(']').next()).expect("a list of members");
    let members = list.split(',').map(|member| member.trim().trim_matches('"')).filter(|member| !member.is_empty());
    let files = members.map(|member| ["lib.rs", "main.rs"].map(|name| root().join(member).join("src").join(name)));
    files.map(|files| files.into_iter().find(|file| file.exists()).expect("a crate has a root")).collect()
}

/// Circles that are not mended yet, by folder: the files of each. A new one is an error, and so is one that is listed and gone.
const KNOWN: &[(&str, &[&str])] = &[
    (
        "fpga/src",
        &[
            "boards.rs",
            "boards/colorlight_i5.rs",
            "boards/colorlight_i9.rs",
            "boards/icebreaker.rs",
            "boards/icesugar.rs",
            "boards/orangecrab_25f.rs",
            "boards/tang_nano_20k.rs",
            "boards/tang_nano_9k.rs",
            "boards/ulx3s_85f.rs",
        ],
    ),
    (
        "hdl/src/build",
        &[
            "bundle.rs",
            "control.rs",
            "module.rs",
            "naming.rs",
            "number.rs",
            "register_file.rs",
            "signal.rs",
            "slices.rs",
            "state_fields.rs",
            "vector.rs",
        ],
    ),
    ("hdl/src/bus", &["checker.rs", "stream.rs"]),
    ("hdl/src/ir", &["def.rs", "domain.rs", "foreign.rs"]),
    ("hdl/src/ir/draft", &["elastic.rs", "enabled.rs", "mod.rs", "pipe.rs"]),
    ("hdl/src/sim", &["check.rs", "run.rs"]),
    ("hdl/src/sim", &["commit.rs", "compile.rs"]),
    ("hdl/src/sim", &["flatten.rs", "stmts.rs"]),
    ("hdl/src/sim", &["program.rs", "wide.rs"]),
    ("hdl/src/sim/regions", &["homes.rs", "mod.rs", "order.rs"]),
    ("hdl/src/verilog", &["live.rs", "mod.rs", "pad.rs", "render.rs"]),
    ("sim/src/golden/lad", &["head.rs", "step.rs"]),
];

/// The path of a file, from the root of the workspace.
fn name(source: &Source) -> String {
    source.file.strip_prefix(root()).unwrap_or(&source.file).display().to_string()
}

/// Takes the circles of a crate off the list of those that are known, and tells of all others.
fn described(sources: &[Source], known: &mut BTreeSet<BTreeSet<String>>) -> Vec<String> {
    let graph = imports(sources);
    let name = |at: usize| name(&sources[at]);
    let mut lines = vec![];
    for circle in circles(&graph) {
        if known.remove(&circle.iter().map(|&at| name(at)).collect()) {
            continue;
        }
        for (&(from, to), names) in &graph {
            if circle.contains(&from) && circle.contains(&to) {
                let names = names.iter().cloned().collect::<Vec<_>>().join(", ");
                lines.push(format!("{} takes {names} from {}", name(from), name(to)));
            }
        }
    }
    lines
}

#[test]
fn no_files_import_each_other() {
    let crates = crates();
    assert!(crates.len() >= 10, "only {} crates were found", crates.len());
    let of = |(folder, files): &(&str, &[&str])| files.iter().map(|file| format!("{folder}/{file}")).collect();
    let mut known: BTreeSet<BTreeSet<String>> = KNOWN.iter().map(of).collect();
    let mut wrong = vec![];
    let mut files = 0;
    for crate_root in crates {
        let sources = source::read_crate(&crate_root);
        files += sources.len();
        wrong.extend(described(&sources, &mut known));
    }
    assert!(files > 500, "only {files} files were found");
    assert!(wrong.is_empty(), "circles of files:\n{}", wrong.join("\n"));
    assert!(known.is_empty(), "no circle any more, take it off the list: {known:?}");
}

/// All circles of a crate, in words.
fn described_all(sources: Vec<Source>) -> Vec<String> {
    described(&sources, &mut BTreeSet::new())
}

/// The sources of a crate that is given as texts: each file with its module.
fn given(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(module, text)| Source::parse(Path::new(module), &source::segments(module), text)).collect()
}

#[test]
fn a_circle_is_found() {
    let root = "mod a; mod b; mod c; pub use b::B;";
    let a = "use crate::b::B; pub struct A(B); pub fn make() -> A { crate::c::c() }";
    let b = "use super::a; pub struct B; fn of_a(x: a::A) {}";
    let c = "pub fn c() {}";
    let found = described_all(given(&[("", root), ("a", a), ("b", b), ("c", c)]));
    assert_eq!(found, ["a takes B from b", "b takes A, a from a"]);
}

#[test]
fn a_name_that_is_handed_on_is_followed() {
    let folder = "mod inner; mod other; pub use inner::*; pub use other::Two as Second;";
    let inner = "pub struct One; fn f() -> super::Second { crate::folder::Second }";
    let other = "use crate::folder::One; pub struct Two;";
    let found = described_all(given(&[
        ("", "mod folder;"),
        ("folder", folder),
        ("folder::inner", inner),
        ("folder::other", other),
    ]));
    assert_eq!(found, ["folder::inner takes Two from folder::other", "folder::other takes One from folder::inner"]);
}

#[test]
fn what_macros_define_and_name_counts_and_tests_do_not() {
    let a = "ports! { pub struct APorts() { input x: Signal = crate::b::shape() } }";
    let b = "pub fn shape() {} pub fn ports() -> super::a::APorts { todo() }";
    let found = described_all(given(&[("", "mod a; mod b;"), ("a", a), ("b", b)]));
    assert_eq!(found, ["a takes shape from b", "b takes APorts from a"]);
    let b = "pub fn shape() {} #[cfg(test)] mod tests { use crate::a::APorts; } #[cfg(test)] use crate::a;";
    assert_eq!(described_all(given(&[("", "mod a; mod b;"), ("a", a), ("b", b)])), [""; 0]);
}

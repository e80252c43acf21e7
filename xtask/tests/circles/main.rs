//! No circles of files: in no crate of the workspace do files import each other in a loop.
//!
//! A file imports another one if a path in it names something that the other defines; who only hands a name on (`pub use`) does
//! not count, nor do tests.

mod imports;
mod source;

use imports::{circles, imports};
use source::Source;
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

/// The circles of a crate, in words.
fn described(sources: &[Source]) -> Vec<String> {
    let graph = imports(sources);
    let name = |at: usize| sources[at].file.strip_prefix(root()).unwrap_or(&sources[at].file).display().to_string();
    let mut lines = vec![];
    for circle in circles(&graph) {
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
    let mut wrong = vec![];
    let mut files = 0;
    for crate_root in crates {
        let sources = source::read_crate(&crate_root);
        files += sources.len();
        wrong.extend(described(&sources));
    }
    assert!(files > 500, "only {files} files were found");
    assert!(wrong.is_empty(), "circles of files:\n{}", wrong.join("\n"));
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
    let found = described(&given(&[("", root), ("a", a), ("b", b), ("c", c)]));
    assert_eq!(found, ["a takes B from b", "b takes A, a from a"]);
}

#[test]
fn a_name_that_is_handed_on_is_followed() {
    let folder = "mod inner; mod other; pub use inner::*; pub use other::Two as Second;";
    let inner = "pub struct One; fn f() -> super::Second { crate::folder::Second }";
    let other = "use crate::folder::One; pub struct Two;";
    let found = described(&given(&[
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
    let found = described(&given(&[("", "mod a; mod b;"), ("a", a), ("b", b)]));
    assert_eq!(found, ["a takes shape from b", "b takes APorts from a"]);
    let b = "pub fn shape() {} #[cfg(test)] mod tests { use crate::a::APorts; } #[cfg(test)] use crate::a;";
    assert_eq!(described(&given(&[("", "mod a; mod b;"), ("a", a), ("b", b)])), [""; 0]);
}

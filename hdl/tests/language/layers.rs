//! The layers of this crate: which of them may import which. Tests and docs may name everything.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Each layer with those that it may import; `lib.rs` alone may import all.
const LAYERS: &[(&str, &[&str])] = &[
    ("ir", &[]),
    ("foreign_text", &["ir"]),
    ("check", &["ir", "foreign_text"]),
    ("design", &["ir"]),
    ("engine", &["design", "ir"]),
    ("verilog", &["design", "ir", "foreign_text"]),
    ("sim", &["design", "ir", "engine"]),
    ("wave", &["sim", "engine"]),
    ("build", &["check", "design", "ir", "foreign_text"]),
    ("bus", &["build", "design", "engine", "ir"]),
    ("logic", &["build", "ir"]),
];

/// The layer that a file lies in; `lib` for the root.
fn layer_of(file: &Path) -> String {
    let first = file.components().next().expect("a file has a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_string()
}

/// The code of a file, without comments and without what is only compiled for tests.
fn code(text: &str) -> String {
    let text = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or("");
    text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n")
}

/// What the root of the crate has from its macros; all may use it.
const MACROS: &[&str] = &["module", "Bundle", "State", "tagged", "ports", "port_access"];

/// The module that a file is, below the root: `ir::node` of `ir/node.rs`, `ir` of `ir/mod.rs`.
fn module_of(file: &Path) -> Vec<String> {
    let text = file.with_extension("").to_string_lossy().replace('\\', "/");
    text.split('/').filter(|part| *part != "mod").map(Into::into).collect()
}

/// The first names of all paths that begin at the root of the crate: `crate::ir::Node`, each of `crate::{ir::Node, sim}`, by the
/// name that users know it by (`hdl::sim`), and `super::sim` where that leads to the root.
fn roots(file: &Path, code: &str) -> Vec<String> {
    let out = "super::".repeat(module_of(file).len());
    let mut found = names_behind(code, "crate::");
    found.extend(names_behind(code, "hdl::").into_iter().filter(|name| !MACROS.contains(&name.as_str())));
    found.extend(names_behind(code, &out));
    found
}

/// The names that stand behind this beginning of a path.
fn names_behind(code: &str, start: &str) -> Vec<String> {
    let mut found = vec![];
    for (at, _) in code.match_indices(start) {
        let before = code[..at].chars().next_back();
        // another name ends so, or a macro names the root for its users
        let inside_a_macro = before.is_some_and(|c| c.is_alphanumeric() || "_$".contains(c));
        let rest = &code[at + start.len()..];
        let name =
            |text: &str| text.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
        match rest.strip_prefix('{') {
            _ if inside_a_macro => {}
            Some(list) => found.extend(outer(list).into_iter().map(name)),
            None => found.push(name(rest)),
        }
    }
    found
}

/// The items of a list in braces, without what stands in inner braces.
fn outer(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut items) = (0, 0, vec![]);
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 0 => {
                items.push(&list[start..at]);
                return items;
            }
            '}' => depth -= 1,
            ',' if depth == 0 => {
                items.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    items
}

/// What a file imports against the rule, in words.
fn violations(file: &Path, text: &str) -> Vec<String> {
    let layer = layer_of(file);
    if layer == "lib" {
        return vec![];
    }
    let Some((_, allowed)) = LAYERS.iter().find(|(name, _)| *name == layer) else {
        return vec![format!("{}: no layer is called `{layer}`", file.display())];
    };
    let code = code(text);
    let wrong = roots(file, &code).into_iter().filter(|root| *root != layer && !allowed.contains(&root.as_str()));
    let wrong = wrong.map(|root| format!("{}: `{layer}` may not import `crate::{root}`", file.display()));
    // what is above the layer is named from the root, by the root's own name
    let refused = [
        ("super::super", "write `crate::`, not `super::super`"),
        ("crate as ", "the root keeps its name"),
        ("hdl as ", "the root keeps its name"),
    ];
    let refused = refused.into_iter().filter(|(text, _)| code.contains(text));
    wrong.chain(refused.map(|(_, message)| format!("{}: {message}", file.display()))).collect()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        match () {
            () if path.is_dir() && name != "tests" => sources(&path, found),
            () if name.ends_with(".rs") && name != "tests.rs" => found.push(path),
            () => {}
        }
    }
}

#[test]
fn imports_point_downwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = vec![];
    sources(&root, &mut files);
    assert!(files.len() > 60, "only {} files were found", files.len());
    let mut count = BTreeMap::<String, usize>::new();
    let mut wrong = vec![];
    for path in files {
        let file = path.strip_prefix(&root).unwrap();
        *count.entry(layer_of(file)).or_default() += 1;
        let text = fs::read_to_string(&path).unwrap();
        wrong.extend(violations(file, &text));
        if text.contains("thread_local!") && layer_of(file) != "build" {
            wrong.push(format!("{}: only `build` has state of a thread", file.display()));
        }
    }
    assert!(LAYERS.iter().all(|(layer, _)| count.contains_key(*layer)), "a layer has no file: {count:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_layer_imports_earlier_ones() {
    for (at, (layer, imports)) in LAYERS.iter().enumerate() {
        let earlier = |import: &&str| LAYERS[..at].iter().any(|(name, _)| name == import);
        assert!(imports.iter().all(earlier), "`{layer}` imports a later one");
    }
}

#[test]
fn an_import_the_wrong_way_is_found() {
    let file = Path::new("ir/node.rs");
    let text = "use crate::build::Module;\n// use crate::sim::Simulator;\nuse crate::ir::Id;\n";
    assert_eq!(violations(file, text), ["ir/node.rs: `ir` may not import `crate::build`"]);
    let text = "use crate::{design::{Design, PortInfo}, sim::{self, Simulator}, ir};";
    assert_eq!(
        violations(Path::new("verilog/mod.rs"), text),
        ["verilog/mod.rs: `verilog` may not import `crate::sim`"]
    );
    // what the root names is for users
    assert_eq!(violations(Path::new("sim/run.rs"), "fn f(d: crate::Design<()>) {}").len(), 1);
    let above = ["ir/node.rs: `ir` may not import `crate::build`", "ir/node.rs: write `crate::`, not `super::super`"];
    assert_eq!(violations(file, "use super::super::build;"), above);
    // the way out of a layer leads to the root
    assert_eq!(violations(Path::new("ir/mod.rs"), "use super::sim;"), ["ir/mod.rs: `ir` may not import `crate::sim`"]);
    assert_eq!(
        violations(Path::new("engine.rs"), "use super::{ir::Id, bus::Bench};"),
        ["engine.rs: `engine` may not import `crate::bus`"]
    );
    assert!(violations(file, "use super::sim;").is_empty(), "that is `ir::sim`");
    let deep = violations(Path::new("ir/draft/mod.rs"), "fn f(x: super::super::verilog::Options) {}");
    assert_eq!(deep[0], "ir/draft/mod.rs: `ir` may not import `crate::verilog`");
    // so does the name that users know the crate by
    let text = "use hdl::sim::Simulator;\n#[derive(hdl::Bundle)]\nuse kvforge_hdl::x;";
    assert_eq!(violations(file, text), ["ir/node.rs: `ir` may not import `crate::sim`"]);
    assert_eq!(violations(file, "use ::hdl::build;").len(), 1);
    assert_eq!(violations(file, "use crate as c;"), ["ir/node.rs: the root keeps its name"]);
    assert_eq!(violations(file, "use hdl as h;"), ["ir/node.rs: the root keeps its name"]);
    assert_eq!(violations(Path::new("upstairs/attic.rs"), ""), ["upstairs/attic.rs: no layer is called `upstairs`"]);
}

//! No circles of files: what a file of this folder imports does not import it again, by whatever way.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// Each file of the folder with those beside it that its code names; tests may name everything.
fn imports() -> BTreeMap<String, BTreeSet<String>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/oaken");
    let files = fs::read_dir(folder).expect("the sources").map(|entry| entry.expect("an entry").path());
    let named = files.filter_map(|path| {
        let name = path.file_name()?.to_str()?.strip_suffix(".rs")?.to_string();
        let text = fs::read_to_string(&path).expect("a source");
        Some((name, text))
    });
    let texts: BTreeMap<String, String> = named.filter(|(name, _)| name != "mod" && name != "tests").collect();
    let of = |text: &String| {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default().lines();
        let code: String = code.filter(|line| !line.trim_start().starts_with("//")).collect();
        let behind =
            |at: usize| code[at..].split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let named = code.match_indices("super::").map(|(at, found)| behind(at + found.len()).to_string());
        named.filter(|name| texts.contains_key(name)).collect()
    };
    texts.iter().map(|(name, text)| (name.clone(), of(text))).collect()
}

/// All that a file leads to.
fn reached<'a>(from: &'a str, imports: &'a BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'a str> {
    let (mut found, mut open) = (BTreeSet::new(), vec![from]);
    while let Some(file) = open.pop() {
        let new = imports[file].iter().map(String::as_str).filter(|next| !found.contains(next)).collect::<Vec<_>>();
        found.extend(&new);
        open.extend(new);
    }
    found
}

#[test]
fn no_file_imports_itself_through_others() {
    let imports = imports();
    assert!(imports["dequantizer"].contains("types") && imports.len() > 50, "imports are found");
    let circles: Vec<&String> = imports.keys().filter(|file| reached(file, &imports).contains(&file[..])).collect();
    assert_eq!(circles, Vec::<&String>::new(), "these import each other");
}

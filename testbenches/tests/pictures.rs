//! The committed pictures, pages and register files are what the generators make of the code as it is.

use std::path::PathBuf;

fn docs(path: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs").join(path)
}

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(docs(path)).map_err(|error| format!("docs/{path}: {error}"))
}

/// Panics, with the command that renews the files, if one of them is not as it should be.
fn check(files: Vec<(String, String)>, example: &str) {
    assert!(!files.is_empty());
    for (path, want) in files {
        let there = read(&path).unwrap_or_else(|error| error);
        let command = format!("cargo run --release -p kvforge-testbenches --example {example}");
        assert!(there == want, "docs/{path} is out of date; `{command}` renews it");
    }
}

#[test]
fn pictures_are_up_to_date() {
    let pictures = testbenches::pictures::all().unwrap_or_else(|errors| panic!("{errors}"));
    check(pictures.into_iter().map(|(name, picture)| (format!("pictures/{name}"), picture)).collect(), "pictures");
}

#[test]
fn pages_of_the_blocks_are_up_to_date() {
    check(testbenches::pages::pages(read).unwrap_or_else(|problem| panic!("{problem}")), "pages");
}

#[test]
fn every_block_of_the_catalogue_has_a_page() {
    let pages = testbenches::pages::pages(read).unwrap_or_else(|problem| panic!("{problem}"));
    for block in hw::catalogue::blocks() {
        assert!(pages.iter().any(|(path, _)| *path == format!("blocks/{}.md", block.name)), "{}", block.name);
    }
}

#[test]
fn register_files_are_up_to_date() {
    check(testbenches::pages::register_files(), "pages");
}

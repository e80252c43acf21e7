//! Fills the generated parts of docs/blocks and writes docs/registers:
//! `cargo run --release -p kvforge-testbenches --example pages`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let old = |path: &str| std::fs::read_to_string(docs.join(path)).map_err(|error| format!("docs/{path}: {error}"));
    std::fs::create_dir_all(docs.join("registers"))?;
    for (path, text) in testbenches::pages::pages(old)?.into_iter().chain(testbenches::pages::register_files()) {
        std::fs::write(docs.join(&path), text)?;
        println!("docs/{path}");
    }
    Ok(())
}

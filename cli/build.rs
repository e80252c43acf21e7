//! Builds the named configurations of `configs/` into the command, so that it knows them wherever it runs.

use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(&std::env::var("CARGO_MANIFEST_DIR")?).join("../configs").canonicalize()?;
    println!("cargo::rerun-if-changed={}", folder.display());
    let entries = std::fs::read_dir(&folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut files: Vec<PathBuf> = entries.into_iter().map(|entry| entry.path()).collect();
    files.retain(|path| path.extension().is_some_and(|extension| extension == "toml"));
    files.sort();

    let mut code = String::from("&[\n");
    for path in &files {
        println!("cargo::rerun-if-changed={}", path.display());
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        code += &format!("    ({name:?}, include_str!({path:?})),\n");
    }
    code += "]\n";
    std::fs::write(Path::new(&std::env::var("OUT_DIR")?).join("configurations.rs"), code)?;
    Ok(())
}

//! Draws the pictures of docs/pictures: `cargo run --release -p kvforge-testbenches --example pictures`.

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/pictures");
    std::fs::create_dir_all(&folder)?;
    for (name, picture) in testbenches::pictures::all()? {
        std::fs::write(folder.join(name), picture)?;
        println!("docs/pictures/{name}");
    }
    Ok(())
}

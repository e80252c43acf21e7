//! What it costs to store records by head, as slices: a table of docs/oaken-format.md.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", sim::oaken_storage::slices::table()?);
    Ok(())
}

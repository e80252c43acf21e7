//! Slices beside heads that are quantized each by itself: a table of docs/oaken-format.md.

use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    print!("{}", sim::oaken_storage::heads::table()?);
    Ok(())
}

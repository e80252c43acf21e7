//! The demo also generates the Verilog of all named configurations, where it runs in the repository that it comes from.

use super::input::RUN;
use crate::generate::{Change, all, write};
use crate::report::Failure;
use serde::Serialize;
use std::path::Path;

/// What happened to the Verilog of the named configurations.
#[derive(Serialize)]
pub struct Regenerated {
    pub configurations: usize,
    pub files: usize,
    pub bytes: usize,
    /// Paths of files that are not byte-identical to what was there.
    pub changed: Vec<String>,
}

/// Writes `rtl_out`; `None` where this is not the repository of the demo's recordings: folders `configs` and `rtl_out` are what anybody
/// has who generates something, and theirs are not touched.
pub fn regenerate() -> Result<Option<Regenerated>, Failure> {
    let out = Path::new("rtl_out");
    if !out.is_dir() || !Path::new("configs").is_dir() || !Path::new(RUN.0).exists() {
        return Ok(None);
    }
    let mut sum = Regenerated { configurations: 0, files: 0, bytes: 0, changed: vec![] };
    for configuration in all()? {
        let written = write(&configuration, out, false, &[])?;
        sum.configurations += 1;
        sum.files += written.files.iter().filter(|f| f.change != Change::Removed).count();
        sum.bytes += written.files.iter().map(|f| f.bytes).sum::<usize>();
        let changed = written.files.iter().filter(|f| f.change != Change::Unchanged);
        sum.changed.extend(changed.map(|f| written.folder.join(&f.name).display().to_string()));
    }
    Ok(Some(sum))
}

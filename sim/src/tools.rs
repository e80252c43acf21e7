//! Where the pinned tools are.

use std::path::{Path, PathBuf};

/// The program `name` of the pinned tools (`cargo xtask setup` installs them), or `None` if it is not there.
///
/// The tools lie in the folder that the environment variable `KVFORGE_TOOLS` names, else in `.tools/bin` of the
/// project. Programs of the search path are never taken: their version would be anybody's guess.
pub fn find(name: &str) -> Option<PathBuf> {
    let folder = match std::env::var_os("KVFORGE_TOOLS") {
        Some(folder) => PathBuf::from(folder),
        None => workspace_root()?.join(".tools/bin"),
    };
    Some(folder.join(name)).filter(|path| path.is_file())
}

/// For tests: are all of these tools there? Says which are not, and that the test is left out. Where `KVFORGE_TOOLS` names their
/// folder, as in `cargo xtask test`, a missing one is a failure: no test is left out there.
pub fn have(names: &[&str]) -> bool {
    let missing: Vec<&str> = names.iter().copied().filter(|name| find(name).is_none()).collect();
    if missing.is_empty() {
        return true;
    }
    let missing = missing.join(", ");
    assert!(std::env::var_os("KVFORGE_TOOLS").is_none(), "the folder of KVFORGE_TOOLS has no {missing}");
    eprintln!("skipped: {missing} not set up (run `cargo xtask setup`)");
    false
}

/// The root of the workspace that this crate was compiled in.
pub(crate) fn workspace_root() -> Option<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent()
}

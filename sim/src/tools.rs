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

/// The root of the workspace that this crate was compiled in.
pub(crate) fn workspace_root() -> Option<&'static Path> {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent()
}

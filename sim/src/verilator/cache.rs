//! Compiled models on disk, found again by their content.

use super::error::VerilatorError;
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A file made of `key` by whatever, kept like the models: `make` fills a folder, which must then hold `result`.
///
/// # Errors
/// Those of `make`, and those of the file system.
pub fn cached(
    kind: &str,
    key: &[&str],
    result: &str,
    make: impl FnOnce(&Path) -> Result<(), VerilatorError>,
) -> Result<PathBuf, VerilatorError> {
    entry(&folder()?, kind, key, result, make)
}

fn folder() -> Result<PathBuf, VerilatorError> {
    let given = std::env::var_os("KVFORGE_VERILATOR_CACHE").map(PathBuf::from);
    let folder = given.or_else(|| Some(crate::tools::workspace_root()?.join("target/verilator-cache")));
    // Compilers run in other folders: the path must not depend on where this process stands.
    let folder = std::path::absolute(folder.unwrap_or_else(|| PathBuf::from("target/verilator-cache")));
    let folder = folder.map_err(VerilatorError::file(Path::new("target/verilator-cache")))?;
    fs::create_dir_all(&folder).map_err(VerilatorError::file(&folder))?;
    Ok(folder)
}

/// The file `result` in the folder of this key, which `make` fills when it is not there.
///
/// `make` works in a folder of its own that gets its name when it is complete, so that an interrupted run leaves no
/// half entry; a lock sees to it that of several who want the same, one makes it and the others wait.
fn entry(
    cache: &Path,
    kind: &str,
    key: &[&str],
    result: &str,
    make: impl FnOnce(&Path) -> Result<(), VerilatorError>,
) -> Result<PathBuf, VerilatorError> {
    let name = format!("{kind}-{}", hash(key));
    let complete = cache.join(&name);
    let file = complete.join(result);
    if file.is_file() {
        return Ok(file);
    }
    let lock_path = cache.join(format!("{name}.lock"));
    let lock = File::create(&lock_path).map_err(VerilatorError::file(&lock_path))?;
    lock.lock().map_err(VerilatorError::file(&lock_path))?;
    if !file.is_file() {
        let work = cache.join(format!("{name}.work"));
        for stale in [&work, &complete] {
            if stale.exists() {
                fs::remove_dir_all(stale).map_err(VerilatorError::file(stale))?;
            }
        }
        fs::create_dir(&work).map_err(VerilatorError::file(&work))?;
        make(&work)?;
        fs::rename(&work, &complete).map_err(VerilatorError::file(&complete))?;
    }
    Ok(file)
}

/// The first 128 bits of a hash over all texts and their lengths, in hexadecimal digits.
fn hash(texts: &[&str]) -> String {
    let mut hasher = Sha256::new();
    for text in texts {
        hasher.update((text.len() as u64).to_le_bytes());
        hasher.update(text);
    }
    hasher.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn of_many_threads_one_makes_the_entry() {
        let cache = std::env::temp_dir().join(format!("kvforge-cache-test-{}", std::process::id()));
        fs::create_dir_all(&cache).unwrap();
        let made = AtomicU32::new(0);
        let make = |dir: &Path| {
            made.fetch_add(1, Ordering::SeqCst);
            std::thread::sleep(std::time::Duration::from_millis(50));
            fs::write(dir.join("result"), "done").map_err(VerilatorError::file(dir))
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let file = entry(&cache, "test", &["key"], "result", make).unwrap();
                    assert_eq!(fs::read_to_string(file).unwrap(), "done");
                });
            }
        });
        assert_eq!(made.load(Ordering::SeqCst), 1);
        let failed = entry(&cache, "test", &["other"], "result", |_| Err(VerilatorError::NotSetUp("x")));
        assert!(failed.is_err());
        entry(&cache, "test", &["other"], "result", make).unwrap();
        assert_eq!(made.load(Ordering::SeqCst), 2, "a failure leaves no entry");
        fs::remove_dir_all(&cache).unwrap();
    }

    #[test]
    fn the_hash_tells_where_one_text_ends() {
        assert_ne!(hash(&["ab", "c"]), hash(&["a", "bc"]));
        assert_eq!(hash(&["ab", "c"]).len(), 32);
    }
}

//! Files are written whole: until a new one is, the old one is there.

use crate::report::{Problem, file_problem};
use std::ffi::OsStr;
use std::fs;
use std::io::{Error, ErrorKind};
use std::path::{Path, PathBuf};

/// Writes a file beside its place, and moves it there.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Problem> {
    let failed = |error: Error| problem(path, &error);
    let there = fs::symlink_metadata(path).ok();
    let is_other = there.as_ref().is_some_and(|there| !there.is_file());
    let (Some(name), false) = (path.file_name(), is_other) else {
        return fs::write(path, bytes).map_err(failed); // a pipe or a device, or a link, which stays one
    };
    if there.is_some() {
        fs::OpenOptions::new().write(true).open(path).map_err(failed)?; // it may be written
    }
    let beside = beside(path, name);
    let written = fs::write(&beside, bytes)
        .and_then(|()| there.map_or(Ok(()), |there| fs::set_permissions(&beside, there.permissions())))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside); // it may not even be there; the first error is told
        failed(error)
    })
}

/// An error if [`write_file`] could not write there: before hours of work, not behind them.
pub fn check_writable(path: &Path) -> Result<(), Problem> {
    let failed = |error: Error| problem(path, &error);
    let there = fs::symlink_metadata(path).ok();
    if there.as_ref().is_some_and(|there| !there.is_file() && !there.is_dir()) {
        return Ok(()); // a pipe, which ends when it is closed, or a link
    }
    let itself = match there {
        Some(_) => fs::OpenOptions::new().write(true).open(path).map(drop),
        None => touch(path),
    };
    let and_beside = |name| touch(&beside(path, name));
    itself.and_then(|()| path.file_name().map_or(Ok(()), and_beside)).map_err(failed)
}

/// What is wrong, in words of its own where the system's could be of the file, which need not be there.
fn problem(path: &Path, error: &Error) -> Problem {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty() && !folder.exists());
    match folder {
        Some(folder) if error.kind() == ErrorKind::NotFound => {
            let problem = Problem::new(format!("cannot write {}", path.display()));
            problem.note(format!("there is no folder {}", folder.display())).help("make it, or name another one")
        }
        _ => file_problem("write", path, error),
    }
}

/// Where a file is written before it is moved to its place.
fn beside(path: &Path, name: &OsStr) -> PathBuf {
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    path.with_file_name(beside)
}

/// Makes a file that is not there, and takes it away again.
fn touch(path: &Path) -> Result<(), Error> {
    fs::OpenOptions::new().write(true).create_new(true).open(path)?;
    fs::remove_file(path)
}

#[cfg(test)]
mod tests {
    use super::{check_writable, write_file};

    #[test]
    fn an_old_file_is_replaced_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vq");
        for text in ["one", "two"] {
            write_file(&path, text).unwrap();
            assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        std::fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        write_file(&link, "new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        let problem = write_file(std::path::Path::new("/dev/full"), "text").unwrap_err();
        assert!(format!("{problem:?}").contains("/dev/full"), "{problem:?}");
    }

    /// Root may write everywhere, but a name of 250 bytes leaves no room for a file beside.
    #[test]
    fn what_could_not_be_written_is_found_before() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.vq");
        check_writable(&path).unwrap();
        assert!(!path.exists());
        write_file(&path, "text").unwrap();
        check_writable(&path).unwrap();
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
        for path in [folder.path().into(), folder.path().join("no folder/a.vq"), folder.path().join("a".repeat(250))] {
            assert!(check_writable(&path).is_err() && write_file(&path, "text").is_err(), "{}", path.display());
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

//! Files are written whole: until a new one is, the old one is there.

use crate::report::{Problem, file_problem};
use std::fs;
use std::io::Error;
use std::path::Path;

/// Writes a file beside its place, and moves it there.
pub fn write_file(path: &Path, bytes: impl AsRef<[u8]>) -> Result<(), Problem> {
    let failed = |error: Error| file_problem("write", path, &error);
    let there = fs::symlink_metadata(path).ok();
    let is_other = there.as_ref().is_some_and(|there| !there.is_file());
    let (Some(name), false) = (path.file_name(), is_other) else {
        return fs::write(path, bytes).map_err(failed); // a pipe or a device, or a link, which stays one
    };
    if there.is_some() {
        fs::OpenOptions::new().write(true).open(path).map_err(failed)?; // it may be written
    }
    let mut beside = name.to_os_string();
    beside.push(format!(".{}.part", std::process::id()));
    let beside = path.with_file_name(beside);
    let written = fs::write(&beside, bytes)
        .and_then(|()| there.map_or(Ok(()), |there| fs::set_permissions(&beside, there.permissions())))
        .and_then(|()| fs::rename(&beside, path));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside); // it may not even be there; the first error is told
        failed(error)
    })
}

#[cfg(test)]
mod tests {
    use super::write_file;

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
}

//! Files that are written whole: nobody reads half of one, and a fault leaves the old one.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Writes the text beside its place and moves it there. A link stays one, and who may read the file stays as it is.
///
/// # Errors
///
/// Says why it cannot be written; the old file is then as it was.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    write(path, text, None, false)
}

/// The same for a file that may hold secrets: a new one is its user's alone.
///
/// # Errors
///
/// As [`write_whole`].
pub(crate) fn write_private(path: &Path, text: &str) -> io::Result<()> {
    write(path, text, None, true)
}

/// The same, if the file still holds what it held when it was read: its client may have written it meanwhile.
///
/// # Errors
///
/// As [`write_whole`], and where it holds something else by now.
pub(crate) fn replace(path: &Path, old: &[u8], text: &str) -> io::Result<()> {
    write(path, text, Some(old), true)
}

fn write(path: &Path, text: &str, old: Option<&[u8]>, is_private: bool) -> io::Result<()> {
    // A link is followed, so that what is replaced is the file behind it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let beside = beside(&path)?;
    let written =
        fill(&beside, text, fs::metadata(&path).ok().map(|old| old.permissions()), is_private).and_then(|()| {
            if old.is_some_and(|old| fs::read(&path).map_or(true, |now| now != old)) {
                return Err(io::Error::other("it has been changed meanwhile; try again"));
            }
            fs::rename(&beside, &path)
        });
    if written.is_err() {
        let _ = fs::remove_file(&beside);
    }
    written
}

fn beside(path: &Path) -> io::Result<PathBuf> {
    let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
    name.push(format!(".{}.tmp", std::process::id()));
    Ok(path.with_file_name(name))
}

fn fill(path: &Path, text: &str, permissions: Option<fs::Permissions>, is_private: bool) -> io::Result<()> {
    let mut file = create(path, is_private || permissions.is_some())?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

#[cfg(unix)]
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if is_private { 0o600 } else { 0o666 };
    OpenOptions::new().write(true).create(true).truncate(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _is_private: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create(true).truncate(true).open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("toolgate-store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_keeps_its_mode() {
        let folder = folder("link");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        replace(&link, b"old", "new").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), mode(&file)), ("new", 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let told = replace(&link, b"old", "newer").unwrap_err().to_string();
        assert!(told.contains("meanwhile"), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        write_private(&folder.join("secret"), "x").unwrap();
        assert_eq!(mode(&folder.join("secret")), 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
        fs::remove_dir_all(&folder).unwrap();
    }
}

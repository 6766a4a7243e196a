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

/// The same, in place of whatever is there: a link is not followed, and who could read it before can no longer.
///
/// # Errors
///
/// As [`write_whole`].
pub(crate) fn write_anew(path: &Path, text: &str) -> io::Result<()> {
    moved_to(path, text.as_bytes(), None, true, || Ok(()))
}

/// The same, if the file still holds what it held when it was read: its client may have written it meanwhile.
///
/// # Errors
///
/// As [`write_whole`], and where it holds something else by now.
pub(crate) fn replace(path: &Path, old: &[u8], text: &str) -> io::Result<()> {
    write(path, text, Some(old), true)
}

/// Keeps what a file held, under another name, for those who may read the file. A link that stands under that name is not followed:
/// whoever put it there would choose which file is lost.
///
/// # Errors
///
/// Says why it cannot be written.
pub(crate) fn keep(held: &[u8], of: &Path, under: &Path) -> io::Result<()> {
    moved_to(under, held, Some(fs::metadata(of)?.permissions()), true, || Ok(()))
}

fn write(path: &Path, text: &str, old: Option<&[u8]>, is_private: bool) -> io::Result<()> {
    // A link is followed, so that what is replaced is the file behind it.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let permissions = fs::metadata(&path).ok().map(|old| old.permissions());
    moved_to(&path, text.as_bytes(), permissions, is_private, || {
        if old.is_some_and(|old| fs::read(&path).map_or(true, |now| now != old)) {
            return Err(io::Error::other("it has been changed meanwhile; try again"));
        }
        Ok(())
    })
}

/// Writes beside the place and moves it there, if it may.
fn moved_to(
    path: &Path,
    bytes: &[u8],
    permissions: Option<fs::Permissions>,
    is_private: bool,
    may: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let beside = beside(path)?;
    let filled = fill(&beside, bytes, permissions, is_private);
    let written = filled.and_then(|()| may()).and_then(|()| fs::rename(&beside, path));
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

fn fill(path: &Path, bytes: &[u8], permissions: Option<fs::Permissions>, is_private: bool) -> io::Result<()> {
    // Left by a run that was cut off; made anew, so that no link is followed that stands there.
    let _ = fs::remove_file(path);
    let mut file = create(path, is_private || permissions.is_some())?;
    if let Some(permissions) = permissions {
        file.set_permissions(permissions)?;
    }
    file.write_all(bytes)?;
    file.sync_all()
}

#[cfg(unix)]
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if is_private { 0o600 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _is_private: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
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
        // A copy is put in the place of a link, and not behind it.
        let copy = folder.join("copy");
        symlink("file", &copy).unwrap();
        keep(b"kept", &file, &copy).unwrap();
        assert_eq!((fs::read_to_string(&copy).unwrap().as_str(), mode(&copy)), ("kept", 0o640));
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        write_private(&folder.join("secret"), "x").unwrap();
        assert_eq!(mode(&folder.join("secret")), 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! The file's new text, and beside it what the file held before it had a guard.

use super::MARK;
use crate::servers::shown_path;
use crate::store;
use std::fs;
use std::path::{Path, PathBuf};

/// What has become of the copy beside the file.
pub(super) enum Copy {
    /// What the file held before it had a guard is kept here.
    Kept(PathBuf),
    /// The file is what it was before, and the copy is gone.
    Gone,
}

/// Writes the new text with the old one's byte order mark. Unless the file has guards already, what it holds is kept first; where it
/// comes to be what was kept, nothing needs to be.
///
/// # Errors
///
/// Says what cannot be written; the file is then as it was.
pub(super) fn whole(path: &Path, old: &[u8], new: &str, is_guarded: bool) -> Result<Copy, String> {
    let told = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", shown_path(path));
    let copy = copy_of(path).ok_or_else(|| told(path, std::io::ErrorKind::InvalidInput.into()))?;
    let is_kept = fs::symlink_metadata(&copy).is_ok_and(|kept| kept.is_file());
    if !is_guarded || !is_kept {
        store::keep(old, path, &copy).map_err(|error| told(&copy, error))?;
    }
    let mut mark = [0; 4];
    let mark = MARK.encode_utf8(&mut mark);
    let text = if old.starts_with(mark.as_bytes()) { format!("{mark}{new}") } else { new.to_owned() };
    let replaced = store::Turn::take(path).and_then(|turn| turn.replace(old, &text));
    replaced.map_err(|error| told(path, error))?;
    if fs::read(&copy).is_ok_and(|kept| kept == text.as_bytes()) && fs::remove_file(&copy).is_ok() {
        return Ok(Copy::Gone);
    }
    Ok(Copy::Kept(copy))
}

fn copy_of(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(".before-toolgate");
    Some(path.with_file_name(name))
}

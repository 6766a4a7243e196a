//! The file's new text, and beside it what the file held before.

use super::MARK;
use crate::store;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes the new text with the old one's byte order mark, and says where the old one is kept.
///
/// # Errors
///
/// Says what cannot be written; the file is then as it was.
pub(super) fn whole(path: &Path, old: &[u8], new: &str) -> Result<PathBuf, String> {
    let told = |path: &Path, error: std::io::Error| format!("cannot write {}: {error}", path.display());
    let backup = backup_of(path).ok_or_else(|| told(path, std::io::ErrorKind::InvalidInput.into()))?;
    // Copied as a file, so that who may read it stays the same.
    fs::copy(path, &backup).map_err(|error| told(&backup, error))?;
    let mut mark = [0; 4];
    let mark = MARK.encode_utf8(&mut mark);
    let text = if old.starts_with(mark.as_bytes()) { format!("{mark}{new}") } else { new.to_owned() };
    store::replace(path, old, &text).map_err(|error| told(path, error))?;
    Ok(backup)
}

fn backup_of(path: &Path) -> Option<PathBuf> {
    let mut name = path.file_name()?.to_owned();
    name.push(".before-toolgate");
    Some(path.with_file_name(name))
}

//! Which folders may name servers. A file that comes with what was cloned or unpacked starts programs and says where variables are
//! sent, so nothing that it names is used before its user has said so of the folder (decision 0025).
//!
//! Each folder is a file of its own, so that two commands at once lose nothing.

use super::user_folder;
use crate::digest;
use crate::store;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::{env, fs};

/// Whether the files of the working directory may name servers. In the user's home they are the user's own.
pub(super) fn of_working_directory() -> bool {
    let Ok(here) = Path::new(".").canonicalize() else { return false };
    let is_home = env::home_dir().and_then(|home| home.canonicalize().ok()).is_some_and(|home| home == here);
    is_home || mark(&here).is_some_and(|mark| mark.is_file())
}

/// Trusts a folder; whether that is new.
///
/// # Errors
///
/// Says why it cannot be noted.
pub(crate) fn add(folder: &Path) -> io::Result<bool> {
    let folder = folder.canonicalize()?;
    if !folder.is_dir() {
        return Err(ErrorKind::NotADirectory.into());
    }
    let mark = mark(&folder).ok_or_else(without_home)?;
    if mark.is_file() {
        return Ok(false);
    }
    fs::create_dir_all(mark.parent().unwrap_or(Path::new(".")))?;
    // What it holds is for people: its name is what counts.
    store::write_anew(&mark, &format!("{}\n", folder.display()))?;
    Ok(true)
}

/// Trusts a folder no longer; whether it was trusted. The folder may be gone.
///
/// # Errors
///
/// Says why the mark cannot be taken away.
pub(crate) fn remove(folder: &Path) -> io::Result<bool> {
    let folder = folder.canonicalize().or_else(|_| std::path::absolute(folder))?;
    match fs::remove_file(mark(&folder).ok_or_else(without_home)?) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        removed => removed.map(|()| true),
    }
}

fn mark(folder: &Path) -> Option<PathBuf> {
    let digest = digest::of_bytes(folder.as_os_str().as_encoded_bytes());
    Some(user_folder("XDG_STATE_HOME", ".local/state")?.join("toolgate").join("trusted").join(digest.replace(':', "-")))
}

fn without_home() -> io::Error {
    io::Error::other("neither XDG_STATE_HOME nor HOME is set")
}

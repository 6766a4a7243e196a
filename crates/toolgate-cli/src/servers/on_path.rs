//! Where a command is found.

use std::env;
use std::ffi::OsStr;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The program that a command starts, by the folders of `path`, or else of this process.
pub(crate) fn on_path(command: &str, path: Option<&str>) -> Option<PathBuf> {
    all_on_path(command, path).into_iter().next()
}

/// The same, and those that it hides.
pub(crate) fn all_on_path(command: &str, path: Option<&str>) -> Vec<PathBuf> {
    if command.contains(['/', MAIN_SEPARATOR]) {
        return Some(PathBuf::from(command)).filter(|program| is_program(program)).into_iter().collect();
    }
    let folders = path.map(|path| OsStr::new(path).to_owned()).or_else(|| env::var_os("PATH")).unwrap_or_default();
    let with_endings = |folder: PathBuf| endings().map(move |ending| folder.join(format!("{command}{ending}")));
    env::split_paths(&folders).flat_map(with_endings).filter(|program| is_program(program)).collect()
}

/// Of a program's file; those that Windows starts without their being written.
fn endings() -> impl Iterator<Item = &'static str> + Clone {
    let endings: &[&str] = if cfg!(windows) { &["", ".exe", ".cmd", ".bat"] } else { &[""] };
    endings.iter().copied()
}

#[cfg(unix)]
fn is_program(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_program(path: &Path) -> bool {
    path.is_file()
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn a_program_is_found_as_a_shell_finds_it() {
        assert!(on_path("sh", None).is_some());
        assert!(on_path("sh", Some("/nowhere")).is_none());
        assert!(on_path("/bin/sh", Some("/nowhere")).is_some());
        assert!(on_path("/etc/passwd", None).is_none());
        assert!(on_path("no-such-program-of-ours", None).is_none());
    }
}

//! This program as a client's file names it: by its name where every shell finds just this file, else by its whole path. What stands
//! in a cache or a temporary folder is found while it is installed, and gone when the client starts.

use super::on_path::all_on_path;
use std::env;
use std::path::{Path, PathBuf};

/// How a client's file names this program.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// By its name, which the PATH leads to this file.
    Name,
    /// By its whole path.
    Path(PathBuf),
    /// By nothing that lasts: this file is where nothing stays.
    Fleeting(PathBuf),
}

/// Where a guard's command is found.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Found {
    Lasting(PathBuf),
    /// Only where nothing stays.
    Fleeting(PathBuf),
    Nowhere,
}

/// How this file is to be named, which is found as `name` or is not.
pub(crate) fn written(name: &str, file: &Path) -> Written {
    let real = file.canonicalize().unwrap_or_else(|_| file.to_owned());
    if is_fleeting(&real) {
        return Written::Fleeting(real);
    }
    match found(name) {
        Found::Lasting(path) if path.canonicalize().is_ok_and(|path| path == real) => Written::Name,
        _ => Written::Path(real),
    }
}

/// Where the command of a guard is found, past what only this process has on its PATH.
pub(crate) fn found(command: &str) -> Found {
    let (mut lasting, mut fleeting) = (None, None);
    for path in all_on_path(command, None) {
        let real = path.canonicalize().unwrap_or_else(|_| path.clone());
        let first = if is_fleeting(&path) || is_fleeting(&real) { &mut fleeting } else { &mut lasting };
        first.get_or_insert(path);
    }
    lasting.map(Found::Lasting).or(fleeting.map(Found::Fleeting)).unwrap_or(Found::Nowhere)
}

/// Folders of what is fetched to be run once: a name, and how the name below it begins.
const CACHES: [(&str, &str); 6] =
    [("uv", "archive"), ("uv", "cache"), ("cache", "uv"), ("Caches", "uv"), ("pnpm", "dlx"), ("pipx", ".cache")];

fn is_fleeting(path: &Path) -> bool {
    let names: Vec<&str> = path.components().filter_map(|part| part.as_os_str().to_str()).collect();
    let is_cache = |pair: &[&str]| match pair {
        [one, next] => {
            let one = one.trim_start_matches('.');
            CACHES.iter().any(|(folder, below)| one == *folder && next.starts_with(below))
        }
        _ => false,
    };
    let below =
        |folder: PathBuf| path.starts_with(&folder) || folder.canonicalize().is_ok_and(|it| path.starts_with(it));
    let temporary = env::temp_dir();
    names.contains(&"_npx")
        || names.windows(2).any(is_cache)
        || below(temporary)
        || env::var_os("UV_CACHE_DIR").filter(|folder| !folder.is_empty()).map(PathBuf::from).is_some_and(below)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fetched_to_be_run_once_does_not_last() {
        for path in [
            "/home/me/.npm/_npx/5f1/node_modules/.bin/toolgate",
            "/home/me/.cache/uv/archive-v0/ab12/bin/toolgate",
            "/var/uv/archive-v0/ab12/bin/toolgate",
            "/Users/me/Library/Caches/uv/archive-v0/ab12/bin/toolgate",
            "/home/me/.cache/pnpm/dlx/1/node_modules/.bin/toolgate",
            "/home/me/.local/pipx/.cache/1/bin/toolgate",
        ] {
            assert!(is_fleeting(Path::new(path)), "{path}");
        }
        assert!(is_fleeting(&env::temp_dir().join("x/toolgate")));
        for path in [
            "/usr/bin/toolgate",
            "/home/me/.cargo/bin/toolgate",
            "/home/me/.local/share/uv/tools/toolgate/bin/toolgate",
            "/home/me/.local/share/pipx/venvs/toolgate/bin/toolgate",
            "/opt/node/lib/node_modules/toolgate/bin/toolgate",
        ] {
            assert!(!is_fleeting(Path::new(path)), "{path}");
        }
    }
}

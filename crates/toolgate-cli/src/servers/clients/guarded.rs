//! Servers that are started behind our own guard, as `toolgate install` writes them.

use super::super::Template;

/// The guard before a server.
#[derive(Clone)]
pub(crate) struct Guarded {
    pub(crate) program: Template,
    /// Its options: the words after `run` and before `--`.
    pub(crate) options: Vec<Template>,
}

/// Where a command's words hold the command behind the guard: after `toolgate run … --`.
pub(crate) fn behind_guard<'w>(command: &str, mut words: impl Iterator<Item = &'w str>) -> Option<usize> {
    if !is_toolgate(command) || words.next() != Some("run") {
        return None;
    }
    let end = words.by_ref().position(|word| word == "--")? + 1;
    words.next().map(|_| end + 1)
}

/// Whether a command is this program, by its name.
pub(crate) fn is_toolgate(command: &str) -> bool {
    matches!(command.rsplit(['/', '\\']).next(), Some("toolgate" | "toolgate.exe"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_guard_is_one() {
        let at = |command, words: &[&str]| behind_guard(command, words.iter().copied());
        assert_eq!(at("toolgate", &["run", "--", "npx", "--", "x"]), Some(2));
        assert_eq!(at("/opt/toolgate", &["run", "--policy", "p", "--", "npx"]), Some(4));
        assert_eq!(at("C:\\toolgate.exe", &["run", "--", "npx"]), Some(2));
        for (command, words) in [
            ("npx", &["run", "--", "x"][..]),
            ("toolgate", &["run", "--"]),
            ("toolgate", &["run"]),
            ("toolgate", &["judge", "--", "x"]),
            ("mytoolgate", &["run", "--", "x"]),
        ] {
            assert_eq!(at(command, words), None, "{command} {words:?}");
        }
    }
}

//! The program as its user runs it.

#![allow(dead_code, unreachable_pub, clippy::unwrap_used, reason = "each file of tests uses a part")]

pub mod home;
pub mod http;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// The program without input, in a terminal of usual width, with colours left to itself, of a user who has configured nothing.
pub fn toolgate(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolgate"));
    command.args(args).stdin(Stdio::null()).env_remove("NO_COLOR").env_remove("CLICOLOR_FORCE").env("COLUMNS", "80");
    // A checkout may stand in the temporary folder, and the program in it is to last.
    command.env("TMPDIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("temporary"));
    command.env("HOME", Path::new(env!("CARGO_TARGET_TMPDIR")).join("nobody"));
    for variable in [
        "TOOLGATE_CONFIG",
        "XDG_CONFIG_HOME",
        "APPDATA",
        "CODEX_HOME",
        "CLAUDE_CONFIG_DIR",
        "XDG_CACHE_HOME",
        "XDG_STATE_HOME",
        "TOOLGATE_CACHE",
    ] {
        command.env_remove(variable);
    }
    command
}

/// Has the folder trusted, by the user that the command is of.
#[track_caller]
pub fn trusts(command: &mut Command) {
    let output = command.args(["config", "trust"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
}

/// A file by a name that no other test uses.
pub fn file(name: &str, text: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, text).unwrap();
    path
}

/// Standard output.
pub fn text(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What the program shows on a terminal, of both its streams or of the one that is left to it; nothing where there is no terminal to
/// be had.
#[cfg(target_os = "linux")]
pub fn on_a_terminal(variables: &str, words: &str) -> Option<String> {
    let mut asked = Command::new("script");
    asked.arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().ok()?;
    let command = format!("env {variables} {} {words}", env!("CARGO_BIN_EXE_toolgate"));
    let output = Command::new("script").args(["-qec", &command, "/dev/null"]).stdin(Stdio::null()).output().unwrap();
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

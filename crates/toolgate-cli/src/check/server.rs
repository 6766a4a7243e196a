//! The tools of a server that a command starts: asked for, to the last page. It calls none.

use std::ffi::OsString;
use std::process::Command;
use std::time::Duration;
use toolgate_gateway::client::{Connection, Fault, Settings};

/// The tool objects of the server that `command` starts, as it wrote them.
///
/// # Errors
///
/// Returns the [`Fault`] for which there is no whole list.
pub(super) fn list(words: &[OsString], patience: Duration) -> Result<Vec<String>, Fault> {
    let mut command = Command::new(words.first().map_or("".as_ref(), OsString::as_os_str));
    command.args(words.get(1..).unwrap_or_default());
    let settings = Settings {
        name: "toolgate-check",
        version: env!("CARGO_PKG_VERSION"),
        patience,
        interrupted: Default::default(),
        secrets: Default::default(),
    };
    Connection::start(command, settings, Box::new(|_| {}))?.tools()
}

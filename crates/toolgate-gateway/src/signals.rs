//! The signals that end a program, as it was started: one that whoever started it has it ignore stays ignored. `nohup` does so with
//! SIGHUP, and a shell with SIGINT for what a script starts in the background.

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::io;

/// Those of SIGINT, SIGTERM and SIGHUP that were not ignored at the start, from now on taken.
///
/// # Errors
///
/// As the operating system says it.
pub(crate) fn taken() -> io::Result<Signals> {
    Signals::new([SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !is_ignored(*signal)))
}

/// Whether a signal is ignored, where the system tells.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    u32::try_from(signal - 1).ok().and_then(|bit| mask.checked_shr(bit)).is_some_and(|mask| mask & 1 == 1)
}

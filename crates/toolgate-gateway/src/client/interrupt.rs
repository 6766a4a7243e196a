//! Ctrl-C as a flag: what runs is cancelled politely; a second one ends the program at once.

use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The status of a program that the user has interrupted.
const INTERRUPTED: i32 = 130;

/// A flag that is set when the user interrupts.
///
/// # Errors
///
/// As the operating system says it.
pub fn interrupts() -> io::Result<Arc<AtomicBool>> {
    let interrupted = Arc::new(AtomicBool::new(false));
    // In this order: the first signal finds the flag unset.
    flag::register_conditional_shutdown(SIGINT, INTERRUPTED, interrupted.clone())?;
    flag::register(SIGINT, interrupted.clone())?;
    Ok(interrupted)
}

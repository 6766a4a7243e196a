//! Signals that end a program, as a flag: what runs is cancelled politely. A further one, and one that comes while nobody looks at
//! the flag, ends the program at once. In each case what was started with its group ends with the program: a server may be deaf to
//! the end of its input, and to the terminal that its group is not part of.

use crate::signals;
use rustix::process::{Pid, Signal, kill_process_group};
use signal_hook::low_level;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};
use std::thread;

static WATCH: LazyLock<Watch> = LazyLock::new(Watch::default);

#[derive(Default)]
struct Watch {
    /// Signals are taken.
    is_on: Mutex<bool>,
    interrupted: Arc<AtomicBool>,
    /// The signal that came first; zero before.
    first: AtomicI32,
    /// The next signal ends the program.
    at_once: AtomicBool,
    /// The groups that were started and not ended.
    groups: Mutex<Vec<Pid>>,
}

/// A flag that is set when the user, the system or the end of the terminal ends the program (SIGINT, SIGTERM, SIGHUP; not one that was
/// ignored when it was started). There is one for the process; who has it looks at it.
///
/// # Errors
///
/// As the operating system says it.
///
/// # Example
///
/// ```
/// use toolgate_gateway::client::{ended_by, interrupts};
/// let interrupted = interrupts()?;
/// assert!(!interrupted.load(std::sync::atomic::Ordering::Relaxed));
/// assert_eq!(ended_by(), None);
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn interrupts() -> io::Result<Arc<AtomicBool>> {
    turn_on()?;
    WATCH.at_once.store(false, Ordering::SeqCst);
    Ok(WATCH.interrupted.clone())
}

/// The signal that has set the flag of [`interrupts`]. A program that ends for it ends with 128 and its number.
pub fn ended_by() -> Option<i32> {
    Some(WATCH.first.load(Ordering::SeqCst)).filter(|signal| *signal != 0)
}

/// While it lives, somebody looks at the flag.
pub(super) struct Looking(());

impl Looking {
    pub(super) fn begin() -> Looking {
        WATCH.at_once.store(false, Ordering::SeqCst);
        Looking(())
    }

    pub(super) fn is_interrupted() -> bool {
        WATCH.interrupted.load(Ordering::SeqCst)
    }
}

impl Drop for Looking {
    fn drop(&mut self) {
        WATCH.at_once.store(true, Ordering::SeqCst);
    }
}

/// From now on the group ends with this program.
pub(super) fn ends_with_us(group: Pid) {
    // Where signals cannot be had, they end this program as they would anyway.
    let _ = turn_on();
    groups().push(group);
}

/// The group has ended.
pub(super) fn has_ended(group: Pid) {
    groups().retain(|kept| *kept != group);
}

fn groups() -> MutexGuard<'static, Vec<Pid>> {
    WATCH.groups.lock().unwrap_or_else(PoisonError::into_inner)
}

fn turn_on() -> io::Result<()> {
    let mut is_on = WATCH.is_on.lock().unwrap_or_else(PoisonError::into_inner);
    if *is_on {
        return Ok(());
    }
    let mut signals = signals::taken()?;
    WATCH.at_once.store(true, Ordering::SeqCst);
    let take = move || signals.forever().for_each(take);
    thread::Builder::new().name("interrupts".to_owned()).spawn(take)?;
    *is_on = true;
    Ok(())
}

fn take(signal: i32) {
    let _ = WATCH.first.compare_exchange(0, signal, Ordering::SeqCst, Ordering::SeqCst);
    WATCH.interrupted.store(true, Ordering::SeqCst);
    if !WATCH.at_once.swap(true, Ordering::SeqCst) {
        return;
    }
    for group in groups().iter() {
        let _ = kill_process_group(*group, Signal::KILL);
    }
    low_level::exit(128 + ended_by().unwrap_or(signal));
}

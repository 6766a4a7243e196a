//! How far it is, for who waits at a terminal.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// Shorter waits need no telling.
const PATIENCE: Duration = Duration::from_millis(400);
/// Between two lines.
const PACE: Duration = Duration::from_millis(100);

/// One line on standard error that is written over and, at the end, wiped.
pub(crate) struct Progress {
    is_shown: bool,
    started: Instant,
    told: Cell<Option<Instant>>,
}

impl Progress {
    /// Silent unless standard error is a terminal.
    pub(crate) fn for_terminal() -> Self {
        let is_shown = std::io::stderr().is_terminal();
        Progress { is_shown, started: Instant::now(), told: Cell::new(None) }
    }

    /// Says which tool of a profile's it is at.
    pub(crate) fn tell(&self, profile: &str, index: usize, count: usize) {
        self.say(|| format!("{profile}: {index} of {count} tools"));
    }

    /// Says where it is, now and then.
    pub(crate) fn say(&self, place: impl FnOnce() -> String) {
        let now = Instant::now();
        let is_due = self.told.get().map_or(now - self.started > PATIENCE, |told| now - told > PACE);
        if self.is_shown && is_due {
            self.told.set(Some(now));
            let _ = write!(std::io::stderr(), "\r\u{1b}[K{}", place());
        }
    }

    /// Leaves the line as it was found.
    pub(crate) fn end(&self) {
        if self.told.get().is_some() {
            let _ = write!(std::io::stderr(), "\r\u{1b}[K");
        }
    }
}

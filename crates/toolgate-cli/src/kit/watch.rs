//! `--watch`: the cases run again when a file that they are read from changes.

use crate::exit::Exit;
use crate::show::{DIM, complain, counted};
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeSet;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// How often an interrupt is looked for.
const STEP: Duration = Duration::from_millis(100);
/// A file that is saved changes several times; the run waits until it is left alone so long.
const CALM: Duration = Duration::from_millis(80);

pub(super) struct Watch {
    watcher: RecommendedWatcher,
    events: Receiver<notify::Result<Event>>,
    /// Folders that are watched, and whether with what is below them.
    watched: BTreeSet<(PathBuf, bool)>,
    /// The files that count, by their full names.
    files: BTreeSet<PathBuf>,
    /// Folders in which every file counts.
    folders: BTreeSet<PathBuf>,
    interrupted: std::sync::Arc<AtomicBool>,
}

impl Watch {
    pub(super) fn start() -> Result<Watch, Exit> {
        let (sender, events) = channel();
        let watcher = notify::recommended_watcher(sender).map_err(|error| unwatched(&error))?;
        Ok(Watch {
            watcher,
            events,
            watched: BTreeSet::new(),
            files: BTreeSet::new(),
            folders: BTreeSet::new(),
            interrupted: crate::source::interrupts(),
        })
    }

    /// What the next run is read from. Called before a case is run, so that no change after it is missed.
    pub(super) fn add<'p>(&mut self, paths: impl Iterator<Item = &'p Path>) -> Result<(), Exit> {
        for path in paths {
            // The folder is watched, since most editors put another file in the place of the one that is saved.
            let full = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            let full = full.canonicalize().unwrap_or(full);
            if full.is_dir() {
                self.watch(full.clone(), true)?;
                self.folders.insert(full);
            } else if let Some(folder) = full.parent() {
                self.watch(folder.to_owned(), false)?;
                self.files.insert(full);
            }
        }
        Ok(())
    }

    fn watch(&mut self, folder: PathBuf, is_deep: bool) -> Result<(), Exit> {
        if !folder.is_dir() || !self.watched.insert((folder.clone(), is_deep)) {
            return Ok(());
        }
        let mode = if is_deep { RecursiveMode::Recursive } else { RecursiveMode::NonRecursive };
        self.watcher.watch(&folder, mode).map_err(|error| unwatched(&error))
    }

    /// Waits until a file that counts has changed.
    ///
    /// # Errors
    ///
    /// Is the exit of whoever interrupts.
    pub(super) fn wait(&self) -> Result<(), Exit> {
        let files = counted(self.files.len(), "file");
        let _ = writeln!(anstream::stderr(), "{DIM}{files} watched; Ctrl-C ends{DIM:#}");
        let mut has_changed = false;
        loop {
            match self.events.recv_timeout(if has_changed { CALM } else { STEP }) {
                _ if self.interrupted.load(Ordering::Relaxed) => return Err(Exit::Interrupted),
                Ok(event) => has_changed |= event.is_ok_and(|event| self.concerns(&event)),
                Err(RecvTimeoutError::Timeout) if has_changed => return Ok(()),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return Err(Exit::Internal),
            }
        }
    }

    fn concerns(&self, event: &Event) -> bool {
        let is_change = !matches!(event.kind, EventKind::Access(_) | EventKind::Other);
        let is_case_file = |path: &Path| {
            path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl" || ending == "ndjson")
        };
        let counts = |path: &PathBuf| {
            self.files.contains(path)
                || is_case_file(path) && self.folders.iter().any(|folder| path.starts_with(folder))
        };
        is_change && event.paths.iter().any(counts)
    }
}

fn unwatched(error: &notify::Error) -> Exit {
    complain(&format!("the files cannot be watched: {error}"), Exit::Internal)
}

/// Takes the last report away, where somebody is looking at it.
pub(super) fn clear() {
    if std::io::stdout().is_terminal() {
        let _ = write!(std::io::stdout(), "\u{1b}[2J\u{1b}[3J\u{1b}[H");
    }
}

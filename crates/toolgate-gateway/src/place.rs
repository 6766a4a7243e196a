//! What a path leads to that is to be written: only a plain file may be cut, or another put in its place.

use std::fs::{self, File};
use std::io;
use std::path::Path;

/// What is at a path, links followed.
#[derive(Debug)]
pub enum Place {
    /// A file, or nothing.
    Plain,
    /// A pipe, a device, a folder: what is not replaced.
    Special,
    /// The file that standard output or standard error of this process goes to, as a second handle of it: whoever put another in
    /// its place would lose what else is written there.
    Ours(File),
}

impl Place {
    /// What is at this path.
    ///
    /// # Errors
    ///
    /// As the operating system says it, where there is something that cannot be looked at.
    pub fn of(path: &Path) -> io::Result<Place> {
        let there = match fs::metadata(path) {
            Ok(there) => there,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Place::Plain),
            Err(error) => return Err(error),
        };
        if !there.is_file() {
            return Ok(Place::Special);
        }
        Ok(ours(&there).map_or(Place::Plain, Place::Ours))
    }
}

#[cfg(unix)]
fn ours(there: &fs::Metadata) -> Option<File> {
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;
    let (output, errors) = (io::stdout(), io::stderr());
    let streams = [output.as_fd(), errors.as_fd()];
    let mut handles = streams.into_iter().filter_map(|stream| Some(File::from(stream.try_clone_to_owned().ok()?)));
    handles.find(|handle| handle.metadata().is_ok_and(|held| (held.dev(), held.ino()) == (there.dev(), there.ino())))
}

#[cfg(not(unix))]
fn ours(_: &fs::Metadata) -> Option<File> {
    None
}

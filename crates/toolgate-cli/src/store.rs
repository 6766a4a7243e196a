//! Files that are written whole: nobody reads half of one, and a fault leaves the old one. What is no plain file, a pipe or a
//! device, is written to and never replaced.

use crate::show::notice;
use std::fs::{self, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use toolgate_gateway::Place;

/// Writes the text beside its place and moves it there. A link stays one, and who may read the file stays as it is.
///
/// # Errors
///
/// Says why it cannot be written; the old file is then as it was.
pub(crate) fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    Writing::begin(path)?.end_with(text)
}

/// The same, in place of whatever is there, for its user alone: a link is not followed, and who could read it before can no longer.
///
/// # Errors
///
/// As [`write_whole`].
pub(crate) fn write_anew(path: &Path, text: &str) -> io::Result<()> {
    Writing::beside(path, None, true)?.end_with(text)
}

/// Keeps what a file held, under another name, for those who may read the file. A link that stands under that name is not followed:
/// whoever put it there would choose which file is lost.
///
/// # Errors
///
/// Says why it cannot be written.
pub(crate) fn keep(held: &[u8], of: &Path, under: &Path) -> io::Result<()> {
    let mut writing = Writing::beside(under, Some(fs::metadata(of)?.permissions()), true)?;
    writing.write_all(held)?;
    writing.end()
}

/// A file that is read, changed and written: until this is dropped, whoever else of us wants to change a file of that folder waits, so
/// that no change is lost.
pub(crate) struct Turn {
    path: PathBuf,
    _folder: Option<File>,
}

impl Turn {
    /// Waits for the turn, and makes the folder where there is none. Where folders cannot be locked, nobody waits.
    ///
    /// # Errors
    ///
    /// The folder cannot be made.
    pub(crate) fn take(path: &Path) -> io::Result<Turn> {
        let path = followed(path);
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(folder)?;
        let folder = File::open(folder).ok().filter(|folder| folder.lock().is_ok());
        Ok(Turn { path, _folder: folder })
    }

    /// As [`write_whole`].
    ///
    /// # Errors
    ///
    /// As [`write_whole`].
    pub(crate) fn write_whole(&self, text: &str) -> io::Result<()> {
        write_whole(&self.path, text)
    }

    /// The same for a file that may hold secrets: a new one is its user's alone.
    ///
    /// # Errors
    ///
    /// As [`write_whole`].
    pub(crate) fn write_private(&self, text: &str) -> io::Result<()> {
        Writing::of(&self.path, true)?.end_with(text)
    }

    /// The same, if the file still holds what it held when it was read: its client, which waits for no turn, may have written it
    /// meanwhile.
    ///
    /// # Errors
    ///
    /// As [`write_whole`], and where it holds something else by now.
    pub(crate) fn replace(&self, old: &[u8], text: &str) -> io::Result<()> {
        let mut writing = Writing::of(&self.path, true)?;
        writing.write_all(text.as_bytes())?;
        if fs::read(&self.path).map_or(true, |now| now != old) {
            return Err(io::Error::other("it has been changed meanwhile; try again"));
        }
        writing.end()
    }
}

/// A file that is being written. Dropped before its end, it leaves what was there.
pub(crate) struct Writing {
    file: File,
    /// Where it is written, and where it is moved at the end; `None` where it is written to what is there.
    moves: Option<(PathBuf, PathBuf)>,
    /// What is there has further names (hard links), which go on holding what it held.
    has_other_names: bool,
}

impl Writing {
    /// Begins a file that takes this place when it is ended.
    ///
    /// # Errors
    ///
    /// Says why it cannot be written.
    pub(crate) fn begin(path: &Path) -> io::Result<Writing> {
        Writing::of(&followed(path), false)
    }

    /// `path` is no link.
    fn of(path: &Path, is_private: bool) -> io::Result<Writing> {
        let file = match Place::of(path)? {
            Place::Plain => {
                let old = fs::metadata(path).ok();
                let permissions = old.as_ref().map(fs::Metadata::permissions);
                if permissions.as_ref().is_some_and(Permissions::readonly) {
                    return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
                }
                let mut writing = Writing::beside(path, permissions, is_private)?;
                writing.has_other_names = old.is_some_and(|old| has_other_names(&old));
                return Ok(writing);
            }
            Place::Special => OpenOptions::new().write(true).open(path)?,
            Place::Ours(file) => file,
        };
        Ok(Writing { file, moves: None, has_other_names: false })
    }

    fn beside(path: &Path, permissions: Option<Permissions>, is_private: bool) -> io::Result<Writing> {
        let mut name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_owned();
        name.push(format!(".{}.tmp", std::process::id()));
        let beside = path.with_file_name(name);
        // Left by a run that was cut off; made anew, so that no link is followed that stands there.
        let _ = fs::remove_file(&beside);
        let file = create(&beside, is_private || permissions.is_some())?;
        let moves = Some((beside, path.to_owned()));
        let writing = Writing { file, moves, has_other_names: false };
        permissions.map_or(Ok(()), |permissions| writing.file.set_permissions(permissions))?;
        Ok(writing)
    }

    fn end_with(mut self, text: &str) -> io::Result<()> {
        self.write_all(text.as_bytes())?;
        self.end()
    }

    /// Puts the file in its place.
    ///
    /// # Errors
    ///
    /// Says why not; what was there is as it was.
    pub(crate) fn end(mut self) -> io::Result<()> {
        let Some((beside, path)) = &self.moves else { return Ok(()) };
        self.file.sync_all()?;
        fs::rename(beside, path)?;
        if self.has_other_names {
            notice(&format!("{} had further names (hard links), which go on holding what it held", path.display()));
        }
        self.moves = None;
        Ok(())
    }
}

impl Write for Writing {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for Writing {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.moves {
            let _ = fs::remove_file(beside);
        }
    }
}

/// The file behind a link, so that it is what is replaced. Links of the system to what is no file of a folder, such as `/dev/stdout`
/// for a pipe, lead nowhere, and are opened as they are.
fn followed(path: &Path) -> PathBuf {
    fs::canonicalize(path).unwrap_or_else(|_| path.to_owned())
}

#[cfg(unix)]
fn has_other_names(of: &fs::Metadata) -> bool {
    std::os::unix::fs::MetadataExt::nlink(of) > 1
}

#[cfg(not(unix))]
fn has_other_names(_: &fs::Metadata) -> bool {
    false
}

#[cfg(unix)]
fn create(path: &Path, is_private: bool) -> io::Result<File> {
    use std::os::unix::fs::OpenOptionsExt;
    let mode = if is_private { 0o600 } else { 0o666 };
    OpenOptions::new().write(true).create_new(true).mode(mode).open(path)
}

#[cfg(not(unix))]
fn create(path: &Path, _is_private: bool) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).open(path)
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("toolgate-store-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn a_link_stays_a_link_and_its_file_keeps_its_mode() {
        let folder = folder("link");
        let (file, link) = (folder.join("file"), folder.join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        symlink("file", &link).unwrap();
        let turn = Turn::take(&link).unwrap();
        turn.replace(b"old", "new").unwrap();
        assert_eq!((fs::read_to_string(&file).unwrap().as_str(), mode(&file)), ("new", 0o640));
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        let told = turn.replace(b"old", "newer").unwrap_err().to_string();
        assert!(told.contains("meanwhile"), "{told}");
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        // A copy is put in the place of a link, and not behind it.
        let copy = folder.join("copy");
        symlink("file", &copy).unwrap();
        keep(b"kept", &file, &copy).unwrap();
        assert_eq!((fs::read_to_string(&copy).unwrap().as_str(), mode(&copy)), ("kept", 0o640));
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        drop(turn);
        Turn::take(&folder.join("secret")).unwrap().write_private("x").unwrap();
        assert_eq!(mode(&folder.join("secret")), 0o600);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 4);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn no_change_is_lost_to_another_that_is_made_at_the_same_time() {
        let folder = folder("turns");
        let file = folder.join("file");
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..5 {
                        let turn = Turn::take(&file).unwrap();
                        let held = fs::read_to_string(&file).unwrap_or_default();
                        turn.write_whole(&(held + "line\n")).unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&file).unwrap().lines().count(), 40);
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_pipe_and_a_device_are_written_to_and_stay() {
        use std::os::unix::fs::FileTypeExt;
        let folder = folder("special");
        let pipe = folder.join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reading = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe).unwrap()
        });
        write_whole(&pipe, "through").unwrap();
        assert_eq!(reading.join().unwrap(), "through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());
        let device = folder.join("null");
        symlink("/dev/null", &device).unwrap();
        write_whole(&device, "nowhere").unwrap();
        assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
        assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
        assert!(write_whole(&folder, "x").is_err());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing is left beside");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_is_read_only_is_not_replaced() {
        let folder = folder("read-only");
        let file = folder.join("file");
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(write_whole(&file, "new").unwrap_err().kind(), io::ErrorKind::PermissionDenied);
        assert_eq!(Turn::take(&file).unwrap().replace(b"old", "new").unwrap_err().to_string(), "it is read-only");
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn a_file_that_is_not_ended_leaves_what_was_there() {
        let folder = folder("dropped");
        let file = folder.join("file");
        fs::write(&file, "old").unwrap();
        let mut writing = Writing::begin(&file).unwrap();
        writing.write_all(b"half").unwrap();
        drop(writing);
        assert_eq!(fs::read_to_string(&file).unwrap(), "old");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1);
        fs::remove_dir_all(&folder).unwrap();
    }
}

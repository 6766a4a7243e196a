//! The images and files of an answer, kept in a folder. No file that is there is written over, and none is written elsewhere.

use super::answer::saved;
use crate::exit::Exit;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use toolgate::json::Value;

/// Bytes of a file's name. Systems take 255, of which a number may want some.
const NAME_MAX_BYTES: usize = 200;
/// Bytes after the last dot of a name that is cut which are kept.
const ENDING_MAX_BYTES: usize = 16;
/// Files of one name.
const SAME_MAX: usize = 1_000;

/// A file of the answer that is not kept.
pub(super) struct Unsaved {
    pub(super) why: String,
    pub(super) exit: Exit,
}

/// Makes the folder and sees that files can be made in it, before anything is asked that cannot be asked again.
pub(super) fn ready(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))?;
    let probe = folder.join(format!(".toolgate-{}", std::process::id()));
    let made = OpenOptions::new().write(true).create_new(true).open(&probe);
    made.map_err(|error| format!("cannot write into {}: {error}", folder.display()))?;
    fs::remove_file(&probe).map_err(|error| format!("cannot write into {}: {error}", folder.display()))
}

/// Writes what the answer holds that is a file, and tells where. One that cannot be kept costs itself alone.
pub(super) fn files(root: Value<'_>, folder: &Path) -> Vec<Unsaved> {
    let mut unsaved = Vec::new();
    for block in root.get("content").into_iter().flat_map(Value::items) {
        match File::of(block) {
            Ok(None) => {}
            Ok(Some(File { name, bytes })) => match write(folder, &name, &bytes) {
                Ok(path) => saved(&path),
                Err(why) => unsaved.push(Unsaved { why, exit: Exit::Output }),
            },
            Err(why) => unsaved.push(Unsaved { why, exit: Exit::Data }),
        }
    }
    unsaved
}

struct File {
    name: String,
    bytes: Vec<u8>,
}

impl File {
    /// The file that a block of content is.
    fn of(block: Value<'_>) -> Result<Option<File>, String> {
        let resource = block.get("resource").unwrap_or(block);
        let text = |name: &str| resource.get(name).and_then(Value::as_str);
        let kind = block.get("type").and_then(Value::as_str).unwrap_or_default();
        let is_resource = block.get("resource").is_some();
        let bytes = match text("data").or_else(|| text("blob")) {
            Some(data) => {
                STANDARD.decode(data.trim().as_bytes()).map_err(|_| format!("the {kind} of the answer is no Base64"))?
            }
            None => match text("text").filter(|_| is_resource) {
                Some(text) => text.as_bytes().to_vec(),
                None => return Ok(None),
            },
        };
        let named = text("uri").and_then(|uri| file_name(&uri));
        let media = text("mimeType").unwrap_or_default();
        let ending = ending(&media);
        let name = named.unwrap_or_else(|| format!("{}.{ending}", if kind.is_empty() { "file" } else { &kind }));
        Ok(Some(File { name, bytes }))
    }
}

/// The last name of an address, where it can be a file's anywhere.
fn file_name(uri: &str) -> Option<String> {
    let path = uri.split(['?', '#']).next()?;
    let last = path.rsplit(['/', '\\', ':']).next()?;
    let is_plain = |ch: char| ch.is_alphanumeric() || "-_. ".contains(ch);
    let name: String = last.chars().map(|ch| if is_plain(ch) { ch } else { '_' }).collect();
    // A name that begins with a dash is an option to whoever names all files of a folder.
    let name = name.trim_end_matches(['.', ' ']).trim_start_matches(['.', ' ', '-']);
    (!name.is_empty()).then(|| bounded(name))
}

/// The name, cut in its middle where it is too long: what kind of file it is stands at its end.
fn bounded(name: &str) -> String {
    if name.len() <= NAME_MAX_BYTES {
        return name.to_owned();
    }
    let dot = name.rfind('.').filter(|dot| name.len() - dot <= ENDING_MAX_BYTES).unwrap_or(name.len());
    let (stem, ending) = name.split_at_checked(dot).unwrap_or((name, ""));
    let kept = (0..=NAME_MAX_BYTES - ending.len()).rev().find(|at| stem.is_char_boundary(*at)).unwrap_or(0);
    format!("{}{ending}", stem.get(..kept).unwrap_or_default())
}

/// The ending of a file of this media type.
fn ending(kind: &str) -> &str {
    match kind.split(';').next().unwrap_or_default().trim() {
        "image/png" => "png",
        "image/jpeg" => "jpg",
        "image/gif" => "gif",
        "image/webp" => "webp",
        "image/svg+xml" => "svg",
        "audio/mpeg" => "mp3",
        "audio/wav" | "audio/x-wav" => "wav",
        "audio/ogg" => "ogg",
        "application/pdf" => "pdf",
        "application/json" => "json",
        "text/html" => "html",
        "text/csv" => "csv",
        kind if kind.starts_with("text/") => "txt",
        _ => "bin",
    }
}

/// A new file of this name, or of one made from it.
fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<PathBuf, String> {
    let (stem, ending) =
        name.rsplit_once('.').map_or((name, String::new()), |(stem, ending)| (stem, format!(".{ending}")));
    for number in 1..=SAME_MAX {
        let name = if number == 1 { name.to_owned() } else { format!("{stem}-{number}{ending}") };
        let path = folder.join(name);
        match OpenOptions::new().write(true).create_new(true).open(&path) {
            Ok(mut file) => {
                let written = file.write_all(bytes);
                if written.is_err() {
                    // The first part of a file looks like one.
                    let _ = fs::remove_file(&path);
                }
                return written
                    .map(|()| path.clone())
                    .map_err(|error| format!("cannot write {}: {error}", path.display()));
            }
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(format!("cannot write {}: {error}", path.display())),
        }
    }
    Err(format!("{} holds too many files named {name}", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_leads_nowhere_else() {
        assert_eq!(file_name("file:///a/b/report.pdf?x=1").as_deref(), Some("report.pdf"));
        assert_eq!(file_name("demo://x/..").as_deref(), None);
        assert_eq!(file_name("a\\b\\..\\c\u{202e}.txt").as_deref(), Some("c_.txt"));
        assert_eq!(file_name("x:/").as_deref(), None);
        assert_eq!(file_name("x:/-rf").as_deref(), Some("rf"));
        assert_eq!(file_name("x:/--").as_deref(), None);
    }

    #[test]
    fn a_long_name_keeps_its_ending_and_fits() {
        let long = file_name(&format!("x:/{}.txt", "\u{10400}".repeat(80))).unwrap();
        assert!(long.len() <= NAME_MAX_BYTES && long.ends_with("\u{10400}.txt"), "{long}");
        assert_eq!(file_name(&"a".repeat(300)).unwrap().len(), NAME_MAX_BYTES);
        assert_eq!(file_name(&format!("a.{}", "b".repeat(300))).unwrap().len(), NAME_MAX_BYTES);
    }

    #[test]
    fn a_file_that_is_there_is_not_written_over() {
        let folder = std::env::temp_dir().join(format!("toolgate-save-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        let first = write(&folder, "a.txt", b"1").unwrap();
        let second = write(&folder, "a.txt", b"2").unwrap();
        assert_eq!((fs::read(&first).unwrap(), fs::read(&second).unwrap()), (b"1".to_vec(), b"2".to_vec()));
        assert!(second.ends_with("a-2.txt"));
    }
}

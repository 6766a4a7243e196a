//! What each server listed last, kept for `--cached` and for completion, which asks no server.
//!
//! A cache and no record: a list that cannot be kept is not missed, one that is in nobody's use goes away by itself, and no call is
//! judged by it. It is its user's alone, as a list may depend on who asks; who that is, is part of its key (R9).

use crate::config::is_secret;
use crate::digest;
use crate::servers::{How, user_folder};
use crate::store::write_anew;
use crate::target::Target;
use crate::tool::list_text;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use toolgate::json::ObjectWriter;

/// Names another folder for the lists, or `none`.
pub(crate) const VARIABLE: &str = "TOOLGATE_CACHE";
/// Bytes of a list that is kept; a longer one is no help at a prompt.
const SIZE_MAX_BYTES: usize = 16 << 20;
/// Lists that are kept.
const FILES_MAX: usize = 128;
/// From when on a list may well not be what the server says now.
const OLD: Duration = Duration::from_secs(3_600);
/// How long one is kept.
const AGE_MAX: Duration = Duration::from_secs(90 * 86_400);

/// A list and how long ago the server gave it.
pub(crate) struct Last {
    /// The tool objects, as JSON text.
    pub(crate) definitions: Vec<String>,
    age: Duration,
}

impl Last {
    /// Whether its age is worth telling unasked.
    pub(crate) fn is_old(&self) -> bool {
        self.age >= OLD
    }

    /// How long ago that was, in words.
    pub(crate) fn age(&self) -> String {
        let seconds = self.age.as_secs();
        let (number, unit) = match seconds {
            0..60 => return "just now".to_owned(),
            60..3_600 => (seconds / 60, "minute"),
            3_600..86_400 => (seconds / 3_600, "hour"),
            _ => (seconds / 86_400, "day"),
        };
        format!("{number} {unit}{} ago", if number == 1 { "" } else { "s" })
    }
}

/// By what a list is found: how the server is reached, as whom, and for a command from where, if that is another program there. One
/// cannot read it from the key.
pub(crate) fn key(how: &How) -> String {
    let mut object = ObjectWriter::new();
    let pairs =
        |pairs: &[(String, String)]| pairs.iter().flat_map(|(name, value)| [name.clone(), value.clone()]).collect();
    match how {
        How::Url { url, headers } => {
            object.string("url", url);
            let headers: Vec<String> = pairs(headers);
            object.strings("headers", &headers);
        }
        How::Command { words, env, cwd } => {
            let env: Vec<String> = pairs(env);
            let here = std::env::current_dir().unwrap_or_default();
            let folder = cwd.as_ref().map_or_else(|| here.clone(), |cwd| here.join(cwd));
            let leads_there = |word: &String| Path::new(word).is_relative() && folder.join(word).exists();
            let from = if cwd.is_some() || words.iter().any(leads_there) { folder } else { PathBuf::new() };
            let mut inherited: Vec<String> = std::env::vars_os()
                .map(|(name, value)| format!("{}={}", name.to_string_lossy(), value.to_string_lossy()))
                .filter(|variable| tells_who(variable.split('=').next().unwrap_or_default()))
                .collect();
            inherited.sort();
            object.strings("command", words);
            object.strings("env", &env);
            object.string("from", &from.to_string_lossy());
            object.strings("inherited", &inherited);
        }
    }
    digest::of_text(&object.end()).replace(':', "-")
}

/// Keeps a list.
pub(crate) fn keep(key: &str, definitions: &[String]) {
    let Some(folder) = folder() else { return };
    let mut object = ObjectWriter::new();
    object.raw("tools", &list_text(definitions));
    let text = object.end() + "\n";
    let path = file(&folder, key);
    if text.len() > SIZE_MAX_BYTES || make(&folder).is_err() {
        // One that was kept is not the last any more.
        let _ = fs::remove_file(&path);
        return;
    }
    let is_same = fs::symlink_metadata(&path).is_ok_and(|kept| kept.is_file() && kept.len() == text.len() as u64)
        && fs::read(&path).is_ok_and(|kept| kept == text.as_bytes());
    let is_renewed = is_same
        && fs::File::options().append(true).open(&path).is_ok_and(|file| file.set_modified(SystemTime::now()).is_ok());
    if !is_renewed && write_anew(&path, &text).is_ok() {
        tidy(&folder);
    }
}

/// The list that this server gave last, if it is kept.
pub(crate) fn last(how: &How) -> Option<Last> {
    let path = file(&folder()?, &key(how));
    let metadata = fs::symlink_metadata(&path).ok()?;
    if !metadata.is_file() || metadata.len() > SIZE_MAX_BYTES as u64 {
        return None;
    }
    let text = fs::read_to_string(&path).ok()?;
    Some(Last { definitions: Target::read(&path, &text).ok()?.definitions, age: age(&metadata) })
}

/// Whether a variable that a server inherits may tell who asks. All of them would make every terminal somebody else.
fn tells_who(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    // Where a session keeps its keys says nothing of whose they are.
    let is_place = name.ends_with("_SOCK") || name == "XAUTHORITY";
    !is_place && (is_secret(&name) || name.contains("ACCOUNT") || name.contains("PROFILE"))
}

/// Forgets every list: who asks has changed.
pub(crate) fn forget() {
    let lists = folder().map(|folder| lists(&folder)).unwrap_or_default();
    lists.iter().for_each(|path| drop(fs::remove_file(path)));
}

/// Where lists are kept; nowhere for a user without a home, and for one who wants none.
pub(crate) fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE).filter(|said| !said.is_empty()) {
        Some(said) if said == "none" => None,
        Some(said) => Some(PathBuf::from(said)),
        None => Some(user_folder("XDG_CACHE_HOME", ".cache")?.join("toolgate").join("lists")),
    }
}

/// Makes the folder, for its user alone.
fn make(folder: &Path) -> std::io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Takes away what is old, and the oldest of what is too much.
fn tidy(folder: &Path) {
    let aged = |path: PathBuf| Some((age(&fs::metadata(&path).ok()?), path));
    let mut aged: Vec<(Duration, PathBuf)> = lists(folder).into_iter().filter_map(aged).collect();
    aged.sort();
    for (at, (age, path)) in aged.iter().enumerate() {
        if at >= FILES_MAX || *age > AGE_MAX {
            let _ = fs::remove_file(path);
        }
    }
}

fn file(folder: &Path, key: &str) -> PathBuf {
    folder.join(format!("{key}.json"))
}

/// The lists of a folder.
fn lists(folder: &Path) -> Vec<PathBuf> {
    let files = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok).map(|entry| entry.path());
    files.filter(|path| is_ours(path)).collect()
}

/// Whoever names a folder of theirs loses nothing else in it.
fn is_ours(path: &Path) -> bool {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.starts_with("sha256-") && name.ends_with(".json")
}

/// Of a file whose time is not known, or not past, none.
fn age(metadata: &fs::Metadata) -> Duration {
    metadata.modified().ok().and_then(|then| then.elapsed().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(words: &[&str]) -> How {
        How::Command { words: words.iter().map(|word| (*word).to_owned()).collect(), env: Vec::new(), cwd: None }
    }

    #[test]
    fn the_folder_counts_where_a_word_leads_into_it() {
        // Tests run in the folder of the crate.
        let in_folder = |words: &[&str], cwd: &str| match command(words) {
            How::Command { words, env, .. } => key(&How::Command { words, env, cwd: Some(cwd.into()) }),
            how => key(&how),
        };
        let here = std::env::current_dir().unwrap();
        for words in [&["sh", "src/main.rs"][..], &["serve", "."]] {
            assert_eq!(key(&command(words)), in_folder(words, here.to_str().unwrap()), "{words:?}");
        }
        assert_ne!(
            key(&command(&["npx", "-y", "server"])),
            in_folder(&["npx", "-y", "server"], here.to_str().unwrap())
        );
    }

    #[test]
    fn a_key_tells_servers_apart_and_who_asks() {
        let web = |token: &str| How::Url {
            url: "https://example.com/mcp".to_owned(),
            headers: vec![("Authorization".to_owned(), token.to_owned())],
        };
        let keys = [key(&web("a")), key(&web("b")), key(&command(&["a b"])), key(&command(&["a", "b"]))];
        let mut told = keys.to_vec();
        told.sort();
        told.dedup();
        assert_eq!(told.len(), keys.len());
        assert_eq!(key(&web("a")), key(&web("a")));
    }

    #[test]
    fn an_age_is_told_in_its_largest_unit() {
        let told = |seconds| Last { definitions: Vec::new(), age: Duration::from_secs(seconds) }.age();
        assert_eq!(
            [told(5), told(60), told(7_199), told(86_400), told(86_400 * 3)],
            ["just now", "1 minute ago", "1 hour ago", "1 day ago", "3 days ago"]
        );
    }

    #[test]
    fn what_is_too_much_goes_the_oldest_first() {
        let folder = std::env::temp_dir().join(format!("toolgate-cache-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        make(&folder).unwrap();
        for index in 0..FILES_MAX + 3 {
            let path = folder.join(format!("sha256-{index}.json"));
            fs::write(&path, "{}").unwrap();
            let then = SystemTime::now() - Duration::from_secs(index as u64 * 60);
            fs::File::options().append(true).open(&path).unwrap().set_modified(then).unwrap();
        }
        fs::write(folder.join("notes.json"), "mine").unwrap();
        tidy(&folder);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), FILES_MAX + 1);
        assert!(folder.join("sha256-0.json").exists() && folder.join("notes.json").exists());
        assert!(!folder.join(format!("sha256-{}.json", FILES_MAX + 2)).exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}

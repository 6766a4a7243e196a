//! What several commands let their user say about a contract beside its schema, and how they read files.

use crate::judge::set_word;
use clap::Args;
use std::io::Read;
use std::path::Path;
use toolgate::json::{Document, Fault, Strictness};
use toolgate::{Alias, Limits, Policy, Profile};

/// Bytes of one file. What is in it has tighter limits of its own.
pub(crate) const FILE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Nesting of one file.
pub(crate) const FILE_DEPTH_MAX: usize = 520;

/// Who wrote a schema, and what becomes of keys that it does not declare.
#[derive(Args)]
#[command(next_help_heading = "Policy")]
pub(crate) struct OriginArgs {
    /// Who wrote the schema: this process, or another server
    #[arg(long, value_name = "authored|discovered", value_parser = ["authored", "discovered"])]
    pub(crate) origin: Option<String>,

    /// Which keys that the schema does not declare are refused [default: close-root]
    #[arg(long, value_name = "close-root|close-declared|as-written", value_parser = ["close-root", "close-declared", "as-written"])]
    pub(crate) unknown_keys: Option<String>,
}

impl OriginArgs {
    /// Sets what was said.
    pub(crate) fn add_to(&self, policy: &mut Policy) -> Result<(), String> {
        for (field, word) in [("origin", &self.origin), ("unknown_keys", &self.unknown_keys)] {
            if let Some(word) = word {
                set_word(policy, field, word)?;
            }
        }
        Ok(())
    }
}

/// `NAME=FORMER` as an alias of the root.
pub(crate) fn alias(word: &str) -> Result<Alias, String> {
    let (name, former) = word.split_once('=').ok_or("--alias takes NAME=FORMER")?;
    Ok(Alias { at: String::new(), name: name.into(), former: vec![former.into()] })
}

/// The profile of this name; the error lists the names there are.
pub(crate) fn profile(name: &str) -> Result<&'static Profile, String> {
    Profile::named(name).ok_or_else(|| {
        let names: Vec<&str> = Profile::all().iter().map(|profile| profile.name).collect();
        format!("there is no profile of this name; there are {}", names.join(", "))
    })
}

/// The text of a file, or of standard input for `-`.
pub(crate) fn read(path: &Path) -> Result<String, String> {
    let mut bytes = Vec::new();
    let most = FILE_MAX_BYTES as u64 + 1;
    let read = if path == Path::new("-") {
        std::io::stdin().lock().take(most).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(most).read_to_end(&mut bytes))
    };
    read.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    if bytes.len() > FILE_MAX_BYTES {
        return Err(format!("{} is larger than {FILE_MAX_BYTES} bytes", path.display()));
    }
    let text = String::from_utf8(bytes).map_err(|_| format!("{} is not UTF-8", path.display()))?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// A document of a file.
pub(crate) fn document(text: &str) -> Result<Document<'_>, Fault> {
    let limits = Limits { size_max_bytes: FILE_MAX_BYTES, depth_max: FILE_DEPTH_MAX, ..Limits::default() };
    Document::read_str(text, Strictness::Frame, &limits)
}

//! The servers that a user has named: in a file of toolgate's, or in the configuration of a client.
//!
//! Files are looked for in a fixed order and the first that names a server says what it is. Variables are filled in for the
//! server that is used, never written anywhere, and one that is not set is a mistake that is told.

mod file;
mod list;
mod variables;

pub(crate) use file::bearer;
pub(crate) use list::{ServersArgs, servers};
pub(crate) use variables::expand;

use crate::input;
use file::Entry;
use std::env;
use std::path::{Path, PathBuf};
use toolgate::shown_name;

/// Files of servers in the working directory; clients read the second.
const LOCAL: [&str; 2] = ["toolgate.toml", ".mcp.json"];

/// A server and the file that names it.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    pub(crate) entry: Entry,
}

/// Everything that is configured, in the order in which it is looked at.
pub(crate) struct Servers {
    pub(crate) servers: Vec<Named>,
    /// The files that were looked for.
    files: Vec<PathBuf>,
}

/// How a server is reached, with its variables filled in.
pub(crate) struct Reach {
    pub(crate) how: How,
    /// The policy file of `toolgate run` by which its tools are judged.
    pub(crate) policy: Option<PathBuf>,
}

pub(crate) enum How {
    Command { words: Vec<String>, env: Vec<(String, String)>, cwd: Option<PathBuf> },
    Url { url: String, headers: Vec<(String, String)> },
}

impl Servers {
    /// The servers of one file, or of all that are there.
    ///
    /// # Errors
    ///
    /// Says which file cannot be read, and why.
    pub(crate) fn find(config: Option<&Path>) -> Result<Servers, String> {
        let said = config.map(Path::to_owned).or_else(|| env::var_os("TOOLGATE_CONFIG").map(PathBuf::from));
        let is_said = said.is_some();
        let files = said.map_or_else(usual, |file| vec![file]);
        let mut servers = Vec::new();
        for path in &files {
            if !is_said && !path.is_file() {
                continue;
            }
            let text = input::text(path)?;
            let entries = file::read(path, &text).map_err(|why| format!("{}: {why}", path.display()))?;
            servers.extend(entries.into_iter().map(|(name, entry)| Named { name, file: path.clone(), entry }));
        }
        Ok(Servers { servers, files })
    }

    /// The server of this name.
    ///
    /// # Errors
    ///
    /// Says which may have been meant, or where servers are named.
    pub(crate) fn get(&self, name: &str) -> Result<&Named, String> {
        self.servers.iter().find(|server| server.name == name).ok_or_else(|| self.unknown(name))
    }

    fn unknown(&self, name: &str) -> String {
        let names = || self.servers.iter().map(|server| server.name.as_str());
        let unknown = format!("there is no server `{}`", shown_name(name));
        if let Some(near) = crate::tool::nearest(name, names()) {
            return format!("{unknown}; did you mean `{}`?", shown_name(near));
        }
        if self.servers.is_empty() {
            let files: Vec<String> = self.files.iter().map(|file| file.display().to_string()).collect();
            return format!(
                "{unknown}: none is named in {}. A server can also be its URL, or a command after --",
                files.join(", ")
            );
        }
        let names: Vec<String> = names().map(|name| format!("`{}`", shown_name(name))).collect();
        format!("{unknown}; there are {}", names.join(", "))
    }

    /// Whether an earlier file names a server of this name already.
    pub(crate) fn is_hidden(&self, index: usize) -> bool {
        let name = self.servers.get(index).map(|server| &server.name);
        self.servers.iter().take(index).any(|earlier| Some(&earlier.name) == name)
    }
}

/// Where servers are named, unless said otherwise.
fn usual() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = LOCAL.iter().map(PathBuf::from).collect();
    let home = env::var_os("HOME").map(PathBuf::from);
    let config = env::var_os("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| Some(home?.join(".config")));
    files.extend(config.map(|folder| folder.join("toolgate").join("config.toml")));
    files
}

impl Named {
    /// How it is reached.
    ///
    /// # Errors
    ///
    /// Names the variable that is not set, or what of the entry is missing.
    pub(crate) fn reach(&self) -> Result<Reach, String> {
        let variable = |name: &str| env::var(name).ok();
        let in_file = |why: String| format!("{}: server `{}`: {why}", self.file.display(), shown_name(&self.name));
        let how = self.entry.how(&variable).map_err(in_file)?;
        let folder = self.file.parent().unwrap_or(Path::new("."));
        Ok(Reach { how, policy: self.entry.policy.as_ref().map(|policy| folder.join(policy)) })
    }
}

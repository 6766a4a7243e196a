//! The servers that a user has named: in a file of toolgate's, or in the configuration of a client.
//!
//! Files are looked for in a fixed order and the first that names a server says what it is. Variables are filled in for the
//! server that is used, never written anywhere, and one that is not set is a mistake that is told. Our own file is read strictly; a
//! client's file that cannot be read costs its own servers alone.

pub(crate) mod clients;
mod entry;
mod list;
mod on_path;
pub(crate) mod own;
pub(crate) mod own_program;
pub(crate) mod tree;
pub(crate) mod trust;
mod variables;

pub(crate) use clients::user_folder;
pub(crate) use entry::{Entry, bearer};
pub(crate) use list::{NAMING, ServersArgs, list_of, servers, shown_args};
pub(crate) use on_path::on_path;
pub(crate) use variables::{Template, expand, is_name};

use crate::contract_args;
use crate::environment::variable;
use crate::input;
use crate::run;
use crate::tool::did_you_mean;
use clients::{ANY, Client, ClientPath, Found};
use std::cell::RefCell;
use std::env;
use std::path::{Path, PathBuf};
use toolgate::shown_name;
use toolgate_gateway::client::Secrets;
use toolgate_gateway::policy::ServerPolicy;

/// Our own file in the working directory.
pub(crate) const LOCAL: &str = "toolgate.toml";

/// A server and the file that names it.
pub(crate) struct Named {
    pub(crate) name: String,
    pub(crate) file: PathBuf,
    /// How it is reached, or why it cannot be.
    pub(crate) entry: Result<Entry, String>,
    /// The client in whose configuration it was found, where nobody named that file.
    pub(crate) found_in: Option<&'static Client>,
    /// Whether it may be used: the file is not one that came with a folder that nobody trusts.
    pub(crate) is_trusted: bool,
}

impl Judging {
    /// The policy.
    ///
    /// # Errors
    ///
    /// Names the file that cannot be read, or the option of the guard that is none.
    pub(crate) fn policy(&self) -> Result<ServerPolicy, String> {
        match self {
            Judging::Default => Ok(ServerPolicy::discovered()),
            Judging::Policy(path) => contract_args::policy(path),
            Judging::Guard(options) => run::policy_of(options),
        }
    }
}

/// Everything that is configured, in the order in which it is looked at.
pub(crate) struct Servers {
    pub(crate) servers: Vec<Named>,
    /// The files that were looked for.
    files: Vec<PathBuf>,
    /// Files of clients that cannot be read.
    faults: Vec<Unread>,
    /// Whether the working directory's files may name servers, once it has been asked.
    trusts_here: Option<bool>,
}

/// A file of a client that cannot be read.
struct Unread {
    why: String,
    /// How many servers are named before it.
    after: usize,
}

/// How a server is reached, with its variables filled in.
pub(crate) struct Reach {
    pub(crate) how: How,
    pub(crate) judging: Judging,
    /// What its variables held, which nobody is shown.
    pub(crate) secrets: Secrets,
}

/// By what a server's tools are judged.
pub(crate) enum Judging {
    /// By what everybody has who says nothing.
    Default,
    /// By a policy file of `toolgate run`.
    Policy(PathBuf),
    /// By the options of the guard that its client starts it behind.
    Guard(Vec<String>),
}

pub(crate) enum How {
    Command { words: Vec<String>, env: Vec<(String, String)>, cwd: Option<PathBuf> },
    Url { url: String, headers: Vec<(String, String)> },
}

impl Servers {
    /// None, and no file that was looked for.
    pub(crate) fn none() -> Servers {
        Servers { servers: Vec::new(), files: Vec::new(), faults: Vec::new(), trusts_here: None }
    }

    /// The servers of one file, or of all that are there.
    ///
    /// # Errors
    ///
    /// Says which file cannot be read, and why, where it is one of ours or was named.
    pub(crate) fn find(config: Option<&Path>) -> Result<Servers, String> {
        Self::with(config, |_| true)
    }

    /// As many of them as it takes to know this one: clients' files can be large.
    ///
    /// # Errors
    ///
    /// As [`Servers::find`].
    pub(crate) fn for_name(config: Option<&Path>, name: &str) -> Result<Servers, String> {
        Self::with(config, |named| named.get(name).is_err())
    }

    /// Those that are named for toolgate, without what clients have for themselves.
    ///
    /// # Errors
    ///
    /// As [`Servers::find`].
    pub(crate) fn for_toolgate(config: Option<&Path>) -> Result<Servers, String> {
        Self::with(config, |_| false)
    }

    /// Looks into the clients' files where it is wanted after all others.
    fn with(config: Option<&Path>, wants_clients: impl Fn(&Servers) -> bool) -> Result<Servers, String> {
        let mut servers = Servers::none();
        let said = config.map(Path::to_owned).or_else(|| env::var_os("TOOLGATE_CONFIG").map(PathBuf::from));
        if let Some(path) = said {
            servers.trusts_here = Some(true);
            let added = match form_of(&path) {
                Some(client) => servers.add_client(client, &client.file(&path), None),
                None => servers.add_own(&path),
            };
            added?;
            return Ok(servers);
        }
        servers.add_own_if_there(Path::new(LOCAL))?;
        servers.add_found(&ANY, &ANY.file(Path::new(clients::SHARED)), None);
        if let Some(path) = of_user() {
            servers.add_own_if_there(&path)?;
        }
        if wants_clients(&servers) {
            for (client, file) in clients::all() {
                servers.add_found(client, &file, Some(client));
            }
        }
        Ok(servers)
    }

    /// The servers of our own files, as far as they are there.
    ///
    /// # Errors
    ///
    /// Says which cannot be read, and why.
    pub(crate) fn of_ours(files: &[PathBuf]) -> Result<Servers, String> {
        let mut servers = Servers::none();
        for path in files {
            servers.add_own_if_there(path)?;
        }
        Ok(servers)
    }

    fn add_own_if_there(&mut self, path: &Path) -> Result<(), String> {
        if path.is_file() {
            return self.add_own(path);
        }
        self.files.push(path.to_owned());
        Ok(())
    }

    fn add_own(&mut self, path: &Path) -> Result<(), String> {
        self.files.push(path.to_owned());
        let text = input::text(path)?;
        let entries = own::read(&text).map_err(|why| in_file(path, &why))?;
        let is_trusted = self.trusts(path);
        let named = |(name, entry)| Named { name, file: path.to_owned(), entry: Ok(entry), found_in: None, is_trusted };
        self.servers.extend(entries.into_iter().map(named));
        Ok(())
    }

    fn add_client(
        &mut self,
        client: &Client,
        file: &ClientPath,
        found_in: Option<&'static Client>,
    ) -> Result<(), String> {
        self.files.push(file.path.clone());
        let text = input::text(&file.path)?;
        let found = clients::entries(client, file, &text).map_err(|why| in_file(&file.path, &why))?;
        let is_trusted = self.trusts(&file.path);
        let named = |Found { name, entry }| Named { name, file: file.path.clone(), entry, found_in, is_trusted };
        self.servers.extend(found.into_iter().map(named));
        Ok(())
    }

    /// A client's file that nobody named: where it is not there, nothing is; where it cannot be read, that is kept to be told.
    fn add_found(&mut self, client: &Client, file: &ClientPath, found_in: Option<&'static Client>) {
        if !file.path.is_file() {
            // Of those that are looked for, people are told the ones that they may have meant to write.
            if found_in.is_none() {
                self.files.push(file.path.clone());
            }
            return;
        }
        if let Err(why) = self.add_client(client, file, found_in) {
            self.faults.push(Unread { why, after: self.servers.len() });
        }
    }

    /// Files of the working directory are looked for by their names alone.
    fn trusts(&mut self, file: &Path) -> bool {
        !file.is_relative() || *self.trusts_here.get_or_insert_with(trust::of_working_directory)
    }

    /// The server of this name.
    ///
    /// # Errors
    ///
    /// Says which may have been meant, or where servers are named.
    pub(crate) fn get(&self, name: &str) -> Result<&Named, String> {
        self.that_count().find(|server| server.name == name).ok_or_else(|| self.unknown(name))
    }

    /// What is left out because the folder is not trusted, among the servers of this name or of all, in words.
    pub(crate) fn left_out(&self, name: Option<&str>) -> Option<String> {
        let is_meant = |server: &&Named| !server.is_trusted && name.is_none_or(|name| server.name == name);
        let left: Vec<&Named> = self.servers.iter().filter(is_meant).collect();
        let names: Vec<String> = left.iter().map(|server| format!("`{}`", shown_name(&server.name))).collect();
        let mut files: Vec<String> = left.iter().map(|server| server.file.display().to_string()).collect();
        files.dedup();
        (!left.is_empty()).then(|| {
            format!(
                "this folder is not trusted, so {} of {} {} left out: `toolgate servers` shows what would be started, \
                 `toolgate config trust` allows it",
                names.join(", "),
                files.join(", "),
                if names.len() == 1 { "is" } else { "are" }
            )
        })
    }

    /// Files that cannot be read and may have said something of this server; of none, all of them.
    pub(crate) fn unread(&self, name: Option<&str>) -> impl Iterator<Item = &str> {
        let is_it = |server: &Named, name: &str| server.is_trusted && server.name == name;
        let found = name.and_then(|name| self.servers.iter().position(|server| is_it(server, name)));
        let before = self.faults.iter().filter(move |fault| found.is_none_or(|found| fault.after <= found));
        before.map(|fault| fault.why.as_str())
    }

    /// The server and its tool of one word, as other clients have them: `server.tool` or `server/tool`. Of two servers whose names
    /// begin it, the longer one.
    pub(crate) fn with_tool<'w>(&self, word: &'w str) -> Option<(&'w str, &'w str)> {
        let mut ends = word
            .match_indices(['.', '/'])
            .filter_map(|(at, sign)| Some((word.get(..at)?, word.get(at + sign.len()..)?)));
        ends.rfind(|(server, tool)| !tool.is_empty() && self.get(server).is_ok())
    }

    fn unknown(&self, name: &str) -> String {
        let names = || self.that_count().map(|server| server.name.as_str());
        if let Some(left) = self.left_out(Some(name)) {
            return left;
        }
        let unknown = format!("there is no server `{}`", shown_name(name));
        if let Some((server, tool)) = self.with_tool(name) {
            let (server, tool) = (shown_name(server), shown_name(tool));
            return format!("{unknown}; the server `{server}` and a tool `{tool}` would be two words");
        }
        if let Some(near) = did_you_mean(name, names()) {
            return format!("{unknown}{near}");
        }
        if self.servers.is_empty() {
            let files: Vec<String> = self.files.iter().map(|file| shown_path(file)).collect();
            return format!(
                "{unknown}: none is named in {}. A server can also be its URL, or a command after --",
                files.join(", ")
            );
        }
        let names: Vec<String> = names().map(|name| format!("`{}`", shown_name(name))).collect();
        format!("{unknown}; there are {}", names.join(", "))
    }

    /// Of a name that several files have, the server that counts.
    pub(crate) fn that_count(&self) -> impl Iterator<Item = &Named> {
        let counts = |(index, server): &(usize, &Named)| server.is_trusted && !self.is_hidden(*index);
        self.servers.iter().enumerate().filter(counts).map(|(_, server)| server)
    }

    /// Whether an earlier file that may names a server of this name already.
    pub(crate) fn is_hidden(&self, index: usize) -> bool {
        let name = self.servers.get(index).map(|server| &server.name);
        self.servers.iter().take(index).any(|earlier| earlier.is_trusted && Some(&earlier.name) == name)
    }

    /// Whether the working directory holds a file that names servers.
    pub(crate) fn are_here() -> bool {
        let of_clients = clients::all().into_iter().map(|(_, file)| file.path).filter(|path| path.is_relative());
        of_clients.chain([PathBuf::from(LOCAL), PathBuf::from(clients::SHARED)]).any(|path| path.exists())
    }
}

/// The user's own file of ours.
pub(crate) fn of_user() -> Option<PathBuf> {
    Some(clients::config_home()?.join("toolgate").join("config.toml"))
}

/// In which client's form a file is written that somebody named; ours is TOML that is no client's.
pub(crate) fn form_of(path: &Path) -> Option<&'static Client> {
    let is_json = path.extension().is_some_and(|extension| extension == "json" || extension == "jsonc");
    clients::client_of(path).or_else(|| is_json.then_some(&ANY))
}

/// A file as people name it, from the user's home.
pub(crate) fn shown_path(path: &Path) -> String {
    let below = env::home_dir()
        .filter(|home| home.parent().is_some())
        .and_then(|home| path.strip_prefix(home).ok().map(Path::to_owned));
    let shown = below.map_or_else(|| path.display().to_string(), |below| format!("~/{}", below.display()));
    crate::show::visible(&shown)
}

/// `file:line:column: why` where the place is known, as compilers say it.
pub(crate) fn in_file(path: &Path, why: &str) -> String {
    let gap = if why.starts_with(|ch: char| ch.is_ascii_digit()) { "" } else { " " };
    format!("{}:{gap}{why}", shown_path(path))
}

impl Named {
    /// How it is reached.
    ///
    /// # Errors
    ///
    /// Names the variable that is not set, or what of the entry is missing.
    pub(crate) fn reach(&self) -> Result<Reach, String> {
        let held = RefCell::new(Vec::new());
        let variable = |name: &str| {
            let value = variable(name)?;
            held.borrow_mut().extend(value.clone());
            Ok(value)
        };
        let in_file = |why: String| format!("{}: server `{}`: {why}", shown_path(&self.file), shown_name(&self.name));
        let entry = self.entry.as_ref().map_err(|why| in_file(why.clone()))?;
        let how = entry.how(&variable).map_err(in_file)?;
        let judging = entry.judging(self.file.parent().unwrap_or(Path::new(".")), &variable).map_err(in_file)?;
        Ok(Reach { how, judging, secrets: Secrets::of_values(held.take()) })
    }

    /// The folder for what is kept about it: that of the file, and where the file is a client's, the working directory for one of a
    /// project and our own folder for one of the user.
    pub(crate) fn folder(&self) -> PathBuf {
        let beside = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        match self.found_in {
            None => beside(&self.file),
            Some(_) if self.file.is_relative() => PathBuf::new(),
            Some(_) => of_user().map_or_else(PathBuf::new, |path| beside(&path)),
        }
    }
}

//! The clients whose configurations name servers: where each keeps them, and in which form.
//!
//! The facts are of November 2026. They are from what each client's makers document of its configuration (Claude Code: scopes of
//! MCP servers; Claude Desktop: connecting local servers; Cursor: MCP and its interpolation; VS Code: MCP configuration reference;
//! Codex: configuration reference; Gemini CLI: MCP servers and settings; goose: configuration files) and, for Codex and goose, from
//! the types by which their open sources read it. Claude Desktop has no build of its makers for Linux; the folder is that of the
//! usual rebuilds.

mod guarded;
mod read;

pub(crate) use guarded::{Guarded, behind_guard, is_toolgate};
pub(crate) use read::{ELSEWHERE, Found, entries, is_process};

use super::tree::Syntax;
use super::variables::Variables;
use crate::tool::did_you_mean;
use std::env;
use std::path::{Path, PathBuf};

/// A client, and how it names servers.
pub(crate) struct Client {
    /// As the command line names it.
    pub(crate) name: &'static str,
    /// As its makers name it.
    pub(crate) title: &'static str,
    pub(crate) syntax: Syntax,
    pub(crate) files: &'static [ClientFile],
    pub(crate) keys: &'static Keys,
    pub(crate) variables: Variables,
}

/// One file of a client.
pub(crate) struct ClientFile {
    place: Place,
    /// Ways to the objects that hold servers by their names.
    holders: &'static [&'static [Step]],
}

/// A name on the way to the servers.
pub(crate) enum Step {
    Name(&'static str),
    /// The working directory's absolute path.
    Here,
}

enum Place {
    /// In the working directory: a project's.
    Here(&'static str),
    /// In the user's home.
    Home(&'static str),
    /// In the folder that a variable names, or else in this one of the user's home.
    Named(&'static str, &'static str, &'static str),
    /// In `$XDG_CONFIG_HOME`, or `~/.config`.
    Config(&'static str),
    /// Where applications of this system keep what is the user's.
    Application(&'static str),
}

/// What the members of a server are called.
pub(crate) struct Keys {
    pub(crate) command: &'static str,
    pub(crate) args: &'static str,
    pub(crate) env: &'static str,
    /// The address; of several the first that is there.
    pub(crate) url: &'static [&'static str],
    pub(crate) headers: &'static str,
    /// How variables stand in headers, where that is not as in everything else.
    pub(crate) header_variables: Option<Variables>,
    /// Names of variables, of which the client has the values: those of the process, and that of a bearer token.
    pub(crate) env_names: Option<&'static str>,
    pub(crate) header_env: Option<&'static str>,
    pub(crate) bearer_env: Option<&'static str>,
    /// Kinds (`type`) of what is no server of its own.
    pub(crate) inner: &'static [&'static str],
}

const COMMON: Keys = Keys {
    command: "command",
    args: "args",
    env: "env",
    url: &["httpUrl", "url", "serverUrl"],
    headers: "headers",
    header_variables: None,
    env_names: None,
    header_env: None,
    bearer_env: None,
    inner: &[],
};

const CODEX: Keys = Keys {
    headers: "http_headers",
    header_env: Some("env_http_headers"),
    bearer_env: Some("bearer_token_env_var"),
    ..COMMON
};

const GOOSE: Keys = Keys {
    command: "cmd",
    env: "envs",
    url: &["uri"],
    header_variables: Some(Variables::Shell),
    env_names: Some("env_keys"),
    inner: &["builtin", "platform", "frontend", "inline_python"],
    ..COMMON
};

const MCP_SERVERS: &[&[Step]] = &[&[Step::Name("mcpServers")]];
const CODEX_SERVERS: &[&[Step]] = &[&[Step::Name("mcp_servers")]];

/// A project's file that several clients read; it counts before those of single clients.
pub(crate) const SHARED: &str = ".mcp.json";

/// The clients, in the order in which their files are looked at: first those of projects, then those of the user.
pub(crate) static CLIENTS: [Client; 7] = [
    Client {
        name: "claude-code",
        title: "Claude Code",
        syntax: Syntax::Json,
        files: &[
            ClientFile { place: Place::Here(SHARED), holders: MCP_SERVERS },
            ClientFile {
                place: Place::Named("CLAUDE_CONFIG_DIR", "", ".claude.json"),
                holders: &[
                    &[Step::Name("projects"), Step::Here, Step::Name("mcpServers")],
                    &[Step::Name("mcpServers")],
                ],
            },
        ],
        keys: &COMMON,
        variables: Variables::Braced,
    },
    Client {
        name: "claude-desktop",
        title: "Claude Desktop",
        syntax: Syntax::Json,
        files: &[ClientFile { place: Place::Application("Claude/claude_desktop_config.json"), holders: MCP_SERVERS }],
        keys: &COMMON,
        variables: Variables::None,
    },
    Client {
        name: "cursor",
        title: "Cursor",
        syntax: Syntax::Json,
        files: &[
            ClientFile { place: Place::Here(".cursor/mcp.json"), holders: MCP_SERVERS },
            ClientFile { place: Place::Home(".cursor/mcp.json"), holders: MCP_SERVERS },
        ],
        keys: &COMMON,
        variables: Variables::Editor,
    },
    Client {
        name: "vscode",
        title: "VS Code",
        syntax: Syntax::Json,
        files: &[
            ClientFile { place: Place::Here(".vscode/mcp.json"), holders: &[&[Step::Name("servers")]] },
            ClientFile { place: Place::Application("Code/User/mcp.json"), holders: &[&[Step::Name("servers")]] },
        ],
        keys: &COMMON,
        variables: Variables::Editor,
    },
    Client {
        name: "codex",
        title: "Codex",
        syntax: Syntax::Toml,
        files: &[
            ClientFile { place: Place::Here(".codex/config.toml"), holders: CODEX_SERVERS },
            ClientFile { place: Place::Named("CODEX_HOME", ".codex", "config.toml"), holders: CODEX_SERVERS },
        ],
        keys: &CODEX,
        variables: Variables::None,
    },
    Client {
        name: "gemini",
        title: "Gemini CLI",
        syntax: Syntax::Json,
        files: &[
            ClientFile { place: Place::Here(".gemini/settings.json"), holders: MCP_SERVERS },
            ClientFile { place: Place::Home(".gemini/settings.json"), holders: MCP_SERVERS },
        ],
        keys: &COMMON,
        variables: Variables::Shell,
    },
    Client {
        name: "goose",
        title: "goose",
        syntax: Syntax::Yaml,
        files: &[ClientFile { place: Place::Config("goose/config.yaml"), holders: &[&[Step::Name("extensions")]] }],
        keys: &GOOSE,
        variables: Variables::None,
    },
];

/// A file in the form that most clients know, whoever reads it.
pub(crate) static ANY: Client = Client {
    name: "any",
    title: "a client",
    syntax: Syntax::Json,
    files: &[ClientFile {
        place: Place::Here(SHARED),
        holders: &[&[Step::Name("mcpServers")], &[Step::Name("servers")]],
    }],
    keys: &COMMON,
    variables: Variables::Braced,
};

impl Client {
    /// The client of this name.
    ///
    /// # Errors
    ///
    /// Says which there are.
    pub(crate) fn named(name: &str) -> Result<&'static Client, String> {
        CLIENTS.iter().find(|client| client.name == name).ok_or_else(|| {
            let names = || CLIENTS.iter().map(|client| client.name);
            match did_you_mean(name, names()) {
                Some(near) => format!("there is no client `{}`{near}", toolgate::shown_name(name)),
                None => {
                    let names = names().collect::<Vec<_>>().join(", ");
                    format!("there is no client `{}`; there are {names}", toolgate::shown_name(name))
                }
            }
        })
    }

    /// The files that it may have here, those of the project first, each with the ways to its servers.
    pub(crate) fn found(&self) -> Vec<ClientPath> {
        let mut found: Vec<ClientPath> = Vec::new();
        for file in self.files {
            let Some(path) = file.place.path() else { continue };
            // In the user's home, the project's file and the user's can be one.
            let real = path.canonicalize().ok();
            if real.is_none() || found.iter().all(|other| other.path.canonicalize().ok() != real) {
                let is_of_project = matches!(file.place, Place::Here(_));
                found.push(ClientPath { path, holders: file.holders, is_of_project });
            }
        }
        found
    }

    /// This file, in this client's form.
    pub(crate) fn file(&self, path: &Path) -> ClientPath {
        let is_it = |file: &&ClientFile| file.place.is_end_of(path);
        let file = self.files.iter().find(is_it).or(self.files.last());
        let is_of_project = self.found().iter().any(|file| file.is_of_project && file.path == path);
        ClientPath { path: path.to_owned(), holders: file.map_or(&[], |file| file.holders), is_of_project }
    }
}

/// A file of a client, on this machine.
pub(crate) struct ClientPath {
    pub(crate) path: PathBuf,
    holders: &'static [&'static [Step]],
    /// It is the working directory's, and may be shared with it.
    pub(crate) is_of_project: bool,
}

/// The way to servers that a file names for single folders.
pub(crate) struct Folders {
    /// The names on the way to the folders.
    pub(crate) before: Vec<String>,
    /// The working directory.
    pub(crate) here: String,
    /// The names on the way from a folder to its servers.
    pub(crate) after: Vec<String>,
}

impl ClientPath {
    /// The names on the way to each object of servers.
    pub(crate) fn holders(&self) -> Vec<Vec<String>> {
        self.holders.iter().map(|way| way.iter().map(Step::name).collect()).collect()
    }

    /// The ways to servers that lead by a folder.
    pub(crate) fn folders(&self) -> Vec<Folders> {
        let names = |steps: &[Step]| steps.iter().map(Step::name).collect();
        let folders = self.holders.iter().filter_map(|way| {
            let at = way.iter().position(|step| matches!(step, Step::Here))?;
            let (before, after) = way.split_at_checked(at)?;
            Some(Folders { before: names(before), here: Step::Here.name(), after: names(after.get(1..)?) })
        });
        folders.collect()
    }
}

impl Step {
    fn name(&self) -> String {
        match self {
            Step::Name(name) => (*name).to_owned(),
            Step::Here => {
                env::current_dir().ok().and_then(|folder| folder.to_str().map(str::to_owned)).unwrap_or_default()
            }
        }
    }
}

/// The client whose file this is by its place, as far as it can be told.
pub(crate) fn client_of(path: &Path) -> Option<&'static Client> {
    CLIENTS.iter().find(|client| client.files.iter().any(|file| file.place.is_end_of(path)))
}

/// The files of all clients that may be here: first those of the working directory, then those of the user.
pub(crate) fn all() -> Vec<(&'static Client, ClientPath)> {
    let of = |client: &'static Client| client.found().into_iter().map(move |path| (client, path));
    let (here, users): (Vec<_>, Vec<_>) = CLIENTS.iter().flat_map(of).partition(|(_, file)| file.path.is_relative());
    here.into_iter().chain(users).filter(|(_, file)| file.path != Path::new(SHARED)).collect()
}

impl Place {
    fn path(&self) -> Option<PathBuf> {
        match self {
            Place::Here(file) => Some(PathBuf::from(file)),
            Place::Home(file) => Some(home()?.join(file)),
            Place::Named(variable, folder, file) => {
                let named = env::var_os(variable).filter(|named| !named.is_empty()).map(PathBuf::from);
                Some(named.or_else(|| Some(home()?.join(folder)))?.join(file))
            }
            Place::Config(file) => Some(config_home()?.join(file)),
            Place::Application(file) => Some(application_home()?.join(file)),
        }
    }

    /// Whether a path ends as this place does.
    fn is_end_of(&self, path: &Path) -> bool {
        match self {
            Place::Here(file) | Place::Home(file) | Place::Config(file) | Place::Application(file) => {
                path.ends_with(file)
            }
            Place::Named(_, folder, file) => path.ends_with(Path::new(folder).join(file)),
        }
    }
}

fn home() -> Option<PathBuf> {
    env::home_dir().filter(|home| !home.as_os_str().is_empty())
}

/// Where the user's configuration is.
pub(crate) fn config_home() -> Option<PathBuf> {
    user_folder("XDG_CONFIG_HOME", ".config")
}

/// A folder of the user's: the one that the variable names, else this one of the home (XDG Base Directory Specification).
pub(crate) fn user_folder(variable: &str, in_home: &str) -> Option<PathBuf> {
    let said = env::var_os(variable).filter(|said| !said.is_empty()).map(PathBuf::from);
    said.or_else(|| Some(home()?.join(in_home)))
}

fn application_home() -> Option<PathBuf> {
    if cfg!(target_os = "macos") {
        Some(home()?.join("Library/Application Support"))
    } else if cfg!(windows) {
        env::var_os("APPDATA").map(PathBuf::from)
    } else {
        config_home()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_its_place() {
        let name = |path: &str| client_of(Path::new(path)).map(|client| client.name);
        assert_eq!(name("/home/me/.cursor/mcp.json"), Some("cursor"));
        assert_eq!(name(".vscode/mcp.json"), Some("vscode"));
        assert_eq!(name("x/.codex/config.toml"), Some("codex"));
        assert_eq!(name(".claude.json"), Some("claude-code"));
        assert_eq!(name("servers.json"), None);
        assert_eq!(name("toolgate/config.toml"), None);
    }

    #[test]
    fn the_files_of_projects_come_first_and_none_comes_twice() {
        let files: Vec<PathBuf> = all().into_iter().map(|(_, file)| file.path).collect();
        let first_of_user = files.iter().position(|path| path.is_absolute()).unwrap();
        assert!(files[first_of_user..].iter().all(|path| path.is_absolute()), "{files:?}");
        let mut once = files.clone();
        once.sort();
        once.dedup();
        assert_eq!(once.len(), files.len());
        assert!(!files.contains(&PathBuf::from(SHARED)));
    }

    #[test]
    fn a_client_that_is_not_there_is_told_with_those_that_are() {
        assert_eq!(Client::named("cursr").err().unwrap(), "there is no client `cursr`; did you mean `cursor`?");
        assert!(Client::named("zed").err().unwrap().contains("claude-code, claude-desktop"));
    }
}

//! Where a command's tools come from: a server by its name, its URL or its command, or a catalogue in a file.

use crate::cache;
use crate::contract_args;
use crate::environment::variable;
use crate::exit::{Exit, Failed};
use crate::input;
use crate::login;
use crate::servers::{How, Judging, Reach, Servers, bearer, expand, shown_args};
use crate::show::{DIM, complain, notice, quoted_for_shell, visible};
use crate::target::Target;
use clap::Args;
use std::ffi::OsString;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use toolgate_gateway::client::{Connection, Endpoint, Event, Fault, Listener, Secrets, Settings};
use toolgate_gateway::policy::ServerPolicy;

/// Characters of what a server says of its progress.
const MESSAGE_MAX: usize = 60;

/// What several commands let their user say about a server.
#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct ServerArgs {
    /// File with tools in place of a server: a catalogue (`{"tools": […]}`, a list of tools, or the result of tools/list), one
    /// tool, or one input schema; - for standard input
    #[arg(long, value_name = "FILE", conflicts_with_all = ["config", "header", "bearer_env"])]
    pub(crate) catalog: Option<PathBuf>,

    /// File that names servers, TOML or a client's JSON [default: see `toolgate servers --help`]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// A header for a server of HTTP, as `Name: value`; `${VAR}` in it is filled in (repeat as needed)
    #[arg(long, value_name = "HEADER")]
    header: Vec<String>,

    /// The variable that holds a bearer token for a server of HTTP
    #[arg(long, value_name = "VARIABLE")]
    bearer_env: Option<String>,

    /// Seconds that a server may be silent: while it starts and lists, and while a call runs, where progress counts
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,

    /// Policy file of `toolgate run`: the tools are taken as the guard would take them
    #[arg(long, value_name = "FILE")]
    pub(crate) policy: Option<PathBuf>,
}

/// For commands that need a list and no server.
#[derive(Args)]
#[command(next_help_heading = "Server")]
pub(crate) struct CachedArg {
    /// Take the tools as the server listed them last, and ask it nothing; how long ago that was is told
    #[arg(long, conflicts_with = "catalog")]
    cached: bool,
}

/// A server by its name or its URL, for commands that ask it nothing.
#[derive(Args)]
pub(crate) struct ServerName {
    /// The server: a URL, or a name that `toolgate servers` lists
    #[arg(value_name = "SERVER")]
    name: String,

    /// File that names servers, TOML or a client's JSON [default: see `toolgate servers --help`]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
}

impl ServerName {
    /// How it is reached.
    pub(crate) fn reach(&self) -> Result<Reach, Exit> {
        reach(&self.name, self.config.as_deref())
    }

    /// As it may be printed.
    pub(crate) fn shown(&self) -> String {
        shown_server(&self.name)
    }
}

fn reach(name: &str, config: Option<&Path>) -> Result<Reach, Exit> {
    by_url(name).map_or_else(|| reach_in(&servers_for(name, config)?, name), Ok)
}

fn servers_for(name: &str, config: Option<&Path>) -> Result<Servers, Exit> {
    if is_url(name) {
        return Ok(Servers::none());
    }
    Servers::for_name(config, name).map_err(|why| complain(&why, Exit::Configuration))
}

/// A server that is named by its address.
fn by_url(name: &str) -> Option<Reach> {
    is_url(name).then(|| by_itself(How::Url { url: name.to_owned(), headers: Vec::new() }))
}

/// A server that nothing else is said of.
fn by_itself(how: How) -> Reach {
    Reach { how, judging: Judging::Default, secrets: Secrets::default() }
}

fn reach_in(servers: &Servers, name: &str) -> Result<Reach, Exit> {
    servers.unread(Some(name)).for_each(notice);
    let server = servers.get(name).map_err(|why| complain(&why, Exit::Usage))?;
    servers.left_out(Some(name)).iter().for_each(|left| notice(left));
    server.reach().map_err(|why| complain(&why, Exit::Configuration))
}

/// What a server lists, by its URL or its name, and by what it is judged; nothing where the word is neither.
pub(crate) fn listed(word: &str, timeout: u64) -> Result<Option<(Target, Judging)>, Exit> {
    let mut named_in = None;
    let Reach { how, judging, secrets } = if is_url(word) {
        reach(word, None)?
    } else {
        let Ok(servers) = Servers::for_name(None, word) else { return Ok(None) };
        let Ok(server) = servers.get(word) else {
            let left = servers.left_out(Some(word)).filter(|_| !Path::new(word).exists());
            return left.map_or(Ok(None), |left| Err(complain(&left, Exit::Usage)));
        };
        named_in = Some(server.file.display().to_string());
        reach_in(&servers, word)?
    };
    let (mut target, _) = ask(how, secrets, timeout).map_err(|failed| failed.tell())?;
    target.named_in = named_in;
    Ok(Some((target, judging)))
}

/// A server or a file, not yet asked.
pub(crate) struct Source {
    pub(crate) policy: ServerPolicy,
    from: From,
    typed: Typed,
}

/// How a call of a server is typed, whole: what stands before the tool, and what after its options. Shows no secret.
pub(crate) struct Typed {
    before: String,
    after: String,
}

impl Typed {
    /// The line that calls a tool with these options.
    pub(crate) fn line(&self, call: &str) -> String {
        format!("{} {}{}", self.before, call.trim_end(), self.after)
    }
}

enum From {
    Catalogue(PathBuf),
    Server(How, Secrets),
}

/// The tools, and who answers calls of them.
pub(crate) struct Opened {
    pub(crate) target: Target,
    pub(crate) policy: ServerPolicy,
    pub(crate) connection: Option<Connection>,
    pub(crate) typed: Typed,
}

/// Tools that are known without asking for them.
pub(crate) struct Known {
    pub(crate) definitions: Vec<String>,
    pub(crate) policy: ServerPolicy,
    /// How long ago a server listed them, where that is worth telling.
    pub(crate) age: Option<String>,
}

impl ServerArgs {
    /// A server by its command.
    pub(crate) fn of_command(&self, words: &[OsString]) -> Result<Source, Exit> {
        let mut texts = Vec::new();
        for word in words {
            let text = word.to_str().ok_or_else(|| complain("the server's command is not UTF-8", Exit::Usage))?;
            texts.push(text.to_owned());
        }
        let shown = shown_args(texts.iter().map(String::as_str));
        let shown: Vec<String> = shown.iter().map(|word| quoted_for_shell(word)).collect();
        let typed = self.typed("", &format!(" -- {}", shown.join(" ")));
        let how = How::Command { words: texts, env: Vec::new(), cwd: None };
        self.source(by_itself(how), typed)
    }

    /// A server by its name or its URL.
    pub(crate) fn of_name(&self, name: &str) -> Result<Source, Exit> {
        self.of_name_in(&self.servers_for(name)?, name)
    }

    /// The same, of servers that have been read.
    pub(crate) fn of_name_in(&self, servers: &Servers, name: &str) -> Result<Source, Exit> {
        let typed = self.typed(&format!(" {}", quoted_for_shell(&shown_server(name))), "");
        let reach = by_url(name).map_or_else(|| reach_in(servers, name), Ok)?;
        self.source(reach, typed)
    }

    /// As many servers as it takes to know this one; none for one by its address.
    pub(crate) fn servers_for(&self, name: &str) -> Result<Servers, Exit> {
        servers_for(name, self.config.as_deref())
    }

    /// The file of `--catalog`.
    pub(crate) fn of_catalog(&self, path: &Path) -> Result<Source, Exit> {
        let typed = self.typed(&format!(" --dry-run --catalog {}", quoted_for_shell(&path.to_string_lossy())), "");
        Ok(Source { policy: self.policy(&Judging::Default)?, from: From::Catalogue(path.to_owned()), typed })
    }

    /// The one server or file that a command is given: by `--catalog`, by its name or its URL, or by its command.
    pub(crate) fn one(&self, name: Option<&str>, command: &[OsString]) -> Result<Source, Exit> {
        match (&self.catalog, name) {
            (Some(path), _) => self.of_catalog(path),
            (None, Some(name)) => self.of_name(name),
            (None, None) => self.of_command(command),
        }
    }

    /// The names of all servers that are configured for toolgate. Those of clients are started by their names alone: whoever asks for
    /// all does not mean every program that some client would start.
    pub(crate) fn all_names(&self) -> Result<Vec<String>, Exit> {
        let servers =
            Servers::for_toolgate(self.config.as_deref()).map_err(|why| complain(&why, Exit::Configuration))?;
        servers.unread(None).for_each(notice);
        servers.left_out(None).iter().for_each(|left| notice(left));
        Ok(servers.that_count().map(|server| server.name.clone()).collect())
    }

    /// The file of servers that was given.
    pub(crate) fn config(&self) -> Option<&Path> {
        self.config.as_deref()
    }

    /// The call of a server, with the options that say which it is; of a header its name alone.
    fn typed(&self, server: &str, after: &str) -> Typed {
        let path = |path: &Option<PathBuf>| path.as_ref().map(|path| path.to_string_lossy().into_owned());
        let headers = self.header.iter().map(|header| format!("{}: …", header.split(':').next().unwrap_or_default()));
        let options =
            [("config", path(&self.config)), ("policy", path(&self.policy)), ("bearer-env", self.bearer_env.clone())];
        let options = options.into_iter().filter_map(|(name, value)| Some((name, value?)));
        let options = options.chain(headers.map(|header| ("header", header)));
        let options: String = options.map(|(name, value)| format!(" --{name} {}", quoted_for_shell(&value))).collect();
        Typed { before: visible(&format!("toolgate call{options}{server}")), after: visible(after) }
    }

    fn source(&self, reach: Reach, typed: Typed) -> Result<Source, Exit> {
        let policy = self.policy(&reach.judging)?;
        let how = self.with_headers(reach.how).map_err(|(why, exit)| complain(&why, exit))?;
        Ok(Source { policy, from: From::Server(how, reach.secrets), typed })
    }

    /// A server with the headers of the command line.
    fn with_headers(&self, how: How) -> Result<How, (String, Exit)> {
        match how {
            How::Url { url, mut headers } => {
                headers.extend(self.headers()?);
                Ok(How::Url { url, headers })
            }
            How::Command { .. } if !self.header.is_empty() || self.bearer_env.is_some() => {
                Err(("--header and --bearer-env are for servers of HTTP".to_owned(), Exit::Usage))
            }
            how => Ok(how),
        }
    }

    fn headers(&self) -> Result<Vec<(String, String)>, (String, Exit)> {
        let mistake = |why: String| (why, Exit::Configuration);
        let mut headers = Vec::new();
        for header in &self.header {
            let halves = header.split_once(':');
            let (name, value) = halves.ok_or_else(|| ("--header takes `Name: value`".to_owned(), Exit::Usage))?;
            headers.push((name.trim().to_owned(), expand(value.trim(), &variable).map_err(mistake)?));
        }
        if let Some(name) = &self.bearer_env {
            headers.push(bearer(name, &variable).map_err(mistake)?);
        }
        Ok(headers)
    }

    /// The tools that a server or a file is known to have, and by what they are judged. Asks nobody and tells nothing: whoever is
    /// just writing a command line is not to be disturbed.
    pub(crate) fn known(&self, name: Option<&str>, command: &[OsString]) -> Option<Known> {
        if !is_readable(self.config.as_deref()) {
            return None;
        }
        let of = |judging: &Judging| match &self.policy {
            Some(path) => contract_args::policy(Some(path).filter(|path| path.is_file())?).ok(),
            None => judging.policy().ok(),
        };
        if let Some(path) = &self.catalog {
            let path = Some(path.as_path()).filter(|path| path.is_file())?;
            let target = Target::read(path, &input::text(path).ok()?).ok()?;
            return Some(Known { definitions: target.definitions, policy: of(&Judging::Default)?, age: None });
        }
        let Reach { how, judging, .. } = match command {
            [] => reach_silently(name?, self.config.as_deref())?,
            words => {
                let words: Option<Vec<String>> = words.iter().map(|word| word.to_str().map(str::to_owned)).collect();
                by_itself(How::Command { words: words?, env: Vec::new(), cwd: None })
            }
        };
        let last = cache::last(&self.with_headers(how).ok()?)?;
        Some(Known { age: last.is_old().then(|| last.age()), definitions: last.definitions, policy: of(&judging)? })
    }

    /// The policy of its tools: that of `--policy`, or the one that a server was configured with.
    pub(crate) fn policy(&self, judging: &Judging) -> Result<ServerPolicy, Exit> {
        let policy = match &self.policy {
            Some(path) => contract_args::policy(path),
            None => judging.policy(),
        };
        policy.map_err(|why| complain(&why, Exit::Configuration))
    }
}

impl Source {
    /// As [`Source::open`], or with the tools that the server listed last where that is what is asked for.
    pub(crate) fn open_or_last(self, args: &ServerArgs, is_last: &CachedArg) -> Result<Opened, Exit> {
        let From::Server(how, _) = &self.from else { return self.open(args) };
        if !is_last.cached {
            return self.open(args);
        }
        let nothing = match cache::folder() {
            Some(_) => {
                "no list of this server is kept; without --cached it is asked for its tools, which are then kept"
                    .to_owned()
            }
            None => format!("no lists are kept here ({} and the user's home say where)", cache::VARIABLE),
        };
        let last = cache::last(how).ok_or_else(|| complain(&nothing, Exit::Data))?;
        notice(&format!("the tools as they were listed {}", last.age()));
        let target = Target::of_server(last.definitions);
        Ok(Opened { target, policy: self.policy, connection: None, typed: self.typed })
    }

    /// Reads the file, or asks the server for its tools; says why where that fails.
    pub(crate) fn open(self, args: &ServerArgs) -> Result<Opened, Exit> {
        self.try_open(args).map_err(|failed| failed.tell())
    }

    /// As [`Source::open`], for whoever says it at a place of their own.
    pub(crate) fn try_open(self, args: &ServerArgs) -> Result<Opened, Failed> {
        let unread = |why| Failed { why, exit: Exit::Data };
        let Source { policy, from, typed } = self;
        match from {
            From::Catalogue(path) => {
                let text = input::text(&path).map_err(unread)?;
                let target = Target::read(&path, &text).map_err(unread)?;
                Ok(Opened { target, policy, connection: None, typed })
            }
            From::Server(how, secrets) => {
                let (target, connection) = ask(how, secrets, args.timeout)?;
                Ok(Opened { target, policy, connection: Some(connection), typed })
            }
        }
    }
}

/// Whether the file of servers that was said, if one was, can be read without waiting for anybody.
pub(crate) fn is_readable(config: Option<&Path>) -> bool {
    let said = config.map(Path::to_owned).or_else(|| std::env::var_os("TOOLGATE_CONFIG").map(PathBuf::from));
    said.is_none_or(|path| path.is_file())
}

/// How a server is reached, where that can be known without a word.
fn reach_silently(name: &str, config: Option<&Path>) -> Option<Reach> {
    by_url(name).or_else(|| Servers::for_name(config, name).ok()?.get(name).ok()?.reach().ok())
}

/// Asks a server for its tools, and keeps what it lists for those who ask for its last list.
fn ask(how: How, secrets: Secrets, timeout: u64) -> Result<(Target, Connection), Failed> {
    let key = cache::key(&how);
    let is_host_alone = matches!(&how, How::Url { url, .. } if is_host_alone(url));
    let listed = connect(how, secrets, timeout).and_then(|mut connection| Ok((connection.tools()?, connection)));
    let (tools, connection) = listed.map_err(|fault| {
        let mut failed = unanswered(&fault);
        if is_host_alone && matches!(fault, Fault::Status { status: 404 | 405, .. }) {
            failed.why.push_str("; perhaps its address ends in /mcp");
        }
        failed
    })?;
    cache::keep(&key, &tools);
    Ok((Target::of_server(tools), connection))
}

/// Whether a server is named by its address.
pub(crate) fn is_url(word: &str) -> bool {
    word.starts_with("http://") || word.starts_with("https://")
}

/// Whether an address names no place on its host.
fn is_host_alone(url: &str) -> bool {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest).split(['?', '#']).next().unwrap_or_default();
    rest.split_once('/').is_none_or(|(_, path)| path.is_empty())
}

fn connect(how: How, secrets: Secrets, timeout: u64) -> Result<Connection, Fault> {
    let settings = Settings {
        name: "toolgate",
        version: env!("CARGO_PKG_VERSION"),
        patience: Duration::from_secs(timeout),
        interrupted: interrupts(),
        secrets,
    };
    match how {
        How::Url { url, headers } => {
            let endpoint = Endpoint { url, headers, logins: login::logins() };
            Connection::open(endpoint, settings, listener())
        }
        How::Command { words, env, cwd } => {
            let mut command = Command::new(words.first().map_or("", String::as_str));
            command.args(words.get(1..).unwrap_or_default()).envs(env);
            if let Some(cwd) = cwd {
                command.current_dir(cwd);
            }
            Connection::start(command, settings, listener())
        }
    }
}

/// A server as it is named in what is kept or printed: of an address without user, query and fragment, which may hold a secret.
pub(crate) fn shown_server(word: &str) -> String {
    if is_url(word) { toolgate_gateway::client::shown_url(word) } else { word.to_owned() }
}

/// Set by an interrupt, which then no longer ends the program.
#[cfg(unix)]
pub(crate) fn interrupts() -> Arc<AtomicBool> {
    // Where signals cannot be had, they end the program as they would anyway.
    toolgate_gateway::client::interrupts().unwrap_or_default()
}

#[cfg(not(unix))]
pub(crate) fn interrupts() -> Arc<AtomicBool> {
    Arc::default()
}

/// Shows how far a call is where somebody may be looking, and leaves nothing of it behind.
fn listener() -> Listener {
    let is_watched = std::io::stderr().is_terminal();
    Box::new(move |event| match event {
        Event::Progress { done, total, message } if is_watched => {
            let total = total.as_ref().map(|total| format!("/{total}")).unwrap_or_default();
            let message: String = message.iter().flat_map(|text| text.chars()).take(MESSAGE_MAX).collect();
            let text = visible(&format!("{done}{total} {message}"));
            let _ = write!(std::io::stderr(), "\r\u{1b}[K{DIM}{text}{DIM:#}\r");
        }
        Event::Progress { .. } => {}
        Event::Declined { what } => notice(&format!("the server asked for `{what}`, which was declined")),
    })
}

/// Takes what is shown of the progress away again.
pub(crate) fn end_progress() {
    if std::io::stderr().is_terminal() {
        let _ = write!(std::io::stderr(), "\r\u{1b}[K");
    }
}

/// Why a server gave no answer, and with what the program ends for it.
pub(crate) fn unanswered(fault: &Fault) -> Failed {
    end_progress();
    let exit = match fault {
        Fault::Login(fault) => return login::failed(fault),
        Fault::Interrupted => Exit::Interrupted,
        Fault::Unauthorised { .. } => Exit::Unauthorised,
        _ => Exit::NoAnswer,
    };
    let hint = match fault {
        Fault::Silent { .. } => " (--timeout)".to_owned(),
        Fault::Unauthorised { status: 401, .. } => {
            "; sign in with `toolgate login`, or give a token with --bearer-env or --header".to_owned()
        }
        Fault::Unauthorised { scopes, held, .. } if !scopes.is_empty() => login::with_scopes(held, scopes),
        _ => String::new(),
    };
    Failed { why: format!("{fault}{hint}"), exit }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_named_without_its_secrets() {
        let shown = shown_server("https://user:SECRET@example.com:8080/mcp/a@b?token=SECRET#SECRET");
        assert_eq!(shown, "https://example.com:8080/mcp/a@b");
        assert_eq!(shown_server("http://localhost?key=SECRET"), "http://localhost");
        assert_eq!(shown_server("notes?x"), "notes?x");
    }

    #[test]
    fn a_host_is_no_place() {
        let hosts = ["http://localhost:8000", "http://localhost:8000/", "https://a.example?key=/mcp"];
        assert!(hosts.into_iter().all(is_host_alone));
        assert!(!is_host_alone("http://localhost:8000/mcp") && !is_host_alone("https://a.example/x/?y"));
    }
}

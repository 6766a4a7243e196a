//! What a shell offers while a command line is written: the script that asks, and the answer. Decision 0024.
//!
//! The words of commands come from their definitions, those of a server from the list that it gave last (`cache`). Nothing is
//! asked of a server, nothing is told, and whatever is wrong offers nothing.

mod arguments;
mod shells;
mod tool;

use crate::Cli;
use crate::exit::Exit;
use crate::servers::shown_path;
use crate::show::{columns, split_columns, visible};
use crate::source::ServerArgs;
use clap::{ArgMatches, Args, CommandFactory, FromArgMatches};
use clap_complete::CompletionCandidate;
use clap_complete::engine::complete;
use shells::Asked;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

pub(crate) use shells::script;

/// Answers a shell that asks what to offer; of all other runs, nothing.
pub(crate) fn answer() -> Option<ExitCode> {
    let asked = Asked::read()?;
    let (before, current) = asked.words.split_at_checked(asked.words.len().checked_sub(1)?)?;
    let offered = offers(before, current.first()?.to_str().unwrap_or_default(), &asked.words);
    asked.print(&offered);
    Some(Exit::Done.into())
}

/// Columns of what is said of a word.
const ABOUT_MAX: usize = 72;

/// One word that is offered, and what it is in a line.
struct Offer {
    word: String,
    about: String,
}

impl Offer {
    fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Offer { word: word.into(), about: first_line(&about.into()) }
    }

    fn is_option(&self) -> bool {
        self.word.starts_with('-')
    }

    fn of(candidate: &CompletionCandidate) -> Self {
        let about = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        Offer::new(candidate.get_value().to_string_lossy(), about)
    }
}

fn offers(before: &[OsString], current: &str, words: &[OsString]) -> Vec<Offer> {
    let context = Context::of(before);
    if let Some(offered) = context.of_call(current) {
        return offered;
    }
    let mut command = arguments::completing(Cli::command(), &context);
    let index = before.len();
    let folder = std::env::current_dir().ok();
    let found = complete(&mut command, words.to_vec(), index, folder.as_deref()).unwrap_or_default();
    let mut found: Vec<Offer> = found.iter().map(Offer::of).collect();
    // Whoever has not written a sign wants a word, where there is one.
    if current.is_empty() && found.iter().any(|offer| !offer.is_option()) {
        found.retain(|offer| !offer.is_option());
    }
    found
}

/// What the words before the one that is completed say.
#[derive(Clone, Default)]
struct Context {
    matches: Option<ArgMatches>,
    /// The words of `call`, the server's and the tool's.
    call: Vec<OsString>,
    /// The names that `describe` was given.
    names: Vec<String>,
    config: Option<PathBuf>,
}

impl Context {
    fn of(before: &[OsString]) -> Self {
        let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(before) else {
            return Context::default();
        };
        let Some((command, inner)) = matches.subcommand() else { return Context::default() };
        let texts = |id: &str| inner.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned().collect();
        let words = || inner.try_get_many::<OsString>("words").ok().flatten().into_iter().flatten().cloned().collect();
        Context {
            call: if command == "call" { words() } else { Vec::new() },
            names: if command == "describe" { texts("names") } else { Vec::new() },
            config: inner.try_get_one::<PathBuf>("config").ok().flatten().cloned(),
            matches: Some(inner.clone()),
        }
    }

    /// What the command says of its server.
    fn server(&self) -> Option<ServerArgs> {
        ServerArgs::from_arg_matches(self.matches.as_ref()?).ok()
    }

    /// Whether the tools come from a file.
    fn has_catalog(&self) -> bool {
        self.server().is_some_and(|server| server.catalog.is_some())
    }

    fn servers(&self) -> Vec<Offer> {
        let servers = ServerArgs::known_servers(self.config.as_deref());
        servers.into_iter().map(|(name, file)| Offer::new(name, shown_path(&file))).collect()
    }

    /// The tools of a server, or of the file that was named.
    fn tools(&self, server: Option<&str>) -> Vec<Offer> {
        self.server().and_then(|args| args.known(server)).map(|known| tool::names(&known)).unwrap_or_default()
    }

    /// What comes after the options of `call` itself; none before.
    fn of_call(&self, current: &str) -> Option<Vec<Offer>> {
        let (first, rest) = self.call.split_first()?;
        let first = first.to_str().unwrap_or_default();
        let (server, tool, words) = match rest.split_first() {
            _ if self.has_catalog() => (None, first, rest),
            None => return Some(starting(self.tools(Some(first)), current)),
            Some((tool, words)) => (Some(first), tool.to_str().unwrap_or_default(), words),
        };
        let known = self.server().and_then(|args| args.known(server));
        Some(known.and_then(|known| tool::offers(&known, tool, words, current)).unwrap_or_default())
    }
}

/// What is said of a word, cut to what stands beside it.
fn first_line(about: &str) -> String {
    let text = about.trim().lines().next().unwrap_or_default();
    let text = visible(&text.split_whitespace().collect::<Vec<_>>().join(" "));
    if columns(&text) <= ABOUT_MAX {
        return text;
    }
    format!("{}…", split_columns(&text, ABOUT_MAX - 1).0.trim_end())
}

/// Those that go on where the word ends.
fn starting(offers: Vec<Offer>, current: &str) -> Vec<Offer> {
    offers.into_iter().filter(|offer| offer.word.starts_with(current)).collect()
}

const AFTER_HELP: &str = "\
The script asks `toolgate` what to offer, so that it knows your servers, their
tools, each tool's options and the words that an option takes. A server is not
asked for it: its tools are known from the list that it gave last, to `tools`,
`call` or any other command, and that list is kept in toolgate/lists of
$XDG_CACHE_HOME or of ~/.cache. `toolgate tools SERVER` renews it, and
TOOLGATE_CACHE names another folder, or `none`.

Where it goes:
  bash        toolgate completions bash > FILE, of
              ~/.local/share/bash-completion/completions/toolgate
  zsh         toolgate completions zsh > FOLDER/_toolgate, of a FOLDER in $fpath
  fish        toolgate completions fish > FILE, of
              ~/.config/fish/completions/toolgate.fish
  powershell  in $PROFILE:
              toolgate completions powershell | Out-String | Invoke-Expression
  elvish      eval (toolgate completions elvish | slurp), in rc.elv
Write it anew with a new version of toolgate.

Exit codes:
  0; 64 for a mistake in the command line; 74 when it cannot be written.";

/// Writes what makes a shell complete toolgate's commands, servers, tools and options
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[arg(value_enum)]
    shell: clap_complete::Shell,
}

pub(crate) fn completions(args: &CompletionsArgs) -> ExitCode {
    crate::show::print(&script(args.shell)).err().unwrap_or(Exit::Done).into()
}

//! What a shell offers while a command line is written: the script that asks, and the answer. Decision 0024.
//!
//! The words of commands come from their definitions, those of a server from the list that it gave last (`cache`). Nothing is
//! asked of a server, nothing is told, and whatever is wrong offers nothing.

mod arguments;
mod shells;
mod tool;

use crate::Cli;
use crate::exit::Exit;
use crate::servers::clients::{Client, entries};
use crate::servers::{Named, Servers, form_of, shown_path};
use crate::show::{columns, split_columns, visible};
use crate::source::{Known, ServerArgs, is_readable};
use clap::{Arg, ArgMatches, Args, CommandFactory, FromArgMatches};
use clap_complete::CompletionCandidate;
use clap_complete::engine::complete;
use shells::{Asked, script};
use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

/// Answers a shell that asks what to offer; of all other runs, nothing.
pub(crate) fn answer() -> Option<ExitCode> {
    let asked = Asked::read()?;
    let (before, current) = asked.words.split_at_checked(asked.words.len().checked_sub(1)?)?;
    let offered = offers(before, current.first()?.to_str().unwrap_or_default(), &asked);
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

    fn candidate(&self) -> CompletionCandidate {
        let about = Some(&*self.about).filter(|about| !about.is_empty());
        CompletionCandidate::new(&self.word).help(about.map(|about| about.to_owned().into()))
    }

    fn of(candidate: &CompletionCandidate) -> Self {
        let about = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        Offer::new(candidate.get_value().to_string_lossy(), about)
    }
}

fn offers(before: &[OsString], current: &str, asked: &Asked) -> Vec<Offer> {
    let context = Arc::new(Context::of(before, &asked.after));
    if let Some(offered) = context.of_call(current) {
        return offered;
    }
    if let Some(words) = context.commanded {
        return arguments::of_command(words, current);
    }
    let mut command = arguments::completing(Cli::command(), &context);
    let index = before.len();
    let folder = std::env::current_dir().ok();
    // What is written may be no command line yet, of which the library takes some for impossible.
    std::panic::set_hook(Box::new(|_| {}));
    let found = std::panic::catch_unwind(AssertUnwindSafe(|| {
        complete(&mut command, asked.words.clone(), index, folder.as_deref()).unwrap_or_default()
    }));
    let found = found.unwrap_or_default();
    let mut found: Vec<Offer> = found.iter().map(Offer::of).collect();
    // Whoever has not written a sign wants a word, where there is one.
    if current.is_empty() && found.iter().any(|offer| !offer.is_option()) {
        found.retain(|offer| !offer.is_option());
    }
    found
}

/// What the words before the one that is completed say.
#[derive(Default)]
struct Context {
    matches: Option<ArgMatches>,
    /// The words of `call`, the server's and the tool's.
    call: Vec<OsString>,
    /// The names that `describe` was given.
    names: Vec<String>,
    config: Option<PathBuf>,
    /// The client that `install` and its kin were given.
    client: Option<String>,
    /// The command of the server, where it stands already behind the word.
    command: Vec<OsString>,
    /// How many words of it stand before the word, where that belongs to it.
    commanded: Option<usize>,
}

impl Context {
    fn of(before: &[OsString], after: &[OsString]) -> Self {
        let Ok(matches) = Cli::command().ignore_errors(true).try_get_matches_from(before) else {
            return Context::default();
        };
        let Some((command, inner)) = matches.subcommand() else { return Context::default() };
        let program = Cli::command();
        let mut definition = program.find_subcommand(command);
        let mut inner = inner;
        if let Some((name, below)) = inner.subcommand() {
            definition = definition.and_then(|definition| definition.find_subcommand(name));
            inner = below;
        }
        let texts = |id: &str| inner.try_get_many::<String>(id).ok().flatten().into_iter().flatten().cloned().collect();
        let words = || inner.try_get_many::<OsString>("words").ok().flatten().into_iter().flatten().cloned().collect();
        let ends = after.iter().position(|word| word == "--");
        let coming = ends.and_then(|at| after.get(at + 1..)).unwrap_or_default();
        let takes_command = definition.is_some_and(|command| command.get_positionals().any(Arg::is_last_set));
        let begins = before.iter().position(|word| word == "--").filter(|_| takes_command);
        Context {
            command: coming.to_vec(),
            commanded: begins.map(|at| before.len() - at - 1),
            call: if command == "call" { words() } else { Vec::new() },
            names: if command == "describe" { texts("names") } else { Vec::new() },
            client: inner.try_get_one::<String>("client").ok().flatten().cloned(),
            config: inner.try_get_one::<PathBuf>("config").ok().flatten().cloned(),
            matches: Some(inner.clone()),
        }
    }

    /// What the command says of its server.
    fn server(&self) -> Option<ServerArgs> {
        ServerArgs::from_arg_matches(self.matches.as_ref()?).ok()
    }

    /// Whether the tools come from a file, or from a server that its command names.
    fn needs_no_name(&self) -> bool {
        !self.command.is_empty() || self.server().is_some_and(|server| server.catalog.is_some())
    }

    /// The tools that are known of the server.
    fn known(&self, server: Option<&str>) -> Option<Known> {
        self.server()?.known(server, &self.command)
    }

    fn servers(&self) -> Vec<Offer> {
        self.servers_that(|_| true)
    }

    /// The servers that are wanted; of a name that several files have, the one that counts.
    fn servers_that(&self, is_wanted: impl Fn(&Named) -> bool) -> Vec<Offer> {
        if !is_readable(self.config.as_deref()) {
            return Vec::new();
        }
        let Ok(servers) = Servers::find(self.config.as_deref()) else { return Vec::new() };
        servers
            .that_count()
            .filter(|server| is_wanted(server))
            .map(|server| Offer::new(&*server.name, shown_path(&server.file)))
            .collect()
    }

    /// Those in the files of the client that was named.
    fn servers_of_client(&self) -> Vec<Offer> {
        let Some(client) = self.client.as_deref().and_then(|name| Client::named(name).ok()) else { return Vec::new() };
        let mut offers = Vec::new();
        for file in client.found().into_iter().filter(|file| file.path.is_file()) {
            let text = std::fs::read_to_string(&file.path).unwrap_or_default();
            let found = entries(client, &file, &text).unwrap_or_default();
            offers.extend(found.into_iter().map(|server| Offer::new(server.name, shown_path(&file.path))));
        }
        offers
    }

    /// Those of HTTP, which one can sign in to.
    fn servers_over_http(&self) -> Vec<Offer> {
        self.servers_that(|server| server.entry.as_ref().is_ok_and(|entry| entry.url.is_some()))
    }

    /// Those of our own files.
    fn servers_of_ours(&self) -> Vec<Offer> {
        self.servers_that(|server| server.found_in.is_none() && form_of(&server.file).is_none())
    }

    /// The tools of a server, or of the file that was named.
    fn tools(&self, server: Option<&str>) -> Vec<Offer> {
        self.known(server).map(|known| tool::names(&known)).unwrap_or_default()
    }

    /// What comes after the options of `call` itself; none before.
    fn of_call(&self, current: &str) -> Option<Vec<Offer>> {
        let (first, rest) = self.call.split_first()?;
        let first = first.to_str().unwrap_or_default();
        let names_tool = rest.first().is_some_and(|word| word.as_encoded_bytes().starts_with(b"-"));
        if let Some(at) = rest.iter().position(|word| word == "--").filter(|_| names_tool && !self.needs_no_name()) {
            return Some(arguments::of_command(rest.len() - at - 1, current));
        }
        let (server, tool, words) = match rest.split_first() {
            _ if self.needs_no_name() => (None, first, rest),
            None => return Some(starting(self.tools(Some(first)), current)),
            Some((tool, words)) => (Some(first), tool.to_str().unwrap_or_default(), words),
        };
        Some(self.known(server).and_then(|known| tool::offers(&known, tool, words, current)).unwrap_or_default())
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

Where it goes, a line for the file that the shell starts with:
  bash        ~/.bashrc      eval \"$(toolgate completions bash)\"
  zsh         ~/.zshrc       source <(toolgate completions zsh)
              after `autoload -U compinit; compinit`
  fish        ~/.config/fish/config.fish
                             toolgate completions fish | source
  powershell  $PROFILE       . ~/toolgate.ps1
              after `toolgate completions powershell > ~/toolgate.ps1`
  elvish      rc.elv         eval (toolgate completions elvish | slurp)
Whoever keeps the script in a file (in bash with the package bash-completion,
~/.local/share/bash-completion/completions/toolgate; in zsh _toolgate in a
folder of $fpath; in fish ~/.config/fish/completions/toolgate.fish) writes it
anew with a new version of toolgate.

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

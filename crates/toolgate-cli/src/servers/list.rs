//! `toolgate servers`: which servers are named, and where.

use super::{Entry, Named, Servers, shown_path};
use crate::config::is_secret;
use crate::exit::Exit;
use crate::show::{
    BAD, BOLD, DIM, columns, complain, filled, labelled, notice, print, print_json, screen, visible, wrapped,
};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate::json::{ObjectWriter, list};

/// How a server comes to have a name.
pub(crate) const NAMING: &str =
    "`toolgate config add NAME -- COMMAND` names one, and `toolgate config import CLIENT` those of a client";

/// Columns of a name beside which the others begin.
const NAME_WIDTH_MAX: usize = 24;

const AFTER_HELP: &str = "\
Files, of which the first that names a server counts:
  --config FILE or TOOLGATE_CONFIG, and then no other
  toolgate.toml and .mcp.json in the working directory
  toolgate/config.toml in $XDG_CONFIG_HOME, or in ~/.config
  those of clients, first in the working directory, then the user's: Claude
  Code, Claude Desktop, Cursor, VS Code, Codex, Gemini CLI, goose
One of a client that cannot be read costs its own servers alone. Those of the
working directory are used once `toolgate config trust` has said so.

In toolgate.toml:
  [servers.files]
  command = \"npx\"
  args = [\"-y\", \"@modelcontextprotocol/server-filesystem\", \"${NOTES:-.}\"]
  env = { LEVEL = \"debug\" }            # and cwd, policy
  [servers.remote]
  url = \"https://example.com/mcp\"
  bearer_env = \"REMOTE_TOKEN\"          # and headers, policy

Exit codes:
  0; 64 for a mistake in the command line; 74 when the answer cannot be
  written; 78 for a mistake in a file of ours or in one that was named.";

/// Lists the servers that can be called by name
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ServersArgs {
    /// The file that names the servers, TOML or a client's JSON, in place of all others
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How the list is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
}

pub(crate) fn servers(args: &ServersArgs) -> ExitCode {
    let found = Servers::find(args.config.as_deref());
    let shown = found.map_err(|why| complain(&why, Exit::Configuration)).and_then(|servers| {
        servers.unread(None).for_each(notice);
        match args.format {
            Format::Human => print(&text(&servers)),
            Format::Json => print_json(&json(&servers)),
        }
    });
    shown.err().unwrap_or(Exit::Done).into()
}

/// Lists servers for people.
pub(crate) fn list_of(servers: &Servers) -> Result<(), Exit> {
    print(&text(servers))
}

/// The address without what may be a secret, where a variable stands for its beginning, too.
fn address(entry: &Entry) -> Option<String> {
    let shown = crate::source::shown_server(&entry.url.as_ref()?.without_defaults());
    let shown = shown.split(['?', '#']).next().unwrap_or_default();
    let segments = shown.split('/').map(|segment| if is_random(segment) { "***" } else { segment });
    Some(segments.collect::<Vec<_>>().join("/"))
}

/// Whether a segment of a path looks as if nobody had thought of it, as the addresses do that some services give each user.
fn is_random(segment: &str) -> bool {
    /// Characters from which on one may be a key.
    const KEY_MIN: usize = 20;
    /// And from which on hardly anything else is.
    const WORD_MAX: usize = 32;
    /// How often letters and digits take turns in no name and no date.
    const TURNS_MIN: usize = 3;
    let is_word = |ch: char| ch.is_ascii_alphanumeric() || matches!(ch, '-' | '_' | '=' | '~');
    let kinds: Vec<bool> = segment.chars().filter(char::is_ascii_alphanumeric).map(|ch| ch.is_ascii_digit()).collect();
    let turns = kinds.iter().zip(kinds.iter().skip(1)).filter(|(one, next)| one != next).count();
    let is_long = segment.split(['-', '_']).any(|word| word.len() >= WORD_MAX);
    segment.chars().all(is_word) && kinds.len() >= KEY_MIN && (turns >= TURNS_MIN || is_long)
}

/// The command with its words, or the address, which may hold a secret.
fn summary(entry: &Entry) -> String {
    address(entry).unwrap_or_else(|| {
        let command = entry.command.iter().map(|word| word.written().to_owned());
        command.chain(args(entry)).collect::<Vec<_>>().join(" ")
    })
}

/// The words after the command. What an option for a secret is given is not shown, unless a variable without a default stands there.
fn args(entry: &Entry) -> Vec<String> {
    shown_args(entry.args.iter().map(|word| word.written()))
}

/// Words of a command that may be printed.
pub(crate) fn shown_args<'w>(words: impl Iterator<Item = &'w str>) -> Vec<String> {
    let mut is_value = false;
    let shown = |word: &'w str| {
        let is_option = word.starts_with('-');
        let (name, value) = word.split_once('=').map_or((word, None), |(name, value)| (name, Some(value)));
        let is_secret_option = is_option && is_secret(name);
        let hides = |value: &str| !value.is_empty() && (!value.contains("${") || value.contains(":-"));
        let is_hidden = std::mem::replace(&mut is_value, is_secret_option && value.is_none()) && !is_option;
        match value {
            Some(value) if is_secret_option && hides(value) => format!("{name}=***"),
            _ if is_hidden && hides(word) => "***".to_owned(),
            _ => word.to_owned(),
        }
    };
    words.map(shown).collect()
}

fn text(servers: &Servers) -> String {
    if servers.servers.is_empty() {
        let files: Vec<String> = servers.files.iter().map(|file| format!("  {}\n", shown_path(file))).collect();
        return format!("no server is named in\n{}{NAMING}\n", files.concat());
    }
    let names = servers.servers.iter().map(|server| columns(&visible(&server.name)));
    let column = names.max().unwrap_or(0).min(NAME_WIDTH_MAX) + 2;
    // In a pipe, a server is a line.
    let screen = screen();
    let mut out = String::new();
    for (index, server) in servers.servers.iter().enumerate() {
        let Named { name, file, entry, .. } = server;
        let mut from = shown_path(file);
        if entry.as_ref().is_ok_and(|entry| entry.is_off) {
            from.push_str(", switched off there");
        }
        if entry.as_ref().is_ok_and(|entry| entry.guard.is_some()) {
            from.push_str(", guarded there");
        }
        if !server.is_trusted {
            from.push_str(", not trusted");
        } else if servers.is_hidden(index) {
            from.push_str(", hidden by an earlier file");
        }
        let what = match entry {
            Ok(entry) => visible(&summary(entry)),
            Err(why) => format!("unusable: {}", visible(why)),
        };
        let style = if entry.is_ok() { BOLD } else { BOLD.fg_color(BAD.get_fg_color()) };
        let name = visible(name);
        let own = column.max(columns(&name) + 2);
        if own + columns(&what) + 2 + columns(&from) <= screen {
            out.push_str(&format!("{style}{}{style:#}{what}  {DIM}{from}{DIM:#}\n", filled(&name, own)));
            continue;
        }
        // What does not fit beside it stands below it.
        if columns(&name) < column {
            labelled(&name, style, column, &what, screen, &mut out);
        } else {
            out.push_str(&format!("{style}{name}{style:#}\n"));
            labelled("", style, column, &what, screen, &mut out);
        }
        for line in wrapped(&from, screen.saturating_sub(column)) {
            out.push_str(&format!("{}{DIM}{line}{DIM:#}\n", " ".repeat(column)));
        }
    }
    out
}

fn json(servers: &Servers) -> String {
    let entries = servers.servers.iter().enumerate().map(|(index, server)| {
        let mut object = ObjectWriter::new();
        object.string("name", &server.name);
        object.string("file", &server.file.display().to_string());
        object.optional("client", server.found_in.map(|client| client.name));
        match &server.entry {
            Ok(entry) => {
                object.optional("command", entry.command.as_ref().map(|command| command.written()));
                if entry.command.is_some() {
                    object.strings("args", &args(entry));
                }
                object.optional("url", address(entry).as_deref());
                if entry.is_off {
                    object.raw("off", "true");
                }
                if entry.guard.is_some() {
                    object.raw("guarded", "true");
                }
            }
            Err(why) => object.string("unusable", why),
        }
        if !server.is_trusted {
            object.raw("untrusted", "true");
        } else if servers.is_hidden(index) {
            object.raw("hidden", "true");
        }
        object.end()
    });
    let mut object = ObjectWriter::new();
    object.raw("servers", &list(entries));
    object.end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_path_is_no_word() {
        for key in [
            "550e8400-e29b-41d4-a716-446655440000",
            "s3cr3tK3yOfSomebody42",
            "abcdefghijklmnopqrstuvwxyzabcdefgh",
            "sk_live_4f9a8b7c6d5e4f3a2b1c",
        ] {
            assert!(is_random(key), "{key}");
        }
        for name in
            ["mcp", "server-filesystem-of-a-company", "release-candidate-2025-11-25", "v1", "${KEY}", "localhost:8080"]
        {
            assert!(!is_random(name), "{name}");
        }
    }

    #[test]
    fn what_stands_for_a_secret_is_none_to_show() {
        let shown = |words: &[&str]| shown_args(words.iter().copied()).join(" ");
        assert_eq!(
            shown(&["--token", "${T:-SECRET}", "--key=${K:-SECRET}", "${D:-.}"]),
            "--token *** --key=*** ${D:-.}"
        );
        assert_eq!(shown(&["--token", "${T}", "--key=${K}"]), "--token ${T} --key=${K}");
    }
}

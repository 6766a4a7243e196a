//! `toolgate servers`: which servers are named, and where.

use super::file::Entry;
use super::{Named, Servers};
use crate::exit::Exit;
use crate::show::{BOLD, DIM, columns, complain, filled, print, visible};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate::json::{ObjectWriter, list};

const AFTER_HELP: &str = "\
Files, of which the first that names a server counts:
  --config FILE or TOOLGATE_CONFIG, and then no other
  toolgate.toml and .mcp.json in the working directory
  toolgate/config.toml in $XDG_CONFIG_HOME, or in ~/.config

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
  written; 78 for a mistake in a file.";

/// Lists the servers that can be called by name
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ServersArgs {
    /// The file that names the servers, TOML or a client's JSON, in place of all others
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,

    /// How the list is printed
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn servers(args: &ServersArgs) -> ExitCode {
    let found = Servers::find(args.config.as_deref());
    let shown = found.map_err(|why| complain(&why, Exit::Configuration)).and_then(|servers| {
        print(&match args.format {
            Format::Text => text(&servers),
            Format::Json => json(&servers),
        })
    });
    shown.err().unwrap_or(Exit::Done).into()
}

/// The command, without its words, or the address, which may hold a secret in its query.
fn summary(entry: &Entry) -> String {
    let url = entry.url.as_deref().map(|url| url.split('?').next().unwrap_or_default().to_owned());
    url.unwrap_or_else(|| {
        let words = entry.command.iter().chain(&entry.args).map(String::as_str);
        words.collect::<Vec<_>>().join(" ")
    })
}

fn text(servers: &Servers) -> String {
    if servers.servers.is_empty() {
        let files: Vec<String> = servers.files.iter().map(|file| format!("  {}\n", file.display())).collect();
        return format!("no server is named in\n{}", files.concat());
    }
    let width = servers.servers.iter().map(|server| columns(&visible(&server.name))).max().unwrap_or(0) + 2;
    let mut out = String::new();
    for (index, Named { name, file, entry }) in servers.servers.iter().enumerate() {
        let hidden = if servers.is_hidden(index) { ", hidden by an earlier file" } else { "" };
        let name = filled(&visible(name), width);
        let from = format!("{}{hidden}", visible(&file.display().to_string()));
        out.push_str(&format!("{BOLD}{name}{BOLD:#}{}  {DIM}{from}{DIM:#}\n", visible(&summary(entry))));
    }
    out
}

fn json(servers: &Servers) -> String {
    let entries = servers.servers.iter().enumerate().map(|(index, server)| {
        let mut object = ObjectWriter::new();
        object.string("name", &server.name);
        object.string("file", &server.file.display().to_string());
        object.optional("command", server.entry.command.as_deref());
        if server.entry.command.is_some() {
            object.strings("args", &server.entry.args);
        }
        object.optional("url", server.entry.url.as_deref());
        if servers.is_hidden(index) {
            object.raw("hidden", "true");
        }
        object.end()
    });
    let mut object = ObjectWriter::new();
    object.raw("servers", &list(entries));
    object.end() + "\n"
}

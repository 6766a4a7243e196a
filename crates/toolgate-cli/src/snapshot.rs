//! `toolgate snapshot`: what a server lists at this moment, as a file that every command with `--catalog` takes.

use crate::digest;
use crate::exit::{Exit, status};
use crate::show::{complain, counted, print_json};
use crate::source::{Opened, ServerArgs};
use crate::store::write_whole;
use crate::target::Target;
use crate::tool::{name_of, one_line};
use clap::Args;
use std::ffi::OsString;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate::json::ObjectWriter;

const AFTER_HELP: &str = "\
The snapshot is a catalogue, `{\"tools\": […]}`, with the definitions as the
server wrote them; beside them stands the digest of each, over its JSON value.
`toolgate diff` tells what is between two of them.

Exit codes:
  0; 3 when the server does not answer; 4 when it asks who we are; 64 for a
  mistake in the command line; 65 for a file that cannot be read; 74 when the
  snapshot cannot be written; 78 for a mistake in a configuration; 129, 130 and
  143 ended by a signal.

Examples:
  toolgate snapshot notes -o notes.json
  toolgate snapshot -- uvx mcp-server-git > before.json
  toolgate diff before.json after.json";

/// Keeps what a server lists now, as a catalogue with digests
#[derive(Args)]
#[command(override_usage = "toolgate snapshot [OPTIONS] SERVER\n       toolgate snapshot [OPTIONS] -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP)]
pub(crate) struct SnapshotArgs {
    /// A name that `toolgate servers` lists, or a URL
    #[arg(value_name = "SERVER", conflicts_with_all = ["command", "catalog"], required_unless_present_any = ["command", "catalog"])]
    name: Option<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", conflicts_with = "catalog")]
    command: Vec<OsString>,

    /// The file to write, in place of standard output
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,
}

pub(crate) fn snapshot(args: &SnapshotArgs) -> ExitCode {
    status(snapshot_once(args))
}

fn snapshot_once(args: &SnapshotArgs) -> Result<Exit, Exit> {
    let Opened { target, .. } = args.server.one(args.name.as_deref(), &args.command)?.open(&args.server)?;
    let text = render(&target);
    match &args.output {
        None => print_json(&text)?,
        Some(path) => {
            write_whole(path, &text)
                .map_err(|error| complain(&format!("cannot write {}: {error}", path.display()), Exit::Output))?;
            let tools = counted(target.definitions.len(), "tool");
            let _ = writeln!(anstream::stderr(), "{tools} written to {}", path.display());
        }
    }
    Ok(Exit::Done)
}

fn render(target: &Target) -> String {
    let digests: Vec<String> = target.definitions.iter().map(|one| digest::of_definition(one)).collect();
    let mut by_name = ObjectWriter::new();
    for (definition, digest) in target.definitions.iter().zip(&digests) {
        if let Some(name) = name_of(definition) {
            by_name.string(&name, digest);
        }
    }
    let mut object = ObjectWriter::new();
    // A line for each, so that a change of one is a change of one line, and a finding has its line.
    let tools: Vec<String> = target.definitions.iter().map(|tool| format!("\n{}", one_line(tool))).collect();
    object.raw("tools", &format!("[{}\n]", tools.join(",")));
    object.string("digest", &digest::of_list(digests.iter().map(String::as_str)));
    object.raw("digests", &by_name.end());
    object.end() + "\n"
}

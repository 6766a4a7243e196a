//! `toolgate describe`: all that is known of one tool, for a person who wants to call it or to know what a model is told.

use crate::advertise;
use crate::call::{example_words, no_tool, render_help, which_tool};
use crate::exit::{Exit, status};
use crate::show::{complain, print, print_json, width};
use crate::source::{CachedArg, Opened, ServerArgs};
use crate::tool::{OneTool, one_line};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::process::ExitCode;
use toolgate::RootPolicy;
use toolgate::json::ObjectWriter;

const AFTER_HELP: &str = "\
Exit codes:
  0; 3 when the server does not answer; 4 when it asks who we are; 64 for a
  mistake in the command line and a tool that is not there; 65 for a file that
  cannot be read and a schema that does not compile; 74 when the answer cannot
  be written; 78 for a mistake in a configuration; 129, 130 and 143
  when a signal ended it.

Examples:
  toolgate describe notes read_file
  toolgate describe read_file -- uvx mcp-server-git
  toolgate describe --catalog tools.json book --format json";

/// Shows one tool: its options, its contract, what a model is shown of it, the proof, and a call as an example
#[derive(Args)]
#[command(override_usage = "toolgate describe [OPTIONS] SERVER TOOL\n       \
    toolgate describe [OPTIONS] TOOL -- COMMAND [ARGUMENTS]...\n       toolgate describe [OPTIONS] --catalog FILE TOOL",
    after_help = AFTER_HELP)]
pub(crate) struct DescribeArgs {
    /// The server, a name that `toolgate servers` lists or a URL, unless it is said otherwise; then the tool
    #[arg(value_name = "NAME", required = true, num_args = 1..=2)]
    names: Vec<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", conflicts_with = "catalog")]
    command: Vec<OsString>,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    cached: CachedArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
}

pub(crate) fn describe(args: &DescribeArgs) -> ExitCode {
    status(describe_once(args))
}

fn describe_once(args: &DescribeArgs) -> Result<Exit, Exit> {
    let server = &args.server;
    let (source, name) = match (args.names.as_slice(), &server.catalog) {
        ([tool], Some(path)) => (server.of_catalog(path)?, tool),
        ([tool], None) if !args.command.is_empty() => (server.of_command(&args.command)?, tool),
        ([name, tool], None) if args.command.is_empty() => (server.of_name(name)?, tool),
        (names, _) => {
            let one = names.first().filter(|_| names.len() == 1);
            let why = one.map(|word| which_tool("describe", word, server)).transpose()?.flatten();
            let all =
                "name the server once, by its name, its URL, its command after -- or --catalog, and then one tool";
            return Err(complain(why.as_deref().unwrap_or(all), Exit::Usage));
        }
    };
    let Opened { target, policy, typed, .. } = source.open_or_last(server, &args.cached)?;
    let tool = OneTool::find(&target, name, &policy).map_err(no_tool)?;
    let profile = policy.showing(None).profile;
    let published = tool.contract.publish(&profile, RootPolicy::Stated);
    let schema = tool.contract.schema_text();
    match args.format {
        Format::Human => {
            let help = render_help(&tool, published.as_ref().ok(), &typed, width());
            print(&format!("{help}\n{}", advertise::text(schema, &profile, &published, width())))
        }
        Format::Json => {
            let mut object = ObjectWriter::new();
            object.string("name", &tool.name);
            object.optional("title", tool.title.as_deref());
            object.optional("description", tool.description.as_deref());
            object.raw("inputSchema", &one_line(schema));
            object.optional("example", example_words(&tool).as_deref());
            object.raw("shown", advertise::json(&published).trim_end());
            print_json(&(object.end() + "\n"))
        }
    }?;
    Ok(Exit::Done)
}

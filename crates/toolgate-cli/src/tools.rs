//! `toolgate tools`: what a server offers.

use crate::exit::{Exit, status};
use crate::input::only;
use crate::servers::NAMING;
use crate::show::{BAD, BOLD, DIM, NOTE, columns, counted, labelled, notice, print, print_json, screen, visible};
use crate::source::{CachedArg, Opened, ServerArgs};
use crate::target::{Target, read_tool};
use crate::tool::{compiled, list_text};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::process::ExitCode;
use toolgate::json::{ObjectWriter, Value, list};
use toolgate_gateway::policy::ServerPolicy;

/// Columns of a name beside which its text begins.
const NAME_WIDTH_MAX: usize = 32;
/// Characters of a description on a screen.
const TEXT_MAX: usize = 240;

const AFTER_HELP: &str = "\
Exit codes:
  0; 3 when a server does not answer; 4 when it asks who we are; 64 for a
  mistake in the command line; 65 for a file that cannot be read; 74 when the
  list cannot be written; 78 for a mistake in a configuration; 129, 130 and
  143 when a signal ended it.

Examples:
  toolgate tools notes
  toolgate tools -- npx -y @modelcontextprotocol/server-everything
  toolgate tools https://example.com/mcp --format json > tools.json";

/// Lists the tools of a server, or of every server that is named
#[derive(Args)]
#[command(override_usage = "toolgate tools [OPTIONS] [SERVER]\n       toolgate tools [OPTIONS] -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP)]
pub(crate) struct ToolsArgs {
    /// A name that `toolgate servers` lists, or a URL
    #[arg(value_name = "SERVER", conflicts_with_all = ["command", "catalog"])]
    name: Option<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", conflicts_with = "catalog")]
    command: Vec<OsString>,

    /// How the list is printed: for people, or as the catalogue that --catalog takes, with the definitions as the server wrote them
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

pub(crate) fn tools(args: &ToolsArgs) -> ExitCode {
    status(tools_once(args))
}

fn tools_once(args: &ToolsArgs) -> Result<Exit, Exit> {
    let server = &args.server;
    if server.catalog.is_none() && args.name.is_none() && args.command.is_empty() {
        return of_all(args);
    }
    let Opened { target, policy, .. } =
        server.one(args.name.as_deref(), &args.command)?.open_or_last(server, &args.cached)?;
    match args.format {
        Format::Human => print(&text(&target, &policy, None)),
        Format::Json => print_json(&format!("{{\"tools\":{}}}\n", list_text(&target.definitions))),
    }?;
    Ok(Exit::Done)
}

/// Every server that is named; one that does not answer costs itself alone.
fn of_all(args: &ToolsArgs) -> Result<Exit, Exit> {
    let names = args.server.all_names()?;
    if names.is_empty() {
        let why = format!(
            "no server is named for toolgate: give a name of `toolgate servers`, a URL, or a command after --; {NAMING}"
        );
        return Err(crate::show::complain(&why, Exit::Usage));
    }
    let mut exit = Exit::Done;
    let mut objects = Vec::new();
    for name in names {
        let opened = args.server.of_name(&name).and_then(|source| source.open_or_last(&args.server, &args.cached));
        match (opened, args.format) {
            (Ok(opened), Format::Human) => {
                print(&text(&opened.target, &opened.policy, Some(&name)))?;
            }
            (Ok(opened), Format::Json) => {
                let mut object = ObjectWriter::new();
                object.string("server", &name);
                object.raw("tools", &list_text(&opened.target.definitions));
                objects.push(object.end());
            }
            (Err(Exit::Interrupted), _) => return Err(Exit::Interrupted),
            (Err(why), _) => {
                // What is wrong has been said; of which of them, only its caller knows.
                notice(&format!("that was the server `{name}`, which is left out"));
                exit = exit.or(why);
            }
        }
    }
    if args.format == Format::Json {
        print_json(&format!("{{\"servers\":{}}}\n", list(objects.into_iter())))?;
    }
    Ok(exit)
}

/// The tools of a server, of several by its name.
fn text(target: &Target, policy: &ServerPolicy, of: Option<&str>) -> String {
    // In a pipe, a tool is a line.
    let screen = screen();
    let is_watched = screen < usize::MAX;
    let row = |definition: &String| row(definition, policy, if is_watched { TEXT_MAX } else { usize::MAX });
    let rows: Vec<(String, String)> = target.definitions.iter().map(row).collect();
    let widths = rows.iter().map(|(name, _)| columns(name)).filter(|width| *width <= NAME_WIDTH_MAX);
    let column = widths.max().unwrap_or(0) + 2;
    let count = counted(rows.len(), "tool");
    let (mut out, before) = match of.map(visible) {
        Some(server) if is_watched => (format!("{NOTE}{server}{NOTE:#}  {DIM}{count}{DIM:#}\n"), "  ".to_owned()),
        Some(server) => (String::new(), format!("{server}  ")),
        None => (String::new(), String::new()),
    };
    for (name, text) in &rows {
        let label = format!("{before}{name}");
        let column = columns(&before) + column;
        let own = column.max(columns(&label) + 2);
        if text.is_empty() {
            out.push_str(&format!("{BOLD}{label}{BOLD:#}\n"));
        } else if own == column || !is_watched {
            labelled(&label, BOLD, own, text, screen, &mut out);
        } else {
            out.push_str(&format!("{BOLD}{label}{BOLD:#}\n"));
            labelled("", BOLD, column, text, screen, &mut out);
        }
    }
    match of {
        None => out.push_str(&format!("{DIM}{count}{DIM:#}\n")),
        Some(_) if is_watched => out.push('\n'),
        Some(_) => {}
    }
    out
}

/// The name and the first sentence; of a tool that cannot be called, why.
fn row(definition: &str, policy: &ServerPolicy, text_max: usize) -> (String, String) {
    let Some((name, contract)) = compiled(definition, policy) else {
        return ("(no name)".to_owned(), format!("{BAD}broken{BAD:#}: no tool object with a name"));
    };
    if let Err(unusable) = contract {
        let why = unusable.defects.first().map(|defect| visible(&defect.message)).unwrap_or_default();
        return (visible(&name), format!("{BAD}unusable{BAD:#}: its schema does not compile: {why}"));
    }
    let document = read_tool(definition);
    let member = |name: &str| only(document.as_ref()?.root(), name).ok()?;
    let text = member("description").and_then(Value::as_str).unwrap_or_default();
    (visible(&name), visible(&sentence(&text, text_max)))
}

/// The first sentence, cut.
fn sentence(text: &str, text_max: usize) -> String {
    let text = text.split("\n\n").next().unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = text.find(". ").map_or(text.len(), |at| at + 1);
    let first = text.get(..end).unwrap_or(&text);
    if first.chars().count() <= text_max {
        first.to_owned()
    } else {
        first.chars().take(text_max).chain(['…']).collect()
    }
}

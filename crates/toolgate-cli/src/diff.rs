//! `toolgate diff`: what has become of a server's tools since they were pinned, or between two lists. A tool's contract decides what
//! a change means for calls, and its words are compared too, since a changed text can turn a model.

mod change;
mod human;
mod json;
mod places;
mod relation;
mod sarif;

use crate::exit::{Exit, status};
use crate::pin::{PinKey, PinPlace, read_lock};
use crate::servers::Servers;
use crate::show::{complain, notice, print, print_json, quoted_for_shell, width};
use crate::source::{Opened, ServerArgs, is_url, shown_server};
use change::{Difference, Tools, between};
use clap::{Args, ValueEnum};
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Against its pin: a server by its name, or every pin there is; one whose server
no file names is told, and ends with 78. Between two lists: files (catalogues,
snapshots) or servers, the older first. The new list's policy decides who
judges.

  wider         takes more calls than before, with one as an example
  narrower      refuses calls that it took before, with one as an example
  incomparable  both
Each is told of the tool, and of each argument where none depends on another.
Changed texts are shown with control and invisible characters escaped.

Exit codes:
  0 when nothing has changed; 1 when something has; 3 when a server does not
  answer; 4 when it asks who we are; 64 for a mistake in the command line; 65
  for a file that cannot be read; 74 when the answer cannot be written; 78 for
  a mistake in a configuration or a pin file and a server that is not pinned;
  129, 130 and 143 ended by a signal.

Examples:
  toolgate diff                                # every server that is pinned
  toolgate diff notes --format sarif > diff.sarif
  toolgate diff before.json after.json
  toolgate diff before.json -- npx -y @modelcontextprotocol/server-everything";

/// Tells what has changed of a server's tools: against its pin, or between two lists
#[derive(Args)]
#[command(override_usage = "toolgate diff [OPTIONS] [SERVER]\n       toolgate diff [OPTIONS] OLD NEW\n       \
    toolgate diff [OPTIONS] OLD -- COMMAND [ARGUMENTS]...\n       toolgate diff [OPTIONS] --name NAME -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP, mut_arg("catalog", |arg| arg.hide(true)))]
pub(crate) struct DiffArgs {
    /// A server that is pinned, or two lists: files with a catalogue, - for standard input, or servers by name or URL
    #[arg(value_name = "LIST", num_args = 0..=2)]
    lists: Vec<String>,

    /// The command of the server that has the new list, and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// How it is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    place: PinPlace,

    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
    Sarif,
}

pub(crate) fn diff(args: &DiffArgs) -> ExitCode {
    status(diff_once(args))
}

fn diff_once(args: &DiffArgs) -> Result<Exit, Exit> {
    let server = &args.server;
    if server.catalog.is_some() {
        return Err(complain("name the files as OLD and NEW in place of --catalog", Exit::Usage));
    }
    // Of many servers one that does not answer costs itself alone, and is not forgotten in the end.
    let mut failed = None;
    let differences = match (args.lists.as_slice(), args.command.is_empty(), &args.place.name) {
        ([old, new], true, None) => vec![lists(&named(old, server)?, new, &named(new, server)?, old)],
        ([old], false, None) => {
            let new = server.of_command(&args.command)?.open(server)?;
            vec![lists(&named(old, server)?, "the server", &new, old)]
        }
        ([name], true, None) if is_file(name) => {
            return Err(complain("give a second list: a file, or a server", Exit::Usage));
        }
        ([name], true, None) => {
            let servers = server.servers_for(name)?;
            let key = of_pinned(name, &servers, args)?;
            vec![against_pin(&key, &shown_server(name), || server.of_name_in(&servers, name)?.open(server))?]
        }
        ([], false, Some(name)) => {
            let key = args.place.of_working_directory(name);
            let pinned = format!("--name {} -- COMMAND", quoted_for_shell(name));
            vec![against_pin(&key, &pinned, || server.of_command(&args.command)?.open(server))?]
        }
        ([], true, None) => of_all(args, &mut failed)?,
        _ => {
            let why = "give a server that is pinned, two lists, or one list and the command of a server";
            return Err(complain(why, Exit::Usage));
        }
    };
    match args.format {
        Format::Human => print(&human::render(&differences, width())),
        Format::Json => print_json(&json::render(&differences)),
        Format::Sarif => print_json(&sarif::render(&differences)),
    }?;
    let is_same = differences.iter().all(Difference::is_none);
    Ok(failed.unwrap_or(if is_same { Exit::Done } else { Exit::Verdict }))
}

/// Every pin there is. One whose server cannot be asked is not held against anything, and whoever relies on it has to know.
fn of_all(args: &DiffArgs, failed: &mut Option<Exit>) -> Result<Vec<Difference>, Exit> {
    let server = &args.server;
    let servers = Servers::find(server.config()).map_err(|why| complain(&why, Exit::Configuration))?;
    let pins = args.place.all(&servers)?;
    for name in server.all_names()? {
        if pins.iter().all(|(_, asked)| asked.as_deref() != Some(name.as_str())) {
            notice(&format!("`{}` is not pinned", toolgate::shown_name(&name)));
        }
    }
    let mut differences = Vec::new();
    for (key, asked) in &pins {
        let Some(name) = asked else {
            let (name, file) = (toolgate::shown_name(&key.name), key.file.display());
            let why = format!(
                "the pin `{name}` of {file} is of no server that is named here; give its command: \
                 toolgate diff --name {name} -- COMMAND"
            );
            *failed = Some(complain(&why, Exit::Configuration));
            continue;
        };
        match against_pin(key, name, || server.of_name_in(&servers, name)?.open(server)) {
            Ok(difference) => differences.push(difference),
            Err(Exit::Interrupted) => return Err(Exit::Interrupted),
            Err(why) => *failed = Some(why),
        }
    }
    if differences.is_empty() && failed.is_none() {
        return Err(complain("nothing is pinned: `toolgate pin` does it", Exit::Configuration));
    }
    Ok(differences)
}

/// The pin of a server by its name. One that was pinned by its command is asked for by that.
fn of_pinned(name: &str, servers: &Servers, args: &DiffArgs) -> Result<PinKey, Exit> {
    let by_command = args.place.of_working_directory(name);
    let is_named = is_url(name) || servers.get(name).is_ok();
    if !is_named && read_lock(&by_command.file)?.get(name).is_some() {
        let name = toolgate::shown_name(name);
        let why = format!("`{name}` is the pin of a command: give it, toolgate diff --name {name} -- COMMAND");
        return Err(complain(&why, Exit::Usage));
    }
    args.place.of_name(name, servers)
}

/// The pin is read before the server is asked. `words` pin the server anew.
fn against_pin(key: &PinKey, words: &str, open: impl FnOnce() -> Result<Opened, Exit>) -> Result<Difference, Exit> {
    let lock = read_lock(&key.file)?;
    let shown = toolgate::shown_name(&key.name);
    let pinned = lock.get(&key.name).ok_or_else(|| {
        complain(
            &format!("`{shown}` is not pinned in {}: `toolgate pin` does it", lock.path().display()),
            Exit::Configuration,
        )
    })?;
    let new = open()?;
    let old = Tools { definitions: pinned, lines: lock.lines(&key.name) };
    let (tools, unchanged) = between(&old, &tools(&new), &new.policy);
    let old = format!("{} of {}", key.name, key.file.display());
    let pins = Some(format!("toolgate pin {words}"));
    let files = (Some(key.file.display().to_string()), None);
    Ok(Difference { old, new: key.name.clone(), files, tools, unchanged, pins })
}

/// A file, or a server.
fn named(word: &str, server: &ServerArgs) -> Result<Opened, Exit> {
    let source = if is_file(word) { server.of_catalog(Path::new(word)) } else { server.of_name(word) };
    source?.open(server)
}

fn is_file(word: &str) -> bool {
    word == "-" || Path::new(word).is_file() || word.ends_with(".json")
}

fn lists(old: &Opened, new_name: &str, new: &Opened, old_name: &str) -> Difference {
    let (changed, unchanged) = between(&tools(old), &tools(new), &new.policy);
    let files = (old.target.path.clone(), new.target.path.clone());
    Difference {
        old: shown_server(old_name),
        new: shown_server(new_name),
        files,
        tools: changed,
        unchanged,
        pins: None,
    }
}

fn tools(opened: &Opened) -> Tools<'_> {
    Tools { definitions: &opened.target.definitions, lines: &opened.target.lines }
}

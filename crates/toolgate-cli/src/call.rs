//! `toolgate call`: a tool's options made from its schema, the call judged before it is sent.

mod answer;
pub(crate) mod argv;
mod example;
mod help;
mod refusal;
mod save;
mod table;
mod which_tool;

pub(crate) use example::words as example_words;
pub(crate) use help::{render as render_help, rows};
pub(crate) use which_tool::which_tool;

use crate::contract_args::UnknownKeysArg;
use crate::exit::{Exit, status};
use crate::input;
use crate::show::{complain, notice, place, print, print_json, width};
use crate::source::{CachedArg, Opened, ServerArgs, Source, end_progress, unanswered};
use crate::tool::{NoTool, OneTool};
use answer::Answer;
use clap::{Args, CommandFactory, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate::json::ObjectWriter;
use toolgate::{Admitted, Arguments, shown_name};

const AFTER_HELP: &str = "\
SERVER is a name that `toolgate servers` lists, or a URL; or the server's
command stands at the end, after --. Options of toolgate stand before it, those
of the tool after TOOL.

Options of a tool:
  --name VALUE          a value; text is kept as it is written (or --name=VALUE)
  --name, --no-name     true and false
  --name A --name B     a list, item by item
  --outer.inner VALUE   a member of an object
  --name:=JSON          the value as JSON
  --args JSON|@FILE|-   all arguments as a JSON object; options add to it
  --help                the options of the tool, from its schema
  --                    ends the options
  An option takes the next word unless that begins with --.

Exit codes:
  0    the tool answered
  2    its answer is an error
  3    there is no answer: the server could not be started or reached, was
       silent, or answered with an error of the protocol
  4    the server asks who we are
  64   a mistake in the command line, or a call that the tool's schema refuses,
       which is then not sent
  65   a file that cannot be read, a schema that does not compile, an answer
       without what --select names, or with a file that --save cannot decode
  74   the answer, or what --save keeps of it, cannot be written
  78   a mistake in a configuration or a policy file
  129, 130, 143
       ended by SIGHUP, SIGINT, SIGTERM; the call is cancelled

Examples:
  toolgate call notes read_file --path todo.txt
  toolgate call https://example.com/mcp search --query otters --limit 5
  toolgate call read_file --path todo.txt -- npx -y some-server .
  toolgate call --dry-run --catalog tools.json book --seat 12A --rows 3 --rows 4
  toolgate call notes read_file --help";

const AFTER_WORDS: &str = "the words after -- belong to no option";

/// Calls a tool with options that are made from its schema.
#[derive(Args)]
#[command(override_usage = "toolgate call [OPTIONS] SERVER TOOL [TOOL OPTIONS]...\n       \
    toolgate call [OPTIONS] TOOL [TOOL OPTIONS]... -- COMMAND [ARGUMENTS]...\n       \
    toolgate call [OPTIONS] --dry-run --catalog FILE TOOL [TOOL OPTIONS]...",
    after_help = AFTER_HELP)]
pub(crate) struct CallArgs {
    /// The server and its tool, then the tool's options
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "WORDS", hide = true)]
    words: Vec<OsString>,

    /// Print the arguments that would be sent, and send nothing
    #[arg(long)]
    dry_run: bool,

    /// All arguments as a JSON object: text, @ and a file, or - for standard input; also after TOOL
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    args: Option<String>,

    /// How the answer is printed: as people read it, as JSON (what is structured, else its content), as the server wrote it, or
    /// a list of objects as a table
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// Print this place of the answer alone: a JSON Pointer into what is structured, or into text that is JSON
    #[arg(long, value_name = "POINTER")]
    select: Option<String>,

    /// Folder for the images and files of the answer
    #[arg(long, value_name = "FOLDER")]
    save: Option<PathBuf>,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    cached: CachedArg,

    #[command(flatten)]
    keys: UnknownKeysArg,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
    Raw,
    Table,
}

pub(crate) fn call(args: &CallArgs) -> ExitCode {
    status(call_once(args))
}

fn call_once(args: &CallArgs) -> Result<Exit, Exit> {
    let usage = |why: &str| complain(why, Exit::Usage);
    if args.select.as_deref().is_some_and(|pointer| toolgate::Location::from_pointer(pointer).is_none()) {
        return Err(usage("--select takes a JSON Pointer, such as /items/0/name"));
    }
    if asks_for_help(args) {
        print(&own_help())?;
        return Ok(Exit::Done);
    }
    let (source, name, words) = routed(args)?;
    let Opened { target, mut policy, connection, typed } = source.open_or_last(&args.server, &args.cached)?;
    args.keys.add_for_all(&mut policy).map_err(|why| usage(&why))?;
    let tool = OneTool::find(&target, name, &policy).map_err(no_tool)?;
    let outline = tool.contract.outline();
    let mut line = argv::read(&outline, words);
    if line.help {
        print(&help::render(&tool, tool.published(&policy).as_ref(), &typed, width()))?;
        return Ok(Exit::Done);
    }
    if !args.dry_run && connection.is_none() {
        let what = if args.server.catalog.is_some() { "a catalogue" } else { "a list that is kept" };
        return Err(usage(&format!("{what} answers no calls: add --dry-run before TOOL to see what would be sent")));
    }
    if !line.after.is_empty() {
        return Err(usage(AFTER_WORDS));
    }
    if let Some(args) = &args.args
        && line.args.replace(args.clone()).is_some()
    {
        return Err(usage("--args is given before TOOL and after it"));
    }
    let catalog = args.server.catalog.as_deref();
    let given = line.args.as_deref().map(|word| read_arguments(word, catalog)).transpose()?;
    let built = argv::build(line, given);
    let admitted = judge(&tool, &built).map_err(|refused| {
        refused.tell(&tool.name, args.format == Format::Json || args.format == Format::Raw);
        Exit::Usage
    })?;
    tell_notes(&admitted);
    let Some(mut connection) = connection.filter(|_| !args.dry_run) else {
        print_json(&format!("{}\n", would_send(&admitted)))?;
        return Ok(Exit::Done);
    };
    if let Some(folder) = &args.save {
        save::ready(folder).map_err(|why| complain(&why, Exit::Output))?;
    }
    let result = connection.call(&tool.name, admitted.arguments_text(), tool.contract.schema_text());
    let result = result.map_err(|fault| unanswered(&fault).tell())?;
    end_progress();
    // The server may take its time to end; the answer does not wait for that.
    Answer::new(&result, args.format).tell(args)
}

/// What the contract says of the arguments, or what is wrong with the words that they are made of.
fn judge<'b>(tool: &OneTool, built: &'b argv::Built) -> Result<Admitted<'b>, refusal::Refused> {
    match tool.contract.check(Arguments::from_bytes(&built.text)) {
        Ok(admitted) if built.faults.is_empty() => Ok(admitted),
        Ok(_) => Err(refusal::Refused::of(tool, built, None)),
        Err(refusal) => Err(refusal::Refused::of(tool, built, Some(&refusal))),
    }
}

/// What a dry run prints.
fn would_send(admitted: &Admitted<'_>) -> String {
    let mut object = ObjectWriter::new();
    object.string("arguments_text", admitted.arguments_text());
    object.end()
}

/// What `call --dry-run` makes of the words after a tool's name: what it prints, or the refusal as a person reads it in lines of
/// `width` columns. Reads no file and no input.
pub(crate) fn dry_run(tool: &OneTool, words: &[OsString], width: usize) -> Result<String, String> {
    let outline = tool.contract.outline();
    let line = argv::read(&outline, words);
    if line.help {
        return Err("--help asks for the tool's options and makes no call".to_owned());
    }
    if !line.after.is_empty() {
        return Err(AFTER_WORDS.to_owned());
    }
    let args = line.args.clone();
    if args.as_deref().is_some_and(|args| args == "-" || args.starts_with('@')) {
        return Err("--args of a file or of standard input is not read here".to_owned());
    }
    let built = argv::build(line, args.map(String::into_bytes));
    let sent = judge(tool, &built).map(|admitted| would_send(&admitted));
    sent.map_err(|refused| anstream::adapter::strip_str(&refused.to_text(&tool.name, width)).to_string())
}

/// Whether help is asked for before any tool is named.
fn asks_for_help(args: &CallArgs) -> bool {
    let is_help = |word: &OsString| word == "--help" || word == "-h";
    args.server.catalog.is_none() && matches!(args.words.as_slice(), [_, word] if is_help(word))
}

fn own_help() -> String {
    let mut program = crate::Cli::command();
    program.build();
    let command = program.find_subcommand_mut("call");
    command.map(|command| format!("{}", command.render_help().ansi())).unwrap_or_default()
}

/// The server, the name of the tool, and the words after it.
fn routed(args: &CallArgs) -> Result<(Source, &str, &[OsString]), Exit> {
    let usage = |why: &str| complain(why, Exit::Usage);
    let (first, rest) = args.words.split_first().ok_or(Exit::Usage)?;
    let first = text(first)?;
    if first.starts_with('-') {
        let name = shown_name(first.split('=').next().unwrap_or_default());
        return Err(usage(&format!(
            "`call` has no option {name}; those of the tool stand after its name, and `toolgate call --help` lists ours"
        )));
    }
    if let Some(path) = &args.server.catalog {
        return Ok((args.server.of_catalog(path)?, first, rest));
    }
    let has_command = matches!(rest.iter().position(|word| word == "--"), Some(at) if at + 1 < rest.len());
    let is_option = rest.first().is_none_or(|word| word.as_encoded_bytes().starts_with(b"-"));
    if !is_option && has_command {
        // Which of the two is meant is not known, and none is started that was not.
        return Err(usage(&twice(rest.first())));
    }
    if !is_option {
        let (tool, words) = rest.split_first().ok_or(Exit::Usage)?;
        return Ok((args.server.of_name(first)?, text(tool)?, words));
    }
    // No value begins with two signs unless after `=`, so that the first such word of its own ends the options.
    match rest.iter().position(|word| word == "--").and_then(|at| rest.split_at_checked(at)) {
        Some((words, [_, command @ ..])) if !command.is_empty() => Ok((args.server.of_command(command)?, first, words)),
        _ => Err(usage(&which_tool("call", first, &args.server)?.unwrap_or_else(|| {
            "name the server and then the tool, or the server's command at the end, after --; `toolgate tools SERVER` \
             lists the tools"
                .to_owned()
        }))),
    }
}

/// Why a word after the tool, or a tool after a server, and a command do not go together. Names no value.
fn twice(word: Option<&OsString>) -> String {
    let word = word.map(|word| word.to_string_lossy()).unwrap_or_default();
    // What ends in the sign may be a value alone, such as a key in Base64.
    match word.split_once('=').filter(|(_, value)| !value.trim_matches('=').is_empty()) {
        Some((name, _)) => {
            let name = shown_name(name.trim_end_matches(':'));
            format!("a word after the tool belongs to no option; every argument is an option: --{name} VALUE")
        }
        None => {
            "a word after the tool belongs to no option, or the server is named twice, by its name and by a command \
                 after --"
                .to_owned()
        }
    }
}

fn text(word: &OsStr) -> Result<&str, Exit> {
    word.to_str().ok_or_else(|| complain("the name of the server or the tool is not UTF-8", Exit::Usage))
}

pub(crate) fn no_tool(why: NoTool) -> Exit {
    match why {
        NoTool::Unknown(why) => complain(&why, Exit::Usage),
        NoTool::Broken(why) | NoTool::Unusable(why) => complain(&why, Exit::Data),
    }
}

/// The same, in words.
pub(crate) fn no_tool_text(why: NoTool) -> String {
    match why {
        NoTool::Unknown(why) | NoTool::Broken(why) | NoTool::Unusable(why) => why,
    }
}

/// What `--args` stands for.
fn read_arguments(word: &str, catalog: Option<&Path>) -> Result<Vec<u8>, Exit> {
    let read = |path: &Path| input::bytes(path).map_err(|why| complain(&format!("--args: {why}"), Exit::Data));
    match word.strip_prefix('@') {
        Some(file) => read(Path::new(file)),
        None if word == "-" && catalog == Some(Path::new("-")) => {
            Err(complain("standard input can be the catalogue or the arguments, not both", Exit::Usage))
        }
        None if word == "-" => read(Path::new("-")),
        None => Ok(word.as_bytes().to_vec()),
    }
}

/// What the caller should know of a call that is admitted.
fn tell_notes(admitted: &Admitted<'_>) {
    for location in admitted.deferred() {
        notice(&format!("{} is left to the server to judge", place(&location.to_pointer())));
    }
    for violation in admitted.recorded() {
        notice(&format!("sent although the schema refuses it: {}", violation.to_line()));
    }
}

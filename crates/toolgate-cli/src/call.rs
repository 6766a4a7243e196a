//! `toolgate call`: a tool's options made from its schema, the call judged before it is sent.

mod argv;
mod example;
mod help;
mod refusal;

use crate::exit::Exit;
use crate::input;
use crate::show::{complain, notice, place, print, width};
use crate::target::Target;
use crate::tool::{NoTool, OneTool};
use clap::{Args, ValueEnum};
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate::json::ObjectWriter;
use toolgate::{Admitted, Arguments};
use toolgate_gateway::policy::{PolicyFile, ServerPolicy};

const AFTER_HELP: &str = "\
Options of a tool:
  --name VALUE, --name=VALUE   a value; where the schema admits text it is kept as it is written
  --name, --no-name            true and false
  --name A --name B            a list, item by item
  --outer.inner VALUE          a member of an object
  --name:=JSON                 the value as JSON
  --args JSON|@FILE|-          all arguments as a JSON object; options add to it
  --                           ends the options
  An option takes the next word unless that begins with --. --help after TOOL lists a tool's options.

Exit codes:
  0 when the call would be sent; 64 for a mistake in the command line and for a call that the tool's
  schema refuses; 65 for a file that cannot be read or a schema that does not compile; 74 when the
  answer cannot be written; 78 for a mistake in the policy file.

Examples:
  toolgate call --dry-run --catalog tools.json book --seat 12A --rows 3 --rows 4
  toolgate call --catalog tools.json book --help";

/// Calls a tool with options that are made from its schema.
#[derive(Args)]
#[command(override_usage = "toolgate call --dry-run --catalog FILE [OPTIONS] TOOL [TOOL OPTIONS]...",
    after_help = AFTER_HELP)]
pub(crate) struct CallArgs {
    /// The tool, then its options. Options of toolgate stand before it
    #[arg(required = true, trailing_var_arg = true, allow_hyphen_values = true, value_name = "TOOL [TOOL OPTIONS]")]
    words: Vec<OsString>,

    /// Print the arguments that would be sent, and send nothing
    #[arg(long)]
    dry_run: bool,

    /// File with the tools: a catalogue (`{"tools": […]}`, a list of tools, or the result of tools/list), one tool, or one
    /// input schema; - for standard input
    #[arg(long, value_name = "FILE")]
    catalog: Option<PathBuf>,

    /// All arguments as a JSON object: text, @ and a file, or - for standard input; also after TOOL
    #[arg(long, value_name = "JSON|@FILE|-", allow_hyphen_values = true)]
    args: Option<String>,

    /// How answers are printed; a refusal goes to standard error
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,

    /// Policy file of `toolgate run`: the call is judged as the guard would judge it
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Json,
}

pub(crate) fn call(args: &CallArgs) -> ExitCode {
    match call_once(args) {
        Ok(exit) | Err(exit) => exit.into(),
    }
}

fn call_once(args: &CallArgs) -> Result<Exit, Exit> {
    let usage = |why: &str| complain(why, Exit::Usage);
    let (name, words) = args.words.split_first().ok_or(Exit::Usage)?;
    let name = tool_name(name)?;
    let path =
        args.catalog.as_deref().ok_or_else(|| usage("name the file of the tools with --catalog, before TOOL"))?;
    let policy = args.policy.as_deref().map_or_else(|| Ok(ServerPolicy::discovered()), read_policy)?;
    let text = input::text(path).map_err(|why| complain(&why, Exit::Data))?;
    let target = Target::read(path, &text).map_err(|why| complain(&why, Exit::Data))?;
    let tool = OneTool::find(&target, name, &policy).map_err(no_tool)?;
    let outline = tool.contract.outline();
    let mut line = argv::read(&outline, words);
    if line.help {
        print(&help::render(&tool, tool.published(&policy).as_ref(), width()))?;
        return Ok(Exit::Done);
    }
    if !args.dry_run {
        return Err(usage("a catalogue answers no calls: add --dry-run before TOOL to see what would be sent"));
    }
    if !line.after.is_empty() {
        return Err(usage("the words after -- belong to no option"));
    }
    if let Some(args) = &args.args
        && line.args.replace(args.clone()).is_some()
    {
        return Err(usage("--args is given before TOOL and after it"));
    }
    let given = line.args.as_deref().map(|word| read_arguments(word, path)).transpose()?;
    let built = argv::build(line, given);
    let refused = |refusal: Option<&toolgate::Refusal>| {
        let refused = refusal::Refused::of(&tool, &built, refusal);
        refused.tell(&tool.name, args.format == Format::Json);
        Exit::Usage
    };
    match tool.contract.check(Arguments::from_bytes(&built.text)) {
        Ok(admitted) if built.faults.is_empty() => {
            tell_notes(&admitted);
            let mut object = ObjectWriter::new();
            object.string("arguments_text", admitted.arguments_text());
            print(&format!("{}\n", object.end()))?;
            Ok(Exit::Done)
        }
        Ok(_) => Err(refused(None)),
        Err(refusal) => Err(refused(Some(&refusal))),
    }
}

fn tool_name(word: &OsStr) -> Result<&str, Exit> {
    word.to_str().ok_or_else(|| complain("the name of the tool is not UTF-8", Exit::Usage))
}

fn no_tool(why: NoTool) -> Exit {
    match why {
        NoTool::Unknown(why) => complain(&why, Exit::Usage),
        NoTool::Broken(why) | NoTool::Unusable(why) => complain(&why, Exit::Data),
    }
}

fn read_policy(path: &Path) -> Result<ServerPolicy, Exit> {
    let text = input::text(path).map_err(|why| complain(&why, Exit::Configuration))?;
    let policy = PolicyFile::read(&text).and_then(|file| ServerPolicy::from_file(&file));
    policy.map_err(|why| complain(&format!("policy file {}: {why}", path.display()), Exit::Configuration))
}

/// What `--args` stands for.
fn read_arguments(word: &str, catalog: &Path) -> Result<Vec<u8>, Exit> {
    let read = |path: &Path| input::bytes(path).map_err(|why| complain(&format!("--args: {why}"), Exit::Data));
    match word.strip_prefix('@') {
        Some(file) => read(Path::new(file)),
        None if word == "-" && catalog == Path::new("-") => {
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

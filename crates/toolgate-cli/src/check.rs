//! `toolgate check`: what is wrong with a server's tools before a model sees them. Runs the functions that the guard and every
//! mount run (R7.7) over a whole list, for each profile asked, and prints what they found.

mod allow;
mod certificates;
mod human;
mod json;
mod report;
mod sarif;
mod server;

use crate::contract_args::{self, OriginArgs};
use crate::exit::{Exit, status};
use crate::input;
use crate::progress::{self, Progress};
use crate::servers::Judging;
use crate::show::{complain, print, print_json, width};
use crate::source;
use crate::target::Target;
use allow::Allowed;
use certificates::CertificatesFile;
use clap::{Args, ValueEnum};
use report::Report;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use toolgate::Profile;
use toolgate::lint::Level;
use toolgate_gateway::policy::{Choices, ProfileChoice, ServerPolicy};

const AFTER_HELP: &str = "\
Allow file:
  One allowed finding a line: the rule, the tool, and the place as a JSON
  Pointer. `*` stands for any. A field that is empty or has white space in it
  is written as a JSON string; a line that begins with `#` is a comment.
  Entries that allow nothing any more are reported.
      ambiguous-string  search  /properties/query
      too-many-tools    *       *

Exit codes:
  0 when nothing was found at or above the level of --deny; 1 when something
  was; 3 when the server could not be started or did not list its tools in
  time; 4 when it asks who we are; 64 for a mistake in the command line; 65
  for a file that cannot be read, or is neither a catalogue nor a schema; 74
  when the report or the certificates cannot be written; 78 for a mistake in
  the policy file, the allow file or a file of servers; 129, 130 and 143 ended
  by a signal.

Examples:
  toolgate check -- npx -y @modelcontextprotocol/server-everything
  toolgate check https://example.com/mcp
  toolgate check catalogue.json --profile openai --profile gemini --deny warning
  toolgate check catalogue.json --profile all --format sarif > toolgate.sarif
  toolgate check catalogue.json --certificates proofs.jsonl
  toolgate prove --replay proofs.jsonl";

/// Looks over the tools of a server, a catalogue or one schema, and says what does not work, what a reader does not take, and
/// what it costs.
#[derive(Args)]
#[command(override_usage = "toolgate check [OPTIONS] TARGET\n       toolgate check [OPTIONS] -- COMMAND [ARGUMENTS]...",
    after_long_help = AFTER_HELP, after_help = "See --help for the allow file, exit codes and examples.")]
pub(crate) struct CheckArgs {
    /// File with a catalogue (`{"tools": […]}`, a list of tools, or the result of tools/list), one tool, or one input schema;
    /// - for standard input; or a server by its URL, or by a name that `toolgate servers` lists
    #[arg(value_name = "TARGET", required_unless_present = "command", conflicts_with = "command")]
    target: Option<PathBuf>,

    /// The command of a server and its arguments, after `--`: it is started, asked for its tools, and ended
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// For whom the tools are shown: a profile as `toolgate profiles` lists them, or `all` (repeat as needed)
    /// [default: portable, or what the policy file says]
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    profile: Vec<String>,

    /// How the findings are printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// The least important findings that end the program with 1
    #[arg(long, value_enum, default_value_t = Deny::Error)]
    deny: Deny,

    /// File with findings that are allowed, one a line
    #[arg(long, value_name = "FILE")]
    allow: Option<PathBuf>,

    /// File for a certificate of each proof, one a line: `toolgate prove --replay` checks them without search
    #[arg(long, value_name = "FILE")]
    certificates: Option<PathBuf>,

    /// Seconds that a server may take to start and to list its tools
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Policy file of `toolgate run`: the tools are taken as the guard would take them
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    policy: Option<PathBuf>,

    #[command(flatten)]
    origin: OriginArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
    Sarif,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    Error,
    Warning,
    Note,
}

impl Deny {
    fn level(self) -> Level {
        match self {
            Deny::Error => Level::Error,
            Deny::Warning => Level::Warning,
            Deny::Note => Level::Note,
        }
    }
}

pub(crate) fn check(args: &CheckArgs) -> ExitCode {
    status(check_once(args))
}

fn check_once(args: &CheckArgs) -> Result<Exit, Exit> {
    // What can be wrong with the question is said before a server is started for it.
    let profiles = profiles(&args.profile)?;
    let allowed = args.allow.as_deref().map(read_allowed).transpose()?.unwrap_or_default();
    let said = args.policy.as_deref().map(read_policy).transpose()?;
    keeps_its_input(args)?;
    let certificates = args.certificates.as_deref().map(CertificatesFile::create).transpose()?;
    let (target, judging) = read_target(args)?;
    let mut policy = match said {
        Some(policy) => policy,
        None => judging.policy().map_err(|why| complain(&why, Exit::Configuration))?,
    };
    add_choices(args, &target, &mut policy)?;
    let profiles = if profiles.is_empty() { vec![policy.profile] } else { profiles };
    let report = Report::make(target, &profiles, policy, allowed, certificates.as_ref(), &Progress::for_terminal());
    certificates.map(CertificatesFile::end).transpose()?;
    let deny = args.deny.level();
    match args.format {
        Format::Human => print(&human::render(&report, deny, width())),
        Format::Json => print_json(&json::render(&report, deny)),
        Format::Sarif => print_json(&sarif::render(&report)),
    }?;
    Ok(if report.denied(deny) > 0 { Exit::Verdict } else { Exit::Done })
}

fn profiles(names: &[String]) -> Result<Vec<ProfileChoice>, Exit> {
    let mut profiles = Vec::new();
    for name in names {
        let named: Vec<&'static Profile> = match name.as_str() {
            "all" => Profile::all().iter().collect(),
            name => vec![contract_args::profile(name).map_err(|why| complain(&why, Exit::Usage))?],
        };
        for choice in named.into_iter().map(ProfileChoice::Named) {
            if !profiles.contains(&choice) {
                profiles.push(choice);
            }
        }
    }
    Ok(profiles)
}

fn read_allowed(path: &Path) -> Result<Allowed, Exit> {
    let text = input::text(path).map_err(|why| complain(&why, Exit::Configuration))?;
    Allowed::read(&text).map_err(|why| complain(&format!("{}: {why}", path.display()), Exit::Configuration))
}

fn read_policy(path: &Path) -> Result<ServerPolicy, Exit> {
    contract_args::policy(path).map_err(|why| complain(&why, Exit::Configuration))
}

/// Certificates are not written over what is checked.
fn keeps_its_input(args: &CheckArgs) -> Result<(), Exit> {
    let real = |path: &Option<PathBuf>| path.as_deref().and_then(|path| path.canonicalize().ok());
    match (real(&args.target), real(&args.certificates)) {
        (Some(target), Some(certificates)) if target == certificates => {
            Err(complain("--certificates names the file that is checked", Exit::Usage))
        }
        _ => Ok(()),
    }
}

fn read_target(args: &CheckArgs) -> Result<(Target, Judging), Exit> {
    let Some(path) = &args.target else {
        let listed = server::list(&args.command, Duration::from_secs(args.timeout));
        let tools = listed.map_err(|fault| complain(&fault.to_string(), Exit::NoAnswer))?;
        return Ok((Target::of_server(tools), Judging::Default));
    };
    if let Some(word) = path.to_str().filter(|_| !path.exists())
        && let Some(listed) = source::listed(word, args.timeout)?
    {
        return Ok(listed);
    }
    let text = input::text(path).map_err(|why| complain(&why, Exit::Data))?;
    let target = Target::read(path, &text).map_err(|why| complain(&why, Exit::Data))?;
    Ok((target, Judging::Default))
}

/// What the command line says of the schemas. One schema alone is its author's, unless something else is said.
fn add_choices(args: &CheckArgs, target: &Target, policy: &mut ServerPolicy) -> Result<(), Exit> {
    let is_own = target.is_schema() && args.policy.is_none();
    let origin = args.origin.origin.clone().or_else(|| is_own.then(|| "authored".to_owned()));
    let choices = Choices { origin, unknown_keys: args.origin.keys.unknown_keys.clone(), ..Choices::default() };
    policy.add_for_all(&choices).map_err(|why| complain(&why.to_string(), Exit::Usage))
}

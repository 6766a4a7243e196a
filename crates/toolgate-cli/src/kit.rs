//! `toolgate test`: contracts, calls, and what must come of each. Asks the very functions that the other commands answer with
//! (R11), and judges nothing by itself.

mod advertise;
mod answer;
mod argv;
mod case;
mod contracts;
mod facts;
mod files;
mod human;
mod json;
mod judge;
mod junit;
mod prove;
mod report;
mod text;
mod value;
mod watch;

use crate::exit::{Exit, status};
use crate::progress::Progress;
use crate::servers::Judging;
use crate::show::{complain, print, print_json, print_plain, width};
use crate::source::{Opened, ServerArgs};
use answer::Answer;
use case::{Case, Kind};
use clap::{Args, ValueEnum};
use contracts::Lists;
use files::Suite;
use report::{Held, Outcome, Report};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use toolgate::Policy;
use toolgate::json::Value;
use watch::Watch;

/// Mistakes that are told at once.
const MISTAKES_MAX: usize = 20;

const AFTER_HELP: &str = "\
A file of cases, JSON:
  {\"format\": \"toolgate-cases/1\",
   \"contracts\": {\"book\": {\"schema_file\": \"book.schema.json\"}},
   \"cases\": [
    {\"id\": \"a-seat\", \"kind\": \"judge\",
     \"request\": {\"use\": \"book\", \"arguments\": {\"seat\": \"12A\"}},
     \"expect\": {\"verdict\": \"admitted\"}},
    {\"id\": \"no-seat\", \"kind\": \"judge\",
     \"request\": {\"use\": \"book\", \"arguments\": {}},
     \"expect\": {\"verdict\": \"refused\",
                \"violations\": [{\"location\": \"\", \"code\": \"required\"}]}}]}

  A contract is one of `schema`, `schema_text`, `schema_file`, or `tool` with
  the `catalog` that lists it or of the server given here; files are named
  from the folder of the cases. Kinds are judge, advertise, prove and argv. A
  case with `skip` and a reason is counted apart. `toolgate run --record`
  writes such a file. Failures show what the file expects and what came of it,
  values included.

Exit codes:
  0    every case holds, or is skipped
  1    one does not
  3    the server gives no list of its tools
  4    the server asks who we are
  64   a mistake in the command line, or a filter that leaves no case
  65   a file that cannot be read, or a mistake in a case: nothing is run
  74   the report cannot be written
  78   a mistake in a configuration or a policy file
  129, 130, 143
       ended by a signal

Examples:
  toolgate test cases/
  toolgate test cases/book.json --filter seat
  toolgate test cases/ --format junit > results.xml
  toolgate test cases/ -- npx -y @modelcontextprotocol/server-everything
  toolgate test calls.jsonl --as-listed --server notes";

/// Runs cases: contracts, calls, and what must come of each.
#[derive(Args)]
#[command(override_usage = "toolgate test [OPTIONS] CASES...\n       toolgate test [OPTIONS] CASES... -- COMMAND [ARGUMENTS]...",
    after_long_help = AFTER_HELP, after_help = "See --help for the file of cases, exit codes and examples.")]
pub(crate) struct TestArgs {
    /// Files of cases, JSON or JSON Lines, and folders that hold such
    #[arg(required = true, value_name = "CASES")]
    cases: Vec<PathBuf>,

    /// Run only the cases with this text in id, group or title (repeat as needed)
    #[arg(long, value_name = "TEXT")]
    filter: Vec<String>,

    /// How the report is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// Run again when a file of cases, or a schema or catalogue that they name, changes; ends on an interrupt
    #[arg(long)]
    watch: bool,

    /// Take each contract that says `of` which tool it is as the list given here has that tool now: for recorded calls, and for cases
    /// of a schema's file that a server should keep, too
    #[arg(long, help_heading = "Server")]
    as_listed: bool,

    /// The server whose tools the cases name: a name that `toolgate servers` lists, or a URL
    #[arg(long = "server", value_name = "NAME|URL", conflicts_with_all = ["command", "catalog"], help_heading = "Server")]
    name: Option<String>,

    /// The command of that server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", conflicts_with = "catalog")]
    command: Vec<OsString>,

    #[command(flatten)]
    server: ServerArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
    Junit,
}

pub(crate) fn test(args: &TestArgs) -> ExitCode {
    status(test_once(args))
}

fn test_once(args: &TestArgs) -> Result<Exit, Exit> {
    let policy = args.server.policy(&Judging::Default)?;
    let mut given = given(args)?;
    if args.as_listed && given.is_none() {
        return Err(complain("--as-listed needs a list: --catalog, --server or -- COMMAND", Exit::Usage));
    }
    let Some(mut watch) = args.watch.then(Watch::start).transpose()? else {
        return run(args, &mut Lists::new(given.as_ref(), policy, args.as_listed), &mut |_| Ok(()));
    };
    loop {
        let catalog = args.server.catalog.as_deref();
        let ran = run(args, &mut Lists::new(given.as_ref(), policy.clone(), args.as_listed), &mut |files| {
            watch.add(files.iter().map(PathBuf::as_path).chain(args.cases.iter().map(PathBuf::as_path)).chain(catalog))
        });
        if ran == Err(Exit::Output) {
            return ran;
        }
        watch.wait()?;
        watch::clear();
        // A server is asked once; a file is read anew, and one that cannot be read leaves the old list.
        if catalog.is_some()
            && let Ok(opened) = self::given(args)
        {
            given = opened;
        }
    }
}

/// The list of tools that the command line names.
fn given(args: &TestArgs) -> Result<Option<Opened>, Exit> {
    if args.name.is_none() && args.command.is_empty() && args.server.catalog.is_none() {
        return Ok(None);
    }
    args.server.one(args.name.as_deref(), &args.command)?.open(&args.server).map(Some)
}

/// `has_read` is told the files, before anything is run.
fn run(
    args: &TestArgs,
    lists: &mut Lists<'_>,
    has_read: &mut dyn FnMut(&[PathBuf]) -> Result<(), Exit>,
) -> Result<Exit, Exit> {
    let format = case::format().map_err(|why| complain(&why, Exit::Internal))?;
    let suite = Suite::read(&args.cases, &format, lists);
    let files: Vec<PathBuf> = suite.files.iter().cloned().chain(lists.files().map(Path::to_owned)).collect();
    has_read(&files)?;
    if !suite.mistakes.is_empty() {
        return Err(tell_mistakes(&suite.mistakes));
    }
    let is_chosen = |case: &&Case| {
        let texts = [Some(&case.id), case.group.as_ref(), case.title.as_ref()];
        let has = |words: &String| texts.iter().flatten().any(|text| text.contains(words.as_str()));
        args.filter.is_empty() || args.filter.iter().any(has)
    };
    let chosen: Vec<&Case> = suite.cases.iter().filter(is_chosen).collect();
    if chosen.is_empty() {
        let why = format!("--filter leaves none of {}", crate::show::counted(suite.cases.len(), "case"));
        return Err(complain(&why, Exit::Usage));
    }
    let report = hold_all(&chosen);
    match args.format {
        Format::Human => print(&human::render(&report, width())),
        Format::Json => print_json(&json::render(&report)),
        Format::Junit => print_plain(&junit::render(&report).map_err(|why| complain(&why, Exit::Internal))?),
    }?;
    Ok(if report.failed() > 0 { Exit::Verdict } else { Exit::Done })
}

fn tell_mistakes(mistakes: &[String]) -> Exit {
    let shown = mistakes.get(..MISTAKES_MAX).unwrap_or(mistakes);
    for mistake in shown {
        complain(mistake, Exit::Data);
    }
    let more = mistakes.len() - shown.len();
    let more = if more > 0 { format!("; and {more} more mistakes") } else { String::new() };
    complain(&format!("no case was run{more}"), Exit::Data)
}

fn hold_all<'c>(cases: &[&'c Case]) -> Report<'c> {
    let progress = Progress::for_terminal();
    let mut held = Vec::with_capacity(cases.len());
    for (index, case) in cases.iter().enumerate() {
        progress.say(|| format!("{index} of {} cases", cases.len()));
        let begun = Instant::now();
        let outcome = hold(case);
        held.push(Held { case, outcome, took: begun.elapsed() });
    }
    progress.end();
    Report { held }
}

/// Whether what a case expects comes of it.
fn hold(case: &Case) -> Outcome {
    if let Some(why) = &case.skip {
        return Outcome::Skipped(why.clone());
    }
    match answered(case) {
        Ok((Ok(()), _)) => Outcome::Passed,
        Ok((Err(why), got)) => Outcome::Failed { why, got },
        Err(why) => Outcome::Failed { why, got: None },
    }
}

/// Whether the answer is as expected, and the answer.
fn answered(case: &Case) -> Result<(Result<(), String>, Option<String>), String> {
    let expect = crate::input::document(&case.expect).map_err(|unread| unread.in_line())?;
    let expect = expect.root();
    let request = match &case.request {
        Ok(request) => request,
        // Told when the file was read, unless it is what the case expects.
        Err(why) => {
            let answer = Answer::new(Err(why.clone()))?;
            return Ok((judge::hold(expect, &answer), Some(answer.line().to_owned())));
        }
    };
    let of = |respond: Respond| Answer::new(ask(respond, &request.policy, &request.text));
    let (held, line) = match case.kind {
        Kind::Judge => {
            let answer = of(crate::judge::respond_under)?;
            (judge::hold(expect, &answer), answer.line().to_owned())
        }
        Kind::Advertise => {
            let answer = of(crate::advertise::respond_under)?;
            (advertise::hold(expect, request, &answer), answer.line().to_owned())
        }
        Kind::Prove => {
            let answer = of(crate::prove::respond_under)?;
            (prove::hold(expect, request, &answer), answer.line().to_owned())
        }
        Kind::Argv => {
            let answer = argv::answer(request);
            let held = argv::hold(expect, &answer);
            (held, answer.unwrap_or_else(|refusal| argv::refusal_json(&refusal)))
        }
    };
    Ok((held, Some(line)))
}

/// Answers a request of the machine interface under a policy.
type Respond = fn(Policy, Option<&str>, Value<'_>) -> Result<String, String>;

fn ask(respond: Respond, policy: &Policy, request: &str) -> Result<String, String> {
    let document = crate::input::document(request).map_err(|unread| unread.in_line())?;
    respond(policy.clone(), None, document.root())
}

/// Whether what is expected holds, or one of the alternatives beside it; else what is wrong with the first.
fn any_of(expect: Value<'_>, hold: impl Fn(Value<'_>) -> Result<(), String>) -> Result<(), String> {
    let first = hold(expect);
    let mut others = expect.get("also_ok").into_iter().flat_map(Value::items);
    if first.is_ok() || others.any(|other| hold(other).is_ok()) { Ok(()) } else { first }
}

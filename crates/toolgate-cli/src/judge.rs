//! `toolgate judge`: a schema and arguments in, a verdict out. Starts no server and uses no network.

mod human;
mod jsonl;

pub(crate) use jsonl::{contract_of, defects, respond_under};

use crate::contract_args;
use crate::exit::{Exit, status};
use crate::input;
use crate::show::{complain, notice, print, print_json};
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate::{Arguments, Contract, Defect, Judge, Origin, Policy, Unions, UnknownKeys, UnknownWord};

const AFTER_HELP: &str = "\
Exit codes:
  0 when the call is admitted; 1 when it is refused; 64 for a mistake in the
  command line; 65 for a file that cannot be read or a schema that does not
  compile; 74 when the answer cannot be written.

Examples:
  toolgate judge schema.json arguments.json
  echo '{\"limit\": \"5\"}' | toolgate judge schema.json -
  toolgate judge schema.json arguments.json --origin discovered --format json
  toolgate judge --jsonl < requests.jsonl";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct JudgeArgs {
    /// One request a line on standard input, one answer a line on standard output
    #[arg(long, conflicts_with_all = ["schema", "arguments", "format"])]
    jsonl: bool,

    /// File with the tool's input schema, or with the tool object that holds it
    #[arg(required_unless_present = "jsonl")]
    schema: Option<PathBuf>,

    /// File with the arguments, or - for standard input; left out, no arguments were sent
    arguments: Option<PathBuf>,

    /// How the verdict is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    policy: PolicyArgs,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    #[value(alias = "text")]
    Human,
    Json,
}

/// What is decided about a contract beside its schema.
#[derive(Args)]
#[command(next_help_heading = "Policy")]
struct PolicyArgs {
    /// Who wrote the schema: this process, or another server [default: authored]
    #[arg(long, value_name = "authored|discovered", value_parser = PossibleValuesParser::new(Origin::WORDS), hide_possible_values = true)]
    origin: Option<String>,

    /// Which keys that the schema does not declare are refused [default: close-root]
    #[arg(long, value_name = "close-root|close-declared|as-written", value_parser = PossibleValuesParser::new(UnknownKeys::WORDS), hide_possible_values = true)]
    unknown_keys: Option<String>,

    /// Which unions of a discovered schema are judged here [default: labelled]
    #[arg(long, value_name = "labelled|remote|local", value_parser = PossibleValuesParser::new(Unions::WORDS), hide_possible_values = true)]
    unions: Option<String>,

    /// Whether the contract refuses, or only records what it would refuse [default: contract]
    #[arg(long, value_name = "contract|server", value_parser = PossibleValuesParser::new(Judge::WORDS), hide_possible_values = true)]
    judge: Option<String>,

    /// A former name of a root argument
    #[arg(long = "alias", value_name = "NAME=FORMER")]
    aliases: Vec<String>,

    /// A reading that is off unless named: null-means-absent, empty-means-absent, wrap-single, object-as-text,
    /// assert-formats, null-arguments, agent-text
    #[arg(long = "option", value_name = "NAME")]
    options: Vec<String>,

    /// A place whose text stays text, even if it is a list
    #[arg(long, value_name = "POINTER")]
    list_text_keep: Vec<String>,

    /// An undeclared root name that is let through
    #[arg(long, value_name = "NAME")]
    forward_keys: Vec<String>,
}

/// The value of a policy word, as the command line and the machine interface spell it.
pub(crate) fn set_word(policy: &mut Policy, field: &str, word: &str) -> Result<(), String> {
    let set = match field {
        "origin" => word.parse().map(|origin| policy.origin = origin),
        "judge" => word.parse().map(|judge| policy.judge = judge),
        "unknown_keys" => word.parse().map(|unknown_keys| policy.unknown_keys = unknown_keys),
        "unions" => word.parse().map(|unions| policy.unions = unions),
        _ => return Err(format!("`{field}` is no part of a policy")),
    };
    set.map_err(|mistake: UnknownWord| format!("the word of `{field}` {mistake}"))
}

impl PolicyArgs {
    fn to_policy(&self) -> Result<Policy, String> {
        let mut policy = Policy::default();
        let words = [
            ("origin", &self.origin),
            ("unknown_keys", &self.unknown_keys),
            ("unions", &self.unions),
            ("judge", &self.judge),
        ];
        for (field, word) in words {
            if let Some(word) = word {
                set_word(&mut policy, field, word)?;
            }
        }
        for alias in &self.aliases {
            policy.aliases.push(contract_args::alias(alias)?);
        }
        for option in &self.options {
            policy.options.set_all([&**option]).map_err(|mistake| format!("--option: `{option}` {mistake}"))?;
        }
        policy.list_text_keep.clone_from(&self.list_text_keep);
        policy.forward_keys.clone_from(&self.forward_keys);
        Ok(policy)
    }
}

pub(crate) fn judge(args: &JudgeArgs) -> ExitCode {
    if args.jsonl {
        return crate::batch::run(jsonl::respond).into();
    }
    status(judge_once(args))
}

fn judge_once(args: &JudgeArgs) -> Result<Exit, Exit> {
    let policy = args.policy.to_policy().map_err(|why| complain(&why, Exit::Usage))?;
    let data = |why: String| complain(&why, Exit::Data);
    let Some(path) = &args.schema else { return Err(Exit::Usage) };
    let is_stdin = |path: &Path| path == Path::new("-");
    if is_stdin(path) && args.arguments.as_deref().is_some_and(is_stdin) {
        return Err(complain("standard input holds the schema or the arguments, not both", Exit::Usage));
    }
    let schema = input::one_schema(path).map_err(data)?;
    input::hold_to_limits(&schema.text, &policy.limits).map_err(|why| data(format!("{}: {why}", input::name(path))))?;
    let arguments = args.arguments.as_deref().map(input::bytes).transpose().map_err(data)?;
    schema.notice.iter().for_each(|text| notice(text));
    let contract = Contract::from_text_with(&schema.text, &policy);
    // An alias or a pointer that fits no schema of this kind is a mistake in the command line.
    if let Err(unusable) = &contract
        && unusable.defects.iter().all(is_of_policy)
        && args.format == Format::Human
    {
        let mistakes: Vec<&str> = unusable.defects.iter().map(|defect| &*defect.message).collect();
        return Err(complain(&mistakes.join("; "), Exit::Usage));
    }
    let given = || arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    let outcome = contract.as_ref().map(|contract| contract.check(given()));
    let exit = match &outcome {
        Ok(Ok(_)) => Exit::Done,
        Ok(Err(_)) => Exit::Verdict,
        Err(unusable) if unusable.defects.iter().all(is_of_policy) => Exit::Usage,
        Err(_) => Exit::Data,
    };
    match args.format {
        Format::Human => print(&human::render(&contract, &outcome, arguments.as_deref())),
        Format::Json => print_json(&format!("{}\n", jsonl::answer(None, &contract, &outcome))),
    }?;
    Ok(exit)
}

/// Whether a defect is of what was said beside the schema.
fn is_of_policy(defect: &Defect) -> bool {
    matches!(&*defect.code, "alias" | "list-text-keep")
}

//! `toolgate advertise`: a schema in, what a model is shown of it out. Starts no server and uses no network.

mod human;
mod jsonl;

pub(crate) use jsonl::respond_under;

use crate::batch;
use crate::contract_args::{self, OriginArgs};
use crate::exit::{Exit, status};
use crate::input;
use crate::show::{complain, notice, print, print_json, width};
use clap::{Args, ValueEnum};
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate::json::ObjectWriter;
use toolgate::{Contract, NotAdvertised, Policy, Profile, Published, RootPolicy};

const AFTER_HELP: &str = "\
Exit codes:
  0 when a form is shown, which is then proven; 1 when nothing can be shown of
  the contract; 64 for a mistake in the command line; 65 for a file that
  cannot be read or a schema that does not compile; 74 when the answer cannot
  be written.

Examples:
  toolgate advertise schema.json
  toolgate advertise schema.json --profile gemini --format json
  npx my-server --print-schema | toolgate advertise -";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct AdvertiseArgs {
    /// One request a line on standard input, one answer a line on standard output
    #[arg(long, conflicts_with_all = ["schema", "profile", "format", "origin", "unknown_keys", "alias", "root_policy"])]
    jsonl: bool,

    /// File with the tool's input schema, or with the tool object that holds it; - for standard input
    #[arg(required_unless_present = "jsonl")]
    schema: Option<PathBuf>,

    /// For whom: a profile as `toolgate profiles` lists them
    #[arg(long, value_name = "NAME", default_value = "portable")]
    profile: String,

    /// How it is printed: the two schemas side by side (one above the other in less than 100 columns), or one line of JSON
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    #[command(flatten)]
    origin: OriginArgs,

    /// A former name of a root argument, which is never shown
    #[arg(long, value_name = "NAME=FORMER", help_heading = "Policy")]
    alias: Vec<String>,

    /// Whether the root's key policy is said, or left unsaid to save tokens [default: stated]
    #[arg(long, value_name = "stated|silent", value_parser = ["stated", "silent"], help_heading = "Policy")]
    root_policy: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[value(alias = "text")]
    Human,
    Json,
}

pub(crate) fn advertise(args: &AdvertiseArgs) -> ExitCode {
    if args.jsonl {
        return batch::run(jsonl::respond).into();
    }
    status(advertise_once(args))
}

fn advertise_once(args: &AdvertiseArgs) -> Result<Exit, Exit> {
    let usage = |why: String| complain(&why, Exit::Usage);
    let mut policy = Policy::default();
    args.origin.add_to(&mut policy).map_err(usage)?;
    for word in &args.alias {
        policy.aliases.push(contract_args::alias(word).map_err(usage)?);
    }
    let profile = contract_args::profile(&args.profile).map_err(usage)?;
    let root_policy = match args.root_policy.as_deref() {
        Some("silent") => RootPolicy::Silent,
        _ => RootPolicy::Stated,
    };
    let Some(path) = &args.schema else { return Err(Exit::Usage) };
    let data = |why: String| complain(&why, Exit::Data);
    let input::OneSchema { text: schema, notice: taken } = input::one_schema(path).map_err(data)?;
    input::hold_to_limits(&schema, &policy.limits).map_err(|why| data(format!("{}: {why}", input::name(path))))?;
    taken.iter().for_each(|text| notice(text));
    let contract = match Contract::from_text_with(&schema, &policy) {
        Ok(contract) => contract,
        Err(unusable) => {
            match args.format {
                Format::Human => print(&human::unusable(&unusable)),
                Format::Json => print_json(&jsonl::unusable(&unusable)),
            }?;
            let is_alias = unusable.defects.iter().all(|defect| defect.code == "alias");
            return Ok(if is_alias { Exit::Usage } else { Exit::Data });
        }
    };
    let published = contract.publish(profile, root_policy);
    match args.format {
        Format::Human => print(&text(&schema, profile, &published, width())),
        Format::Json => print_json(&json(&published)),
    }?;
    Ok(if published.is_ok() { Exit::Done } else { Exit::Verdict })
}

/// What is shown of a schema, for people.
pub(crate) fn text(
    schema: &str,
    profile: &Profile,
    published: &Result<Published, NotAdvertised>,
    width: usize,
) -> String {
    match published {
        Ok(published) => human::published(schema, profile, published, width),
        Err(why) => human::not_shown(profile, why),
    }
}

/// The same for programs, on a line.
pub(crate) fn json(published: &Result<Published, NotAdvertised>) -> String {
    match published {
        Ok(published) => {
            let mut object = ObjectWriter::new();
            jsonl::push_published(&mut object, published);
            format!("{}\n", object.end())
        }
        Err(why) => jsonl::not_shown(why),
    }
}

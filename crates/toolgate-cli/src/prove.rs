//! `toolgate prove`: whether an advertised schema admits every call of a contract. Starts no server and uses no network.

mod human;
mod jsonl;
mod meant;
mod replay;

pub(crate) use human::verdict_line;
pub(crate) use jsonl::{push_proof, respond_under};

use crate::advertise::Format;
use crate::batch;
use crate::contract_args::{self, OriginArgs};
use crate::exit::{Exit, status};
use crate::input;
use crate::show::{complain, notice, print, print_json, width};
use clap::{Args, ValueEnum};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use toolgate::json::ObjectWriter;
use toolgate::{Limits, Policy, Verdict};
use toolgate_proof::{Input, Unreadable};

const AFTER_HELP: &str = "\
Exit codes:
  0 when it is proven, or neither proven nor refuted; 1 when it is refuted,
  and with --deny unknown when it is not proven; 64 for a mistake in the
  command line; 65 for a file that cannot be read; 74 when the answer cannot
  be written. With --replay: 0 when every certificate stands; 1 when one does
  not, or there is none; 78 for a mistake in the policy file. The origin is
  discovered there unless something else is said, as where `toolgate check` is
  given a list.

Examples:
  toolgate prove contract.json advertised.json
  toolgate prove contract.json advertised.json --profile xai --deny unknown
  toolgate prove contract.json advertised.json --decode steps.json --format json
  toolgate check catalogue.json --certificates proofs.jsonl
  toolgate prove --replay proofs.jsonl";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ProveArgs {
    /// One request a line on standard input, one answer a line on standard output
    #[arg(long, conflicts_with_all = ["contract", "advertised", "dialect", "profile", "decode", "format", "deny", "origin", "unknown_keys", "policy", "replay"])]
    jsonl: bool,

    /// File of certificates that `toolgate check` wrote: each is checked against its two schemas without search, and its options
    /// against what its profile and the policy say; with CONTRACT and ADVERTISED those about these two, byte for byte as `check`
    /// wrote them into the file; with --profile those for this one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["dialect", "decode", "deny"])]
    replay: Option<PathBuf>,

    /// File with the contract: the schema that the tool's author registered, or - for standard input
    #[arg(required_unless_present_any = ["jsonl", "replay"])]
    contract: Option<PathBuf>,

    /// File with the schema that a model is shown
    #[arg(required_unless_present_any = ["jsonl", "replay"])]
    advertised: Option<PathBuf>,

    /// The dialect of both, whatever their `$schema` says
    #[arg(long, value_name = "NAME", value_parser = ["draft-04", "draft-06", "draft-07", "2019-09", "2020-12"])]
    dialect: Option<String>,

    /// Whose reading of the advertised schema counts: a profile as `toolgate profiles` lists them
    #[arg(long, value_name = "NAME")]
    profile: Option<String>,

    /// File with what is done to arguments before the contract reads them: a list of steps, as `advertise` prints them
    #[arg(long, value_name = "FILE")]
    decode: Option<PathBuf>,

    /// Which verdict ends the program with 1
    #[arg(long, value_enum, default_value_t = Deny::Refuted)]
    deny: Deny,

    /// How the verdict is printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,

    /// With --replay: policy file of `toolgate run` that the certificates were made with
    #[arg(long, value_name = "FILE", help_heading = "Policy", requires = "replay")]
    policy: Option<PathBuf>,

    #[command(flatten)]
    origin: OriginArgs,
}

/// The two texts that a proof is about.
struct Schemas {
    contract: String,
    advertised: String,
}

impl Schemas {
    fn read(contract: &Path, advertised: &Path) -> Result<Self, Exit> {
        let one = |path: &Path| {
            let schema = input::one_schema(path)?;
            let held = input::hold_to_limits(&schema.text, &Limits::default());
            held.map(|()| schema).map_err(|why| format!("{}: {why}", input::name(path)))
        };
        let one = |path: &Path| one(path).map_err(|why| complain(&why, Exit::Data));
        let (contract, advertised) = (one(contract)?, one(advertised)?);
        contract.notice.iter().chain(&advertised.notice).for_each(|text| notice(text));
        Ok(Schemas { contract: contract.text, advertised: advertised.text })
    }
}

/// Which file cannot be read as what it is for, where, and why.
fn said(unreadable: &Unreadable, args: &ProveArgs) -> String {
    let file = match unreadable.input {
        Input::Contract => &args.contract,
        Input::Advertised => &args.advertised,
        Input::Decode => &args.decode,
    };
    let file = file.as_deref().map(input::name).unwrap_or_default();
    let at = if unreadable.pointer.is_empty() { String::new() } else { format!("{}: ", unreadable.pointer) };
    format!("{file}: {at}{}", unreadable.why)
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Deny {
    /// That a call is hidden
    Refuted,
    /// That it could not be proven
    Unknown,
}

pub(crate) fn prove(args: &ProveArgs) -> ExitCode {
    if args.jsonl {
        return batch::run(jsonl::respond).into();
    }
    status(prove_once(args))
}

fn prove_once(args: &ProveArgs) -> Result<Exit, Exit> {
    if let Some(path) = &args.replay {
        return replay::run(path, args);
    }
    let usage = |why: String| complain(&why, Exit::Usage);
    let data = |why: String| complain(&why, Exit::Data);
    let mut policy = Policy::default();
    args.origin.add_to(&mut policy).map_err(usage)?;
    let mut options = toolgate::proof_options(&policy);
    options.dialect = args.dialect.as_deref().map(jsonl::dialect_named).transpose().map_err(usage)?;
    if let Some(name) = &args.profile {
        options.reading = toolgate::reading(contract_args::profile(name).map_err(usage)?);
    }
    if let Some(path) = &args.decode {
        let text = input::text(path).map_err(data)?;
        let steps = input::document(&text).map_err(|unread| data(unread.in_file(path)))?;
        let steps = jsonl::steps(steps.root()).map_err(|why| data(format!("{}: {why}", input::name(path))))?;
        options.decode = steps.iter().map(toolgate::DecodeStep::to_proof).collect();
    }
    let (Some(contract), Some(advertised)) = (&args.contract, &args.advertised) else { return Err(Exit::Usage) };
    let schemas = Schemas::read(contract, advertised)?;
    let proof = toolgate_proof::prove(&schemas.contract, &schemas.advertised, &options)
        .map_err(|unreadable| data(said(&unreadable, args)))?;
    match args.format {
        Format::Human => print(&human::render(&proof, width())),
        Format::Json => {
            let mut object = ObjectWriter::new();
            push_proof(&mut object, &proof);
            print_json(&format!("{}\n", object.end()))
        }
    }?;
    Ok(match proof.verdict {
        Verdict::Proven => Exit::Done,
        Verdict::Refuted { .. } => Exit::Verdict,
        _ if args.deny == Deny::Unknown => Exit::Verdict,
        _ => Exit::Done,
    })
}

//! `toolgate profiles`: for whom tools can be shown, and what is known of each reader.

mod human;
mod json;

use crate::advertise::Format;
use crate::contract_args;
use crate::exit::{Exit, status};
use crate::show::{complain, print, print_json, width};
use clap::Args;
use std::process::ExitCode;
use toolgate::Profile;

const AFTER_HELP: &str = "\
A value that was not verified counts as not supported: it is left out of what
is shown, and said in words. With a name, each value is followed by the
numbers of the sources that tell it, of the profile itself or else of the one
that it is built on. In a policy file of `toolgate run` or `toolgate check`
each value can be changed by its name, under `profile_values`.

Exit codes:
  0 when done, 64 when there is no profile of this name, 74 when the answer
  cannot be written.

Examples:
  toolgate profiles
  toolgate profiles gemini
  toolgate profiles --format json";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ProfilesArgs {
    /// One profile, with every value and where it comes from
    name: Option<String>,

    /// How they are printed
    #[arg(long, value_enum, default_value_t = Format::Human)]
    format: Format,
}

pub(crate) fn profiles(args: &ProfilesArgs) -> ExitCode {
    status(profiles_once(args))
}

fn profiles_once(args: &ProfilesArgs) -> Result<Exit, Exit> {
    let one = args.name.as_deref().map(contract_args::profile).transpose();
    let one = one.map_err(|why| complain(&why, Exit::Usage))?;
    match (args.format, one) {
        (Format::Human, Some(profile)) => print(&human::one(profile, width())),
        (Format::Human, None) => print(&human::table(Profile::all(), width())),
        (Format::Json, Some(profile)) => print_json(&format!("{}\n", json::profile(profile))),
        (Format::Json, None) => print_json(&json::all(Profile::all())),
    }?;
    Ok(Exit::Done)
}

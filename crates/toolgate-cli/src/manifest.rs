//! `toolgate manifest`: the tools of a server as the list of a provider's request, for whoever writes that request.

use crate::exit::{Exit, status};
use crate::show::{complain, counted, notice, print_json};
use crate::source::{CachedArg, Opened, ServerArgs};
use clap::Args;
use clap::builder::PossibleValuesParser;
use std::ffi::OsString;
use std::process::ExitCode;
use toolgate::{Advertised, Policy, Provider, Tool, ToolSet, shown_name};
use toolgate_gateway::policy::{ProfileChoice, ServerPolicy};

const AFTER_HELP: &str = "\
Standard output is one JSON text: the request's list of tools. What was done
to a tool is told on standard error: a name that the provider does not take
and what it became, a tool that is left out since its schema does not compile,
one that is not strict and why, and one whose arguments come back in another
form.

Exit codes:
  0; 3 when the server does not answer; 4 when it asks who we are; 64 for a
  mistake in the command line; 65 for a file that cannot be read; 74 when the
  list cannot be written; 78 for a mistake in a configuration; 129, 130 and
  143 ended by a signal.

Examples:
  toolgate manifest notes --for openai-responses --strict > tools.json
  toolgate manifest --catalog catalogue.json --for anthropic
  toolgate manifest --for gemini -- uvx mcp-server-git";

/// Writes the tools of a server as the list of a provider's request
#[derive(Args)]
#[command(override_usage = "toolgate manifest [OPTIONS] --for PROVIDER SERVER\n       \
    toolgate manifest [OPTIONS] --for PROVIDER --catalog FILE\n       \
    toolgate manifest [OPTIONS] --for PROVIDER -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP)]
pub(crate) struct ManifestArgs {
    /// A name that `toolgate servers` lists, or a URL
    #[arg(value_name = "SERVER", conflicts_with_all = ["command", "catalog"], required_unless_present_any = ["command", "catalog"])]
    name: Option<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", conflicts_with = "catalog")]
    command: Vec<OsString>,

    /// Whose request the list is for
    #[arg(long = "for", value_name = "PROVIDER", value_parser = PossibleValuesParser::new(Provider::ALL.map(Provider::name)))]
    provider: String,

    /// Show tools as the provider's strict mode wants them, where that hides no legal call: the model cannot write what the
    /// schema excludes
    #[arg(long)]
    strict: bool,

    #[command(flatten)]
    server: ServerArgs,

    #[command(flatten)]
    cached: CachedArg,
}

pub(crate) fn manifest(args: &ManifestArgs) -> ExitCode {
    status(manifest_once(args))
}

fn manifest_once(args: &ManifestArgs) -> Result<Exit, Exit> {
    let provider = Provider::named(&args.provider).ok_or(Exit::Usage)?;
    let profile = match (args.strict, provider.strict_profile()) {
        (false, _) => provider.profile(),
        (true, Some(strict)) => strict,
        (true, None) => return Err(complain(&format!("{} has no strict mode", provider.name()), Exit::Usage)),
    };
    let source = args.server.one(args.name.as_deref(), &args.command)?;
    let Opened { target, mut policy, .. } = source.open_or_last(&args.server, &args.cached)?;
    policy.profile = ProfileChoice::Named(profile);
    let set = publish(&target.definitions, &policy);
    let manifest = set.manifest(provider);
    tell(&set, &manifest, args.strict);
    print_json(&format!("{}\n", manifest.json()))?;
    Ok(Exit::Done)
}

/// As the guard bounds a list: each tool has its share.
fn publish(definitions: &[String], policy: &ServerPolicy) -> ToolSet {
    let count = definitions.len();
    let of_tool = |name: &str| {
        let policy = policy.of(name);
        Policy { limits: policy.limits.in_list_of(count), ..policy }
    };
    ToolSet::publish(definitions.iter().map(String::as_str), &policy.showing(None), &of_tool)
}

/// Says on standard error what whoever uses the list has to know of it.
fn tell(set: &ToolSet, manifest: &toolgate::Manifest, is_strict: bool) {
    for misfit in set.misfits() {
        notice(&format!("entry {} of the list is left out: {}", misfit.index + 1, misfit.why));
    }
    for tool in set.tools() {
        if let Err(unusable) = tool.contract() {
            let why = unusable.defects.first().map(|defect| defect.message.as_str()).unwrap_or_default();
            notice(&format!("`{}` is left out: {why}", shown_name(tool.name())));
        }
    }
    for (tool, shown) in set.listed().zip(manifest.shown()) {
        let name = shown_name(tool.name());
        if shown != tool.name() {
            notice(&format!("`{name}` is called `{}`", shown_name(shown)));
        }
        let Some(advertised) = tool.published().map(|published| &published.advertised) else { continue };
        if is_strict && !advertised.is_strict {
            notice(&format!("`{name}` is {}", why_not_strict(tool, advertised)));
        }
        if !advertised.decode.is_empty() {
            let steps = counted(advertised.decode.len(), "step");
            notice(&format!(
                "arguments for `{name}` come in another form, and are read back in {steps} before the server gets \
                 them: the guard does it, and `toolgate advertise` lists them"
            ));
        }
    }
}

fn why_not_strict(tool: &Tool, advertised: &Advertised) -> String {
    match advertised.not_strict() {
        Some(why) => format!("not strict: {why}"),
        None if tool.published().is_some_and(|published| published.fell_back.is_some()) => {
            "not strict: the strict form could not be proven".to_owned()
        }
        None => "not strict".to_owned(),
    }
}

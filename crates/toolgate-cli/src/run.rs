//! `toolgate run [options] -- COMMAND ARGS…`: reads what the operator decided, then hands over to the stdio guard.
//!
//! What is said on the command line wins over the environment, the environment over the policy file; what is said for one
//! tool wins over what is said for all. A mistake in any of them ends the start: a guard that guards less than its
//! operator meant is worse than none.

use crate::exit::{Exit, Failed};
use crate::show::complain;
use crate::source::is_url;
use crate::{contract_args, environment};
use clap::Parser as _;
use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use toolgate_gateway::policy::{
    Aliases, Choices, Misconfiguration, PlacedAlias, ProfileChoice, ServerPolicy, root_policy,
};
use toolgate_gateway::record::{Format, Keeping, Level, Values};
use toolgate_gateway::relay::{Config, RelayLimits};

const AFTER_HELP: &str = "\
Environment:
  TOOLGATE_POLICY, TOOLGATE_UNIONS, TOOLGATE_UNKNOWN_KEYS,
  TOOLGATE_ROOT_POLICY, TOOLGATE_PROFILE, TOOLGATE_OBSERVE,
  TOOLGATE_LOG_FORMAT, TOOLGATE_LOG_LEVEL; with values separated by commas
  TOOLGATE_ALIAS, TOOLGATE_FORWARD_KEYS, TOOLGATE_LIST_TEXT_KEEP,
  TOOLGATE_JUDGE, TOOLGATE_OPTION, TOOLGATE_LIMIT.
  The command line wins over the environment, the environment over the policy
  file; what is said for one tool wins over what is said for all.

Policy file:
  unknown_keys = \"close-root\"     # and unions, root_policy, profile, observe,
  forward_keys = [\"trace_id\"]     # judge, origin, options, limits
  [tools.create_task]
  aliases = { title = [\"name\"] }
  # or aliases = [{ at = \"/opts\", name = \"x\", former = [\"y\"] }]
  list_text_keep = [\"/body\"]      # and all above that is said for one tool

Exit codes:
  0 after the end of input, 3 when the server could not be started or ended by
  itself, 64 for a mistake in the command line, 74 when standard output cannot
  be written, 78 for a mistake in the environment or the policy file; 129, 130
  and 143 ended by a signal.

Examples:
  toolgate run -- npx -y @modelcontextprotocol/server-filesystem .
  toolgate run --observe --log-format json -- my-server
  toolgate run --record cases.jsonl -- my-server && toolgate test cases.jsonl
  toolgate run --alias create_task:title=name --judge server:search -- my-server";

/// Stand before an MCP server: every tools/call is read by the tool's own contract, and forwarded as it was meant or
/// refused in words that the model can act on.
///
/// Speaks MCP on standard input and output and starts COMMAND as the server. Standard error gets the server's own standard
/// error and one record a call, without values.
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "toolgate run [OPTIONS] -- COMMAND [ARGUMENTS]...",
    after_long_help = AFTER_HELP,
    after_help = "See --help for the environment, the policy file, exit codes and examples."
)]
pub(crate) struct RunArgs {
    /// Policy file, TOML or JSON: the whole policy, for all tools and under `[tools.NAME]` for one
    #[arg(long, value_name = "FILE", help_heading = "Policy")]
    policy: Option<PathBuf>,

    /// Which unions of a tool's schema are judged here: those that a label or the kind decides, those that the kind
    /// decides, or all [default: labelled]
    #[arg(long, value_name = "labelled|remote|local", help_heading = "Policy")]
    unions: Option<String>,

    /// What becomes of keys that a schema does not declare: refused at the root, refused in nested objects too, or exactly
    /// what the schema says [default: close-root]
    #[arg(long, value_name = "close-root|close-declared|as-written", help_heading = "Policy")]
    unknown_keys: Option<String>,

    /// Whether tools/list says that undeclared keys are refused at the root, or leaves it unsaid [default: stated]
    #[arg(long, value_name = "stated|silent", help_heading = "Policy")]
    root_policy: Option<String>,

    /// For whom tools/list shows the tools: a profile as `toolgate profiles` lists them, or that of the client that the
    /// handshake names [default: portable]
    #[arg(long, value_name = "NAME|auto", help_heading = "Policy")]
    profile: Option<String>,

    /// Accept a former name of an argument, without ever showing it
    #[arg(long, value_name = "TOOL:NAME=FORMER", help_heading = "Policy for single tools (repeat as needed)")]
    alias: Vec<String>,

    /// Let an undeclared root key through, of one tool or of all
    #[arg(long, value_name = "[TOOL:]KEY", help_heading = "Policy for single tools (repeat as needed)")]
    forward_keys: Vec<String>,

    /// A place whose content is free text: a list written as JSON text stays text there
    #[arg(long, value_name = "TOOL:/POINTER", help_heading = "Policy for single tools (repeat as needed)")]
    list_text_keep: Vec<String>,

    /// Forward a tool's calls as they were sent and record what its contract would refuse
    #[arg(long, value_name = "server:TOOL", help_heading = "Policy for single tools (repeat as needed)")]
    judge: Vec<String>,

    /// Switch on a reading that is off by default (null-means-absent, empty-means-absent, wrap-single, object-as-text,
    /// assert-formats, null-arguments, agent-text), of one tool or of all
    #[arg(long, value_name = "[TOOL:]NAME", help_heading = "Policy for single tools (repeat as needed)")]
    option: Vec<String>,

    /// Judge every call and refuse none: record what would have been refused, and the option that would let it pass
    #[arg(long)]
    observe: bool,

    /// Keep each judged call as a case that `toolgate test` reads: the contract, the shape of the arguments without their values,
    /// and what came of it. A file that is there is added to; no call waits for it
    #[arg(long, value_name = "FILE", help_heading = "Cases")]
    record: Option<PathBuf>,

    /// Keep the arguments themselves, with every value in them
    #[arg(long, requires = "record", help_heading = "Cases")]
    record_values: bool,

    /// Change a bound, such as depth_max, size_max_bytes, steps_max, frame_max_bytes, server_frame_max_bytes, tools_max,
    /// pages_max, list_time_max_ms, end_time_max_ms, in_flight_max, held_max (repeat as needed)
    #[arg(long, value_name = "NAME=VALUE")]
    limit: Vec<String>,

    /// How records are written on standard error [default: text]
    #[arg(long, value_name = "text|json")]
    log_format: Option<String>,

    /// The least important records that are written; calls are at info [default: info]
    #[arg(long, value_name = "error|warn|info|debug")]
    log_level: Option<String>,

    /// The server's command and its arguments, after `--`
    #[arg(required = true, last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// `run` alone, for its options as a client's file has them.
#[derive(clap::Parser)]
#[command(name = "toolgate run", disable_help_flag = true)]
struct RunAlone {
    #[command(flatten)]
    _colour: crate::ColourArg,

    #[command(flatten)]
    run: RunArgs,
}

/// The policy of a guard with these options, whatever the environment says: that of a client is not ours.
///
/// # Errors
///
/// Says which option is none, or what is wrong with the policy file.
pub(crate) fn policy_of(options: &[String]) -> Result<ServerPolicy, String> {
    let words = std::iter::once("run").chain(options.iter().map(String::as_str)).chain(["--", "server"]);
    let alone = RunAlone::try_parse_from(words).map_err(|error| {
        let said = error.to_string();
        let first = said.lines().next().unwrap_or_default();
        format!("the options of its guard: {}", first.strip_prefix("error: ").unwrap_or(first))
    })?;
    let configured = configure(alone.run, &|_| None).map_err(|failed| format!("its guard: {}", failed.why))?;
    Ok(configured.policy)
}

/// Guards until one side ends.
pub(crate) fn run(args: RunArgs) -> ExitCode {
    match configure(args, &|name| std::env::var_os(name)) {
        Ok(configured) => configured.run(),
        Err(failed) => failed.tell().into(),
    }
}

/// All that is decided before the server starts.
#[derive(Debug)]
struct Configured {
    policy: ServerPolicy,
    limits: RelayLimits,
    log_format: Format,
    log_level: Level,
    keeping: Option<Keeping>,
    command: Vec<OsString>,
}

/// A mistake in the command line, or in what was configured before it was written.
fn mistake(mistake: Misconfiguration, is_configured: bool) -> Failed {
    Failed { why: mistake.0, exit: if is_configured { Exit::Configuration } else { Exit::Usage } }
}

impl Configured {
    #[cfg(unix)]
    fn run(self) -> ExitCode {
        use toolgate_gateway::stdio::{Ended, Guard, instance};
        let mut words = self.command.into_iter();
        let Some(command) = words.next() else { return Exit::Usage.into() };
        let name = command.to_string_lossy().into_owned();
        let relay = Config { policy: Arc::new(self.policy), limits: self.limits, instance: instance() };
        let guard = Guard {
            command,
            arguments: words.collect(),
            relay,
            log_format: self.log_format,
            log_level: self.log_level,
            keeping: self.keeping,
        };
        if std::io::stdin().is_terminal() {
            crate::show::say("toolgate run waits for a client on standard input, which is a terminal");
        }
        let ended = guard.run();
        match &ended {
            Ended::NotStarted(error) => {
                complain(&format!("the server `{name}` could not be started: {error}"), Exit::NoAnswer);
            }
            Ended::NotBegun(error) => {
                complain(&format!("the guard cannot begin, and no server is left running: {error}"), Exit::NoAnswer);
            }
            Ended::Unwritten(error) => {
                complain(&format!("cannot write to standard output: {error}"), Exit::Output);
            }
            Ended::EndOfInput | Ended::ServerEnded | Ended::Signal(_) => {}
        }
        ExitCode::from(ended.exit_code())
    }

    #[cfg(not(unix))]
    fn run(self) -> ExitCode {
        complain("`toolgate run` needs process groups and poll(2), which this system does not have", Exit::NoAnswer)
            .into()
    }
}

/// The variables of this process.
type Environment<'a> = dyn Fn(&str) -> Option<OsString> + 'a;

fn configure(args: RunArgs, environment: &Environment) -> Result<Configured, Failed> {
    if args.command.first().and_then(|word| word.to_str()).is_some_and(is_url) {
        let why = "that is the address of a server: the guard takes the command of one that speaks over its standard input and \
                   output. Put a command there that passes such lines on to the address; `toolgate call` asks it as it is";
        return Err(Failed { why: why.to_owned(), exit: Exit::Usage });
    }
    let said = Said::gather(&args, environment)?;
    let mut limits = RelayLimits::default();
    let configuration = |why: String| Failed { why, exit: Exit::Configuration };
    let mut policy = match &said.policy {
        Some(path) => contract_args::policy(path).map_err(configuration)?,
        None => ServerPolicy::discovered(),
    };
    // The environment first, so that the command line wins.
    for layer in &said.layers {
        layer.add_to(&mut policy, &mut limits).map_err(|why| mistake(why, layer.is_environment))?;
    }
    let values = if args.record_values { Values::AsSent } else { Values::Shape };
    let keeping = args.record.map(|path| Keeping { path, values });
    let (log_format, log_level) = (said.log_format, said.log_level);
    Ok(Configured { policy, limits, log_format, log_level, keeping, command: args.command })
}

/// What command line and environment say.
struct Said {
    policy: Option<PathBuf>,
    log_format: Format,
    log_level: Level,
    layers: [Layer; 2],
}

impl Said {
    fn gather(args: &RunArgs, environment: &Environment) -> Result<Said, Failed> {
        let configured = |why: String| mistake(Misconfiguration(why), true);
        let variable = |name: &str| {
            let value = environment(name).filter(|value| !value.is_empty());
            value.map(|value| environment::text(name, value)).transpose().map_err(configured)
        };
        let list = |name: &str| {
            let value = variable(name)?.unwrap_or_default();
            let words = value.split(',').map(str::trim).filter(|word| !word.is_empty());
            Ok::<_, Failed>(words.map(str::to_owned).collect::<Vec<_>>())
        };
        let observe = match variable("TOOLGATE_OBSERVE")?.as_deref() {
            None | Some("0" | "false") => false,
            Some("1" | "true") => true,
            Some(_) => return Err(configured("TOOLGATE_OBSERVE: it is none of 1, true, 0, false".to_owned())),
        };
        let from_environment = Layer {
            is_environment: true,
            unions: variable("TOOLGATE_UNIONS")?,
            unknown_keys: variable("TOOLGATE_UNKNOWN_KEYS")?,
            root_policy: variable("TOOLGATE_ROOT_POLICY")?,
            profile: variable("TOOLGATE_PROFILE")?,
            alias: list("TOOLGATE_ALIAS")?,
            forward_keys: list("TOOLGATE_FORWARD_KEYS")?,
            list_text_keep: list("TOOLGATE_LIST_TEXT_KEEP")?,
            judge: list("TOOLGATE_JUDGE")?,
            option: list("TOOLGATE_OPTION")?,
            limit: list("TOOLGATE_LIMIT")?,
            observe,
        };
        let from_arguments = Layer {
            is_environment: false,
            unions: args.unions.clone(),
            unknown_keys: args.unknown_keys.clone(),
            root_policy: args.root_policy.clone(),
            profile: args.profile.clone(),
            alias: args.alias.clone(),
            forward_keys: args.forward_keys.clone(),
            list_text_keep: args.list_text_keep.clone(),
            judge: args.judge.clone(),
            option: args.option.clone(),
            limit: args.limit.clone(),
            observe: args.observe,
        };
        let said = |argument: &Option<String>, name: &str| match argument {
            Some(word) => Ok(Some(word.clone())),
            None => variable(name),
        };
        let log_format = match said(&args.log_format, "TOOLGATE_LOG_FORMAT")?.as_deref() {
            None | Some("text" | "human") => Format::Text,
            Some("json") => Format::Json,
            Some(word) => {
                let why = Misconfiguration(format!("log-format: `{word}` is none of `text`, `json`"));
                return Err(mistake(why, args.log_format.is_none()));
            }
        };
        let level = said(&args.log_level, "TOOLGATE_LOG_LEVEL")?.unwrap_or_else(|| "info".to_owned());
        let log_level = Level::from_name(&level).ok_or_else(|| {
            let words = format!("log-level: `{level}` is none of `error`, `warn`, `info`, `debug`");
            mistake(Misconfiguration(words), args.log_level.is_none())
        })?;
        let of_environment = || environment("TOOLGATE_POLICY").filter(|path| !path.is_empty()).map(PathBuf::from);
        let policy = args.policy.clone().or_else(of_environment);
        Ok(Said { policy, log_format, log_level, layers: [from_environment, from_arguments] })
    }
}

/// What one of the two says.
struct Layer {
    is_environment: bool,
    unions: Option<String>,
    unknown_keys: Option<String>,
    root_policy: Option<String>,
    profile: Option<String>,
    alias: Vec<String>,
    forward_keys: Vec<String>,
    list_text_keep: Vec<String>,
    judge: Vec<String>,
    option: Vec<String>,
    limit: Vec<String>,
    observe: bool,
}

impl Layer {
    fn add_to(&self, policy: &mut ServerPolicy, limits: &mut RelayLimits) -> Result<(), Misconfiguration> {
        let mut all =
            Choices { unions: self.unions.clone(), unknown_keys: self.unknown_keys.clone(), ..Choices::default() };
        for limit in &self.limit {
            self.add_limit(limit, limits, &mut all)?;
        }
        let mut singles: Vec<(String, Choices)> = Vec::new();
        for key in &self.forward_keys {
            match key.split_once(':') {
                Some((tool, key)) => {
                    singles.push((tool.into(), Choices { forward_keys: vec![key.into()], ..Choices::default() }));
                }
                None => all.forward_keys.push(key.clone()),
            }
        }
        for option in &self.option {
            match option.split_once(':') {
                Some((tool, name)) => {
                    singles.push((tool.into(), Choices { options: vec![name.into()], ..Choices::default() }))
                }
                None => all.options.push(option.clone()),
            }
        }
        for alias in &self.alias {
            singles.push(self.alias(alias)?);
        }
        for place in &self.list_text_keep {
            let (tool, pointer) =
                place.split_once(':').ok_or_else(|| self.malformed("list-text-keep", place, "TOOL:/POINTER"))?;
            singles.push((tool.into(), Choices { list_text_keep: vec![pointer.into()], ..Choices::default() }));
        }
        for judge in &self.judge {
            let (who, tool) = judge.split_once(':').ok_or_else(|| self.malformed("judge", judge, "server:TOOL"))?;
            singles.push((tool.into(), Choices { judge: Some(who.into()), ..Choices::default() }));
        }
        if let Some(word) = &self.root_policy {
            policy.root_policy = root_policy(word).map_err(|mistake| self.named(&mistake))?;
        }
        if let Some(word) = &self.profile {
            policy.profile = ProfileChoice::read(word).map_err(|mistake| self.named(&mistake))?;
        }
        policy.observe |= self.observe;
        policy.add_for_all(&all).map_err(|mistake| self.named(&mistake))?;
        for (tool, choices) in singles {
            policy.add_for_tool(&tool, &choices).map_err(|mistake| self.named(&mistake))?;
        }
        Ok(())
    }

    fn alias(&self, alias: &str) -> Result<(String, Choices), Misconfiguration> {
        let malformed = || self.malformed("alias", alias, "TOOL:NAME=FORMER");
        let (tool, names) = alias.split_once(':').ok_or_else(malformed)?;
        let (name, former) = names.split_once('=').ok_or_else(malformed)?;
        // A name with a slash in front names a nested place: /opts/name.
        let (at, name) = match name.rsplit_once('/') {
            Some((at, name)) if name_is_placed(names) => (at, name),
            _ => ("", name),
        };
        let placed = PlacedAlias { at: at.into(), name: name.into(), former: vec![former.into()] };
        Ok((tool.into(), Choices { aliases: Aliases::Placed(vec![placed]), ..Choices::default() }))
    }

    fn add_limit(&self, limit: &str, limits: &mut RelayLimits, all: &mut Choices) -> Result<(), Misconfiguration> {
        let malformed = || self.malformed("limit", limit, "NAME=VALUE, a whole number");
        let (name, value) = limit.split_once('=').ok_or_else(malformed)?;
        let value: u64 = value.parse().map_err(|_| malformed())?;
        let count = usize::try_from(value).unwrap_or(usize::MAX);
        match name {
            "frame_max_bytes" => limits.client_frame.size_max_bytes = count,
            "server_frame_max_bytes" => limits.server_frame.size_max_bytes = count,
            "frame_depth_max" => (limits.client_frame.depth_max, limits.server_frame.depth_max) = (count, count),
            "batch_max" => limits.client_frame.batch_max = count,
            "in_flight_max" => limits.in_flight_max = count,
            "held_max" => limits.held_max = count,
            "held_max_bytes" => limits.held_bytes_max = count,
            "pages_max" => limits.list.pages_max = count,
            "tools_max" => limits.list.tools_max = count,
            "list_max_bytes" => limits.list.bytes_max = count,
            "end_time_max_ms" => limits.end_time_max_ms = value,
            "list_time_max_ms" => limits.list.time_max_ms = value,
            _ => {
                all.limits.insert(name.to_owned(), value);
            }
        }
        Ok(())
    }

    fn malformed(&self, option: &str, value: &str, form: &str) -> Misconfiguration {
        self.named(&Misconfiguration(format!("{option}: `{value}` has not the form {form}")))
    }

    fn named(&self, mistake: &Misconfiguration) -> Misconfiguration {
        let place = if self.is_environment { "environment" } else { "command line" };
        Misconfiguration(format!("{place}: {mistake}"))
    }
}

fn name_is_placed(names: &str) -> bool {
    names.starts_with('/')
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use toolgate::{Judge, RootPolicy, Unions, UnknownKeys};

    #[derive(Debug, clap::Parser)]
    struct Cli {
        #[command(flatten)]
        run: RunArgs,
    }

    fn configured(words: &str, environment: &[(&str, &str)]) -> Result<Configured, Failed> {
        let args = Cli::try_parse_from(std::iter::once("run").chain(words.split(' '))).unwrap().run;
        configure(args, &|name| {
            environment.iter().find(|(key, _)| *key == name).map(|(_, value)| OsString::from(value))
        })
    }

    #[test]
    fn options_become_the_policy() {
        let words = "--unions local --unknown-keys close-declared --root-policy silent --alias book:seat=place --alias book:/opts/x=y \
                     --forward-keys trace --forward-keys book:k --list-text-keep book:/p --judge server:search \
                     --option book:wrap-single --limit depth_max=9 --limit frame_max_bytes=100 --log-format json -- srv --judge x";
        let configured = configured(words, &[]).unwrap();
        let book = configured.policy.of("book");
        assert_eq!(
            (book.unions, book.unknown_keys, book.limits.depth_max),
            (Unions::Local, UnknownKeys::CloseDeclared, 9)
        );
        assert_eq!(book.forward_keys, ["trace", "k"]);
        assert_eq!(book.list_text_keep, ["/p"]);
        assert!(book.options.wrap_single && !configured.policy.of("other").options.wrap_single);
        let aliases: Vec<_> =
            book.aliases.iter().map(|alias| (alias.at.as_str(), alias.name.as_str(), alias.former.join(","))).collect();
        assert_eq!(aliases, [("", "seat", "place".to_owned()), ("/opts", "x", "y".to_owned())]);
        assert_eq!((configured.policy.of("search").judge, book.judge), (Judge::Server, Judge::Contract));
        assert_eq!((configured.policy.root_policy, configured.log_format), (RootPolicy::Silent, Format::Json));
        assert_eq!(configured.limits.client_frame.size_max_bytes, 100);
        assert_eq!(configured.command, ["srv", "--judge", "x"]);
    }

    #[test]
    fn the_command_line_wins_over_the_environment() {
        let environment = [
            ("TOOLGATE_UNIONS", "remote"),
            ("TOOLGATE_UNKNOWN_KEYS", "as-written"),
            ("TOOLGATE_JUDGE", "server:a, server:b"),
        ];
        let policy = configured("--unions local -- srv", &environment).unwrap().policy;
        assert_eq!((policy.of("x").unions, policy.of("x").unknown_keys), (Unions::Local, UnknownKeys::AsWritten));
        assert_eq!((policy.of("a").judge, policy.of("b").judge), (Judge::Server, Judge::Server));
        assert_eq!(policy.of("a").unions, Unions::Local);
    }

    #[test]
    fn a_misspelt_option_is_no_command() {
        for words in ["--observ -- s", "s --observe", "s", ""] {
            let words = std::iter::once("run").chain(words.split(' ').filter(|word| !word.is_empty()));
            assert!(Cli::try_parse_from(words).is_err());
        }
    }

    #[test]
    fn a_mistake_is_told_by_where_it_was_written() {
        for words in [
            "--unions locla -- s",
            "--judge nobody:a -- s",
            "--judge a -- s",
            "--alias a:b -- s",
            "--limit depth=1 -- s",
            "--limit depth_max=x -- s",
            "--list-text-keep a:p -- s",
            "--option a:guess -- s",
            "--alias x -- s",
            "--option zzz -- s",
            "--limit nope=1 -- s",
            "--profile zzz -- s",
            "--log-level loud -- s",
            "--log-format xml -- s",
            "-- https://example.com/mcp",
        ] {
            let failed = configured(words, &[]).unwrap_err();
            assert_eq!(failed.exit, Exit::Usage, "{words}: {}", failed.why);
        }
        let file = configured("--policy /nonexistent/policy.toml -- s", &[]).unwrap_err();
        assert_eq!(file.exit, Exit::Configuration);
        for (name, value) in [
            ("TOOLGATE_OBSERVE", "maybe"),
            ("TOOLGATE_LIMIT", "nope=1"),
            ("TOOLGATE_ALIAS", "x"),
            ("TOOLGATE_PROFILE", "zzz"),
            ("TOOLGATE_LOG_LEVEL", "loud"),
            ("TOOLGATE_LOG_FORMAT", "xml"),
        ] {
            assert_eq!(configured("-- s", &[(name, value)]).unwrap_err().exit, Exit::Configuration, "{name}");
        }
    }

    /// A guard whose policy is passed over would guard less than was meant.
    #[cfg(unix)]
    #[test]
    fn a_variable_that_is_no_text_is_a_mistake_and_a_path_need_be_none() {
        use std::os::unix::ffi::OsStringExt;
        let bytes = || OsString::from_vec(b"\xff".to_vec());
        let of = |set: &str| {
            let args = Cli::try_parse_from(["run", "--", "s"]).unwrap().run;
            configure(args, &|name| (name == set).then(bytes)).unwrap_err()
        };
        for name in [
            "UNIONS",
            "UNKNOWN_KEYS",
            "ROOT_POLICY",
            "PROFILE",
            "OBSERVE",
            "LOG_FORMAT",
            "LOG_LEVEL",
            "ALIAS",
            "FORWARD_KEYS",
            "LIST_TEXT_KEEP",
            "JUDGE",
            "OPTION",
            "LIMIT",
        ] {
            let failed = of(&format!("TOOLGATE_{name}"));
            assert_eq!(failed.exit, Exit::Configuration, "{name}");
            assert!(failed.why.contains("is set, and is not UTF-8"), "{}", failed.why);
        }
        let failed = of("TOOLGATE_POLICY");
        assert!(failed.exit == Exit::Configuration && failed.why.contains("cannot read"), "{}", failed.why);
    }
}

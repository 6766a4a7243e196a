//! `toolgate config add`: a server by its command or its URL.

use super::Which;
use super::file::{OwnFile, Written};
use crate::exit::Exit;
use crate::servers::{is_name, shown_path};
use crate::show::{complain, notice, say, visible};
use crate::source::is_url;
use clap::Args;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

const AFTER_HELP: &str = "\
`${VAR}` and `${VAR:-default}` are kept as they are written, and filled in
when the server is used. Write a secret so; `--env NAME` alone is
`--env 'NAME=${NAME}'`.

Exit codes:
  0; 64 for a mistake in the command line; 74 when the file cannot be written;
  78 for a mistake in a configuration.";

#[derive(Args)]
#[command(override_usage = "toolgate config add [OPTIONS] NAME URL\n       toolgate config add [OPTIONS] NAME -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP)]
pub(super) struct AddArgs {
    /// What the server is called from now on
    #[arg(value_name = "NAME")]
    name: String,

    /// The address of a server of HTTP
    #[arg(value_name = "URL", required_unless_present = "command", conflicts_with = "command")]
    url: Option<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND")]
    command: Vec<OsString>,

    /// A variable of the server's process (repeat as needed)
    #[arg(long, value_name = "NAME[=VALUE]", conflicts_with = "url")]
    env: Vec<String>,

    /// The folder in which the server is started
    #[arg(long, value_name = "FOLDER", conflicts_with = "url")]
    cwd: Option<String>,

    /// A header, as `Name: value` (repeat as needed)
    #[arg(long, value_name = "HEADER", conflicts_with = "command")]
    header: Vec<String>,

    /// The variable that holds a bearer token
    #[arg(long, value_name = "VARIABLE", conflicts_with = "command")]
    bearer_env: Option<String>,

    /// Policy file of `toolgate run`, by which its tools are judged
    #[arg(long, value_name = "FILE")]
    policy: Option<PathBuf>,

    /// Take the place of a server of this name
    #[arg(long)]
    replace: bool,

    #[command(flatten)]
    which: Which,
}

pub(super) fn add(args: &AddArgs) -> Result<Exit, Exit> {
    let usage = |why: String| complain(&why, Exit::Usage);
    let mut own = OwnFile::read(&args.which.for_new()?)?;
    let server = server(args, own.path()).map_err(usage)?;
    if own.has(&args.name) && !args.replace {
        let name = toolgate::shown_name(&args.name);
        return Err(usage(format!(
            "{} names a server `{name}` already; --replace takes its place",
            shown_path(own.path())
        )));
    }
    tell_of_secrets(&args.name, &server);
    own.set(&args.name, &server);
    own.write()?;
    say(&format!("{} is in {}", visible(&args.name), shown_path(own.path())));
    Ok(Exit::Done)
}

fn server(args: &AddArgs, file: &Path) -> Result<Written, String> {
    if args.name.is_empty() || is_url(&args.name) {
        return Err("a server's name is a word that is no URL".to_owned());
    }
    if args.url.as_deref().is_some_and(|url| !is_url(url) && !url.starts_with("${")) {
        return Err("that is no http:// or https:// URL; a command stands after --".to_owned());
    }
    let mut words = Vec::new();
    for word in &args.command {
        words.push(word.to_str().ok_or("the server's command is not UTF-8")?.to_owned());
    }
    let mut words = words.into_iter();
    let header = |header: &String| {
        let (name, value) = header.split_once(':').ok_or("--header takes `Name: value`")?;
        Ok::<_, &str>((name.trim().to_owned(), value.trim().to_owned()))
    };
    Ok(Written {
        command: words.next(),
        args: words.collect(),
        env: args.env.iter().map(|env| variable(env)).collect::<Result<_, _>>()?,
        cwd: args.cwd.clone(),
        url: args.url.clone(),
        headers: args.header.iter().map(header).collect::<Result<_, _>>()?,
        bearer_env: args.bearer_env.clone(),
        policy: args.policy.as_deref().map(|policy| beside(policy, file)).transpose()?,
    })
}

fn variable(written: &str) -> Result<(String, String), String> {
    let (name, value) = written.split_once('=').map_or((written, None), |(name, value)| (name, Some(value)));
    if !is_name(name) {
        return Err("--env takes NAME or NAME=VALUE".to_owned());
    }
    Ok((name.to_owned(), value.map_or_else(|| format!("${{{name}}}"), str::to_owned)))
}

/// A policy is looked for beside the file, wherever it was meant from.
fn beside(policy: &Path, file: &Path) -> Result<String, String> {
    let is_here = file.parent().is_none_or(|folder| folder.as_os_str().is_empty());
    let policy =
        if is_here { policy.to_owned() } else { std::path::absolute(policy).map_err(|error| error.to_string())? };
    policy.to_str().map(str::to_owned).ok_or_else(|| "the path of the policy is not UTF-8".to_owned())
}

/// Names what looks like a secret and is written out.
pub(super) fn tell_of_secrets(name: &str, server: &Written) {
    for (what, pairs) in [("variable", &server.env), ("header", &server.headers)] {
        for (key, value) in pairs {
            if is_secret(key) && !value.is_empty() && !value.contains("${") {
                notice(&format!(
                    "server `{}`: the {what} `{}` is written out; keep it in a variable and write `${{VARIABLE}}`",
                    toolgate::shown_name(name),
                    toolgate::shown_name(key)
                ));
            }
        }
    }
}

/// Whether the name of a variable or a header is one of secrets.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["token", "key", "secret", "password", "passwd", "credential", "authorization", "auth", "cookie"]
        .iter()
        .any(|word| name.contains(word))
}

//! `toolgate config import`: servers of a client in our own file.

use super::Which;
use super::add::tell_of_secrets;
use super::file::{OwnFile, Written};
use crate::exit::Exit;
use crate::input;
use crate::servers::clients::{Client, Found, Guarded, entries};
use crate::servers::{Entry, Template, in_file, shown_path};
use crate::show::{complain, notice, say, visible};
use crate::tool::did_you_mean;
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
Clients: claude-code, claude-desktop, cursor, vscode, codex, gemini, goose.
A server is copied as its client reads it, with variables in our way of
writing. What cannot be written so, such as what the client asks its user
for, is told and left out.

Exit codes:
  0; 1 when a server is left out; 64 for a mistake in the command line; 74
  when the file cannot be written; 78 for a mistake in a configuration, and
  when the client has none here.";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct ImportArgs {
    /// The client
    #[arg(value_name = "CLIENT")]
    client: String,

    /// Its servers [default: all]
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,

    /// The client's file, in place of those that are looked for
    #[arg(long, value_name = "FILE")]
    from: Option<PathBuf>,

    /// Take the place of servers of these names
    #[arg(long)]
    replace: bool,

    #[command(flatten)]
    which: Which,
}

pub(super) fn import(args: &ImportArgs) -> Result<Exit, Exit> {
    let client = Client::named(&args.client).map_err(|why| complain(&why, Exit::Usage))?;
    let found = found(client, args)?;
    if let Some(name) = args.servers.iter().find(|name| found.iter().all(|found| found.name != **name)) {
        let near = did_you_mean(name, found.iter().map(|found| found.name.as_str())).unwrap_or_default();
        let why = format!("{} has no server `{}`{near}", client.title, toolgate::shown_name(name));
        return Err(complain(&why, Exit::Usage));
    }
    let mut own = OwnFile::read(&args.which.for_new()?)?;
    let mut exit = Exit::Done;
    let mut taken = Vec::new();
    for Found { name, entry } in found {
        if !args.servers.is_empty() && !args.servers.contains(&name) {
            continue;
        }
        let left = |why: &str| notice(&format!("server `{}` is left out: {why}", toolgate::shown_name(&name)));
        if own.has(&name) && !args.replace {
            left(&format!("{} names one already; --replace takes its place", shown_path(own.path())));
            exit = Exit::Verdict;
            continue;
        }
        match entry.and_then(|entry| Ok((written(&entry)?, entry.is_off))) {
            Ok((server, is_off)) => {
                if is_off {
                    notice(&format!("server `{}` is switched off in {}", toolgate::shown_name(&name), client.title));
                }
                tell_of_secrets(&name, &server);
                own.set(&name, &server);
                taken.push(visible(&name));
            }
            Err(why) => {
                left(&why);
                exit = Exit::Verdict;
            }
        }
    }
    if !taken.is_empty() {
        own.write()?;
        say(&format!("{} written to {}", taken.join(", "), shown_path(own.path())));
    }
    Ok(exit)
}

/// The servers of the client, each by the first of its files that names it.
fn found(client: &'static Client, args: &ImportArgs) -> Result<Vec<Found>, Exit> {
    let configuration = |why: String| complain(&why, Exit::Configuration);
    let files = match &args.from {
        Some(path) => vec![client.file(path)],
        None => client.found().into_iter().filter(|file| file.path.is_file()).collect(),
    };
    if files.is_empty() {
        let looked: Vec<String> = client.found().iter().map(|file| shown_path(&file.path)).collect();
        return Err(configuration(format!("{} names no servers here; looked for {}", client.title, looked.join(", "))));
    }
    let mut found: Vec<Found> = Vec::new();
    for file in files {
        let text = input::text(&file.path).map_err(configuration)?;
        let read = entries(client, &file, &text).map_err(|why| configuration(in_file(&file.path, &why)))?;
        for one in read {
            if found.iter().all(|earlier| earlier.name != one.name) {
                found.push(one);
            }
        }
    }
    Ok(found)
}

/// The server in our own words.
fn written(entry: &Entry) -> Result<Written, String> {
    let text = |what: &str, text: &Template| text.as_ours().map_err(|why| format!("{what}: {why}"));
    let one = |what: &str, value: &Option<Template>| value.as_ref().map(|value| text(what, value)).transpose();
    let pairs = |what: &str, pairs: &[(String, Template)]| -> Result<Vec<(String, String)>, String> {
        let pair = |(name, value): &(String, Template)| {
            Ok((name.clone(), text(&format!("{what} `{}`", toolgate::shown_name(name)), value)?))
        };
        pairs.iter().map(pair).collect()
    };
    Ok(Written {
        command: one("`command`", &entry.command)?,
        args: entry.args.iter().map(|word| text("`args`", word)).collect::<Result<_, _>>()?,
        env: if entry.command.is_some() { pairs("variable", &entry.env)? } else { Vec::new() },
        cwd: if entry.command.is_some() { one("`cwd`", &entry.cwd)? } else { None },
        url: one("`url`", &entry.url)?,
        headers: if entry.url.is_some() { pairs("header", &entry.headers)? } else { Vec::new() },
        bearer_env: entry.bearer_env.clone().filter(|_| entry.url.is_some()),
        policy: entry.guard.as_ref().map_or(Ok(None), policy)?,
    })
}

/// The policy file of the guard that the client starts it behind. We have no place for other options: what they say belongs into
/// that file.
fn policy(guard: &Guarded) -> Result<Option<String>, String> {
    let options: Vec<&str> = guard.options.iter().map(Template::written).collect();
    match options.as_slice() {
        [] => Ok(None),
        ["--policy", file] => Ok(Some((*file).to_owned())),
        _ => Err("its guard has options of its own; write them into a policy file, and give the guard that".to_owned()),
    }
}

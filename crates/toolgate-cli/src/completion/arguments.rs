//! What the arguments of our own commands take, as far as their definitions do not say it themselves.

use super::{Context, Offer, starting};
use crate::servers::clients::CLIENTS;
use clap::{Arg, Command, ValueHint};
use clap_complete::engine::ValueCompleter;
use clap_complete::{ArgValueCompleter, CompletionCandidate, PathCompleter};
use std::ffi::OsStr;
use std::sync::Arc;
use toolgate::Profile;

/// The commands with all that can be completed in them.
pub(super) fn completing(command: Command, context: &Arc<Context>) -> Command {
    let name = command.get_name().to_owned();
    let command = command.mut_args(|arg| with_values(arg, &name, context));
    command.mut_subcommands(|inner| completing(inner, context))
}

fn with_values(arg: Arg, command: &str, context: &Arc<Context>) -> Arg {
    let is_named = |name: &str| arg.get_value_names().is_some_and(|names| names.iter().any(|known| known == name));
    let of = |offers: fn(&Context) -> Vec<Offer>, files: bool| {
        ArgValueCompleter::new(Known { context: Arc::clone(context), offers, files })
    };
    match (command, arg.get_id().as_str()) {
        ("call", "args") => arg.add(ArgValueCompleter::new(|current: &OsStr| {
            arguments(current.to_str().unwrap_or_default()).iter().map(Offer::candidate).collect()
        })),
        ("call", "words") | ("describe", "names") => arg.add(of(names, false)),
        ("check", "target") | ("diff", "lists") => arg.add(of(Context::servers, true)),
        ("remove", "name") => arg.add(of(Context::servers_of_ours, false)),
        ("install" | "uninstall" | "import", "servers") => arg.add(of(Context::servers_of_client, false)),
        ("login" | "logout", "name") => arg.add(of(Context::servers_over_http, false)),
        ("run", "profile") => arg.add(of(|_| profiles(&[("auto", "by the client's name")]), false)),
        ("check", "profile") => arg.add(of(|_| profiles(&[("all", "every one of them")]), false)),
        (_, "profile") | ("profiles", "name") => arg.add(of(|_| profiles(&[]), false)),
        _ if is_named("CLIENT") => arg.add(of(|_| clients(), false)),
        _ if is_named("SERVER") || is_named("NAME|URL") => arg.add(of(Context::servers, false)),
        _ if is_named("FOLDER") => arg.value_hint(ValueHint::DirPath),
        _ => arg,
    }
}

/// A server and then its tool, or the tool of what is named otherwise.
fn names(context: &Context) -> Vec<Offer> {
    match context.names.first() {
        _ if context.needs_no_name() => context.tools(None),
        None => context.servers(),
        Some(server) => context.tools(Some(server)),
    }
}

fn clients() -> Vec<Offer> {
    CLIENTS.iter().map(|client| Offer::new(client.name, client.title)).collect()
}

fn profiles(more: &[(&str, &str)]) -> Vec<Offer> {
    let known = Profile::all().iter().map(|profile| Offer::new(profile.name, profile.reader));
    known.chain(more.iter().map(|(word, about)| Offer::new(*word, *about))).collect()
}

/// What `--args` takes, where it can be known: a file behind its sign, or standard input.
pub(super) fn arguments(current: &str) -> Vec<Offer> {
    match current.strip_prefix('@') {
        Some(file) => files(file).into_iter().map(|file| Offer { word: format!("@{}", file.word), ..file }).collect(),
        None => starting(vec![Offer::new("@", "a file"), Offer::new("-", "standard input")], current),
    }
}

/// Programs that are looked at.
const PROGRAMS_MAX: usize = 20_000;

/// A word of a server's command: the program, by its name or its path, and then what may be files.
pub(super) fn of_command(words_before: usize, current: &str) -> Vec<Offer> {
    if words_before > 0 || current.contains(['/', '\\']) || current.is_empty() {
        return files(current);
    }
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&folders).filter_map(|folder| std::fs::read_dir(folder).ok()).flatten();
    let names = found.take(PROGRAMS_MAX).filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(current)).collect();
    names.sort();
    names.dedup();
    names.into_iter().map(|name| Offer::new(name, "")).chain(files(current)).collect()
}

/// The files that begin so.
pub(super) fn files(current: &str) -> Vec<Offer> {
    PathCompleter::any().complete(OsStr::new(current)).iter().map(Offer::of).collect()
}

/// Words that are known, and perhaps files beside them.
struct Known {
    context: Arc<Context>,
    offers: fn(&Context) -> Vec<Offer>,
    files: bool,
}

impl ValueCompleter for Known {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let offers = starting((self.offers)(&self.context), current.to_str().unwrap_or_default());
        let words = offers.iter().map(Offer::candidate);
        let files = if self.files { PathCompleter::any().complete(current) } else { Vec::new() };
        words.chain(files).collect()
    }
}

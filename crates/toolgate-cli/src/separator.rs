//! A command line in which the `--` before a server's command was forgotten: said in our own words, with the line as it is meant.

use crate::servers::{Servers, shown_args};
use crate::show::{quoted_for_shell, visible};
use crate::source::{is_url, shown_server};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use std::path::Path;

/// What is wrong with these words, where it is that. `program` is the whole command line, built.
pub(crate) fn forgotten(program: &clap::Command, words: &[String], error: &clap::Error) -> Option<String> {
    let is_spelled_nearly = error.get(ContextKind::SuggestedArg).is_some();
    if error.kind() != ErrorKind::UnknownArgument || is_spelled_nearly || words.iter().any(|word| word == "--") {
        return None;
    }
    let mut command = program;
    let mut rest = words;
    // The command, or the one inside it.
    while let Some((name, inner)) =
        rest.split_first().and_then(|(name, inner)| Some((command.find_subcommand(name)?, inner)))
    {
        (command, rest) = (name, inner);
    }
    if !command.get_positionals().any(clap::Arg::is_last_set) {
        return None;
    }
    let (own, server) = rest.split_at_checked(server_begins(command, rest)?)?;
    let first = server.first()?;
    // Also one that would not be used: what is wrong with it is told where it is asked for.
    let is_named = |servers: Servers| servers.get(first).is_ok() || servers.left_out(Some(first)).is_some();
    let is_known = is_url(first) || Servers::for_name(None, first).is_ok_and(is_named);
    let is_run = command.get_name() == "run";
    if is_run && is_url(first) {
        let server = quoted_for_shell(&shown_server(first));
        return Some(format!(
            "`run` stands before a server that is a process, and takes its command after --; one at an address is looked at with \
             toolgate tools {server} and called with toolgate call {server} TOOL"
        ));
    }
    if is_run && is_known && server.len() == 1 {
        let server = quoted_for_shell(first);
        return Some(format!(
            "`run` takes the command of a server after --, and no name; `toolgate servers` shows the command of {server}, and \
             toolgate call {server} TOOL calls it as the guard would"
        ));
    }
    // What is there by this name is meant, and what follows it is a slip.
    if !is_run && (is_known || Path::new(first).exists()) {
        return None;
    }
    let shown = |words: &[String]| {
        let words = shown_args(words.iter().map(String::as_str));
        words.iter().map(|word| format!(" {}", quoted_for_shell(word))).collect::<String>()
    };
    let before = words.get(..words.len() - rest.len()).unwrap_or_default();
    let line = format!("toolgate{}{} --{}", shown(before), shown(own), shown(server));
    Some(format!("a server's command stands after --: {}", visible(&line)))
}

/// Where the words of a server begin that the command would start: past its options and the words that it cannot do without.
fn server_begins(command: &clap::Command, words: &[String]) -> Option<usize> {
    let mut needed = command.get_positionals().filter(|arg| arg.is_required_set() && !arg.is_last_set()).count();
    let mut at = 0;
    loop {
        let word = words.get(at)?;
        match word.strip_prefix("--") {
            Some(option) => {
                let known = command.get_arguments().find(|arg| arg.get_long() == option.split('=').next())?;
                at += usize::from(known.get_action().takes_values() && !option.contains('='));
            }
            None if word.starts_with('-') => return None,
            None if needed == 0 => return Some(at),
            None => needed -= 1,
        }
        at += 1;
    }
}

/// The error without the advice to put `--` before a word alone, which is never what is meant here.
pub(crate) fn without_advice(mut error: clap::Error) -> clap::Error {
    if let Some(ContextValue::StyledStrs(tips)) = error.remove(ContextKind::Suggested) {
        let kept: Vec<_> = tips.into_iter().filter(|tip| !tip.to_string().contains("as a value, use")).collect();
        if !kept.is_empty() {
            error.insert(ContextKind::Suggested, ContextValue::StyledStrs(kept));
        }
    }
    error
}

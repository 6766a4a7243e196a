//! What to write where a server is named and no tool of it.

use crate::exit::Exit;
use crate::servers::Servers;
use crate::show::{quoted_for_shell, visible};
use crate::source::{ServerArgs, is_url, shown_server};
use crate::tool::{name_of, names_in_words};
use std::path::Path;

/// What is to be written in place of this word alone; nothing where it names no server, nor a tool of one.
///
/// # Errors
///
/// Where the server was asked for its tools and did not answer, which has been told.
pub(crate) fn which_tool(command: &str, word: &str, args: &ServerArgs) -> Result<Option<String>, Exit> {
    if let Some(two) = one_word(command, word, args.config()) {
        return Ok(Some(two));
    }
    let is_named = || Servers::for_name(args.config(), word).is_ok_and(|servers| servers.get(word).is_ok());
    if !is_url(word) && !is_named() {
        return Ok(None);
    }
    let definitions = match args.known(Some(word), &[]) {
        Some(known) => known.definitions,
        None => args.of_name(word)?.open(args)?.target.definitions,
    };
    let names: Vec<String> = definitions.iter().filter_map(|definition| name_of(definition)).collect();
    let server = visible(&quoted_for_shell(&shown_server(word)));
    let tools =
        if names.is_empty() { "it lists none".to_owned() } else { format!("it has {}", names_in_words(&names)) };
    Ok(Some(format!("name a tool after the server, toolgate {command} {server} TOOL: {tools}")))
}

/// How a server and its tool are named that were written as one word, as other clients have them.
fn one_word(command: &str, word: &str, config: Option<&Path>) -> Option<String> {
    let servers = Servers::find(config).ok()?;
    let (server, tool) = servers.with_tool(word)?;
    let typed = format!("{} {}", quoted_for_shell(server), quoted_for_shell(tool));
    Some(format!("the server and its tool are two words: toolgate {command} {}", visible(&typed)))
}

//! The servers that a client's file names. Members that are the client's alone are let be; a server that is shaped otherwise than
//! its client says is told by its name, and costs itself alone.

use super::super::entry::Entry;
use super::super::tree::{Kind, Member, Node};
use super::super::variables::{Template, Variables};
use super::{Client, ClientPath, Guarded, Keys, behind_guard};

/// A server by its name: how it is reached, or why it cannot be.
pub(crate) struct Found {
    pub(crate) name: String,
    pub(crate) entry: Result<Entry, String>,
}

/// The servers of a file, in its order; of those that are named twice the first.
///
/// # Errors
///
/// Says where the file cannot be read, or why nothing in it holds servers.
pub(crate) fn entries(client: &Client, file: &ClientPath, text: &str) -> Result<Vec<Found>, String> {
    let root = client.syntax.read(text)?;
    let mut found: Vec<Found> = Vec::new();
    for way in file.holders() {
        let names: Vec<&str> = way.iter().map(String::as_str).collect();
        let Some(holder) = root.at(&names) else { continue };
        if !holder.is_object() {
            return Err(format!("its `{}` is no object", names.last().copied().unwrap_or_default()));
        }
        for Member { name, value, .. } in holder.members() {
            let is_inner =
                value.get("type").and_then(Node::as_text).is_some_and(|kind| client.keys.inner.contains(&kind));
            if !is_inner && found.iter().all(|earlier| earlier.name != *name) {
                found.push(Found { name: name.clone(), entry: entry(client, value) });
            }
        }
    }
    Ok(found)
}

/// Of a server that is written in parts.
pub(crate) const ELSEWHERE: &str = "it refers to another part of its file (`*name`), which is not looked up here";

/// Whether it is a process that is spoken to over standard input and output, as far as its kind says.
pub(crate) fn is_process(server: &Node) -> bool {
    server.get("type").is_none_or(|kind| kind.as_text() == Some("stdio"))
}

fn entry(client: &Client, server: &Node) -> Result<Entry, String> {
    if !server.is_object() {
        return Err("it is no object".to_owned());
    }
    if server.is_elsewhere() {
        return Err(ELSEWHERE.to_owned());
    }
    let keys = client.keys;
    speaks(server)?;
    if server.get("envFile").is_some() {
        return Err("its variables are in a file (`envFile`), which is not read here".to_owned());
    }
    let template = |name: &str| Ok::<_, String>(text(server, name)?.map(|text| Template::read(text, client.variables)));
    let mut entry = Entry {
        command: template(keys.command)?,
        args: words(server, keys.args)?.into_iter().map(|word| Template::read(word, client.variables)).collect(),
        env: pairs(server, keys.env, client.variables)?,
        cwd: template("cwd")?,
        headers: pairs(server, keys.headers, keys.header_variables.unwrap_or(client.variables))?,
        bearer_env: keys.bearer_env.map_or(Ok(None), |name| text(server, name))?.map(str::to_owned),
        is_off: is_off(server),
        ..Entry::default()
    };
    for name in keys.url {
        if entry.url.is_none() {
            entry.url = template(name)?;
        }
    }
    of_variables(server, keys, &mut entry)?;
    entry.is_whole()?;
    without_guard(&mut entry);
    Ok(entry)
}

/// A server behind our own guard is taken for itself, with what the guard's options say: whoever asks for it judges its calls anyway.
fn without_guard(entry: &mut Entry) {
    let Some(command) = &entry.command else { return };
    let Some(own) = behind_guard(command.written(), entry.args.iter().map(Template::written)) else { return };
    let words = entry.args.split_off(own);
    let guard = std::mem::take(&mut entry.args).into_iter().skip(1);
    let options = guard.take_while(|word| word.written() != "--").collect();
    let mut words = words.into_iter();
    let program = std::mem::replace(&mut entry.command, words.next());
    entry.guard = program.map(|program| Guarded { program, options });
    entry.args = words.collect();
}

/// What the client takes from variables of its own by their names.
fn of_variables(server: &Node, keys: &Keys, entry: &mut Entry) -> Result<(), String> {
    if let Some(names) = keys.env_names {
        let names = words(server, names)?.into_iter();
        entry.env.extend(names.map(|name| (name.to_owned(), Template::variable(name))));
    }
    if let Some(headers) = keys.header_env {
        for (header, name) in pairs(server, headers, Variables::None)? {
            let value = Template::variable(name.written());
            entry.headers.push((header, value));
        }
    }
    Ok(())
}

fn speaks(server: &Node) -> Result<(), String> {
    match server.get("type").and_then(Node::as_text) {
        None | Some("stdio" | "http" | "streamable-http" | "streamable_http" | "streamableHttp") => Ok(()),
        Some("sse") => Err("it speaks the transport of 2024-11-05 (`sse`), which is not spoken here".to_owned()),
        Some(other) => Err(format!("it is of the kind `{}`, which is not spoken here", toolgate::shown_name(other))),
    }
}

fn is_off(server: &Node) -> bool {
    let says = |name: &str, wanted: bool| matches!(server.get(name).map(|node| &node.kind), Some(Kind::Flag(flag)) if *flag == wanted);
    says("disabled", true) || says("enabled", false)
}

fn text<'n>(server: &'n Node, name: &str) -> Result<Option<&'n str>, String> {
    match server.get(name).map(|node| &node.kind) {
        None | Some(Kind::Nothing) => Ok(None),
        Some(Kind::Text(text)) if text.is_empty() => Err(format!("its `{name}` is empty")),
        Some(Kind::Text(text)) => Ok(Some(text)),
        Some(_) => Err(format!("its `{name}` is no text")),
    }
}

fn words<'n>(server: &'n Node, name: &str) -> Result<Vec<&'n str>, String> {
    match server.get(name).map(|node| &node.kind) {
        None | Some(Kind::Nothing) => Ok(Vec::new()),
        Some(Kind::List(words)) => words
            .iter()
            .map(|word| word.as_text().ok_or_else(|| format!("its `{name}` holds what is no text")))
            .collect(),
        Some(_) => Err(format!("its `{name}` is no list")),
    }
}

fn pairs(server: &Node, name: &str, variables: Variables) -> Result<Vec<(String, Template)>, String> {
    match server.get(name).map(|node| &node.kind) {
        None | Some(Kind::Nothing) => Ok(Vec::new()),
        Some(Kind::Object(members)) => {
            let pair = |member: &Member| match &member.value.kind {
                Kind::Text(text) => Ok((member.name.clone(), Template::read(text, variables))),
                // Where people write 1 or true, clients write it out.
                Kind::Number(digits) => Ok((member.name.clone(), Template::read(digits, Variables::None))),
                Kind::Flag(flag) => Ok((member.name.clone(), Template::read(&flag.to_string(), Variables::None))),
                _ => Err(format!("its `{name}` holds what is no text")),
            };
            members.iter().map(pair).collect()
        }
        Some(_) => Err(format!("its `{name}` is no object")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::How;
    use super::super::{ANY, Client};
    use super::*;
    use std::path::Path;

    fn read(client: &Client, text: &str) -> Vec<Found> {
        entries(client, &client.file(Path::new("x")), text).unwrap()
    }

    /// How each server is reached, in a line.
    #[track_caller]
    fn reaches(client: &str, text: &str, expected: &[&str]) {
        let variable = |name: &str| Ok(name.starts_with("SET").then(|| format!("<{name}>")));
        let how = |found: Found| {
            let how = found.entry.and_then(|entry| entry.how(&variable));
            let pairs = |pairs: Vec<(String, String)>| {
                pairs.into_iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>()
            };
            let how = match how {
                Ok(How::Command { words, env, cwd }) => format!(
                    "{words:?}{}{}",
                    pairs(env),
                    cwd.map_or(String::new(), |cwd| format!(" in {}", cwd.display()))
                ),
                Ok(How::Url { url, headers }) => format!("{url}{}", pairs(headers)),
                Err(why) => format!("not: {why}"),
            };
            format!("{}: {how}", found.name)
        };
        let client = Client::named(client).unwrap();
        assert_eq!(read(client, text).into_iter().map(how).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn members_of_the_client_are_let_be_and_one_odd_server_costs_itself() {
        let text = r#"{ // mine
            "theme": "dark",
            "mcpServers": {
                "z": { "type": "stdio", "command": "npx", "args": ["-y", "s"], "env": { "N": 1, "B": true }, "disabled": true, },
                "a": { "type": "http", "url": "http://h", "headers": {"K": "v"} },
                "old": { "type": "sse", "url": "http://h" },
                "odd": { "command": ["npx"] }, "list": [], "none": {}, "both": {"command": "x", "url": "y"},
                "args": { "command": "x", "args": [1] }
            },
        }"#;
        let expected = [
            r#"z: ["npx", "-y", "s"] N=1 B=true"#,
            "a: http://h K=v",
            "old: not: it speaks the transport of 2024-11-05 (`sse`), which is not spoken here",
            "odd: not: its `command` is no text",
            "list: not: it is no object",
            "none: not: it has neither `command` nor `url`",
            "both: not: it has `command` and `url`",
            "args: not: its `args` holds what is no text",
        ];
        reaches("claude-desktop", text, &expected);
        assert!(read(Client::named("cursor").unwrap(), text)[0].entry.as_ref().is_ok_and(|entry| entry.is_off));
    }

    #[test]
    fn every_client_says_it_in_its_own_words() {
        let gemini = r#"{"mcpServers": {"h": {"httpUrl": "http://h/$SET_A"}, "p": {"command": "x", "cwd": "./d", "env": {"K": "$SET_B"}, "trust": true}}}"#;
        reaches("gemini", gemini, &["h: http://h/<SET_A>", r#"p: ["x"] K=<SET_B> in ./d"#]);
        let vscode = r#"{"inputs": [], "servers": {"a": {"command": "${env:SET_C}"}, "b": {"command": "x", "env": {"K": "${input:key}"}}, "c": {"command": "x", "envFile": ".env"}}}"#;
        let of_vscode = [
            r#"a: ["<SET_C>"]"#,
            "b: not: only its client can fill in `${input:key}`",
            "c: not: its variables are in a file (`envFile`), which is not read here",
        ];
        reaches("vscode", vscode, &of_vscode);
        let codex = "model = 'o'\n[mcp_servers.p]\ncommand = 'x'\nargs = ['${SET}']\nenabled = false\n[mcp_servers.p.env]\nK = 'v'\n\
                     [mcp_servers.h]\nurl = 'http://h'\nbearer_token_env_var = 'SET_D'\nhttp_headers = { A = 'a' }\nenv_http_headers = { B = 'SET_E' }\n";
        reaches(
            "codex",
            codex,
            &[r#"p: ["x", "${SET}"] K=v"#, "h: http://h A=a B=<SET_E> Authorization=Bearer <SET_D>"],
        );
        let goose = "GOOSE_MODEL: x\nextensions:\n  developer: {type: builtin, name: developer, enabled: true}\n  p:\n    type: stdio\n    cmd: npx\n    args:\n    - -y\n    envs: {A: a}\n    env_keys: [SET_F]\n  h:\n    type: streamable_http\n    uri: http://h\n    headers: {K: $SET_G}\n  k: {type: stdio, cmd: x, args: [], env_keys: [GONE]}\n";
        let of_goose = [
            r#"p: ["npx", "-y"] A=a SET_F=<SET_F>"#,
            "h: http://h K=<SET_G>",
            "k: not: the variable `GONE` is not set",
        ];
        reaches("goose", goose, &of_goose);
    }

    #[test]
    fn a_server_behind_our_guard_is_the_server() {
        let text = r#"{"mcpServers": {"a": {"command": "toolgate", "args": ["run", "--policy", "/p", "--", "npx", "-y"]}, "b": {"command": "toolgate", "args": ["demo"]}}}"#;
        reaches("cursor", text, &[r#"a: ["npx", "-y"]"#, r#"b: ["toolgate", "demo"]"#]);
        let found = read(Client::named("cursor").unwrap(), text);
        let guard = found[0].entry.as_ref().ok().unwrap().guard.as_ref().unwrap();
        assert_eq!(guard.program.written(), "toolgate");
        assert_eq!(guard.options.iter().map(Template::written).collect::<Vec<_>>(), ["--policy", "/p"]);
    }

    #[test]
    fn the_servers_of_this_project_come_before_those_of_the_user() {
        let here = std::env::current_dir().unwrap();
        let text = format!(
            r#"{{"oauthAccount": {{}}, "mcpServers": {{"a": {{"command": "user"}}, "b": {{"command": "user"}}}},
                "projects": {{{:?}: {{"mcpServers": {{"a": {{"command": "here"}}}}}}, "/elsewhere": {{"mcpServers": {{"c": {{}}}}}}}}}}"#,
            here.to_str().unwrap()
        );
        reaches("claude-code", &text, &[r#"a: ["here"]"#, r#"b: ["user"]"#]);
    }

    #[test]
    fn a_file_of_nobody_known_is_read_by_what_it_holds() {
        for text in [r#"{"mcpServers": {"a": {"command": "x"}}}"#, r#"{"servers": {"a": {"command": "x"}}}"#] {
            assert_eq!(read(&ANY, text).len(), 1, "{text}");
        }
        assert!(read(&ANY, "{}").is_empty());
        let error = |text| entries(&ANY, &ANY.file(Path::new("x")), text).err().unwrap();
        assert_eq!(error(r#"{"mcpServers": []}"#), "its `mcpServers` is no object");
        assert_eq!(error("{"), "1:1: unterminated object");
    }
}

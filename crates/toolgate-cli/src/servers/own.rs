//! Our own file: `[servers.NAME]` in TOML, read strictly. A server that is less than its user meant is worse than none.

use super::entry::Entry;
use super::tree::{Kind, Member, Node, Syntax};
use super::variables::{Template, Variables, is_name};
use crate::tool::did_you_mean;
use std::path::PathBuf;

/// The members of a server; `config/schema.json` says the same to editors.
const MEMBERS: [&str; 8] = ["command", "args", "env", "cwd", "url", "headers", "bearer_env", "policy"];
/// The members of the file. The first is for editors.
const ROOT: [&str; 2] = ["$schema", "servers"];

/// The servers of a file, in its order.
///
/// # Errors
///
/// Says which server is no whole one, and why; or where the text is no TOML. No value is in it.
pub(crate) fn read(text: &str) -> Result<Vec<(String, Entry)>, String> {
    let root = Syntax::Toml.read(text)?;
    for Member { name, value, .. } in root.members() {
        match name.as_str() {
            "servers" if !value.is_object() => return Err("`servers` is no table".to_owned()),
            "$schema" if value.as_text().is_none() => return Err("`$schema` is no text".to_owned()),
            name if !ROOT.contains(&name) => return Err(unknown(name, &ROOT)),
            _ => {}
        }
    }
    let servers = root.get("servers").map_or(&[][..], Node::members);
    let server = |Member { name, value, .. }: &Member| {
        let entry = entry(value).map_err(|why| format!("server `{}`: {why}", toolgate::shown_name(name)))?;
        Ok((name.clone(), entry))
    };
    servers.iter().map(server).collect()
}

fn unknown(name: &str, known: &[&str]) -> String {
    let near = did_you_mean(name, known.iter().copied()).unwrap_or_default();
    format!("`{}` is no member of it{near}", toolgate::shown_name(name))
}

fn entry(server: &Node) -> Result<Entry, String> {
    if !server.is_object() {
        return Err("it is no table".to_owned());
    }
    if let Some(Member { name, .. }) = server.members().iter().find(|member| !MEMBERS.contains(&member.name.as_str())) {
        return Err(unknown(name, &MEMBERS));
    }
    let text = |name: &str| match server.get(name).map(|node| &node.kind) {
        None => Ok(None),
        Some(Kind::Text(text)) if text.is_empty() => Err(format!("`{name}` is empty")),
        Some(Kind::Text(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is no text")),
    };
    let template = |name: &str| text(name).map(|text| text.map(|text| Template::read(&text, Variables::Braced)));
    let entry = Entry {
        command: template("command")?,
        args: server.get("args").map_or(Ok(Vec::new()), args)?,
        env: pairs(server, "env")?,
        cwd: template("cwd")?,
        url: template("url")?,
        headers: pairs(server, "headers")?,
        bearer_env: text("bearer_env")?,
        policy: text("policy")?.map(PathBuf::from),
        guard: None,
        is_off: false,
    };
    entry.is_whole()?;
    // What would be read and then not be heeded is a mistake of whoever wrote it.
    let (idle, kind) = match entry.command {
        Some(_) => (&["headers", "bearer_env"][..], "a command"),
        None => (&["args", "env", "cwd"][..], "a URL"),
    };
    if let Some(name) = idle.iter().find(|name| server.get(name).is_some()) {
        return Err(format!("`{name}` is not for {kind}"));
    }
    if entry.bearer_env.as_ref().is_some_and(|name| !is_name(name)) {
        return Err("`bearer_env` is no name of a variable".to_owned());
    }
    Ok(entry)
}

fn args(node: &Node) -> Result<Vec<Template>, String> {
    let Kind::List(words) = &node.kind else { return Err("`args` is no list".to_owned()) };
    let word = |node: &Node| match node.as_text() {
        Some(text) => Ok(Template::read(text, Variables::Braced)),
        None => Err("`args` holds what is no text".to_owned()),
    };
    words.iter().map(word).collect()
}

fn pairs(server: &Node, name: &str) -> Result<Vec<(String, Template)>, String> {
    let Some(node) = server.get(name) else { return Ok(Vec::new()) };
    if !node.is_object() {
        return Err(format!("`{name}` is no table"));
    }
    let pair = |member: &Member| match member.value.as_text() {
        Some(text) => Ok((member.name.clone(), Template::read(text, Variables::Braced))),
        None => Err(format!("`{name}` holds what is no text")),
    };
    node.members().iter().map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::super::How;
    use super::*;

    #[test]
    fn a_whole_file_is_read() {
        let text = "\"$schema\" = \"https://example.com\"\n[servers.b]\ncommand = \"x\"\nargs = [\"${P:-q}\"]\n[servers.a]\nurl = \"http://h/mcp\"\nbearer_env = \"T\"\n";
        let servers = read(text).unwrap();
        assert_eq!(servers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["b", "a"]);
        let How::Command { words, .. } = servers[0].1.how(&|_| Ok(None)).unwrap() else { panic!() };
        assert_eq!(words, ["x", "q"]);
        assert!(servers[1].1.how(&|_| Ok(None)).is_err_and(|why| why.contains("`T`")));
        let How::Url { headers, .. } = servers[1].1.how(&|_| Ok(Some("k\n".to_owned()))).unwrap() else { panic!() };
        assert_eq!(headers, [("Authorization".to_owned(), "Bearer k".to_owned())]);
        assert!(read("").unwrap().is_empty());
    }

    #[test]
    fn a_mistake_is_told_without_the_value() {
        for (wrong, told) in [
            ("[servers.a]\n", "server `a`: it has neither `command` nor `url`"),
            ("[servers.a]\ncommand=1\n", "server `a`: `command` is no text"),
            ("[servers.a]\ncommand=\"x\"\nurl=\"y\"\n", "server `a`: it has `command` and `url`"),
            ("[server.a]\n", "`server` is no member of it; did you mean `servers`?"),
            ("[servers.a]\ncomand=\"x\"\n", "server `a`: `comand` is no member of it; did you mean `command`?"),
            ("[servers.a]\ncommand=\"x\"\nenv={K=7777}\n", "server `a`: `env` holds what is no text"),
            ("[servers.a]\ncommand=\"x\"\nheaders={K=\"7777\"}\n", "server `a`: `headers` is not for a command"),
            ("[servers.a]\nurl=\"x\"\nargs=[\"7777\"]\n", "server `a`: `args` is not for a URL"),
            ("[servers.a]\nurl=\"x\"\nbearer_env=\"77 77\"\n", "server `a`: `bearer_env` is no name of a variable"),
            ("[servers.a]\ncommand=\"x\"\nargs=\"7777\"\n", "server `a`: `args` is no list"),
        ] {
            assert_eq!(read(wrong).err().as_deref(), Some(told), "{wrong}");
        }
    }
}

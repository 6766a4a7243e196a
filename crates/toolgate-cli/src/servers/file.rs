//! One file of servers: `[servers.NAME]` in TOML, or a client's `mcpServers` (or `servers`) in JSON, comments allowed.

use super::How;
use super::variables::expand;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A server as a file names it.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    pub(crate) command: Option<String>,
    #[serde(default)]
    pub(crate) args: Vec<String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    cwd: Option<PathBuf>,
    pub(crate) url: Option<String>,
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// The variable that holds a bearer token.
    bearer_env: Option<String>,
    /// A policy file of `toolgate run`, by which its tools are judged; beside this file.
    pub(super) policy: Option<PathBuf>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    servers: toml::Table,
}

/// The servers of a file, in its order.
pub(super) fn read(path: &Path, text: &str) -> Result<Vec<(String, Entry)>, String> {
    let is_json = path.extension().is_some_and(|extension| extension == "json" || extension == "jsonc");
    if is_json { read_client(text) } else { read_own(text) }
}

/// A mistake in our own file is told: a server that is less than its user meant is worse than none.
fn read_own(text: &str) -> Result<Vec<(String, Entry)>, String> {
    let file: File = toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())?;
    let entry = |(name, value): (String, toml::Value)| {
        let entry: Entry = value.try_into().map_err(|error| format!("server `{name}`: {error}"))?;
        entry.is_whole().map_err(|why| format!("server `{name}`: {why}"))?;
        Ok((name, entry))
    };
    file.servers.into_iter().map(entry).collect()
}

/// A client's file has members that are the client's alone; they are let be.
fn read_client(text: &str) -> Result<Vec<(String, Entry)>, String> {
    let value: Option<Value> = jsonc_parser::parse_to_serde_value(text, &jsonc_parser::ParseOptions::default())
        .map_err(|error| error.to_string())?;
    let root = value.unwrap_or_default();
    let servers = root.get("mcpServers").or_else(|| root.get("servers"));
    let servers = servers.ok_or("it has neither `mcpServers` nor `servers`")?;
    let servers = servers.as_object().ok_or("its servers are no object")?;
    servers
        .iter()
        .map(|(name, value)| Ok((name.clone(), of_client(value).map_err(|why| format!("server `{name}`: {why}"))?)))
        .collect()
}

fn of_client(value: &Value) -> Result<Entry, String> {
    let text = |name: &str| match value.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text.clone())),
        Some(_) => Err(format!("`{name}` is no text")),
    };
    let texts = |name: &str| -> Result<BTreeMap<String, String>, String> {
        let members = value.get(name).and_then(Value::as_object).into_iter().flatten();
        let member = |(key, value): (&String, &Value)| match value {
            Value::String(text) => Ok((key.clone(), text.clone())),
            Value::Number(_) | Value::Bool(_) => Ok((key.clone(), value.to_string())),
            _ => Err(format!("`{name}` holds what is no text")),
        };
        members.map(member).collect()
    };
    let args = value.get("args").and_then(Value::as_array).into_iter().flatten();
    let args = args.map(|word| word.as_str().map(str::to_owned).ok_or("`args` holds what is no text"));
    let entry = Entry {
        command: text("command")?,
        args: args.collect::<Result<_, _>>()?,
        env: texts("env")?,
        cwd: text("cwd")?.map(PathBuf::from),
        url: text("url")?.or(text("serverUrl")?).or(text("httpUrl")?),
        headers: texts("headers")?,
        ..Entry::default()
    };
    if value.get("type").is_some_and(|kind| kind == "sse") {
        return Err("it speaks the transport of 2024-11-05 (`sse`), which is not spoken here".to_owned());
    }
    entry.is_whole()?;
    Ok(entry)
}

impl Entry {
    fn is_whole(&self) -> Result<(), String> {
        match (&self.command, &self.url) {
            (Some(_), Some(_)) => Err("it has `command` and `url`".to_owned()),
            (None, None) => Err("it has neither `command` nor `url`".to_owned()),
            _ => Ok(()),
        }
    }

    /// How the server is reached, with variables filled in.
    pub(super) fn how(&self, variable: &dyn Fn(&str) -> Option<String>) -> Result<How, String> {
        let fill = |text: &String| expand(text, variable);
        let pairs = |pairs: &BTreeMap<String, String>| -> Result<Vec<(String, String)>, String> {
            pairs.iter().map(|(name, value)| Ok((name.clone(), fill(value)?))).collect()
        };
        if let Some(url) = &self.url {
            let mut headers = pairs(&self.headers)?;
            if let Some(name) = &self.bearer_env {
                headers.push(bearer(name, variable)?);
            }
            return Ok(How::Url { url: fill(url)?, headers });
        }
        let command = self.command.iter().chain(&self.args);
        let cwd = self.cwd.as_ref().map(|cwd| fill(&cwd.to_string_lossy().into_owned())).transpose()?;
        Ok(How::Command {
            words: command.map(fill).collect::<Result<_, _>>()?,
            env: pairs(&self.env)?,
            cwd: cwd.map(PathBuf::from),
        })
    }
}

/// The header of a bearer token in a variable.
pub(crate) fn bearer(name: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<(String, String), String> {
    let token = variable(name).ok_or_else(|| format!("the variable `{name}` is not set"))?;
    Ok(("Authorization".to_owned(), format!("Bearer {}", token.trim())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: &str, text: &str) -> Result<Vec<(String, Entry)>, String> {
        super::read(Path::new(file), text)
    }

    #[test]
    fn our_own_file_is_read_strictly() {
        let text = "[servers.a]\ncommand = \"x\"\nargs = [\"${P:-q}\"]\n[servers.b]\nurl = \"http://h/mcp\"\nbearer_env = \"T\"\n";
        let servers = read("toolgate.toml", text).unwrap();
        assert_eq!(servers.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
        let How::Command { words, .. } = servers[0].1.how(&|_| None).unwrap() else { panic!() };
        assert_eq!(words, ["x", "q"]);
        assert!(servers[1].1.how(&|_| None).is_err_and(|why| why.contains("`T`")));
        let How::Url { headers, .. } = servers[1].1.how(&|_| Some("k\n".to_owned())).unwrap() else { panic!() };
        assert_eq!(headers, [("Authorization".to_owned(), "Bearer k".to_owned())]);
        for wrong in [
            "[servers.a]\n",
            "[servers.a]\ncommand=1\n",
            "[servers.a]\ncommand=\"x\"\nurl=\"y\"\n",
            "[server.a]\n",
            "[servers.a]\ncomand=\"x\"\n",
        ] {
            assert!(read("toolgate.toml", wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_clients_file_is_read_with_its_comments_and_its_own_members() {
        let text = r#"{ // mine
            "mcpServers": { "a": { "command": "npx", "args": ["-y", "s"], "env": { "N": 1 }, "disabled": false, }, "b": { "type": "http", "url": "http://h" } },
        }"#;
        let servers = read(".mcp.json", text).unwrap();
        assert_eq!(servers[0].1.args, ["-y", "s"]);
        assert_eq!(servers[1].1.url.as_deref(), Some("http://h"));
        assert!(
            read(".mcp.json", r#"{"mcpServers":{"a":{"type":"sse","url":"http://h"}}}"#).unwrap_err().contains("sse")
        );
        assert!(read(".mcp.json", "{").is_err() && read(".mcp.json", "{}").is_err());
    }
}

//! The pin file: what each server listed when somebody looked at it and found it good.

use crate::digest;
use crate::input;
use crate::target::lines;
use crate::tool::{name_of, one_line};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolgate::json::{Kind, Value, quoted};

/// Its name, beside the file that names the server.
pub(crate) const NAME: &str = "toolgate.lock.json";
const VERSION: &str = "1";
/// Tools that are named as changed.
const CHANGED_MAX: usize = 20;

/// The pins of one file.
pub(crate) struct Lock {
    path: PathBuf,
    /// Tool objects by server.
    servers: BTreeMap<String, Vec<String>>,
    /// Where each of them begins, as a line counted from one.
    lines: BTreeMap<String, Vec<usize>>,
}

impl Lock {
    /// The pins of this file; none where there is no such file.
    ///
    /// # Errors
    ///
    /// Says where the file cannot be read, and which pin does not fit its digest.
    pub(crate) fn read(path: &Path) -> Result<Lock, String> {
        let mut lock = Lock { path: path.to_owned(), servers: BTreeMap::new(), lines: BTreeMap::new() };
        if !path.exists() {
            return Ok(lock);
        }
        let text = input::text(path)?;
        let document = input::schemas(&text).map_err(|unread| unread.in_file(path))?;
        let named = |why: &str| format!("{}: {why}", path.display());
        let root = document.root();
        let only = |name: &str| input::only(root, name).map_err(|why| named(&why));
        if only("version")?.is_none_or(|version| version.text() != VERSION) {
            return Err(named("it is no pin file of this version"));
        }
        let servers = only("servers")?.filter(|servers| servers.kind() == Kind::Object);
        for (name, server) in servers.ok_or_else(|| named("it has no `servers`"))?.members() {
            let name = name.as_str().unwrap_or_default().into_owned();
            let tools =
                pinned(server).map_err(|why| named(&format!("server `{}`: {why}", toolgate::shown_name(&name))))?;
            let starts = server.get("tools").into_iter().flat_map(Value::items).map(|tool| tool.span().start);
            lock.lines.insert(name.clone(), lines(&text, starts));
            if lock.servers.insert(name.clone(), tools).is_some() {
                return Err(named(&format!("it pins server `{}` twice", toolgate::shown_name(&name))));
            }
        }
        Ok(lock)
    }

    /// The tools that the server listed.
    pub(crate) fn get(&self, server: &str) -> Option<&[String]> {
        self.servers.get(server).map(Vec::as_slice)
    }

    /// The line in the file at which each of them begins.
    pub(crate) fn lines(&self, server: &str) -> &[usize] {
        self.lines.get(server).map(Vec::as_slice).unwrap_or_default()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Pins what the server lists.
    pub(crate) fn set(&mut self, server: &str, definitions: &[String]) {
        self.servers.insert(server.to_owned(), definitions.iter().map(|one| one_line(one)).collect());
    }

    /// The names of the servers that are pinned.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.servers.keys().map(String::as_str)
    }

    /// The text of the file.
    ///
    /// A line for each tool, so that a change of one is a change of one line in version control.
    pub(crate) fn render(&self) -> String {
        let mut out = format!("{{\n\"version\": {VERSION},\n\"servers\": {{");
        for (index, (name, tools)) in self.servers.iter().enumerate() {
            out.push_str(if index > 0 { ",\n" } else { "\n" });
            out.push_str(&format!("{}: {{\"tools\": [", quoted(name)));
            for (index, definition) in tools.iter().enumerate() {
                out.push_str(if index > 0 { ",\n" } else { "\n" });
                let tool = name_of(definition).map_or("null".to_owned(), |name| quoted(&name));
                let digest = quoted(&digest::of_definition(definition));
                out.push_str(&format!("  {{\"name\": {tool}, \"digest\": {digest}, \"definition\": {definition}}}"));
            }
            out.push_str("\n]}");
        }
        out + "\n}\n}\n"
    }
}

/// The tool objects of one server, each of which has to be what its digest says. All that are not are named.
fn pinned(server: Value<'_>) -> Result<Vec<String>, String> {
    let tools =
        input::only(server, "tools")?.filter(|tools| tools.kind() == Kind::Array).ok_or("it has no list of `tools`")?;
    let mut definitions = Vec::new();
    let mut changed = Vec::new();
    for (index, tool) in tools.items().enumerate() {
        let definition = tool.get("definition").ok_or_else(|| format!("tool {} has no `definition`", index + 1))?;
        let digest = digest::of_definition(definition.text());
        let named = |object: Value<'_>| object.get("name").and_then(Value::as_str).map(Cow::into_owned);
        if tool.get("digest").is_none_or(|held| !held.is_str(&digest)) || named(tool) != named(definition) {
            let name = tool.get("name").and_then(Value::as_str).or_else(|| definition.get("name")?.as_str());
            changed
                .push(name.map_or(format!("tool {}", index + 1), |name| format!("`{}`", toolgate::shown_name(&name))));
        }
        definitions.push(definition.text().to_owned());
    }
    if changed.is_empty() {
        return Ok(definitions);
    }
    let more = changed.len().saturating_sub(CHANGED_MAX);
    changed.truncate(CHANGED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    Err(format!(
        "the file was changed by hand, at {}{more}: not as its digest says. Take it back from version control, or remove it, look at \
         the tools and pin them with `toolgate pin`",
        changed.join(", ")
    ))
}

//! Our own file, changed so that its comments and the order of everything stay.

use crate::exit::Exit;
use crate::input;
use crate::servers::{LOCAL, Servers, in_file, own, shown_path, trust};
use crate::show::{complain, notice};
use crate::store::Turn;
use std::path::{Path, PathBuf};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, Value};

/// Where editors find what the file may hold.
const HINT: &str = "# Servers of toolgate; what may stand here is in `toolgate config schema`.\n";

/// A server as it is written.
#[derive(Default)]
pub(super) struct Written {
    pub(super) command: Option<String>,
    pub(super) args: Vec<String>,
    pub(super) env: Vec<(String, String)>,
    pub(super) cwd: Option<String>,
    pub(super) url: Option<String>,
    pub(super) headers: Vec<(String, String)>,
    pub(super) bearer_env: Option<String>,
    pub(super) policy: Option<String>,
}

pub(super) struct OwnFile {
    path: PathBuf,
    /// From when it is read to when it is written.
    turn: Turn,
    document: DocumentMut,
}

impl OwnFile {
    /// The file as it is; one that is not there is empty.
    pub(super) fn read(path: &Path) -> Result<OwnFile, Exit> {
        let configuration = |why: String| complain(&why, Exit::Configuration);
        if crate::servers::form_of(path).is_some() {
            return Err(complain(
                &format!("{} is a client's file: see `toolgate install`", shown_path(path)),
                Exit::Usage,
            ));
        }
        let turn = Turn::take(path).map_err(|error| unwritten(path, &error))?;
        let text = if path.exists() { input::text(path).map_err(configuration)? } else { HINT.to_owned() };
        // A file that is wrong is mended by its user, who knows what was meant.
        own::read(&text).map_err(|why| configuration(in_file(path, &why)))?;
        let document = text.parse().map_err(|_| configuration(format!("{} is no TOML", shown_path(path))))?;
        Ok(OwnFile { path: path.to_owned(), turn, document })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn names(&self) -> Vec<String> {
        let servers = self.document.get("servers").and_then(Item::as_table_like);
        servers.map(|servers| servers.iter().map(|(name, _)| name.to_owned()).collect()).unwrap_or_default()
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names().iter().any(|there| there == name)
    }

    /// Puts a server in, in the place of one of this name.
    pub(super) fn set(&mut self, name: &str, server: &Written) {
        let trailing = self.document.trailing().as_str().unwrap_or_default().to_owned();
        let servers = self.document.entry("servers").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let server = server.table();
        if let Some(table) = servers.as_table_mut() {
            let mut new = server;
            if let Some(old) = table.get(name).and_then(Item::as_table) {
                // What stands above the old one is about this server, too.
                *new.decor_mut() = old.decor().clone();
                new.set_position(old.position());
                table.insert(name, Item::Table(new));
            } else {
                // What the file ends with stays above what comes now.
                let above = trailing.trim_end();
                let above = if above.is_empty() { String::new() } else { format!("{above}\n") };
                new.decor_mut().set_prefix(format!("{above}\n"));
                table.insert(name, Item::Table(new));
                self.document.set_trailing("");
            }
        } else if let Some(inline) = servers.as_inline_table_mut() {
            inline.insert(name, Value::InlineTable(server.into_inline_table()));
        }
    }

    /// Takes a server out with the comment right above it; one that a blank line sets off stays.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        let Some(servers) = self.document.get_mut("servers").and_then(Item::as_table_like_mut) else { return false };
        let above = servers
            .get(name)
            .and_then(Item::as_table)
            .and_then(|old| old.decor().prefix()?.as_str())
            .unwrap_or_default();
        let kept = above.rfind("\n\n").and_then(|end| above.get(..=end)).filter(|kept| !kept.trim().is_empty());
        let kept = kept.map(str::to_owned);
        let next = servers.iter().skip_while(|(there, _)| *there != name).nth(1).map(|(next, _)| next.to_owned());
        if servers.remove(name).is_none() {
            return false;
        }
        let Some(kept) = kept else { return true };
        if let Some(next) = next.and_then(|next| servers.get_mut(&next)).and_then(Item::as_table_mut) {
            let prefix = next.decor().prefix().and_then(|prefix| prefix.as_str()).unwrap_or_default();
            let prefix = format!("{kept}{prefix}");
            next.decor_mut().set_prefix(prefix);
        } else {
            let trailing = format!("{kept}{}", self.document.trailing().as_str().unwrap_or_default());
            self.document.set_trailing(trailing);
        }
        true
    }

    /// Writes the file.
    pub(super) fn write(&self) -> Result<(), Exit> {
        let text = self.document.to_string();
        if let Err(why) = own::read(&text) {
            return Err(complain(&format!("{} is left as it is: {why}", shown_path(&self.path)), Exit::Usage));
        }
        // What its user makes in a folder that names no servers yet is the user's own.
        let is_first_here = self.path == Path::new(LOCAL) && !Servers::are_here();
        self.turn.write_private(&text).map_err(|error| unwritten(&self.path, &error))?;
        if is_first_here && let Err(error) = trust::add(Path::new(".")) {
            notice(&format!("the trust of this folder cannot be noted: {error}"));
        }
        Ok(())
    }
}

fn unwritten(path: &Path, error: &std::io::Error) -> Exit {
    complain(&format!("cannot write {}: {error}", shown_path(path)), Exit::Output)
}

impl Written {
    fn table(&self) -> Table {
        let mut table = Table::new();
        let mut text = |name: &str, value: Option<&String>| {
            if let Some(value) = value {
                table.insert(name, toml_edit::value(value));
            }
        };
        text("command", self.command.as_ref());
        text("url", self.url.as_ref());
        text("cwd", self.cwd.as_ref());
        text("bearer_env", self.bearer_env.as_ref());
        text("policy", self.policy.as_ref());
        if !self.args.is_empty() {
            table.insert("args", toml_edit::value(self.args.iter().collect::<Array>()));
        }
        for (name, pairs) in [("env", &self.env), ("headers", &self.headers)] {
            if !pairs.is_empty() {
                let pairs: InlineTable =
                    pairs.iter().map(|(name, value)| (name.as_str(), Value::from(value.as_str()))).collect();
                table.insert(name, toml_edit::value(pairs));
            }
        }
        table
    }
}

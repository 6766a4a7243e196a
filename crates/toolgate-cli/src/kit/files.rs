//! The files of cases: which they are, and the cases in each. A mistake in one is told with its place, and nothing is run.

use super::case::{self, Case};
use super::contracts::{Contracts, Lists};
use super::text::Text;
use crate::input;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toolgate::Contract;
use toolgate::json::{Kind, Value};
use toolgate::shown_name;

pub(super) const FORMAT: &str = "toolgate-cases/1";
/// What else the root of a file may have, for people and their editors.
const OF_ROOT: [&str; 6] = ["format", "cases", "contracts", "title", "description", "$schema"];
/// Folders inside folders.
const DEPTH_MAX: usize = 16;

/// All cases that were asked for.
#[derive(Default)]
pub(super) struct Suite {
    pub(super) cases: Vec<Case>,
    pub(super) mistakes: Vec<String>,
    /// The files of cases.
    pub(super) files: Vec<PathBuf>,
}

impl Suite {
    /// Reads files, and the case files of folders.
    pub(super) fn read(paths: &[PathBuf], format: &Contract, lists: &mut Lists<'_>) -> Suite {
        let mut suite = Suite::default();
        for path in paths {
            if path.is_dir() {
                let mut found = Vec::new();
                if let Err(error) = find(path, DEPTH_MAX, &mut found) {
                    suite.mistakes.push(format!("cannot read {}: {error}", path.display()));
                }
                let before = suite.files.len();
                found.iter().for_each(|path| suite.read_file(path, false, format, lists));
                if suite.files.len() == before && suite.mistakes.is_empty() {
                    suite.mistakes.push(format!("{}: there is no file of cases in it ({FORMAT})", path.display()));
                }
            } else {
                suite.read_file(path, true, format, lists);
            }
        }
        suite
    }

    fn read_file(&mut self, path: &Path, is_named: bool, format: &Contract, lists: &mut Lists<'_>) {
        if self.files.iter().any(|known| known == path) {
            return;
        }
        let text = match input::text(path) {
            Ok(text) => text,
            Err(why) => return self.mistakes.push(why),
        };
        let is_lines = path.extension().is_some_and(|ending| ending == "jsonl" || ending == "ndjson");
        let mut file = File { suite: self, seen: HashMap::new(), path, format, lists };
        if is_lines { file.lines(&text, is_named) } else { file.document(&text, is_named) }
    }
}

/// Files that may hold cases, in the order of their names; what begins with a dot is left out, and links are not followed.
fn find(folder: &Path, depth: usize, found: &mut Vec<PathBuf>) -> std::io::Result<()> {
    let mut entries = std::fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, kind) = (entry.path(), entry.file_type()?);
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if kind.is_dir() && depth > 0 {
            find(&path, depth - 1, found)?;
        } else if kind.is_file()
            && path.extension().is_some_and(|ending| ending == "json" || ending == "jsonl" || ending == "ndjson")
        {
            found.push(path);
        }
    }
    Ok(())
}

struct File<'a, 'g> {
    suite: &'a mut Suite,
    /// Ids, and the texts of their cases.
    seen: HashMap<String, String>,
    path: &'a Path,
    format: &'a Contract,
    lists: &'a mut Lists<'g>,
}

impl File<'_, '_> {
    fn mistake(&mut self, place: &str, why: &str) {
        self.suite.mistakes.push(format!("{place}: {why}"));
    }

    /// `{"format": …, "contracts": {…}, "cases": […]}`.
    fn document(&mut self, text: &str, is_named: bool) {
        let document = match input::document(text) {
            Ok(document) => document,
            Err(unread) => return self.suite.mistakes.push(unread.in_file(self.path)),
        };
        let root = document.root();
        let is_of_cases = root.get("format").is_some_and(|format| format.is_str(FORMAT));
        // What lies beside cases, a schema or a catalogue, is no file of cases; what looks like one is told.
        if !is_of_cases && !is_named && root.get("cases").is_none() {
            return;
        }
        let of = Text { path: self.path, text, first_line: 1 };
        let start = of.place(root.span().start);
        if !is_of_cases {
            return self.mistake(&start, &format!("it is no file of cases: its `format` is not \"{FORMAT}\""));
        }
        self.suite.files.push(self.path.to_owned());
        let mut contracts = Contracts::default();
        for (key, value) in root.members() {
            let name = key.as_str().unwrap_or_default();
            if !OF_ROOT.contains(&&*name) {
                let why = format!("the file has a member that is not known, `{}`", shown_name(&name));
                self.mistake(&of.place(key.span().start), &why);
            }
            if &*name == "contracts" {
                for (name, contract) in value.members() {
                    if let Err(why) = contracts.add(&name.as_str().unwrap_or_default(), contract) {
                        self.mistake(&of.place(contract.span().start), &why);
                    }
                }
            }
        }
        match root.get("cases").filter(|cases| cases.kind() == Kind::Array && !cases.is_empty()) {
            Some(cases) => cases.items().for_each(|case| self.case(&of, case, &contracts, false)),
            None => self.mistake(&start, "the file has no cases"),
        }
    }

    /// A line that names the format, then contracts and cases, one a line: as `toolgate run --record` appends them.
    fn lines(&mut self, text: &str, is_named: bool) {
        let mut contracts = Contracts::default();
        let (mut is_begun, mut cases) = (false, 0);
        for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let of = Text { path: self.path, text: line, first_line: index + 1 };
            let document = match input::document(line) {
                Ok(document) => document,
                Err(_) if !is_begun && !is_named => return,
                Err(unread) => {
                    let place = format!("{}:{}", input::name(self.path), index + 1);
                    self.mistake(&place, &unread.in_line());
                    continue;
                }
            };
            let root = document.root();
            let is_header = root.get("format").is_some_and(|format| format.is_str(FORMAT));
            if !is_begun {
                if !is_header && !is_named {
                    return;
                }
                if !is_header {
                    let why = format!("it is no file of cases: its first line is not {{\"format\":\"{FORMAT}\"}}");
                    return self.mistake(&of.place(0), &why);
                }
                is_begun = true;
                self.suite.files.push(self.path.to_owned());
            } else if is_header {
                // Files of this kind can be joined end to end.
            } else if let Some(name) = root.get("contract").and_then(Value::as_str) {
                if let Err(why) = contracts.add(&name, root) {
                    self.mistake(&of.place(0), &why);
                }
            } else {
                cases += 1;
                self.case(&of, root, &contracts, true);
            }
        }
        // A guard that has judged no call yet has recorded none: that is not hidden, since no case is counted.
        if !is_begun || (cases == 0 && is_named) {
            self.mistake(&input::name(self.path), "the file has no cases");
        }
    }

    /// In lines, the very case that was there before is the same one: two recorders may both have written it.
    fn case(&mut self, of: &Text<'_>, case: Value<'_>, contracts: &Contracts, may_repeat: bool) {
        if let Some(id) = case.get("id").and_then(Value::as_str) {
            match self.seen.get(&*id) {
                Some(known) if may_repeat && known == case.text() => return,
                Some(_) => {
                    let place = of.place(case.span().start);
                    return self.mistake(&place, &format!("there are two cases `{}` in the file", shown_name(&id)));
                }
                None => {
                    self.seen.insert(id.into_owned(), if may_repeat { case.text().to_owned() } else { String::new() });
                }
            }
        }
        let read = case::read(of, case, self.format, contracts, self.lists, &mut self.suite.mistakes);
        self.suite.cases.extend(read);
    }
}

//! The file of `toolgate run --record`: cases for `toolgate test`, one a line, in a file that can be read at any moment.
//!
//! Whole lines are appended, each in one write, so that a guard may be ended at any moment and several may write to one file. A
//! contract stands before the first case that uses it, and a case that is there is not written again: its id is made of its
//! content. Nobody waits for it: calls that come faster than they can be written are left out and counted.

use super::case::{HEADER, OneContract, Values, id_of};
use super::{Judged, Level, Record};
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::time::Duration;
use toolgate::ToolSet;

/// Bytes of the file.
const FILE_MAX_BYTES: u64 = 16 * 1024 * 1024;
/// Cases in the file.
const CASES_MAX: usize = 10_000;
/// Bytes of the arguments of one call.
const ARGUMENTS_MAX_BYTES: usize = 64 * 1024;
/// Calls that may wait to be written.
const WAITING_MAX: usize = 256;

/// What is kept, and where.
#[derive(Clone, Debug)]
pub struct Keeping {
    /// The file. One that is there already is added to.
    pub path: PathBuf,
    /// Whether the values of the calls are kept.
    pub values: Values,
}

enum Message {
    Call(Judged),
    /// Everything before this has been written.
    Flush(SyncSender<()>),
}

/// Takes calls for the file.
#[derive(Debug)]
pub struct Keeper {
    sender: SyncSender<Message>,
}

/// Writes them, on a thread of its own.
pub(crate) struct Writer {
    keeping: Keeping,
    receiver: Receiver<Message>,
}

impl Keeping {
    /// The two ends. Nothing is opened before [`Writer::run`].
    pub(crate) fn start(self) -> (Keeper, Writer) {
        let (sender, receiver) = sync_channel(WAITING_MAX);
        (Keeper { sender }, Writer { keeping: self, receiver })
    }
}

impl Keeper {
    /// Keeps a call; never waits. An error is the call that found no room.
    pub(crate) fn keep(&self, call: Judged) -> Result<(), &'static str> {
        if call.arguments.as_ref().is_some_and(|arguments| arguments.len() > ARGUMENTS_MAX_BYTES) {
            return Err("its arguments are larger than a case may hold");
        }
        match self.sender.try_send(Message::Call(call)) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(_)) => Err("calls came faster than they could be written"),
            // Told when the file could not be written.
            Err(TrySendError::Disconnected(_)) => Ok(()),
        }
    }

    /// Waits until everything is written, but no longer than `time_max`.
    pub(crate) fn flush(&self, time_max: Duration) {
        let (sender, written) = sync_channel(1);
        if self.sender.try_send(Message::Flush(sender)).is_ok() {
            let _ = written.recv_timeout(time_max);
        }
    }
}

impl Writer {
    /// Writes what comes until nothing comes any more. Says once why nothing more is written.
    pub(crate) fn run(self, log: &dyn Fn(&Record)) {
        let Writer { keeping, receiver } = self;
        let place = keeping.path.display().to_string();
        let mut cases = match Cases::open(&keeping.path) {
            Ok(cases) => cases,
            Err(why) => {
                return log(&Record::note(
                    Level::Error,
                    "record-failed",
                    format!("no call is recorded: {place}: {why}"),
                ));
            }
        };
        let mut contracts = Contracts::default();
        for message in receiver {
            let call = match message {
                Message::Call(call) => call,
                Message::Flush(written) => {
                    let _ = written.try_send(());
                    continue;
                }
            };
            // A closed tool has no contract, and every call of it is refused for that.
            let Some((tool, contract)) = call.set.get(&call.tool).zip(contracts.of(&call)) else { continue };
            let (id, case) = contract.case(tool, call.arguments.as_deref(), keeping.values);
            match cases.add(contract, &id, &case) {
                Ok(true) => {}
                Ok(false) => {
                    let why = format!(
                        "{place} is full ({CASES_MAX} cases or {FILE_MAX_BYTES} bytes): no further call is recorded"
                    );
                    return log(&Record::note(Level::Warn, "record-full", why));
                }
                Err(error) => {
                    let why = format!("{place} cannot be written, no further call is recorded: {error}");
                    return log(&Record::note(Level::Error, "record-failed", why));
                }
            }
        }
    }
}

/// The contracts of the set that calls are judged by, each compiled once.
#[derive(Default)]
struct Contracts {
    set: Option<Arc<ToolSet>>,
    by_tool: HashMap<String, Option<OneContract>>,
}

impl Contracts {
    fn of(&mut self, call: &Judged) -> Option<&OneContract> {
        if !self.set.as_ref().is_some_and(|set| Arc::ptr_eq(set, &call.set)) {
            self.set = Some(Arc::clone(&call.set));
            self.by_tool.clear();
        }
        let contract = || call.set.get(&call.tool).and_then(OneContract::of);
        self.by_tool.entry(call.tool.clone()).or_insert_with(contract).as_ref()
    }
}

/// The file, and what is in it.
#[derive(Debug)]
struct Cases {
    file: File,
    bytes: u64,
    cases: usize,
    /// Ids of contracts and of cases.
    ids: HashSet<String>,
}

impl Cases {
    /// Opens a file of cases, or makes one that nobody else may read.
    fn open(path: &Path) -> Result<Cases, String> {
        let text = |error: io::Error| error.to_string();
        // Opening a pipe or a device would wait, or write to what is no file.
        if std::fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()) {
            return Err("it is no plain file".into());
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path).map_err(text)?;
        let mut known = Vec::new();
        (&mut file).take(FILE_MAX_BYTES + 1).read_to_end(&mut known).map_err(text)?;
        let known = String::from_utf8(known).map_err(|_| "it is there, and it is no file of cases")?;
        if !known.is_empty() && known.lines().next() != Some(HEADER) {
            return Err("it is there, and it is no file of cases that a guard has recorded".into());
        }
        only_ours(&file).map_err(text)?;
        // What a guard was ended in the middle of.
        let whole = known.rfind('\n').map_or(0, |end| end + 1);
        if whole < known.len() {
            file.set_len(whole as u64).map_err(text)?;
        }
        let known = known.get(..whole).unwrap_or_default();
        let ids: HashSet<String> = known.lines().filter_map(id_of).collect();
        let cases = known.lines().filter(|line| line.starts_with(r#"{"id":"#)).count();
        let mut cases = Cases { file, bytes: whole as u64, cases, ids };
        if known.is_empty() {
            cases.append(HEADER).map_err(text)?;
        }
        Ok(cases)
    }

    /// Adds a case, and its contract where that is not there; `false` where there is no room.
    fn add(&mut self, contract: &OneContract, id: &str, case: &str) -> io::Result<bool> {
        if self.ids.contains(id) {
            return Ok(true);
        }
        let lines =
            if self.ids.contains(&contract.id) { case.to_owned() } else { format!("{}\n{case}", contract.line) };
        if self.cases >= CASES_MAX || self.bytes + lines.len() as u64 + 1 > FILE_MAX_BYTES {
            return Ok(false);
        }
        self.append(&lines)?;
        self.cases += 1;
        self.ids.extend([id.to_owned(), contract.id.clone()]);
        Ok(true)
    }

    /// Whole lines, in one write; where it comes to less, none of it stays.
    fn append(&mut self, lines: &str) -> io::Result<()> {
        let before = self.file.metadata()?.len();
        let written = self.file.write_all(format!("{lines}\n").as_bytes());
        if written.is_err() {
            let _ = self.file.set_len(before);
        }
        written?;
        self.bytes = before + lines.len() as u64 + 1;
        Ok(())
    }
}

#[cfg(unix)]
fn only_ours(file: &File) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    file.set_permissions(std::fs::Permissions::from_mode(0o600))
}

#[cfg(not(unix))]
fn only_ours(_: &File) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use toolgate::{Policy, Showing};

    const TOOL: &str = r#"{"name":"book","inputSchema":{"type":"object","properties":{"seat":{"type":"string"}}}}"#;

    fn contract() -> OneContract {
        let set = ToolSet::publish(std::iter::once(TOOL), &Showing::default(), &|_| Policy::default());
        OneContract::of(set.get("book").unwrap()).unwrap()
    }

    fn path(name: &str) -> PathBuf {
        let path = std::env::temp_dir().join(format!("toolgate-keep-{}-{name}.jsonl", std::process::id()));
        let _ = std::fs::remove_file(&path);
        path
    }

    #[test]
    fn a_file_goes_on_where_it_was_left() {
        let (path, contract) = (path("goes-on"), contract());
        let mut cases = Cases::open(&path).unwrap();
        assert!(cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap());
        drop(cases);
        // As if a guard had been ended in the middle of a line.
        OpenOptions::new().append(true).open(&path).unwrap().write_all(br#"{"id":"tw"#).unwrap();
        let mut cases = Cases::open(&path).unwrap();
        assert_eq!(cases.cases, 1);
        assert!(cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap());
        assert!(cases.add(&contract, "two", r#"{"id":"two"}"#).unwrap());
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = format!("{HEADER}\n{}\n{}\n{}\n", contract.line, r#"{"id":"one"}"#, r#"{"id":"two"}"#);
        assert_eq!(text, expected);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_ends_at_its_bounds() {
        let (path, contract) = (path("bounds"), contract());
        let mut cases = Cases::open(&path).unwrap();
        cases.cases = CASES_MAX;
        assert!(!cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap());
        cases.cases = 0;
        cases.bytes = FILE_MAX_BYTES;
        assert!(!cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{HEADER}\n"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_file_of_ours_is_left_alone() {
        let path = path("foreign");
        std::fs::write(&path, "notes\n").unwrap();
        assert!(Cases::open(&path).unwrap_err().contains("no file of cases"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes\n");
        std::fs::remove_file(path).unwrap();
        assert!(Cases::open(&std::env::temp_dir()).unwrap_err().contains("no plain file"));
    }
}

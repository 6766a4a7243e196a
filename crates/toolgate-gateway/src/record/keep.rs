//! The file of `toolgate run --record`: cases for `toolgate test`, one a line, in a file that can be read at any moment.
//!
//! Whole lines are appended, each in one write, so that a guard may be ended at any moment. A contract stands before the first
//! case that uses it, and a case that is there is not written again: its id is made of its content. Several guards may write to
//! one file: each locks it while it writes, and first reads what others have added. Nobody waits for it: calls that come faster
//! than they can be written are left out and counted.

use super::case::{HEADER, OneContract, Values, id_of};
use super::{Judged, Level, Record};
use crate::place::Place;
use std::collections::{HashMap, HashSet};
use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};
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
    sender: Sender<Message>,
    counts: Arc<Counts>,
}

/// Writes them, on a thread of its own.
pub(crate) struct Writer {
    keeping: Keeping,
    receiver: Receiver<Message>,
    counts: Arc<Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    /// Calls that wait to be written.
    waiting: AtomicUsize,
    /// Calls that are no case in the file.
    left_out: AtomicU64,
}

impl Keeping {
    /// The two ends. Nothing is opened before [`Writer::run`].
    pub(crate) fn start(self) -> (Keeper, Writer) {
        let (sender, receiver) = channel();
        let counts = Arc::<Counts>::default();
        (Keeper { sender, counts: Arc::clone(&counts) }, Writer { keeping: self, receiver, counts })
    }
}

impl Keeper {
    /// Keeps a call; never waits. An error is why the call is left out.
    pub(crate) fn keep(&self, call: Judged) -> Result<(), &'static str> {
        let kept = self.take(call);
        if kept.is_err() {
            self.counts.leave_out();
        }
        kept
    }

    fn take(&self, call: Judged) -> Result<(), &'static str> {
        if call.arguments.as_ref().is_some_and(|arguments| arguments.len() > ARGUMENTS_MAX_BYTES) {
            return Err("its arguments are larger than a case may hold");
        }
        if self.counts.waiting.fetch_add(1, Ordering::Relaxed) >= WAITING_MAX {
            self.counts.waiting.fetch_sub(1, Ordering::Relaxed);
            return Err("calls came faster than they could be written");
        }
        self.sender.send(Message::Call(call)).map_err(|_| "nobody writes them")
    }

    /// Waits until everything is written, but no longer than `time_max`; how many calls were left out.
    pub(crate) fn flush(&self, time_max: Duration) -> u64 {
        let (sender, written) = sync_channel(1);
        if self.sender.send(Message::Flush(sender)).is_ok() {
            let _ = written.recv_timeout(time_max);
        }
        self.counts.left_out.load(Ordering::Relaxed) + self.counts.waiting.load(Ordering::Relaxed) as u64
    }
}

impl Counts {
    fn leave_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }
}

impl Writer {
    /// Writes what comes until nothing comes any more. Says once why nothing more is written.
    pub(crate) fn run(self, log: &dyn Fn(&Record)) {
        let Writer { keeping, receiver, counts } = self;
        let told = |why: Unwritten| log(&why.record(&keeping.path));
        let mut cases = Cases::open(&keeping.path).map_err(told).ok();
        let mut contracts = Contracts::default();
        for message in receiver {
            let call = match message {
                Message::Call(call) => call,
                Message::Flush(written) => {
                    let _ = written.try_send(());
                    continue;
                }
            };
            let mut is_written = false;
            if let Some(open) = &mut cases {
                // A closed tool has no contract, and every call of it is refused for that.
                let contract = call.set.get(&call.tool).zip(contracts.of(&call));
                let added = contract.map_or(Ok(()), |(tool, contract)| {
                    let (id, case) = contract.case(tool, call.arguments.as_deref(), keeping.values);
                    open.add(contract, &id, &case)
                });
                match added {
                    Ok(()) => is_written = true,
                    Err(why) => {
                        told(why);
                        cases = None;
                    }
                }
            }
            if !is_written {
                counts.leave_out();
            }
            counts.waiting.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Why no further call is written.
#[derive(Debug)]
enum Unwritten {
    Full,
    /// It is there, and it is none of ours.
    Foreign(&'static str),
    Failed(io::Error),
}

impl From<io::Error> for Unwritten {
    fn from(error: io::Error) -> Self {
        Unwritten::Failed(error)
    }
}

impl Unwritten {
    fn record(&self, path: &Path) -> Record {
        let place = path.display();
        let (level, code, why) = match self {
            Unwritten::Full => {
                let why = format!("{place} is full ({CASES_MAX} cases or {FILE_MAX_BYTES} bytes)");
                (Level::Warn, "record-full", why)
            }
            Unwritten::Foreign(why) => (Level::Error, "record-failed", format!("{place}: {why}")),
            Unwritten::Failed(error) => (Level::Error, "record-failed", format!("{place} cannot be written: {error}")),
        };
        Record::note(level, code, format!("no further call is recorded: {why}"))
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
    known: Known,
}

/// What has been read of the file, or written to it.
#[derive(Debug, Default)]
struct Known {
    bytes: u64,
    cases: usize,
    /// Ids of contracts and of cases.
    ids: HashSet<String>,
}

impl Cases {
    /// Opens a file of cases, or makes one that nobody else may read.
    fn open(path: &Path) -> Result<Cases, Unwritten> {
        // Opening a pipe or a device would wait, or write to what is no file.
        if !matches!(Place::of(path)?, Place::Plain) {
            return Err(Unwritten::Foreign("it is no plain file of its own"));
        }
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut cases = Cases { file: options.open(path)?, known: Known::default() };
        cases.locked(|cases| {
            cases.catch_up()?;
            Ok(only_ours(&cases.file)?)
        })?;
        Ok(cases)
    }

    /// Adds a case, and its contract where that is not there.
    fn add(&mut self, contract: &OneContract, id: &str, case: &str) -> Result<(), Unwritten> {
        if self.known.ids.contains(id) {
            return Ok(());
        }
        self.locked(|cases| {
            cases.catch_up()?;
            let known = &mut cases.known;
            if known.ids.contains(id) {
                return Ok(());
            }
            let is_there = known.ids.contains(&contract.id);
            let lines = if is_there { case.to_owned() } else { format!("{}\n{case}", contract.line) };
            if known.cases >= CASES_MAX || known.bytes + lines.len() as u64 + 1 > FILE_MAX_BYTES {
                return Err(Unwritten::Full);
            }
            cases.append(&lines)
        })
    }

    /// Does something while no other guard writes to the file.
    fn locked(&mut self, work: impl FnOnce(&mut Cases) -> Result<(), Unwritten>) -> Result<(), Unwritten> {
        self.file.lock()?;
        let done = work(self);
        let unlocked = self.file.unlock();
        done.and_then(|()| Ok(unlocked?))
    }

    /// Reads what others have added, and begins a file that is empty. What is there is never cut off.
    fn catch_up(&mut self) -> Result<(), Unwritten> {
        let length = self.file.metadata()?.len();
        if length > FILE_MAX_BYTES {
            return Err(Unwritten::Full);
        }
        if length < self.known.bytes {
            // Somebody has emptied it.
            self.known = Known::default();
        }
        if length > self.known.bytes {
            let mut added = Vec::new();
            self.file.seek(SeekFrom::Start(self.known.bytes))?;
            (&mut self.file).take(FILE_MAX_BYTES).read_to_end(&mut added)?;
            let added =
                String::from_utf8(added).map_err(|_| Unwritten::Foreign("it is there, and it is no file of cases"))?;
            if self.known.bytes == 0 && added.lines().next() != Some(HEADER) {
                return Err(Unwritten::Foreign("it is there, and it is no file of cases that a guard has recorded"));
            }
            self.known.read(&added);
            if !added.ends_with('\n') {
                self.end_line(added.lines().last().unwrap_or_default())?;
            }
        }
        if self.known.bytes == 0 { self.append(HEADER) } else { Ok(()) }
    }

    /// Ends the last line, as some editors leave it.
    fn end_line(&mut self, last: &str) -> Result<(), Unwritten> {
        if last != HEADER && id_of(last).is_none() {
            return Err(Unwritten::Foreign("its last line is cut off: take it out, and the next guard goes on"));
        }
        self.file.write_all(b"\n")?;
        self.known.bytes += 1;
        Ok(())
    }

    /// Whole lines, in one write; where it comes to less, none of it stays.
    fn append(&mut self, lines: &str) -> Result<(), Unwritten> {
        let before = self.file.metadata()?.len();
        let lines = format!("{lines}\n");
        if let Err(error) = self.file.write_all(lines.as_bytes()) {
            let _ = self.file.set_len(before);
            return Err(error.into());
        }
        self.known.read(&lines);
        Ok(())
    }
}

impl Known {
    /// Lines that are in the file.
    fn read(&mut self, lines: &str) {
        self.bytes += lines.len() as u64;
        self.cases += lines.lines().filter(|line| line.starts_with(r#"{"id":"#)).count();
        self.ids.extend(lines.lines().filter_map(id_of));
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
        cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap();
        drop(cases);
        // As an editor leaves it.
        let mut text = std::fs::read_to_string(&path).unwrap();
        text.pop();
        std::fs::write(&path, &text).unwrap();
        let mut cases = Cases::open(&path).unwrap();
        assert_eq!(cases.known.cases, 1);
        cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap();
        cases.add(&contract, "two", r#"{"id":"two"}"#).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = format!("{HEADER}\n{}\n{}\n{}\n", contract.line, r#"{"id":"one"}"#, r#"{"id":"two"}"#);
        assert_eq!(text, expected);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_line_that_is_cut_off_is_told_and_stays() {
        let path = path("cut");
        let text = format!("{HEADER}\n{{\"id\":\"tw");
        std::fs::write(&path, &text).unwrap();
        assert!(matches!(Cases::open(&path), Err(Unwritten::Foreign(why)) if why.contains("cut off")));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_ends_at_its_bounds() {
        let (path, contract) = (path("bounds"), contract());
        let mut cases = Cases::open(&path).unwrap();
        cases.known.cases = CASES_MAX;
        assert!(matches!(cases.add(&contract, "one", r#"{"id":"one"}"#), Err(Unwritten::Full)));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), format!("{HEADER}\n"));
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn a_file_that_is_larger_than_the_bound_is_left_as_it_is() {
        let (path, contract) = (path("larger"), contract());
        let case = format!("{{\"id\":\"{}\"}}\n", "x".repeat(1_000));
        let mut text = format!("{HEADER}\n");
        while text.len() as u64 + case.len() as u64 <= FILE_MAX_BYTES {
            text.push_str(&case);
        }
        // A line that still fits is written, and one that does not is not.
        std::fs::write(&path, &text).unwrap();
        let mut cases = Cases::open(&path).unwrap();
        cases.known.cases = 0;
        assert!(matches!(cases.add(&contract, "big", case.trim()), Err(Unwritten::Full)));
        text.push_str(&case);
        std::fs::write(&path, &text).unwrap();
        assert!(matches!(Cases::open(&path), Err(Unwritten::Full)));
        assert!(std::fs::read_to_string(&path).unwrap() == text, "not a byte of it is lost");
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn two_guards_write_a_case_once() {
        let (path, contract) = (path("two-guards"), contract());
        let (mut one, mut other) = (Cases::open(&path).unwrap(), Cases::open(&path).unwrap());
        for cases in [&mut one, &mut other] {
            cases.add(&contract, "one", r#"{"id":"one"}"#).unwrap();
        }
        other.add(&contract, "two", r#"{"id":"two"}"#).unwrap();
        one.add(&contract, "two", r#"{"id":"two"}"#).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        let expected = format!("{HEADER}\n{}\n{}\n{}\n", contract.line, r#"{"id":"one"}"#, r#"{"id":"two"}"#);
        assert_eq!(text, expected);
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_left_out_is_counted_and_a_full_queue_is_waited_for() {
        let set = ToolSet::publish(std::iter::once(TOOL), &Showing::default(), &|_| Policy::default());
        let set = Arc::new(set);
        let path = path("counted");
        let keep = |keeper: &Keeper, seat: usize| {
            let arguments = Some(format!("{{\"seat\":\"{seat}\"}}"));
            keeper.keep(Judged { set: Arc::clone(&set), tool: "book".to_owned(), arguments })
        };
        let (keeper, writer) = Keeping { path: path.clone(), values: Values::AsSent }.start();
        let kept = (0..WAITING_MAX + 3).filter(|seat| keep(&keeper, *seat).is_ok()).count();
        assert_eq!(kept, WAITING_MAX);
        assert_eq!(keeper.flush(Duration::ZERO), (WAITING_MAX + 3) as u64, "nobody writes yet");
        let writing = std::thread::spawn(move || writer.run(&|_| {}));
        assert_eq!(keeper.flush(Duration::MAX), 3);
        assert_eq!(std::fs::read_to_string(&path).unwrap().matches(r#"{"id":"#).count(), WAITING_MAX);
        drop(keeper);
        writing.join().unwrap();
        // Nothing is written where that is a folder.
        let (keeper, writer) = Keeping { path: std::env::temp_dir(), values: Values::AsSent }.start();
        let writing = std::thread::spawn(move || writer.run(&|_| {}));
        keep(&keeper, 1).unwrap();
        assert_eq!(keeper.flush(Duration::MAX), 1);
        drop(keeper);
        writing.join().unwrap();
        std::fs::remove_file(path).unwrap();
    }

    #[test]
    fn what_is_no_file_of_ours_is_left_alone() {
        let path = path("foreign");
        std::fs::write(&path, "notes\n").unwrap();
        assert!(matches!(Cases::open(&path), Err(Unwritten::Foreign(why)) if why.contains("no file of cases")));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "notes\n");
        std::fs::remove_file(path).unwrap();
        let folder = Cases::open(&std::env::temp_dir());
        assert!(matches!(folder, Err(Unwritten::Foreign(why)) if why.contains("no plain file")));
    }
}

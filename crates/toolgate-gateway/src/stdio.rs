//! The stdio guard: starts the server as a child, brings the lines of both to the relay and writes what comes of them.
//!
//! Threads: one reads the client, one the server, one the server's standard error, one waits for the server to end, one
//! for signals; each of the three ends that are written to has one for what cannot be written at once. This thread
//! watches over them. A reader takes no further line while too much waits to be written to those it serves; the server's
//! reader never waits for the server to read, or two full pipes would lock each other.
//!
//! The child has a process group of its own, so that what it starts ends with it. What a server detaches on purpose, into a
//! session of its own (`setsid`), is left alone as it would be without the guard: build daemons and browsers that are shared
//! with other programs are started so.

use crate::frame;
use crate::lines::{Line, Lines};
use crate::listing::Compiled;
use crate::outlet::{Outlet, Room};
use crate::pipe::Pipe;
use crate::record::{Format, Judged, Keeper, Keeping, Level, Record};
use crate::relay::{Action, Config, Relay};
use crate::signals;
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process_group};
use signal_hook::iterator::Signals;
use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Bytes that may wait for a peer before no further line is read for it.
const BACKLOG_MAX_BYTES: usize = 1024 * 1024;
/// The same for standard error, where more is dropped.
const STDERR_BACKLOG_MAX_BYTES: usize = 1024 * 1024;

/// How long an ending server is waited for, and nobody waits for an answer.
const GRACE: Duration = Duration::from_secs(2);
/// How long a peer may take nothing while something waits for it.
const STILL_MAX: Duration = Duration::from_secs(10);
/// Between SIGTERM and SIGKILL.
const GRACE_AFTER_TERM: Duration = Duration::from_secs(1);
/// How long the client may take to read its last lines.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// How long the output of a server that has exited is waited for. What it started may hold it open.
const GRACE_AFTER_EXIT: Duration = Duration::from_millis(500);
/// How often a guard that waits for a peer to read looks whether the client is still there.
const PACE: Duration = Duration::from_millis(100);
/// How often an ending guard looks whether it can go on.
const STEP: Duration = Duration::from_millis(20);

/// What is to be guarded, and how.
#[derive(Debug)]
pub struct Guard {
    /// The server's command.
    pub command: OsString,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What the relay is made with.
    pub relay: Config,
    /// How records are written.
    pub log_format: Format,
    /// The least important records that are written.
    pub log_level: Level,
    /// Where the calls are kept as cases, if they are.
    pub keeping: Option<Keeping>,
}

/// Why the guard ended.
#[derive(Debug)]
pub enum Ended {
    /// The client closed its end.
    EndOfInput,
    /// The server could not be started.
    NotStarted(io::Error),
    /// The guard lacks what it needs to relay, such as files or threads. A server that was started has been ended.
    NotBegun(io::Error),
    /// What is for the client cannot be written, and the client has not gone.
    Unwritten(io::Error),
    /// The server ended by itself.
    ServerEnded,
    /// This signal came.
    Signal(i32),
}

impl Ended {
    /// The exit code of `toolgate run`.
    pub fn exit_code(&self) -> u8 {
        match self {
            Ended::EndOfInput => 0,
            Ended::Unwritten(_) => 74,
            Ended::NotStarted(_) | Ended::NotBegun(_) | Ended::ServerEnded => 3,
            Ended::Signal(signal) => u8::try_from(128 + signal).unwrap_or(130),
        }
    }
}

/// An instance name that no other guard on this machine has.
pub fn instance() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_micros());
    format!("toolgate-{:x}-{:x}", std::process::id(), now & 0xffff_ffff)
}

impl Guard {
    /// Starts the server and relays until one side ends. Takes this process's standard input, output and error.
    pub fn run(self) -> Ended {
        match self.start() {
            Ok(running) => running.watch(),
            Err(ended) => ended,
        }
    }

    fn start(self) -> Result<Running, Ended> {
        let signals = signals::taken().map_err(Ended::NotBegun)?;
        let server = Server::start(&self.command, &self.arguments).map_err(Ended::NotStarted)?;
        self.begin(server, signals).map_err(Ended::NotBegun)
    }

    /// Begins to relay. Where that fails, the server is ended with what was begun.
    fn begin(self, mut server: Server, signals: Signals) -> io::Result<Running> {
        let gone = || io::Error::other("the server's pipes are not there");
        let (input, output, errors) = server.pipes().ok_or_else(gone)?;
        let limits = self.relay.limits;
        let (events, happens) = channel();
        let mut relay = Relay::new(self.relay);
        let (keeper, writer) = self.keeping.map(Keeping::start).unzip();
        if keeper.is_some() {
            relay.keep_calls();
        }
        let shared = Arc::new(Shared {
            relay: Mutex::new(relay),
            to_client: Outlet::start("to-client", Pipe::share(&io::stdout())?)?,
            to_server: Outlet::start("to-server", Pipe::new(input))?,
            to_stderr: Outlet::start("to-stderr", Pipe::share(&io::stderr())?)?,
            stderr_in_line: AtomicBool::new(false),
            log_format: self.log_format,
            log_level: self.log_level,
            records: Mutex::default(),
            logging: Mutex::default(),
            keeper,
            has_left_out: AtomicBool::new(false),
            begun: Instant::now(),
            events,
        });
        if let Some(writer) = writer
            && let Err(error) = shared.spawn("record", move |shared| writer.run(&|record| shared.log(record)))
        {
            shared.log(&Record::note(Level::Error, "record-failed", format!("no call is recorded: {error}")));
        }
        let group = server.group();
        let client = Lines::new(Pipe::share(&io::stdin())?, limits.client_frame.size_max_bytes);
        let lines = Lines::new(Pipe::new(output), limits.server_frame.size_max_bytes);
        let errors = Pipe::new(errors);
        let (clients_end, read_by_client) = (Pipe::share(&io::stdout())?, Pipe::share(&io::stdout())?);
        shared.spawn("from-client", move |shared| shared.read_client(client, &clients_end, &limits.client_frame))?;
        shared.spawn("from-server", move |shared| shared.read_server(lines, &limits.server_frame))?;
        shared.spawn("server-stderr", move |shared| shared.pass_stderr(errors))?;
        shared.spawn("signals", move |shared| shared.pass_signals(signals))?;
        shared.spawn("server-exit", move |shared| shared.wait_for_exit(server))?;
        let end_time_max = Duration::from_millis(limits.end_time_max_ms);
        Ok(Running { shared, happens, group, read_by_client, end_time_max, exited: None, output_ended: false })
    }
}

/// The server's process. Dropped while it runs, it is ended with all that it has started.
struct Server(Option<Child>);

impl Server {
    fn start(command: &OsString, arguments: &[OsString]) -> io::Result<Server> {
        let mut command = Command::new(command);
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0).spawn().map(|child| Server(Some(child)))
    }

    fn pipes(&mut self) -> Option<(ChildStdin, ChildStdout, ChildStderr)> {
        let child = self.0.as_mut()?;
        Some((child.stdin.take()?, child.stdout.take()?, child.stderr.take()?))
    }

    fn group(&self) -> Option<Pid> {
        i32::try_from(self.0.as_ref()?.id()).ok().and_then(Pid::from_raw)
    }

    /// Waits until it ends by itself.
    fn wait(mut self) -> Option<ExitStatus> {
        self.0.take()?.wait().ok()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let group = self.group();
        if let Some(mut child) = self.0.take() {
            let _ = group.map(|group| kill_process_group(group, Signal::KILL));
            let _ = child.wait();
        }
    }
}

/// What the watching thread is told.
enum Event {
    ClientEnded,
    /// The client does not read any more.
    ClientDeaf,
    ServerOutputEnded,
    /// The server does not read any more.
    ServerDeaf,
    ServerExited(Option<ExitStatus>),
    Signal(i32),
    /// The relay's deadline has changed.
    Deadline,
}

struct Shared {
    relay: Mutex<Relay>,
    to_client: Outlet<Pipe>,
    to_server: Outlet<Pipe>,
    to_stderr: Outlet<Pipe>,
    /// The server's last words on standard error did not end a line.
    stderr_in_line: AtomicBool,
    log_format: Format,
    log_level: Level,
    /// Records in the order that the relay made them, until one thread has written them.
    records: Mutex<VecDeque<Record>>,
    /// Whose turn it is to write records.
    logging: Mutex<()>,
    /// Keeps the calls, where they are kept.
    keeper: Option<Keeper>,
    /// It has been said that not every call is kept.
    has_left_out: AtomicBool,
    begun: Instant,
    events: Sender<Event>,
}

impl Shared {
    fn spawn(self: &Arc<Self>, name: &str, work: impl FnOnce(Arc<Shared>) + Send + 'static) -> io::Result<()> {
        let shared = Arc::clone(self);
        std::thread::Builder::new().name(name.to_owned()).spawn(move || work(shared)).map(drop)
    }

    fn tell(&self, event: Event) {
        // Only the watching thread listens, and the process ends with it.
        let _ = self.events.send(event);
    }

    /// Lets the relay take a step, and does what comes of it.
    fn step(self: &Arc<Self>, take: impl FnOnce(&mut Relay, u64) -> Vec<Action>) {
        let now_ms = u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX);
        let mut later = Vec::new();
        {
            let mut relay = self.relay.lock().unwrap_or_else(PoisonError::into_inner);
            let deadline = relay.next_deadline_ms();
            // Queued with the relay locked, so that lines leave in the order that the relay has decided.
            for action in take(&mut relay, now_ms) {
                match action {
                    Action::ToClient(line) => self.to_client.queue(line),
                    Action::ToServer(line) => self.to_server.queue(line),
                    Action::ReplyToServer(mut line) => {
                        line.push(b'\n');
                        self.to_server.queue_or_drop(line, BACKLOG_MAX_BYTES);
                    }
                    Action::Log(record) => {
                        self.records.lock().unwrap_or_else(PoisonError::into_inner).push_back(record)
                    }
                    action => later.push(action),
                }
            }
            if relay.next_deadline_ms() != deadline {
                self.tell(Event::Deadline);
            }
        }
        self.to_server.flush();
        self.to_client.flush();
        self.log_records();
        for action in later {
            self.do_later(action);
        }
    }

    /// Writes the records that are waiting, those of other threads too: in the order that they were made in.
    fn log_records(&self) {
        let _turn = self.logging.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let record = self.records.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
            let Some(mut record) = record else { return };
            self.log(&record);
            if let Record::Call(call) = &mut record {
                self.keep(call.judged.take());
            }
        }
    }

    /// Keeps a call as a case. That this cannot be done has no effect on any call.
    fn keep(&self, judged: Option<Judged>) {
        let Some((keeper, judged)) = self.keeper.as_ref().zip(judged) else { return };
        if let Err(why) = keeper.keep(judged)
            && !self.has_left_out.swap(true, Ordering::Relaxed)
        {
            let told = format!("a call is not recorded: {why}; this is said once");
            self.log(&Record::note(Level::Warn, "record-incomplete", told));
        }
    }

    /// Waits until the cases are written, and says how many calls are none.
    fn end_keeping(&self) {
        let left_out = self.keeper.as_ref().map_or(0, |keeper| keeper.flush(LAST_WORDS));
        if left_out > 0 {
            let told = format!("calls that are not recorded: {left_out}");
            self.log(&Record::note(Level::Warn, "record-incomplete", told));
        }
    }

    /// What nobody waits for is done when the lines are written.
    fn do_later(self: &Arc<Self>, action: Action) {
        match action {
            Action::ToStderr(mut line) => {
                line.push(b'\n');
                self.write_stderr(line);
            }
            Action::Compile(job) => {
                let compiling = Compiling { waits: Some(Arc::clone(self)) };
                // Beside the readers: compiling a long list must not keep answers from crossing.
                let failed = self.spawn("compile", move |_| compiling.end(job.run()));
                if let Err(error) = failed {
                    self.log(&Record::note(Level::Error, "fault", format!("no thread for the tool list: {error}")));
                }
            }
            Action::ToClient(_) | Action::ToServer(_) | Action::ReplyToServer(_) | Action::Log(_) => {}
        }
    }

    fn log(&self, record: &Record) {
        if record.level() > self.log_level {
            return;
        }
        let time_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |now| now.as_millis());
        let mut line = record.render(self.log_format, u64::try_from(time_ms).unwrap_or(u64::MAX));
        line.push('\n');
        let mut bytes = line.into_bytes();
        if self.stderr_in_line.swap(false, Ordering::Relaxed) {
            bytes.insert(0, b'\n');
        }
        self.write_stderr(bytes);
    }

    /// Never waits: what nobody reads is dropped and counted.
    fn write_stderr(&self, bytes: Vec<u8>) {
        self.to_stderr.queue_or_drop(bytes, STDERR_BACKLOG_MAX_BYTES);
        self.to_stderr.flush();
        if self.to_stderr.backlog() == 0 {
            let dropped = self.to_stderr.take_dropped();
            if dropped > 0 {
                let note = Record::note(
                    Level::Warn,
                    "stderr-dropped",
                    format!("{dropped} writes to standard error were dropped: nobody read"),
                );
                self.to_stderr.queue(note.render(self.log_format, 0).into_bytes());
                self.to_stderr.flush();
            }
        }
    }

    /// `output` is where the client reads what we write.
    fn read_client(self: Arc<Self>, mut lines: Lines<Pipe>, output: &Pipe, limits: &frame::FrameLimits) {
        loop {
            match self.wait_for_room(&self.to_client, lines.source(), output) {
                Ok(true) => {}
                Ok(false) => return self.tell(Event::ClientDeaf),
                Err(ended) => return self.tell(ended),
            }
            match self.wait_for_room(&self.to_server, lines.source(), output) {
                Ok(true) => {}
                Ok(false) => self.tell(Event::ServerDeaf),
                Err(ended) => return self.tell(ended),
            }
            let read = match lines.next_line() {
                Ok(Line::Whole(line)) => frame::read(line, limits),
                Ok(Line::TooLarge(finding)) => frame::too_large(finding),
                Ok(Line::End) | Err(_) => return self.tell(Event::ClientEnded),
            };
            self.step(|relay, now_ms| relay.on_client(read, now_ms));
            if self.to_server.is_closed() {
                self.tell(Event::ServerDeaf);
            }
        }
    }

    /// Waits until a peer has room for what the client sends; false when the peer has gone. A client that is not there any more is
    /// not read to its end where that would take a peer that takes nothing: what it sent last may lie in the pipe for ever.
    fn wait_for_room(&self, peer: &Outlet<Pipe>, input: &Pipe, output: &Pipe) -> Result<bool, Event> {
        let (mut taken, mut since) = (peer.taken(), Instant::now());
        loop {
            match peer.room_within(BACKLOG_MAX_BYTES, PACE) {
                Room::Free => return Ok(true),
                Room::Gone => return Ok(false),
                Room::Full => {}
            }
            if !(input.is_left() || input.is_file()) || taken != peer.taken() {
                (taken, since) = (peer.taken(), Instant::now());
            } else if output.is_left() {
                return Err(Event::ClientDeaf);
            } else if since.elapsed() >= STILL_MAX {
                return Err(Event::ClientEnded);
            }
        }
    }

    fn read_server(self: Arc<Self>, mut lines: Lines<Pipe>, limits: &frame::FrameLimits) {
        loop {
            if !self.to_client.wait_for_room(BACKLOG_MAX_BYTES) {
                return self.tell(Event::ClientDeaf);
            }
            let read = match lines.next_line() {
                Ok(Line::Whole(line)) => frame::read(line, limits),
                Ok(Line::TooLarge(finding)) => frame::too_large(finding),
                Ok(Line::End) | Err(_) => return self.tell(Event::ServerOutputEnded),
            };
            self.step(|relay, now_ms| relay.on_server(read, now_ms));
        }
    }

    fn pass_stderr(self: Arc<Self>, mut errors: Pipe) {
        let mut buffer = [0; 4096];
        while let Ok(count) = errors.read(&mut buffer) {
            let Some(bytes) = buffer.get(..count).filter(|bytes| !bytes.is_empty()) else { return };
            self.stderr_in_line.store(!bytes.ends_with(b"\n"), Ordering::Relaxed);
            self.write_stderr(bytes.to_vec());
        }
    }

    fn wait_for_exit(self: Arc<Self>, server: Server) {
        let status = server.wait();
        self.tell(Event::ServerExited(status));
    }

    fn pass_signals(self: Arc<Self>, mut signals: Signals) {
        for signal in signals.forever() {
            self.tell(Event::Signal(signal));
        }
    }
}

/// A list that is being compiled. If that comes to nothing, because no thread could be started or the one that was died, those
/// who wait for the list are told when this is dropped.
struct Compiling {
    waits: Option<Arc<Shared>>,
}

impl Compiling {
    fn end(mut self, compiled: Compiled) {
        if let Some(shared) = self.waits.take() {
            shared.step(|relay, now_ms| relay.on_compiled(compiled, now_ms));
        }
    }
}

impl Drop for Compiling {
    fn drop(&mut self) {
        if let Some(shared) = self.waits.take() {
            shared.step(Relay::on_not_compiled);
        }
    }
}

/// The thread that watches over the others.
struct Running {
    shared: Arc<Shared>,
    happens: Receiver<Event>,
    group: Option<Pid>,
    /// What the client reads.
    read_by_client: Pipe,
    /// How long answers are waited for after the end of input.
    end_time_max: Duration,
    /// When the server has exited, and how.
    exited: Option<(Instant, Option<ExitStatus>)>,
    output_ended: bool,
}

/// Whether the client takes what is written to it.
struct Listens {
    taken: u64,
    since: Instant,
}

impl Running {
    fn watch(self) -> Ended {
        let shared = Arc::clone(&self.shared);
        let ended = self.until_an_end();
        // Who is still there, and could not be answered, has not ended anything.
        match shared.to_client.take_failure() {
            Some(error) if matches!(ended, Ended::EndOfInput) => Ended::Unwritten(error),
            _ => ended,
        }
    }

    fn until_an_end(mut self) -> Ended {
        let ended = loop {
            match self.next_event(self.until_deadline()) {
                None | Some(Event::Deadline) => self.shared.step(Relay::on_tick),
                Some(Event::ClientEnded) => break Ended::EndOfInput,
                Some(Event::ClientDeaf) => {
                    // Nobody is left to answer.
                    self.terminate();
                    self.shared.end_keeping();
                    return Ended::EndOfInput;
                }
                Some(Event::Signal(signal)) => break Ended::Signal(signal),
                Some(Event::ServerDeaf | Event::ServerOutputEnded) => break Ended::ServerEnded,
                Some(Event::ServerExited(_)) => {
                    self.wait(GRACE_AFTER_EXIT, |running| running.output_ended);
                    break Ended::ServerEnded;
                }
            }
        };
        self.end(ended)
    }

    fn end(mut self, ended: Ended) -> Ended {
        let ended = match ended {
            Ended::EndOfInput => match self.end_of_input() {
                Some(signal) => Ended::Signal(signal),
                None => ended,
            },
            Ended::ServerEnded => {
                self.shared.step(|relay, _| relay.on_server_gone());
                // The client may be told while the rest of the server is still ending.
                self.wait(GRACE_AFTER_EXIT, |running| running.exited.is_some());
                self.note_exit();
                ended
            }
            ended => ended,
        };
        self.terminate();
        self.shared.to_client.wait_until_empty(LAST_WORDS);
        self.shared.end_keeping();
        self.shared.to_stderr.wait_until_empty(LAST_WORDS);
        ended
    }

    /// Lets the server finish what it was asked, for as long as the client listens; the signal that cut this short.
    fn end_of_input(&mut self) -> Option<i32> {
        let begun = Instant::now();
        let mut listens = Listens { taken: 0, since: begun };
        // A call that waits for the tool list must reach the server before its input ends.
        let mut signal = self.wait(self.end_time_max, |running| {
            running.has_ended() || !listens.still(running) || !running.relay(Relay::is_holding)
        });
        self.shared.to_server.close();
        if signal.is_none() {
            signal = self.wait(self.end_time_max.saturating_sub(begun.elapsed()), |running| {
                let is_done = running.output_ended || running.relay(Relay::is_idle);
                running.has_ended() || !listens.still(running) || (is_done && begun.elapsed() >= GRACE)
            });
        }
        if self.has_ended() || self.output_ended {
            self.shared.step(|relay, _| relay.on_server_gone());
        } else {
            self.shared.step(|relay, _| relay.on_guard_ending());
        }
        signal
    }

    /// Ends the server and all that it has started.
    fn terminate(&mut self) {
        self.shared.to_server.close();
        for signal in [Signal::TERM, Signal::KILL] {
            let Some(group) = self.group.filter(|group| test_kill_process_group(*group).is_ok()) else { return };
            let _ = kill_process_group(group, signal);
            self.wait(GRACE_AFTER_TERM, |running| {
                running.exited.is_some() && running.group.is_none_or(|group| test_kill_process_group(group).is_err())
            });
        }
    }

    fn note_exit(&self) {
        let how = match self.exited.and_then(|(_, status)| status) {
            Some(status) => match (status.code(), status.signal()) {
                (Some(code), _) => format!("the server ended by itself with exit code {code}"),
                (None, Some(signal)) => format!("the server was ended by signal {signal}"),
                (None, None) => "the server ended by itself".to_owned(),
            },
            None => "the server closed its end".to_owned(),
        };
        self.shared.log(&Record::note(Level::Error, "server-ended", how));
    }

    /// Whether nothing will come of the server any more.
    fn has_ended(&self) -> bool {
        self.exited.is_some_and(|(at, _)| self.output_ended || at.elapsed() >= GRACE_AFTER_EXIT)
    }

    fn relay<T>(&self, look: impl FnOnce(&Relay) -> T) -> T {
        look(&self.shared.relay.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn until_deadline(&self) -> Option<Duration> {
        let deadline = self.relay(Relay::next_deadline_ms)?;
        Some(Duration::from_millis(deadline).saturating_sub(self.shared.begun.elapsed()))
    }

    fn next_event(&mut self, time_max: Option<Duration>) -> Option<Event> {
        let event = match time_max {
            None => self.happens.recv().ok(),
            Some(time_max) => self.happens.recv_timeout(time_max).ok(),
        };
        match &event {
            Some(Event::ServerExited(status)) => self.exited = Some((Instant::now(), *status)),
            Some(Event::ServerOutputEnded) => self.output_ended = true,
            _ => {}
        }
        event
    }

    /// Waits until something holds, but no longer than `time_max`, nor after a signal, which is given back.
    fn wait(&mut self, time_max: Duration, mut holds: impl FnMut(&Running) -> bool) -> Option<i32> {
        let begun = Instant::now();
        while !holds(self) && begun.elapsed() < time_max {
            match self.next_event(Some(STEP)) {
                Some(Event::Signal(signal)) => return Some(signal),
                Some(Event::Deadline) | None => self.shared.step(Relay::on_tick),
                Some(_) => {}
            }
        }
        None
    }
}

impl Listens {
    fn still(&mut self, running: &Running) -> bool {
        let to_client = &running.shared.to_client;
        let taken = to_client.taken();
        if to_client.backlog() == 0 || taken != self.taken {
            (self.taken, self.since) = (taken, Instant::now());
        }
        !to_client.is_closed() && !running.read_by_client.is_left() && self.since.elapsed() < STILL_MAX
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::ServerPolicy;
    use crate::relay::RelayLimits;
    use std::io::{BufRead, BufReader};

    #[test]
    fn a_list_that_is_not_compiled_leaves_nobody_waiting() {
        let (from_guard, to_client) = io::pipe().unwrap();
        let (from_guard_too, to_server) = io::pipe().unwrap();
        let (_unread, to_stderr) = io::pipe().unwrap();
        let (events, _happens) = channel();
        let config = Config {
            policy: Arc::new(ServerPolicy::discovered()),
            limits: RelayLimits::default(),
            instance: "own".into(),
        };
        let shared = Arc::new(Shared {
            relay: Mutex::new(Relay::new(config)),
            to_client: Outlet::start("to-client", Pipe::new(to_client)).unwrap(),
            to_server: Outlet::start("to-server", Pipe::new(to_server)).unwrap(),
            to_stderr: Outlet::start("to-stderr", Pipe::new(to_stderr)).unwrap(),
            stderr_in_line: AtomicBool::new(false),
            log_format: Format::Text,
            log_level: Level::Error,
            records: Mutex::default(),
            logging: Mutex::default(),
            keeper: None,
            has_left_out: AtomicBool::new(false),
            begun: Instant::now(),
            events,
        });
        let limits = RelayLimits::default();
        let read = |line: &str, limits| frame::read(line.as_bytes().to_vec(), limits);
        let call = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"x","arguments":{}}}"#;
        shared.step(|relay, now_ms| relay.on_client(read(call, &limits.client_frame), now_ms));
        let list = r#"{"jsonrpc":"2.0","id":"own-1","result":{"tools":[]}}"#;
        // As if no thread could be started for the job.
        shared.step(|relay, now_ms| {
            let actions = relay.on_server(read(list, &limits.server_frame), now_ms);
            actions.into_iter().filter(|action| !matches!(action, Action::Compile(_))).collect()
        });
        drop(Compiling { waits: Some(Arc::clone(&shared)) });
        let mut answer = String::new();
        BufReader::new(from_guard).read_line(&mut answer).unwrap();
        assert!(answer.contains(r#""id":7,"error""#) && answer.contains("not run"), "{answer}");
        let mut asked = String::new();
        let mut from_guard_too = BufReader::new(from_guard_too);
        from_guard_too.read_line(&mut asked).unwrap();
        shared.step(|relay, now_ms| relay.on_client(read(&call.replace('7', "8"), &limits.client_frame), now_ms));
        from_guard_too.read_line(&mut asked).unwrap();
        assert_eq!(asked.matches("tools/list").count(), 2, "the next call asks for the list anew: {asked}");
    }
}

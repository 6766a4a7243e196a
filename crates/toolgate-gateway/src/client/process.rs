//! A server that this program starts and talks to in lines, over its standard input and output. Whatever it does not read and
//! whatever it leaves behind, nothing here waits for it without an end.

#[cfg(unix)]
use super::interrupt;
use crate::frame::{self, FrameLimits, Read as Frame};
use crate::lines::{Line, Lines};
use crate::outlet::{Outlet, Sink};
use std::io::{self, Read};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Bytes of one line.
pub const LINE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// One message of a server. It asks for one thing at a time, so that nothing comes in batches.
pub(super) const FRAME_LIMITS: FrameLimits =
    FrameLimits { size_max_bytes: LINE_MAX_BYTES, depth_max: super::DEPTH_MAX, batch_max: 0 };
/// Lines that wait to be read; a server that writes faster waits.
const LINES_MAX: usize = 16;
/// Bytes that may wait for the server before what it asks is not answered.
const BACKLOG_MAX_BYTES: usize = 1024 * 1024;
/// What is kept of a server's standard error, for the message when it fails.
const STDERR_BYTES_MAX: usize = 64 * 1024;
/// How often it is looked whether the server has ended.
const PACE: Duration = Duration::from_millis(2);
/// How long the standard error of a server that has ended is read. What it started may hold it open.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// What is ended with the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ends {
    /// Itself alone.
    Itself,
    /// And everything that it has started; also where a signal ends this program.
    Group,
}

/// A server that runs, its lines, and the beginning of what it writes to standard error.
#[derive(Debug)]
pub struct ServerProcess {
    child: Child,
    input: Option<Outlet<ChildStdin>>,
    frames: Receiver<Frame>,
    stderr: Stderr,
    ends: Ends,
    farewell: Duration,
}

/// Why there is no further line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoLine {
    /// None came in time.
    Late,
    /// The server has ended its output.
    Ended,
}

impl ServerProcess {
    /// Starts the command; `farewell` is how long it may take to end after its input has.
    ///
    /// # Errors
    ///
    /// As the operating system says it, where the command cannot be started.
    pub fn start(mut command: Command, ends: Ends, farewell: Duration) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        #[cfg(unix)]
        if ends == Ends::Group {
            use std::os::unix::process::CommandExt;
            command.process_group(0);
        }
        let child = command.spawn()?;
        #[cfg(unix)]
        if let Some(group) = group_of(&child, ends) {
            interrupt::ends_with_us(group);
        }
        let (sender, frames) = mpsc::sync_channel(LINES_MAX);
        let mut server = ServerProcess { child, input: None, frames, stderr: Stderr::default(), ends, farewell };
        // From here on it is ended where something cannot be had.
        let gone = || io::Error::from(io::ErrorKind::BrokenPipe);
        let input = server.child.stdin.take().ok_or_else(gone)?;
        server.input = Some(Outlet::start("to-server", input)?);
        let output = server.child.stdout.take().ok_or_else(gone)?;
        thread::Builder::new().name("from-server".to_owned()).spawn(move || read_frames(output, &sender))?;
        server.stderr = Stderr::read(server.child.stderr.take().ok_or_else(gone)?)?;
        Ok(server)
    }

    /// Sends one line, without waiting for the server to take it.
    ///
    /// # Errors
    ///
    /// The server has ended, or has closed its input.
    pub fn send(&self, frame: &str) -> io::Result<()> {
        let input = self.input.as_ref().filter(|input| !input.is_closed()).ok_or(io::ErrorKind::BrokenPipe)?;
        input.queue(frame.as_bytes().to_vec());
        input.flush();
        Ok(())
    }

    /// Sends what the server has asked for; goes nowhere while it asks and does not read.
    pub fn reply(&self, frame: &str) {
        let Some(input) = &self.input else { return };
        input.queue_or_drop(format!("{frame}\n").into_bytes(), BACKLOG_MAX_BYTES);
        input.flush();
    }

    /// Whether something could not be sent, because the server has ended or has closed its input.
    pub fn is_deaf(&self) -> bool {
        self.input.as_ref().is_none_or(Outlet::is_closed)
    }

    /// The server's next line, as the guard reads it.
    ///
    /// # Errors
    ///
    /// None came before the deadline, or none will come.
    pub fn next_frame(&mut self, deadline: Instant) -> Result<Frame, NoLine> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.frames.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Ended,
        })
    }

    /// Ends the server; the beginning of what it wrote to standard error.
    pub fn last_words(&mut self) -> String {
        self.end();
        self.stderr.take()
    }

    /// Ends the input, and the server where it does not end by itself.
    pub fn end(&mut self) {
        if let Some(input) = self.input.take() {
            input.close();
        }
        let deadline = Instant::now() + self.farewell;
        while let Ok(None) = self.child.try_wait() {
            if Instant::now() >= deadline {
                // It may have ended meanwhile; then there is nothing to do.
                let _ = self.child.kill();
                break;
            }
            thread::sleep(PACE);
        }
        #[cfg(unix)]
        if let Some(group) = group_of(&self.child, self.ends) {
            // There may be nothing left of it.
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
            interrupt::has_ended(group);
        }
        let _ = self.child.wait();
    }
}

/// The process group that ends with the server.
#[cfg(unix)]
fn group_of(child: &Child, ends: Ends) -> Option<rustix::process::Pid> {
    i32::try_from(child.id()).ok().filter(|_| ends == Ends::Group).and_then(rustix::process::Pid::from_raw)
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.end();
    }
}

/// The server's end that we write to. It is not known whether a write would wait, so that the outlet's own thread writes.
impl Sink for ChildStdin {
    fn ready(&self) -> usize {
        0
    }

    fn wait(&self) {}
}

fn read_frames(output: impl Read, sender: &SyncSender<Frame>) {
    let mut lines = Lines::new(output, LINE_MAX_BYTES);
    loop {
        let read = match lines.next_line() {
            Ok(Line::Whole(line)) => frame::read(line, &FRAME_LIMITS),
            Ok(Line::TooLarge(finding)) => frame::too_large(finding),
            Ok(Line::End) | Err(_) => return,
        };
        if sender.send(read).is_err() {
            return;
        }
    }
}

/// The beginning of what a server writes to standard error.
#[derive(Debug, Default)]
struct Stderr {
    kept: Arc<Mutex<Vec<u8>>>,
    /// Ends when it has.
    end: Option<Receiver<()>>,
}

impl Stderr {
    fn read(from: impl Read + Send + 'static) -> io::Result<Stderr> {
        let kept = Arc::<Mutex<Vec<u8>>>::default();
        let (sender, end) = mpsc::channel();
        let keeps = Arc::clone(&kept);
        let read = move || {
            keep_some(from, &keeps);
            drop(sender);
        };
        thread::Builder::new().name("server-stderr".to_owned()).spawn(read)?;
        Ok(Stderr { kept, end: Some(end) })
    }

    /// What has come of it a moment after the server has ended.
    fn take(&mut self) -> String {
        if let Some(end) = self.end.take() {
            let _ = end.recv_timeout(LAST_WORDS);
        }
        let kept = std::mem::take(&mut *self.kept.lock().unwrap_or_else(PoisonError::into_inner));
        String::from_utf8_lossy(&kept).into_owned()
    }
}

/// Keeps the beginning and reads on to the end, since a full pipe would stop the server.
fn keep_some(mut stderr: impl Read, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    loop {
        let read = match stderr.read(&mut buffer) {
            Ok(0) => return,
            Ok(count) => buffer.get(..count).unwrap_or_default(),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return,
        };
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        let room = STDERR_BYTES_MAX.saturating_sub(kept.len());
        kept.extend_from_slice(read.get(..room).unwrap_or(read));
    }
}

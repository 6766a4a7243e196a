//! A server that this program starts and talks to in lines, over its standard input and output.

#[cfg(unix)]
use super::interrupt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

/// Bytes of one line.
pub const LINE_MAX_BYTES: usize = 64 * 1024 * 1024;
/// Lines that wait to be read; a server that writes faster waits.
const LINES_MAX: usize = 16;
/// What is kept of a server's standard error, for the message when it fails.
const STDERR_BYTES_MAX: u64 = 64 * 1024;
/// How often it is looked whether the server has ended.
const PACE: Duration = Duration::from_millis(2);

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
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    stderr: Option<JoinHandle<String>>,
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
        let mut child = command.spawn()?;
        #[cfg(unix)]
        if let Some(group) = group_of(&child, ends) {
            interrupt::ends_with_us(group);
        }
        let input = child.stdin.take();
        let lines = child.stdout.take().map(read_lines).ok_or(io::ErrorKind::BrokenPipe)?;
        let stderr = child.stderr.take().map(|stderr| thread::spawn(move || keep_some(stderr)));
        Ok(ServerProcess { child, input, lines, stderr, ends, farewell })
    }

    /// Writes one line.
    ///
    /// # Errors
    ///
    /// The server has ended.
    pub fn send(&mut self, frame: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        writeln!(input, "{frame}").and_then(|()| input.flush())
    }

    /// The server's next line.
    ///
    /// # Errors
    ///
    /// None came before the deadline, or none will come.
    pub fn next_line(&mut self, deadline: Instant) -> Result<String, NoLine> {
        let left = deadline.saturating_duration_since(Instant::now());
        self.lines.recv_timeout(left).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoLine::Late,
            RecvTimeoutError::Disconnected => NoLine::Ended,
        })
    }

    /// Ends the server; the beginning of what it wrote to standard error.
    pub fn last_words(&mut self) -> String {
        self.end();
        self.stderr.take().and_then(|stderr| stderr.join().ok()).unwrap_or_default()
    }

    /// Ends the input, and the server where it does not end by itself.
    pub fn end(&mut self) {
        self.input = None;
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

fn read_lines(output: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = mpsc::sync_channel(LINES_MAX);
    thread::spawn(move || {
        let mut output = BufReader::new(output);
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = (&mut output).take(LINE_MAX_BYTES as u64).read_until(b'\n', &mut line);
            if !matches!(read, Ok(count) if count > 0) {
                return;
            }
            if sender.send(String::from_utf8_lossy(&line).into_owned()).is_err() {
                return;
            }
        }
    });
    receiver
}

/// Keeps the beginning and reads on to the end, since a full pipe would stop the server.
fn keep_some(stderr: impl Read) -> String {
    let mut stderr = BufReader::new(stderr);
    let mut kept = Vec::new();
    let read = stderr.by_ref().take(STDERR_BYTES_MAX).read_to_end(&mut kept);
    if read.is_ok() {
        // What is left is read only to keep the pipe empty.
        let _ = io::copy(&mut stderr, &mut io::sink());
    }
    String::from_utf8_lossy(&kept).into_owned()
}

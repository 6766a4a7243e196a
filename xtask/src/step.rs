//! One step of a command: what it says before, while and after it runs, and the count at the end.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

/// What became of a step.
pub(crate) enum Outcome {
    Passed,
    Skipped(String),
    Failed(String),
}

/// The steps that have run so far.
pub(crate) struct Report {
    no_skip: bool,
    passed: usize,
    skipped: Vec<String>,
    failed: Vec<String>,
}

impl Report {
    pub(crate) fn new(no_skip: bool) -> Self {
        Report { no_skip, passed: 0, skipped: Vec::new(), failed: Vec::new() }
    }

    /// Whether a missing tool is a failure.
    pub(crate) fn no_skip(&self) -> bool {
        self.no_skip
    }

    /// Runs one step and says how it went. The steps after it run whatever comes of it.
    pub(crate) fn step(&mut self, name: &str, run: impl FnOnce() -> Outcome) {
        say(&format!("\n==> {name}\n"));
        let start = Instant::now();
        let outcome = match run() {
            Outcome::Skipped(why) if self.no_skip => Outcome::Failed(format!("{why}, and nothing may be skipped")),
            outcome => outcome,
        };
        let seconds = start.elapsed().as_secs();
        match outcome {
            Outcome::Passed => {
                self.passed += 1;
                say(&format!("==> {name}: ok ({seconds} s)\n"));
            }
            Outcome::Skipped(why) => {
                say(&format!("==> {name}: skipped, {why}\n"));
                self.skipped.push(format!("{name}: {why}"));
            }
            Outcome::Failed(why) => {
                say(&format!("==> {name}: FAILED ({seconds} s): {why}\n"));
                self.failed.push(format!("{name}: {why}"));
            }
        }
    }

    /// Says the sum of all steps. The last line stands alone, for programs that count tests by it.
    pub(crate) fn close(self) -> ExitCode {
        say("\n");
        for skipped in &self.skipped {
            say(&format!("skipped  {skipped}\n"));
        }
        for failed in &self.failed {
            say(&format!("FAILED   {failed}\n"));
        }
        let sum = format!("{} passed, {} failed, {} skipped\n", self.passed, self.failed.len(), self.skipped.len());
        say(&sum);
        if self.failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

/// A command line to run: what is said is what is run.
pub(crate) struct Run {
    command: Command,
    shown: String,
}

impl Run {
    pub(crate) fn new(program: impl AsRef<OsStr>, folder: &Path) -> Self {
        let mut command = Command::new(&program);
        // Nothing here may wait for a person.
        command.current_dir(folder).stdin(Stdio::null());
        Run { shown: shown_name(program.as_ref()), command }
    }

    pub(crate) fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        for arg in args {
            self.shown.push(' ');
            self.shown.push_str(&arg.as_ref().to_string_lossy());
            self.command.arg(arg);
        }
        self
    }

    pub(crate) fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.shown = format!("{name}={} {}", value.as_ref().to_string_lossy(), self.shown);
        self.command.env(name, value);
        self
    }

    /// Runs to the end with its output shown; passed where it exits 0.
    pub(crate) fn outcome(mut self) -> Outcome {
        say(&format!("    {}\n", self.shown));
        match self.command.status() {
            Ok(status) if status.success() => Outcome::Passed,
            Ok(status) => Outcome::Failed(format!("`{}` ended with {status}", self.shown)),
            Err(error) => Outcome::Failed(format!("`{}` could not be started: {error}", self.shown)),
        }
    }

    /// Runs to the end and returns what it printed.
    pub(crate) fn output(mut self) -> Result<String, String> {
        self.command.stderr(Stdio::piped());
        let output =
            self.command.output().map_err(|error| format!("`{}` could not be started: {error}", self.shown))?;
        if output.status.success() {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        } else {
            let stderr = String::from_utf8_lossy(&output.stderr);
            Err(format!("`{}` ended with {}: {}", self.shown, output.status, stderr.trim()))
        }
    }

    /// Runs to the end and returns what it said on standard error.
    pub(crate) fn complaints(mut self) -> Result<String, String> {
        say(&format!("    {}\n", self.shown));
        let output =
            self.command.output().map_err(|error| format!("`{}` could not be started: {error}", self.shown))?;
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            Ok(stderr)
        } else {
            Err(format!("`{}` ended with {}: {}", self.shown, output.status, stderr.trim()))
        }
    }

    /// Whether it runs and exits 0; what it prints is dropped.
    pub(crate) fn works(mut self) -> bool {
        let quiet = self.command.stdout(Stdio::null()).stderr(Stdio::null());
        quiet.status().is_ok_and(|status| status.success())
    }
}

fn shown_name(program: &OsStr) -> String {
    let path = Path::new(program);
    path.file_name().unwrap_or(program).to_string_lossy().into_owned()
}

/// Prints at once: the output of a child that follows must stand below it.
pub(crate) fn say(text: &str) {
    let mut stdout = std::io::stdout().lock();
    // A closed pipe is no reason to stop testing.
    let _ = stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush());
}

/// Says why nothing was run.
pub(crate) fn complain(why: &str) -> ExitCode {
    say(&format!("xtask: {why}\n"));
    ExitCode::FAILURE
}

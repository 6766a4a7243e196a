//! `toolgate demo`: what the guard does, shown with a server that needs it.
//!
//! Two copies of the demo server get the same calls, one alone and one behind `toolgate run`; both are real, and what is
//! printed about them is what they did. A scene whose outcome is not the one it tells of is a failure of the demo, so that
//! it is a test as well.

mod scenes;
mod screen;
mod session;
mod stage;

use self::screen::Screen;
use self::session::{Fault, Session};
use self::stage::Tally;
use crate::exit::Exit;
use crate::show;
use anstyle::{AnsiColor, Style};
use std::env;
use std::io::{self, Write};
use std::process::{Command, ExitCode};

/// What stands behind the guard says `description`, where its tool now declares `prompt`.
const ALIAS: &str = "create_task:prompt=description";

/// As in the table of exit codes: done, no answer, a fault of ours.
const NO_ANSWER: u8 = Exit::NoAnswer as u8;
const INTERNAL_FAULT: u8 = Exit::Internal as u8;

/// Play a short session with a careless server, without and with the guard.
#[derive(Debug, clap::Args)]
pub(crate) struct DemoArgs {
    /// Serve the guarded demo server on standard input and output, for a client of your own.
    #[arg(long, conflicts_with = "server")]
    serve: bool,
    /// Serve the careless server itself, without a guard.
    #[arg(long)]
    server: bool,
}

/// Runs the subcommand to its exit code.
pub(crate) fn demo(args: DemoArgs) -> ExitCode {
    let outcome = match (args.server, args.serve) {
        (true, _) => {
            toolgate_demo::run_stdio().map(|()| ExitCode::SUCCESS).map_err(|fault| (fault.to_string(), NO_ANSWER))
        }
        (_, true) => serve().map_err(|error| (error.to_string(), INTERNAL_FAULT)),
        _ => play().map_err(|fault| (fault.to_string(), INTERNAL_FAULT)),
    };
    outcome.unwrap_or_else(|(why, code)| {
        let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
        // Standard error that is gone leaves nobody to tell; the exit code still says it.
        let _ = writeln!(anstream::stderr(), "{red}toolgate demo:{red:#} {why}");
        ExitCode::from(code)
    })
}

fn play() -> Result<ExitCode, Fault> {
    let mut alone = Session::start(bare_server().map_err(Fault::Start)?)?;
    let mut guarded = Session::start(undecided(guarded_server().map_err(Fault::Start)?))?;
    let mut screen = Screen::new(anstream::stdout(), show::screen());
    let mut tally = Tally::default();
    screen.opening();
    for scene in scenes::SCENES {
        let shown = stage::play(scene, &mut alone, &mut guarded)?;
        tally.count(&shown);
        screen.scene(scene, &shown);
    }
    alone.close();
    guarded.close();
    screen.closing(&tally);
    if let Err(fault) = screen.end() {
        return Ok(show::unwritten(&fault).into());
    }
    Ok(if tally.untrue == 0 { ExitCode::SUCCESS } else { ExitCode::from(INTERNAL_FAULT) })
}

/// Becomes the guard, or waits for it where a process cannot become another: the client's signals and its end of input
/// then reach the guard itself.
fn serve() -> io::Result<ExitCode> {
    let mut command = guarded_server()?;
    #[cfg(unix)]
    {
        use std::os::unix::process::CommandExt;
        Err(command.exec())
    }
    #[cfg(not(unix))]
    {
        let code = command.status()?.code().and_then(|code| u8::try_from(code).ok());
        Ok(code.map_or(ExitCode::FAILURE, ExitCode::from))
    }
}

/// Without the operator's own decisions: the scenes tell of the guard as it is when nobody has said anything.
fn undecided(mut command: Command) -> Command {
    for (name, _) in env::vars_os() {
        if name.to_string_lossy().starts_with("TOOLGATE_") {
            command.env_remove(name);
        }
    }
    command
}

fn bare_server() -> io::Result<Command> {
    let mut command = Command::new(env::current_exe()?);
    command.args(["demo", "--server"]);
    Ok(command)
}

fn guarded_server() -> io::Result<Command> {
    let toolgate = env::current_exe()?;
    let mut command = Command::new(&toolgate);
    command.args(["run", "--alias", ALIAS, "--"]).arg(&toolgate).args(["demo", "--server"]);
    Ok(command)
}

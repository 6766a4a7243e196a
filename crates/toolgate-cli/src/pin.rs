//! `toolgate pin`: keeps what servers list, beside the file that names them, for `toolgate diff` to hold against later.

mod lock;

pub(crate) use lock::Lock;

use crate::exit::{Exit, status};
use crate::servers::{Named, Servers};
use crate::show::{complain, counted};
use crate::source::{Opened, ServerArgs, is_url, shown_server};
use crate::store::Turn;
use clap::Args;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_HELP: &str = "\
The pin file is toolgate.lock.json beside the file that names the server, in
the working directory for a server that no file names, and beside our own file
of the user for one that a client's file of the user names. It holds each tool
as the server listed it, with its digest; keep it under version control. The
pins of other servers in it stay.

Exit codes:
  0; 3 when a server does not answer; 4 when it asks who we are; 64 for a
  mistake in the command line; 74 when a pin file cannot be written; 78 for
  a mistake in a configuration or a pin file; 129, 130 and 143 ended by a
  signal.

Examples:
  toolgate pin                 # every server that our own files name
  toolgate pin notes
  toolgate pin --name notes -- npx -y @modelcontextprotocol/server-filesystem .";

/// Pins what servers list now, so that `diff` tells what has changed since
#[derive(Args)]
#[command(override_usage = "toolgate pin [OPTIONS] [SERVER]...\n       toolgate pin [OPTIONS] --name NAME -- COMMAND [ARGUMENTS]...",
    after_help = AFTER_HELP, mut_arg("catalog", |arg| arg.hide(true)))]
pub(crate) struct PinArgs {
    /// Names that `toolgate servers` lists, or URLs [default: all that our own files name]
    #[arg(value_name = "SERVER", conflicts_with = "command")]
    names: Vec<String>,

    /// The command of a server and its arguments, after `--`
    #[arg(last = true, num_args = 1.., allow_hyphen_values = true, value_name = "COMMAND", requires = "name")]
    command: Vec<OsString>,

    #[command(flatten)]
    place: PinPlace,

    #[command(flatten)]
    server: ServerArgs,
}

/// Where a pin is, and under which name.
#[derive(Args)]
pub(crate) struct PinPlace {
    /// The pin file [default: toolgate.lock.json beside the file that names the server]
    #[arg(long, value_name = "FILE")]
    lock: Option<PathBuf>,

    /// The name of the pin of a server that is given by its command
    #[arg(long, value_name = "NAME", requires = "command")]
    pub(crate) name: Option<String>,
}

/// A pin by its file and its name.
pub(crate) struct PinKey {
    pub(crate) file: PathBuf,
    pub(crate) name: String,
}

impl PinPlace {
    /// Of a server by its name or its URL.
    pub(crate) fn of_name(&self, name: &str, servers: &Servers) -> Result<PinKey, Exit> {
        if is_url(name) {
            return Ok(self.of_working_directory(&shown_server(name)));
        }
        let named = servers.get(name).map_err(|why| complain(&why, Exit::Usage))?;
        Ok(PinKey { file: self.file_of(named), name: name.to_owned() })
    }

    /// The pin file of a server that a file names.
    fn file_of(&self, named: &Named) -> PathBuf {
        self.lock.clone().unwrap_or_else(|| named.folder().join(lock::NAME))
    }

    /// Every pin of the files that pins of these servers can be in, and those of no file: with each, the server by which it is asked
    /// for, where there is one.
    pub(crate) fn all(&self, servers: &Servers) -> Result<Vec<(PinKey, Option<String>)>, Exit> {
        let mut files = vec![self.of_working_directory("").file];
        for file in servers.servers.iter().map(|named| self.file_of(named)) {
            if !files.contains(&file) {
                files.push(file);
            }
        }
        let mut pins = Vec::new();
        for file in files {
            for name in read_lock(&file)?.names() {
                let is_named = servers.get(name).is_ok_and(|named| self.file_of(named) == file);
                let asked = (is_named || is_url(name)).then(|| name.to_owned());
                pins.push((PinKey { file: file.clone(), name: name.to_owned() }, asked));
            }
        }
        Ok(pins)
    }

    /// Of a server that no file names.
    pub(crate) fn of_working_directory(&self, name: &str) -> PinKey {
        PinKey { file: self.lock.clone().unwrap_or_else(|| PathBuf::from(lock::NAME)), name: name.to_owned() }
    }
}

/// Reads a pin file.
pub(crate) fn read_lock(path: &Path) -> Result<Lock, Exit> {
    Lock::read(path).map_err(|why| complain(&why, Exit::Configuration))
}

pub(crate) fn pin(args: &PinArgs) -> ExitCode {
    status(pin_all(args))
}

fn pin_all(args: &PinArgs) -> Result<Exit, Exit> {
    let server = &args.server;
    if server.catalog.is_some() {
        return Err(complain("a pin is of a server: --catalog is for `toolgate diff`", Exit::Usage));
    }
    if let Some(name) = &args.place.name {
        let opened = server.of_command(&args.command)?.open(server)?;
        keep(&args.place.of_working_directory(name), &opened)?;
        return Ok(Exit::Done);
    }
    let names = if args.names.is_empty() { server.all_names()? } else { args.names.clone() };
    if names.is_empty() {
        let why = "no server is named for toolgate (those of clients are pinned when they are named; `toolgate config import` takes \
                   them over): give a name of `toolgate servers`, a URL, or a command after --";
        return Err(complain(why, Exit::Usage));
    }
    let mut exit = Exit::Done;
    for name in names {
        // One that does not answer costs itself alone.
        let servers = server.servers_for(&name)?;
        let key = args.place.of_name(&name, &servers)?;
        match server.of_name_in(&servers, &name).and_then(|source| source.open(server)) {
            Ok(opened) => keep(&key, &opened)?,
            Err(Exit::Interrupted) => return Err(Exit::Interrupted),
            Err(why) => exit = exit.or(why),
        }
    }
    Ok(exit)
}

fn keep(key: &PinKey, opened: &Opened) -> Result<(), Exit> {
    let unwritten = |error| complain(&format!("cannot write {}: {error}", key.file.display()), Exit::Output);
    let turn = Turn::take(&key.file).map_err(unwritten)?;
    let mut lock = read_lock(&key.file)?;
    let definitions = &opened.target.definitions;
    lock.set(&key.name, definitions);
    turn.write_whole(&lock.render()).map_err(unwritten)?;
    let (name, tools) = (crate::show::visible(&key.name), counted(definitions.len(), "tool"));
    let _ = writeln!(anstream::stderr(), "{name}: {tools} pinned in {}", key.file.display());
    Ok(())
}

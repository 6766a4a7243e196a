//! `toolgate install` and `toolgate uninstall`: the servers of a client started behind the guard, in the client's own file.
//!
//! Nothing is guessed: a server that is shaped otherwise than its client says is left and named. A file is written only where taking
//! the guard away again gives the same bytes.

mod diff;
mod edit;
mod shown;
mod write;

use crate::contract_args;
use crate::exit::{Exit, status};
use crate::input;
use crate::servers::clients::{Client, ClientPath, is_toolgate};
use crate::servers::own_program::{self, Written};
use crate::servers::{in_file, shown_path};
use crate::show::{BOLD, columns, complain, filled, notice, print, quoted_for_shell, say, visible};
use crate::tool::did_you_mean;
use clap::Args;
use edit::{Edit, Guard, Place, State, applied, places};
use std::path::PathBuf;
use std::process::ExitCode;
use toolgate::shown_name;
use toolgate_gateway::policy::ProfileChoice;
use write::Copy;

const AFTER_INSTALL: &str = "\
Clients: claude-code, claude-desktop, cursor, vscode, codex, gemini, goose.
Their files are those of the working directory and of the user, as
`toolgate servers` finds them.

A server that is a process is started by `toolgate run -- COMMAND ...` from
then on; its variables, its folder and every other byte of the file stay. One
that is reached over HTTP is left alone, and so is one that is shaped
otherwise than its client says. What the file held before it had a guard is
kept beside it, in FILE.before-toolgate, until it is that again.

Exit codes:
  0, also when there was nothing to do; 1 when a server that was named is
  left alone; 64 for a mistake in the command line; 74 when a file cannot be
  written; 78 for a client's file that is not there or cannot be read, for
  one that was given and names no server, and for a mistake in the policy.

Examples:
  toolgate install                         # which clients are here
  toolgate install cursor --dry-run
  toolgate install cursor --observe        # look first, refuse nothing
  toolgate install codex notes --profile openai
  toolgate uninstall cursor";

const AFTER_UNINSTALL: &str = "\
Takes the guard away from the servers that have it, wherever it came from;
every other byte stays as it is by now. After `toolgate install` the file is
what it was, byte for byte.

Exit codes:
  0, also when there was nothing to do; 1 when a server that was named is
  left alone; 64 for a mistake in the command line; 74 when a file cannot be
  written; 78 for a client's file that is not there or cannot be read, and for
  one that was given and names no server.";

/// Puts the guard before the servers of a client, in the client's own file
#[derive(Args)]
#[command(after_help = AFTER_INSTALL)]
pub(crate) struct InstallArgs {
    #[command(flatten)]
    which: Which,

    /// For whom the tools are shown: a profile as `toolgate profiles` lists them, or auto
    #[arg(long, value_name = "NAME", requires = "client")]
    profile: Option<String>,

    /// Policy file of `toolgate run`
    #[arg(long, value_name = "FILE", requires = "client")]
    policy: Option<PathBuf>,

    /// Refuse nothing yet: every call is judged, and what would have been refused is told in the client's log of the server
    #[arg(long, requires = "client")]
    observe: bool,

    /// The program that is written as the command [default: toolgate, or its whole path where the PATH does not lead to it]
    #[arg(long, value_name = "PROGRAM", requires = "client")]
    program: Option<String>,
}

/// Takes the guard away from the servers of a client
#[derive(Args)]
#[command(after_help = AFTER_UNINSTALL)]
pub(crate) struct UninstallArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Args)]
struct Which {
    /// The client; without one, all that are here are listed
    #[arg(value_name = "CLIENT")]
    client: Option<String>,

    /// Its servers [default: all]
    #[arg(value_name = "SERVER")]
    servers: Vec<String>,

    /// The client's file, in place of those that are looked for
    #[arg(long, value_name = "FILE", requires = "client")]
    file: Option<PathBuf>,

    /// Show what would change, and change nothing
    #[arg(long, requires = "client")]
    dry_run: bool,
}

/// What is done with each server.
enum Doing {
    Install(Guard),
    Uninstall,
}

pub(crate) fn install(args: &InstallArgs) -> ExitCode {
    if args.which.client.is_none() {
        return status(shown::clients());
    }
    status(guard(args).and_then(|guard| run(&args.which, &Doing::Install(guard))))
}

pub(crate) fn uninstall(args: &UninstallArgs) -> ExitCode {
    status(run(&args.which, &Doing::Uninstall))
}

fn guard(args: &InstallArgs) -> Result<Guard, Exit> {
    let mut words = vec!["run".to_owned()];
    if args.observe {
        words.push("--observe".to_owned());
    }
    if let Some(profile) = &args.profile {
        if let Err(why) = ProfileChoice::read(profile) {
            return Err(complain(&why.to_string(), Exit::Usage));
        }
        words.extend(["--profile".to_owned(), profile.clone()]);
    }
    if let Some(policy) = &args.policy {
        let configuration = |why: String| complain(&why, Exit::Configuration);
        contract_args::policy(policy).map_err(configuration)?;
        // A client starts its servers in a folder of its own.
        let policy = std::path::absolute(policy).map_err(|error| configuration(error.to_string()))?;
        let policy = policy.to_str().ok_or_else(|| configuration("the path of the policy is not UTF-8".to_owned()))?;
        words.extend(["--policy".to_owned(), policy.to_owned()]);
    }
    Ok(Guard { program: program(args.program.as_deref())?, words })
}

/// The program as the client is to start it.
fn program(said: Option<&str>) -> Result<String, Exit> {
    if let Some(said) = said {
        return Ok(said.to_owned());
    }
    let configuration = |why: &str| complain(why, Exit::Configuration);
    let file = std::env::current_exe().map_err(|error| configuration(&format!("where this program is: {error}")))?;
    let path = match own_program::written(PROGRAM, &file) {
        Written::Name => return Ok(PROGRAM.to_owned()),
        Written::Fleeting(path) => {
            return Err(configuration(&format!(
                "{} is in a folder where nothing stays, so that the client would not find it: install it for good \
                 (`npm install --global`, `uv tool install` and `pipx install` take what npx and uvx take), or name one that \
                 stays with --program",
                shown_path(&path)
            )));
        }
        Written::Path(path) => path,
    };
    let text = path.to_str().filter(|text| is_toolgate(text));
    let text = text.ok_or_else(|| configuration("this program is not called toolgate; name one with --program"))?;
    notice(&format!(
        "the PATH does not lead to this program by the name `{PROGRAM}`, so its whole path is written: {}",
        shown_path(&path)
    ));
    Ok(text.to_owned())
}

fn run(which: &Which, doing: &Doing) -> Result<Exit, Exit> {
    let Some(name) = &which.client else { return shown::clients() };
    let client = Client::named(name).map_err(|why| complain(&why, Exit::Usage))?;
    let files = match &which.file {
        Some(path) => vec![client.file(path)],
        None => client.found().into_iter().filter(|file| file.path.is_file()).collect(),
    };
    if files.is_empty() {
        let looked: Vec<String> = client.found().iter().map(|file| shown_path(&file.path)).collect();
        let why = format!("{} names no servers here; looked for {}", client.title, looked.join(", "));
        return Err(complain(&why, Exit::Configuration));
    }
    let mut read = Vec::new();
    for file in files {
        read.push(Read::of(client, file)?);
    }
    if read.iter().all(|file| file.places.is_empty()) {
        let why = format!("{} names no server in {}: there is nothing to guard", client.title, paths(&read));
        // A file that somebody names is there because of its servers.
        if which.file.is_some() {
            return Err(complain(&why, Exit::Configuration));
        }
        notice(&why);
        return Ok(Exit::Done);
    }
    for name in &which.servers {
        if read.iter().all(|file| file.places.iter().all(|place| place.name != *name)) {
            return Err(complain(&unknown(name, &read), Exit::Usage));
        }
    }
    let mut exit = Exit::Done;
    let mut written = Vec::new();
    for file in &read {
        let elsewhere = edit::other_folders(client, &file.file, &file.text);
        if !elsewhere.is_empty() {
            let elsewhere = elsewhere.iter().map(|folder| visible(folder)).collect::<Vec<_>>().join(", ");
            notice(&format!(
                "servers that {} has for other folders stay as they are; run this there: {elsewhere}",
                client.title
            ));
        }
        let changed = file.change(client, which, doing)?;
        if changed.exit == Exit::Verdict {
            exit = Exit::Verdict;
        }
        if changed.is_written {
            written.push(&file.file);
        }
    }
    next_steps(client, which, doing, &written);
    Ok(exit)
}

/// What is to be done once files have been written.
fn next_steps(client: &Client, which: &Which, doing: &Doing, written: &[&ClientPath]) {
    if written.is_empty() {
        return;
    }
    say(&format!("start {} anew: it reads its servers when it starts", client.title));
    if matches!(doing, Doing::Uninstall) {
        return;
    }
    let file = which.file.as_ref().map(|path| format!(" --file {}", quoted_for_shell(&path.to_string_lossy())));
    say(&format!("`toolgate uninstall {}{}` takes the guard away again", client.name, file.unwrap_or_default()));
    for file in written.iter().filter(|file| file.is_of_project) {
        notice(&format!(
            "{} is the project's: whoever shares it starts these servers by toolgate from now on, and needs it too",
            shown_path(&file.path)
        ));
    }
}

fn unknown(name: &str, files: &[Read]) -> String {
    let names = || files.iter().flat_map(|file| &file.places).map(|place| place.name.as_str());
    let near = did_you_mean(name, names()).unwrap_or_default();
    format!("there is no server `{}` in {}{near}", shown_name(name), paths(files))
}

fn paths(files: &[Read]) -> String {
    files.iter().map(|file| shown_path(&file.file.path)).collect::<Vec<_>>().join(", ")
}

/// What has become of a file.
struct Changed {
    exit: Exit,
    is_written: bool,
}

/// A client's file as it is.
struct Read {
    file: ClientPath,
    bytes: Vec<u8>,
    /// The text after the byte order mark.
    text: String,
    places: Vec<Place>,
}

impl Read {
    fn of(client: &Client, file: ClientPath) -> Result<Read, Exit> {
        let configuration = |why: String| complain(&why, Exit::Configuration);
        let bytes = input::bytes(&file.path).map_err(configuration)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| configuration(format!("{} is not UTF-8", shown_path(&file.path))))?;
        let text = text.strip_prefix(MARK).unwrap_or(text).to_owned();
        let places = places(client, &file, &text).map_err(|why| configuration(in_file(&file.path, &why)))?;
        Ok(Read { file, bytes, text, places })
    }

    /// Changes the file, or shows what would change, and tells what became of each server.
    fn change(&self, client: &Client, which: &Which, doing: &Doing) -> Result<Changed, Exit> {
        let wanted = |place: &&Place| which.servers.is_empty() || which.servers.contains(&place.name);
        let chosen: Vec<&Place> = self.places.iter().filter(wanted).collect();
        if chosen.is_empty() {
            return Ok(Changed { exit: Exit::Done, is_written: false });
        }
        let mut out = format!("{BOLD}{}{BOLD:#}\n", shown_path(&self.file.path));
        let mut edits: Vec<Edit> = Vec::new();
        let mut exit = Exit::Done;
        let width = chosen.iter().map(|place| columns(&visible(&place.name))).max().unwrap_or(0) + 2;
        for place in chosen {
            let told = match (self.of_place(place, doing), doing) {
                (Ok(Some(of_place)), _) => {
                    edits.extend(of_place);
                    outcome(doing, which.dry_run).to_owned()
                }
                (Ok(None), Doing::Install(_)) => "guarded already".to_owned(),
                (Ok(None), Doing::Uninstall) => "not guarded".to_owned(),
                (Err(why), _) => {
                    if !which.servers.is_empty() {
                        exit = Exit::Verdict;
                    }
                    format!("left alone: {}", visible(&why))
                }
            };
            out.push_str(&format!("  {}{told}\n", filled(&visible(&place.name), width)));
        }
        if edits.is_empty() {
            print(&out)?;
            return Ok(Changed { exit, is_written: false });
        }
        if which.dry_run {
            print(&(out + &diff::lines(&self.file.path, &self.text, &self.places, client.keys, &edits)))?;
            return Ok(Changed { exit, is_written: false });
        }
        let new = applied(&self.text, edits);
        self.hold_to(client, &new, doing)?;
        let is_guarded = self.places.iter().any(|place| matches!(place.state, State::Guarded(_)));
        let copy = write::whole(&self.file.path, &self.bytes, &new, is_guarded);
        let told = match copy.map_err(|why| complain(&why, Exit::Output))? {
            Copy::Kept(copy) => format!("what it held before it had a guard is in {}", shown_path(&copy)),
            Copy::Gone => "it is what it was before it had a guard".to_owned(),
        };
        print(&format!("{out}  {told}\n"))?;
        Ok(Changed { exit, is_written: true })
    }

    /// What is edited for one server; nothing where it is as it should be.
    fn of_place(&self, place: &Place, doing: &Doing) -> Result<Option<Vec<Edit>>, String> {
        match (&place.state, doing) {
            (State::Left(why), _) => Err(why.clone()),
            (State::Open(slot), Doing::Install(guard)) => slot.guard(&self.text, guard).map(Some),
            (State::Guarded(slot), Doing::Install(guard)) if slot.guard_words() != guard.words => {
                Err("it is guarded already, with other options; uninstall it first".to_owned())
            }
            (State::Guarded(_), Doing::Install(_)) | (State::Open(_), Doing::Uninstall) => Ok(None),
            (State::Guarded(slot), Doing::Uninstall) => slot.unguard(&self.text).map(Some),
        }
    }

    /// Holds the new text to what it should be, before anything is written.
    fn hold_to(&self, client: &Client, new: &str, doing: &Doing) -> Result<(), Exit> {
        let fault = |why: &str| {
            complain(
                &format!("{} is left as it is: {why}; this is a fault of toolgate's", shown_path(&self.file.path)),
                Exit::Internal,
            )
        };
        let now = places(client, &self.file, new).map_err(|_| fault("the new text cannot be read"))?;
        if now.len() != self.places.len() {
            return Err(fault("the new text names other servers"));
        }
        let mut back = Vec::new();
        for (now, before) in now.iter().zip(&self.places) {
            let (State::Open(one) | State::Guarded(one), State::Open(other) | State::Guarded(other)) =
                (&now.state, &before.state)
            else {
                continue;
            };
            if one.own_words() != other.own_words() {
                return Err(fault("a server would be started otherwise"));
            }
            if let (State::Guarded(slot), State::Open(_)) = (&now.state, &before.state) {
                back.extend(slot.unguard(new).map_err(|_| fault("the guard could not be taken away again"))?);
            }
        }
        if matches!(doing, Doing::Uninstall) {
            return Ok(());
        }
        if applied(new, back) == self.text {
            Ok(())
        } else {
            Err(fault("taking the guard away would not give it back"))
        }
    }
}

/// What becomes of a server that is edited.
fn outcome(doing: &Doing, is_dry: bool) -> &'static str {
    match (doing, is_dry) {
        (Doing::Install(_), false) => "guarded",
        (Doing::Install(_), true) => "would be guarded",
        (Doing::Uninstall, false) => "no longer guarded",
        (Doing::Uninstall, true) => "would no longer be guarded",
    }
}

/// A byte order mark.
const MARK: char = '\u{feff}';
/// This program, as a shell finds it.
const PROGRAM: &str = "toolgate";

#[cfg(test)]
mod tests;

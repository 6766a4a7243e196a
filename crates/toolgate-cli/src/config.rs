//! `toolgate config`: our own file of servers, and whether what it names can be used.

mod add;
mod doctor;
mod file;
mod import;
mod schema;
mod trust;

pub(crate) use add::is_secret;

use crate::exit::{Exit, status};
use crate::servers::{LOCAL, Servers, list_of, of_user, shown_path};
use crate::show::complain;
use crate::tool::did_you_mean;
use clap::{Args, Subcommand};
use file::OwnFile;
use std::path::PathBuf;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
The file:
  --config FILE or TOOLGATE_CONFIG; with --local toolgate.toml in the working
  directory; else toolgate/config.toml in $XDG_CONFIG_HOME or ~/.config.
  `list` and `remove` look at both. Comments and the order of everything stay.

Exit codes:
  0; 1 when `doctor` found something wrong, or `import` left a server out; 64
  for a mistake in the command line; 74 when the file cannot be written; 78
  for a mistake in a configuration.

Examples:
  toolgate config add notes -- npx -y my-server ~/notes
  toolgate config add web https://example.com/mcp --bearer-env WEB_TOKEN
  toolgate config import cursor notes
  toolgate config doctor --connect";

const AFTER_LIST: &str = "\
Exit codes:
  0; 64 for a mistake in the command line; 74 when the list cannot be
  written; 78 for a mistake in a configuration.";

const AFTER_REMOVE: &str = "\
Exit codes:
  0; 64 for a mistake in the command line and a server that is not there; 74
  when the file cannot be written; 78 for a mistake in a configuration.";

/// Changes our own file of servers, and says whether what it names can be used
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ConfigArgs {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Lists the servers of our own files
    List(ListArgs),
    /// Adds a server
    Add(add::AddArgs),
    /// Takes a server out
    Remove(RemoveArgs),
    /// Copies servers from the configuration of a client; variables stay variables
    Import(import::ImportArgs),
    /// Looks whether each server can be used, and says what is wrong and how to mend it
    Doctor(doctor::DoctorArgs),
    /// Lets the files of a folder name servers
    Trust(trust::TrustArgs),
    /// Writes the JSON Schema of our own file
    #[command(after_help = "Exit codes:\n  0; 64 for a mistake in the command line; 74 when it cannot be written.")]
    Schema,
}

/// Which file is meant.
#[derive(Args)]
struct Which {
    /// The file, in place of the usual ones
    #[arg(long, value_name = "FILE", conflicts_with = "local")]
    config: Option<PathBuf>,

    /// toolgate.toml in the working directory
    #[arg(long)]
    local: bool,
}

#[derive(Args)]
#[command(after_help = AFTER_LIST)]
struct ListArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Args)]
#[command(after_help = AFTER_REMOVE)]
struct RemoveArgs {
    /// The server
    #[arg(value_name = "NAME")]
    name: String,

    #[command(flatten)]
    which: Which,
}

impl Which {
    /// The one file that was said.
    fn said(&self) -> Option<PathBuf> {
        let local = self.local.then(|| PathBuf::from(LOCAL));
        local.or_else(|| self.config.clone()).or_else(|| std::env::var_os("TOOLGATE_CONFIG").map(PathBuf::from))
    }

    /// Our own files, in the order in which they count.
    fn all(&self) -> Vec<PathBuf> {
        self.said().map_or_else(|| [PathBuf::from(LOCAL)].into_iter().chain(of_user()).collect(), |said| vec![said])
    }

    /// The file for a new server.
    fn for_new(&self) -> Result<PathBuf, Exit> {
        self.said().or_else(of_user).ok_or_else(|| {
            complain(
                "there is no folder of the user's here: give a file with --config, or --local",
                Exit::Configuration,
            )
        })
    }
}

pub(crate) fn config(args: &ConfigArgs) -> ExitCode {
    status(match &args.command {
        Command::List(args) => list(&args.which),
        Command::Add(args) => add::add(args),
        Command::Remove(args) => remove(args),
        Command::Import(args) => import::import(args),
        Command::Doctor(args) => doctor::doctor(args),
        Command::Trust(args) => trust::trust(args),
        Command::Schema => schema::print_schema(),
    })
}

fn list(which: &Which) -> Result<Exit, Exit> {
    let found = Servers::of_ours(&which.all()).map_err(|why| complain(&why, Exit::Configuration))?;
    list_of(&found)?;
    Ok(Exit::Done)
}

fn remove(args: &RemoveArgs) -> Result<Exit, Exit> {
    let files = args.which.all();
    let mut names = Vec::new();
    for path in files.iter().filter(|path| path.exists()) {
        let mut own = OwnFile::read(path)?;
        if own.remove(&args.name) {
            own.write()?;
            let name = crate::show::visible(&args.name);
            crate::show::say(&format!("{name} taken out of {}", shown_path(path)));
            return Ok(Exit::Done);
        }
        names.extend(own.names());
    }
    let near = did_you_mean(&args.name, names.iter().map(String::as_str)).unwrap_or_default();
    let files = files.iter().map(|path| shown_path(path)).collect::<Vec<_>>().join(" or ");
    let name = toolgate::shown_name(&args.name);
    Err(complain(&format!("there is no server `{name}` in {files}{near}"), Exit::Usage))
}

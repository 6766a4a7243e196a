//! `toolgate config trust`: the files of a folder may name servers.

use crate::exit::Exit;
use crate::servers::{shown_path, trust};
use crate::show::{complain, say};
use clap::Args;
use std::path::PathBuf;

const AFTER_HELP: &str = "\
toolgate.toml, .mcp.json and the files of clients in a folder come with what
was cloned or unpacked. They start programs and are given your variables, so
until a folder is trusted `toolgate servers` lists what they name and no
command uses it. A file that is named with --config or TOOLGATE_CONFIG, and
all in your home, needs no trust. `config add --local` trusts a folder in
which it makes the first such file.

Trust is of the folder, not of those above and below it, whatever its files
come to say; it is noted in toolgate/trusted of $XDG_STATE_HOME or of
~/.local/state.

Exit codes:
  0; 64 for a folder that is none, and a mistake in the command line; 74 when
  it cannot be noted.";

#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(super) struct TrustArgs {
    /// The folder
    #[arg(value_name = "FOLDER", default_value = ".")]
    folder: PathBuf,

    /// Trust it no longer
    #[arg(long)]
    undo: bool,
}

pub(super) fn trust(args: &TrustArgs) -> Result<Exit, Exit> {
    let TrustArgs { folder, undo } = args;
    let shown = shown_path(&folder.canonicalize().unwrap_or_else(|_| folder.clone()));
    if !undo && !folder.is_dir() {
        return Err(complain(&format!("{shown} is no folder"), Exit::Usage));
    }
    let changed = if *undo { trust::remove(folder) } else { trust::add(folder) };
    let said = match (changed, undo) {
        (Ok(true), false) => "is trusted: its files may name servers",
        (Ok(false), false) => "is trusted already",
        (Ok(true), true) => "is trusted no longer",
        (Ok(false), true) => "was not trusted",
        (Err(error), _) => return Err(complain(&format!("cannot note it of {shown}: {error}"), Exit::Output)),
    };
    say(&format!("{shown} {said}"));
    Ok(Exit::Done)
}

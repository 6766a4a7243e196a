//! `toolgate login` and `toolgate logout`: who we are, for servers of HTTP that ask.

use crate::cache;
use crate::exit::{Exit, Failed, status};
use crate::servers::{How, Reach, user_folder};
use crate::show::{complain, notice, print, quoted_for_shell};
use crate::source::{ServerName, interrupts};
use clap::Args;
use std::io::IsTerminal;
use std::process::ExitCode;
use std::time::Duration;
use toolgate_gateway::client::Secrets;
use toolgate_gateway::login::{LoggedOut, LoginFault, LoginRequest, Logins, log_in, log_out};

const AFTER_HELP: &str = "\
SERVER is a URL, or a name that `toolgate servers` lists. The tokens are kept
in a file that you alone can read, in toolgate/logins of $XDG_STATE_HOME or of
~/.local/state. They are sent to this server alone, whenever it is called
without an Authorization header of yours, and are renewed when they run out.

Exit codes:
  0 when it is done; 3 when the server or its authorization server did not do
  its part, or nobody came back in time; 4 when the login was refused; 64 for
  a mistake in the command line; 78 for one in a configuration file, or when
  the tokens cannot be kept; 129, 130 and 143 ended by a signal.

Examples:
  toolgate login https://example.com/mcp
  toolgate login remote --scope notes:read --no-browser
  toolgate logout remote";

/// Signs in to a server of HTTP with a browser (OAuth 2.1), and keeps the tokens for `call` and the other commands
#[derive(Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct LoginArgs {
    #[command(flatten)]
    server: ServerName,

    /// What to ask for, in place of what the server names (repeat as needed)
    #[arg(long, value_name = "SCOPE")]
    scope: Vec<String>,

    /// A client that is registered with the authorization server already, in place of registering one
    #[arg(long, value_name = "ID")]
    client_id: Option<String>,

    /// The port of this machine that the browser is sent back to [default: one that is free]
    #[arg(long, value_name = "PORT", value_parser = clap::value_parser!(u16).range(1..))]
    port: Option<u16>,

    /// Print the address to open, and open no browser
    #[arg(long)]
    no_browser: bool,

    /// Seconds that you may take
    #[arg(long, value_name = "SECONDS", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: u64,
}

const AFTER_LOGOUT_HELP: &str = "\
The tokens are forgotten here in any case. An authorization server that takes
tokens back (RFC 7009) is told to, for ten seconds at most; where it is not
reached, a note says so.

Exit codes:
  0 when there are none here any more; 64 for a mistake in the command line; 78
  for one in a configuration file, or when the file of the tokens cannot be
  removed.";

/// Forgets the tokens of a server, and has its authorization server take them back
#[derive(Args)]
#[command(after_help = AFTER_LOGOUT_HELP)]
pub(crate) struct LogoutArgs {
    #[command(flatten)]
    server: ServerName,
}

pub(crate) fn login(args: &LoginArgs) -> ExitCode {
    status(login_once(args))
}

pub(crate) fn logout(args: &LogoutArgs) -> ExitCode {
    status(logout_once(args))
}

fn login_once(args: &LoginArgs) -> Result<Exit, Exit> {
    let (url, secrets) = address(&args.server)?;
    let request = LoginRequest {
        url: &url,
        scopes: &args.scope,
        client_id: args.client_id.as_deref(),
        port: args.port,
        patience: Duration::from_secs(args.timeout),
        interrupted: interrupts(),
        secrets: &secrets,
    };
    let opens = !args.no_browser && std::io::stderr().is_terminal();
    let mut show = |address: &str| {
        notice(&format!("open this address in a browser, and come back:\n{address}"));
        if opens && open::that_detached(address).is_err() {
            notice("no browser could be opened");
        }
    };
    log_in(&needed_logins()?, &request, &mut show).map_err(|fault| failed(&fault).tell())?;
    cache::forget();
    print(&format!("signed in to {}\n", args.server.shown()))?;
    Ok(Exit::Done)
}

fn logout_once(args: &LogoutArgs) -> Result<Exit, Exit> {
    let (url, _) = address(&args.server)?;
    cache::forget();
    let outcome = log_out(&needed_logins()?, &url).map_err(|fault| failed(&fault).tell())?;
    match &outcome {
        LoggedOut::Here => notice("its authorization server takes no tokens back; they end there with their time"),
        LoggedOut::Untold(fault) => {
            notice(&format!(
                "its authorization server was not told, and the tokens end there with their time: {fault}"
            ));
        }
        _ => {}
    }
    let done = if matches!(outcome, LoggedOut::Nobody) { "nobody is signed in to" } else { "signed out of" };
    print(&format!("{done} {}\n", args.server.shown()))?;
    Ok(Exit::Done)
}

/// The address of the server, and what of it nobody is shown.
fn address(server: &ServerName) -> Result<(String, Secrets), Exit> {
    let Reach { how, secrets, .. } = server.reach()?;
    match how {
        How::Url { url, .. } => Ok((url, secrets)),
        How::Command { .. } => Err(complain("one signs in to servers of HTTP; this one is a command", Exit::Usage)),
    }
}

/// Where tokens are kept; nowhere for a user without a home.
pub(crate) fn logins() -> Option<Logins> {
    let folder = user_folder("XDG_STATE_HOME", ".local/state")?;
    Some(Logins::at(folder.join("toolgate").join("logins")))
}

fn needed_logins() -> Result<Logins, Exit> {
    logins().ok_or_else(|| complain("neither XDG_STATE_HOME nor HOME is set", Exit::Configuration))
}

/// How one signs in for what a server asks for beside what one has. The words are a stranger's: each belongs to its option.
pub(crate) fn with_scopes(held: &[String], asked: &[String]) -> String {
    let more = asked.iter().filter(|scope| !held.contains(scope));
    let options: String =
        held.iter().chain(more).map(|scope| format!(" {}", quoted_for_shell(&format!("--scope={scope}")))).collect();
    format!("; sign in with `toolgate login SERVER{options}`, or give a token that has them")
}

/// Why nobody is signed in, and with what the program ends for it.
pub(crate) fn failed(fault: &LoginFault) -> Failed {
    let exit = match fault {
        LoginFault::InTheClear => Exit::Usage,
        LoginFault::File { .. } => Exit::Configuration,
        LoginFault::Interrupted => Exit::Interrupted,
        LoginFault::Denied { .. } | LoginFault::Ended | LoginFault::NotRenewed(_) => Exit::Unauthorised,
        _ => Exit::NoAnswer,
    };
    let hint = match fault {
        LoginFault::Ended | LoginFault::NotRenewed(_) => "; sign in again with `toolgate login`",
        LoginFault::Unregistered(_) => "; --client-id names a client that is registered there already",
        _ => "",
    };
    Failed { why: format!("{fault}{hint}"), exit }
}

//! The one binary, `toolgate`: thin commands over the libraries.

mod advertise;
mod batch;
mod cache;
mod call;
mod certificates;
mod check;
mod completion;
mod config;
mod contract_args;
mod demo;
mod describe;
mod diff;
mod digest;
mod environment;
mod exit;
mod input;
mod install;
mod judge;
mod kit;
mod login;
mod manifest;
mod overview;
mod pages;
mod pin;
mod profiles;
mod progress;
mod prove;
mod run;
mod sarif;
mod separator;
mod servers;
mod show;
mod snapshot;
mod source;
mod store;
mod target;
mod tool;
mod tools;

use clap::{Args, CommandFactory, FromArgMatches, Parser, Subcommand};
use exit::Exit;
use std::process::ExitCode;

const AFTER_HELP: &str = "\
Example:
  toolgate tools -- npx -y @modelcontextprotocol/server-everything

`toolgate COMMAND --help` says more of a command.";

/// Whether what is printed has colours.
#[derive(Debug, Args)]
struct ColourArg {
    /// Colours: auto, where a terminal shows them and NO_COLOR is not set; always; or never
    #[arg(long, global = true, display_order = 1000, value_enum, value_name = "auto|always|never", hide_possible_values = true, hide_default_value = true,
        default_value_t = clap::ColorChoice::Auto)]
    color: clap::ColorChoice,
}

impl ColourArg {
    fn apply(&self) {
        match self.color {
            // What the environment says counts.
            clap::ColorChoice::Auto => {}
            clap::ColorChoice::Always => anstream::ColorChoice::AlwaysAnsi.write_global(),
            clap::ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
        }
    }
}

/// Reads every tool call by the tool's own contract: admitted as it was meant, or refused with words that let the model
/// repair it.
#[derive(Parser)]
#[command(name = "toolgate", version, about, max_term_width = 100, after_help = AFTER_HELP)]
struct Cli {
    #[command(flatten)]
    colour: ColourArg,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Judges arguments by a schema, for a person or, with --jsonl, for a program
    Judge(judge::JudgeArgs),
    /// Shows what a model is shown of a tool, for a person or, with --jsonl, for a program
    Advertise(advertise::AdvertiseArgs),
    /// Proves that an advertised schema hides no call of a contract, or shows one that it hides
    Prove(prove::ProveArgs),
    /// Looks over a server's tools before a model does: what is broken, what a reader does not take, what it costs
    Check(check::CheckArgs),
    /// Runs cases: contracts, calls, and what must come of each
    Test(kit::TestArgs),
    /// Lists the readers that tools can be shown to, or all that is known of one
    Profiles(profiles::ProfilesArgs),
    /// Calls a tool of a server with options made from its schema, or shows what would be sent
    Call(call::CallArgs),
    /// Lists the tools of a server, or of every server that is named
    Tools(tools::ToolsArgs),
    /// Shows one tool: its options, its contract, what a model is shown of it, the proof, and an example
    Describe(describe::DescribeArgs),
    /// Writes the tools of a server as the list of a provider's request
    Manifest(manifest::ManifestArgs),
    /// Keeps what a server lists now, as a catalogue with digests
    Snapshot(snapshot::SnapshotArgs),
    /// Pins what servers list now, so that `diff` tells what has changed since
    Pin(pin::PinArgs),
    /// Tells what has changed of a server's tools: against its pin, or between two lists
    Diff(diff::DiffArgs),
    /// Lists the servers that can be called by name
    Servers(servers::ServersArgs),
    /// Changes our own file of servers, and says whether what it names can be used
    Config(config::ConfigArgs),
    /// Puts the guard before the servers of a client, in the client's own file
    Install(install::InstallArgs),
    /// Takes the guard away from the servers of a client
    Uninstall(install::UninstallArgs),
    /// Signs in to a server of HTTP with a browser (OAuth 2.1), and keeps the tokens for `call` and the other commands
    Login(login::LoginArgs),
    /// Forgets the tokens of a server, and has its authorization server take them back
    Logout(login::LogoutArgs),
    /// Stands before an MCP server: every call is read by the tool's own contract
    Run(run::RunArgs),
    /// Writes what makes a shell complete commands, servers, tools and options
    Completions(completion::CompletionsArgs),
    /// Writes a manual page, or all of them
    Man(pages::ManArgs),
    /// Shows in a minute what the guard does, before a small careless server of our own
    Demo(demo::DemoArgs),
    /// Prints the version
    Version,
}

fn main() -> ExitCode {
    if let Some(exit) = completion::answer() {
        return exit;
    }
    let program = overview::grouped(Cli::command());
    let parsed = program.clone().try_get_matches().and_then(|matches| Cli::from_arg_matches(&matches));
    let cli = match parsed {
        Ok(cli) => cli,
        Err(error) => return unparsed(program, error),
    };
    cli.colour.apply();
    // What the demo starts says it itself.
    if !matches!(cli.command, Command::Demo(_)) {
        environment::tell_misspelt();
    }
    match cli.command {
        Command::Judge(args) => judge::judge(&args),
        Command::Advertise(args) => advertise::advertise(&args),
        Command::Prove(args) => prove::prove(&args),
        Command::Check(args) => check::check(&args),
        Command::Test(args) => kit::test(&args),
        Command::Profiles(args) => profiles::profiles(&args),
        Command::Call(args) => call::call(&args),
        Command::Tools(args) => tools::tools(&args),
        Command::Describe(args) => describe::describe(&args),
        Command::Manifest(args) => manifest::manifest(&args),
        Command::Snapshot(args) => snapshot::snapshot(&args),
        Command::Pin(args) => pin::pin(&args),
        Command::Diff(args) => diff::diff(&args),
        Command::Servers(args) => servers::servers(&args),
        Command::Config(args) => config::config(&args),
        Command::Install(args) => install::install(&args),
        Command::Uninstall(args) => install::uninstall(&args),
        Command::Login(args) => login::login(&args),
        Command::Logout(args) => login::logout(&args),
        Command::Run(args) => run::run(args),
        Command::Completions(args) => completion::completions(&args),
        Command::Man(args) => pages::man(&args),
        Command::Demo(args) => demo::demo(args),
        Command::Version => {
            exit::status(show::print(concat!("toolgate ", env!("CARGO_PKG_VERSION"), "\n")).map(|()| Exit::Done))
        }
    }
}

/// Says why the command line is none. Help and version are answers; anything else is usage.
fn unparsed(mut program: clap::Command, error: clap::Error) -> ExitCode {
    let exit = if error.use_stderr() { Exit::Usage } else { Exit::Done };
    program.build();
    let words: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if let Some(why) = separator::forgotten(&program, &words, &error) {
        return show::complain(&why, exit).into();
    }
    match separator::without_advice(error).print() {
        // A reader that has gone away, as in `toolgate --help | head`, has read enough.
        Err(fault) if exit == Exit::Done && fault.kind() != std::io::ErrorKind::BrokenPipe => {
            show::unwritten(&fault).into()
        }
        _ => exit.into(),
    }
}

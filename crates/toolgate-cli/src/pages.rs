//! `toolgate man`: manual pages, made from the definitions of the commands.

use crate::Cli;
use crate::exit::{Exit, status};
use crate::show::{complain, counted, print};
use crate::store::write_whole;
use crate::tool::did_you_mean;
use clap::{Args, Command, CommandFactory};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const AFTER_MAN: &str = "\
Exit codes:
  0; 64 for a mistake in the command line and a command that is not there; 74
  when a page cannot be written.

Examples:
  toolgate man | man -l -
  toolgate man diff | man -l -
  toolgate man --all ~/.local/share/man/man1";

/// Writes a manual page, or all of them
#[derive(Args)]
#[command(after_help = AFTER_MAN)]
pub(crate) struct ManArgs {
    /// The command that the page is of, in place of the whole program; one inside another with a hyphen, as in config-add
    #[arg(value_name = "COMMAND", conflicts_with = "all")]
    command: Option<String>,

    /// Folder for the pages of the program and of each command
    #[arg(long, value_name = "FOLDER")]
    all: Option<PathBuf>,
}

pub(crate) fn man(args: &ManArgs) -> ExitCode {
    status(man_once(args))
}

fn man_once(args: &ManArgs) -> Result<Exit, Exit> {
    let pages = pages();
    if let Some(folder) = &args.all {
        for (name, page) in &pages {
            write(folder, name, page)?;
        }
        let _ = writeln!(anstream::stderr(), "{} written to {}", counted(pages.len(), "page"), folder.display());
        return Ok(Exit::Done);
    }
    let wanted = args.command.as_deref().map_or("toolgate".to_owned(), |command| format!("toolgate-{command}"));
    let Some((_, page)) = pages.iter().find(|(name, _)| *name == wanted) else {
        let commands = pages.iter().filter_map(|(name, _)| name.strip_prefix("toolgate-"));
        let near = did_you_mean(args.command.as_deref().unwrap_or_default(), commands).unwrap_or_default();
        return Err(complain(&format!("there is no such command{near}"), Exit::Usage));
    };
    print(page)?;
    Ok(Exit::Done)
}

fn write(folder: &Path, name: &str, page: &str) -> Result<(), Exit> {
    let path = folder.join(format!("{name}.1"));
    let written = std::fs::create_dir_all(folder).and_then(|()| write_whole(&path, page));
    written.map_err(|error| complain(&format!("cannot write {}: {error}", path.display()), Exit::Output))
}

/// The name and the text of each page: of the program, of each command, and of each inside one.
fn pages() -> Vec<(String, String)> {
    // A page of `help` would say nothing that is not here.
    let mut program = Cli::command().disable_help_subcommand(true);
    program = program.mut_subcommand("config", |config| config.disable_help_subcommand(true));
    program.build();
    let commands: Vec<Command> = program.get_subcommands().filter(|command| !command.is_hide_set()).cloned().collect();
    let mut all = vec![("toolgate".to_owned(), page(program.clone()))];
    for command in commands {
        let name = format!("toolgate-{}", command.get_name());
        for inner in command.get_subcommands() {
            let name = format!("{name}-{}", inner.get_name());
            all.push((name.clone(), page(inner.clone().display_name(name))));
        }
        all.push((name.clone(), page(command.display_name(name))));
    }
    all
}

fn page(command: Command) -> String {
    let has_more = command.get_after_help().or(command.get_after_long_help()).is_some();
    let has_commands = command.has_subcommands();
    let man = clap_mangen::Man::new(command).source(concat!("toolgate ", env!("CARGO_PKG_VERSION"))).manual("toolgate");
    let mut page = Vec::new();
    let mut more = Vec::new();
    // What is written to memory is written.
    let _ = man
        .render_title(&mut page)
        .and_then(|()| man.render_name_section(&mut page))
        .and_then(|()| man.render_synopsis_section(&mut page))
        .and_then(|()| man.render_description_section(&mut page))
        .and_then(|()| man.render_options_section(&mut page));
    if has_commands {
        let _ = man.render_subcommands_section(&mut page);
    }
    let mut page = String::from_utf8_lossy(&page).into_owned();
    if has_more {
        let _ = man.render_extra_section(&mut more);
        // Exit codes and examples stand in lines of their own, which are not to be filled.
        page.push_str(&String::from_utf8_lossy(&more).replacen(".SH EXTRA\n", ".SH NOTES\n.nf\n", 1));
        page.push_str(".fi\n");
    }
    page
}

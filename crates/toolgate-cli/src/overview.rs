//! What `toolgate` alone says: the commands by what they are used for.

use crate::show::BOLD;
use clap::Command;

/// The commands in a few words each, the most used first.
const GROUPS: [(&str, &[(&str, &str)]); 5] = [
    (
        "Call and look",
        &[
            ("tools", "lists the tools of a server"),
            ("describe", "shows one tool: its options, its contract, what a model is shown"),
            ("call", "calls a tool, or shows what would be sent"),
            ("servers", "lists the servers that have a name"),
            ("config", "names servers, and says whether they can be used"),
            ("login", "signs in to a server of HTTP with a browser"),
            ("logout", "forgets the tokens of a server"),
        ],
    ),
    (
        "Guard",
        &[
            ("demo", "shows in a minute what the guard does"),
            ("run", "stands before a server and reads every call by the tool's contract"),
            ("install", "puts the guard before the servers of a client"),
            ("uninstall", "takes it away again"),
        ],
    ),
    (
        "Check and pin",
        &[
            ("check", "looks over the tools of a server before a model does"),
            ("pin", "pins what servers list now"),
            ("diff", "tells what has changed since, or between two lists"),
            ("snapshot", "keeps what a server lists now as a catalogue"),
        ],
    ),
    (
        "Contracts",
        &[
            ("judge", "judges arguments by a schema"),
            ("test", "runs cases: contracts, calls, and what must come of each"),
            ("advertise", "shows what a model is shown of a schema"),
            ("prove", "proves that what is shown hides no call of a contract"),
            ("profiles", "lists the readers that tools can be shown to"),
            ("manifest", "writes tools as the list of a provider's request"),
        ],
    ),
    (
        "The rest",
        &[
            ("completions", "writes what makes a shell complete words"),
            ("man", "writes the manual pages"),
            ("version", "prints the version"),
            ("help", "prints this, or the help of a command"),
        ],
    ),
];

/// The program with its commands in groups.
pub(crate) fn grouped(program: Command) -> Command {
    let width = GROUPS.iter().flat_map(|(_, commands)| *commands).map(|(name, _)| name.len()).max().unwrap_or(0) + 2;
    let mut groups = String::new();
    for (title, commands) in GROUPS {
        groups.push_str(&format!("\n{BOLD}{title}:{BOLD:#}\n"));
        for (name, about) in commands {
            groups.push_str(&format!("  {name:width$}{about}\n"));
        }
    }
    program.help_template(format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n{groups}\n{BOLD}Options:{BOLD:#}\n{{options}}{{after-help}}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn every_command_is_in_one_group() {
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, commands)| *commands).map(|(name, _)| *name).collect();
        let program = crate::Cli::command();
        let mut all: Vec<&str> = program.get_subcommands().map(Command::get_name).chain(["help"]).collect();
        grouped.sort_unstable();
        all.sort_unstable();
        assert_eq!(grouped, all);
    }
}

//! The variables that set something here, and those that look as if they should.

use crate::show::notice;
use crate::tool::nearest_of;
use std::ffi::OsString;
use toolgate::shown_name;

/// What the names of ours begin with.
const OURS: &str = "TOOLGATE_";

/// How alike a variable is to one of ours, of 1, so that it is taken for a slip: a user's own may begin as ours do.
const LIKENESS_MIN: f64 = 0.75;

/// The rest of each name.
const KNOWN: [&str; 18] = [
    "ALIAS",
    "CACHE",
    "COMPLETE",
    "COMPLETE_WORD",
    "CONFIG",
    "FORWARD_KEYS",
    "JUDGE",
    "LIMIT",
    "LIST_TEXT_KEEP",
    "LOG_FORMAT",
    "LOG_LEVEL",
    "OBSERVE",
    "OPTION",
    "POLICY",
    "PROFILE",
    "ROOT_POLICY",
    "UNIONS",
    "UNKNOWN_KEYS",
];

/// The text of a variable that is set.
///
/// # Errors
///
/// It is no text: to take it for one that is not set would do what nobody said.
pub(crate) fn text(name: &str, value: OsString) -> Result<String, String> {
    value.into_string().map_err(|_| format!("the variable `{}` is set, and is not UTF-8", shown_name(name)))
}

/// The text of a variable of this process, where it is set.
///
/// # Errors
///
/// As [`text`].
pub(crate) fn variable(name: &str) -> Result<Option<String>, String> {
    std::env::var_os(name).map(|value| text(name, value)).transpose()
}

/// Says of each variable that is set and is nearly one of ours that it sets nothing. Others may be a user's own.
pub(crate) fn tell_misspelt() {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    for (name, near) in names.filter_map(|name| meant(&name).map(|near| (name, near))) {
        notice(&format!("the variable `{}` sets nothing; did you mean `{OURS}{near}`?", shown_name(&name)));
    }
}

/// The rest of the name that may have been meant.
fn meant(name: &str) -> Option<&'static str> {
    let rest = name.strip_prefix(OURS).filter(|rest| !KNOWN.contains(rest))?;
    nearest_of(rest, KNOWN.into_iter(), LIKENESS_MIN)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn a_slip_is_told_from_a_variable_of_ones_own() {
        assert_eq!(meant("TOOLGATE_POLCY"), Some("POLICY"));
        assert_eq!(meant("TOOLGATE_UNKNOWN_KEY"), Some("UNKNOWN_KEYS"));
        assert_eq!(meant("TOOLGATE_LOGLEVEL"), Some("LOG_LEVEL"));
        for own in ["TOOLGATE_POLICY", "TOOLGATE_TOKEN", "TOOLGATE_FULL", "TOOLGATE_PROOF_ALL", "TOOLGATE_", "POLCY"] {
            assert_eq!(meant(own), None, "{own}");
        }
    }

    #[test]
    fn every_variable_that_help_speaks_of_is_known() {
        let mut program = crate::Cli::command();
        program.build();
        let help: String =
            program.get_subcommands_mut().map(|command| command.render_long_help().to_string()).collect();
        let is_of_name = |ch: char| ch.is_ascii_uppercase() || ch == '_';
        let mut told = 0;
        for rest in help.split(OURS).skip(1) {
            let name = rest.split(|ch| !is_of_name(ch)).next().unwrap_or_default();
            assert!(KNOWN.contains(&name), "{name}");
            told += 1;
        }
        assert!(told > 14, "{told}");
    }
}

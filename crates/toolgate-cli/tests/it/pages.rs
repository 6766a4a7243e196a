//! Manual pages: every command is in them, as its help has it.

use crate::support::{text, toolgate};
use std::path::Path;

/// The commands that `--help` lists.
fn commands() -> Vec<String> {
    let help = text(&toolgate(&["--help"]).output().unwrap());
    let listed = help.lines().skip_while(|line| !line.starts_with("Usage:")).skip(1);
    let names = listed.take_while(|line| *line != "Options:").filter(|line| line.starts_with("  "));
    let names = names.map(|line| line.split_whitespace().next().unwrap().to_owned());
    let names: Vec<String> = names.filter(|name| name != "help").collect();
    assert!(names.len() > 10, "{help}");
    names
}

/// Examples stand as they are to be copied, and no line is broken a second time.
#[test]
fn what_follows_the_options_fits_a_usual_terminal() {
    for command in commands() {
        let at = |columns: &str| {
            let help = text(&toolgate(&[&command, "--help"]).env("COLUMNS", columns).output().unwrap());
            let end = help.rfind("\n      --").max(help.rfind("\n  -h, --help")).unwrap();
            help.get(end..).unwrap_or_default().split_once("\n\n").map_or(String::new(), |(_, after)| after.to_owned())
        };
        assert_eq!(at("80"), at("100"), "{command}");
    }
}

#[test]
fn every_command_has_its_page() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man");
    let _ = std::fs::remove_dir_all(&folder);
    let output = toolgate(&["man", "--all"]).arg(&folder).output().unwrap();
    assert_eq!((output.status.code(), text(&output).as_str()), (Some(0), ""));
    for command in commands() {
        let page = std::fs::read_to_string(folder.join(format!("toolgate-{command}.1"))).unwrap();
        assert_eq!(page, text(&toolgate(&["man", &command]).output().unwrap()));
        assert!(page.contains(&format!(".TH toolgate-{command} 1")), "{page}");
        assert!(page.contains(".SH SYNOPSIS") && page.contains(".SH OPTIONS"), "{page}");
    }
    // What a page refers to is there.
    let config = std::fs::read_to_string(folder.join("toolgate-config.1")).unwrap();
    for inner in ["list", "add", "remove", "import", "doctor", "schema"] {
        assert!(config.contains(&format!("toolgate\\-config\\-{inner}")), "{config}");
        let page = std::fs::read_to_string(folder.join(format!("toolgate-config-{inner}.1"))).unwrap();
        assert!(page.contains("Exit codes:"), "{page}");
    }
    // Exit codes and examples stand as in the help.
    let diff = std::fs::read_to_string(folder.join("toolgate-diff.1")).unwrap();
    let (_, notes) = diff.split_once(".SH NOTES\n.nf\n").unwrap();
    assert!(notes.contains("\nExit codes:\n  0 when nothing has changed") && notes.ends_with("\n.fi\n"), "{notes}");
    let whole = text(&toolgate(&["man"]).output().unwrap());
    assert_eq!(whole, std::fs::read_to_string(folder.join("toolgate.1")).unwrap());
    let unknown = toolgate(&["man", "dif"]).output().unwrap();
    assert_eq!(unknown.status.code(), Some(64));
    let told = String::from_utf8(unknown.stderr).unwrap();
    assert_eq!(told, "error: there is no such command; did you mean `diff`?\n");
}

//! What is said of the command line itself.

use crate::support::home::Home;
use crate::support::{text, toolgate};
use std::process::Output;

fn complaint(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn where_the_two_signs_before_a_command_were_forgotten_the_line_is_told() {
    let home = Home::new("line-separator");
    home.write("work/toolgate.toml", "[servers.notes]\ncommand = 'sh'\n");
    home.write("work/list.json", "[]");
    for (line, meant) in [
        ("run npx -y foo", "toolgate run -- npx -y foo"),
        ("run --observe --profile openai npx foo", "toolgate run --observe --profile openai -- npx foo"),
        ("run npx --api-key CANARY-77aa", "toolgate run -- npx --api-key '***'"),
        ("check npx -y foo", "toolgate check -- npx -y foo"),
        ("tools npx -y foo", "toolgate tools -- npx -y foo"),
        ("describe read_file npx -y foo", "toolgate describe read_file -- npx -y foo"),
        ("config add files npx -y foo", "toolgate config add files -- npx -y foo"),
    ] {
        let (code, _, err) = home.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(
            (code, err.as_str()),
            (64, &*format!("error: a server's command stands after --: {meant}\n")),
            "{line}"
        );
    }
    let told = |line: &str| {
        let (code, _, err) = home.run(&line.split(' ').collect::<Vec<_>>());
        assert_eq!(code, 64, "{line}");
        // The parser's advice, which leads nowhere here, is not among it.
        assert!(!err.contains("as a value, use"), "{err}");
        err
    };
    let name = told("run notes");
    assert!(name.contains("and no name") && name.contains("toolgate call notes TOOL"), "{name}");
    let address = told("run https://example.com/mcp?key=CANARY-77aa");
    assert!(address.contains("toolgate tools https://example.com/mcp and called with"), "{address}");
    // What is there by its name is meant, and so is an option that is misspelt.
    for line in ["check list.json -y", "tools notes -y", "run --obsrve", "check --frmat json"] {
        assert!(told(line).contains("unexpected argument"), "{line}");
    }
}

#[test]
fn colours_are_as_is_said() {
    let has_colours = |words: &[&str], is_forced: bool| {
        let mut command = toolgate(words);
        if is_forced {
            command.env("CLICOLOR_FORCE", "1");
        }
        text(&command.arg("profiles").output().unwrap()).contains('\u{1b}')
    };
    assert_eq!((has_colours(&[], false), has_colours(&[], true)), (false, true));
    assert!(has_colours(&["--color", "always"], false) && !has_colours(&["--color=never"], true));
}

#[test]
fn one_word_of_a_format_is_as_good_as_the_other() {
    let of = |format: &str| text(&toolgate(&["profiles", "--format", format]).output().unwrap());
    assert!(!of("human").is_empty() && of("human") == of("text") && of("human") != of("json"));
    let home = Home::new("line-formats");
    let listed = |format: &str| home.run(&["servers", "--format", format]);
    assert_eq!(listed("human"), listed("text"));
    assert_eq!(listed("human").0, 0);
}

#[test]
fn the_version_is_an_option_and_a_command() {
    let [one, other] = ["--version", "version"].map(|word| toolgate(&[word]).output().unwrap());
    assert_eq!((one.status.code(), other.status.code(), text(&one)), (Some(0), Some(0), text(&other)));
    assert!(complaint(&toolgate(&[]).output().unwrap()).contains("\nGuard:\n  demo "));
}

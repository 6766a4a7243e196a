//! The example before and after: three lines lie between the two, they are those of the README, and they make the difference.

use crate::support::wire::Wire;
use serde_json::{Value, json};
use std::process::Stdio;

const BEFORE: &str = include_str!("../../examples/harbour.rs");
const AFTER: &str = include_str!("../../examples/harbour_guarded.rs");
const README: &str = include_str!("../../../../README.md");
const GUIDE: &str = include_str!("../../../../docs/guide/guard-a-rust-server.md");

/// Lines of the one that are not in the other, comments at the head apart.
fn only_in<'s>(one: &'s str, other: &str) -> Vec<&'s str> {
    one.lines().filter(|line| !line.starts_with("//!") && !other.lines().any(|same| same == *line)).collect()
}

#[test]
fn three_lines_lie_between_a_server_and_a_guarded_one() {
    let added = only_in(AFTER, BEFORE);
    assert_eq!(added.len(), 2, "and one in the manifest: {added:?}");
    assert_eq!(only_in(BEFORE, AFTER).len(), 1, "of which one was there before");
    let manifest =
        r#"toolgate-mcp = { path = "../toolgate/crates/toolgate-mcp" } # a checkout: no registry has it yet"#;
    for page in [README, GUIDE] {
        for line in added.iter().copied().chain([manifest]) {
            assert!(page.lines().any(|shown| shown.trim() == line.trim()), "{line}");
        }
    }
}

/// Runs an example, which is built where the tests are, and calls its tool.
async fn run(example: &str, calls: &[&str]) -> Vec<Value> {
    let tests = std::env::current_exe().unwrap();
    let program = tests.parent().unwrap().parent().unwrap().join("examples").join(example);
    let started = tokio::process::Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut server = started.unwrap_or_else(|error| panic!("{} (`cargo test` builds it): {error}", program.display()));
    let mut wire = Wire::over(server.stdout.take().unwrap(), server.stdin.take().unwrap());
    wire.initialize("2025-11-25").await;
    let mut answers = Vec::new();
    for call in calls {
        answers.push(wire.call("book_berth", call).await["result"].clone());
    }
    drop(wire);
    assert!(server.wait().await.unwrap().success());
    answers
}

#[tokio::test]
async fn the_three_lines_make_the_difference() {
    let misspelt = r#"{"boat":"Ada","nights":2,"dry_run":true}"#;
    let right = r#"{"boat":"Ada","nights":2,"dryRun":true}"#;
    let before = run("harbour", &[misspelt, right]).await;
    assert_eq!(before[0]["content"][0]["text"], "booked for Ada: 60", "the berth is booked");
    let after = run("harbour_guarded", &[misspelt, right]).await;
    assert_eq!(after[0]["isError"], true);
    let text = after[0]["content"][0]["text"].as_str().unwrap();
    assert_eq!(text, "The call was refused and nothing was run:\n- /dry_run: unknown argument; did you mean `dryRun`?");
    assert!(GUIDE.contains(text) && README.contains("/dry_run: unknown argument; did you mean `dryRun`?"));
    for answers in [&before, &after] {
        assert_eq!(answers[1]["content"], json!([{"type": "text", "text": "Ada would pay 60"}]));
    }
}

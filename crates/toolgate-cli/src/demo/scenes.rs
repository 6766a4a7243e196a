//! The session that is played. Every value in it is made up, so that all of it can be printed.

use super::stage::{Guarded, Mended, Scene};

/// In the order in which they are shown. Each finds the servers as the one before left them.
pub(super) const SCENES: &[Scene] = &[
    Scene {
        title: "A misspelt switch",
        tool: "edit_file",
        arguments: r#"{"path":"notes.md","edits":[{"oldText":"Monday","newText":"Tuesday"}],"dry_run":true}"#,
        point: r#""dry_run""#,
        alone: |seen| {
            let what = "the rehearsal edited the file for real, because the switch is spelt dryRun";
            (seen.done() && seen.edited("notes.md")).then(|| what.to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused, with the name that was meant",
            codes: &["unknown-argument"],
            unsaid: None,
        },
        mended: Some(Mended {
            arguments: r#"{"path":"notes.md","edits":[{"oldText":"Monday","newText":"Tuesday"}],"dryRun":true}"#,
            point: r#""dryRun""#,
            effect: |seen| (seen.done() && !seen.edited("notes.md")).then(|| "the file is as it was".to_owned()),
        }),
    },
    Scene {
        title: "A filter that does not exist",
        tool: "empty_trash",
        arguments: r#"{"olderThanDays":365}"#,
        point: r#""olderThanDays""#,
        alone: |seen| {
            let young = seen.before.trash.iter().filter(|trashed| trashed.days <= 365).count();
            let gone = seen.done() && young > 0 && seen.after.trash.is_empty();
            gone.then(|| format!("everything was deleted, {young} younger files too"))
        },
        guarded: Guarded::Refuses {
            what: "refused: this tool has no arguments",
            codes: &["unknown-argument"],
            unsaid: None,
        },
        mended: None,
    },
    Scene {
        title: "One name given twice",
        tool: "edit_file",
        arguments: r#"{"path":"src/tide.rs","edits":[{"oldText":"Monday","newText":"Friday"}],"path":"README.md"}"#,
        point: r#""path""#,
        alone: |seen| {
            let what = "the last one won, without a word; README.md was edited";
            (seen.done() && seen.edited("README.md") && !seen.edited("src/tide.rs")).then(|| what.to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused, since any reader may take another of the two",
            codes: &["duplicate-name"],
            unsaid: None,
        },
        mended: None,
    },
    Scene {
        title: "A former argument name",
        tool: "create_task",
        arguments: r#"{"title":"Pier","description":"Measure the pier at low water."}"#,
        point: r#""description""#,
        alone: |seen| {
            let task = seen.after.tasks.last()?;
            let lost = seen.done() && task.prompt.is_none();
            lost.then(|| "the text was dropped; an agent was started with nothing to do".to_owned())
        },
        guarded: Guarded::Reads {
            received: r#"{"title":"Pier","prompt":"Measure the pier at low water."}"#,
            effect: |seen| {
                let task = seen.after.tasks.last()?;
                let told = seen.done() && task.prompt.as_deref() == Some("Measure the pier at low water.");
                told.then(|| "read as prompt, by an alias that no list shows; the server got".to_owned())
            },
        },
        mended: None,
    },
    Scene {
        title: "A list written as text",
        tool: "view_file",
        arguments: r#"{"path":"[\"README.md\",\"notes.md\"]"}"#,
        point: r#""[\"README.md\",\"notes.md\"]""#,
        alone: |seen| {
            let text = seen.answer.wrong && seen.answer.text.contains("no such file");
            text.then(|| "taken for one strange file name; the model concludes that neither exists".to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused, and nothing was looked up",
            codes: &["list-as-text"],
            unsaid: None,
        },
        mended: None,
    },
    Scene {
        title: "A number written as text, beside a map that is open on purpose",
        tool: "set_executor_profile",
        arguments: r#"{"name":"nightly","maxTurns":"12","config":{"SHELL":"bash","retry":{"x-delay":2}}}"#,
        point: r#""12""#,
        alone: |seen| {
            seen.answer.wrong.then(|| "refused for two quotation marks, at no place in particular".to_owned())
        },
        guarded: Guarded::Reads {
            received: r#"{"name":"nightly","maxTurns":12,"config":{"SHELL":"bash","retry":{"x-delay":2}}}"#,
            effect: |seen| {
                let profile = seen.after.profiles.get("nightly")?;
                let saved = seen.done() && profile.max_turns == Some(12) && profile.config.len() == 2;
                saved.then(|| "read as the number it is, the open map untouched; the server got".to_owned())
            },
        },
        mended: None,
    },
    Scene {
        title: "A secret in the wrong place",
        tool: "set_executor_profile",
        arguments: r#"{"name":"nightly","config":"API_KEY=sk-demo-5ea1ed"}"#,
        point: r#""API_KEY=sk-demo-5ea1ed""#,
        alone: |seen| {
            let echoed = seen.answer.wrong && seen.answer.text.contains("sk-demo-5ea1ed");
            echoed.then(|| "refused, and the key is now in the transcript and in the logs".to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused, and the key is said nowhere",
            codes: &["type"],
            unsaid: Some("sk-demo-5ea1ed"),
        },
        mended: None,
    },
    Scene {
        title: "Steps that lack what they need",
        tool: "show_walkthrough",
        arguments: r#"{"title":"Tides","steps":[{"file":"src/tide.rs","text":"The curve."},{"file":"notes.md"}]}"#,
        point: r#"{"file":"notes.md"}"#,
        alone: |seen| {
            let one = seen.answer.wrong && !seen.answer.text.contains("steps");
            one.then(|| "one name at a time, and not a word of which step".to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused, with all that is missing at once and where",
            codes: &["required", "required"],
            unsaid: None,
        },
        mended: Some(Mended {
            arguments: r#"{"title":"Tides","steps":[{"file":"src/tide.rs","line":2,"text":"The curve."},{"file":"notes.md","line":1,"text":"The date."}]}"#,
            point: r#""line""#,
            effect: |seen| {
                let shown = seen.done() && seen.after.walkthroughs.get("Tides")?.len() == 2;
                shown.then(|| "all in one further turn".to_owned())
            },
        }),
    },
    Scene {
        title: "One of twelve kinds of block",
        tool: "write_lesson",
        arguments: r#"{"title":"Tides","blocks":[{"type":"paragraph","data":{"text":"Ebb."}},{"type":"artifact","data":{"caption":"Chart"}}]}"#,
        point: r#"{"caption":"Chart"}"#,
        alone: |seen| {
            let nowhere = seen.answer.wrong && !seen.answer.text.contains("blocks");
            nowhere.then(|| "something is missing, but of which block?".to_owned())
        },
        guarded: Guarded::Refuses {
            what: "refused by the one kind that its type names, at its place",
            codes: &["required"],
            unsaid: None,
        },
        mended: None,
    },
    Scene {
        title: "A union whose list entry has lost its labels",
        tool: "add_block",
        arguments: r#"{"lesson":"Tides","type":"artifact","data":{"caption":"Chart"}}"#,
        point: r#"{"caption":"Chart"}"#,
        alone: |seen| {
            let named = seen.answer.wrong && seen.answer.text == "data.artifactId is required";
            named.then(|| "the server itself still knows which shape belongs to which type".to_owned())
        },
        guarded: Guarded::Leaves { what: "left to that server, whose answer comes back unchanged" },
        mended: None,
    },
];

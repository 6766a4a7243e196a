//! Texts that speak of the tools. A test holds them to what the tools take.

use toolgate_mcp::prompts::BuiltIn;

/// What a model is told first in the task mode: the calls whose shape matters most, for clients that show nested schemas badly.
pub const TASK_CONTEXT: &str = "\
You work on one task. Walkthroughs of a change are shown with `show_walkthrough`, read with `get_walkthrough` and removed with \
`delete_walkthrough`, each by its `title`. The `steps` of `show_walkthrough` are an ordered array, and every item needs `file`, `line` and \
`text`.";

/// The built-in prompt `changes-walkthrough`, as it is shipped.
pub const CHANGES_WALKTHROUGH: BuiltIn = BuiltIn::new(
    "changes-walkthrough",
    CHANGES_WALKTHROUGH_TEXT,
    &["0c667fff8f8daddb49cd190ec9d93762b84c9152416204fc4c1d951b0db8b308"],
);

/// The text of [`CHANGES_WALKTHROUGH`] in its first revision.
pub const CHANGES_WALKTHROUGH_TEXT: &str = "\
title: Walk through the changes
description: Walk through the changes of a task.
---
Walk me through the changes of this task. Call `show_walkthrough` once, with a `title` and with `steps`: an ordered array whose items \
need `file`, `line` and `text`, the first step where a reader should begin.
";

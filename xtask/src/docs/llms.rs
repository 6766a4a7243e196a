//! `llms.txt`: the pages of the book as a list for a program that reads documentation (llmstxt.org). It is made from the table
//! of contents and from how each page begins.

use std::fmt::Write;

/// What one line of the list says of a page.
const NOTE_MAX_BYTES: usize = 200;

/// A page of the table of contents, or the head of a part of it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Entry {
    Part(String),
    Page { title: String, path: String },
}

/// What the table of contents lists, in its order.
pub(crate) fn entries(summary: &str) -> Vec<Entry> {
    let lines = summary.lines().filter_map(|line| {
        if let Some(part) = line.strip_prefix("# ") {
            return Some(Entry::Part(part.to_owned()));
        }
        let link = line.trim_start().trim_start_matches("- ").strip_prefix('[')?;
        let (title, path) = link.strip_suffix(')')?.split_once("](")?;
        Some(Entry::Page { title: title.to_owned(), path: path.to_owned() })
    });
    // The first head is that of the list itself.
    lines.skip(1).collect()
}

/// The list. `read` gives the text of a page.
pub(super) fn text(summary: &str, read: impl Fn(&str) -> Result<String, String>) -> Result<String, String> {
    let mut text = String::from("# toolgate\n");
    let mut is_first = true;
    for entry in entries(summary) {
        match entry {
            // Pages of decisions say why, which nobody needs who only uses the program: the format's word for them is `Optional`.
            Entry::Part(part) if part == "Decisions" => text.push_str("\n## Optional\n\n"),
            Entry::Part(part) => {
                let _ = write!(text, "\n## {part}\n\n");
            }
            Entry::Page { path, .. } if is_first => {
                is_first = false;
                let _ = write!(text, "\n> {}\n", paragraph(&read(&path)?, &path)?);
            }
            Entry::Page { title, path } => {
                // The title of a decision is the decision.
                let is_said = path.starts_with("decisions/0");
                let note =
                    if is_said { String::new() } else { format!(": {}", note(&paragraph(&read(&path)?, &path)?)) };
                let _ = writeln!(text, "- [{title}]({path}){note}");
            }
        }
    }
    Ok(text)
}

/// The first paragraph below the title, on one line and without links.
fn paragraph(page: &str, path: &str) -> Result<String, String> {
    let lines = page.lines().skip_while(|line| !line.starts_with("# ")).skip(1);
    let lines = lines.skip_while(|line| line.is_empty() || line.starts_with("<!--"));
    let lines: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    let text = without_links(&lines.join(" "));
    if text.is_empty() || ["|", "#", "```", "- "].iter().any(|other| text.starts_with(other)) {
        return Err(format!("docs/{path} does not begin with a paragraph that says what it is for"));
    }
    Ok(text)
}

/// Whole sentences, the first and as many more as a line holds.
fn note(paragraph: &str) -> String {
    let sentences = paragraph.split_inclusive(". ");
    let mut note = String::new();
    for sentence in sentences {
        if !note.is_empty() && note.len() + sentence.len() > NOTE_MAX_BYTES {
            break;
        }
        note.push_str(sentence);
    }
    note.trim_end().trim_end_matches([':', '.']).to_owned() + "."
}

/// `[words](target)` as `words`.
fn without_links(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, bracket)) = rest.split_once('[') {
        plain.push_str(before);
        let link = bracket.split_once(']').and_then(|(words, after)| Some((words, after.strip_prefix('(')?)));
        match link.and_then(|(words, target)| Some((words, target.split_once(')')?.1))) {
            Some((words, after)) => {
                plain.push_str(words);
                rest = after;
            }
            None => {
                plain.push('[');
                rest = bracket;
            }
        }
    }
    plain + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    const SUMMARY: &str = "# Contents\n\n[toolgate](introduction.md)\n\n# Guides\n\n- [Guard](guide/guard.md)\n\n# Decisions\n\n- [0001 Why](decisions/0001-why.md)\n";

    #[test]
    fn a_page_has_its_first_paragraph_and_a_decision_its_title() {
        let read = |path: &str| match path {
            "introduction.md" => Ok("# toolgate\n\nStands before\ntools.\n\nMore.\n".to_owned()),
            "guide/guard.md" => {
                Ok("<!-- x -->\n\n# Guard\n<!-- y -->\n\nYou [run] [a server](x.md), or two: [see](y.md#z).\n"
                    .to_owned())
            }
            other => Err(other.to_owned()),
        };
        let expected = "# toolgate\n\n> Stands before tools.\n\n## Guides\n\n- [Guard](guide/guard.md): You [run] a server, or two: see.\n\n## Optional\n\n- [0001 Why](decisions/0001-why.md)\n";
        assert_eq!(text(SUMMARY, read).unwrap(), expected);
    }

    #[test]
    fn a_note_is_whole_sentences_of_a_line() {
        let long = format!("One. {}. Three.", "word ".repeat(50));
        assert_eq!(note(&long), "One.");
        assert_eq!(note("One. Two, which is:"), "One. Two, which is.");
    }

    #[test]
    fn a_page_that_does_not_say_what_it_is_for_is_named() {
        let read = |_: &str| Ok("# Title\n\n## Part\n".to_owned());
        assert!(text(SUMMARY, read).unwrap_err().contains("introduction.md"));
    }
}

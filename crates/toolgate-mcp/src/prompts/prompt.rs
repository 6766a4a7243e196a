//! What a prompt's text says: a head of fields, then one message or several.
//!
//! ```text
//! title: Walk through the changes
//! description: Explains a change, file by file.
//! argument path: the file that changed
//! argument depth (optional): how many steps at most
//! ---
//! Explain what changed in {{path}}. {{depth}}
//! --- assistant
//! I shall begin with the first line that changed.
//! ```

use super::text::normalise;
use super::{ARGUMENTS_MAX, FILLED_MAX, NAME_MAX, TEXT_MAX};
use serde_json::{Map, Value, json};
use std::fmt;
use toolgate::{Arguments, Contract, Refusal, shown_name};

/// What a prompt's text says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptText {
    /// The name for people.
    pub title: Option<String>,
    /// What the prompt is for.
    pub description: Option<String>,
    /// The arguments in the order declared.
    pub arguments: Vec<ArgumentText>,
    messages: Vec<Template>,
}

/// An argument that a prompt declares. All arguments are strings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentText {
    /// The name that stands between braces in the messages.
    pub name: String,
    /// What it is.
    pub description: Option<String>,
    /// Whether the prompt cannot be had without it. Where an optional one is not given, nothing stands in its place.
    pub is_required: bool,
}

/// Who says a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Speaker {
    /// The one who asks.
    User,
    /// The model.
    Assistant,
}

/// A message with the arguments put in. It has no `Debug`, since it holds their values.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// Who says it.
    pub speaker: Speaker,
    /// What is said.
    pub text: String,
}

/// What keeps a text from being a prompt. Of the text it has names of arguments and fields, as they may be shown, and nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PromptDefect {
    /// The line, counted from one; 0 where it is the whole text.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for PromptDefect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => f.write_str(&self.message),
            line => write!(f, "line {line}: {}", self.message),
        }
    }
}

impl std::error::Error for PromptDefect {}

/// Why the messages of a prompt were not made.
#[derive(Clone, Debug)]
pub(super) enum Unfilled {
    /// The arguments are not those that the prompt declares.
    Refused(Refusal),
    /// The messages would be larger than [`FILLED_MAX`].
    TooLarge,
    /// It is our fault.
    Fault,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Template {
    speaker: Speaker,
    pieces: Vec<Piece>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    /// The name of a declared argument.
    Argument(String),
}

impl PromptText {
    /// Reads a prompt's text. The head ends at the first line `---`, which begins a message of the user; so does `--- user`, and
    /// `--- assistant` begins one of the model. `{{name}}` stands for an argument, and `\{{` for two braces.
    ///
    /// # Errors
    ///
    /// Says what keeps the text from being a prompt: a field of the head that there is not, an argument that is put in and not
    /// declared, or declared and nowhere put in, an empty message, a control character, a text above
    /// [`TEXT_MAX`](super::TEXT_MAX).
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_mcp::prompts::PromptText;
    /// let prompt = PromptText::read("title: Look\nargument path: the file\n---\nLook at {{path}}.\n")?;
    /// assert_eq!(prompt.arguments[0].name, "path");
    /// let error = PromptText::read("title: Look\n---\nLook at {{path}}.\n").unwrap_err();
    /// assert_eq!(error.to_string(), "line 3: `path` is put in here and not declared; the head needs a line `argument path: …`");
    /// # Ok::<(), toolgate_mcp::prompts::PromptDefect>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, PromptDefect> {
        // As it is stored and read again.
        let text = normalise(text);
        if text.len() > TEXT_MAX {
            return Err(defect(0, &format!("the text is longer than {TEXT_MAX} bytes")));
        }
        let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line));
        let mut prompt = PromptText { title: None, description: None, arguments: Vec::new(), messages: Vec::new() };
        let mut speaker = loop {
            let Some((number, line)) = lines.next() else { return Err(defect(0, "no line `---` ends the head")) };
            without_controls(number, line)?;
            match speaker_after(line) {
                Some(speaker) => break speaker,
                None => prompt.field(number, line)?,
            }
        };
        let mut said: Vec<(usize, &str)> = Vec::new();
        for (number, line) in lines {
            without_controls(number, line)?;
            // A bare `---` is a rule of the message.
            match speaker_after(line).filter(|_| line != "---") {
                Some(next) => {
                    prompt.message(speaker, &said)?;
                    said.clear();
                    speaker = next;
                }
                None => said.push((number, line)),
            }
        }
        prompt.message(speaker, &said)?;
        match prompt.arguments.iter().find(|argument| !prompt.puts_in(&argument.name)) {
            Some(ArgumentText { name, .. }) => {
                Err(defect(0, &format!("`{name}` is declared and nowhere put in; a message needs `{{{{{name}}}}}`")))
            }
            None => Ok(prompt),
        }
    }

    fn puts_in(&self, name: &str) -> bool {
        let mut pieces = self.messages.iter().flat_map(|message| &message.pieces);
        pieces.any(|piece| matches!(piece, Piece::Argument(argument) if argument == name))
    }

    fn field(&mut self, number: usize, line: &str) -> Result<(), PromptDefect> {
        let (field, value) = line.split_once(':').map_or((line, ""), |(field, value)| (field.trim_end(), value.trim()));
        let value = Some(value.to_owned()).filter(|value| !value.is_empty());
        match field {
            "" if value.is_none() => Ok(()),
            "title" | "description" => {
                let place = if field == "title" { &mut self.title } else { &mut self.description };
                if place.is_some() {
                    return Err(defect(number, &format!("a second `{field}`")));
                }
                *place = value;
                Ok(())
            }
            _ => match field.strip_prefix("argument ") {
                Some(declared) => self.declare(number, declared, value),
                None => Err(defect(number, "the head has only `title:`, `description:` and `argument NAME:`")),
            },
        }
    }

    fn declare(&mut self, number: usize, declared: &str, description: Option<String>) -> Result<(), PromptDefect> {
        let (name, is_required) = match declared.strip_suffix("(optional)") {
            Some(name) => (name.trim(), false),
            None => (declared.trim(), true),
        };
        if !is_argument_name(name) {
            let rule = format!("the name of an argument is made of at most {NAME_MAX} letters, digits, `_` and `-`");
            return Err(defect(number, &rule));
        }
        if self.declares(name) {
            return Err(defect(number, &format!("`{name}` is declared twice")));
        }
        if self.arguments.len() >= ARGUMENTS_MAX {
            return Err(defect(number, &format!("more than {ARGUMENTS_MAX} arguments")));
        }
        self.arguments.push(ArgumentText { name: name.to_owned(), description, is_required });
        Ok(())
    }

    fn declares(&self, name: &str) -> bool {
        self.arguments.iter().any(|argument| argument.name == name)
    }

    fn message(&mut self, speaker: Speaker, lines: &[(usize, &str)]) -> Result<(), PromptDefect> {
        let is_empty = |line: &&(usize, &str)| line.1.is_empty();
        let skip = lines.iter().take_while(is_empty).count();
        let end = lines.len() - lines.iter().rev().take_while(is_empty).count();
        let Some(lines) = lines.get(skip..end).filter(|lines| !lines.is_empty()) else {
            return Err(defect(0, "a message is empty"));
        };
        let mut pieces = Vec::new();
        let mut text = String::new();
        for (index, (number, line)) in lines.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            self.pieces(*number, line, &mut text, &mut pieces)?;
        }
        pieces.push(Piece::Text(text));
        self.messages.push(Template { speaker, pieces });
        Ok(())
    }

    fn pieces(
        &self,
        number: usize,
        line: &str,
        text: &mut String,
        pieces: &mut Vec<Piece>,
    ) -> Result<(), PromptDefect> {
        let mut rest = line;
        while let Some((before, after)) = rest.split_once("{{") {
            if let Some(before) = before.strip_suffix('\\') {
                text.push_str(before);
                text.push_str("{{");
                rest = after;
                continue;
            }
            text.push_str(before);
            // Braces around anything but a name are text, such as those of another template language.
            match after.split_once("}}").map(|(name, after)| (name.trim(), after)) {
                Some((name, after)) if is_argument_name(name) => {
                    if !self.declares(name) {
                        let shown = shown_name(name);
                        let what = format!(
                            "`{shown}` is put in here and not declared; the head needs a line `argument {shown}: …`"
                        );
                        return Err(defect(number, &what));
                    }
                    pieces.push(Piece::Text(std::mem::take(text)));
                    pieces.push(Piece::Argument(name.to_owned()));
                    rest = after;
                }
                _ => {
                    text.push_str("{{");
                    rest = after;
                }
            }
        }
        text.push_str(rest);
        Ok(())
    }

    /// The arguments as the schema of an object, for whoever judges them.
    fn schema(&self) -> Value {
        let properties: Map<String, Value> =
            self.arguments.iter().map(|argument| (argument.name.clone(), json!({"type": "string"}))).collect();
        let required: Vec<&str> = self
            .arguments
            .iter()
            .filter(|argument| argument.is_required)
            .map(|argument| argument.name.as_str())
            .collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    /// The messages with the arguments put in, each once: what an argument says is not read for braces again.
    pub(super) fn fill(&self, arguments: &Value) -> Result<Vec<Message>, Unfilled> {
        let contract = Contract::compile(&self.schema()).map_err(|_| Unfilled::Fault)?;
        let admitted = contract.check(Arguments::from_value(arguments)).map_err(Unfilled::Refused)?;
        let given: std::collections::BTreeMap<String, String> =
            serde_json::from_str(admitted.arguments_text()).map_err(|_| Unfilled::Fault)?;
        let said = |piece: &'_ Piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Argument(name) => given.get(name).map_or(0, String::len),
        };
        // Counted before it is made: a long argument may be put in many times.
        let size = self
            .messages
            .iter()
            .flat_map(|message| &message.pieces)
            .fold(0_usize, |size, piece| size.saturating_add(said(piece)));
        if size > FILLED_MAX {
            return Err(Unfilled::TooLarge);
        }
        let filled = self.messages.iter().map(|message| {
            let text = message.pieces.iter().map(|piece| match piece {
                Piece::Text(text) => text.as_str(),
                Piece::Argument(name) => given.get(name).map_or("", String::as_str),
            });
            Message { speaker: message.speaker, text: text.collect() }
        });
        Ok(filled.collect())
    }
}

fn defect(line: usize, message: &str) -> PromptDefect {
    PromptDefect { line, message: message.to_owned() }
}

fn without_controls(number: usize, line: &str) -> Result<(), PromptDefect> {
    match line.chars().any(|char| char.is_control() && char != '\t') {
        true => Err(defect(number, "a control character")),
        false => Ok(()),
    }
}

/// Who speaks after this line, if it ends what stands before it.
fn speaker_after(line: &str) -> Option<Speaker> {
    match line {
        "---" | "--- user" => Some(Speaker::User),
        "--- assistant" => Some(Speaker::Assistant),
        _ => None,
    }
}

fn is_argument_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_part)
}

/// Whether a prompt may have this name: letters, digits, `_`, `-`, `.` and `/`, at most [`NAME_MAX`].
pub(super) fn is_name(name: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'/');
    !name.is_empty() && name.len() <= NAME_MAX && name.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const WALK: &str = "title: Walk through\ndescription: Step by step: all of it.\nargument path: the file\n\
        argument depth (optional): how deep\n---\n\nIn {{path}}, {{ depth }}.\n\n---\nAgain {{path}}.\n--- assistant\nYes.\n";

    fn texts(text: &str, arguments: Value) -> Vec<String> {
        let filled = PromptText::read(text).unwrap().fill(&arguments);
        let Ok(messages) = filled else { panic!("not filled") };
        messages.into_iter().map(|message| message.text).collect()
    }

    #[track_caller]
    fn refused(text: &str, arguments: Value, expected: &str) {
        let Err(Unfilled::Refused(refusal)) = PromptText::read(text).unwrap().fill(&arguments) else { panic!() };
        assert!(refusal.text().contains(expected), "{}", refusal.text());
        assert!(!refusal.text().contains("SENTINEL"), "{}", refusal.text());
    }

    #[track_caller]
    fn defective(text: &str, expected: &str) {
        assert_eq!(PromptText::read(text).unwrap_err().to_string(), expected);
    }

    #[test]
    fn the_head_and_the_messages_are_read() {
        let prompt = PromptText::read(WALK).unwrap();
        assert_eq!(prompt.title.as_deref(), Some("Walk through"));
        assert_eq!(prompt.description.as_deref(), Some("Step by step: all of it."));
        let arguments: Vec<_> = prompt.arguments.iter().map(|a| (a.name.as_str(), a.is_required)).collect();
        assert_eq!(arguments, [("path", true), ("depth", false)]);
        assert_eq!(
            texts(WALK, json!({"path": "a.rs", "depth": "twice"})),
            ["In a.rs, twice.\n\n---\nAgain a.rs.", "Yes."]
        );
        assert_eq!(texts(WALK, json!({"path": ""})), ["In , .\n\n---\nAgain .", "Yes."]);
        assert_eq!(texts("--- assistant\nI.\n--- user\nYou.", json!({})), ["I.", "You."]);
    }

    #[test]
    fn an_argument_is_put_in_once_and_as_it_is() {
        assert_eq!(
            texts(WALK, json!({"path": "{{depth}}\n--- user\n", "depth": "\\{{path}}"})),
            ["In {{depth}}\n--- user\n, \\{{path}}.\n\n---\nAgain {{depth}}\n--- user\n.", "Yes."]
        );
    }

    #[test]
    fn other_braces_are_text() {
        let text = "---\n{{#if x}} {{ a b }} {} {{ \\{{name}} {{{{\n}}";
        assert_eq!(texts(text, json!({})), ["{{#if x}} {{ a b }} {} {{ {{name}} {{{{\n}}"]);
    }

    #[test]
    fn arguments_are_judged_by_the_contract_of_the_prompt() {
        refused(WALK, json!({"depth": "SENTINEL"}), "missing required `path`");
        refused(WALK, json!({"path": "SENTINEL", "dept": "SENTINEL"}), "did you mean `depth`?");
        refused(WALK, json!({"path": ["SENTINEL"]}), "/path");
        refused(WALK, json!({"path": null}), "/path");
        refused("---\nNothing to give.", json!({"path": "SENTINEL"}), "unknown argument");
    }

    #[test]
    fn what_is_no_prompt_is_told_by_line() {
        defective("", "no line `---` ends the head");
        defective("Look at it.\n---\nx", "line 1: the head has only `title:`, `description:` and `argument NAME:`");
        defective("title: a\ntitle: b\n---\nx", "line 2: a second `title`");
        defective("argument a: x\nargument a: y\n---\n{{a}}", "line 2: `a` is declared twice");
        defective("argument a: x\n---\nx", "`a` is declared and nowhere put in; a message needs `{{a}}`");
        defective("---\n", "a message is empty");
        defective("---\nx\n--- assistant\n\n", "a message is empty");
        defective("---\nx\u{0}", "line 2: a control character");
        let rule = "line 1: the name of an argument is made of at most 128 letters, digits, `_` and `-`";
        defective("argument a b: x\n---\n{{a}}", rule);
        let many: String = (0..33).map(|index| format!("argument a{index}: x\n")).collect();
        defective(&format!("{many}---\nx"), "line 33: more than 32 arguments");
        defective(&"x".repeat(TEXT_MAX + 1), "the text is longer than 65536 bytes");
        // A line feed is added where the last line has none.
        defective(&format!("---\n{}", "x".repeat(TEXT_MAX - 4)), "the text is longer than 65536 bytes");
        assert!(PromptText::read(&format!("---\n{}\r\n\r\n", "x".repeat(TEXT_MAX - 5))).is_ok());
    }

    #[test]
    fn what_would_be_too_large_is_not_made() {
        let text = format!("argument a: x\n---\n{}", "{{a}}".repeat(1024));
        let prompt = PromptText::read(&text).unwrap();
        assert!(prompt.fill(&json!({"a": "x".repeat(1024)})).is_ok());
        assert!(matches!(prompt.fill(&json!({"a": "x".repeat(1025)})), Err(Unfilled::TooLarge)));
    }
}

//! Variables in the text of a configuration, as each client writes them.

use std::env;
use std::path::{MAIN_SEPARATOR_STR, Path};

/// What a variable is set to, or why that cannot be told.
pub(crate) type Lookup<'a> = dyn Fn(&str) -> Result<Option<String>, String> + 'a;

/// How a client writes a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variables {
    /// Not at all: every text is itself.
    None,
    /// `${NAME}` and `${NAME:-default}`; so does our own file.
    Braced,
    /// The same, and `$NAME`.
    Shell,
    /// `${env:NAME}`, and what an editor knows: `${workspaceFolder}`, `${userHome}`, `${input:…}` of its user.
    Editor,
}

/// A text of a configuration whose variables are filled in when it is used.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Template {
    written: String,
    pieces: Vec<Piece>,
}

#[derive(Clone, PartialEq, Eq)]
enum Piece {
    Text(String),
    Variable {
        name: String,
        default: Option<String>,
        /// As it is written, without its default.
        bare: String,
    },
    /// What only the client can fill in, as it is written.
    OfClient(String),
}

impl Template {
    pub(crate) fn read(text: &str, variables: Variables) -> Template {
        let pieces = match variables {
            Variables::None => vec![Piece::Text(text.to_owned())],
            Variables::Braced => pieces(text, &braced),
            Variables::Shell => pieces(text, &|rest| braced(rest).or_else(|| bare(rest))),
            Variables::Editor => pieces(text, &of_editor),
        };
        Template { written: text.to_owned(), pieces: merged(pieces) }
    }

    /// The value of a variable.
    pub(crate) fn variable(name: &str) -> Template {
        let written = format!("${{{name}}}");
        let pieces = vec![Piece::Variable { name: name.to_owned(), default: None, bare: written.clone() }];
        Template { written, pieces }
    }

    /// As the file has it.
    pub(crate) fn written(&self) -> &str {
        &self.written
    }

    /// As the file has it, without what stands for a variable that is not set: that may be a secret.
    pub(crate) fn without_defaults(&self) -> String {
        let pieces = self.pieces.iter().map(|piece| match piece {
            Piece::Text(text) | Piece::Variable { bare: text, .. } | Piece::OfClient(text) => text.as_str(),
        });
        pieces.collect()
    }

    /// The text with its variables filled in.
    ///
    /// # Errors
    ///
    /// Names the variable that is not set and has no default, or is no text, or what only the client can fill in.
    pub(crate) fn fill(&self, variable: &Lookup) -> Result<String, String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Variable { name, default, .. } => {
                    // As in shells, `:-` stands for a variable that is empty, too.
                    let value = variable(name)?.filter(|value| default.is_none() || !value.is_empty());
                    let value = value.or_else(|| default.clone());
                    out.push_str(&value.ok_or_else(|| format!("the variable `{name}` is not set"))?);
                }
                Piece::OfClient(written) => {
                    return Err(format!("only its client can fill in `{}`", toolgate::shown_name(written)));
                }
            }
        }
        Ok(out)
    }

    /// The same text as our own file writes it.
    ///
    /// # Errors
    ///
    /// Says what our file cannot say.
    pub(crate) fn as_ours(&self) -> Result<String, String> {
        let mut out = String::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Variable { name, default: None, .. } => out.push_str(&format!("${{{name}}}")),
                Piece::Variable { name, default: Some(default), .. } => {
                    out.push_str(&format!("${{{name}:-{default}}}"))
                }
                Piece::OfClient(written) => {
                    return Err(format!("only its client can fill in `{}`", toolgate::shown_name(written)));
                }
            }
        }
        let read = Template::read(&out, Variables::Braced);
        if read.pieces.iter().map(Piece::meaning).eq(self.pieces.iter().map(Piece::meaning)) {
            Ok(out)
        } else {
            Err("it has `${…}` that is no variable there, and would be one here".to_owned())
        }
    }

    /// Whether nothing in it is filled in.
    pub(crate) fn is_fixed(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Text(_)))
    }
}

impl Piece {
    /// What it stands for, however it is written.
    fn meaning(&self) -> (&str, Option<Option<&str>>) {
        match self {
            Piece::Text(text) | Piece::OfClient(text) => (text, None),
            Piece::Variable { name, default, .. } => (name, Some(default.as_deref())),
        }
    }
}

/// The text with `${VAR}` and `${VAR:-default}` filled in. A `$` that begins none of the two is itself.
///
/// # Errors
///
/// Names the variable that is not set and has no default.
pub(crate) fn expand(text: &str, variable: &Lookup) -> Result<String, String> {
    Template::read(text, Variables::Braced).fill(variable)
}

/// What begins a text, and how many bytes of it that is.
type Begins = (Piece, usize);

/// Cuts at every `$` that begins what `reader` knows.
fn pieces(text: &str, reader: &dyn Fn(&str) -> Option<Begins>) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('$') {
        let (before, after) = rest.split_at_checked(at).unwrap_or((rest, ""));
        pieces.push(Piece::Text(before.to_owned()));
        let (piece, length) = reader(after).unwrap_or((Piece::Text("$".to_owned()), 1));
        pieces.push(piece);
        rest = after.get(length..).unwrap_or_default();
    }
    pieces.push(Piece::Text(rest.to_owned()));
    pieces
}

/// Texts that stand beside each other as one, and none that is empty, so that equal templates are equal.
fn merged(pieces: Vec<Piece>) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        match (out.last_mut(), piece) {
            (_, Piece::Text(text)) if text.is_empty() => {}
            (Some(Piece::Text(before)), Piece::Text(text)) => before.push_str(&text),
            (_, piece) => out.push(piece),
        }
    }
    out
}

/// What stands in braces at the beginning, and the length of it all.
fn in_braces(text: &str) -> Option<(&str, usize)> {
    let (inside, _) = text.strip_prefix("${")?.split_once('}')?;
    Some((inside, inside.len() + 3))
}

fn braced(text: &str) -> Option<Begins> {
    let (inside, length) = in_braces(text)?;
    let (name, default) = inside.split_once(":-").map_or((inside, None), |(name, default)| (name, Some(default)));
    let bare = format!("${{{name}}}");
    is_name(name)
        .then(|| (Piece::Variable { name: name.to_owned(), default: default.map(str::to_owned), bare }, length))
}

fn bare(text: &str) -> Option<Begins> {
    let name = text.strip_prefix('$')?;
    let end = name.find(|ch: char| !ch.is_ascii_alphanumeric() && ch != '_').unwrap_or(name.len());
    let name = name.get(..end)?;
    let bare = format!("${name}");
    is_name(name).then(|| (Piece::Variable { name: name.to_owned(), default: None, bare }, end + 1))
}

fn of_editor(text: &str) -> Option<Begins> {
    let (inside, length) = in_braces(text)?;
    if let Some(name) = inside.strip_prefix("env:").filter(|name| is_name(name)) {
        let bare = format!("${{env:{name}}}");
        return Some((Piece::Variable { name: name.to_owned(), default: None, bare }, length));
    }
    let known = |path: Option<String>| path.map(Piece::Text);
    let shown = |path: &Path| path.to_str().map(str::to_owned);
    let folder = || env::current_dir().ok();
    let piece = match inside {
        "workspaceFolder" => known(folder().and_then(|folder| shown(&folder))),
        "workspaceFolderBasename" => known(folder().and_then(|folder| shown(Path::new(folder.file_name()?)))),
        "userHome" => known(env::home_dir().and_then(|home| shown(&home))),
        "pathSeparator" | "/" => Some(Piece::Text(MAIN_SEPARATOR_STR.to_owned())),
        _ => None,
    };
    Some((piece.unwrap_or_else(|| Piece::OfClient(format!("${{{inside}}}"))), length))
}

pub(crate) fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(|ch: char| ch.is_ascii_digit())
        && name.chars().all(|ch| ch.is_ascii_alphanumeric() || ch == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str) -> Result<Option<String>, String> {
        match name {
            "A" => Ok(Some("one".to_owned())),
            "EMPTY" => Ok(Some(String::new())),
            "BYTES" => Err("the variable `BYTES` is set, and is not UTF-8".to_owned()),
            _ => Ok(None),
        }
    }

    #[track_caller]
    fn becomes(variables: Variables, text: &str, expected: Result<&str, &str>) {
        let expected = expected.map(str::to_owned).map_err(str::to_owned);
        assert_eq!(Template::read(text, variables).fill(&variable), expected, "{text}");
    }

    #[test]
    fn variables_are_filled_in() {
        let becomes = |text, expected| becomes(Variables::Braced, text, expected);
        becomes("x${A}y${A}", Ok("xoneyone"));
        becomes("${B:-two}/${EMPTY:-three}/${A:-four}/${B:-}", Ok("two/three/one/"));
        becomes("${EMPTY}", Ok(""));
        becomes("$A ${ A} ${1} ${input:key} ${", Ok("$A ${ A} ${1} ${input:key} ${"));
        becomes("a${B}", Err("the variable `B` is not set"));
        becomes("${BYTES:-default}", Err("the variable `BYTES` is set, and is not UTF-8"));
    }

    #[test]
    fn each_client_writes_them_in_its_own_way() {
        becomes(Variables::None, "${A} $A", Ok("${A} $A"));
        becomes(Variables::Shell, "$A-${A}$ $1 $", Ok("one-one$ $1 $"));
        becomes(Variables::Shell, "$B", Err("the variable `B` is not set"));
        becomes(Variables::Editor, "${env:A} $A", Ok("one $A"));
        becomes(Variables::Editor, "x ${input:key}", Err("only its client can fill in `${input:key}`"));
        becomes(Variables::Editor, "${A}", Err("only its client can fill in `${A}`"));
        let folder = env::current_dir().unwrap();
        becomes(Variables::Editor, "${workspaceFolder}${/}x", Ok(folder.join("x").to_str().unwrap()));
    }

    #[test]
    fn a_variable_is_shown_as_it_is_written_and_without_its_default() {
        let shown = |text, variables| Template::read(text, variables).without_defaults();
        assert_eq!(shown("${A:-SECRET}/x${B}", Variables::Braced), "${A}/x${B}");
        assert_eq!(shown("$A/${B:-SECRET}", Variables::Shell), "$A/${B}");
        assert_eq!(
            shown("${env:A}/${input:key}/${input:a:-b}", Variables::Editor),
            "${env:A}/${input:key}/${input:a:-b}"
        );
        assert_eq!(shown("${A:-b}", Variables::None), "${A:-b}");
    }

    #[test]
    fn what_our_file_can_say_is_said_in_its_words() {
        let ours = |text, variables| Template::read(text, variables).as_ours();
        assert_eq!(ours("$A/${env:A}", Variables::Shell).as_deref(), Ok("${A}/${env:A}"));
        assert_eq!(ours("${env:A}!", Variables::Editor).as_deref(), Ok("${A}!"));
        assert_eq!(ours("${A:-b}", Variables::Braced).as_deref(), Ok("${A:-b}"));
        assert_eq!(ours("plain $A", Variables::None).as_deref(), Ok("plain $A"));
        assert!(ours("${A}", Variables::None).is_err());
        assert!(ours("${input:key}", Variables::Editor).is_err());
    }
}

//! What a configuration file holds, whatever language it is written in, with the place of everything in the text.
//!
//! One tree for JSON with comments, TOML and YAML: what is read of a server and what is edited of it is said once. Members keep the
//! file's order and numbers keep their digits. It has no `Debug`: values of `env` and `headers` are in it.

mod json;
mod toml;
mod yaml;

use std::ops::Range;

/// A value and the bytes that it takes in the text.
pub(crate) struct Node {
    pub(crate) span: Range<usize>,
    pub(crate) kind: Kind,
}

pub(crate) enum Kind {
    /// `null`, and what no configuration of a server holds, such as a date.
    Nothing,
    Flag(bool),
    /// Its digits, as they are written.
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Member>),
    /// What stands at another place of the file (`*name` in YAML), which is not looked up.
    Elsewhere,
}

pub(crate) struct Member {
    pub(crate) name: String,
    /// Where its name begins.
    pub(crate) start: usize,
    pub(crate) value: Node,
}

/// How a file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// JSON in which comments and trailing commas may stand.
    Json,
    Toml,
    Yaml,
}

impl Syntax {
    /// The tree of a text, which begins with no byte order mark.
    ///
    /// # Errors
    ///
    /// Says where it cannot be read, and why, in words that hold nothing of the text.
    pub(crate) fn read(self, text: &str) -> Result<Node, String> {
        match self {
            Syntax::Json => json::read(text),
            Syntax::Toml => toml::read(text),
            Syntax::Yaml => yaml::read(text),
        }
    }
}

impl Node {
    /// The member of this name. Of a name that is given twice it is the last, which is the one that clients read.
    pub(crate) fn get(&self, name: &str) -> Option<&Node> {
        self.members().iter().rev().find(|member| member.name == name).map(|member| &member.value)
    }

    /// The value at the end of a way of names.
    pub(crate) fn at(&self, names: &[&str]) -> Option<&Node> {
        names.iter().try_fold(self, |node, name| node.get(name))
    }

    /// The first name on a way that is given twice where it stands, and the place of the second: whoever reads one of the two does not
    /// read what is below the other.
    pub(crate) fn repeated_on(&self, names: &[&str]) -> Option<&Member> {
        let (first, rest) = names.split_first()?;
        let mut all = self.members().iter().filter(|member| member.name == *first);
        let once = all.next()?;
        all.next().or_else(|| once.value.repeated_on(rest))
    }

    /// Of what is no object, none.
    pub(crate) fn members(&self) -> &[Member] {
        match &self.kind {
            Kind::Object(members) => members,
            _ => &[],
        }
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match &self.kind {
            Kind::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Whether a part of it stands at another place of the file.
    pub(crate) fn is_elsewhere(&self) -> bool {
        match &self.kind {
            Kind::Elsewhere => true,
            Kind::List(items) => items.iter().any(Node::is_elsewhere),
            Kind::Object(members) => members.iter().any(|member| member.value.is_elsewhere()),
            Kind::Nothing | Kind::Flag(_) | Kind::Number(_) | Kind::Text(_) => false,
        }
    }

    pub(crate) fn is_object(&self) -> bool {
        matches!(self.kind, Kind::Object(_))
    }
}

/// Where a place of the text stands, counted from one.
pub(crate) fn line_of(text: &str, offset: usize) -> usize {
    line_column(text, offset).0
}

/// The words of a parser, as we write ours.
fn decapitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| format!("{}{}", first.to_lowercase(), chars.as_str()))
}

/// Line and column of an offset, counted from one.
fn line_column(text: &str, offset: usize) -> (usize, usize) {
    let before = text.as_bytes().get(..offset.min(text.len())).unwrap_or_default();
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let column = String::from_utf8_lossy(before.get(start..).unwrap_or_default()).chars().count() + 1;
    (line, column)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The tree in a line, without places.
    fn shown(node: &Node) -> String {
        match &node.kind {
            Kind::Nothing => "-".to_owned(),
            Kind::Elsewhere => "*".to_owned(),
            Kind::Flag(flag) => flag.to_string(),
            Kind::Number(digits) => format!("#{digits}"),
            Kind::Text(text) => format!("{text:?}"),
            Kind::List(items) => format!("[{}]", items.iter().map(shown).collect::<Vec<_>>().join(" ")),
            Kind::Object(members) => {
                let members = members.iter().map(|member| format!("{}:{}", member.name, shown(&member.value)));
                format!("{{{}}}", members.collect::<Vec<_>>().join(" "))
            }
        }
    }

    #[track_caller]
    fn reads(syntax: Syntax, text: &str, expected: &str) {
        assert_eq!(syntax.read(text).map(|node| shown(&node)).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn three_languages_hold_the_same() {
        let expected = r#"{z:{command:"npx" args:["-y" "a b"] n:#12345678901234567890 on:true} a:-}"#;
        let json = "{ // mine\n\"z\": {\"command\": \"npx\", \"args\": [\"-y\", \"a b\",], \"n\": 12345678901234567890, \"on\": true}, /* */ \"a\": null, }";
        reads(Syntax::Json, json, expected);
        let yaml =
            "z: # mine\n  command: npx\n  args:\n    - -y\n    - 'a b'\n  n: 12345678901234567890\n  on: true\na: ~\n";
        reads(Syntax::Yaml, yaml, expected);
        let toml = "[z] # mine\ncommand = 'npx'\nargs = [\"-y\", \"a b\"]\nn = 123\non = true\n";
        reads(Syntax::Toml, toml, r#"{z:{command:"npx" args:["-y" "a b"] n:#123 on:true}}"#);
    }

    #[test]
    fn a_name_that_is_given_twice_is_the_last_and_toml_refuses_it() {
        let node = Syntax::Json.read(r#"{"a": 1, "a": 2}"#).unwrap();
        assert!(matches!(&node.get("a").unwrap().kind, Kind::Number(digits) if digits == "2"));
        assert!(Syntax::Toml.read("a = 1\na = 2\n").is_err());
    }

    #[test]
    fn what_cannot_be_read_is_placed_and_nothing_of_it_is_told() {
        for (syntax, text, place) in [
            (Syntax::Json, "{\"a\": \"SECRET\" \"b\": \"SECRET\"}", "1:"),
            (Syntax::Json, "{\n \"a\": [\"SECRET\"", "2:"),
            (Syntax::Json, "{'a': 'SECRET'}", "1:"),
            (Syntax::Toml, "a = 1\nSECRET = \"SECRET\n", "2:"),
            (Syntax::Toml, "a = SECRET\n", "1:"),
            (Syntax::Yaml, "a: b\n  SECRET: [SECRET\n", ""),
            (Syntax::Yaml, "a: &x SECRET\n*x : SECRET\n", "2:"),
            (Syntax::Yaml, "a: [\nSECRET\nb: SECRET\n", ""),
            (Syntax::Yaml, "? [SECRET]\n: b\n", "1:"),
            (Syntax::Yaml, "a: 1\n---\nb: 2\n", "2:"),
        ] {
            let why = syntax.read(text).err().unwrap_or_else(|| panic!("{text} is read"));
            assert!(why.starts_with(place) && !why.contains("SECRET"), "{text}: {why}");
        }
    }

    #[test]
    fn depth_is_bounded_in_every_language() {
        let json = "[".repeat(100_000);
        let yaml = format!("a: {json}");
        let toml = format!("a = {json}");
        assert!(Syntax::Json.read(&json).is_err());
        assert!(Syntax::Yaml.read(&yaml).is_err());
        assert!(Syntax::Toml.read(&toml).is_err());
    }

    #[test]
    fn in_brackets_yaml_has_no_indentation() {
        let text = "ü:\n  a: [\n    b,\n  c\n]\n  d: {\n  e: 'f'\n}\n  g: h\n";
        reads(Syntax::Yaml, text, r#"{ü:{a:["b" "c"] d:{e:"f"} g:"h"}}"#);
        let node = Syntax::Yaml.read(text).unwrap();
        let written = |names: &[&str]| text.get(node.at(names).unwrap().span.clone()).unwrap();
        assert_eq!(written(&["ü", "a"]), "[\n    b,\n  c\n]");
        assert_eq!(
            (written(&["ü", "d"]), written(&["ü", "d", "e"]), written(&["ü", "g"])),
            ("{\n  e: 'f'\n}", "'f'", "h")
        );
    }

    #[test]
    fn yaml_takes_a_bare_word_for_what_it_says() {
        reads(
            Syntax::Yaml,
            "[a, 'true', true, \"1\", 1, 1.5, ~, null, '', !!str 5]",
            r#"["a" "true" true "1" #1 #1.5 - - "" "5"]"#,
        );
        reads(Syntax::Yaml, "", "-");
        reads(Syntax::Yaml, "a: &x b\nc: {<<: *x, d: [*x]}\n", r#"{a:"b" c:{<<:* d:[*]}}"#);
        reads(Syntax::Yaml, "a: |\n  one\n  two\nb: {c: []}\n", r#"{a:"one\ntwo\n" b:{c:[]}}"#);
    }
}

//! The fields of a struct as its source documents them: what a reader of a file may write.

/// A public field: its name, its type, and what its comment says.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: String,
    pub(crate) meaning: String,
}

/// The public fields of `pub struct NAME { … }`, in the order of the source.
///
/// # Errors
///
/// Names the struct that is not there, or the field that says nothing of itself.
pub(crate) fn of(source: &str, name: &str) -> Result<Vec<Field>, String> {
    let head = format!("pub struct {name} {{");
    let lines = source.lines().skip_while(|line| *line != head).skip(1).take_while(|line| *line != "}");
    let (mut fields, mut meaning) = (Vec::new(), String::new());
    for line in lines.map(str::trim) {
        if let Some(words) = line.strip_prefix("///") {
            meaning = format!("{meaning} {}", words.trim()).trim().to_owned();
        } else if let Some((name, kind)) = line.strip_prefix("pub ").and_then(|field| field.split_once(": ")) {
            if meaning.is_empty() {
                return Err(format!("the field `{name}` is not documented"));
            }
            let kind = kind.trim_end_matches(',').to_owned();
            fields.push(Field { name: name.to_owned(), kind, meaning: without_rules(&std::mem::take(&mut meaning)) });
        }
    }
    if fields.is_empty() { Err(format!("there is no `pub struct {name}` with fields")) } else { Ok(fields) }
}

/// Numbers of rules are for readers of the code.
fn without_rules(text: &str) -> String {
    let mut parts = text.split(" (R");
    let mut plain = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.split_once(')') {
            Some((number, rest)) if number.starts_with(|ch: char| ch.is_ascii_digit()) => plain.push_str(rest),
            _ => plain = format!("{plain} (R{part}"),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
pub struct Other {
    /// No.
    pub no: u8,
}

#[derive(Debug)]
pub struct Bounds {
    /// How many
    /// at most (R4.7, R6). No more.
    pub count: usize,
    #[serde(default)]
    /// A (Rust) word.
    pub word: Option<String>,
    hidden: u8,
}
";

    #[test]
    fn fields_are_read_with_their_comments() {
        let field = |name: &str, kind: &str, meaning: &str| Field {
            name: name.to_owned(),
            kind: kind.to_owned(),
            meaning: meaning.to_owned(),
        };
        let expected =
            [field("count", "usize", "How many at most. No more."), field("word", "Option<String>", "A (Rust) word.")];
        assert_eq!(of(SOURCE, "Bounds").unwrap(), expected);
    }

    #[test]
    fn what_is_not_there_or_says_nothing_is_an_error() {
        assert!(of(SOURCE, "Bound").unwrap_err().contains("`pub struct Bound`"));
        assert!(of("pub struct A {\n    pub b: u8,\n}\n", "A").unwrap_err().contains("`b`"));
    }
}

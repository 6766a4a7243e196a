//! YAML, as goose's file is written: one document, without anchors and with names that are scalars.

use super::{Kind, Member, Node};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};

/// Nesting beyond any configuration.
const DEPTH_MAX: usize = 128;

pub(super) fn read(text: &str) -> Result<Node, String> {
    let starts = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
    let mut reader = Reader { parser: Parser::new_from_str(text), text, starts };
    let mut root = None;
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamEnd => return Ok(root.unwrap_or(empty())),
            Event::DocumentStart(_) if root.is_some() => return Err(at(&span.start, "it is more than one document")),
            Event::DocumentStart(_) => {
                let (event, span) = reader.next()?;
                root = Some(reader.node(event, &span, 0)?);
            }
            _ => {}
        }
    }
}

fn empty() -> Node {
    Node { span: 0..0, kind: Kind::Nothing }
}

fn at(place: &Marker, why: &str) -> String {
    format!("{}:{}: {why}", place.line(), place.col() + 1)
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    text: &'t str,
    /// Where each character begins, which the parser counts.
    starts: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), String> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            // The parser's own words can hold a piece of the text.
            Some(Err(error)) => Err(at(error.marker(), "it is no YAML from here on")),
            None => Err("it ends early".to_owned()),
        }
    }

    fn offset(&self, place: &Marker) -> usize {
        self.starts.get(place.index()).or(self.starts.last()).copied().unwrap_or_default()
    }

    fn node(&mut self, event: Event<'t>, span: &Span, depth: usize) -> Result<Node, String> {
        if depth > DEPTH_MAX {
            return Err(at(&span.start, "it is nested too deeply"));
        }
        let start = self.offset(&span.start);
        let mut end = self.offset(&span.end);
        let kind = match event {
            Event::Scalar(text, style, _, tag) => {
                end = start + written_length(self.text.get(start..end).unwrap_or_default(), style);
                scalar(text.into_owned(), style, tag.as_deref())
            }
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        (Event::SequenceEnd, span) => {
                            end = self.offset(&span.end);
                            break Kind::List(items);
                        }
                        (event, span) => items.push(self.node(event, &span, depth + 1)?),
                    }
                }
            }
            Event::MappingStart(..) => {
                let mut members = Vec::new();
                loop {
                    match self.next()? {
                        (Event::MappingEnd, span) => {
                            end = self.offset(&span.end);
                            break Kind::Object(members);
                        }
                        (Event::Scalar(name, ..), of_name) => {
                            let (event, span) = self.next()?;
                            let value = self.node(event, &span, depth + 1)?;
                            let start = self.offset(&of_name.start);
                            members.push(Member { name: name.into_owned(), start, value });
                        }
                        (_, span) => return Err(at(&span.start, "a name in it is no text")),
                    }
                }
            }
            Event::Alias(_) => {
                return Err(at(&span.start, "it refers to another part of itself (`*name`), which is not read here"));
            }
            _ => return Err(at(&span.start, "it is no value")),
        };
        Ok(Node { span: start..end, kind })
    }
}

/// How much of this is the scalar: the parser counts what stands between it and the next thing, too.
/// Of a text in lines of its own, nothing: it cannot be moved.
fn written_length(text: &str, style: ScalarStyle) -> usize {
    if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
        return 0;
    }
    let mut chars = text.char_indices().skip(1).peekable();
    while let Some((at, ch)) = chars.next() {
        match (style, ch) {
            (ScalarStyle::DoubleQuoted, '\\') => drop(chars.next()),
            (ScalarStyle::DoubleQuoted, '"') => return at + 1,
            // One that is written twice is a sign of the text.
            (ScalarStyle::SingleQuoted, '\'') if chars.next_if(|(_, next)| *next == '\'').is_none() => return at + 1,
            _ => {}
        }
    }
    text.trim_end().len()
}

/// By the core schema: only a bare scalar is anything but text.
fn scalar(text: String, style: ScalarStyle, tag: Option<&Tag>) -> Kind {
    let is_text = tag.is_some_and(|tag| tag.suffix == "str" || tag.handle == "!");
    if style != ScalarStyle::Plain || is_text {
        return Kind::Text(text);
    }
    match text.as_str() {
        "" | "~" | "null" | "Null" | "NULL" => Kind::Nothing,
        "true" | "True" | "TRUE" => Kind::Flag(true),
        "false" | "False" | "FALSE" => Kind::Flag(false),
        number
            if number.parse::<f64>().is_ok()
                && number.starts_with(|ch: char| ch.is_ascii_digit() || "+-.".contains(ch)) =>
        {
            Kind::Number(text)
        }
        _ => Kind::Text(text),
    }
}

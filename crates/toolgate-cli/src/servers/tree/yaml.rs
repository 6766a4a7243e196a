//! YAML, as goose's file is written: one document, with names that are scalars.

use super::{Kind, Member, Node};
use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Span, Tag};

/// Nesting beyond any configuration.
const DEPTH_MAX: usize = 128;

/// Lines that are moved so that the parser takes them.
const MOVED_MAX: usize = 64;

pub(super) fn read(text: &str) -> Result<Node, String> {
    let mut moved = Vec::new();
    loop {
        match read_moved(text, &moved) {
            // In brackets there is no indentation (YAML 1.2.2, 7.4), as others read it; the parser wants one.
            Err(Unread::Indentation { line, .. }) if moved.len() < MOVED_MAX && !moved.contains(&line) => {
                moved.push(line)
            }
            read => return read.map_err(|unread| unread.told()),
        }
    }
}

/// Why a text was not read.
enum Unread {
    /// This line, counted from one, begins too far left for what it is in.
    Indentation {
        line: usize,
        told: String,
    },
    Other(String),
}

impl Unread {
    fn told(self) -> String {
        match self {
            Unread::Indentation { told, .. } | Unread::Other(told) => told,
        }
    }
}

/// Reads the text as if these lines were indented further than all others.
fn read_moved(text: &str, moved: &[usize]) -> Result<Node, Unread> {
    let indent = text.lines().map(|line| line.len() - line.trim_start().len()).max().unwrap_or(0) + 1;
    let mut source = String::with_capacity(text.len());
    let mut starts = Vec::new();
    let mut begin = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if moved.contains(&(index + 1)) {
            source.push_str(&" ".repeat(indent));
            starts.extend(std::iter::repeat_n(begin, indent));
        }
        source.push_str(line);
        starts.extend(line.char_indices().map(|(at, _)| begin + at));
        begin += line.len();
    }
    starts.push(text.len());
    read_with(Reader { parser: Parser::new_from_str(&source), text, starts })
}

fn read_with(mut reader: Reader<'_>) -> Result<Node, Unread> {
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

fn at(place: &Marker, why: &str) -> Unread {
    Unread::Other(format!("{}:{}: {why}", place.line(), place.col() + 1))
}

struct Reader<'t> {
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    text: &'t str,
    /// Where each character that the parser counts begins in the text.
    starts: Vec<usize>,
}

impl<'t> Reader<'t> {
    fn next(&mut self) -> Result<(Event<'t>, Span), Unread> {
        match self.parser.next_event() {
            Some(Ok(event)) => Ok(event),
            // The parser's own words can hold a piece of the text.
            Some(Err(error)) => {
                let told = at(error.marker(), "it is no YAML from here on");
                let is_indentation = error.info().starts_with("invalid indentation");
                let line = error.marker().line();
                Err(if is_indentation { Unread::Indentation { line, told: told.told() } } else { told })
            }
            None => Err(Unread::Other("it ends early".to_owned())),
        }
    }

    fn offset(&self, place: &Marker) -> usize {
        self.starts.get(place.index()).or(self.starts.last()).copied().unwrap_or_default()
    }

    fn node(&mut self, event: Event<'t>, span: &Span, depth: usize) -> Result<Node, Unread> {
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
            Event::Alias(_) => Kind::Elsewhere,
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

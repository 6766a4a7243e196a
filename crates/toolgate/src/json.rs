//! Reads raw JSON text into an arena of spans, and refuses what two readers could read differently (R1).
//!
//! Every token keeps its place in the text, so digits, member order and spelling survive, and whatever is not touched is
//! forwarded as it was written. Nothing recurses: nesting is bounded by a limit and held in a list. The reader knows no
//! schema.

use crate::limits::Limits;
use crate::location::Location;
use crate::refusal::Code;
use smallvec::SmallVec;
use std::borrow::Cow;
use std::fmt;

/// The six kinds of a JSON value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Boolean,
    /// Any number, integers included.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The name as JSON Schema's `type` spells it.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Null => "null",
            Kind::Boolean => "boolean",
            Kind::Number => "number",
            Kind::String => "string",
            Kind::Array => "array",
            Kind::Object => "object",
        }
    }
}

/// What a reader insists on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Everything of R1.2: for arguments and for schemas.
    Strict,
    /// One complete JSON text, within depth and size. Repeated names, lone surrogates and long numbers are let by: for
    /// frames, whose other parts cross with their tokens unchanged (R12.1).
    Frame,
}

/// Why a text was not read. Holds no part of the text.
#[derive(Clone, PartialEq, Eq)]
pub struct Fault {
    /// One of `invalid-json`, `invalid-unicode`, `duplicate-name`, `depth-limit`, `size-limit`, `number-range`.
    pub code: Code,
    /// Where in the value the fault lies, as far as it can be named; the root for text that is no JSON at all.
    pub location: Location,
    /// Byte offset in the text.
    pub offset: usize,
}

impl fmt::Debug for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fault({} at {:?}, byte {})", self.code, self.location, self.offset)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.code, self.offset)
    }
}

impl std::error::Error for Fault {}

/// One value of the arena, by number. Valid only for the document that gave it.
pub(crate) type Slot = u32;

/// Texts beyond this would not fit the arena's 32-bit spans; the size limit of [`Limits`] is far below it.
const TEXT_MAX_BYTES: usize = 128 * 1024 * 1024;

const FLAG_ESCAPED: u32 = 1;
/// For numbers: the literal has no fraction and no exponent.
const FLAG_INTEGER_LITERAL: u32 = 1;
const COUNT_SHIFT: u32 = 5;

#[derive(Clone, Copy, Default)]
struct Node {
    start: u32,
    end: u32,
    /// The slot after this value and all that is inside it.
    next: u32,
    /// Kind (3 bits), flags (2 bits), number of members or items (27 bits).
    meta: u32,
}

/// A text that was read: the text, and an arena of the places of its values.
///
/// # Example
///
/// ```
/// use toolgate::json::{Document, Kind, Strictness};
/// use toolgate::Limits;
/// let document = Document::read(br#"{"n": 1.50}"#, Strictness::Strict, &Limits::default())?;
/// let number = document.root().get("n").unwrap();
/// assert_eq!(number.kind(), Kind::Number);
/// assert_eq!(number.text(), "1.50");
/// # Ok::<(), toolgate::json::Fault>(())
/// ```
#[derive(Clone)]
pub struct Document<'t> {
    text: Cow<'t, str>,
    nodes: Vec<Node>,
    /// A raw line break stands between tokens.
    has_breaks: bool,
}

impl fmt::Debug for Document<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Document({} bytes, {} values)", self.text.len(), self.nodes.len())
    }
}

impl<'t> Document<'t> {
    /// Reads `text`, which must be one complete JSON value.
    ///
    /// # Errors
    ///
    /// Returns the first [`Fault`] found; the size is looked at before anything else.
    pub fn read(text: &'t [u8], strictness: Strictness, limits: &Limits) -> Result<Self, Fault> {
        check_size(text.len(), limits)?;
        match std::str::from_utf8(text) {
            Ok(text) => read_text(text, strictness, limits.depth_max).map(|(nodes, has_breaks)| Document {
                text: text.into(),
                nodes,
                has_breaks,
            }),
            Err(error) => Err(root_fault(Code::InvalidUnicode, error.valid_up_to())),
        }
    }

    /// Like [`Document::read`], for text that is known to be UTF-8.
    ///
    /// # Errors
    ///
    /// As for [`Document::read`].
    pub fn read_str(text: &'t str, strictness: Strictness, limits: &Limits) -> Result<Self, Fault> {
        check_size(text.len(), limits)?;
        let (nodes, has_breaks) = read_text(text, strictness, limits.depth_max)?;
        Ok(Document { text: text.into(), nodes, has_breaks })
    }

    /// Reads text that the document is to own.
    ///
    /// # Errors
    ///
    /// As for [`Document::read`].
    pub fn read_owned(text: String, strictness: Strictness, limits: &Limits) -> Result<Document<'static>, Fault> {
        check_size(text.len(), limits)?;
        let (nodes, has_breaks) = read_text(&text, strictness, limits.depth_max)?;
        Ok(Document { text: text.into(), nodes, has_breaks })
    }

    /// The value that the whole text is.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, slot: 0 }
    }

    /// The value of a slot that somebody keeps.
    pub(crate) fn value_at(&self, slot: Slot) -> Value<'_> {
        Value { document: self, slot }
    }

    /// The text that was read.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The members of the root, where it is an object.
    pub(crate) fn root_members(&self) -> impl Iterator<Item = (Slot, Slot)> + '_ {
        let members = (self.kind(0) == Kind::Object).then(|| self.members(0));
        members.into_iter().flatten()
    }

    /// The text of the root on one line, without white space around it; borrowed where the text was.
    pub(crate) fn into_root_text(self) -> Cow<'t, str> {
        let span = self.span(0);
        let has_breaks = self.has_breaks;
        let cut = |text: &str| {
            let text = text.get(span.clone()).unwrap_or("");
            if has_breaks { text.chars().filter(|ch| !matches!(ch, '\r' | '\n')).collect() } else { text.to_owned() }
        };
        match self.text {
            Cow::Borrowed(text) if !has_breaks => Cow::Borrowed(text.get(span).unwrap_or("")),
            Cow::Owned(text) if !has_breaks && span == (0..text.len()) => Cow::Owned(text),
            text => Cow::Owned(cut(&text)),
        }
    }

    #[inline]
    fn node(&self, slot: Slot) -> Node {
        self.nodes.get(slot as usize).copied().unwrap_or_default()
    }

    #[inline]
    pub(crate) fn kind(&self, slot: Slot) -> Kind {
        match self.node(slot).meta & 7 {
            1 => Kind::Boolean,
            2 => Kind::Number,
            3 => Kind::String,
            4 => Kind::Array,
            5 => Kind::Object,
            _ => Kind::Null,
        }
    }

    /// The slot after this value: its next sibling, or the end of its parent.
    #[inline]
    pub(crate) fn next(&self, slot: Slot) -> Slot {
        self.node(slot).next
    }

    /// Members of an object, items of an array, 0 for scalars.
    pub(crate) fn count(&self, slot: Slot) -> usize {
        (self.node(slot).meta >> COUNT_SHIFT) as usize
    }

    /// The token or the whole container, as it was written.
    #[inline]
    pub(crate) fn raw(&self, slot: Slot) -> &str {
        let node = self.node(slot);
        self.text.get(node.start as usize..node.end as usize).unwrap_or("")
    }

    pub(crate) fn span(&self, slot: Slot) -> std::ops::Range<usize> {
        let node = self.node(slot);
        node.start as usize..node.end as usize
    }

    /// Between the quotes of a string, escapes as written.
    pub(crate) fn string_raw(&self, slot: Slot) -> &str {
        let node = self.node(slot);
        self.text.get(node.start as usize + 1..(node.end as usize).saturating_sub(1)).unwrap_or("")
    }

    fn flag(&self, slot: Slot, flag: u32) -> bool {
        (self.node(slot).meta >> 3) & 3 & flag != 0
    }

    pub(crate) fn is_escaped(&self, slot: Slot) -> bool {
        self.flag(slot, FLAG_ESCAPED)
    }

    #[inline]
    pub(crate) fn is_integer_literal(&self, slot: Slot) -> bool {
        self.flag(slot, FLAG_INTEGER_LITERAL)
    }

    /// The string that is meant.
    #[inline]
    pub(crate) fn string(&self, slot: Slot) -> Cow<'_, str> {
        let node = self.node(slot);
        let raw = self.text.get(node.start as usize + 1..(node.end as usize).wrapping_sub(1)).unwrap_or("");
        if (node.meta >> 3) & FLAG_ESCAPED != 0 { unescape(raw) } else { Cow::Borrowed(raw) }
    }

    /// All strings, names too, in the order written.
    pub(crate) fn strings(&self) -> impl Iterator<Item = Cow<'_, str>> {
        (0..)
            .zip(&self.nodes)
            .map(|(slot, _)| slot)
            .filter(|slot| self.kind(*slot) == Kind::String)
            .map(|slot| self.string(slot))
    }

    #[inline]
    pub(crate) fn string_is(&self, slot: Slot, expected: &str) -> bool {
        let node = self.node(slot);
        if (node.meta >> 3) & FLAG_ESCAPED != 0 {
            return unescape(self.string_raw(slot)) == expected;
        }
        // Without escapes, what is written is what is meant, byte for byte; most names differ in length already.
        if (node.end.wrapping_sub(node.start) as usize).wrapping_sub(2) != expected.len() {
            return false;
        }
        let raw = self.text.as_bytes().get(node.start as usize + 1..(node.end as usize).wrapping_sub(1));
        raw == Some(expected.as_bytes())
    }

    /// Bytes of a string between its quotes, escapes as written: never fewer than the characters that are meant.
    pub(crate) fn string_len_bytes(&self, slot: Slot) -> u64 {
        let node = self.node(slot);
        u64::from(node.end.saturating_sub(node.start)).saturating_sub(2)
    }

    pub(crate) fn is_true(&self, slot: Slot) -> bool {
        self.raw(slot) == "true"
    }

    /// The slots of an array's items.
    #[inline]
    pub(crate) fn items(&self, slot: Slot) -> Siblings<'_> {
        Siblings { document: self, at: slot + 1, end: self.next(slot) }
    }

    /// The slots of an object's members: of the name, and of the value.
    #[inline]
    pub(crate) fn members(&self, slot: Slot) -> impl Iterator<Item = (Slot, Slot)> + '_ {
        let mut at = slot + 1;
        let end = self.next(slot);
        std::iter::from_fn(move || {
            if at >= end {
                return None;
            }
            let member = (at, at + 1);
            at = self.next(at + 1).max(at + 2);
            Some(member)
        })
    }

    /// The value of the first member of this name.
    pub(crate) fn member(&self, slot: Slot, name: &str) -> Option<Slot> {
        if self.kind(slot) != Kind::Object {
            return None;
        }
        self.members(slot).find(|(key, _)| self.string_is(*key, name)).map(|(_, value)| value)
    }
}

pub(crate) struct Siblings<'d> {
    document: &'d Document<'d>,
    at: Slot,
    end: Slot,
}

impl Iterator for Siblings<'_> {
    type Item = Slot;

    fn next(&mut self) -> Option<Slot> {
        if self.at >= self.end {
            return None;
        }
        let slot = self.at;
        self.at = self.document.next(slot).max(slot + 1);
        Some(slot)
    }
}

/// A name that an object has twice, where its value was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GivenTwice;

/// A value of a [`Document`].
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    slot: Slot,
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Value({})", self.kind().name())
    }
}

impl<'d> Value<'d> {
    /// Which of the six kinds it is.
    pub fn kind(self) -> Kind {
        self.document.kind(self.slot)
    }

    /// The token or the whole container as it was written.
    pub fn text(self) -> &'d str {
        self.document.raw(self.slot)
    }

    /// The byte range of [`Value::text`] in the document's text.
    pub fn span(self) -> std::ops::Range<usize> {
        self.document.span(self.slot)
    }

    /// The string that is meant, escapes read; `None` for other kinds.
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| self.document.string(self.slot))
    }

    /// Whether this is the string `expected`.
    pub fn is_str(self, expected: &str) -> bool {
        self.kind() == Kind::String && self.document.string_is(self.slot, expected)
    }

    /// `true` or `false`; `None` for other kinds.
    pub fn as_bool(self) -> Option<bool> {
        (self.kind() == Kind::Boolean).then(|| self.document.is_true(self.slot))
    }

    /// The value of the first member of this name; `None` where there is none or this is no object.
    pub fn get(self, name: &str) -> Option<Value<'d>> {
        self.document.member(self.slot, name).map(|slot| Value { document: self.document, slot })
    }

    /// The value of the only member of this name; `None` as for [`Value::get`].
    ///
    /// # Errors
    ///
    /// Where there are two of them, which readers read differently.
    pub fn get_only(self, name: &str) -> Result<Option<Value<'d>>, GivenTwice> {
        let mut values = self.members().filter(|(key, _)| key.is_str(name)).map(|(_, value)| value);
        match (values.next(), values.next()) {
            (first, None) => Ok(first),
            _ => Err(GivenTwice),
        }
    }

    /// The members of an object in their order: the name (a string value) and the value. Empty for other kinds.
    pub fn members(self) -> impl Iterator<Item = (Value<'d>, Value<'d>)> {
        let document = self.document;
        let slots = (self.kind() == Kind::Object).then(|| document.members(self.slot));
        slots
            .into_iter()
            .flatten()
            .map(move |(name, value)| (Value { document, slot: name }, Value { document, slot: value }))
    }

    /// The items of an array in their order. Empty for other kinds.
    pub fn items(self) -> impl Iterator<Item = Value<'d>> {
        let document = self.document;
        let slots = (self.kind() == Kind::Array).then(|| document.items(self.slot));
        slots.into_iter().flatten().map(move |slot| Value { document, slot })
    }

    /// Number of members or items; 0 for scalars.
    pub fn len(self) -> usize {
        self.document.count(self.slot)
    }

    /// Whether there are no members or items.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }
}

fn root_fault(code: Code, offset: usize) -> Fault {
    Fault { code, location: Location::root(), offset }
}

fn check_size(size: usize, limits: &Limits) -> Result<(), Fault> {
    if size > limits.size_max_bytes.min(TEXT_MAX_BYTES) {
        return Err(root_fault(Code::SizeLimit, limits.size_max_bytes.min(TEXT_MAX_BYTES)));
    }
    Ok(())
}

/// An array or object that is being read.
struct Open {
    slot: Slot,
    is_object: bool,
    count: u32,
    /// One bit a name seen, by a cheap fingerprint: while no bit repeats, no name does.
    seen: u64,
    /// A fingerprint repeated: the names are compared when the object closes.
    compare: bool,
}

struct Reader<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    nodes: Vec<Node>,
    open: SmallVec<[Open; 16]>,
    strict: bool,
    depth_max: usize,
    has_breaks: bool,
}

/// What may stand at the next place inside the innermost container.
enum Expect {
    Value,
    /// After `[`: a value or `]`.
    FirstItem,
    /// After `{`: a name or `}`.
    FirstName,
    Name,
    /// After a value: `,` or the end of the container.
    More,
}

/// The arena, and whether raw line breaks stand between tokens.
fn read_text(text: &str, strictness: Strictness, depth_max: usize) -> Result<(Vec<Node>, bool), Fault> {
    let mut reader = Reader {
        text,
        bytes: text.as_bytes(),
        at: 0,
        nodes: Vec::with_capacity(text.len() / 6 + 4),
        open: SmallVec::new(),
        strict: strictness == Strictness::Strict,
        depth_max,
        has_breaks: false,
    };
    reader.document()?;
    Ok((reader.nodes, reader.has_breaks))
}

impl Reader<'_> {
    fn document(&mut self) -> Result<(), Fault> {
        let mut expect = Expect::Value;
        loop {
            self.skip_white_space();
            expect = match expect {
                Expect::Value => self.value()?,
                Expect::FirstItem if self.peek() == Some(b']') => self.close()?,
                Expect::FirstItem => self.value()?,
                Expect::FirstName if self.peek() == Some(b'}') => self.close()?,
                Expect::FirstName | Expect::Name => self.name()?,
                Expect::More => match (self.peek(), self.open.last()) {
                    (Some(b','), Some(open)) => {
                        let expect = if open.is_object { Expect::Name } else { Expect::Value };
                        self.at += 1;
                        expect
                    }
                    (Some(b'}'), Some(open)) if open.is_object => self.close()?,
                    (Some(b']'), Some(open)) if !open.is_object => self.close()?,
                    (None, None) => return Ok(()),
                    _ => return Err(self.broken()),
                },
            };
        }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_white_space(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.has_breaks |= byte < b' ' && byte != b'\t';
            self.at += 1;
        }
    }

    fn value(&mut self) -> Result<Expect, Fault> {
        match self.peek() {
            Some(b'"') => {
                let start = self.at;
                let escaped = self.string()?;
                self.push(start, 3, if escaped { FLAG_ESCAPED } else { 0 });
            }
            Some(b'{') => return self.open(true),
            Some(b'[') => return self.open(false),
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b't') => self.literal(b"true", 1)?,
            Some(b'f') => self.literal(b"false", 1)?,
            Some(b'n') => self.literal(b"null", 0)?,
            _ => return Err(self.broken()),
        }
        self.count_value();
        Ok(Expect::More)
    }

    fn count_value(&mut self) {
        if let Some(open) = self.open.last_mut() {
            open.count += 1;
        }
    }

    fn push(&mut self, start: usize, kind: u32, flags: u32) {
        let next = self.nodes.len() as u32 + 1;
        self.nodes.push(Node { start: start as u32, end: self.at as u32, next, meta: kind | flags << 3 });
    }

    fn literal(&mut self, word: &[u8], kind: u32) -> Result<(), Fault> {
        let start = self.at;
        if self.bytes.get(start..start + word.len()) != Some(word) {
            return Err(self.broken());
        }
        self.at += word.len();
        self.push(start, kind, 0);
        Ok(())
    }

    fn open(&mut self, is_object: bool) -> Result<Expect, Fault> {
        if self.open.len() >= self.depth_max {
            // The whole way down would be a line that nobody reads; the argument it starts in is what to look at.
            return Err(Fault { code: Code::DepthLimit, location: self.location(1), offset: self.at });
        }
        let start = self.at;
        self.at += 1;
        self.push(start, if is_object { 5 } else { 4 }, 0);
        let slot = self.nodes.len() as u32 - 1;
        self.open.push(Open { slot, is_object, count: 0, seen: 0, compare: false });
        Ok(if is_object { Expect::FirstName } else { Expect::FirstItem })
    }

    fn close(&mut self) -> Result<Expect, Fault> {
        self.at += 1;
        if self.open.last().is_some_and(|open| open.compare) {
            self.compare_names()?;
        }
        if let Some(open) = self.open.pop() {
            let next = self.nodes.len() as u32;
            if let Some(node) = self.nodes.get_mut(open.slot as usize) {
                node.end = self.at as u32;
                node.next = next;
                node.meta |= open.count << COUNT_SHIFT;
            }
        }
        self.count_value();
        Ok(Expect::More)
    }

    fn name(&mut self) -> Result<Expect, Fault> {
        if self.peek() != Some(b'"') {
            return Err(self.broken());
        }
        let start = self.at;
        let escaped = self.string()?;
        self.push(start, 3, if escaped { FLAG_ESCAPED } else { 0 });
        if self.strict {
            self.note_name(start, escaped);
        }
        self.skip_white_space();
        if self.peek() != Some(b':') {
            return Err(self.broken());
        }
        self.at += 1;
        Ok(Expect::Value)
    }

    /// Sets the name's fingerprint, or asks for a comparison where it was set before. An escaped name could equal any.
    fn note_name(&mut self, start: usize, escaped: bool) {
        let name = self.bytes.get(start + 1..self.at - 1).unwrap_or(b"");
        let first = name.first().copied().unwrap_or(0);
        let last = name.last().copied().unwrap_or(0);
        let middle = name.get(name.len() / 2).copied().unwrap_or(0);
        let mixed =
            u64::from(first) ^ u64::from(last).rotate_left(3) ^ u64::from(middle) << 2 ^ (name.len() as u64) << 1;
        let bit = 1u64 << (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 58);
        if let Some(open) = self.open.last_mut() {
            open.compare |= escaped || open.seen & bit != 0;
            open.seen |= bit;
        }
    }

    /// Compares all names of the innermost object.
    fn compare_names(&self) -> Result<(), Fault> {
        /// Names up to which each is compared with each: most differ in length already.
        const FEW: usize = 8;
        let Some(open) = self.open.last() else { return Ok(()) };
        let mut names: SmallVec<[_; FEW]> = SmallVec::with_capacity(open.count as usize);
        let mut slot = open.slot as usize + 1;
        while let Some(node) = self.nodes.get(slot) {
            let raw = self.text.get(node.start as usize + 1..node.end as usize - 1).unwrap_or("");
            let escaped = (node.meta >> 3) & FLAG_ESCAPED != 0;
            names.push((if escaped { unescape(raw) } else { Cow::Borrowed(raw) }, node.start as usize));
            slot = self.nodes.get(slot + 1).map_or(usize::MAX, |value| value.next as usize);
        }
        let is_repeated = |(index, (name, _)): (usize, &(Cow<'_, str>, usize))| {
            names.iter().take(index).any(|(other, _)| other.len() == name.len() && other == name)
        };
        if names.len() <= FEW && !names.iter().enumerate().any(is_repeated) {
            return Ok(());
        }
        // Sorted, so that no input makes it quadratic.
        names.sort_unstable();
        for pair in names.windows(2) {
            if let [(first, _), (second, offset)] = pair
                && first == second
            {
                // The location is that of the object being closed; its own last name is not on the way to it.
                let mut location = self.location(self.open.len() - 1);
                location.push_undeclared(second);
                return Err(Fault { code: Code::DuplicateName, location, offset: *offset });
            }
        }
        Ok(())
    }

    /// Reads a string from its opening quote to after its closing one; whether it holds an escape.
    fn string(&mut self) -> Result<bool, Fault> {
        self.at += 1;
        let mut escaped = false;
        loop {
            self.at += plain_bytes(self.bytes.get(self.at..).unwrap_or(b""));
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(escaped);
                }
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                _ => return Err(self.broken()),
            }
        }
    }

    fn escape(&mut self) -> Result<(), Fault> {
        let start = self.at;
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let unit = self.hex(self.at + 2)?;
                self.at += 6;
                let is_high = (0xd800..0xdc00).contains(&unit);
                let is_low = (0xdc00..0xe000).contains(&unit);
                if is_high && self.bytes.get(self.at..self.at + 2) == Some(b"\\u") {
                    let low = self.hex(self.at + 2)?;
                    if (0xdc00..0xe000).contains(&low) {
                        self.at += 6;
                        return Ok(());
                    }
                }
                if (is_high || is_low) && self.strict {
                    return Err(self.fault(Code::InvalidUnicode, start));
                }
            }
            _ => return Err(self.broken()),
        }
        Ok(())
    }

    fn hex(&self, at: usize) -> Result<u32, Fault> {
        self.bytes.get(at..at + 4).and_then(hex_unit).ok_or_else(|| self.broken())
    }

    fn number(&mut self) -> Result<(), Fault> {
        let start = self.at;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        let mut digits = match self.peek() {
            Some(b'0') => {
                self.at += 1;
                1
            }
            Some(b'1'..=b'9') => self.digits(),
            _ => return Err(self.broken()),
        };
        let mut flags = FLAG_INTEGER_LITERAL;
        if self.peek() == Some(b'.') {
            flags = 0;
            self.at += 1;
            let fraction = self.digits();
            if fraction == 0 {
                return Err(self.broken());
            }
            digits += fraction;
        }
        let mut in_range = digits <= NUMBER_DIGITS_MAX;
        if let Some(b'e' | b'E') = self.peek() {
            flags = 0;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            let exponent_start = self.at;
            if self.digits() == 0 {
                return Err(self.broken());
            }
            in_range &= exponent_in_range(self.bytes.get(exponent_start..self.at).unwrap_or(b""));
        }
        if self.strict && !in_range {
            return Err(self.fault(Code::NumberRange, start));
        }
        self.push(start, 2, flags);
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        self.at - start
    }

    /// Text that is no JSON: located at the root, since what stands where is a guess from there on.
    fn broken(&self) -> Fault {
        root_fault(Code::InvalidJson, self.at)
    }

    fn fault(&self, code: Code, offset: usize) -> Fault {
        Fault { code, location: self.location(self.open.len()), offset }
    }

    /// The way to the value that is being read, through the outermost `depth` open containers.
    fn location(&self, depth: usize) -> Location {
        let mut location = Location::root();
        for open in self.open.iter().take(depth) {
            if open.is_object {
                if let Some(name) = self.last_name(open) {
                    location.push_undeclared(&name);
                }
            } else {
                location.push_index(open.count as usize);
            }
        }
        location
    }

    /// The name of the member of `open` whose value is being read; `None` where a name is being read.
    fn last_name(&self, open: &Open) -> Option<Cow<'_, str>> {
        let mut slot = open.slot as usize + 1;
        for _ in 0..open.count {
            slot = self.nodes.get(slot + 1)?.next as usize;
        }
        let node = self.nodes.get(slot)?;
        let raw = self.text.get(node.start as usize + 1..(node.end as usize).checked_sub(1)?)?;
        Some(unescape(raw))
    }
}

const NUMBER_DIGITS_MAX: usize = 1_000;
const NUMBER_EXPONENT_MAX: u32 = 10_000;

fn exponent_in_range(digits: &[u8]) -> bool {
    let significant = digits.iter().skip_while(|digit| **digit == b'0');
    let magnitude = significant.take(6).fold(0u32, |number, digit| number * 10 + u32::from(digit - b'0'));
    magnitude <= NUMBER_EXPONENT_MAX
}

/// How many bytes from the start are neither `"`, `\` nor a control character. Eight at a time while there are eight.
fn plain_bytes(bytes: &[u8]) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGHS: u64 = 0x8080_8080_8080_8080;
    let mut plain = 0;
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let Ok(chunk) = <[u8; 8]>::try_from(chunk) else { break };
        let word = u64::from_le_bytes(chunk);
        let zero_where = |pattern: u64| (word ^ pattern).wrapping_sub(ONES) & !(word ^ pattern) & HIGHS;
        let control = word.wrapping_sub(ONES * 0x20) & !word & HIGHS;
        let special = zero_where(ONES * u64::from(b'"')) | zero_where(ONES * u64::from(b'\\')) | control;
        if special != 0 {
            return plain + special.trailing_zeros() as usize / 8;
        }
        plain += 8;
    }
    let rest = chunks.remainder();
    plain + rest.iter().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len())
}

fn hex_unit(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0u32, |unit, digit| Some(unit * 16 + char::from(*digit).to_digit(16)?))
}

/// Reads the escapes of what stands between the quotes of a string that the reader took. A lone surrogate, which only
/// [`Strictness::Frame`] lets by, becomes U+FFFD.
pub(crate) fn unescape(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    let mut out = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = rest.find('\\') {
        let (plain, escape) = rest.split_at_checked(at).unwrap_or((rest, ""));
        out.push_str(plain);
        let used = unescape_one(escape, &mut out);
        rest = escape.get(used..).unwrap_or("");
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Appends what the escape at the start of `text` means; how many bytes it took.
fn unescape_one(text: &str, out: &mut String) -> usize {
    let bytes = text.as_bytes();
    let simple = match bytes.get(1) {
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{c}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unescape_unit(bytes, out),
        Some(other) => char::from(*other),
        None => return 1,
    };
    out.push(simple);
    2
}

fn unescape_unit(bytes: &[u8], out: &mut String) -> usize {
    let unit = bytes.get(2..6).and_then(hex_unit).unwrap_or(0xfffd);
    if (0xd800..0xdc00).contains(&unit)
        && bytes.get(6..8) == Some(b"\\u")
        && let Some(low @ 0xdc00..0xe000) = bytes.get(8..12).and_then(hex_unit)
    {
        out.push(char::from_u32(0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00)).unwrap_or('\u{fffd}'));
        return 12;
    }
    out.push(char::from_u32(unit).unwrap_or('\u{fffd}'));
    6
}

/// Appends `text` as a JSON string with its quotes.
pub fn push_string(out: &mut String, text: &str) {
    let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
    out.push('"');
    let mut rest = text;
    // What is escaped is ASCII, so that every stretch between ends where a character does.
    while let Some((plain, found)) =
        rest.bytes().position(|byte| !is_plain(byte)).and_then(|at| rest.split_at_checked(at))
    {
        out.push_str(plain);
        let mut others = found.chars();
        match others.next() {
            Some('"') => out.push_str("\\\""),
            Some('\\') => out.push_str("\\\\"),
            Some('\n') => out.push_str("\\n"),
            Some('\r') => out.push_str("\\r"),
            Some('\t') => out.push_str("\\t"),
            Some(ch) => out.push_str(&format!("\\u{:04x}", u32::from(ch))),
            None => {}
        }
        rest = others.as_str();
    }
    out.push_str(rest);
    out.push('"');
}

/// Writes a JSON object member by member; the output side needs no tree. Members that say nothing are left out.
///
/// # Example
///
/// ```
/// let mut object = toolgate::json::ObjectWriter::new();
/// object.string("code", "type");
/// object.count("more", 0);
/// object.raw("list", "[1]");
/// assert_eq!(object.end(), r#"{"code":"type","list":[1]}"#);
/// ```
#[derive(Debug)]
pub struct ObjectWriter {
    out: String,
}

impl Default for ObjectWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl ObjectWriter {
    /// An object without members.
    pub fn new() -> Self {
        ObjectWriter { out: String::from("{") }
    }

    /// Adds a member whose value is JSON text already.
    pub fn raw(&mut self, name: &str, json: &str) {
        if self.out.len() > 1 {
            self.out.push(',');
        }
        push_string(&mut self.out, name);
        self.out.push(':');
        self.out.push_str(json);
    }

    /// Adds a string.
    pub fn string(&mut self, name: &str, value: &str) {
        self.raw(name, &quoted(value));
    }

    /// Adds a string that is there.
    pub fn optional(&mut self, name: &str, value: Option<&str>) {
        if let Some(value) = value {
            self.string(name, value);
        }
    }

    /// Adds a list of strings that is not empty.
    pub fn strings(&mut self, name: &str, values: &[impl AsRef<str>]) {
        if !values.is_empty() {
            self.raw(name, &list(values.iter().map(|value| quoted(value.as_ref()))));
        }
    }

    /// Adds a count that is not zero.
    pub fn count(&mut self, name: &str, count: usize) {
        if count > 0 {
            self.raw(name, &count.to_string());
        }
    }

    /// The object's text.
    pub fn end(mut self) -> String {
        self.out.push('}');
        self.out
    }
}

/// `text` as a JSON string with its quotes.
pub fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    push_string(&mut out, text);
    out
}

/// Joins JSON texts to a JSON array.
pub fn list(items: impl Iterator<Item = String>) -> String {
    format!("[{}]", items.collect::<Vec<_>>().join(","))
}

/// Writes a value that a host has parsed as text, for reading it like any other (R1.1).
///
/// # Errors
///
/// Returns a `depth-limit` fault where it is nested deeper than `limits` allow.
pub(crate) fn write_value(value: &serde_json::Value, limits: &Limits) -> Result<String, Fault> {
    fn write(value: &serde_json::Value, depth: usize, out: &mut String) -> Result<(), Fault> {
        let deeper = || depth.checked_sub(1).ok_or_else(|| root_fault(Code::DepthLimit, 0));
        match value {
            serde_json::Value::Null => out.push_str("null"),
            serde_json::Value::Bool(true) => out.push_str("true"),
            serde_json::Value::Bool(false) => out.push_str("false"),
            serde_json::Value::Number(number) => out.push_str(&number.to_string()),
            serde_json::Value::String(text) => push_string(out, text),
            serde_json::Value::Array(items) => {
                let depth = deeper()?;
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    write(item, depth, out)?;
                }
                out.push(']');
            }
            serde_json::Value::Object(members) => {
                let depth = deeper()?;
                out.push('{');
                for (index, (name, member)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    push_string(out, name);
                    out.push(':');
                    write(member, depth, out)?;
                }
                out.push('}');
            }
        }
        Ok(())
    }
    let mut out = String::new();
    write(value, limits.depth_max, &mut out)?;
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Document<'_>, Fault> {
        Document::read(text.as_bytes(), Strictness::Strict, &Limits::default())
    }

    #[track_caller]
    fn refused(text: &str, code: Code, location: &str) {
        let fault = read(text).expect_err("refused");
        assert_eq!((fault.code, fault.location.to_pointer().as_str()), (code, location), "{text}");
    }

    #[test]
    fn spans_keep_digits_order_and_spelling() {
        let document = read(r#" {"z": 1.50, "a": [true, null, "x\u0041"] } "#).unwrap();
        let names: Vec<_> = document.root().members().map(|(name, _)| name.as_str().unwrap().into_owned()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(document.root().get("z").unwrap().text(), "1.50");
        let list = document.root().get("a").unwrap();
        assert_eq!(list.text(), r#"[true, null, "x\u0041"]"#);
        assert_eq!(list.items().last().unwrap().as_str().unwrap(), "xA");
        assert_eq!(list.len(), 3);
    }

    #[test]
    fn refuses_what_is_not_one_json_value() {
        for text in [
            "",
            " ",
            "{",
            "[1,]",
            "{\"a\":1,}",
            "01",
            "+1",
            ".5",
            "5.",
            "1e",
            "nul",
            "'a'",
            "{\"a\":1}{}",
            "[1 2]",
            "\"\n\"",
            "\"\\x\"",
            "{1:2}",
            "[}",
            "{\"a\"}",
            "]",
            "-",
            "\u{feff}{}",
        ] {
            refused(text, Code::InvalidJson, "");
        }
    }

    #[test]
    fn refuses_repeated_names_at_any_depth_and_spelling() {
        refused(r#"{"a":1,"a":2}"#, Code::DuplicateName, "/a");
        refused(r#"{"a":1,"\u0061":2}"#, Code::DuplicateName, "/a");
        refused(r#"{"o":[{"x":{"b":1,"c":2,"b":3}}]}"#, Code::DuplicateName, "/o/0/x/b");
        refused(r#"{"":1,"":2}"#, Code::DuplicateName, "/");
        let many: String = (0..500).map(|n| format!("\"k{n}\":1,")).collect();
        assert!(read(&format!("{{{many}\"last\":1}}")).is_ok());
        refused(&format!("{{{many}\"k250\":1}}"), Code::DuplicateName, "/k250");
    }

    #[test]
    fn refuses_lone_surrogates_and_broken_utf8() {
        refused(r#"{"a":"\ud800"}"#, Code::InvalidUnicode, "/a");
        refused(r#"{"a":["\udc00"]}"#, Code::InvalidUnicode, "/a/0");
        refused(r#"{"x":1,"\ud800":1}"#, Code::InvalidUnicode, "");
        assert_eq!(read(r#""\ud83c\udf0a""#).unwrap().root().as_str().unwrap(), "🌊");
        let fault = Document::read(b"{\"a\":\"\xc0\xaf\"}", Strictness::Strict, &Limits::default()).unwrap_err();
        assert_eq!(fault.code, Code::InvalidUnicode);
    }

    #[test]
    fn bounds_depth_size_and_numbers() {
        let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(128)).is_ok());
        assert_eq!(read(&nested(129)).unwrap_err().code, Code::DepthLimit);
        assert_eq!(read(&"[".repeat(5_000_000)).unwrap_err().code, Code::SizeLimit);
        assert!(read(&"7".repeat(1000)).is_ok());
        refused(&"7".repeat(1001), Code::NumberRange, "");
        assert!(read("1e-10000").is_ok());
        refused("{\"b\":1e10001}", Code::NumberRange, "/b");
        refused("[1e99999999999999999999]", Code::NumberRange, "/0");
        assert!(read("1e00000000000000010").is_ok());
    }

    #[test]
    fn frames_let_repeated_names_by() {
        let document = Document::read(br#"{"a":1,"a":"\ud800"}"#, Strictness::Frame, &Limits::default()).unwrap();
        assert_eq!(document.root().len(), 2);
        assert_eq!(document.root().get("a").unwrap().text(), "1");
    }

    #[test]
    fn agrees_with_serde_json_on_what_is_json() {
        for text in [
            "{}",
            "[]",
            "[[],{}]",
            "\"\\\"\"",
            "0",
            "-0",
            "1E+2",
            " [ 1 , 2 ] ",
            "\"\u{7f}\"",
            "{\"a\":{\"b\":[]}}",
            "\"é\\n\"",
            "0.1e1",
            "-1.5",
            "true",
            "false",
            "null",
            "\"12345678\\\"90\"",
            "\"1234567\u{1}\"",
        ] {
            assert_eq!(read(text).is_ok(), serde_json::from_str::<serde_json::Value>(text).is_ok(), "{text}");
        }
    }
}

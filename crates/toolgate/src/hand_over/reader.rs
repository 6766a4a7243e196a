//! Arguments as serde reads them, watched: which keys it passes over, which values it only puts aside, and what becomes of the
//! reading when one of those is given twice, or cannot be read.

use super::fault::{Fault, Why};
use crate::decimal::Decimal;
use crate::json::{Kind, Value};
use serde::de::{self, DeserializeSeed, Error as _, Unexpected, Visitor};
use std::borrow::Cow;
use std::cell::RefCell;

/// One reading.
#[derive(Debug, Default)]
pub(super) struct Watch {
    /// The object members in whose text this place is are handed over last.
    pub(super) last: Option<usize>,
    /// What the member whose value begins at `last` is handed over as, beside its value or in its place.
    pub(super) unreadable: Option<(Unreadable, Given)>,
    pub(super) seen: RefCell<Seen>,
}

/// What stands for a value that no type can read: text that is none, or an object without a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unreadable {
    Bytes,
    Object,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Given {
    /// After the value, under the same name.
    Again,
    Instead,
}

/// What was seen in a reading. Values are named by where their text begins.
#[derive(Debug, Default)]
pub(super) struct Seen {
    /// Values that the type passed over.
    pub(super) ignored: Vec<usize>,
    /// Values of members that serde put aside, to look at them later where nobody can watch it.
    pub(super) set_aside: Vec<SetAside>,
    /// Every object that was read as a struct, and all names that the struct takes.
    pub(super) structs: Vec<(usize, &'static [&'static str])>,
    /// Values that were handed over.
    pub(super) values: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct SetAside {
    pub(super) at: usize,
    pub(super) end: usize,
    /// Whether its object was inside a list that was put aside as well.
    pub(super) in_list: bool,
}

/// One value, handed to serde.
#[derive(Clone, Copy)]
pub(super) struct Node<'d, 'w> {
    value: Value<'d>,
    watch: &'w Watch,
    is_member: bool,
    /// Inside of what serde put aside.
    is_aside: bool,
    in_list: bool,
}

impl<'d, 'w> Node<'d, 'w> {
    pub(super) fn root(value: Value<'d>, watch: &'w Watch) -> Self {
        Node { value, watch, is_member: false, is_aside: false, in_list: false }
    }

    fn member(self, value: Value<'d>) -> Self {
        Node { value, is_member: true, ..self }
    }

    fn at(self) -> usize {
        self.value.span().start
    }

    fn note_set_aside<V>(self) {
        // The name only saves work.
        if self.is_member && !keeps_all::<V>() {
            let std::ops::Range { start, end } = self.value.span();
            self.watch.seen.borrow_mut().set_aside.push(SetAside { at: start, end, in_list: self.in_list });
        }
    }

    /// Hands the value over as what it is.
    fn hand<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Boolean => visitor.visit_bool(self.value.as_bool().unwrap_or_default()),
            Kind::Number => match self.integer().filter(|_| !keeps_all::<V>()) {
                Some(integer) => {
                    let integer = &mut serde_json::Deserializer::from_reader(integer.as_bytes());
                    Ok(de::Deserializer::deserialize_any(integer, visitor)?)
                }
                None => self.number(|number| de::Deserializer::deserialize_any(number, visitor)),
            },
            Kind::String => match self.value.as_str().unwrap_or_default() {
                Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
                Cow::Owned(text) => visitor.visit_string(text),
            },
            Kind::Array => {
                let mut items = Items { items: self.value.items(), parent: self };
                let read = visitor.visit_seq(&mut items)?;
                match items.items.next() {
                    None => Ok(read),
                    Some(_) => Err(Fault::invalid_length(self.value.len(), &"fewer items")),
                }
            }
            Kind::Object => match self.watch.last {
                None => self.hand_members(self.value.members(), None, visitor),
                Some(last) => {
                    let (members, again) = self.members_in_order(last);
                    self.hand_members(members.into_iter(), again, visitor)
                }
            },
        }
    }

    fn hand_members<V: Visitor<'d>>(
        self,
        members: impl Iterator<Item = (Value<'d>, Value<'d>)>,
        again: Option<Value<'d>>,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let mut members = Members { members, content: None, again, parent: self };
        let read = visitor.visit_map(&mut members)?;
        match members.members.next().is_none() && members.again.is_none() {
            true => Ok(read),
            false => Err(Fault::invalid_length(self.value.len(), &"fewer members")),
        }
    }

    /// The members with that at `last` at the end, and the name that is given there without its value.
    fn members_in_order(self, last: usize) -> (Vec<(Value<'d>, Value<'d>)>, Option<Value<'d>>) {
        let mut members: Vec<_> = self.value.members().collect();
        members.sort_by_key(|(_, content)| content.span().contains(&last));
        let again = members.last().filter(|(_, content)| content.span().start == last).map(|(name, _)| *name);
        match (again, self.watch.unreadable) {
            (Some(_), Some((_, Given::Instead))) => drop(members.pop()),
            (Some(_), Some((_, Given::Again))) => {}
            _ => return (members, None),
        }
        (members, again)
    }

    /// An integer that is written with a point or an exponent, which is the same number (R1.3), as a type of integers takes it;
    /// `None` for every other value.
    fn integer(self) -> Option<String> {
        let text = Some(self.value.text()).filter(|_| self.value.kind() == Kind::Number)?;
        // `-0` is read as a float.
        let is_plain = text != "-0" && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
        if is_plain { None } else { Decimal::read(text).to_integer_text(DIGITS_MAX) }
    }

    /// Numbers are read by `serde_json` as everywhere, in its build's precision.
    fn number<T>(
        self,
        read: impl FnOnce(&mut serde_json::Deserializer<serde_json::de::StrRead<'d>>) -> Result<T, serde_json::Error>,
    ) -> Result<T, Fault> {
        read(&mut serde_json::Deserializer::from_str(self.value.text())).map_err(Fault::from)
    }
}

/// Digits of the widest integer type.
const DIGITS_MAX: usize = 39;

/// What `serde_json` makes of a value is all of it.
fn keeps_all<V>() -> bool {
    std::any::type_name::<V>().trim_start_matches('<').starts_with("serde_json::")
}

macro_rules! integers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
            match self.integer() {
                Some(text) => Ok(serde_json::Deserializer::from_reader(text.as_bytes()).$method(visitor)?),
                None if self.value.kind() == Kind::Number => self.number(|number| number.$method(visitor)),
                None => self.hand(visitor),
            }
        })*
    };
}

macro_rules! numbers {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
            if self.value.kind() == Kind::Number {
                return self.number(|number| number.$method(visitor));
            }
            self.hand(visitor)
        })*
    };
}

macro_rules! as_it_is {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
            self.hand(visitor)
        })*
    };
}

/// The name under which `serde_json` asks for the text of a value.
const RAW_TEXT: &str = "$serde_json::private::RawValue";

impl<'d> de::Deserializer<'d> for Node<'d, '_> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.note_set_aside::<V>();
        Node { is_aside: true, ..self }.hand(visitor)
    }

    fn deserialize_option<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.value.kind() {
            Kind::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'d>>(self, name: &'static str, visitor: V) -> Result<V::Value, Fault> {
        match name {
            RAW_TEXT => self.number(|text| text.deserialize_newtype_struct(name, visitor)),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'d>>(
        self,
        _: &'static str,
        fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        if self.value.kind() == Kind::Object {
            self.watch.seen.borrow_mut().structs.push((self.at(), fields));
        }
        self.hand(visitor)
    }

    fn deserialize_enum<V: Visitor<'d>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        let mut members = self.value.members();
        match (self.value.kind(), members.next(), members.next()) {
            (Kind::String, ..) => {
                let name = self.value.as_str().unwrap_or_default();
                visitor.visit_enum(Variant { name, content: None })
            }
            (Kind::Object, Some((name, content)), None) => {
                let name = name.as_str().unwrap_or_default();
                visitor.visit_enum(Variant { name, content: Some(self.member(content)) })
            }
            (Kind::Object, ..) => Err(Fault::invalid_value(Unexpected::Map, &"a single member")),
            _ => Err(Fault::invalid_type(Unexpected::Other("another kind"), &"a string or an object")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.watch.seen.borrow_mut().ignored.push(self.at());
        visitor.visit_unit()
    }

    integers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    numbers! {
        deserialize_f32 deserialize_f64
    }

    as_it_is! {
        deserialize_bool deserialize_char deserialize_str deserialize_string deserialize_bytes deserialize_byte_buf
        deserialize_unit deserialize_seq deserialize_map deserialize_identifier
    }

    fn deserialize_unit_struct<V: Visitor<'d>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        self.hand(visitor)
    }

    fn deserialize_tuple<V: Visitor<'d>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        self.hand(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'d>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Fault> {
        self.hand(visitor)
    }
}

struct Items<'d, 'w, I> {
    items: I,
    parent: Node<'d, 'w>,
}

impl<'d, I: Iterator<Item = Value<'d>>> de::SeqAccess<'d> for &mut Items<'d, '_, I> {
    type Error = Fault;

    fn next_element_seed<T: DeserializeSeed<'d>>(&mut self, seed: T) -> Result<Option<T::Value>, Fault> {
        let Some(value) = self.items.next() else { return Ok(None) };
        let node =
            Node { value, is_member: false, in_list: self.parent.in_list || self.parent.is_aside, ..self.parent };
        seed.deserialize(node).map(Some).map_err(|fault| fault.inside(node.at()))
    }

    fn size_hint(&self) -> Option<usize> {
        self.items.size_hint().1
    }
}

struct Members<'d, 'w, I> {
    members: I,
    content: Option<Value<'d>>,
    /// The name that is given at the end without its value.
    again: Option<Value<'d>>,
    parent: Node<'d, 'w>,
}

impl<'d, I: Iterator<Item = (Value<'d>, Value<'d>)>> de::MapAccess<'d> for &mut Members<'d, '_, I> {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'d>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        let name = match self.members.next() {
            Some((name, content)) => {
                self.content = Some(content);
                name
            }
            None => match self.again.take() {
                Some(name) => name,
                None => return Ok(None),
            },
        };
        let name = Name(name.as_str().unwrap_or_default());
        seed.deserialize(name).map(Some).map_err(|fault| fault.inside(self.parent.at()))
    }

    fn next_value_seed<T: DeserializeSeed<'d>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        self.parent.watch.seen.borrow_mut().values += 1;
        match (self.content.take(), self.parent.watch.unreadable) {
            (Some(value), _) => {
                let node = self.parent.member(value);
                seed.deserialize(node).map_err(|fault| fault.inside(node.at()))
            }
            (None, Some((unreadable, _))) => seed.deserialize(unreadable),
            (None, None) => Err(Fault::new(Why::Other, &"")),
        }
    }

    fn size_hint(&self) -> Option<usize> {
        self.members.size_hint().1
    }
}

impl<'d> de::Deserializer<'d> for Unreadable {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self {
            Unreadable::Bytes => visitor.visit_bytes(&[0xFF, 0xFE]),
            Unreadable::Object => visitor.visit_map(NoMeaning { is_given: false }),
        }
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'d>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option unit unit_struct
        newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

/// An object that no type reads, and everybody who takes any value takes.
struct NoMeaning {
    is_given: bool,
}

impl<'d> de::MapAccess<'d> for NoMeaning {
    type Error = Fault;

    fn next_key_seed<K: DeserializeSeed<'d>>(&mut self, seed: K) -> Result<Option<K::Value>, Fault> {
        if std::mem::replace(&mut self.is_given, true) {
            return Ok(None);
        }
        seed.deserialize(Name(Cow::Borrowed("\u{FFFE}"))).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'d>>(&mut self, seed: T) -> Result<T::Value, Fault> {
        seed.deserialize(Unreadable::Bytes)
    }
}

/// The name of a member, which types may take as a number or a boolean.
struct Name<'d>(Cow<'d, str>);

impl<'d> Name<'d> {
    fn text<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        match self.0 {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }
}

macro_rules! literal_names {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
            let is_literal = self.0.starts_with(|c: char| c == '-' || c.is_ascii_digit()) || matches!(&*self.0, "true" | "false");
            if !is_literal || serde_json::from_str::<de::IgnoredAny>(&self.0).is_err() {
                return self.text(visitor);
            }
            Ok(serde_json::Deserializer::from_reader(self.0.as_bytes()).$method(visitor)?)
        })*
    };
}

impl<'d> de::Deserializer<'d> for Name<'d> {
    type Error = Fault;

    fn deserialize_any<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        self.text(visitor)
    }

    fn deserialize_option<V: Visitor<'d>>(self, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'d>>(self, _: &'static str, visitor: V) -> Result<V::Value, Fault> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'d>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Fault> {
        visitor.visit_enum(Variant { name: self.0, content: None })
    }

    literal_names! {
        deserialize_bool
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
        deserialize_f32 deserialize_f64
    }

    serde::forward_to_deserialize_any! {
        <V: Visitor<'d>>
        char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant of an enum that is told by its name.
struct Variant<'d, 'w> {
    name: Cow<'d, str>,
    content: Option<Node<'d, 'w>>,
}

impl<'d, 'w> de::EnumAccess<'d> for Variant<'d, 'w> {
    type Error = Fault;
    type Variant = Content<'d, 'w>;

    fn variant_seed<T: DeserializeSeed<'d>>(self, seed: T) -> Result<(T::Value, Content<'d, 'w>), Fault> {
        Ok((seed.deserialize(Name(self.name))?, Content(self.content)))
    }
}

struct Content<'d, 'w>(Option<Node<'d, 'w>>);

impl<'d, 'w> Content<'d, 'w> {
    fn given(self, expected: &'static str) -> Result<Node<'d, 'w>, Fault> {
        self.0.ok_or_else(|| Fault::invalid_type(Unexpected::UnitVariant, &expected))
    }
}

impl<'d> de::VariantAccess<'d> for Content<'d, '_> {
    type Error = Fault;

    fn unit_variant(self) -> Result<(), Fault> {
        match self.0 {
            None => Ok(()),
            Some(node) => de::Deserialize::deserialize(node).map_err(|fault: Fault| fault.inside(node.at())),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'d>>(self, seed: T) -> Result<T::Value, Fault> {
        let node = self.given("a newtype variant")?;
        seed.deserialize(node).map_err(|fault| fault.inside(node.at()))
    }

    fn tuple_variant<V: Visitor<'d>>(self, _: usize, visitor: V) -> Result<V::Value, Fault> {
        let node = self.given("a tuple variant")?;
        de::Deserializer::deserialize_seq(node, visitor).map_err(|fault| fault.inside(node.at()))
    }

    fn struct_variant<V: Visitor<'d>>(self, fields: &'static [&'static str], visitor: V) -> Result<V::Value, Fault> {
        let node = self.given("a struct variant")?;
        de::Deserializer::deserialize_struct(node, "", fields, visitor).map_err(|fault| fault.inside(node.at()))
    }
}

//! The values that `enum` or `const` lists, and equality of JSON values: by number, without regard to member order (R1.3).

use super::document::SchemaDocument;
use super::kinds::Kinds;
use crate::decimal::Decimal;
use crate::json::{Document, Kind, Slot};
use crate::refusal::ShownWord;
use crate::tree::Tree;
use std::collections::HashMap;
use std::sync::Arc;

/// Beyond this many strings, searching beats scanning.
const SCAN_MAX: usize = 8;

/// The values of one `enum` or `const`, or of a union whose members list values.
#[derive(Debug)]
pub(crate) struct Values {
    /// In schema order.
    pub(crate) slots: Vec<Slot>,
    /// Texts of the strings, sorted.
    pub(crate) words: Vec<Arc<str>>,
    /// The first scalars, as a refusal shows them.
    pub(crate) shown: Arc<[ShownWord]>,
    pub(crate) kinds: Kinds,
    /// `enum`, `const`, `anyOf` or `oneOf`.
    pub(crate) keyword: &'static str,
    pub(crate) schema: Slot,
}

impl Values {
    pub(crate) fn new(document: &SchemaDocument, slots: Vec<Slot>, keyword: &'static str, schema: Slot) -> Self {
        let json = &document.json;
        let kinds = slots.iter().fold(Kinds::NONE, |kinds, slot| kinds | Kinds::of(json.kind(*slot)));
        let strings = slots.iter().filter(|slot| json.kind(**slot) == Kind::String);
        let mut words: Vec<Arc<str>> = strings.map(|slot| json.string(*slot).into()).collect();
        words.sort_unstable();
        let shown = shown_words(json, slots.iter().copied());
        Values { slots, words, shown, kinds, keyword, schema }
    }

    /// Whether the value at `at` is listed.
    pub(crate) fn has<T: Tree>(&self, json: &Document<'_>, tree: &T, at: T::At) -> bool {
        let kind = tree.kind(at);
        if !self.kinds.meets(Kinds::of(kind)) {
            return false;
        }
        if kind == Kind::String {
            let text = tree.string(at);
            if self.words.len() <= SCAN_MAX {
                return self.words.iter().any(|word| word.len() == text.len() && **word == *text);
            }
            return self.words.binary_search_by(|word| (**word).cmp(&text)).is_ok();
        }
        self.slots.iter().any(|slot| is_word(json, *slot, tree, at))
    }
}

/// The kind of a value of the schema document, with integers told apart.
pub(crate) fn kind_of(json: &Document<'_>, slot: Slot) -> Kinds {
    match json.kind(slot) {
        Kind::Number if Decimal::read(json.raw(slot)).is_integer() => Kinds::INTEGER,
        Kind::Number => Kinds::FRACTION,
        kind => Kinds::of(kind),
    }
}

/// Scalars of the schema document as words, at most twenty (R6.3).
pub(crate) fn shown_words(json: &Document<'_>, slots: impl Iterator<Item = Slot>) -> Arc<[ShownWord]> {
    const WORDS_MAX: usize = 20;
    let words = slots.filter_map(|slot| match json.kind(slot) {
        Kind::Array | Kind::Object => None,
        Kind::String => Some(ShownWord::from(&*json.string(slot))),
        _ => Some(ShownWord::from(json.raw(slot))),
    });
    words.take(WORDS_MAX).collect()
}

/// Whether a value of the schema document is the value at `at`; most are words without escapes.
pub(crate) fn is_word<T: Tree>(json: &Document<'_>, slot: Slot, tree: &T, at: T::At) -> bool {
    if json.kind(slot) == Kind::String && !json.is_escaped(slot) {
        return tree.kind(at) == Kind::String && tree.string_is(at, json.string_raw(slot));
    }
    same(json, slot, tree, at)
}

/// Whether two values are equal.
pub(crate) fn same<L: Tree, R: Tree>(left: &L, left_at: L::At, right: &R, right_at: R::At) -> bool {
    let kind = left.kind(left_at);
    if kind != right.kind(right_at) {
        return false;
    }
    match kind {
        Kind::Null => true,
        Kind::Boolean => left.is_true(left_at) == right.is_true(right_at),
        Kind::Number => {
            let (left, right) = (left.literal(left_at), right.literal(right_at));
            left == right || Decimal::read(left) == Decimal::read(right)
        }
        Kind::String => left.string_is(left_at, &right.string(right_at)),
        Kind::Array => {
            let (mut left_items, mut right_items) = (left.items(left_at), right.items(right_at));
            loop {
                match (left_items.next(), right_items.next()) {
                    (None, None) => return true,
                    (Some(left_item), Some(right_item)) if same(left, left_item, right, right_item) => {}
                    _ => return false,
                }
            }
        }
        Kind::Object => same_members(left, left_at, right, right_at),
    }
}

/// Whether two objects have equal members, in whatever order.
fn same_members<L: Tree, R: Tree>(left: &L, left_at: L::At, right: &R, right_at: R::At) -> bool {
    let count = left.members(left_at).count();
    if count != right.members(right_at).count() {
        return false;
    }
    if count <= SCAN_MAX {
        return left.members(left_at).all(|(name, value)| {
            let name = left.name(name);
            let other = right.members(right_at).find(|(other, _)| right.name_is(*other, &name));
            other.is_some_and(|(_, other)| same(left, value, right, other))
        });
    }
    let others: HashMap<_, _> = right.members(right_at).map(|(name, value)| (right.name(name), value)).collect();
    left.members(left_at)
        .all(|(name, value)| others.get(&left.name(name)).is_some_and(|other| same(left, value, right, *other)))
}

/// A number that equal values share, whatever their spelling and member order. Not a defence: an item that collides on
/// purpose costs a comparison, and comparisons are counted.
pub(crate) fn fingerprint<T: Tree>(tree: &T, at: T::At) -> u64 {
    let kind = tree.kind(at);
    let seed = mix(kind as u64 + 1, 0);
    match kind {
        Kind::Null => seed,
        Kind::Boolean => mix(seed, u64::from(tree.is_true(at))),
        Kind::Number => Decimal::read(tree.literal(at)).fingerprint(|seed, byte| mix(seed, u64::from(byte)), seed),
        Kind::String => text_fingerprint(seed, &tree.string(at)),
        Kind::Array => tree.items(at).fold(seed, |seed, item| mix(seed, fingerprint(tree, item))),
        Kind::Object => tree.members(at).fold(seed, |sum, (name, value)| {
            sum.wrapping_add(mix(text_fingerprint(seed, &tree.name(name)), fingerprint(tree, value)))
        }),
    }
}

fn text_fingerprint(seed: u64, text: &str) -> u64 {
    text.bytes().fold(seed, |seed, byte| mix(seed, u64::from(byte)))
}

fn mix(seed: u64, word: u64) -> u64 {
    (seed.rotate_left(5) ^ word).wrapping_mul(0x517c_c1b7_2722_0a95)
}

//! Parts of a schema that the plan does not cover, judged as a whole by the reference validator: asserted formats,
//! references to a meta-schema, and dynamic references that depend on the way that led to them. The one module that names
//! the validator.

use crate::json::Kind;
use crate::tree::Tree;
use crate::validate::Work;
use serde_json::Value;

/// A part with its own validator. Loses nothing of the verdict, only the detail of why.
pub(crate) struct Opaque {
    validator: jsonschema::Validator,
}

impl std::fmt::Debug for Opaque {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Opaque(..)")
    }
}

impl Opaque {
    /// Compiles `schema` alone; nothing is fetched. `None` where the reference validator refuses it.
    pub(crate) fn compile(schema: &Value) -> Option<Self> {
        Some(Opaque { validator: jsonschema::options().build(schema).ok()? })
    }

    /// A validator of one asserted format; `None` for a format that nobody defines, which is then an annotation.
    pub(crate) fn format(name: &str) -> Option<Self> {
        let schema = serde_json::json!({ "format": name });
        let validator = jsonschema::options().should_validate_formats(true).build(&schema).ok()?;
        Some(Opaque { validator })
    }

    pub(crate) fn admits(&self, value: &Value) -> bool {
        self.validator.is_valid(value)
    }
}

/// Steps that one value costs in the reference validator, which counts none itself.
const STEPS: u64 = 16;

/// The value as the validator takes it. Numbers beyond a double lose digits there, and only there.
pub(crate) fn to_value<T: Tree>(tree: &T, at: T::At, work: &mut Work) -> Value {
    if !work.spend(STEPS) {
        return Value::Null;
    }
    match tree.kind(at) {
        Kind::Null => Value::Null,
        Kind::Boolean => Value::Bool(tree.is_true(at)),
        Kind::Number => serde_json::from_str(tree.literal(at)).unwrap_or_else(|_| {
            // Beyond a double's range: the largest of its sign still is a number, and no integer bound is below it.
            Value::from(if tree.literal(at).starts_with('-') { f64::MIN } else { f64::MAX })
        }),
        Kind::String => Value::String(tree.string(at).into_owned()),
        Kind::Array => Value::Array(tree.items(at).map(|item| to_value(tree, item, work)).collect()),
        Kind::Object => Value::Object(
            tree.members(at).map(|(name, value)| (tree.name(name).into_owned(), to_value(tree, value, work))).collect(),
        ),
    }
}

//! JSON in which comments and trailing commas may stand, as clients write and read it.

use super::{Kind, Member, Node};
use jsonc_parser::ast::{ObjectProp, Value};
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

pub(super) fn read(text: &str) -> Result<Node, String> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options());
    let parsed = parsed.map_err(|error| {
        let why = error.kind().to_string();
        format!("{}:{}: {}", error.line_display(), error.column_display(), super::decapitalised(&why))
    })?;
    Ok(parsed.value.map_or(Node { span: 0..0, kind: Kind::Nothing }, node))
}

/// What clients agree on. Whatever else one of them may take is refused, since another reads it otherwise.
fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

/// The parser bounds the depth.
fn node(value: Value<'_>) -> Node {
    match value {
        Value::StringLit(text) => {
            Node { span: text.range.start..text.range.end, kind: Kind::Text(text.value.into_owned()) }
        }
        Value::NumberLit(number) => {
            Node { span: number.range.start..number.range.end, kind: Kind::Number(number.value.to_owned()) }
        }
        Value::BooleanLit(flag) => Node { span: flag.range.start..flag.range.end, kind: Kind::Flag(flag.value) },
        Value::NullKeyword(null) => Node { span: null.range.start..null.range.end, kind: Kind::Nothing },
        Value::Array(array) => Node {
            span: array.range.start..array.range.end,
            kind: Kind::List(array.elements.into_iter().map(node).collect()),
        },
        Value::Object(object) => Node {
            span: object.range.start..object.range.end,
            kind: Kind::Object(object.properties.into_iter().map(member).collect()),
        },
    }
}

fn member(property: ObjectProp<'_>) -> Member {
    Member { name: property.name.into_string(), start: property.range.start, value: node(property.value) }
}

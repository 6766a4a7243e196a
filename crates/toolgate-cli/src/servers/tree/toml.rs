//! TOML, as our own file and Codex's are written.

use super::{Kind, Member, Node, line_column};
use toml_edit::{Document, Item, Table, Value};

pub(super) fn read(text: &str) -> Result<Node, String> {
    let document = Document::parse(text).map_err(|error| {
        let (line, column) = line_column(text, error.span().map_or(0, |span| span.start));
        // The rest of the message shows the line, in which a value may stand.
        format!("{line}:{column}: {}", error.message().lines().next().unwrap_or_default())
    })?;
    Ok(Node { span: 0..text.len(), kind: table(document.as_table()) })
}

/// The parser bounds the depth.
fn table(table: &Table) -> Kind {
    let start = |name: &str| table.key(name).and_then(|key| key.span()).map_or(0, |span| span.start);
    let member =
        |(name, item): (&str, &Item)| Member { name: name.to_owned(), start: start(name), value: of_item(item) };
    Kind::Object(table.iter().map(member).collect())
}

fn of_item(item: &Item) -> Node {
    let kind = match item {
        Item::None => Kind::Nothing,
        Item::Value(value) => return of_value(value),
        Item::Table(inner) => table(inner),
        Item::ArrayOfTables(tables) => Kind::List(
            tables.iter().map(|inner| Node { span: inner.span().unwrap_or_default(), kind: table(inner) }).collect(),
        ),
    };
    Node { span: item.span().unwrap_or_default(), kind }
}

fn of_value(value: &Value) -> Node {
    let kind = match value {
        Value::String(text) => Kind::Text(text.value().clone()),
        Value::Integer(number) => Kind::Number(number.value().to_string()),
        Value::Float(number) => Kind::Number(number.value().to_string()),
        Value::Boolean(flag) => Kind::Flag(*flag.value()),
        Value::Datetime(_) => Kind::Nothing,
        Value::Array(array) => Kind::List(array.iter().map(of_value).collect()),
        Value::InlineTable(inner) => {
            let start = |name: &str| inner.key(name).and_then(|key| key.span()).map_or(0, |span| span.start);
            let member = |(name, value): (&str, &Value)| Member {
                name: name.to_owned(),
                start: start(name),
                value: of_value(value),
            };
            Kind::Object(inner.iter().map(member).collect())
        }
    };
    Node { span: value.span().unwrap_or_default(), kind }
}

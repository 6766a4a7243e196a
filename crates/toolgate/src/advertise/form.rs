//! A small tree of the schema that is written, so that a profile's rules can be counted before it is text.

use crate::json::{push_string, quoted};
use std::borrow::Cow;

/// The members of an object in the making: most names are words of JSON Schema.
pub(super) type Members = Vec<(Cow<'static, str>, Form)>;

/// JSON in the making.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// JSON text as it is.
    Raw(Cow<'static, str>),
    Object(Members),
    Array(Vec<Form>),
}

impl Form {
    pub(super) fn text(text: &str) -> Form {
        Form::Raw(quoted(text).into())
    }

    pub(super) fn texts<'t>(texts: impl IntoIterator<Item = &'t str>) -> Form {
        Form::Array(texts.into_iter().map(Form::text).collect())
    }

    pub(super) fn write(&self, out: &mut String) {
        match self {
            Form::Raw(text) => out.push_str(text),
            Form::Array(items) => {
                out.push('[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    item.write(out);
                }
                out.push(']');
            }
            Form::Object(members) => {
                out.push('{');
                for (index, (name, value)) in members.iter().enumerate() {
                    if index > 0 {
                        out.push(',');
                    }
                    push_string(out, name);
                    out.push(':');
                    value.write(out);
                }
                out.push('}');
            }
        }
    }
}

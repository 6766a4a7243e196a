//! One tool whose arguments come from several hands (R13): params, input, and what a mount adds.
//!
//! The parts are joined into one contract, which is compiled, shown, proven and asked like any other: each part judges its own
//! names, and the input every name that nobody declares.

mod part;

use crate::contract::{Contract, Policy, Unusable};
use crate::json::{Document, Kind, ObjectWriter, Strictness, list};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::schema::document::Dialect;
use part::{Part, Side};
use std::collections::HashSet;

/// The schemas of one tool, as JSON text.
#[derive(Clone, Copy, Debug, Default)]
pub struct Parts<'s> {
    /// Where it acts, as a path or query would say; its names are its own.
    pub params: Option<&'s str>,
    /// What it is given. Its rule for undeclared keys is the tool's.
    pub input: Option<&'s str>,
    /// Keys that a mount adds, such as a tenant; its names are its own.
    pub extension: Option<&'s str>,
}

/// A tool of several parts, and the one contract that it is asked by.
#[derive(Debug)]
pub struct Operation {
    contract: Contract,
    params: HashSet<String>,
    extension: HashSet<String>,
}

/// Admitted arguments, part by part, each the JSON text of an object.
#[derive(Clone, PartialEq, Eq)]
pub struct Slices {
    /// Those that the params declare.
    pub params: String,
    /// All others.
    pub input: String,
    /// Those that the extension declares.
    pub extension: String,
}

impl std::fmt::Debug for Slices {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Slices(..)")
    }
}

impl Operation {
    /// Joins the parts. Every violation of a call is then told at once, whichever part it is of (R13.2).
    ///
    /// Params and extension name their keys one by one: what cannot be judged of those names alone is a defect, as is a name
    /// that two parts have (R13.1).
    ///
    /// # Errors
    ///
    /// Returns [`Unusable`] where a part does not compile, or the parts cannot be joined.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Arguments, Operation, Parts, Policy};
    /// let parts = Parts {
    ///     params: Some(r#"{"type":"object","properties":{"repo":{"type":"string"}},"required":["repo"]}"#),
    ///     input: Some(r#"{"type":"object","properties":{"title":{"type":"string"}},"additionalProperties":false}"#),
    ///     extension: Some(r#"{"type":"object","properties":{"tenant":{"type":"integer"}},"required":["tenant"]}"#),
    /// };
    /// let operation = Operation::join(parts, &Policy::default()).unwrap();
    /// let admitted = operation.contract().check(Arguments::from_text(r#"{"title":"x","repo":"a/b","tenant":"7"}"#)).unwrap();
    /// let slices = operation.split(admitted.arguments_text()).unwrap();
    /// assert_eq!((&*slices.params, &*slices.input), (r#"{"repo":"a/b"}"#, r#"{"title":"x"}"#));
    /// assert_eq!(slices.extension, r#"{"tenant":7}"#);
    /// let refusal = operation.contract().check(Arguments::from_text(r#"{"titel":"x","tenant":{}}"#)).unwrap_err();
    /// assert_eq!(refusal.violations().len(), 3);
    /// ```
    pub fn join(parts: Parts<'_>, policy: &Policy) -> Result<Self, Unusable> {
        let read = |text: Option<&str>, side| text.map(|text| Part::read(text, side, policy)).transpose();
        let mut params = read(parts.params, Side::Params)?;
        let mut input = read(Some(parts.input.unwrap_or("{}")), Side::Input)?;
        let mut extension = read(parts.extension, Side::Extension)?;
        let names = |part: &Option<Part>| part.as_ref().map(|part| part.names.clone()).unwrap_or_default();
        let (of_params, of_extension) = (names(&params), names(&extension));
        let schema = match (&mut params, &mut input, &mut extension) {
            (None, Some(input), None) => input.text().to_owned(),
            _ => joined([&mut params, &mut input, &mut extension].into_iter().flatten().collect())?,
        };
        let own = |names: Vec<String>| names.into_iter().collect();
        let contract = Contract::from_text_with(&schema, policy)?;
        Ok(Operation { contract, params: own(of_params), extension: own(of_extension) })
    }

    /// The one contract that every call is read and judged by.
    pub fn contract(&self) -> &Contract {
        &self.contract
    }

    /// Parts admitted arguments, whose names are all in place.
    ///
    /// # Errors
    ///
    /// Returns a [`Refusal`] of what is not one object of named members, as no admitted arguments are: a handler must not
    /// take it for a call without arguments.
    pub fn split(&self, arguments: &str) -> Result<Slices, Refusal> {
        let (mut params, mut input, mut extension) = (ObjectWriter::new(), ObjectWriter::new(), ObjectWriter::new());
        let limits = Limits { size_max_bytes: usize::MAX, ..self.contract.policy().limits };
        let document =
            Document::read_str(arguments, Strictness::Frame, &limits).map_err(|_| Refusal::contract_mismatch())?;
        if document.root().kind() != Kind::Object {
            return Err(Refusal::contract_mismatch());
        }
        for (name, value) in document.root().members() {
            let name = name.as_str().ok_or_else(Refusal::contract_mismatch)?;
            let slice = match &*name {
                name if self.extension.contains(name) => &mut extension,
                name if self.params.contains(name) => &mut params,
                _ => &mut input,
            };
            slice.raw(&name, value.text());
        }
        Ok(Slices { params: params.end(), input: input.end(), extension: extension.end() })
    }
}

/// The schema that all parts hold of, each of its own names.
fn joined(mut parts: Vec<&mut Part>) -> Result<String, Unusable> {
    let dialect = parts.first().map_or(Dialect::Draft202012, |part| part.dialect());
    for part in &parts {
        if part.dialect() != dialect {
            return Err(unjoined(part.side, "", "the parts are written in different versions of JSON Schema"));
        }
    }
    let names: Vec<(Side, Vec<String>)> = parts.iter().map(|part| (part.side, part.names.clone())).collect();
    let mut known: HashSet<&str> = HashSet::new();
    for (side, name) in names.iter().flat_map(|(side, names)| names.iter().map(|name| (*side, name.as_str()))) {
        if !known.insert(name) {
            let name = crate::location::shown_name(name);
            return Err(unjoined(side, "", &format!("another part has the argument `{name}`")));
        }
    }
    let mut all_of = Vec::new();
    let mut definitions = ObjectWriter::new();
    for part in &mut parts {
        let others: Vec<&str> = names
            .iter()
            .filter(|(side, _)| *side != part.side)
            .flat_map(|(_, names)| names)
            .map(String::as_str)
            .collect();
        all_of.push(part.opened_root(&others, &mut definitions)?);
    }
    let mut schema = ObjectWriter::new();
    if dialect != Dialect::Draft202012 {
        schema.string("$schema", dialect.uri());
    }
    schema.string("type", "object");
    schema.raw("allOf", &list(all_of.into_iter()));
    let definitions = definitions.end();
    if definitions != "{}" {
        schema.raw(dialect.definitions(), &definitions);
    }
    Ok(schema.end())
}

/// Why parts cannot be one contract.
fn unjoined(side: Side, keyword_location: &str, why: &str) -> Unusable {
    Unusable::for_one(keyword_location, "join", &format!("of the {}: {why}", side.word()))
}

#[cfg(test)]
mod tests;

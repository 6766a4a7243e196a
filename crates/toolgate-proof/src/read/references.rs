//! What `$id`, `$anchor` and `$ref` name within one document.

use crate::json::Value;
use crate::options::Dialect;
use crate::schema::escape_segment;
use fluent_uri::{Uri, UriRef};
use std::collections::HashMap;

/// The base of a document that names itself nowhere. It can be reached by no reference that somebody wrote.
const BASE: &str = "https://document.invalid/";
/// Segments of one reference.
const SEGMENTS_MAX: usize = 200;

pub(super) struct References<'d> {
    root: &'d Value<'d>,
    dialect: Dialect,
    resources: Vec<Resource<'d>>,
    /// The resources by their schemas, and by their names of which the first counts.
    by_schema: HashMap<*const Value<'d>, usize>,
    by_uri: HashMap<String, usize>,
    /// Filled when a reference first needs more than a pointer from the root.
    anchors: HashMap<(usize, &'d str), &'d Value<'d>>,
    is_scanned: bool,
    dynamic_anchors: usize,
    /// The value around each, and what leads from there to it; filled when a pointer is first needed.
    around: HashMap<*const Value<'d>, (*const Value<'d>, Step<'d>)>,
}

/// From a value to one inside it.
#[derive(Clone, Copy)]
enum Step<'d> {
    Name(&'d str),
    Index(usize),
}

/// A schema with a URI of its own.
struct Resource<'d> {
    uri: String,
    root: &'d Value<'d>,
}

impl<'d> References<'d> {
    pub(super) fn new(root: &'d Value<'d>, dialect: Dialect) -> Self {
        References {
            root,
            dialect,
            resources: vec![Resource { uri: BASE.to_owned(), root }],
            by_schema: HashMap::new(),
            by_uri: HashMap::from([(BASE.to_owned(), 0)]),
            anchors: HashMap::new(),
            is_scanned: false,
            dynamic_anchors: 0,
            around: HashMap::new(),
        }
    }

    fn id(&self, schema: &'d Value<'d>) -> Option<&'d str> {
        let keyword = if self.dialect == Dialect::Draft4 { "id" } else { "$id" };
        let id = schema.member(keyword)?.text()?;
        let beside_reference = self.dialect < Dialect::Draft201909 && schema.member("$ref").is_some();
        (!beside_reference && !id.starts_with('#')).then_some(id)
    }

    /// The resource that a schema belongs to, which is one of its own where it names itself.
    pub(super) fn enter(&mut self, schema: &'d Value<'d>, resource: usize) -> usize {
        let Some(id) = self.id(schema) else { return resource };
        let base = self.resources.get(resource).map_or(BASE, |resource| resource.uri.as_str());
        let Some(uri) = resolve_uri(base, id) else { return resource };
        let uri = without_fragment(&uri).to_owned();
        // The root keeps its number and takes its name.
        if std::ptr::eq(schema, self.root) {
            if let Some(root) = self.resources.first_mut() {
                self.by_uri.remove(&root.uri);
                root.uri = uri.clone();
                self.by_uri.insert(uri, 0);
            }
            return 0;
        }
        let next = self.resources.len();
        let number = *self.by_schema.entry(std::ptr::from_ref(schema)).or_insert(next);
        if number == next {
            self.by_uri.entry(uri.clone()).or_insert(number);
            self.resources.push(Resource { uri, root: schema });
        }
        number
    }

    /// Whether a dynamic reference can mean another place than the static one. With one dynamic anchor there is no other.
    pub(super) fn is_dynamic(&mut self, keyword: &str) -> bool {
        self.scan();
        keyword == "$dynamicRef" && self.dynamic_anchors > 1 || keyword == "$recursiveRef" && self.resources.len() > 1
    }

    /// The schema that `reference` names, seen from `resource`, and the resource it lies in.
    pub(super) fn resolve(
        &mut self,
        reference: &'d str,
        resource: usize,
    ) -> Result<(&'d Value<'d>, usize), &'static str> {
        let (resource, fragment) = match reference.strip_prefix('#') {
            Some(fragment) => (resource, fragment),
            None => {
                self.scan();
                let base = self.resources.get(resource).map_or(BASE, |resource| resource.uri.as_str());
                let uri = resolve_uri(base, reference).ok_or("is not a URI reference")?;
                let named = without_fragment(&uri);
                let found = self.by_uri.get(named).copied();
                let fragment = reference.split_once('#').map_or("", |(_, fragment)| fragment);
                (found.ok_or("names another document")?, fragment)
            }
        };
        let root = self.resources.get(resource).map(|resource| resource.root).ok_or("names nothing")?;
        let fragment = percent_decoded(fragment).ok_or("is not a URI reference")?;
        if fragment.is_empty() {
            return Ok((root, resource));
        }
        match fragment.strip_prefix('/') {
            Some(pointer) => self.walk(root, resource, pointer),
            None => {
                self.scan();
                let found = self.anchors.get(&(resource, fragment.as_str()));
                found.map(|schema| (*schema, resource)).ok_or("names nothing in the document")
            }
        }
    }

    fn walk(
        &mut self,
        root: &'d Value<'d>,
        mut resource: usize,
        pointer: &str,
    ) -> Result<(&'d Value<'d>, usize), &'static str> {
        let mut at = root;
        for (count, segment) in pointer.split('/').enumerate() {
            if count > SEGMENTS_MAX {
                return Err("is too long");
            }
            if count > 0 {
                resource = self.enter(at, resource);
            }
            let segment = segment.replace("~1", "/").replace("~0", "~");
            let next = match at {
                Value::Map(_) => at.member(&segment),
                Value::List(items) => segment.parse::<usize>().ok().and_then(|index| items.get(index)),
                _ => None,
            };
            at = next.ok_or("names nothing in the document")?;
        }
        Ok((at, resource))
    }

    /// Finds every `$id` and anchor of the document.
    fn scan(&mut self) {
        if !std::mem::replace(&mut self.is_scanned, true) {
            self.scan_value(self.root, 0);
        }
    }

    fn scan_value(&mut self, value: &'d Value<'d>, resource: usize) {
        match value {
            Value::List(items) => items.iter().for_each(|item| self.scan_value(item, resource)),
            Value::Map(members) => {
                let resource = self.enter(value, resource);
                for (keyword, member) in members {
                    let anchor = match (keyword.as_ref(), member) {
                        ("$anchor", Value::Text(name)) => Some(name.as_ref()),
                        ("$dynamicAnchor", Value::Text(name)) => {
                            self.dynamic_anchors += 1;
                            Some(name.as_ref())
                        }
                        ("$id" | "id", Value::Text(id)) if self.dialect < Dialect::Draft201909 => id.strip_prefix('#'),
                        _ => None,
                    };
                    if let Some(anchor) = anchor {
                        self.anchors.entry((resource, anchor)).or_insert(value);
                    }
                    if !matches!(keyword.as_ref(), "enum" | "const" | "default" | "examples") {
                        self.scan_value(member, resource);
                    }
                }
            }
            _ => {}
        }
    }

    /// The JSON Pointer, from the document's root, of the schema that `reference` has led to.
    pub(super) fn pointer_of(&mut self, target: &'d Value<'d>, reference: &str, resource: usize) -> String {
        let direct = reference.strip_prefix('#').filter(|_| resource == 0 && self.resources.len() == 1);
        if let Some(pointer) = direct.filter(|pointer| pointer.is_empty() || pointer.starts_with('/')) {
            return percent_decoded(pointer).unwrap_or_default();
        }
        if self.around.is_empty() {
            self.note_around();
        }
        let mut steps = Vec::new();
        let mut at = std::ptr::from_ref(target);
        while let Some((outer, step)) = self.around.get(&at) {
            steps.push(*step);
            at = *outer;
        }
        let mut pointer = String::new();
        for step in steps.iter().rev() {
            pointer.push('/');
            match step {
                Step::Name(name) => pointer.push_str(&escape_segment(name)),
                Step::Index(index) => pointer.push_str(&index.to_string()),
            }
        }
        pointer
    }

    fn note_around(&mut self) {
        let mut open = vec![self.root];
        while let Some(value) = open.pop() {
            let inner: Vec<(Step<'d>, &'d Value<'d>)> = match value {
                Value::List(items) => items.iter().enumerate().map(|(at, item)| (Step::Index(at), item)).collect(),
                Value::Map(members) => members.iter().map(|(name, member)| (Step::Name(name), member)).collect(),
                _ => continue,
            };
            for (step, inner) in inner {
                self.around.insert(std::ptr::from_ref(inner), (std::ptr::from_ref(value), step));
                open.push(inner);
            }
        }
    }
}

fn resolve_uri(base: &str, reference: &str) -> Option<String> {
    let base = Uri::parse(base).ok()?;
    let reference = UriRef::parse(reference).ok()?;
    Some(reference.resolve_against(&base).ok()?.normalize().into_string())
}

fn without_fragment(uri: &str) -> &str {
    uri.split('#').next().unwrap_or(uri)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digits = [rest.next()?, rest.next()?];
        bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
    }
    String::from_utf8(bytes).ok()
}

//! The shape that a tool's arguments should have, as a short text for a model that was refused twice (R6.10). Names and
//! kinds from the schema, never a value of a call.

use crate::advertise::decode::{self, Decoder};
use crate::location::shown_word;
use crate::schema::kinds::Kinds;
use crate::schema::{Node, NodeId, ROOT, Schema};

/// Objects and lists inside each other that are spelled out.
const DEPTH_MAX: usize = 4;
/// Members of one object, words of one list, members of one union.
const WIDTH_MAX: usize = 12;
/// Characters in all, beyond which nothing is added.
const LENGTH_MAX: usize = 2_000;

/// The shape in the names that were shown, which `decoder` reads back.
pub(crate) fn skeleton(schema: &Schema, decoder: Option<&Decoder>) -> String {
    let mut out = String::new();
    Writer { schema, decoder, out: &mut out }.node(ROOT, 0, decoder.map(|_| decode::ROOT));
    out
}

/// The shapes of these forms of one place.
pub(crate) fn of_forms(schema: &Schema, forms: &[NodeId]) -> String {
    let mut shapes: Vec<String> = Vec::new();
    for form in forms.iter().take(WIDTH_MAX) {
        let mut out = String::new();
        Writer { schema, decoder: None, out: &mut out }.node(*form, 0, None);
        if !shapes.contains(&out) {
            shapes.push(out);
        }
    }
    shapes.join(" | ")
}

struct Writer<'a> {
    schema: &'a Schema,
    decoder: Option<&'a Decoder>,
    out: &'a mut String,
}

/// A place among the decode steps.
type At = Option<usize>;

impl Writer<'_> {
    fn node(&mut self, id: NodeId, depth: usize, at: At) {
        let node = self.schema.node(id);
        if self.out.len() > LENGTH_MAX || depth > DEPTH_MAX {
            self.out.push('…');
        } else if node.is_secret {
            // What is inside a place that is not to be read back is not spelled out.
            let names = node.admits.names();
            self.out.push_str(&if names.len() == 7 { "any".to_owned() } else { names.join(" | ") });
        } else if let Some(values) = node.values.first() {
            self.words(&values.slots);
        } else if node.kinds == Kinds::OBJECT || node.admits == Kinds::OBJECT {
            self.object(node, depth, at);
        } else if let Some(union) = node.unions.first().filter(|_| node.object.is_none()) {
            self.members(&union.members, depth, at);
        } else {
            self.kinds(node, depth, at);
        }
    }

    fn words(&mut self, slots: &[u32]) {
        let json = &self.schema.document.json;
        for (index, slot) in slots.iter().take(WIDTH_MAX).enumerate() {
            self.out.push_str(if index > 0 { " | " } else { "" });
            self.out.push_str(&shown_word(json.raw(*slot)));
        }
        if slots.len() > WIDTH_MAX {
            self.out.push_str(" | …");
        }
    }

    fn members(&mut self, members: &[NodeId], depth: usize, at: At) {
        for (index, member) in members.iter().take(WIDTH_MAX).enumerate() {
            self.out.push_str(if index > 0 { " | " } else { "" });
            self.node(*member, depth, at);
        }
        if members.len() > WIDTH_MAX {
            self.out.push_str(" | …");
        }
    }

    fn kinds(&mut self, node: &Node, depth: usize, at: At) {
        if node.admits == Kinds::ALL {
            return self.out.push_str("any");
        }
        for (index, name) in node.admits.names().into_iter().enumerate() {
            self.out.push_str(if index > 0 { " | " } else { "" });
            match name.as_str() {
                "array" => self.array(node, depth, at),
                "object" => self.object(node, depth, at),
                name => self.out.push_str(name),
            }
        }
    }

    fn array(&mut self, node: &Node, depth: usize, at: At) {
        self.out.push('[');
        match node.array.as_ref().and_then(|array| array.items) {
            Some(items) => self.node(items, depth + 1, self.inside(at, "*")),
            None => self.out.push('…'),
        }
        self.out.push(']');
    }

    fn inside(&self, at: At, name: &str) -> At {
        self.decoder.zip(at).and_then(|(decoder, at)| decoder.child(at, name))
    }

    /// The object's own members; then, of a union beside them, what each form adds.
    fn object(&mut self, node: &Node, depth: usize, at: At) {
        let declared =
            node.object.iter().flat_map(|object| &object.props).filter(|prop| prop.is_declared || prop.is_required);
        // Required names first: they are what a caller cannot leave out.
        let (required, optional): (Vec<_>, Vec<_>) = declared.partition(|prop| prop.is_required);
        let mut is_first = true;
        for prop in required.into_iter().chain(optional).take(WIDTH_MAX * 2) {
            self.out.push_str(if std::mem::take(&mut is_first) { "{ " } else { ", " });
            let inside = self.inside(at, &prop.name);
            let sent = self.decoder.map_or(&*prop.name, |decoder| decoder.sent(at, &prop.name));
            self.out.push_str(&shown_word(sent));
            let takes_null = self.decoder.is_some_and(|decoder| decoder.reads_null(inside));
            self.out.push_str(if prop.is_required || takes_null { ": " } else { "?: " });
            match prop.node {
                Some(inner) => self.node(inner, depth + 1, inside),
                None => self.out.push_str("any"),
            }
            self.out.push_str(if takes_null { " | null" } else { "" });
        }
        match (is_first, node.unions.is_empty(), &node.object) {
            (false, _, _) => self.out.push_str(" }"),
            (true, false, _) => {}
            (true, true, Some(_)) => self.out.push_str("{}"),
            (true, true, None) => self.out.push_str("{ … }"),
        }
        for (index, union) in node.unions.iter().enumerate() {
            let joins = !is_first || index > 0;
            self.out.push_str(if joins { " & (" } else { "" });
            self.members(&union.members, depth, at);
            self.out.push_str(if joins { ")" } else { "" });
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::Contract;

    #[track_caller]
    fn shape(schema: &str, expected: &str) {
        assert_eq!(Contract::from_text(schema).unwrap().skeleton(), expected);
    }

    #[test]
    fn spells_out_unions_with_and_without_members_beside_them() {
        let forms = r#""oneOf":[{"type":"object","properties":{"k":{"const":"a"},"v":{"type":"number"}},"required":["k","v"]},{"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]"#;
        shape(
            &format!(r#"{{"type":"object","properties":{{"b":{{{forms}}}}},"required":["b"]}}"#),
            r#"{ b: { k: "a", v: number } | { k: "b" } }"#,
        );
        shape(
            &format!(r#"{{"type":"object","properties":{{"t":{{"type":"string"}}}},{forms}}}"#),
            r#"{ t?: string } & ({ k: "a", v: number } | { k: "b" })"#,
        );
    }

    #[test]
    fn speaks_in_the_names_that_were_shown() {
        let tool = r#"{"name":"t","inputSchema":{"type":"object","properties":{"a b":{"type":"string"},"n":{"type":"integer"}},"required":["a b"]}}"#;
        let shape = |profile: &'static str| {
            let profile = std::borrow::Cow::Borrowed(crate::Profile::named(profile).unwrap());
            let showing = crate::Showing { profile, ..crate::Showing::default() };
            let tools = crate::ToolSet::publish([tool], &showing, &|_| crate::Policy::default());
            tools.get("t").unwrap().skeleton()
        };
        assert_eq!(shape("portable"), "{ a b: string, n?: integer }");
        assert_eq!(shape("gemini"), "{ a_b: string, n?: integer }");
        assert_eq!(shape("openai-strict"), "{ a b: string, n: integer | null }");
    }

    #[test]
    fn tells_open_from_empty() {
        shape(r#"{"type":"object","properties":{"o":{"type":"object"}}}"#, "{ o?: { … } }");
        shape(r#"{"type":"object"}"#, "{}");
        shape(r#"{"type":"object","properties":{"s":{"enum":["x"],"writeOnly":true}}}"#, "{ s?: string }");
    }
}

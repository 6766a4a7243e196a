//! The names of nodes in a certificate: pointers into the two documents, and words for the few nodes that stand in neither.

use crate::kinds::Kinds;
use crate::prove::{MadeNode, Prover};
use crate::schema::{ANY, NEVER, NodeId, Tail};
use crate::states::Literal;
use std::borrow::Cow;
use std::collections::HashMap;

/// The name of a node: `a` or `c` and its pointer, or a word and what it takes.
pub(super) fn name_of(prover: &Prover<'_>, id: NodeId) -> Option<String> {
    match id {
        ANY => return Some("any".to_owned()),
        NEVER => return Some("never".to_owned()),
        _ => {}
    }
    let schemas = &prover.states.schemas;
    if let Some(made) = prover.made_nodes.get(&id) {
        return Some(match made {
            MadeNode::Kinds(kinds) => format!("kinds {}", kinds.bits()),
            MadeNode::Pattern(pattern) => format!("pattern {}", schemas.pattern_text(*pattern)),
            MadeNode::Required(name) => format!("has {}", schemas.name(*name)),
        });
    }
    let (document, pointer) = schemas.pointer(id);
    Some(match (document, &schemas.place(id)?.tail) {
        (0, Tail::Contract) => "contract".to_owned(),
        (0, Tail::Closed) => format!("closed {pointer}"),
        (0, _) => format!("c {pointer}"),
        (1, _) => format!("a {pointer}"),
        _ => return None,
    })
}

pub(super) fn literal(prover: &Prover<'_>, literal: Literal) -> Option<String> {
    let sign = if literal.is_positive() { '+' } else { '-' };
    Some(format!("{sign}{}", name_of(prover, literal.node())?))
}

/// The nodes of both documents by their names.
pub(super) fn table(prover: &Prover<'_>) -> HashMap<String, NodeId> {
    prover.states.schemas.ids().filter_map(|id| Some((name_of(prover, id)?, id))).collect()
}

pub(super) fn literal_named(prover: &mut Prover<'_>, known: &HashMap<String, NodeId>, name: &str) -> Option<Literal> {
    if let Some(name) = name.strip_prefix('+') {
        return Some(Literal::holds(node_named(prover, known, name)?));
    }
    Some(Literal::fails(node_named(prover, known, name.strip_prefix('-')?)?))
}

/// The node of a name; one that stands in no document is made.
pub(super) fn node_named(prover: &mut Prover<'_>, known: &HashMap<String, NodeId>, name: &str) -> Option<NodeId> {
    if let Some(id) = known.get(name) {
        return Some(*id);
    }
    let (word, rest) = name.split_once(' ')?;
    match word {
        "kinds" => {
            let kinds = Kinds::from_bits(rest.parse().ok()?)?;
            Some(prover.kind_node(kinds))
        }
        "pattern" => {
            let pattern = prover.states.schemas.intern_pattern(rest);
            Some(prover.pattern_node(pattern))
        }
        "has" => {
            let name = prover.states.schemas.intern(Cow::Owned(rest.to_owned()));
            Some(prover.required_node(name))
        }
        _ => None,
    }
}

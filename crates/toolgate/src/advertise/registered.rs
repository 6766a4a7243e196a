//! The contract as registered, with `type: object` and its key policy said where the document is silent (the profile `plain`).

use super::{Advertised, StrictCost};
use crate::contract::Contract;
use crate::normalize::overlay::push_one_line;

pub(super) fn advertise(contract: &Contract, states_root: bool) -> Advertised {
    let text = contract.schema_text().trim();
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("").trim();
    let kind = if contract.names_root_type() { None } else { Some("\"type\":\"object\"".to_owned()) };
    let closing = contract.root_closing().filter(|_| states_root).map(|keyword| format!("\"{keyword}\":false"));
    let written = (!inner.is_empty()).then(|| inner.to_owned());
    let parts: Vec<String> = kind.into_iter().chain(written).chain(closing).collect();
    let mut schema = String::with_capacity(text.len() + 48);
    push_one_line(&format!("{{{}}}", parts.join(",")), &mut schema);
    Advertised { schema, decode: Vec::new(), notes: Vec::new(), is_strict: false, cost: StrictCost::default() }
}

//! A counterexample is believed when two validators have executed it: the evaluator of this crate, and the crate `jsonschema`,
//! which shares nothing with it. Both have to say that the contract admits the value, and that the advertised schema refuses
//! whatever is read as it.

use crate::decode::Decode;
use crate::emit;
use crate::eval::Evaluator;
use crate::json::Value;
use crate::options::Options;
use crate::schema::{NodeId, Schemas};
use jsonschema::{Draft, Validator};
use serde_json::Value as Json;

/// Steps of the evaluator for one value; the other validator counts none, so what costs more is not shown to it.
const STEPS_MAX: u64 = 200_000;
/// Longer documents are not compiled a second time.
const TEXT_MAX_BYTES: usize = 2 * 1024 * 1024;

/// The two sides of a question, as texts and as nodes.
pub(crate) struct Sides<'s> {
    pub(crate) contract: &'s str,
    pub(crate) advertised: &'s str,
    pub(crate) contract_root: NodeId,
    pub(crate) advertised_root: NodeId,
}

/// Whether both validators agree that the contract admits `value` and the advertised schema refuses all that is read as it.
pub(crate) fn confirmed(
    schemas: &Schemas<'_>,
    sides: &Sides<'_>,
    decode: &mut Decode,
    words: &[&str],
    options: &Options,
    value: &Value<'_>,
) -> bool {
    let position = decode.root();
    let Some(sent) = decode.sent(value, position, words, schemas) else { return false };
    let evaluator = Evaluator::new(schemas, STEPS_MAX);
    let by_own = evaluator.accepts(sides.contract_root, value) == Some(true)
        && sent.iter().all(|sent| evaluator.accepts(sides.advertised_root, sent) == Some(false));
    if !by_own || sides.contract.len().max(sides.advertised.len()) > TEXT_MAX_BYTES {
        return false;
    }
    let Some(value) = emit::value(value) else { return false };
    let Some(sent) = sent.iter().map(emit::value).collect::<Option<Vec<Json>>>() else { return false };
    admits_effective(schemas, sides, options, &value) && refuses_all(schemas, sides, options, &sent)
}

/// The contract as it is written admits the value, and so does the contract as it is meant.
fn admits_effective(schemas: &Schemas<'_>, sides: &Sides<'_>, options: &Options, value: &Json) -> bool {
    let effective = emit::document(schemas, sides.contract_root).and_then(|document| compiled(&document));
    let Some(effective) = effective else { return false };
    // As written it says more where something was set aside.
    let written = if options.set_aside.is_empty() { written(sides.contract, options) } else { None };
    effective.is_valid(value) && written.is_none_or(|written| written.is_valid(value))
}

fn refuses_all(schemas: &Schemas<'_>, sides: &Sides<'_>, options: &Options, sent: &[Json]) -> bool {
    let as_read = emit::document(schemas, sides.advertised_root).and_then(|document| compiled(&document));
    let Some(as_read) = as_read else { return false };
    let is_standard = options.reading == crate::options::Reading::default();
    let written = if is_standard { written(sides.advertised, options) } else { None };
    sent.iter().all(|sent| !as_read.is_valid(sent) && written.as_ref().is_none_or(|written| !written.is_valid(sent)))
}

fn compiled(document: &Json) -> Option<Validator> {
    jsonschema::options().with_draft(Draft::Draft202012).should_validate_formats(false).build(document).ok()
}

/// The text as the other validator reads it by itself; `None` where it does not read it.
fn written(text: &str, options: &Options) -> Option<Validator> {
    use crate::options::Dialect;
    let document: Json = serde_json::from_str(text).ok()?;
    let mut settings = jsonschema::options().should_validate_formats(false);
    if let Some(dialect) = options.dialect {
        settings = settings.with_draft(match dialect {
            Dialect::Draft4 => Draft::Draft4,
            Dialect::Draft6 => Draft::Draft6,
            Dialect::Draft7 => Draft::Draft7,
            Dialect::Draft201909 => Draft::Draft201909,
            Dialect::Draft202012 => Draft::Draft202012,
        });
    }
    settings.build(&document).ok()
}

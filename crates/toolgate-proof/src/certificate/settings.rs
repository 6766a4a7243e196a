//! The options of a proof as JSON, for a certificate: what was proven, was proven under these.

use super::CertificateFault;
use crate::json::Value;
use crate::options::{DecodeStep, Dialect, Options, Reading, UnknownKeys};
use std::borrow::Cow;

type Members = Vec<(Cow<'static, str>, Value<'static>)>;

fn text(text: &str) -> Value<'static> {
    Value::Text(Cow::Owned(text.to_owned()))
}

fn texts(list: &[String]) -> Value<'static> {
    Value::List(list.iter().map(|word| text(word)).collect())
}

fn policy_word(policy: UnknownKeys) -> &'static str {
    match policy {
        UnknownKeys::CloseRoot => "close-root",
        UnknownKeys::CloseDeclared => "close-declared",
        UnknownKeys::AsWritten => "as-written",
    }
}

fn dialect_word(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Draft4 => "draft-04",
        Dialect::Draft6 => "draft-06",
        Dialect::Draft7 => "draft-07",
        Dialect::Draft201909 => "2019-09",
        Dialect::Draft202012 => "2020-12",
    }
}

const POLICIES: [UnknownKeys; 3] = [UnknownKeys::CloseRoot, UnknownKeys::CloseDeclared, UnknownKeys::AsWritten];
const DIALECTS: [Dialect; 5] =
    [Dialect::Draft4, Dialect::Draft6, Dialect::Draft7, Dialect::Draft201909, Dialect::Draft202012];

/// Everything but the budget, every field by name so that a new one is not forgotten here.
pub(super) fn written(options: &Options) -> Value<'static> {
    let Options { unknown_keys, dialect, discovered, set_aside, decode, reading, any_root, steps_max: _ } = options;
    let Reading { absent_additional_is_closed, pattern_is_full_match, untyped_is_string, nullable, ignored_keywords } =
        reading;
    let mut members: Members = vec![("unknown_keys".into(), text(policy_word(*unknown_keys)))];
    if let Some(dialect) = dialect {
        members.push(("dialect".into(), text(dialect_word(*dialect))));
    }
    for (name, switch) in [
        ("discovered", *discovered),
        ("any_root", *any_root),
        ("absent_additional_is_closed", *absent_additional_is_closed),
        ("pattern_is_full_match", *pattern_is_full_match),
        ("untyped_is_string", *untyped_is_string),
        ("nullable", *nullable),
    ] {
        if switch {
            members.push((name.into(), Value::Boolean(true)));
        }
    }
    for (name, list) in [("set_aside", set_aside), ("ignored_keywords", ignored_keywords)] {
        if !list.is_empty() {
            members.push((name.into(), texts(list)));
        }
    }
    if !decode.is_empty() {
        members.push(("decode".into(), Value::List(decode.iter().map(step).collect())));
    }
    Value::Map(members)
}

fn step(step: &DecodeStep) -> Value<'static> {
    let (word, location, more): (&str, &String, Vec<(&'static str, &String)>) = match step {
        DecodeStep::NullMeansAbsent { location } => ("null-means-absent", location, Vec::new()),
        DecodeStep::Rename { location, name, sent } => ("rename", location, vec![("name", name), ("sent", sent)]),
        DecodeStep::EnumText { location } => ("enum-text", location, Vec::new()),
        DecodeStep::EnumCase { location } => ("enum-case", location, Vec::new()),
    };
    let mut members: Members = vec![("step".into(), text(word)), ("location".into(), text(location))];
    members.extend(more.into_iter().map(|(name, value)| (Cow::Borrowed(name), text(value))));
    Value::Map(members)
}

/// Reads what [`written`] wrote.
///
/// # Errors
///
/// Names the option that is not known, or whose value is none of its own.
pub(super) fn read(members: &[(Cow<'_, str>, Value<'_>)]) -> Result<Options, CertificateFault> {
    let mut options = Options::default();
    for (name, value) in members {
        match set(&mut options, name, value) {
            Set::Done => {}
            Set::NoValue => return Err(CertificateFault::Option { option: name.to_string() }),
            Set::NoOption => return Err(CertificateFault::Unknown { object: "options", member: name.to_string() }),
        }
    }
    Ok(options)
}

/// What became of an option.
enum Set {
    Done,
    NoValue,
    NoOption,
}

fn set(options: &mut Options, name: &str, value: &Value<'_>) -> Set {
    let list = || value.list()?.iter().map(|word| word.text().map(str::to_owned)).collect::<Option<Vec<String>>>();
    let switch = || if let Value::Boolean(switch) = value { Some(*switch) } else { None };
    let policy = || POLICIES.into_iter().find(|policy| value.text() == Some(policy_word(*policy)));
    let dialect = || DIALECTS.into_iter().find(|dialect| value.text() == Some(dialect_word(*dialect)));
    let steps = || value.list()?.iter().map(read_step).collect::<Option<Vec<_>>>();
    let reading = &mut options.reading;
    let set = match name {
        "unknown_keys" => policy().map(|policy| options.unknown_keys = policy),
        "dialect" => dialect().map(|dialect| options.dialect = Some(dialect)),
        "discovered" => switch().map(|switch| options.discovered = switch),
        "any_root" => switch().map(|switch| options.any_root = switch),
        "absent_additional_is_closed" => switch().map(|switch| reading.absent_additional_is_closed = switch),
        "pattern_is_full_match" => switch().map(|switch| reading.pattern_is_full_match = switch),
        "untyped_is_string" => switch().map(|switch| reading.untyped_is_string = switch),
        "nullable" => switch().map(|switch| reading.nullable = switch),
        "set_aside" => list().map(|list| options.set_aside = list),
        "ignored_keywords" => list().map(|list| reading.ignored_keywords = list),
        "decode" => steps().map(|steps| options.decode = steps),
        _ => return Set::NoOption,
    };
    set.map_or(Set::NoValue, |()| Set::Done)
}

fn read_step(value: &Value<'_>) -> Option<DecodeStep> {
    let word = |name: &str| value.member(name).and_then(Value::text).map(str::to_owned);
    let location = word("location")?;
    Some(match word("step")?.as_str() {
        "null-means-absent" => DecodeStep::NullMeansAbsent { location },
        "rename" => DecodeStep::Rename { location, name: word("name")?, sent: word("sent")? },
        "enum-text" => DecodeStep::EnumText { location },
        "enum-case" => DecodeStep::EnumCase { location },
        _ => return None,
    })
}

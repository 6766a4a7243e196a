//! The profiles for a program.

use toolgate::Profile;
use toolgate::json::{ObjectWriter, list, quoted};
use toolgate::profile::Strict;

pub(super) fn all(profiles: &[Profile]) -> String {
    let mut object = ObjectWriter::new();
    object.raw("profiles", &list(profiles.iter().map(profile)));
    format!("{}\n", object.end())
}

pub(super) fn profile(profile: &Profile) -> String {
    let mut object = ObjectWriter::new();
    object.string("name", profile.name);
    object.string("reader", profile.reader);
    object.raw("values", &values(profile));
    let names = profile.tool_names;
    object.raw("tool_names", &rule(names.others, names.starts_with_letter, names.chars_max, None));
    if let Some(names) = profile.property_names {
        let rule = rule(names.others, names.starts_with_letter, names.chars_max, Some(names.root_only));
        object.raw("property_names", &rule);
    }
    object.raw("reads", &reads(profile));
    if let Some(limits) = profile.strict {
        object.raw("strict", &strict(limits));
    }
    object.raw("clients", &list(profile.clients.iter().map(|client| quoted(client))));
    if let Some(base) = profile.base {
        object.string("base", base);
    }
    let sources = profile.sources.iter().map(|source| {
        let mut object = ObjectWriter::new();
        object.string("title", source.title);
        object.string("seen", source.seen);
        object.string("confidence", &source.confidence.to_string());
        object.raw("about", &list(source.about.iter().map(|value| quoted(value))));
        object.end()
    });
    object.raw("sources", &list(sources));
    object.end()
}

/// As a policy file spells them; numbers and switches as such, `null` for no limit.
fn values(profile: &Profile) -> String {
    let mut object = ObjectWriter::new();
    for (name, value) in profile.values() {
        match value.as_str() {
            "none" if name != "pattern" => object.raw(name, "null"),
            "true" | "false" => object.raw(name, &value),
            digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => object.raw(name, digits),
            word => object.string(name, word),
        }
    }
    object.end()
}

fn rule(others: &str, starts_with_letter: bool, chars_max: usize, root_only: Option<bool>) -> String {
    let mut object = ObjectWriter::new();
    object.raw("chars_max", &chars_max.to_string());
    object.string("others", others);
    object.raw("starts_with_letter", &starts_with_letter.to_string());
    if let Some(root_only) = root_only {
        object.raw("root_only", &root_only.to_string());
    }
    object.end()
}

fn reads(profile: &Profile) -> String {
    let mut object = ObjectWriter::new();
    object.raw("absent_key_policy_is_closed", &profile.reads.absent_key_policy_is_closed.to_string());
    object.raw("pattern_is_full_match", &profile.reads.pattern_is_full_match.to_string());
    object.raw("untyped_is_string", &profile.reads.untyped_is_string.to_string());
    object.raw("nullable", &profile.reads.nullable.to_string());
    object.end()
}

fn strict(strict: Strict) -> String {
    let mut object = ObjectWriter::new();
    object.raw("all_required", &strict.all_required.to_string());
    let limits = [
        ("tools_max", strict.tools_max),
        ("optional_max", strict.optional_max),
        ("unions_max", strict.unions_max),
        ("properties_max", strict.properties_max),
        ("depth_max", strict.depth_max),
        ("words_max", strict.words_max),
    ];
    for (name, max) in limits {
        object.raw(name, &max.map_or("null".to_owned(), |max| max.to_string()));
    }
    object.raw("recursion", &strict.recursion.to_string());
    object.raw("compound_lists", &strict.compound_lists.to_string());
    object.raw("enum_case_varies", &strict.enum_case_varies.to_string());
    object.string("otherwise", strict.otherwise);
    object.end()
}

//! The keys of the files that an operator writes: the policy file and `toolgate.toml`.

use super::fields::{self, Field};
use super::{cell, page};
use serde_json::Value;
use std::fmt::Write;
use toolgate::{Judge, Limits, OptIns, Origin, Profile, RootPolicy, Unions, UnknownKeys};

pub(super) const POLICY_SOURCE: &str = "crates/toolgate-gateway/src/policy.rs";
pub(super) const OPTIONS_SOURCE: &str = "crates/toolgate/src/contract.rs";
pub(super) const LIMITS_SOURCE: &str = "crates/toolgate/src/limits.rs";

/// Where the keys are documented.
pub(super) struct PolicySources {
    pub(super) policy: String,
    pub(super) options: String,
    pub(super) limits: String,
}

/// The page of the policy file.
pub(super) fn policy_file(sources: &PolicySources) -> Result<String, String> {
    let mut text = page(
        "The policy file",
        "What `toolgate run --policy FILE` reads, and what `policy` of a server in [`toolgate.toml`](configuration.md) names: \
         TOML, or JSON where the text begins with `{`. A key or a word that is not listed here is a mistake that is told with \
         its line (exit 78). The command line wins over the environment, the environment over this file, and what is said for \
         one tool over what is said for all. [Guard a server](../guide/guard-a-server.md) says when to use which.",
    );
    text.push_str("\n## For all tools\n\nOf several words the first holds where nothing is said, unless the meaning says otherwise.\n");
    keys(&mut text, &fields::of(&sources.policy, "PolicyFile")?)?;
    text.push_str("\n## For one tool\n\nUnder `[tools.NAME]`, with the name that the server lists.\n");
    keys(&mut text, &fields::of(&sources.policy, "Choices")?)?;
    text.push_str(
        "\n### Aliases\n\nFormer names that are taken and shown to nobody: `{ name = [\"former\"] }` for arguments of the root, or a \
         list of these:\n",
    );
    keys(&mut text, &fields::of(&sources.policy, "PlacedAlias")?)?;
    text.push_str(
        "\n## Options\n\nReadings that are off unless `options` names them.\n\n| option | meaning |\n|---|---|\n",
    );
    let options = fields::of(&sources.options, "OptIns")?;
    for (word, field) in same_length(OptIns::WORDS, &options)? {
        if field.name.replace('_', "-") != *word {
            return Err(format!("the option `{word}` is documented as `{}`", field.name));
        }
        let _ = writeln!(text, "| `{word}` | {} |", cell(&field.meaning));
    }
    text.push_str(
        "\n## Limits\n\nCounts, the same on every machine. What the guard bounds of frames and pages is set on the command \
         line alone: [the guide](../guide/guard-a-server.md#bounds) has the names.\n\n| limit | default | meaning |\n|---|---|---|\n",
    );
    for field in fields::of(&sources.limits, "Limits")? {
        let value = default_limit(&field.name).ok_or_else(|| format!("the limit `{}` has no default", field.name))?;
        let _ = writeln!(text, "| `{}` | {value} | {} |", field.name, cell(&field.meaning));
    }
    text.push_str(
        "\n## Values of a profile\n\nWhat `profile_values` may change, and what it is in `portable`; \
         `toolgate profiles NAME` prints the values of another. `none` stands for no limit.\n\n| value | in `portable` |\n|---|---|\n",
    );
    for (name, value) in Profile::portable().values() {
        let _ = writeln!(text, "| `{name}` | `{value}` |");
    }
    Ok(text)
}

fn keys(text: &mut String, fields: &[Field]) -> Result<(), String> {
    text.push_str("\n| key | value | meaning |\n|---|---|---|\n");
    for field in fields {
        let _ = writeln!(text, "| `{}` | {} | {} |", field.name, value_of(field)?, cell(&field.meaning));
    }
    Ok(())
}

/// What may be written: the words that there are, or the kind of TOML.
fn value_of(field: &Field) -> Result<String, String> {
    let words = match field.name.as_str() {
        "origin" => Some(Origin::WORDS),
        "judge" => Some(Judge::WORDS),
        "unknown_keys" => Some(UnknownKeys::WORDS),
        "unions" => Some(Unions::WORDS),
        "root_policy" => Some(RootPolicy::WORDS),
        _ => None,
    };
    if let Some(words) = words {
        return Ok(words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", "));
    }
    let kind = match field.kind.as_str() {
        "Option<String>" | "String" => "text",
        "Option<bool>" => "`true` or `false`",
        "Vec<String>" => "list of texts",
        "Aliases" => "[aliases](#aliases)",
        "BTreeMap<String, u64>" => "table of numbers, by [name](#limits)",
        "BTreeMap<String, ProfileValue>" => "table, by [name](#values-of-a-profile)",
        "BTreeMap<String, Choices>" => "table of [tools](#for-one-tool)",
        other => return Err(format!("the key `{}` has a kind that has no words yet: {other}", field.name)),
    };
    Ok(kind.to_owned())
}

fn same_length<'a, A, B>(one: &'a [A], other: &'a [B]) -> Result<impl Iterator<Item = (&'a A, &'a B)>, String> {
    if one.len() == other.len() {
        Ok(one.iter().zip(other))
    } else {
        Err(format!("{} options, and {} that are documented", one.len(), other.len()))
    }
}

/// The default of a limit by its name: `Debug` is the only place where a struct names its fields.
fn default_limit(name: &str) -> Option<String> {
    let all = format!("{:?}", Limits::default());
    let (_, value) = all.split_once(&format!(" {name}: "))?;
    let digits: String = value.chars().take_while(char::is_ascii_digit).collect();
    (!digits.is_empty()).then(|| grouped(&digits))
}

fn grouped(digits: &str) -> String {
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The page of `toolgate.toml`, from its schema.
pub(super) fn configuration(schema: &str) -> Result<String, String> {
    let mut text = page(
        "toolgate.toml",
        "The file that names servers, read from the working directory, from `toolgate/config.toml` of the user's configuration, or \
         from where `--config` says. Each server is a table `[servers.NAME]`, which has one of these forms and no other key. \
         [Configure servers](../guide/configure-servers.md) says how to write it; \
         [the schema](configuration.schema.json) is the same for an editor.",
    );
    let schema: Value = serde_json::from_str(schema).map_err(|error| format!("the configuration's schema: {error}"))?;
    let forms = schema.pointer("/properties/servers/additionalProperties/anyOf").and_then(Value::as_array);
    for form in forms.ok_or("the configuration's schema has no forms of a server")? {
        let title = form.get("title").and_then(Value::as_str).ok_or("a form of a server has no title")?;
        let _ = write!(text, "\n## {title}\n\n| key | value | meaning |\n|---|---|---|\n");
        let properties = form.get("properties").and_then(Value::as_object).ok_or("a form of a server has no keys")?;
        let required: Vec<_> = form.get("required").and_then(Value::as_array).into_iter().flatten().collect();
        for (name, property) in properties {
            let meaning = property.get("description").and_then(Value::as_str);
            let meaning = meaning.ok_or_else(|| format!("the key `{name}` has no description"))?;
            let must = if required.iter().any(|one| *one == name) { ", required" } else { "" };
            let _ = writeln!(text, "| `{name}` | {}{must} | {} |", kind_of(name, property)?, cell(meaning));
        }
    }
    Ok(text)
}

fn kind_of(name: &str, property: &Value) -> Result<&'static str, String> {
    match property.get("type").and_then(Value::as_str) {
        Some("string") => Ok("text"),
        Some("array") => Ok("list of texts"),
        Some("object") => Ok("table of texts"),
        other => Err(format!("the key `{name}` has a kind that has no words yet: {other:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_the_defaults_of_the_code() {
        assert_eq!(default_limit("depth_max").as_deref(), Some("128"));
        assert_eq!(default_limit("size_max_bytes").as_deref(), Some("4,194,304"));
        // Its name ends like another's, and is not taken for it.
        assert_eq!(default_limit("list_compile_steps_max").as_deref(), Some("50,000,000"));
        assert_eq!(default_limit("no_such_limit"), None);
    }

    #[test]
    fn a_server_has_the_keys_of_its_forms() {
        let schema = r#"{"properties": {"servers": {"additionalProperties": {"anyOf": [
            {"title": "A process", "required": ["command"], "properties": {
                "command": {"type": "string", "description": "The | program."}, "args": {"type": "array", "description": "Words."}}}]}}}}"#;
        let page = configuration(schema).unwrap();
        assert!(page.contains("## A process\n"), "{page}");
        assert!(page.contains("| `command` | text, required | The \\| program. |\n"), "{page}");
        assert!(page.contains("| `args` | list of texts | Words. |\n"), "{page}");
        assert!(configuration("{}").is_err());
    }
}

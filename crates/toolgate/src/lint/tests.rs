//! Each rule with what it finds and the near miss that it lets by.

use super::*;
use crate::contract::{Origin, Policy};
use crate::profile::Profile;
use crate::tool_set::Showing;
use serde_json::json;
use std::borrow::Cow;

fn of(origin: Origin, schema: &serde_json::Value, rule: Rule) -> Vec<String> {
    let contract = Contract::from_text_with(&schema.to_string(), &Policy { origin, ..Policy::default() }).unwrap();
    let findings = super::schema(&contract);
    assert!(findings.iter().all(|finding| finding.tool.is_none() && finding.profile.is_none()));
    let of_rule = findings.into_iter().filter(|finding| finding.rule == rule);
    of_rule.map(|finding| finding.place.pointer().to_owned()).collect()
}

/// The places at which a rule finds something in an authored schema.
#[track_caller]
fn finds(rule: Rule, schema: &serde_json::Value, places: &[&str]) {
    assert_eq!(of(Origin::Authored, schema, rule), places, "{rule} in {schema}");
}

/// The same for a property `a`, as places inside it.
#[track_caller]
fn finds_in(rule: Rule, property: serde_json::Value, places: &[&str]) {
    let schema = json!({ "type": "object", "properties": { "a": property } });
    let places: Vec<String> = places.iter().map(|place| format!("/properties/a{place}")).collect();
    assert_eq!(of(Origin::Authored, &schema, rule), places, "{rule} in {schema}");
}

fn publish(definitions: &[serde_json::Value], profile: &Profile) -> ToolSet {
    let showing = Showing { profile: Cow::Owned(profile.clone()), ..Showing::default() };
    let definitions: Vec<String> = definitions.iter().map(ToString::to_string).collect();
    let policy = |_: &str| Policy { origin: Origin::Discovered, ..Policy::default() };
    ToolSet::publish(definitions.iter().map(String::as_str), &showing, &policy)
}

/// What a rule says of a set shown to a profile: tool, place and words.
#[track_caller]
fn shows(rule: Rule, definitions: &[serde_json::Value], profile: &str, expected: &[(&str, &str, &str)]) {
    let profile = Profile::named(profile).unwrap();
    let findings = super::shown(&publish(definitions, profile), profile);
    let found: Vec<(&str, &str, &str)> = findings
        .iter()
        .filter(|finding| finding.rule == rule)
        .map(|finding| {
            assert_eq!(finding.profile, Some(profile.name));
            (finding.tool.as_deref().unwrap_or("-"), finding.place.pointer(), finding.message.as_str())
        })
        .collect();
    assert_eq!(found, expected, "{rule}");
}

fn tool(name: &str, schema: serde_json::Value) -> serde_json::Value {
    json!({ "name": name, "description": "It does.", "inputSchema": schema })
}

#[test]
fn text_is_kept_where_a_list_could_be_meant() {
    let mixed = json!({ "type": ["string", "array"] });
    let schema = json!({
        "$defs": { "deep": { "properties": { "note": mixed } } },
        "properties": {
            "a": mixed, "plain": { "type": "string" }, "any": {}, "deep": { "$ref": "#/$defs/deep" },
            "rows": { "items": { "additionalProperties": mixed } }, "one": { "anyOf": [{ "properties": { "x": mixed } }, {}] },
            "a/b": { "anyOf": [{ "type": "string" }, { "type": "array" }] },
        },
    });
    for (pointer, is_idle) in [
        ("/a", false),
        ("/deep/note", false),
        ("/rows/3/any", false),
        ("/one/x", false),
        ("/a~1b", false),
        ("", true),
        ("/b", true),
        ("/plain", true),
        ("/any", true),
        ("/any/x", true),
        ("/deep", true),
        ("/rows/x/any", true),
        ("/a/0", true),
    ] {
        let policy = Policy { list_text_keep: vec![pointer.to_owned()], ..Policy::default() };
        let findings = super::schema(&Contract::from_text_with(&schema.to_string(), &policy).unwrap());
        let found = findings.iter().any(|finding| finding.rule == Rule::PolicyWithoutPlace);
        assert_eq!(found, is_idle, "{pointer}");
    }
}

#[test]
fn a_default_is_held_to_its_own_schema() {
    let rule = Rule::DefaultRefused;
    finds_in(rule, json!({ "type": "string", "default": null }), &["/default"]);
    finds_in(rule, json!({ "type": ["string", "null"], "default": null }), &[]);
    finds_in(rule, json!({ "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null }), &[]);
    finds_in(rule, json!({ "enum": ["x", "y"], "default": "z" }), &["/default"]);
    finds_in(rule, json!({ "type": "integer", "minimum": 1, "default": 0 }), &["/default"]);
    finds_in(rule, json!({ "type": "integer", "minimum": 1, "default": 1.0 }), &[]);
    finds_in(rule, json!({ "type": "array", "items": { "type": "string", "default": 1 } }), &["/items/default"]);
    finds(
        rule,
        &json!({
            "type": "object",
            "properties": { "a": { "$ref": "#/$defs/A" } },
            "$defs": { "A": { "type": "boolean", "default": "yes" }, "Unused": { "type": "boolean", "default": "yes" } }
        }),
        &["/$defs/A/default"],
    );
    // A property of this name is no keyword.
    finds(rule, &json!({ "properties": { "default": { "type": "string" } } }), &[]);
}

#[test]
fn a_required_property_has_no_default() {
    let rule = Rule::RequiredWithDefault;
    let schema = |required: &[&str]| json!({ "properties": { "a": { "type": "string", "default": "x" }, "b": { "type": "string" } }, "required": required });
    finds(rule, &schema(&["a"]), &["/properties/a/default"]);
    finds(rule, &schema(&["b"]), &[]);
    finds(
        rule,
        &json!({ "properties": { "a": { "$ref": "#/$defs/A" } }, "required": ["a"], "$defs": { "A": { "default": 1 } } }),
        &["/properties/a"],
    );
    finds(
        rule,
        &json!({ "allOf": [{ "properties": { "a": { "default": 1 } } }, { "required": ["a"] }] }),
        &["/allOf/0/properties/a/default"],
    );
}

#[test]
fn a_required_property_is_declared_somewhere() {
    let rule = Rule::RequiredUndeclared;
    finds(rule, &json!({ "properties": { "a": {} }, "required": ["a", "b"] }), &["/required"]);
    finds(
        rule,
        &json!({ "properties": { "a": { "type": "object", "required": ["x"] } } }),
        &["/properties/a/required"],
    );
    // Declared beside, in any part of the same place.
    finds(
        rule,
        &json!({ "properties": { "a": {}, "b": {} }, "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        &[],
    );
    finds(rule, &json!({ "anyOf": [{ "properties": { "a": {} } }, { "required": ["a"] }] }), &[]);
    finds(rule, &json!({ "properties": { "a": {} }, "anyOf": [{ "required": ["c"] }, {}] }), &["/anyOf/0/required"]);
    // Nobody is asked for what must not be there, or for what a condition asks about.
    finds(rule, &json!({ "properties": { "a": {} }, "not": { "required": ["z"] } }), &[]);
    finds(rule, &json!({ "properties": { "a": {} }, "if": { "required": ["z"] }, "then": { "required": ["a"] } }), &[]);
    finds(rule, &json!({ "properties": { "a": {} }, "if": {}, "then": { "required": ["z"] } }), &["/then/required"]);
}

#[test]
fn a_field_has_a_type() {
    let rule = Rule::UntypedField;
    finds_in(rule, json!({}), &[""]);
    finds_in(rule, json!(true), &[""]);
    finds_in(rule, json!({ "description": "Anything.", "minimum": 0 }), &[""]);
    finds_in(rule, json!({ "anyOf": [{ "type": "string" }, {}] }), &[""]);
    finds_in(rule, json!({ "type": "array", "items": {} }), &["/items"]);
    for typed in [
        json!({ "type": "string" }),
        json!({ "enum": ["a", 1] }),
        json!({ "const": null }),
        json!({ "anyOf": [{ "type": "string" }, { "type": "integer" }] }),
        json!({ "$ref": "#/properties/b" }),
        json!({ "type": "object", "additionalProperties": {} }),
        json!({ "type": "object", "additionalProperties": true }),
    ] {
        let schema = json!({ "properties": { "a": typed, "b": { "type": "string" } } });
        finds(rule, &schema, &[]);
    }
}

#[test]
fn a_string_is_not_beside_what_its_text_could_mean() {
    let rule = Rule::AmbiguousString;
    for other in ["integer", "number", "boolean", "array", "object"] {
        finds_in(rule, json!({ "type": ["string", other] }), &[""]);
        finds_in(rule, json!({ "anyOf": [{ "type": other }, { "type": "string", "minLength": 1 }] }), &[""]);
    }
    finds_in(rule, json!({ "type": ["string", "null"] }), &[]);
    finds_in(rule, json!({ "type": ["integer", "boolean"] }), &[]);
    // Without a type it is another finding.
    finds_in(rule, json!({}), &[]);
    finds_in(rule, json!({ "type": "array", "items": { "type": ["string", "array"] } }), &["/items"]);
    let referred = json!({
        "properties": { "a": { "$ref": "#/$defs/A" }, "b": { "$ref": "#/$defs/A" } },
        "$defs": { "A": { "oneOf": [{ "type": "string" }, { "type": "array" }] } }
    });
    finds(rule, &referred, &["/properties/a", "/properties/b"]);
    let contract = Contract::compile(&json!({ "properties": { "a": { "type": ["string", "array"] } } })).unwrap();
    let finding = super::schema(&contract).into_iter().find(|finding| finding.rule == rule).unwrap();
    assert_eq!(finding.message, "a string beside array: text of a list is refused");
}

#[test]
fn an_array_says_what_is_in_it() {
    let rule = Rule::ArrayWithoutItems;
    finds_in(rule, json!({ "type": "array" }), &[""]);
    finds_in(rule, json!({ "type": ["array", "null"] }), &[""]);
    finds_in(rule, json!({ "anyOf": [{ "type": "array" }, { "type": "string" }] }), &["/anyOf/0"]);
    finds_in(rule, json!({ "type": "array", "items": {} }), &[]);
    finds_in(rule, json!({ "type": "array", "prefixItems": [{ "type": "string" }] }), &[]);
    finds_in(rule, json!({ "type": "array", "allOf": [{ "items": { "type": "string" } }] }), &[]);
    finds_in(rule, json!({ "type": "string" }), &[]);
}

#[test]
fn a_format_is_one_that_strict_readers_take() {
    let rule = Rule::FormatNotPortable;
    finds_in(rule, json!({ "type": "string", "format": "uri" }), &["/format"]);
    finds_in(rule, json!({ "type": "integer", "format": "int64" }), &["/format"]);
    finds_in(rule, json!({ "type": "string", "format": "date-time" }), &[]);
    finds(rule, &json!({ "properties": { "format": { "type": "string" } } }), &[]);
}

#[test]
fn a_pattern_runs_in_linear_time() {
    let rule = Rule::PatternNotLinear;
    finds_in(rule, json!({ "type": "string", "pattern": "^(?!x)" }), &["/pattern"]);
    finds_in(rule, json!({ "type": "string", "pattern": "(a)\\1" }), &["/pattern"]);
    finds_in(rule, json!({ "type": "string", "pattern": "^[a-z]+$" }), &[]);
    let map = json!({ "type": "object", "patternProperties": { "^(?=a)/": { "type": "string" }, "^b": { "type": "string" } } });
    finds_in(rule, map, &["/patternProperties/^(?=a)~1"]);
}

#[test]
fn what_is_left_to_the_server_is_told_apart_from_what_an_older_draft_says() {
    let schema = json!({
        "properties": {
            "a": { "type": "string", "pattern": "(" },
            "b": { "type": "array", "items": [{ "type": "string" }] }
        }
    });
    assert_eq!(of(Origin::Discovered, &schema, Rule::SetAside), ["/properties/a/pattern"]);
    assert_eq!(of(Origin::Discovered, &schema, Rule::ReadAsOlderDraft), ["/properties/b/items"]);
    let plain = json!({ "properties": { "a": { "type": "string", "pattern": "a" } } });
    assert!(of(Origin::Discovered, &plain, Rule::SetAside).is_empty());
}

#[test]
fn an_entry_that_is_no_tool_and_a_tool_that_does_not_compile_are_told() {
    let set = publish(
        &[
            tool("a", json!({ "type": "object" })),
            tool("a", json!({ "type": "object" })),
            json!({ "title": "no name" }),
            tool("b", json!({ "type": "object", "properties": { "x": { "type": "text" } } })),
        ],
        Profile::portable(),
    );
    let findings = super::tools(&set);
    let entries = findings.iter().take(2).map(|finding| finding.place.clone()).collect::<Vec<_>>();
    assert_eq!(entries, [Place::Entry(1), Place::Entry(2)]);
    let told: Vec<String> = findings.iter().map(ToString::to_string).collect();
    assert_eq!(
        told,
        [
            "error not-a-tool: entry 2 of the list: a tool of this name is listed already",
            "error not-a-tool: entry 3 of the list: the tool has no name",
            "error schema-unusable b /properties/x/type: `type` must be a name of a type, or a list of them",
        ]
    );
}

#[test]
fn a_defect_is_told_once_and_of_the_schema() {
    let told = |schema: serde_json::Value| {
        let findings = super::tools(&publish(&[tool("t", schema)], Profile::portable()));
        findings.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let nowhere = json!({ "type": "object", "properties": { "a": { "$ref": "#/nowhere" } } });
    let at =
        "error schema-unusable t /properties/a/$ref: the reference names nothing in this document; nothing is fetched";
    assert_eq!(told(nowhere), [at]);
    let deep = (0..140).fold(json!({}), |inner, _| json!({ "properties": { "a": inner } }));
    let deep = told(deep);
    assert!(deep.len() == 1 && deep[0].ends_with(": the schema is nested deeper than the limit"), "{deep:?}");
}

#[test]
fn a_list_of_nothing_is_told() {
    let rules = |definitions: &[serde_json::Value]| {
        let findings = super::tools(&publish(definitions, Profile::portable()));
        findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(&[]), [Rule::NoTools]);
    assert_eq!(rules(&[json!(7)]), [Rule::NotATool]);
    assert_eq!(rules(&[tool("t", json!({}))]), []);
}

#[test]
fn a_name_that_claude_refuses_is_told_where_claude_may_read() {
    let name = |name: &str| [tool("t", json!({ "type": "object", "properties": { name: { "type": "string" } } }))];
    let words = "Claude refuses the whole request for a name that is not 1 to 64 of A-Z a-z 0-9 _ . -; \
                 the profiles anthropic and claude-code show it under another name";
    let rule = Rule::PropertyName;
    for profile in ["portable", "plain", "vscode"] {
        shows(rule, &name("a b"), profile, &[("t", "/a b", words)]);
    }
    shows(rule, &name("a/ü"), "portable", &[("t", "/a~1ü", words)]);
    shows(rule, &name("@x"), "portable", &[("t", "/@x", words)]);
    let (longest, longer) = ("a".repeat(64), "a".repeat(65));
    shows(rule, &name(&longest), "portable", &[]);
    shows(rule, &name(&longer), "portable", &[("t", &format!("/{longer}"), words)]);
    shows(rule, &name("1.a_b-c"), "portable", &[]);
    // Inside, any name is taken; these show another one, or are never read by Claude.
    let inside = json!({ "type": "object", "properties": { "o": { "type": "object", "properties": { "a b": { "type": "string" } } } } });
    shows(rule, &[tool("t", inside)], "portable", &[]);
    for profile in ["anthropic", "claude-code", "openai", "gemini"] {
        shows(rule, &name("a b"), profile, &[]);
    }
}

#[test]
fn a_tool_has_a_description_of_a_length_that_its_reader_keeps() {
    let set = |description: serde_json::Value| {
        publish(&[json!({ "name": "a", "description": description, "inputSchema": {} })], Profile::portable())
    };
    let is_missing = |description: serde_json::Value| {
        super::tools(&set(description)).iter().any(|finding| finding.rule == Rule::DescriptionMissing)
    };
    assert!(is_missing(json!(" ")) && is_missing(json!(7)) && !is_missing(json!("x")));
    let long = |count: usize| [json!({ "name": "a", "description": "é".repeat(count), "inputSchema": {} })];
    shows(Rule::DescriptionLong, &long(1_024), "vscode", &[]);
    shows(Rule::DescriptionLong, &long(1_025), "vscode", &[("a", "", "1025 characters, 1024 are kept")]);
    shows(Rule::DescriptionLong, &long(5_000), "plain", &[]);
}

#[test]
fn a_tools_name_is_one_that_its_reader_takes() {
    let named = |name: &str| [tool(name, json!({}))];
    let rule = Rule::ToolName;
    shows(rule, &named("a.b"), "plain", &[]);
    shows(rule, &named("a.b"), "openai", &[("a.b", "", "it has `.`: a name is at most 64 of A-Z a-z 0-9 _ -")]);
    shows(rule, &named("1a"), "openai", &[]);
    let words = "it begins with `1`: a name is at most 64 of A-Z a-z 0-9 _ -, first a letter or `_`";
    shows(rule, &named("1a"), "portable", &[("1a", "", words)]);
    assert_eq!(
        super::shown(&publish(&named(""), Profile::portable()), Profile::portable()).first().unwrap().to_string(),
        "error tool-name (no name): it is empty: a name is at most 64 of A-Z a-z 0-9 _ -, first a letter or `_`"
    );
    shows(rule, &named(""), "openai", &[("", "", "it is empty: a name is at most 64 of A-Z a-z 0-9 _ -")]);
    let (fits, long, longest) = ("a".repeat(45), "a".repeat(46), "a".repeat(65));
    let budget = Rule::ToolNameBudget;
    shows(budget, &named(&fits), "portable", &[]);
    let words = "46 characters leave a client 18 of 64 for its prefix; at most 45 are safe";
    shows(budget, &named(&long), "portable", &[(&long, "", words)]);
    shows(rule, &named(&long), "portable", &[]);
    let words = "it has 65 characters: a name is at most 64 of A-Z a-z 0-9 _ -, first a letter or `_`";
    shows(rule, &named(&longest), "portable", &[(&longest, "", words)]);
    shows(budget, &named(&longest), "portable", &[]);
    // A bound that is the API's own leaves no room to talk about.
    shows(budget, &named(&longest), "openai", &[]);
}

#[test]
fn a_request_has_no_more_tools_than_its_reader_takes() {
    let list = |count: usize| (0..count).map(|index| tool(&format!("t{index}"), json!({}))).collect::<Vec<_>>();
    shows(Rule::TooManyTools, &list(128), "openai", &[]);
    shows(Rule::TooManyTools, &list(129), "openai", &[("-", "", "129 tools, 128 are taken")]);
    shows(Rule::TooManyTools, &list(129), "anthropic", &[]);
}

#[test]
fn what_cannot_be_shown_is_told_with_its_reason() {
    let never = json!({ "const": { "a": 1 }, "required": ["b"] });
    let profile = Profile::portable();
    let findings = super::shown(&publish(&[tool("a", never)], profile), profile);
    assert_eq!(findings.first().unwrap().rule, Rule::NotShown);
    assert_eq!(findings.len(), 1);
}

#[test]
fn a_strict_mode_that_cannot_be_had_is_told_with_its_reason() {
    let open = json!({ "type": "object", "properties": { "a": { "type": "object", "additionalProperties": { "type": "string" } } } });
    let closed = json!({ "type": "object", "properties": { "a": { "type": "string" } } });
    shows(
        Rule::StrictRefused,
        &[tool("open", open.clone()), tool("closed", closed)],
        "openai-strict",
        &[("open", "", "undeclared keys are taken at `/a`")],
    );
    shows(Rule::StrictRefused, &[tool("open", open)], "openai", &[]);
}

#[test]
fn a_renamed_key_is_told_with_both_names() {
    let schema = json!({ "type": "object", "properties": { "a b": { "type": "string" }, "c": { "type": "string" } } });
    let findings = |profile: &str| {
        let profile = Profile::named(profile).unwrap();
        super::shown(&publish(&[tool("t", schema.clone())], profile), profile)
    };
    let renamed: Vec<String> = findings("anthropic").iter().map(ToString::to_string).collect();
    assert_eq!(renamed, ["note key-renamed t /a b: shown as `a_b`, and read back on the call"]);
    assert!(findings("openai").is_empty());
}

#[test]
fn what_the_shape_leaves_out_is_told() {
    let any = json!({ "type": "object", "properties": { "a": { "type": ["string", "integer"] } } });
    shows(Rule::ShownInPart, &[tool("t", any.clone())], "portable", &[]);
    shows(
        Rule::ShownInPart,
        &[tool("t", any)],
        "gemini",
        &[("t", "/a", "the reader takes no list of types: any value is shown for string, integer")],
    );
}

#[test]
fn depth_and_sizes_are_held_against_what_readers_refused() {
    let nested = |levels: usize| {
        let leaf = json!({ "type": "string" });
        (0..levels).fold(leaf, |inner, _| json!({ "type": "object", "properties": { "a": inner } }))
    };
    shows(Rule::TooDeep, &[tool("t", nested(4))], "portable", &[]);
    shows(Rule::TooDeep, &[tool("t", nested(5))], "portable", &[("t", "", "5 levels, 4 are safe with every reader")]);
    let large = |bytes: usize| json!({ "name": "t", "description": "x".repeat(bytes), "inputSchema": {} });
    let profile = Profile::portable();
    let rules = |bytes: usize| {
        let findings = super::shown(&publish(&[large(bytes)], profile), profile);
        findings.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
    };
    assert_eq!(rules(1_500), []);
    assert_eq!(rules(15_800), [Rule::DescriptionLong]);
    assert_eq!(rules(16_000), [Rule::DefinitionSize, Rule::DescriptionLong]);
    assert_eq!(rules(128_000), [Rule::ListSize, Rule::DefinitionSize, Rule::DescriptionLong]);
}

#[test]
fn no_words_of_a_stranger_steer_a_terminal() {
    let schema = json!({
        "properties": {
            "a\u{1b}[2J": { "type": "string", "format": "\u{202e}x", "default": 1 },
            "b": { "type": ["string", "integer"] }
        },
        "required": ["z\u{7}"]
    });
    let profile = Profile::named("gemini").unwrap();
    let set = publish(&[tool("t\u{9b}", schema)], profile);
    let findings = super::tools(&set).into_iter().chain(super::shown(&set, profile));
    let mut count = 0;
    for finding in findings {
        count += 1;
        let line = finding.to_string();
        assert!(!line.contains(['\u{1b}', '\u{202e}', '\u{7}', '\u{9b}', '\n']), "{line:?}");
        assert!(!finding.message.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{line:?}");
    }
    assert!(count > 5, "{count}");
}

#[test]
fn a_hostile_schema_is_looked_over_within_bounds() {
    let wide: serde_json::Map<String, serde_json::Value> =
        (0..20_000).map(|index| (format!("p{index}"), json!({ "default": index }))).collect();
    let contract = Contract::compile(&json!({ "properties": wide })).unwrap();
    let findings = super::schema(&contract);
    let untyped: Vec<_> = findings.iter().filter(|finding| finding.rule == Rule::UntypedField).collect();
    assert_eq!((untyped.len(), untyped.last().unwrap().message.as_str()), (21, "and 19980 more of the same"));
    // Many values of which each is one of many forms, and a place of many parts.
    let forms: Vec<_> = (0..300).map(|index| json!({ "required": [format!("r{index}")] })).collect();
    let fields: serde_json::Map<String, serde_json::Value> = (0..3_000)
        .map(|index| (format!("p{index}"), json!({ "anyOf": [{ "$ref": "#/$defs/F" }, { "type": "null" }] })))
        .collect();
    let parts: Vec<_> = (0..8_000).map(|_| json!({ "type": "array" })).collect();
    let contract = Contract::compile(&json!({
        "properties": fields,
        "additionalProperties": { "allOf": parts },
        "$defs": { "F": { "type": "object", "anyOf": forms } }
    }))
    .unwrap();
    let rules: std::collections::HashSet<_> = super::schema(&contract).iter().map(|finding| finding.rule).collect();
    assert!(rules.contains(&Rule::RequiredUndeclared) && rules.contains(&Rule::ArrayWithoutItems), "{rules:?}");
    let long = "x".repeat(100_000);
    let contract = Contract::compile(&json!({ "properties": { long: {} } })).unwrap();
    assert!(super::schema(&contract).iter().all(|finding| finding.place.pointer().len() < 2_100));
}

#[test]
fn a_tool_without_a_schema_is_told() {
    let of = |more: &str| {
        let set =
            ToolSet::publish([&*format!(r#"{{"name":"t","description":"T."{more}}}"#)], &Showing::default(), &|_| {
                Policy::default()
            });
        super::tools(&set).iter().map(|finding| finding.rule.id()).collect::<Vec<_>>()
    };
    assert_eq!(of(""), ["schema-missing"]);
    assert!(of(r#","inputSchema":{}"#).is_empty());
}

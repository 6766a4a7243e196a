//! Schemas and arguments made to hurt end bounded: admitted, refused or unusable by name, on a thread with a small stack,
//! and never by a panic or an overflow. No assert looks at a clock: what bounds the work is counted in steps.

use std::fmt::Write as _;
use std::time::Instant;
use toolgate::{Arguments, Contract, Limits, Origin, Policy, Profile, RootPolicy, Unions, Verdict};

/// What worker threads usually have.
const STACK_BYTES: usize = 2 * 1024 * 1024;

#[derive(Clone, Copy)]
struct Way {
    name: &'static str,
    origin: Origin,
    unions: Unions,
}

const WAYS: [Way; 3] = [
    Way { name: "authored", origin: Origin::Authored, unions: Unions::Labelled },
    Way { name: "discovered", origin: Origin::Discovered, unions: Unions::Labelled },
    Way { name: "discovered, local unions", origin: Origin::Discovered, unions: Unions::Local },
];

/// A tenth of the steps in the daily run, which takes the same ways in a tenth of the time; all of them where
/// `TOOLGATE_DEEP` is set.
fn limits() -> Limits {
    let all = Limits::default();
    match std::env::var_os("TOOLGATE_DEEP") {
        Some(_) => all,
        None => Limits { steps_max: all.steps_max / 10, show_steps_max: all.show_steps_max / 20, ..all },
    }
}

/// `admitted`, `refused CODE…` or `unusable CODE…`.
fn outcome(schema: &str, arguments: &str, way: Way) -> String {
    let policy = Policy { origin: way.origin, unions: way.unions, limits: limits(), ..Policy::default() };
    let contract = match Contract::from_text_with(schema, &policy) {
        Ok(contract) => contract,
        Err(unusable) => {
            let mut codes: Vec<_> = unusable.defects.iter().map(|defect| defect.code.clone()).collect();
            assert!(codes.len() <= 1_000 && !unusable.to_string().is_empty());
            codes.dedup();
            return format!("unusable {}", codes.join(" "));
        }
    };
    // Everything that walks the schema, not only the judge.
    assert!(contract.skeleton().len() < 100_000);
    if let Ok(shown) = contract.advertise(Profile::named("gemini").unwrap(), RootPolicy::Stated) {
        assert!(shown.schema.len() <= (schema.len() * 8).max(64 * 1024), "{} bytes", shown.schema.len());
    }
    if let Ok(published) = contract.publish(Profile::portable(), RootPolicy::Stated) {
        assert_eq!(published.proof.verdict, Verdict::Proven);
    }
    let _ = contract.validate(Arguments::from_text(arguments));
    match contract.check(Arguments::from_text(arguments)) {
        Ok(admitted) => {
            assert!(admitted.arguments_text().len() <= arguments.len() * 2 + 2);
            if admitted.deferred().is_empty() { "admitted".to_owned() } else { "admitted deferred".to_owned() }
        }
        Err(refusal) => {
            assert!(
                refusal.violations().len() <= 20 && refusal.text().len() < 200_000 && refusal.to_json().len() < 200_000
            );
            let mut codes: Vec<_> = refusal.violations().iter().map(|violation| violation.code.as_str()).collect();
            codes.dedup();
            format!("refused {}", codes.join(" "))
        }
    }
}

/// Judges under every way, each on a thread of its own, and asks that each outcome begins with one of `expected`.
#[track_caller]
fn hostile(name: &str, schema: String, arguments: String, expected: &[&str]) {
    for way in WAYS {
        let (schema, arguments) = (schema.clone(), arguments.clone());
        let start = Instant::now();
        let thread =
            std::thread::Builder::new().stack_size(STACK_BYTES).spawn(move || outcome(&schema, &arguments, way));
        let outcome = thread.unwrap().join().unwrap_or_else(|_| panic!("{name}, {}: panicked", way.name));
        println!("{name}, {}: {outcome} in {:?}", way.name, start.elapsed());
        assert!(expected.iter().any(|expected| outcome.starts_with(expected)), "{name}, {}: {outcome}", way.name);
    }
}

fn repeat(head: &str, count: usize, tail: &str) -> String {
    head.repeat(count) + tail
}

fn nested(head: &str, inner: &str, tail: &str, count: usize) -> String {
    head.repeat(count) + inner + &tail.repeat(count)
}

#[test]
fn schemas_nested_deeply_are_unusable_by_name() {
    for depth in [1_000, 5_000, 100_000] {
        let schema = nested(r#"{"type":"object","properties":{"a":"#, r#"{"type":"integer"}"#, "}}", depth);
        hostile("nested properties", schema, nested(r#"{"a":"#, "1", "}", 100), &["unusable depth-limit"]);
        let schema = nested(r#"{"allOf":["#, "{}", "]}", depth);
        hostile("nested allOf", schema, "{}".into(), &["unusable depth-limit"]);
        let schema = nested(r#"{"not":"#, "{}", "}", depth);
        hostile("nested not", schema, "{}".into(), &["unusable depth-limit"]);
        let schema = format!(r#"{{"type":"object","default":{}}}"#, nested("[", "", "]", depth));
        hostile("nested default", schema, "{}".into(), &["unusable depth-limit"]);
    }
}

#[test]
fn schemas_nested_as_deep_as_is_allowed_are_judged() {
    // A property is two levels of the document.
    let schema = nested(r#"{"type":"object","properties":{"a":"#, r#"{"type":"integer"}"#, "}}", 120);
    hostile("120 properties", schema.clone(), nested(r#"{"a":"#, "1", "}", 120), &["admitted"]);
    hostile("120 properties, text", schema, nested(r#"{"a":"#, r#""1""#, "}", 120), &["admitted"]);
    for keyword in ["allOf", "anyOf", "oneOf"] {
        let schema = nested(&format!(r#"{{"type":"object","{keyword}":["#), r#"{"required":["a"]}"#, "]}", 110);
        hostile(&format!("110 {keyword}"), schema, "{}".into(), &["refused", "admitted deferred", "unusable limit"]);
    }
    let schema = nested(r#"{"not":"#, r#"{"required":["a"]}"#, "}", 240);
    hostile("240 not", schema, "{}".into(), &["refused", "admitted", "unusable"]);
}

#[test]
fn flat_chains_of_references_are_bounded() {
    for length in [100, 10_000, 50_000] {
        let mut schema = r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{"##.to_owned();
        for index in 0..length {
            write!(schema, r##""d{index}":{{"$ref":"#/$defs/d{}"}},"##, index + 1).unwrap();
        }
        write!(schema, r#""d{length}":{{"type":"integer"}}}}}}"#).unwrap();
        let expected: &[&str] = if length == 100 { &["refused type"] } else { &["refused type", "unusable"] };
        hostile(&format!("chain of {length}"), schema.clone(), r#"{"v":"x"}"#.into(), expected);
        let expected: &[&str] = if length == 100 { &["admitted"] } else { &["admitted", "unusable"] };
        hostile(&format!("chain of {length}, text"), schema, r#"{"v":"5"}"#.into(), expected);
    }
}

#[test]
fn chains_of_objects_by_reference_are_bounded() {
    let mut schema = r##"{"$ref":"#/$defs/d0","$defs":{"##.to_owned();
    for index in 0..5_000 {
        write!(schema, r##""d{index}":{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d{}"}}}}}},"##, index + 1)
            .unwrap();
    }
    schema.push_str(r#""d5000":{"type":"integer"}}}"#);
    hostile("5,000 objects by reference", schema, nested(r#"{"a":"#, "1", "}", 100), &["refused type", "unusable"]);
}

#[test]
fn doubling_is_bounded_by_steps() {
    for keyword in ["anyOf", "allOf", "oneOf"] {
        for levels in [4, 16, 20, 24, 64] {
            let mut schema = r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{"##.to_owned();
            for index in 0..levels {
                let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, index + 1);
                write!(schema, r#""d{index}":{{"{keyword}":[{next},{next}]}},"#).unwrap();
            }
            write!(schema, r#""d{levels}":{{"type":"integer"}}}}}}"#).unwrap();
            let ends = ["refused", "admitted", "unusable limit", "unusable"];
            hostile(&format!("{keyword} doubled {levels} times, bad"), schema.clone(), r#"{"v":"x"}"#.into(), &ends);
            hostile(&format!("{keyword} doubled {levels} times, text"), schema.clone(), r#"{"v":"5"}"#.into(), &ends);
            hostile(&format!("{keyword} doubled {levels} times, right"), schema, r#"{"v":5}"#.into(), &ends);
        }
    }
}

#[test]
fn unions_beside_one_another_end() {
    // Of each union one member can hold: a choice that is none, as often as the document is long.
    let unions = |count: usize| {
        let one = |index: usize| {
            format!(
                r#"{{"anyOf":[{{"type":"object","properties":{{"k{index}":{{"type":"string"}}}}}},
                {{"type":"object","required":["t"],"properties":{{"t":{{"const":"z{index}"}}}}}}]}}"#
            )
        };
        let unions: Vec<String> = (0..count).map(one).collect();
        format!(
            r#"{{"type":"object","allOf":[{}],"properties":{{"t":{{"const":"q"}}}},"required":["t"]}}"#,
            unions.join(",")
        )
    };
    for count in [300, 2_000] {
        let ends = ["admitted", "refused", "unusable limit"];
        hostile(&format!("{count} unions"), unions(count), r#"{"t":"q"}"#.into(), &ends);
    }
    // Members inside members: more of them with each level, in a few bytes a level.
    for levels in [12, 20, 30] {
        let level = |index: usize| {
            let below = format!(r##""$ref":"#/$defs/d{}""##, index - 1);
            format!(r#","d{index}":{{"anyOf":[{{{below}}},{{{below},"minProperties":{index}}}]}}"#)
        };
        let below: String = (1..=levels).map(level).collect();
        let schema = format!(
            r##"{{"type":"object","properties":{{"a":{{"$ref":"#/$defs/d{levels}"}}}},"$defs":{{"d0":{{"type":"object"}}{below}}}}}"##
        );
        hostile("members in members", schema, r#"{"a":{}}"#.into(), &["admitted", "refused", "unusable limit"]);
    }
}

#[test]
fn doubling_through_properties_is_bounded_by_steps() {
    for keyword in ["anyOf", "oneOf"] {
        let mut schema = r##"{"type":"object","properties":{"v":{"$ref":"#/$defs/d0"}},"$defs":{"##.to_owned();
        for index in 0..40 {
            let member = |other: &str| {
                let next = format!(r##"{{"$ref":"#/$defs/d{}"}}"##, index + 1);
                format!(r#"{{"type":"object","properties":{{"a":{next},"{other}":{{}}}},"required":["a"]}}"#)
            };
            write!(schema, r#""d{index}":{{"{keyword}":[{},{}]}},"#, member("b"), member("c")).unwrap();
        }
        schema.push_str(r#""d40":{"type":"integer"}}}"#);
        let ends = ["refused", "admitted deferred", "unusable limit"];
        let bad = format!(r#"{{"v":{}}}"#, nested(r#"{"a":"#, r#""x""#, "}", 40));
        hostile(&format!("40 levels of {keyword}, bad"), schema.clone(), bad, &ends);
        let text = format!(r#"{{"v":{}}}"#, nested(r#"{"a":"#, r#""5""#, "}", 40));
        hostile(&format!("40 levels of {keyword}, text"), schema, text, &["refused", "admitted", "unusable limit"]);
    }
}

#[test]
fn schemas_that_refer_to_themselves_end() {
    let selfish = [
        (r##"{"$ref":"#"}"##, &["unusable", "admitted"][..]),
        (r##"{"type":"object","allOf":[{"$ref":"#"}]}"##, &["unusable", "admitted"]),
        (r##"{"type":"object","anyOf":[{"$ref":"#"},{"$ref":"#"}]}"##, &["unusable", "admitted", "refused"]),
        (r##"{"type":"object","not":{"$ref":"#"}}"##, &["unusable", "admitted", "refused"]),
        (
            r##"{"type":"object","if":{"$ref":"#"},"then":{"$ref":"#"},"else":{"$ref":"#"}}"##,
            &["unusable", "admitted", "refused"],
        ),
        (
            r##"{"$ref":"#/$defs/a","$defs":{"a":{"$ref":"#/$defs/b"},"b":{"$ref":"#/$defs/a"}}}"##,
            &["unusable", "admitted"],
        ),
        (r##"{"type":"object","properties":{"a":{"$ref":"#"}}}"##, &["admitted", "refused"]),
        (r##"{"type":"object","properties":{"a":{"$ref":"#/properties/a"}}}"##, &["unusable", "admitted", "refused"]),
        (r##"{"type":"object","required":["a"],"properties":{"a":{"$ref":"#"}}}"##, &["unusable", "refused"]),
        (r##"{"type":"object","additionalProperties":{"$ref":"#"}}"##, &["admitted", "refused"]),
        (r##"{"type":"object","dependentSchemas":{"a":{"$ref":"#"}}}"##, &["admitted", "refused", "unusable"]),
        (r##"{"type":"object","propertyNames":{"$ref":"#"}}"##, &["admitted", "refused", "unusable"]),
        (r##"{"$dynamicRef":"#x","$dynamicAnchor":"x","type":"object"}"##, &["admitted", "refused", "unusable"]),
    ];
    for (schema, expected) in selfish {
        for arguments in ["{}", r#"{"a":{"a":{"a":{}}}}"#, r#"{"a":"{\"a\":\"{}\"}"}"#] {
            hostile(schema, schema.to_owned(), arguments.to_owned(), &["unusable", "admitted", "refused"]);
        }
        hostile(schema, schema.to_owned(), "{}".to_owned(), expected);
    }
}

#[test]
fn oversized_patterns_are_unusable_or_set_aside() {
    let patterns = [
        "^(a{1000}){1000}$",
        "^((a{100}){100}){100}$",
        "(?=a{1000}{1000})x",
        "\\p{L}{50000}",
        "((((((((((x{9}){9}){9}){9}){9}){9}){9}){9}){9}){9})",
    ];
    for pattern in patterns {
        let schema = serde_json::json!({"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}})
            .to_string();
        hostile(pattern, schema, r#"{"p":"aaa"}"#.into(), &["unusable pattern", "refused pattern", "admitted"]);
    }
    let deep = nested("(", "a", ")", 5_000);
    let schema =
        serde_json::json!({"type": "object", "properties": {"p": {"type": "string", "pattern": deep}}}).to_string();
    hostile("5,000 groups", schema, r#"{"p":"a"}"#.into(), &["unusable pattern", "refused pattern", "admitted"]);
    let long = "(a|b)".repeat(20_000);
    let schema =
        serde_json::json!({"type": "object", "properties": {"p": {"type": "string", "pattern": long}}}).to_string();
    hostile("100,000 characters", schema, r#"{"p":"a"}"#.into(), &["unusable", "refused pattern", "admitted"]);
    let mut many = r#"{"type":"object","properties":{"#.to_owned();
    for index in 0..5_000 {
        write!(many, r#""p{index}":{{"type":"string","pattern":"^a{{{}}}$"}},"#, index % 900).unwrap();
    }
    many.push_str(r#""z":{}}}"#);
    hostile("5,000 patterns", many, r#"{"p1":"b"}"#.into(), &["unusable", "refused pattern"]);
}

#[test]
fn catastrophic_patterns_end_in_a_verdict() {
    let patterns = [
        "^(a+)+$",
        "^(a|aa)+$",
        "^(a|a?)+$",
        "(.*)*b$",
        "^(?=(a+)+$)b",
        "^(?:(a+)+)\\\\1$",
        "^(?!(a+)+$)",
        "^(([a-z])+.)+[A-Z]([a-z])+$",
    ];
    for pattern in patterns {
        let schema = serde_json::json!({"type": "object", "properties": {"p": {"type": "string", "pattern": pattern}}})
            .to_string();
        let arguments = format!(r#"{{"p":"{}!"}}"#, "a".repeat(30_000));
        hostile(pattern, schema, arguments, &["refused pattern", "refused work-limit", "admitted", "unusable pattern"]);
    }
}

#[test]
fn unique_items_of_a_long_list_end() {
    let schema = r#"{"type":"object","properties":{"l":{"type":"array","uniqueItems":true}}}"#;
    let object = |index: usize| format!(r#"{{"id":{index},"tags":["a","b"],"x":{{"y":null}}}}"#);
    let items: Vec<_> = (0..20_000).map(object).collect();
    hostile("20,000 objects", schema.into(), format!(r#"{{"l":[{}]}}"#, items.join(",")), &["admitted"]);
    let twice = format!(r#"{{"l":[{},{}]}}"#, items.join(","), object(0));
    hostile("20,000 objects and one twice", schema.into(), twice, &["refused uniqueItems"]);
    let numbers: Vec<_> = (0..20_000).map(|index| format!("{index}e{}", index % 7)).collect();
    hostile(
        "20,000 numbers",
        schema.into(),
        format!(r#"{{"l":[{}]}}"#, numbers.join(",")),
        &["admitted", "refused uniqueItems"],
    );
    let nested_lists: Vec<_> = (0..2_000).map(|index| nested("[", &index.to_string(), "]", 100)).collect();
    hostile("2,000 deep lists", schema.into(), format!(r#"{{"l":[{}]}}"#, nested_lists.join(",")), &["admitted"]);
}

#[test]
fn unions_of_many_members_end() {
    for keyword in ["anyOf", "oneOf"] {
        let untagged: Vec<_> = (0..800)
            .map(|index| {
                format!(
                    r#"{{"type":"object","properties":{{"k{index}":{{"type":"integer"}}}},"required":["k{index}"]}}"#
                )
            })
            .collect();
        let schema = format!(r#"{{"type":"object","properties":{{"v":{{"{keyword}":[{}]}}}}}}"#, untagged.join(","));
        let ends = ["refused", "admitted deferred"];
        hostile(&format!("{keyword} of 800"), schema.clone(), r#"{"v":{}}"#.into(), &ends);
        hostile(&format!("{keyword} of 800, the last"), schema.clone(), r#"{"v":{"k799":1}}"#.into(), &["admitted"]);
        hostile(
            &format!("{keyword} of 800, text"),
            schema,
            r#"{"v":"{\"k799\":\"1\"}"}"#.into(),
            &["admitted", "refused"],
        );
        let tagged: Vec<_> = (0..800)
            .map(|index| format!(r#"{{"type":"object","properties":{{"t":{{"const":"t{index}"}},"n":{{"type":"integer"}}}},"required":["t"]}}"#))
            .collect();
        let schema = format!(r#"{{"type":"object","properties":{{"v":{{"{keyword}":[{}]}}}}}}"#, tagged.join(","));
        hostile(
            &format!("tagged {keyword} of 800"),
            schema.clone(),
            r#"{"v":{"t":"t799","n":"x"}}"#.into(),
            &["refused type"],
        );
        hostile(
            &format!("tagged {keyword} of 800, text"),
            schema.clone(),
            r#"{"v":{"t":"t799","n":"5"}}"#.into(),
            &["admitted"],
        );
        hostile(&format!("tagged {keyword} of 800, no tag"), schema, r#"{"v":{"t":"none"}}"#.into(), &["refused"]);
    }
}

#[test]
fn long_enums_and_wide_objects_end() {
    let words: Vec<_> = (0..100_000).map(|index| format!(r#""word {index}""#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{"e":{{"enum":[{}]}}}}}}"#, words.join(","));
    hostile("100,000 words", schema.clone(), r#"{"e":"none"}"#.into(), &["refused enum"]);
    hostile("100,000 words, the last", schema, r#"{"e":"word 99999"}"#.into(), &["admitted"]);
    let keys: Vec<_> = (0..10_000).map(|index| format!(r#""k{index}":{{"type":"integer"}}"#)).collect();
    let names: Vec<_> = (0..10_000).map(|index| format!(r#""k{index}""#)).collect();
    let schema = format!(r#"{{"type":"object","properties":{{{}}},"required":[{}]}}"#, keys.join(","), names.join(","));
    let all = |value: &str| {
        format!("{{{}}}", names.iter().map(|name| format!("{name}:{value}")).collect::<Vec<_>>().join(","))
    };
    hostile("10,000 keys", schema.clone(), all("1"), &["admitted"]);
    hostile("10,000 keys, text", schema.clone(), all(r#""1""#), &["admitted"]);
    hostile("10,000 keys, all wrong", schema.clone(), all(r#""x""#), &["refused type"]);
    hostile("10,000 keys, none there", schema, "{}".into(), &["refused required"]);
    let closed = r#"{"type":"object","properties":{"path":{"type":"string"},"mode":{"type":"string"}}}"#;
    hostile("10,000 undeclared keys", closed.into(), all("1"), &["refused unknown-argument"]);
    let long = format!(r#"{{"{}":1}}"#, "k".repeat(1_000_000));
    hostile("an undeclared key of a million characters", closed.into(), long, &["refused unknown-argument"]);
}

#[test]
fn deep_recursion_with_text_at_each_level_ends() {
    let tree = |keyword: &str| {
        format!(
            r##"{{"type":"object","properties":{{"t":{{"$ref":"#/$defs/t"}}}},"$defs":{{"t":{{"{keyword}":[
            {{"type":"object","properties":{{"l":{{"$ref":"#/$defs/t"}},"r":{{"$ref":"#/$defs/t"}}}}}},
            {{"type":"object","properties":{{"l":{{"$ref":"#/$defs/t"}},"n":{{"type":"integer"}}}}}},
            {{"type":"integer"}}]}}}}}}"##
        )
    };
    let ends = ["refused", "admitted"];
    for keyword in ["anyOf", "oneOf"] {
        let as_values = format!(r#"{{"t":{}}}"#, nested(r#"{"l":"#, r#""1""#, "}", 100));
        hostile(&format!("{keyword} tree of 100 levels"), tree(keyword), as_values, &ends);
        // Every level is written as text once more, so the text doubles its escapes: fourteen are half a megabyte.
        let mut text = "1".to_owned();
        for _ in 0..14 {
            text = format!(r#"{{"l":{}}}"#, serde_json::Value::from(text));
        }
        hostile(&format!("{keyword} tree, text in text"), tree(keyword), format!(r#"{{"t":{text}}}"#), &ends);
        let wide = nested(r#"{"l":"1","r":"#, r#""1""#, "}", 100);
        hostile(&format!("{keyword} tree, two a level"), tree(keyword), format!(r#"{{"t":{wide}}}"#), &ends);
    }
}

#[test]
fn products_of_unions_are_bounded() {
    for (unions, members) in [(4, 4), (12, 4), (16, 10), (64, 64)] {
        let union = |index: usize| {
            let members: Vec<_> = (0..members)
                .map(|member| format!(r#"{{"properties":{{"a{index}":{{"type":"integer"}},"m{member}":{{"type":"string"}}}},"required":["a{index}"]}}"#))
                .collect();
            format!(r#"{{"anyOf":[{}]}}"#, members.join(","))
        };
        let parts: Vec<_> = (0..unions).map(union).collect();
        let schema = format!(r#"{{"type":"object","allOf":[{}]}}"#, parts.join(","));
        let ends = ["refused", "admitted", "unusable limit"];
        let some: Vec<_> = (0..unions).map(|index| format!(r#""a{index}":"{index}""#)).collect();
        hostile(&format!("{unions} unions of {members}"), schema.clone(), "{}".into(), &ends);
        hostile(
            &format!("{unions} unions of {members}, text"),
            schema.clone(),
            format!("{{{}}}", some.join(",")),
            &ends,
        );
        hostile(&format!("{unions} unions of {members}, undeclared"), schema, r#"{"zzz":1}"#.into(), &ends);
    }
}

#[test]
fn arguments_made_to_hurt_are_refused_by_name() {
    let schema = r#"{"type":"object","properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"integer"}},"o":{}}}"#;
    let cases: [(&str, String, &str); 9] = [
        ("nested 200", format!(r#"{{"o":{}}}"#, nested("[", "", "]", 200)), "refused depth-limit"),
        ("nested 100,000", repeat("[", 100_000, ""), "refused depth-limit"),
        ("nested objects", repeat(r#"{"o":"#, 100_000, ""), "refused depth-limit"),
        ("a nested text", format!(r#"{{"l":"{}"}}"#, nested("[", "", "]", 200)), "refused depth-limit"),
        ("5 megabytes", format!(r#"{{"o":"{}"}}"#, "x".repeat(5 * 1024 * 1024)), "refused size-limit"),
        ("digits", format!(r#"{{"n":{}}}"#, "9".repeat(100_000)), "refused number-range"),
        ("an exponent", r#"{"n":1e999999999999999999999}"#.into(), "refused number-range"),
        ("digits as text", format!(r#"{{"n":"{}"}}"#, "9".repeat(100_000)), "refused number-range"),
        ("half a million items", format!(r#"{{"l":[{}1]}}"#, "1,".repeat(500_000)), "admitted"),
    ];
    for (name, arguments, expected) in cases {
        hostile(name, schema.into(), arguments, &[expected]);
    }
    let texts = format!(r#"{{"l":[{}"1"]}}"#, r#""1","#.repeat(500_000));
    hostile("half a million texts", schema.into(), texts, &["admitted", "refused work-limit"]);
}

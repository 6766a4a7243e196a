//! What is said of forms is true of the contract.

use super::{fenced, sentence_word};
use crate::contract::{Arguments, Contract, Policy, UnknownKeys};
use crate::profile::Profile;
use crate::tool_set::RootPolicy;

#[test]
fn a_tag_inside_a_form_tells_its_forms_apart() {
    let form = |a: &str, b: &str, need: &str| {
        format!(
            r#"{{"type":"object","properties":{{"a":{{"const":"{a}"}},"b":{{"const":"{b}"}},"{need}":{{}}}},"required":["a","b","{need}"],"additionalProperties":false}}"#
        )
    };
    let lone = r#"{"type":"object","properties":{"a":{"const":"z"}},"required":["a"],"additionalProperties":false}"#;
    let schema = format!(r#"{{"oneOf":[{{"oneOf":[{},{}]}},{lone}]}}"#, form("x", "p", "one"), form("x", "q", "two"));
    let contract = Contract::from_text(&schema).unwrap();
    let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
    let expected = "`a` selects the form. x, `b` = p: needs `b`, `one`. x, `b` = q: needs `b`, `two`. z: nothing more.";
    assert!(shown.contains(expected), "{shown}");
}

/// The description at a pointer of what is shown of a schema, as written.
fn description(schema: &str, pointer: &str) -> String {
    let policy = Policy { unknown_keys: UnknownKeys::AsWritten, ..Policy::default() };
    let contract = Contract::from_text_with(schema, &policy).unwrap();
    let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    let place = shown.pointer(pointer).unwrap_or_else(|| panic!("{shown}"));
    place["description"].as_str().unwrap_or_default().to_owned()
}

/// What is said of one word or form alone is no word about the others.
#[test]
fn what_is_said_of_a_form_is_said_under_its_word() {
    let words = r#""oneOf":[{"enum":["top","cellar"],"type":"string"},{"const":"freezer","description":"Below freezing.","type":"string"}]"#;
    let form = |kind: &str, text: &str, key: &str| {
        format!(
            r#"{{"type":"object","description":"{text}","properties":{{"kind":{{"const":"{kind}"}},"{key}":{{"type":"integer"}}}},"required":["kind","{key}"]}}"#
        )
    };
    let forms = format!("{},{}", form("quay", "By the wall.", "metres"), form("buoy", "In the open.", "number"));
    let schema = format!(
        r#"{{"type":"object","properties":{{"bare":{{{words}}},"own":{{"description":"A shelf.",{words}}},
            "maybe":{{"anyOf":[{{"enum":["a","b"],"description":"The one."}},{{"type":"null"}}]}},
            "where":{{"description":"A berth.","oneOf":[{forms}]}}}}}}"#
    );
    let at = |pointer: &str| description(&schema, pointer);
    assert_eq!(at("/properties/bare"), "freezer: Below freezing.");
    assert_eq!(at("/properties/own"), "A shelf. freezer: Below freezing.");
    assert_eq!(at("/properties/maybe"), "The one.");
    let where_ = at("/properties/where");
    assert!(where_.starts_with("A berth. quay: By the wall. buoy: In the open. `kind` selects the form."), "{where_}");
}

#[test]
fn a_key_that_an_open_form_widens_keeps_its_words() {
    let typed = r#"{"type":"object","properties":{"n":{"type":"integer","minimum":1,"description":"How many."},"m":{"type":"boolean"}}}"#;
    let schema = format!(r#"{{"type":"object","properties":{{"a":{{"anyOf":[{typed},{{"type":"object"}}]}}}}}}"#);
    let at = |pointer: &str| description(&schema, pointer);
    assert!(at("/properties/a").ends_with("At least one of 2 forms: (1) may have `n`, `m`. (2) any keys."));
    assert_eq!(at("/properties/a/properties/n"), "In (1): integer from 1, How many.");
    assert_eq!(at("/properties/a/properties/m"), "In (1): boolean.");
    let tagged = r#"{"oneOf":[
        {"type":"object","properties":{"k":{"const":"a"},"n":{"type":"integer","description":"How many."}},"required":["k"]},
        {"type":"object","properties":{"k":{"const":"b"}},"required":["k"]}]}"#;
    assert_eq!(description(tagged, "/properties/n"), "With `k` = a: integer, How many.");
}

#[test]
fn forms_that_take_other_keys_do_not_exclude_one_another() {
    let one_of = |closing: &str| {
        let form = |name: &str| {
            format!(
                r#"{{"type":"object","properties":{{"{name}":{{"type":"string"}}}},"required":["{name}"]{closing}}}"#
            )
        };
        description(&format!(r#"{{"anyOf":[{},{}]}}"#, form("a"), form("b")), "")
    };
    assert_eq!(one_of(r#","additionalProperties":false"#), "Give exactly one of `a`, `b`.");
    assert_eq!(one_of(""), "Give at least one of `a`, `b`.");
}

/// The description of the one property `a` with this schema.
fn of_property(schema: &str) -> String {
    description(&format!(r#"{{"type":"object","properties":{{"a":{schema}}}}}"#), "/properties/a")
}

#[test]
fn listed_compounds_are_said_in_words() {
    assert_eq!(of_property(r#"{"enum":[[1, 2],{"x":1},[1,2]]}"#), r#"One of these: [1, 2], {"x":1}, [1,2]."#);
    let with_scalar = of_property(r#"{"enum":["auto",[0,0]]}"#);
    assert!(with_scalar.contains("A list or an object is one of these: [0,0]."), "{with_scalar}");
    // Beside a form that takes other lists they are no list of all.
    assert!(!of_property(r#"{"anyOf":[{"const":[1]},{"type":"array"}]}"#).contains("[1]"));
    let many: Vec<String> = (0..50).map(|n| format!("[{n}]")).collect();
    assert!(of_property(&format!(r#"{{"enum":[{}]}}"#, many.join(","))).ends_with("[7], 42 more."));
}

#[test]
fn every_pattern_is_shown_or_said() {
    let both = r#"{"type":"string","pattern":"^a","allOf":[{"pattern":"b$"}]}"#;
    assert_eq!(of_property(both), "Also: matches `b$`. Matches `^a`.");
    let beside = r#"{"type":"string","pattern":"^a","anyOf":[{"pattern":"b$"},{"pattern":"c$"}]}"#;
    assert_eq!(of_property(beside), "Matches `^a`.");
    let either = r#"{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string","pattern":"^b"}]}"#;
    assert_eq!(of_property(either), "Also: matches `^a` or `^b`.");
    assert_eq!(of_property(r#"{"anyOf":[{"type":"string","pattern":"^a"},{"type":"string"}]}"#), "");
}

#[test]
fn what_a_value_may_not_be_is_said() {
    for (not, said) in [
        (r#"{"enum":["a","b"]}"#, "Also: not one of a, b."),
        (r#"{"pattern":"^x"}"#, "Also: does not match `^x`."),
        (r#"{"type":"integer","minimum":5}"#, "Also: not integer from 5."),
        (r#"{"type":"integer","minimum":1,"exclusiveMinimum":5}"#, "Also: not integer above 5."),
        (r#"{"allOf":[{"type":"integer","minimum":1},{"minimum":5}]}"#, "Also: not integer from 5."),
        (r#"{"required":["x","y"]}"#, "Also: not `x` and `y` together."),
        (
            r#"{"properties":{"x":{"const":1}},"required":["x","y"]}"#,
            "Also: not `x` and `y` together, where its rules hold.",
        ),
        (r#"{"required":["x"]}"#, "Also: not with `x`."),
        (r#"{"minimum":5}"#, "Also: a rule of what it may not be."),
        (r#"{"type":"integer","multipleOf":2}"#, "Also: a rule of what it may not be."),
        (r#"{"type":"number","exclusiveMinimum":5,"maximum":9}"#, "Also: not number above 5 up to 9."),
        (r#"{"type":"string","enum":["a",1]}"#, "Also: not a."),
        (r#"{"enum":["a","b"],"pattern":"^a"}"#, "Also: a rule of what it may not be."),
    ] {
        let said_of = of_property(&format!(r#"{{"description":"D.","not":{not}}}"#));
        assert_eq!(said_of, format!("D. {said}"));
    }
}

#[test]
fn a_form_that_takes_a_key_without_declaring_it_is_not_left_out() {
    let said = |rest: &str| {
        let schema = format!(
            r#"{{"anyOf":[{{"type":"object","properties":{{"k":{{"const":"x"}},"w":{{"type":"integer"}}}},"required":["k"],"additionalProperties":false}},
            {{"type":"object","properties":{{"k":{{"const":"y"}}}},"required":["k"],"additionalProperties":{rest}}}]}}"#
        );
        (description(&schema, ""), description(&schema, "/properties/w"))
    };
    let (forms, own) = said("false");
    assert!(forms.contains("y: nothing more."), "{forms}");
    assert_eq!(own, "Only with `k` = x.");
    for rest in [r#"{"type":"integer"}"#, "{}"] {
        let (forms, own) = said(rest);
        assert!(forms.contains("y: needs nothing more."), "{forms}");
        assert_eq!(own, "With `k` = x: integer.");
    }
}

#[test]
fn a_word_is_told_from_other_values_and_from_words_of_ours() {
    let form = |word: &str, more: &str| {
        format!(
            r#"{{"type":"object","properties":{{"k":{{"const":{word}}}{more}}},"required":["k"],"additionalProperties":false}}"#
        )
    };
    let forms = |words: [&str; 2]| {
        let [one, two] = words;
        description(&format!(r#"{{"oneOf":[{},{}]}}"#, form(one, r#","q":{}"#), form(two, "")), "")
    };
    assert_eq!(forms(["1", r#""1""#]), r#"`k` selects the form. 1: may have `q`. "1": nothing more."#);
    assert_eq!(
        forms([r#""x. y: needs `z`""#, r#""x|y""#]),
        r#"`k` selects the form. "x. y: needs `z`": may have `q`. "x|y": nothing more."#
    );
    assert_eq!(forms([r#""a.b/c-d""#, r#""é""#]), "`k` selects the form. a.b/c-d: may have `q`. é: nothing more.");
}

#[test]
fn what_forms_of_one_name_take_is_told_together() {
    let form = |shape: &str| {
        format!(
            r#"{{"type":"object","properties":{{"t":{{"const":"z"}},"n":{shape}}},"required":["t"],"additionalProperties":false}}"#
        )
    };
    let other = r#"{"type":"object","properties":{"t":{"const":"y"}},"required":["t"],"additionalProperties":false}"#;
    let schema = format!(r#"{{"anyOf":[{},{},{other}]}}"#, form(r#"{"type":"string"}"#), form(r#"{"type":"integer"}"#));
    assert_eq!(description(&schema, "/properties/n"), "With `t` = z: string or integer.");
}

#[test]
fn a_name_is_counted_once_among_those_to_choose_from() {
    let form = |name: &str, shape: &str| {
        format!(
            r#"{{"type":"object","properties":{{"{name}":{shape}}},"required":["{name}"],"additionalProperties":false}}"#
        )
    };
    let forms = [form("k", r#"{"type":"object"}"#), form("k", r#"{"type":"string"}"#), form("b", "{}")];
    let said = description(&format!(r#"{{"oneOf":[{}]}}"#, forms.join(",")), "");
    assert!(!said.contains("`k`, `k`"), "{said}");
}

#[test]
fn the_branches_of_a_condition_are_told_by_it() {
    let conditional = |test: &str| {
        format!(
            r#"{{"type":"object","properties":{{"k":{{"type":"string"}},"n":{{"type":"integer"}}}},"additionalProperties":false,
            "if":{test},"then":{{"required":["n"]}}}}"#
        )
    };
    let said = |test: &str| description(&conditional(test), "");
    assert_eq!(
        said(r#"{"properties":{"k":{"enum":["x","y"]}},"required":["k"]}"#),
        "Where `k` = x|y: needs `k`, `n`. Otherwise: may have `k`, `n`."
    );
    assert!(said(r#"{"properties":{"k":{"const":"x"}}}"#).starts_with("Where `k` is x or left out: needs `n`"));
    assert!(said(r#"{"required":["k"]}"#).starts_with("Where `k` is there: needs `k`, `n`."));
    // What takes more words than that is told as forms.
    assert!(said(r#"{"properties":{"k":{"pattern":"^x"}},"required":["k"]}"#).starts_with("One of 2 forms"));
}

/// The description of what is shown under the default policy, which closes the root.
fn of_closed_root(schema: &str) -> String {
    let contract = Contract::from_text(schema).unwrap();
    let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap().schema;
    let shown: serde_json::Value = serde_json::from_str(&shown).unwrap();
    shown["description"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn exactly_one_is_said_where_two_are_refused() {
    let members = r#"[{"properties":{"b":{}},"required":["b"]},{"properties":{"c":{}},"required":["c"]}]"#;
    let keys = r#""properties":{"b":{"type":"string"},"c":{"type":"string"}}"#;
    for (schema, how) in [
        // Both members may hold, and then both keys are known to what closes the root.
        (format!(r#"{{"type":"object","anyOf":{members}}}"#), "at least"),
        (format!(r#"{{"type":"object","anyOf":{members},"unevaluatedProperties":false}}"#), "at least"),
        (format!(r#"{{"type":"object","oneOf":{members}}}"#), "exactly"),
        (format!(r#"{{"type":"object",{keys},"oneOf":[{{"required":["b"]}},{{"required":["c"]}}]}}"#), "exactly"),
        (
            format!(
                r#"{{"type":"object",{keys},"anyOf":[{{"required":["b"],"not":{{"required":["c"]}}}},{{"required":["c"],"not":{{"required":["b"]}}}}]}}"#
            ),
            "exactly",
        ),
        (
            format!(
                r#"{{"type":"object",{keys},"anyOf":[{{"required":["b"],"properties":{{"c":false}}}},{{"required":["c"]}}]}}"#
            ),
            "at least",
        ),
    ] {
        assert_eq!(of_closed_root(&schema), format!("Give {how} one of `b`, `c`."), "{schema}");
        // As the judge has it.
        let both = Contract::from_text(&schema).unwrap().check(Arguments::from_text(r#"{"b":"x","c":"y"}"#)).is_ok();
        assert_eq!(both, how == "at least", "{schema}");
    }
}

#[test]
fn a_tag_is_found_wherever_it_is_listed() {
    let said = "`kind` selects the form. a: needs `x`; may have `y`. b: needs `y`; may have `x`.";
    let base = r#""x":{"type":"string"},"y":{"type":"string"}},"required":["kind"]"#;
    let members = r#"[{"properties":{"kind":{"const":"a"}},"required":["x"]},{"properties":{"kind":{"const":"b"}},"required":["y"]}]"#;
    for kind in [r#"{"enum":["b","a"]}"#, r#"{"type":"string"}"#, r#"{"enum":["a","b","c"],"minLength":1}"#] {
        for keyword in ["oneOf", "anyOf"] {
            let schema = format!(r#"{{"type":"object","properties":{{"kind":{kind},{base},"{keyword}":{members}}}"#);
            assert_eq!(of_closed_root(&schema), said, "{schema}");
        }
    }
}

#[test]
fn several_conditions_are_told_one_by_one() {
    let said = |conditions: &str| {
        description(
            &format!(
                r#"{{"type":"object","properties":{{"kind":{{"enum":["a","b","c"]}},"x":{{}},"y":{{}}}},"required":["kind"],{conditions}}}"#
            ),
            "",
        )
    };
    let test = |word: &str| format!(r#""if":{{"properties":{{"kind":{{"const":"{word}"}}}}}}"#);
    assert_eq!(
        said(&format!(
            r#""allOf":[{{{},"then":{{"required":["x"]}}}},{{{},"then":{{"required":["y"],"properties":{{"x":false}}}}}}]"#,
            test("a"),
            test("b")
        )),
        "Where `kind` = a: needs `x`. Where `kind` = b: needs `y`; without `x`."
    );
    assert_eq!(
        said(&format!(r#"{},"then":{{"required":["x"]}}"#, test("a"))),
        "Where `kind` = a: needs `x`. Otherwise: may have `x`."
    );
    assert_eq!(
        said(&format!(r#"{},"then":{{"required":["x"]}},"else":{{"required":["y"]}}"#, test("a"))),
        "Where `kind` = a: needs `x`; otherwise needs `y`."
    );
    let chain = |last: &str| {
        let inner = format!(r#"{{{},"then":{{"required":["y"]}},"else":{last}}}"#, test("b"));
        said(&format!(r#"{},"then":{{"required":["x"]}},"else":{inner}"#, test("a")))
    };
    assert_eq!(
        chain(r#"{"required":["x","y"]}"#),
        "Where `kind` = a: needs `x`; otherwise where `kind` = b: needs `y`; otherwise needs `x`, `y`."
    );
    assert_eq!(
        chain(r#"{"if":{"minProperties":2},"then":{"required":["x"]}}"#),
        "Where `kind` = a: needs `x`; otherwise where `kind` = b: needs `y`; otherwise further rules."
    );
    assert_eq!(
        said(&format!(
            r#"{},"then":{{"required":["x"],{},"then":{{"required":["y"]}}}},"else":{{"required":["y"]}}"#,
            test("a"),
            test("b")
        )),
        "Where `kind` = a: (needs `x`; where `kind` = b: needs `y`); otherwise needs `y`."
    );
}

#[test]
fn lengths_patterns_and_counts_are_told_by_form() {
    let of = |a: &str, b: &str| {
        let form = |word: &str, v: &str| {
            format!(r#"{{"properties":{{"t":{{"const":"{word}"}},"v":{v}}},"required":["t","v"]}}"#)
        };
        let schema = format!(r#"{{"type":"object","oneOf":[{},{}]}}"#, form("a", a), form("b", b));
        description(&schema, "/properties/v")
    };
    assert_eq!(
        of(r#"{"type":"string","maxLength":3}"#, r#"{"type":"string","minLength":5}"#),
        "With `t` = a: string of at most 3 characters. With `t` = b: string of at least 5 characters."
    );
    assert_eq!(
        of(r#"{"type":"string","pattern":"^x"}"#, r#"{"type":"array","minItems":1,"maxItems":1}"#),
        "With `t` = a: string that matches `^x`. With `t` = b: list of 1 item. Matches `^x`."
    );
    assert_eq!(
        of(
            r#"{"allOf":[{"type":"integer","minimum":1},{"minimum":5}]}"#,
            r#"{"allOf":[{"enum":["p","q"]},{"enum":["q","r"]}]}"#
        ),
        "With `t` = a: integer from 5. With `t` = b: q."
    );
}

#[test]
fn two_spellings_of_a_number_are_one_word() {
    let form = |word: &str, need: &str| {
        format!(r#"{{"properties":{{"t":{{"const":{word}}},"{need}":{{}}}},"required":["t","{need}"]}}"#)
    };
    let said = |one: &str, two: &str| {
        description(&format!(r#"{{"type":"object","anyOf":[{},{}]}}"#, form(one, "x"), form(two, "y")), "")
    };
    assert!(said("1", "2").starts_with("`t` selects the form. 1: "), "{}", said("1", "2"));
    assert_eq!(said("1", "1.0"), "Give at least one of `x`, `y`.");
}

#[test]
fn a_backtick_stands_as_it_is() {
    assert_eq!(fenced("a"), "`a`");
    assert_eq!(fenced("a`b"), "`` a`b ``");
    assert_eq!(fenced("```"), "```` ``` ````");
    assert_eq!(of_property(r#"{"type":"string","pattern":"(?=`)x"}"#), "Matches `` (?=`)x ``.");
    assert_eq!(sentence_word(r#"a "b" \ c"#), r#""a \"b\" \\ c""#);
}

#[test]
fn rules_of_no_effect_are_not_told() {
    assert_eq!(description(r#"{"type":"object","dependentRequired":{"b":[]}}"#, ""), "");
    let none = r#"{"type":"array","contains":{"type":"integer"},"minContains":0}"#;
    assert_eq!(of_property(none), "");
    let most = r#"{"type":"array","contains":{"type":"integer"},"minContains":0,"maxContains":1}"#;
    assert_eq!(of_property(most), "Also: at most 1 item is integer.");
}

#[test]
fn rules_that_ask_nothing_are_not_told() {
    let schema = r#"{"type":"object","patternProperties":{"^x":{}},"propertyNames":{"pattern":"^[a-z]","maxLength":9},
        "properties":{"a":{"type":"array","prefixItems":[{},true]},"b":{"type":"array","contains":{"type":"integer"},"minContains":2}}}"#;
    assert_eq!(description(schema, ""), "Also: every name matches `^[a-z]` and has at most 9 characters.");
    assert_eq!(description(schema, "/properties/a"), "");
    assert_eq!(description(schema, "/properties/b"), "Also: at least 2 items are integer.");
}

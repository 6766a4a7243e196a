//! What words mean, and that every word is answered: with arguments, or with what is wrong.

use super::*;
use crate::call::refusal::Refused;
use crate::tool::OneTool;
use std::ffi::OsString;
use toolgate::json::{Document, Kind, Strictness, Value};
use toolgate::{Arguments, Contract, Limits, Origin, Policy};
use toolgate_proof::{Sampler, SamplerOptions};

#[path = "../../../../toolgate/tests/it/support/schemas.rs"]
#[allow(dead_code, reason = "of the generators a part is used")]
mod schemas;
#[path = "../../../../toolgate/tests/it/support/tape.rs"]
#[allow(dead_code, reason = "of the generators a part is used")]
mod tape;

fn tool(schema: &str) -> OneTool {
    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    let contract = Contract::from_text_with(schema, &policy).unwrap();
    OneTool { name: "tool".into(), title: None, description: None, contract }
}

/// The arguments that would be sent, or what is said instead.
fn say(schema: &str, args: Option<&str>, words: &[OsString]) -> Result<String, String> {
    let tool = tool(schema);
    let line = read(&tool.contract.outline(), words);
    if line.help {
        return Err("help".to_owned());
    }
    let given = args.map(str::to_owned).or_else(|| line.args.clone()).map(String::into_bytes);
    let built = build(line, given);
    let refused = |refusal| Refused::of(&tool, &built, refusal).lines_for_tests();
    match tool.contract.check(Arguments::from_bytes(&built.text)) {
        Ok(admitted) if built.faults.is_empty() => Ok(admitted.arguments_text().to_owned()),
        Ok(_) => Err(refused(None)),
        Err(refusal) => Err(refused(Some(&refusal))),
    }
}

fn words(line: &[&str]) -> Vec<OsString> {
    line.iter().map(OsString::from).collect()
}

#[track_caller]
fn sent(properties: &str, line: &[&str], expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
    assert_eq!(say(&schema, None, &words(line)), Ok(expected.to_owned()), "{line:?} for {properties}");
}

#[track_caller]
fn refused(properties: &str, line: &[&str], expected: &str) {
    let schema = format!(r#"{{"type":"object","properties":{properties}}}"#);
    assert_eq!(say(&schema, None, &words(line)), Err(expected.to_owned()), "{line:?} for {properties}");
}

#[test]
fn text_stays_text_where_text_is_admitted() {
    for text in ["007", "true", "null", "", "-", "-5", "a=b", ":=", "ü😀", "{\"a\":1}", "1e999999999", "@file", "a\nb"]
    {
        let expected = format!("{{\"t\":{}}}", toolgate::json::quoted(text));
        sent(r#"{"t":{"type":"string"}}"#, &["--t", text], &expected);
        sent(r#"{"t":{"type":["string","null","integer"]}}"#, &[&format!("--t={text}")], &expected);
        sent(r#"{"t":{}}"#, &["--t", text], &expected);
    }
}

#[test]
fn numbers_keep_every_digit() {
    let number = r#"{"n":{"type":"number"}}"#;
    for digits in ["-2", "1.500", "123456789012345678901234567890.10", "1E5", "-0", "0.1e-7"] {
        sent(number, &["--n", digits], &format!("{{\"n\":{digits}}}"));
        sent(number, &[&format!("--n:={digits}")], &format!("{{\"n\":{digits}}}"));
    }
    for text in ["007", "+5", "0x10", "1,5", "5.", " 5", "NaN", ""] {
        let told = say(r#"{"properties":{"n":{"type":"number"}}}"#, None, &words(&["--n", text])).unwrap_err();
        assert!(told.starts_with("--n: must be `number`"), "{text}: {told}");
    }
}

#[test]
fn a_flag_takes_only_its_own_words() {
    let flag = r#"{"f":{"type":"boolean"},"g":{"type":["boolean","null"]},"t":{"type":"string"}}"#;
    sent(flag, &["--f", "--t", "x"], r#"{"f":true,"t":"x"}"#);
    sent(flag, &["--f", "false", "--g", "null"], r#"{"f":false,"g":null}"#);
    sent(flag, &["--no-f", "--g=true"], r#"{"f":false,"g":true}"#);
    refused(
        flag,
        &["--f", "True"],
        "--f: followed by a word that belongs to no option (--f is a flag: true or false may follow it)",
    );
    refused(flag, &["--no-f=1"], "--no-f: takes no value");
    refused(flag, &["--no-t"], "--no-t: no such option");
    refused(
        flag,
        &["--f", "null"],
        "--f: followed by a word that belongs to no option (--f is a flag: true or false may follow it)",
    );
}

#[test]
fn a_place_for_flags_and_text_takes_both() {
    let both = r#"{"v":{"type":["boolean","string"]},"t":{"type":"string"}}"#;
    sent(both, &["--v", "--t", "x"], r#"{"v":true,"t":"x"}"#);
    sent(both, &["--v", "true"], r#"{"v":"true"}"#);
    sent(both, &["--no-v"], r#"{"v":false}"#);
    // Nothing says that a place for any value is a flag.
    refused(r#"{"v":{}}"#, &["--v"], "--v: needs a value (a value that begins with -- is written --v=VALUE)");
}

#[test]
fn declared_names_win() {
    let odd = r#"{"a.b":{"type":"integer"},"a":{"type":"object","properties":{"b":{"type":"string"},"c":{"type":"string"}}},
        "x=y":{"type":"integer"},"z":{"type":"string"},"z=1":{"type":"string"},"k:":{"type":"integer"},"k":{"type":"string"},"":{"type":"integer"},
        "no-color":{"type":"boolean"},"color":{"type":"boolean"},"help":{"type":"string"},"args":{"type":"integer"}}"#;
    sent(odd, &["--a.b", "1", "--a.c", "2"], r#"{"a.b":1,"a":{"c":"2"}}"#);
    sent(odd, &["--x=y", "3"], r#"{"x=y":3}"#);
    sent(odd, &["--x=y=3"], r#"{"x=y":3}"#);
    // A value with a sign in it is likelier than a name with one.
    sent(odd, &["--z=1"], r#"{"z":"1"}"#);
    sent(odd, &["--k:=5", "--k=5"], r#"{"k:":5,"k":"5"}"#);
    sent(odd, &["--=7"], r#"{"":7}"#);
    sent(odd, &["--no-color", "--color"], r#"{"no-color":true,"color":true}"#);
    sent(odd, &["--help", "me", "--args", "5"], r#"{"help":"me","args":5}"#);
}

#[test]
fn help_is_asked_for_only_where_a_value_is_not_due() {
    assert_eq!(say("{}", None, &words(&["--help"])), Err("help".to_owned()));
    assert_eq!(say("{}", None, &words(&["-h"])), Err("help".to_owned()));
    sent(r#"{"t":{"type":"string"}}"#, &["--t", "-h"], r#"{"t":"-h"}"#);
    sent(r#"{"t":{"type":"string"}}"#, &["--t=--help"], r#"{"t":"--help"}"#);
}

#[test]
fn lists_are_made_of_repeated_options_or_written_whole() {
    let list = r#"{"l":{"type":"array","items":{"type":"string"}},"n":{"type":["array","null"],"items":{"type":"integer"}},
        "m":{"type":"array","items":{"type":"array","items":{"type":"integer"}}},
        "t":{"type":"array","prefixItems":[{"type":"integer"},{"type":"string"}]},
        "u":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
        "o":{"type":"array","items":{"type":"object","properties":{"a":{"type":"integer"}}}}}"#;
    sent(list, &["--l", "a"], r#"{"l":["a"]}"#);
    sent(list, &["--l", "[a"], r#"{"l":["[a"]}"#);
    sent(list, &["--l", r#"["a","b"]"#], r#"{"l":["a","b"]}"#);
    sent(list, &["--l=[]"], r#"{"l":[]}"#);
    sent(list, &["--n", "null"], r#"{"n":null}"#);
    sent(list, &["--n", "4", "--n", "-5"], r#"{"n":[4,-5]}"#);
    sent(list, &["--m", "[1,2]", "--m", "[3]"], r#"{"m":[[1,2],[3]]}"#);
    sent(list, &["--t", "5", "--t", "5"], r#"{"t":[5,"5"]}"#);
    sent(list, &["--u", "a", "--u", "b"], r#"{"u":["a","b"]}"#);
    sent(list, &["--u", "a"], r#"{"u":"a"}"#);
    sent(list, &["--o", r#"{"a":"1"}"#], r#"{"o":[{"a":1}]}"#);
    refused(
        list,
        &["--u", r#"["a"]"#],
        r#"--u: a list written as text (repeat it for each item, --u A --u B, or write the list as JSON, --u:='["text"]'; where it is free text, the `list_text_keep` of a policy says so)"#,
    );
    refused(
        list,
        &["--l:=[]", "--l", "a"],
        "--l: given twice, once as a whole (write all of it in one place, as --l:=JSON)",
    );
    refused(
        list,
        &["--n", "1", "--n", "x"],
        "--n item 2: must be `integer` (write a whole number, without a fraction or an exponent)",
    );
}

#[test]
fn what_other_programs_take_for_an_argument_is_told_as_an_option() {
    let tool =
        r#"{"a":{"type":"string"},"o":{"type":"object","properties":{"b":{"type":"integer"}}}},"required":["a"]"#;
    let signs = "given without -- (every argument is an option";
    refused(tool, &["a=SECRET"], &format!("--a: {signs}: --a VALUE)"));
    refused(tool, &["a:=7"], &format!("--a: {signs}: --a:=JSON)"));
    refused(tool, &["--a", "1", "o.b=x"], &format!("--o.b: {signs}: --o.b VALUE)"));
    // A name that nothing declares may be a value.
    let stray = "word 3 after the tool's name belongs to no option (every argument is an option: --name VALUE)";
    refused(tool, &["--a", "1", "c2VjcmV0="], stray);
    refused(tool, &["--a", "1", "b=1"], stray);
    let strays = "words 1, 4, 5, 6, 7 and 1 more after the tool's name belong to no option (every argument is an option: --name VALUE)";
    refused(tool, &["x", "--a", "1", "y", "z", "u", "v", "w"], strays);
}

#[test]
fn a_hint_says_what_is_typed() {
    let tool = r#"{"rows":{"type":"array","items":{"type":"integer"},"minItems":2},
        "edits":{"type":"array","items":{"type":"object","properties":{"old":{"type":"string"}},"required":["old"]}},
        "opts":{"type":"object","properties":{"depth":{"type":"integer"}}},"map":{"type":"object","additionalProperties":{"type":"integer"}},
        "name":{"type":"string"},"on":{"type":"boolean"},"n":{"type":"integer"}}"#;
    let list = "repeat it for each item, --rows A --rows B, or write the list as JSON, --rows:='[1,1]'";
    refused(tool, &["--rows:=5"], &format!("--rows: must be `array` ({list})"));
    refused(tool, &["--rows", "5"], &format!("--rows: must have at least 2 items ({list})"));
    let edits = r#"write the list as JSON, --edits:='[{"old":"text"}]'"#;
    refused(tool, &["--edits", "old"], &format!("--edits item 1: must be `object` ({edits})"));
    refused(tool, &[r#"--edits:={"old":"a"}"#], &format!("--edits: must be `array` ({edits})"));
    let opts = r#"write its members, --opts.depth VALUE, or the object as JSON, --opts:='{"depth":1}'"#;
    refused(tool, &["--opts", "deep"], &format!("--opts: must be `object` ({opts})"));
    let map = r#"write the object as JSON, --map:='{"name":1}'"#;
    refused(tool, &["--map", "deep"], &format!("--map: must be `object` ({map})"));
    refused(tool, &["--name:=5"], "--name: must be `string` (text is written --name TEXT)");
    refused(tool, &["--on=maybe"], "--on: must be `boolean` (write --on or --no-on)");
    refused(tool, &["--n="], "--n: must be `integer` (leave --n out to give nothing)");
    // Inside JSON the hint is that of JSON.
    refused(
        tool,
        &[r#"--edits:=[{"old":5}]"#],
        "--edits item 1 at /old: must be `string` (send it as text, in quotes)",
    );
}

#[test]
fn objects_are_made_of_dotted_names() {
    let nested = r##"{"o":{"type":"object","properties":{"p":{"type":"object","properties":{"f":{"type":"boolean"}},"required":["q"]}}},
        "m":{"type":"object","additionalProperties":{"type":"integer"}},"l":{"type":"object","additionalProperties":{"type":"array","items":{"type":"string"}}},
        "r":{"$ref":"#/$defs/r"}},"$defs":{"r":{"type":"object","properties":{"v":{"type":"integer"},"r":{"$ref":"#/$defs/r"}}}}"##;
    sent(nested, &["--o.p.q", "1", "--no-o.p.f"], r#"{"o":{"p":{"q":"1","f":false}}}"#);
    sent(nested, &["--o.p.no-f", "--o.p.q", "1"], r#"{"o":{"p":{"f":false,"q":"1"}}}"#);
    sent(nested, &["--m.a", "1", "--m.b=-2"], r#"{"m":{"a":1,"b":-2}}"#);
    sent(nested, &["--l.a", "x", "--l.a", "y", "--l.b", "z"], r#"{"l":{"a":["x","y"],"b":["z"]}}"#);
    sent(nested, &["--r.r.r.v", "3"], r#"{"r":{"r":{"r":{"v":3}}}}"#);
    refused(nested, &["--o.p.f"], "--o.p: missing required --o.p.q");
    refused(nested, &["--m={}", "--m.a", "1"], "--m.a: given as a whole and by its members");
    refused(nested, &["--m.a", "1", "--m={}"], "--m: given as a whole and by its members");
    refused(nested, &["--m.a", "1", "--m.a", "2"], "--m.a: given twice, and takes one value");
}

#[test]
fn a_tagged_union_has_the_options_of_all_its_forms() {
    let act = r#"{"act":{"oneOf":[
        {"type":"object","properties":{"kind":{"const":"a"},"x":{"type":"boolean"},"n":{"type":"integer"}},"required":["kind","x"]},
        {"type":"object","properties":{"kind":{"const":"b"},"y":{"type":"array","items":{"type":"string"}},"n":{"type":"string"}},"required":["kind"]}]}}"#;
    sent(act, &["--act.kind", "a", "--act.x", "--act.n", "5"], r#"{"act":{"kind":"a","x":true,"n":5}}"#);
    sent(act, &["--act.kind", "b", "--act.y", "p", "--act.n", "5"], r#"{"act":{"kind":"b","y":["p"],"n":"5"}}"#);
    refused(act, &["--act.kind", "a"], "--act: missing required --act.x");
}

#[test]
fn all_is_told_at_once() {
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"integer"},"c":{"type":"string"},"dryRun":{"type":"boolean"}},"required":["a","b","c"]}"#;
    let told =
        say(schema, None, &words(&["--b", "x", "stray", "--a", "--dry-run", "--c", "1", "--c", "2"])).unwrap_err();
    assert_eq!(
        told,
        "word 3 after the tool's name belongs to no option (every argument is an option: --name VALUE); \
         --a: needs a value (a value that begins with -- is written --a=VALUE); \
         --c: given twice, and takes one value; \
         --b: must be `integer` (write a whole number, without a fraction or an exponent); \
         --dry-run: no such option; did you mean --dryRun?"
    );
    assert_eq!(say(schema, None, &[]), Err("missing required --a, --b, --c".to_owned()));
}

#[test]
fn options_add_to_an_object() {
    let schema =
        r#"{"type":"object","properties":{"a":{"type":"number"},"b":{"type":"string"},"o":{"type":"object"}}}"#;
    let say = |args: &str, line: &[&str]| say(schema, Some(args), &words(line));
    assert_eq!(say(r#" { "a" : 1.50 } "#, &["--b", "1"]), Ok(r#"{ "a" : 1.50 ,"b":"1"}"#.to_owned()));
    assert_eq!(say("{}", &["--b", "1"]), Ok(r#"{"b":"1"}"#.to_owned()));
    assert_eq!(say(r#"{"a":1}"#, &[]), Ok(r#"{"a":1}"#.to_owned()));
    let told = say(r#"{"o":{"x":1}}"#, &["--o.y", "2"]).unwrap_err();
    assert_eq!(told, "--o.y: given in --args too (leave one of the two out)");
    assert_eq!(say("[]", &["--b", "1"]), Err("--args: is no JSON object to which options could add".to_owned()));
    assert!(say("{", &["--b", "1"]).unwrap_err().contains("JSON"));
    assert!(say(r#"{"a":1,"a":2}"#, &["--b", "1"]).unwrap_err().contains('a'));
}

#[cfg(unix)]
#[test]
fn a_word_that_is_no_text_is_named_and_not_shown() {
    use std::os::unix::ffi::OsStringExt;
    let schema = r#"{"type":"object","properties":{"a":{"type":"string"}}}"#;
    let bytes = |bytes: &[u8]| OsString::from_vec(bytes.to_vec());
    assert_eq!(say(schema, None, &[bytes(b"--a=x\xff")]), Err("--a: is not UTF-8".to_owned()));
    assert_eq!(say(schema, None, &[bytes(b"--a"), bytes(b"\xffx")]), Err("--a: is not UTF-8".to_owned()));
    assert!(say(schema, None, &[bytes(b"\xff")]).is_err());
}

/// Words of every sort, to be put together in any way.
const PIECES: [&str; 38] = [
    "--",
    "---",
    "-",
    "--a",
    "--no-a",
    "--a.b",
    "--a=",
    "--a:=",
    "--a:=1",
    "--a:={",
    "--=",
    "--:=",
    "--:",
    "--.",
    "--..",
    "--a..b",
    "--args",
    "--args=",
    "--args:={}",
    "--args={\"a\":1}",
    "--a.b.a.b.a.b",
    "--no-",
    "--no-no-a",
    "--b",
    "x",
    "",
    "true",
    "null",
    "[1]",
    "{}",
    "\u{0}",
    "\u{202e}",
    "--l",
    "--l=[",
    "--\u{1b}[31m",
    "--o.a",
    "--o",
    "--o.no-f",
];

#[test]
fn every_line_is_answered_and_tells_no_value() {
    let schema = r##"{"type":"object","properties":{"a":{"anyOf":[{"type":"object","properties":{"b":{"$ref":"#"}}},{"type":"integer"}]},
        "b":{"type":"boolean"},"l":{"type":"array"},"o":{"type":"object","properties":{"f":{"type":"boolean"},"a":{"type":"string"}},"additionalProperties":false}}}"##;
    let mut stream = tape::Stream::new(7);
    for _ in 0..4_000 {
        let mut line: Vec<OsString> = Vec::new();
        for _ in 0..stream.below(6) {
            let piece = PIECES[stream.below(PIECES.len())];
            line.push(if stream.below(4) == 0 { format!("{piece}SECRET-99").into() } else { piece.into() });
            if stream.below(5) == 0 {
                line.push("--a=SECRET-98".into());
            }
        }
        if let Err(told) = say(schema, None, &line) {
            assert!(!told.contains("SECRET-98"), "{line:?}: {told}");
            assert!(!told.contains(['\u{1b}', '\u{202e}', '\u{0}']), "{line:?}: {told}");
        }
    }
}

#[test]
fn a_long_name_costs_no_more_than_its_length() {
    let deep = format!("--{}x", "a.".repeat(100_000));
    assert!(say(r##"{"properties":{"a":{"$ref":"#"}}}"##, None, &words(&[&deep, "1"])).is_err());
    let long = format!("--t={}", "=".repeat(300_000));
    assert!(say(r#"{"properties":{"u":{}}}"#, None, &words(&[&long])).is_err());
}

// ---- arguments to words and back

fn document(text: &str) -> Document<'_> {
    Document::read_str(text, Strictness::Strict, &Limits::default()).unwrap()
}

/// The same value by `serde_json`, and the same digits and order by ours: an escape in a string may differ.
fn plain(text: &str) -> (serde_json::Value, Vec<String>) {
    fn tokens(value: Value<'_>, out: &mut Vec<String>) {
        if value.kind() == Kind::Number {
            out.push(value.text().to_owned());
        }
        for (name, value) in value.members() {
            out.push(name.as_str().unwrap().into_owned());
            tokens(value, out);
        }
        value.items().for_each(|item| tokens(item, out));
    }
    let mut out = Vec::new();
    tokens(document(text).root(), &mut out);
    (serde_json::from_str(text).unwrap_or_default(), out)
}

/// Spells members of the schema and reads them again; how many there were.
fn round_trip(schema: &str, count: usize) -> usize {
    let policy = Policy { origin: Origin::Discovered, ..Policy::default() };
    let Ok(contract) = Contract::from_text_with(schema, &policy) else { return 0 };
    let options = SamplerOptions { discovered: true, ..SamplerOptions::default() };
    let Ok(sampler) = Sampler::new(schema, options) else { return 0 };
    let mut done = 0;
    for member in sampler.take(count) {
        let original = document(&member);
        // What is sent as it stands is a member for every way of reading.
        let Ok(admitted) = contract.check(Arguments::from_text(&member)) else { continue };
        if !admitted.edits().is_empty() || original.root().kind() != Kind::Object {
            continue;
        }
        let line = spell(&contract, original.root());
        let again = say(schema, None, &line.iter().map(OsString::from).collect::<Vec<_>>());
        let again = again.unwrap_or_else(|why| panic!("{member}\n of {schema}\n by {line:?}: {why}"));
        assert_eq!(plain(&again), plain(&member), "{member}\n of {schema}\n by {line:?}\n came as {again}");
        done += usize::from(!line.iter().any(|word| word.starts_with("--args=")));
    }
    done
}

#[test]
fn arguments_survive_their_spelling() {
    let odd = r##"{"type":"object","properties":{"a.b":{"type":"integer"},"a":{"type":"object","properties":{"b":{"type":"string"},"c":{}}},
        "x=y":{"type":"boolean"},"k:":{"type":"integer"},"":{"type":"array","items":{"type":"string"}},"no-color":{"type":"boolean"},"color":{"type":"boolean"},
        "help":{"type":"boolean"},"two words":{"type":["string","null"]},"u":{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]},
        "o":{"type":"object","properties":{"n":{"type":"number"},"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object","properties":{"f":{"type":"boolean"}}}}}}}"##;
    assert!(round_trip(odd, 400) > 100);
    let mut done = 0;
    for seed in 0..400 {
        let schema = schemas::schema(&mut tape::Tape::seeded(seed)).to_string();
        done += round_trip(&schema, 12);
    }
    assert!(done > 1_000, "{done} members");
}

#[test]
fn what_is_refused_is_told_as_a_shell_says_it() {
    let properties = r#"{"s":{"type":"string"},"c":{"enum":["red","green","blue"]}}"#;
    refused(properties, &["--s:=5"], "--s: must be `string` (text is written --s TEXT)");
    let told = |line: &[&str], args| say(&format!(r#"{{"properties":{properties}}}"#), args, &words(line)).unwrap_err();
    let near = told(&["--c", "gren"], None);
    assert!(near.starts_with("--c: must be one of") && near.ends_with("; did you mean `green`?"), "{near}");
    assert!(!told(&["--c", "SECRET"], None).contains("did you mean"));
    for args in ["{", "[1]"] {
        let told = told(&[], Some(args));
        assert!(told.starts_with("--args"), "{args}: {told}");
    }
}

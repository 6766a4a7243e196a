//! What plain serde loses, shape by shape, and that it is refused here.

use super::*;
use serde::Deserialize;
use std::collections::BTreeMap;

#[track_caller]
fn reads<T: DeserializeOwned>(arguments: &str) {
    if let Err(refusal) = read_arguments::<T>(arguments) {
        panic!("{}: {}", std::any::type_name::<T>(), refusal.to_json());
    }
}

/// Plain serde takes the arguments and drops these keys.
#[track_caller]
fn drops<T: DeserializeOwned>(arguments: &str, keys: &[&str]) {
    assert!(serde_json::from_str::<T>(arguments).is_ok(), "serde takes it");
    let Err(refusal) = read_arguments::<T>(arguments) else { panic!("{}: read", std::any::type_name::<T>()) };
    let locations: Vec<String> = refusal.violations().iter().map(|violation| violation.location.to_pointer()).collect();
    assert_eq!(locations, keys, "{}", std::any::type_name::<T>());
    assert!(refusal.violations().iter().all(|violation| violation.code == Code::UnreadArgument));
}

#[track_caller]
fn mismatches<T: DeserializeOwned>(arguments: &str, at: &str) {
    let Err(refusal) = read_arguments::<T>(arguments) else { panic!("{}: read", std::any::type_name::<T>()) };
    let [violation] = refusal.violations() else { panic!("{}", refusal.to_json()) };
    assert_eq!((violation.code, violation.location.to_pointer().as_str()), (Code::ContractMismatch, at));
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
struct Plain {
    a: i32,
    #[serde(default)]
    b: Option<String>,
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
struct Nested {
    plain: Plain,
    #[serde(default)]
    list: Vec<Plain>,
    #[serde(default)]
    map: BTreeMap<String, Plain>,
    #[serde(default)]
    pair: Option<(Plain, Plain)>,
}

#[test]
fn what_is_read_directly_is_watched() {
    reads::<Plain>(r#"{"a":1}"#);
    drops::<Plain>(r#"{"a":1,"c":2}"#, &["/c"]);
    drops::<Plain>(r#"{"c":{"x":[1,2]},"a":1,"d":null}"#, &["/c", "/d"]);
    let nested = r#"{"plain":{"a":1,"x":1},"list":[{"a":1},{"a":2,"y":[]}],"map":{"k":{"a":1,"z":{}}},"pair":[{"a":1},{"a":2,"w":0}]}"#;
    drops::<Nested>(nested, &["/plain/x", "/list/1/y", "/map/k/z", "/pair/1/w"]);
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
enum External {
    Unit,
    New(Plain),
    Pair(i32, i32),
    Fields { a: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(tag = "t", content = "c")]
enum Adjacent {
    Unit,
    New(Plain),
    Fields { a: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(tag = "t")]
enum Internal {
    Unit,
    New(Plain),
    Fields { a: i32, plain: Option<Plain> },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
struct Of<T> {
    of: T,
}

#[test]
fn enums_of_every_tagging_are_watched() {
    reads::<Of<External>>(r#"{"of":"Unit"}"#);
    reads::<Of<External>>(r#"{"of":{"Unit":null}}"#);
    reads::<Of<External>>(r#"{"of":{"Pair":[1,2]}}"#);
    drops::<Of<External>>(r#"{"of":{"New":{"a":1,"x":2}}}"#, &["/of/New/x"]);
    drops::<Of<External>>(r#"{"of":{"Fields":{"a":1,"x":2}}}"#, &["/of/Fields/x"]);
    reads::<Of<Adjacent>>(r#"{"of":{"c":{"a":1},"t":"Fields"}}"#);
    drops::<Of<Adjacent>>(r#"{"of":{"t":"Fields","c":{"a":1,"x":2}}}"#, &["/of/c/x"]);
    drops::<Of<Adjacent>>(r#"{"of":{"c":{"a":1,"x":2},"t":"New"}}"#, &["/of/c/x"]);
    drops::<Of<Adjacent>>(r#"{"of":{"t":"Unit","x":2}}"#, &["/of/x"]);
    reads::<Of<Internal>>(r#"{"of":{"t":"Fields","a":1,"plain":{"a":1}}}"#);
    reads::<Of<Internal>>(r#"{"of":{"plain":null,"a":1,"t":"Fields"}}"#);
    drops::<Of<Internal>>(r#"{"of":{"t":"Fields","a":1,"x":2}}"#, &["/of/x"]);
    drops::<Of<Internal>>(r#"{"of":{"t":"Fields","a":1,"plain":{"a":1,"x":[{}]}}}"#, &["/of/plain/x"]);
    drops::<Of<Internal>>(r#"{"of":{"t":"New","a":1,"x":{"y":[1,"two"]}}}"#, &["/of/x"]);
    drops::<Of<Internal>>(r#"{"of":{"t":"Unit","x":[]}}"#, &["/of/x"]);
    drops::<Vec<Internal>>(r#"[{"t":"Unit"},{"t":"Fields","a":1,"x":"SECRET"}]"#, &["/1/x"]);
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
struct Flat<T> {
    own: i32,
    #[serde(flatten)]
    rest: T,
}

#[test]
fn flattened_shapes_are_watched() {
    reads::<Flat<Plain>>(r#"{"own":1,"a":2,"b":"x"}"#);
    drops::<Flat<Plain>>(r#"{"own":1,"a":2,"c":3}"#, &["/c"]);
    drops::<Flat<Nested>>(r#"{"own":1,"plain":{"a":1,"x":1}}"#, &["/plain/x"]);
    reads::<Flat<BTreeMap<String, serde_json::Value>>>(r#"{"own":1,"a":[1,{"b":null}],"c":{}}"#);
    reads::<Flat<External>>(r#"{"own":1,"Fields":{"a":1}}"#);
    drops::<Flat<External>>(r#"{"own":1,"Fields":{"a":1,"x":1}}"#, &["/Fields/x"]);
    drops::<Flat<External>>(r#"{"own":1,"Fields":{"a":1},"x":1}"#, &["/x"]);
    reads::<Flat<Internal>>(r#"{"own":1,"t":"Fields","a":1}"#);
    drops::<Flat<Internal>>(r#"{"own":1,"t":"Fields","a":1,"x":1}"#, &["/x"]);
    drops::<Flat<Option<Plain>>>(r#"{"own":1,"a":"no number"}"#, &["/a"]);
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum OneFirst {
    One { x: i32 },
    Two { x: i32, y: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum TwoFirst {
    Two { x: i32, y: i32 },
    One { x: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum Word {
    Number(i64),
    Text(String),
    List(Vec<Word>),
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum Words {
    Both { x: Word, y: i32, z: Word },
    First { x: Word },
    Pair { x: Word, y: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum FlatFirst {
    Flat(Flat<External>),
    Own { own: i32 },
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
#[serde(untagged)]
enum Mapped {
    Both { x: i32, y: i32, z: i32 },
    Map(BTreeMap<String, i32>),
    One { x: i32 },
}

#[test]
fn the_member_that_serde_takes_of_an_untagged_union_is_told() {
    reads::<OneFirst>(r#"{"x":1}"#);
    drops::<OneFirst>(r#"{"x":1,"y":2}"#, &["/y"]);
    reads::<TwoFirst>(r#"{"x":1,"y":2}"#);
    reads::<TwoFirst>(r#"{"y":2,"x":1}"#);
    drops::<TwoFirst>(r#"{"x":1,"y":"no number"}"#, &["/y"]);
    reads::<Words>(r#"{"x":"a","y":1,"z":["c",1]}"#);
    reads::<Words>(r#"{"x":"a"}"#);
    // The first member reads `y`, misses `z` and is given up; the second drops `y`.
    drops::<Words>(r#"{"x":1,"y":2}"#, &["/y"]);
    reads::<FlatFirst>(r#"{"own":1,"Fields":{"a":1}}"#);
    reads::<FlatFirst>(r#"{"own":1,"New":{"a":1,"b":null}}"#);
    drops::<FlatFirst>(r#"{"own":1,"Fields":{}}"#, &["/Fields"]);
    reads::<Mapped>(r#"{"x":1,"y":2}"#);
    drops::<Mapped>(r#"{"x":1,"y":"no number"}"#, &["/y"]);
    reads::<Vec<TwoFirst>>(r#"[{"x":1,"y":2},{"x":1}]"#);
    drops::<Vec<OneFirst>>(r#"[{"x":1},{"x":1,"y":2}]"#, &["/1/y"]);
    reads::<Of<Vec<Words>>>(r#"{"of":[{"x":["a",["b",2]],"y":1,"z":"c"},{"x":"a"}]}"#);
}

#[derive(Deserialize)]
#[allow(dead_code, reason = "only read")]
struct Anything {
    value: serde_json::Value,
    number: Option<serde_json::Number>,
    bytes: Option<Vec<u8>>,
    big: Option<u128>,
    by_number: Option<BTreeMap<u32, bool>>,
    by_word: Option<BTreeMap<bool, char>>,
}

#[test]
fn every_type_that_serde_json_reads_is_read_alike() {
    let arguments = r#"{"value":{"a":[1,2.5,"\n",null,{"b":{}}]},"number":1e3,"bytes":[1,255],
        "big":340282366920938463463374607431768211455,"by_number":{"7":true},"by_word":{"true":"\u00e9"}}"#;
    reads::<Anything>(arguments);
    let read = read_arguments::<Anything>(arguments).unwrap();
    assert_eq!(read.value, serde_json::json!({"a":[1,2.5,"\n",null,{"b":{}}]}));
    assert_eq!(read.big, Some(u128::MAX));
    assert!(read.by_number.unwrap()[&7]);
    assert_eq!(read.by_word.unwrap()[&true], 'é');
}

#[test]
fn an_integer_is_one_however_it_is_written() {
    reads::<Plain>(r#"{"a":1.0}"#);
    reads::<Plain>(r#"{"a":-0}"#);
    reads::<Of<u8>>(r#"{"of":-0.0}"#);
    assert_eq!(read_arguments::<Plain>(r#"{"a":-12e2}"#).ok().unwrap().a, -1200);
    reads::<Of<Internal>>(r#"{"of":{"t":"Fields","a":1.0e0}}"#);
    reads::<Flat<Plain>>(r#"{"own":0.0,"a":2.50e1}"#);
    mismatches::<Plain>(r#"{"a":1.5}"#, "/a");
    mismatches::<Plain>(r#"{"a":1e30}"#, "/a");
    let value = read_arguments::<serde_json::Value>(r#"{"a":1.0}"#).unwrap();
    assert_eq!(value.to_string(), r#"{"a":1.0}"#, "what keeps all keeps this too");
    let floats = read_arguments::<BTreeMap<String, f64>>(r#"{"a":1.0,"b":1e3,"c":1e40,"d":2}"#).unwrap();
    assert_eq!(floats.into_values().collect::<Vec<_>>(), [1.0, 1000.0, 1e40, 2.0]);
}

#[test]
fn a_type_that_refuses_what_was_admitted_is_told_by_place_and_without_its_words() {
    mismatches::<Plain>(r#"{"a":3000000000}"#, "/a");
    mismatches::<Plain>("{}", "");
    mismatches::<Nested>(r#"{"plain":{"a":1},"list":[{"a":1},{"a":"SECRET"}]}"#, "/list/1/a");
    mismatches::<Of<Internal>>(r#"{"of":{"t":"SECRET"}}"#, "/of/t");
    mismatches::<Of<OneFirst>>(r#"{"of":{"z":1}}"#, "/of");
    mismatches::<Of<(i32, i32)>>(r#"{"of":[1,2,3]}"#, "/of");
    let refusal = read_arguments::<Plain>(r#"{"a":"SECRET"}"#).err().unwrap();
    assert!(!format!("{} {} {refusal:?}", refusal.to_json(), refusal.text()).contains("SECRET"));
    assert_eq!(refusal.to_log(), "contract-mismatch@/*");
}

#[test]
fn what_is_more_than_the_budget_is_refused() {
    let items: Vec<String> = (0..4000).map(|n| format!(r#"{{"t":"Fields","a":{n}}}"#)).collect();
    let few = format!("[{}]", items[..200].join(","));
    reads::<Vec<Internal>>(&few);
    let Err(refusal) = read_arguments::<Vec<Internal>>(&format!("[{}]", items.join(","))) else { panic!("read") };
    assert_eq!(refusal.to_log(), "work-limit@");
}

#[test]
fn many_keys_are_counted_and_not_listed() {
    let keys: Vec<String> = (0..30).map(|n| format!(r#""k{n}":1"#)).collect();
    let refusal = read_arguments::<Plain>(&format!(r#"{{"a":1,{}}}"#, keys.join(","))).err().unwrap();
    assert_eq!((refusal.violations().len(), refusal.more()), (5, 25));
}

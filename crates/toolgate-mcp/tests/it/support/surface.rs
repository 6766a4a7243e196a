//! The comparison of a surface with the library (R11), and what the SDK has lost before anybody can judge.

use super::cases::{Case, Said, library, refused};
use super::http::{Answer, Http};
use super::servers::{name, tool};
use super::wire::{Wire, call};
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use tokio::io::{AsyncRead, AsyncWrite};

/// Cases of which the SDK has lost what decides them, by what it does.
pub const LOST: &[(&str, &[&str])] = &[
    (
        "rejects the message, since its arguments are no JSON",
        &[
            "B129", "B129-2", "B129-3", "B129-4", "T008", "T008-3", "T008-5", "T008-7", "T008-8", "T008-10", "T012-2",
            "T012-5",
        ],
    ),
    ("rejects the message, since no value follows `\"arguments\":`", &["B099", "B100", "T010-3", "T010-4"]),
    ("rejects the message, since it is never closed", &["B142", "T012", "T128-3"]),
    ("rejects the message with a lone surrogate or what is no UTF-8", &["B130", "T005", "T005-4"]),
    ("rejects the message with a number beyond an f64", &["KV-055", "T129-2", "T129-3"]),
    ("rejects the message that is nested deeper than its parser goes", &["T006-3", "T091"]),
    ("keeps the last of two members with one name", &["B126", "B127", "KV-111", "KV-112", "T004-2", "T004-3"]),
    ("reads null as no arguments", &["B090"]),
    ("rounds a bound of the schema", &["T003-2"]),
    ("has no form for a schema that is no object", &["KV-101"]),
];

pub fn read_answer(message: &Value) -> Said {
    if message.get("error").is_some() || message.is_null() {
        return Said::ProtocolError;
    }
    let result = &message["result"];
    if result["isError"] == true {
        return refused(&result["_meta"]["toolgate/refusal"]);
    }
    Said::Admitted(serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).ok())
}

/// Whether the SDK's parser rejects the whole message, so that nobody behind it sees a call.
fn breaks_the_frame(case: &Case) -> bool {
    serde_json::from_slice::<Value>(&call(1, "t", case.arguments.as_deref(), None)).is_err()
}

/// Each case over streams; the messages that the SDK's parser rejects are sent too, and the stream goes on.
pub async fn over_streams<R, W>(wire: &mut Wire<R, W>, cases: &[Case]) -> BTreeMap<String, Said>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin,
{
    let mut said = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let id = wire.send_call(&name(index), case.arguments.as_deref()).await;
        let outcome = if breaks_the_frame(case) { Said::ProtocolError } else { read_answer(&wire.answer(id).await) };
        said.insert(case.id.clone(), outcome);
    }
    said
}

pub async fn over_http(http: &Http, cases: &[Case], is_stateless: bool) -> BTreeMap<String, Said> {
    let mut said = BTreeMap::new();
    for (index, case) in cases.iter().enumerate() {
        let (tool, arguments) = (name(index), case.arguments.as_deref());
        let Answer { body, .. } = match is_stateless {
            true => http.call(&tool, arguments, &[]).await,
            false => http.call_legacy(&tool, arguments).await,
        };
        said.insert(case.id.clone(), read_answer(&body));
    }
    said
}

/// What the library says to what the SDK leaves of a case.
fn library_on_what_is_left(index: usize, case: &Case) -> Said {
    if breaks_the_frame(case) || tool(index, case).is_none() {
        return Said::ProtocolError;
    }
    let left = |text: &[u8]| serde_json::from_slice::<Value>(text).unwrap();
    let arguments = case.arguments.as_deref().map(left).filter(|arguments| !arguments.is_null());
    library(&Case {
        expect: case.expect.clone(),
        id: case.id.clone(),
        request: case.request.clone(),
        schema: left(case.schema.as_bytes()).to_string(),
        arguments: arguments.map(|arguments| arguments.to_string().into_bytes()),
    })
}

/// Fails with every case to which the surface says something else than the library to what the SDK leaves of it, and unless
/// it is listed to the whole of it; and with every case that is listed and is not lost.
pub fn compare(surface: &str, cases: &[Case], said: &BTreeMap<String, Said>) {
    let listed: BTreeSet<&str> = LOST.iter().flat_map(|(_, ids)| ids.iter().copied()).collect();
    let mut differences = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let (whole, left, got) = (library(case), library_on_what_is_left(index, case), &said[&case.id]);
        if *got != left || (*got == whole) == listed.contains(case.id.as_str()) {
            differences.push(format!("{}: {got:?}, and the library {whole:?}; to what is left {left:?}", case.id));
        }
    }
    assert!(differences.is_empty(), "{surface}: {} differences:\n{}", differences.len(), differences.join("\n"));
    println!("{surface}: {} cases, {} of them lost by the SDK", cases.len(), listed.len());
}

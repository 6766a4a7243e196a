//! The frames that we make ourselves, shaped for the revision spoken.
//!
//! Each is one line without its end. Nothing here takes a value of a call.

use toolgate::Revision;
use toolgate::json::push_string;

/// An error to a request; `id` is the request's token, where it could be found.
pub(crate) fn error(id: Option<&str>, revision: Option<Revision>, code: i32, message: &str) -> Vec<u8> {
    let mut text = String::new();
    push_string(&mut text, message);
    error_object(id, revision, &format!(r#"{{"code":{code},"message":{text}}}"#))
}

/// An error whose object has been made by another.
pub(crate) fn error_object(id: Option<&str>, revision: Option<Revision>, error: &str) -> Vec<u8> {
    let id = match id {
        Some(id) => format!(r#""id":{id},"#),
        None if revision.is_some_and(Revision::omits_unknown_id) => String::new(),
        None => r#""id":null,"#.to_owned(),
    };
    format!(r#"{{"jsonrpc":"2.0",{id}"error":{error}}}"#).into_bytes()
}

/// A result whose object has been made by another.
pub(crate) fn result(id: &str, result: &str) -> Vec<u8> {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#).into_bytes()
}

/// A request of ours for one page of the tool list.
pub(crate) fn list_request(id: &str, meta: Option<&str>, cursor: Option<&str>) -> Vec<u8> {
    let mut params = Vec::new();
    if let Some(meta) = meta {
        params.push(format!(r#""_meta":{meta}"#));
    }
    if let Some(cursor) = cursor {
        params.push(format!(r#""cursor":{cursor}"#));
    }
    let params = params.join(",");
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/list","params":{{{params}}}}}"#).into_bytes()
}

/// Tells the server that a request of ours is no longer waited for.
pub(crate) fn cancelled(id: &str) -> Vec<u8> {
    format!(
        r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id},"reason":"timeout"}}}}"#
    )
    .into_bytes()
}

/// Tells the client that the tools have changed; `subscription` is the token of the one that asked to be told, where one did.
pub(crate) fn list_changed(subscription: Option<&str>) -> Vec<u8> {
    let of = |id| format!(r#","params":{{"_meta":{{"io.modelcontextprotocol/subscriptionId":{id}}}}}"#);
    let params = subscription.map(of).unwrap_or_default();
    format!(r#"{{"jsonrpc":"2.0","method":"notifications/tools/list_changed"{params}}}"#).into_bytes()
}

/// The answers of a batch as one array.
pub(crate) fn batch(answers: &[Vec<u8>]) -> Vec<u8> {
    let mut array = Vec::with_capacity(answers.iter().map(|answer| answer.len() + 1).sum::<usize>() + 1);
    array.push(b'[');
    array.extend_from_slice(&answers.join(&b','));
    array.push(b']');
    array
}

//! One judge on every surface (R11): the shared cases through `guard(router)` and `Guarded`, in memory and over streamable
//! HTTP. `stdio.rs` has the third transport.

use crate::support::cases::{Said, cases};
use crate::support::http::Http;
use crate::support::servers::{Plain, Routed};
use crate::support::surface::{compare, over_http, over_streams};
use crate::support::wire::Wire;
use std::sync::atomic::Ordering;

fn admitted(said: &std::collections::BTreeMap<String, Said>) -> usize {
    said.values().filter(|said| matches!(said, Said::Admitted(_))).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_router_in_memory() {
    let cases = cases();
    let server = Routed::new(&cases);
    let runs = server.runs.clone();
    let said = over_streams(&mut Wire::open(server).await, &cases).await;
    compare("guard(router) in memory", &cases, &said);
    assert_eq!(runs.load(Ordering::SeqCst), admitted(&said), "what was refused did not run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_handler_in_memory() {
    let cases = cases();
    let server = Plain::guarded(&cases);
    let said = over_streams(&mut Wire::open(server.clone()).await, &cases).await;
    compare("Guarded in memory", &cases, &said);
    assert_eq!(server.inner().runs.load(Ordering::SeqCst), admitted(&said), "what was refused did not run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_router_over_http() {
    let cases = cases();
    let server = Routed::new(&cases);
    let runs = server.runs.clone();
    let http = Http::serve(move || server.clone()).await;
    let said = over_http(&http, &cases, false).await;
    compare("guard(router) over HTTP, 2025-11-25", &cases, &said);
    assert_eq!(runs.load(Ordering::SeqCst), admitted(&said), "what was refused did not run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarded_handler_over_http() {
    let cases = cases();
    let server = Plain::guarded(&cases);
    let http = Http::serve({
        let server = server.clone();
        move || server.clone()
    })
    .await;
    let said = over_http(&http, &cases, true).await;
    compare("Guarded over HTTP, 2026-07-28", &cases, &said);
    assert_eq!(server.inner().runs.load(Ordering::SeqCst), admitted(&said), "what was refused did not run");
}

//! The shared cases through `guard(router)` and `Guarded` in a process of their own, over its standard input and output.
//! This file is both: told `serve`, the process is the server, whose standard output no harness may write to.

#![cfg(test)]
#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, reason = "a test")]

#[path = "it/support/mod.rs"]
mod support;

use rmcp::ServiceExt;
use rmcp::transport::stdio;
use std::process::Stdio;
use support::cases::cases;
use support::servers::{Plain, Routed};
use support::surface::{compare, over_streams};
use support::wire::Wire;

#[tokio::main]
async fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["serve", "router"] => drop(Routed::new(&cases()).serve(stdio()).await.unwrap().waiting().await.unwrap()),
        ["serve", "handler"] => drop(Plain::guarded(&cases()).serve(stdio()).await.unwrap().waiting().await.unwrap()),
        words if words.contains(&"--list") => println!("every_case_over_stdio: test"),
        _ => every_case_over_stdio().await,
    }
}

async fn every_case_over_stdio() {
    let cases = cases();
    for (form, surface) in [("router", "guard(router) over stdio"), ("handler", "Guarded over stdio")] {
        let mut server = tokio::process::Command::new(std::env::current_exe().unwrap())
            .args(["serve", form])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut wire = Wire::over(server.stdout.take().unwrap(), server.stdin.take().unwrap());
        wire.initialize("2025-11-25").await;
        let said = over_streams(&mut wire, &cases).await;
        compare(surface, &cases, &said);
        drop(wire);
        assert!(server.wait().await.unwrap().success(), "the server ends with its input");
    }
}

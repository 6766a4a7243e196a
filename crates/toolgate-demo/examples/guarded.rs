//! Serves the demo over standard input and output, or with `--http ADDRESS` over streamable HTTP at `/mcp`: the twin with modes, or with
//! `--plain` the careless server, or with `--guarded` that one behind `Guarded`.
#![allow(clippy::print_stderr, reason = "what a person is told; standard output is the protocol's")]

use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServerHandler, ServiceExt};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use toolgate_demo::{DemoServer, GuardedDemo};
use toolgate_mcp::Guarded;

const USAGE: &str = "usage: guarded [--plain | --guarded] [--http ADDRESS]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = words.iter().map(String::as_str).collect();
    let which = match words.first() {
        Some(which @ (&"--plain" | &"--guarded")) => Some(*which),
        _ => None,
    };
    words.drain(..usize::from(which.is_some()));
    let address = match words.as_slice() {
        [] => None,
        ["--http", address] => Some(*address),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    let served = match which {
        Some("--plain") => serve(DemoServer::new(), address).await,
        Some(_) => serve(Guarded::typed(DemoServer::new()), address).await,
        None => match GuardedDemo::new(".") {
            Ok(server) => serve(server, address).await,
            Err(error) => Err(error.into()),
        },
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("guarded: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(server: impl ServerHandler + Clone, address: Option<&str>) -> Result<(), Box<dyn Error>> {
    let Some(address) = address else {
        server.serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, Default::default());
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

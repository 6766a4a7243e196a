//! Serves the guarded demo over standard input and output, or with `--http ADDRESS` over streamable HTTP at `/mcp`; `--bare` serves the
//! plain one instead.
#![allow(clippy::print_stderr, reason = "what a person is told; standard output is the protocol's")]

use rmcp::ServiceExt;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use toolgate_demo::{DemoServer, GuardedDemo};

const USAGE: &str = "guarded [--bare] [--http ADDRESS]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let served = match words.as_slice() {
        [] => over_stdio(false).await,
        ["--bare"] => over_stdio(true).await,
        ["--http", address] => over_http(address, false).await,
        ["--bare", "--http", address] => over_http(address, true).await,
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("guarded: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn over_stdio(is_bare: bool) -> Result<(), Box<dyn Error>> {
    if is_bare {
        DemoServer::new().serve(stdio()).await?.waiting().await?;
    } else {
        GuardedDemo::new(".")?.serve(stdio()).await?.waiting().await?;
    }
    Ok(())
}

async fn over_http(address: &str, is_bare: bool) -> Result<(), Box<dyn Error>> {
    let sessions = || Arc::new(LocalSessionManager::default());
    let routes = if is_bare {
        let server = DemoServer::new();
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions(), Default::default());
        axum::Router::new().nest_service("/mcp", service)
    } else {
        let server = GuardedDemo::new(".")?;
        let service = StreamableHttpService::new(move || Ok(server.clone()), sessions(), Default::default());
        axum::Router::new().nest_service("/mcp", service)
    };
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    axum::serve(listener, routes).await?;
    Ok(())
}

//! Serves the demo over standard input and output, or with `--http ADDRESS` over streamable HTTP at `/mcp`: the twin with modes, whose
//! prompts `--prompts PLACE` keeps in a database, or with `--plain` the careless server, or with `--guarded` that one behind `Guarded`.
#![allow(clippy::print_stderr, reason = "what a person is told; standard output is the protocol's")]

use axum::serve::ListenerExt as _;
use rmcp::transport::stdio;
use rmcp::transport::streamable_http_server::StreamableHttpService;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::{ServerHandler, ServiceExt};
use std::error::Error;
use std::process::ExitCode;
use std::sync::Arc;
use toolgate_demo::{DemoServer, GuardedDemo};
use toolgate_mcp::Guarded;
use toolgate_mcp::prompts::{SqliteStore, open};

const USAGE: &str = "usage: guarded [--plain | --guarded | --prompts PLACE] [--http ADDRESS]";

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let (which, rest) = match words.as_slice() {
        ["--plain", rest @ ..] => (Which::Plain, rest),
        ["--guarded", rest @ ..] => (Which::Guarded, rest),
        ["--prompts", place, rest @ ..] => (Which::Twin(Some(*place)), rest),
        rest => (Which::Twin(None), rest),
    };
    let address = match rest {
        [] => None,
        ["--http", address] => Some(*address),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(64);
        }
    };
    let served = match which {
        Which::Plain => serve(DemoServer::new(), address).await,
        Which::Guarded => serve(Guarded::typed(DemoServer::new()), address).await,
        Which::Twin(place) => match twin(place).await {
            Ok(server) => serve(server, address).await,
            Err(error) => Err(error),
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

/// Which server, the twin with the place of its prompts.
enum Which<'a> {
    Plain,
    Guarded,
    Twin(Option<&'a str>),
}

async fn twin(place: Option<&str>) -> Result<GuardedDemo, Box<dyn Error>> {
    let server = match place {
        Some(place) => GuardedDemo::start(".", open(place)?).await,
        None => GuardedDemo::start(".", SqliteStore::memory()).await,
    };
    Ok(server?)
}

async fn serve(server: impl ServerHandler + Clone, address: Option<&str>) -> Result<(), Box<dyn Error>> {
    let Some(address) = address else {
        let session = server.serve(stdio()).await.map_err(|error| toolgate_mcp::why_not_begun(&error))?;
        session.waiting().await?;
        return Ok(());
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(server.clone()), sessions, Default::default());
    let listener = tokio::net::TcpListener::bind(address).await?;
    eprintln!("listening on http://{}/mcp", listener.local_addr()?);
    // An answer is not held back until the client has acknowledged the one before.
    let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}

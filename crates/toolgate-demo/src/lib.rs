//! A small MCP server for `toolgate demo` to put the guard in front of.
//!
//! It is written with the official SDK as its examples teach it, and is therefore as careless as most servers are: unknown
//! arguments vanish, the last of two equal names wins, a list that was written as text is taken for a file name, and what
//! the SDK says about a wrong argument names no place and quotes the value. None of this is put on: there is no code here
//! that makes a call go wrong. Everything it does happens in memory ([`World`]), and the resource [`WORLD_URI`] shows it.
//!
//! It knows nothing of toolgate; the guard gets no help from it. [`GuardedDemo`] is its twin, which has the boundary inside.

mod guarded;
mod server;
mod tools;
mod world;

pub use guarded::{CHANGES_WALKTHROUGH, CHANGES_WALKTHROUGH_TEXT, GuardedDemo, NotMade, TASK_CONTEXT};
pub use server::{DemoServer, WORLD_URI};
pub use world::{Profile, Received, Step, Task, Trashed, World};

use rmcp::ServiceExt;
use rmcp::service::ServerInitializeError;
use rmcp::transport::stdio;
use std::fmt;
use std::io;
use tokio::io::{AsyncRead, AsyncWrite};

/// Why the server could not run. A client that goes away is no fault.
#[derive(Debug)]
#[non_exhaustive]
pub enum Fault {
    /// The runtime could not be built.
    Runtime(io::Error),
    /// The client opened with something that is no MCP session.
    Start(String),
    /// The session ended by a fault of the server.
    Session(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::Runtime(error) => write!(f, "the runtime could not be started: {error}"),
            Fault::Start(why) => write!(f, "the session could not be opened: {why}"),
            Fault::Session(why) => write!(f, "the session ended by a fault: {why}"),
        }
    }
}

impl std::error::Error for Fault {}

/// Serves one client on standard input and output until its end of input, and blocks until then.
///
/// # Errors
///
/// Returns the [`Fault`] that ended the session early.
pub fn run_stdio() -> Result<(), Fault> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Fault::Runtime)?;
    let outcome = runtime.block_on(serve_stdio());
    // A read of standard input that is still pending must not hold the process.
    runtime.shutdown_background();
    outcome
}

/// Serves one client on standard input and output until its end of input.
///
/// # Errors
///
/// Returns the [`Fault`] that ended the session early.
pub async fn serve_stdio() -> Result<(), Fault> {
    let (input, output) = stdio();
    serve(input, output).await
}

/// Serves one client on any pair of streams until its end of input, with a world of its own.
///
/// # Errors
///
/// Returns the [`Fault`] that ended the session early.
pub async fn serve<R, W>(input: R, output: W) -> Result<(), Fault>
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let session = match DemoServer::new().serve((input, output)).await {
        Ok(session) => session,
        Err(ServerInitializeError::ConnectionClosed(_)) => return Ok(()),
        Err(error) => return Err(Fault::Start(toolgate_mcp::why_not_begun(&error))),
    };
    match session.waiting().await {
        Ok(_) => Ok(()),
        Err(error) => Err(Fault::Session(error.to_string())),
    }
}

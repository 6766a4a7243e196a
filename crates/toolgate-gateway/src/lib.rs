//! What stands between an MCP client and an MCP server: raw frames cross, the tool list is compiled, calls are judged by
//! it. Everything that crosses keeps its bytes; only `arguments` and tool definitions are ever replaced.
//!
//! [`relay`] decides and knows no thread and no clock; [`stdio`] starts a server as a child, brings the lines and writes
//! what comes of them. [`client`] is the other end: it asks a server for its tools and calls them. The judging itself is the crate `toolgate`.
#![doc = include_str!("../README.md")]

pub mod client;
pub mod frame;
pub mod login;
pub mod policy;
pub mod record;
pub mod relay;
#[cfg(unix)]
pub mod stdio;

mod answer;
mod lines;
mod listing;
mod outlet;
mod place;
mod scan;

#[cfg(unix)]
mod pipe;
#[cfg(unix)]
mod signals;

pub use listing::{CompileJob, Compiled, ListLimits};
pub use place::Place;
pub use scan::{Finding, Scanner};
pub use toolgate::Revision;

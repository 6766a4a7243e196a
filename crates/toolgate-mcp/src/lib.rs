//! The boundary inside a Rust MCP server, on the official SDK (`rmcp`): every call is judged by the tool's own contract
//! before its handler runs, and the list shows what a model can be shown of it. It judges by the crate `toolgate` and has no
//! check of its own; it does no I/O.
//!
//! The SDK parses a message before anybody sees it, so what its parser drops cannot be judged here: the guide says what that
//! is.
#![doc = include_str!("../README.md")]

mod closed;
mod guard;
mod handler;
mod judge;
mod published;
mod router;
mod sdk;

pub use closed::{ClosedTool, ClosedTools};
pub use guard::{Guard, ListLimits, Options};
pub use handler::Guarded;
/// The SDK in the version that this crate is pinned to.
pub use rmcp;
pub use router::{GuardedRouter, guard, try_guard};

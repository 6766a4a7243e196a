//! The boundary inside a Rust MCP server, on the official SDK (`rmcp`): every call is judged by the tool's own contract
//! before its handler runs, and the list shows what a model can be shown of it. It judges by the crate `toolgate` and has no
//! check of its own; but for the store of [`prompts`] it does no I/O.
//!
//! The SDK parses a message before anybody sees it, so what its parser drops cannot be judged here: the guide says what that
//! is.
#![doc = include_str!("../README.md")]

mod beside;
mod call;
mod closed;
mod extension;
mod files;
mod guard;
mod guidance;
mod hand_over;
mod handler;
mod hooks;
mod judge;
mod listeners;
mod moded;
mod modes;
mod parameters;
pub mod prompts;
mod published;
mod ranges;
mod router;
mod sdk;
pub mod testing;
mod toolbox;
mod tools;
mod typed;

pub use call::Call;
pub use closed::{ClosedTool, ClosedTools};
pub use files::{Paths, View, ViewLimits, Viewer};
pub use guard::{Guard, ListLimits, Options};
pub use guidance::guidance;
pub use handler::Guarded;
pub use hooks::{AfterCall, Before, BeforeCall, Decision, Hook, Outcome};
pub use moded::{Moded, Sideloaded};
pub use modes::{Group, ModeError, Modes, Setting};
pub use parameters::Parameters;
/// The SDK in the version that this crate is pinned to.
pub use rmcp;
pub use router::{GuardedRouter, guard, try_guard};
pub use sdk::why_not_begun;
pub use toolbox::Toolbox;
/// The judge: policies, profiles, providers and contracts, in the version that this crate is built on.
pub use toolgate;
pub use tools::Tools;
pub use typed::TypedTool;

//! What the tests of this crate share. Each takes what it needs.
#![allow(dead_code, unreachable_pub, reason = "no test uses all of it, and each has it as a module")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, clippy::string_slice, reason = "tests only")]

pub mod cases;
pub mod http;
pub mod servers;
pub mod surface;
pub mod wire;

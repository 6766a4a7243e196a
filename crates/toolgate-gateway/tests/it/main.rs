//! The tests of this crate, in one executable: each that is linked takes seconds of every run.

#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests only")]

mod messages;
#[cfg(unix)]
mod stdio;

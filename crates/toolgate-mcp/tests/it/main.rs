//! The tests of this crate, in one executable but for those that need a process of their own: each that is linked takes
//! seconds of every run.

#![cfg(test)]

mod support;

mod agent_loop;
mod answers;
mod delegation;
mod examples;
mod files;
mod handler;
mod hooks;
mod modes;
mod names;
mod prompts;
mod router;
mod surfaces;
mod testing;
mod toolbox;
mod typed;
mod typed_tools;

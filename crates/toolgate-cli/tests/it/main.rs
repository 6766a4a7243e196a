//! The tests of this crate, in one executable: each that is linked takes seconds of every run.

#![cfg(test)]

mod support;

mod argv;
#[cfg(unix)]
mod beside;
#[cfg(unix)]
mod breaker;
#[cfg(unix)]
mod call;
mod check;
#[cfg(unix)]
mod completion;
#[cfg(unix)]
mod config;
mod demo;
#[cfg(unix)]
mod diff;
mod examples;
#[cfg(unix)]
mod install;
mod kit;
#[cfg(unix)]
mod line;
#[cfg(unix)]
mod login;
mod manifest;
mod pages;
mod replay;
mod shown;
#[cfg(unix)]
mod surfaces;

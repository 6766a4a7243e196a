//! The tests of this crate, in one executable: each that is linked takes seconds of every run.

#![cfg(test)]
#![allow(clippy::string_slice, reason = "tests only")]

mod support;

mod advertise;
mod canonical;
mod cases;
mod catalogs;
mod fuzz_smoke;
mod hostile;
mod properties;
mod repair;
mod rewriters;
mod sent;
mod shown;
mod suite;
mod traps;

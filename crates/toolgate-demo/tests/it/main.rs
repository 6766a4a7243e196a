//! The tests of this crate, in one executable: each that is linked takes seconds of every run.

#![cfg(test)]

mod wire;

mod careless;
mod guarded;

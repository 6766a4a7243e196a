//! The tests of this crate, in one executable: each that is linked takes seconds of every run.

#![cfg(test)]

mod support;

mod cases;
mod catalogs;
mod certificate;
mod decode;
mod hostile;
mod outside;
mod policy;
mod properties;
mod rests;
mod suite;

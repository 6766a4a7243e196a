//! What the tests of this crate share.

#![allow(dead_code, reason = "each test file uses what it needs")]

pub(crate) mod catalogs;
pub(crate) mod random;
pub(crate) mod schemas;

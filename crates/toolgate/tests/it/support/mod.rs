//! What the tests of this crate share: schemas and arguments made from a tape of choices, members made from a schema
//! without any of the core's code, and the catalogues of real tools.

#![allow(dead_code, reason = "each test file uses a part")]

pub(crate) mod arguments;
pub(crate) mod caller;
pub(crate) mod catalogs;
pub(crate) mod judge_cases;
pub(crate) mod members;
pub(crate) mod nasty;
pub(crate) mod schemas;
pub(crate) mod tape;
pub(crate) mod texts;

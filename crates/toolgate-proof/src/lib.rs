//! The independent checker: whether an advertised schema admits every value of a tool's contract.
//!
//! The contract is the judge, the advertised schema is what a model is shown (R7). [`prove`] answers one question about the
//! two texts, and has three answers: *proven*, by a derivation; *refuted*, with a value that two validators have executed;
//! *unknown*, with the place and the keyword at which the derivation ended (R8). It shares no code with what makes advertised
//! schemas: it reads both texts with a reader of its own, and takes no word of theirs for granted.
//!
//! Pure: no I/O, no clock, no randomness. Work is counted, and the end of the budget is an unknown.

mod certificate;
mod confirm;
mod decimal;
mod decode;
mod emit;
mod eval;
mod hunt;
mod json;
mod kinds;
mod narrow;
mod options;
mod pattern;
mod policy;
mod proof;
mod prove;
mod read;
mod same;
mod sampler;
mod schema;
mod states;
mod witness;

pub use certificate::{Certificate, CertificateFault, ReplayFault, certify, replay};
pub use narrow::{Narrowing, narrowings};
pub use options::{DecodeStep, Dialect, Options, Reading, UnknownKeys};
pub use proof::{Input, Proof, Unreadable, Verdict, prove};
pub use sampler::{Sampler, SamplerOptions};

//! Reads every tool call by the tool's own contract: it is admitted as it was meant, or refused with words that let the
//! model repair it. Nothing is dropped, nothing is guessed, nothing secret is echoed.
//!
//! Pure: no async, no I/O, no clock, no randomness, no environment, no MCP types.

/// The README's example, held to the code.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod advertise;
mod contract;
mod decimal;
mod explain;
mod hand_over;
pub mod json;
mod limits;
pub mod lint;
mod location;
mod members;
mod normalize;
mod operation;
mod outline;
pub mod profile;
mod provider;
mod publish;
mod refusal;
mod repeat;
mod result;
mod revision;
mod schema;
mod skeleton;
mod tool_set;
mod tree;
mod validate;
mod words;

pub use advertise::{Advertised, DecodeStep, NotAdvertised, Note, StrictCost};
pub use contract::{
    Admission, Admitted, Alias, Arguments, Contract, Defect, Edit, Judge, OptIns, Origin, Policy, SetAside, Unions,
    UnknownKeys, Unusable,
};
pub use hand_over::{FormerNames, former_names, read_arguments};
pub use limits::Limits;
pub use location::{Location, pointer_names, pointer_segment, shown_name};
pub use operation::{Operation, Parts, Slices};
pub use outline::{Member, Outline};
pub use profile::Profile;
pub use provider::{Answer, Block, Manifest, ManifestTool, Provider};
pub use publish::{FellBack, Published, proof_options, reading};
pub use refusal::{Code, Refusal, ShownWord, Violation};
pub use repeat::{Help, Repeats};
pub use revision::Revision;
pub use tool_set::{Misfit, RootPolicy, Showing, Tool, ToolSet};
pub use toolgate_proof::{Proof, Verdict};
pub use words::UnknownWord;

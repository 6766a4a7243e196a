//! The question and its three answers.

use crate::confirm::{Sides, confirmed};
use crate::decode::Decode;
use crate::json::{self, Value};
use crate::kinds::Kinds;
use crate::options::{Options, Reading, UnknownKeys};
use crate::policy;
use crate::prove::{Prover, Segment};
use crate::read::{self, Settings};
use crate::schema::{NodeId, Schemas, escape_segment};
use crate::states::{StateId, States};
use std::fmt;

/// Steps that looking for a counterexample may take besides those of the proof.
const HUNT_STEPS_MIN: u64 = 50_000;

/// One of the two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Input {
    /// What the tool's author registered.
    Contract,
    /// What a model is shown.
    Advertised,
    /// The decode steps.
    Decode,
}

/// A document that cannot be read: not JSON, not a schema of its dialect, or with a reference to nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Which of the inputs it is.
    pub input: Input,
    /// JSON Pointer of the keyword; empty for a text that is no JSON.
    pub pointer: String,
    /// What is wrong with it.
    pub why: String,
}

impl fmt::Display for Unreadable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = match self.input {
            Input::Contract => "contract",
            Input::Advertised => "advertised schema",
            Input::Decode => "decode steps",
        };
        write!(out, "the {input} cannot be read: `{}` {}", self.pointer, self.why)
    }
}

impl std::error::Error for Unreadable {}

/// What the checker says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Verdict {
    /// The advertised schema admits every value of the contract.
    Proven,
    /// It does not.
    Refuted {
        /// JSON text of a value that the contract admits and the advertised schema refuses.
        counterexample: String,
        /// Where in the arguments it is refused: an RFC 6901 pointer with `*` for any item or unnamed key.
        location: String,
        /// By which keyword of the advertised schema.
        keyword: &'static str,
    },
    /// Neither was found.
    Unknown {
        /// Where in the arguments the derivation ended, as in [`Verdict::Refuted`].
        location: String,
        /// At which keyword, or `budget` where the steps were at their end.
        keyword: &'static str,
    },
}

/// An answer and how it came about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    /// The answer.
    pub verdict: Verdict,
    /// What stands behind it: the derivation, or the validators that executed the counterexample.
    pub checked_by: Vec<&'static str>,
    /// Steps taken; the same for the same input on every machine.
    pub steps: u64,
}

/// Says whether `advertised` admits every value that `contract` admits, both given as JSON text.
///
/// The contract is taken under its policy for unknown keys (R3) and as the schema of an arguments object. With decode steps,
/// each value has to be what something admitted is *read as*.
///
/// # Errors
///
/// Returns what cannot be read: text that is no JSON, a keyword with a value that its dialect does not give it, a reference to
/// another document.
///
/// # Example
///
/// ```
/// use toolgate_proof::{Options, Verdict, prove};
///
/// let contract = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":9}}}"#;
/// let wider = r#"{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}"#;
/// assert_eq!(prove(contract, wider, &Options::default())?.verdict, Verdict::Proven);
///
/// let narrower = r#"{"type":"object","properties":{"n":{"type":"integer","maximum":8}}}"#;
/// let Verdict::Refuted { counterexample, .. } = prove(contract, narrower, &Options::default())?.verdict else { panic!() };
/// assert_eq!(counterexample, r#"{"n":9}"#);
/// # Ok::<(), toolgate_proof::Unreadable>(())
/// ```
pub fn prove(contract: &str, advertised: &str, options: &Options) -> Result<Proof, Unreadable> {
    let texts = (parse(contract, Input::Contract)?, parse(advertised, Input::Advertised)?);
    let mut question = Question::read(&texts.0, &texts.1, options)?;
    Ok(question.answer((contract, advertised), options))
}

/// Both documents read, and everything ready to be asked.
pub(crate) struct Question<'d> {
    pub(crate) prover: Prover<'d>,
    pub(crate) start: StateId,
    pub(crate) contract_root: NodeId,
    pub(crate) advertised_root: NodeId,
    /// A schema applies itself to the same value; no value can ever decide it.
    pub(crate) has_cycle: bool,
}

impl<'d> Question<'d> {
    pub(crate) fn read(
        contract: &'d Value<'d>,
        advertised: &'d Value<'d>,
        options: &Options,
    ) -> Result<Self, Unreadable> {
        let mut schemas = Schemas::new();
        let contract_root = read_contract(&mut schemas, contract, options)?;
        let advertised_root = read_advertised(&mut schemas, advertised, options)?;
        let decode = Decode::new(&options.decode, &mut schemas).map_err(|location| Unreadable {
            input: Input::Decode,
            pointer: location,
            why: "is no JSON Pointer".into(),
        })?;
        let has_cycle = [contract_root, advertised_root].into_iter().any(|root| schemas.has_cycle_in_place(root));
        let mut prover = Prover::new(States::new(schemas, options.steps_max), decode);
        prover.gather_words(contract_root, advertised_root);
        let start = prover.states.state_of(contract_root);
        Ok(Question { prover, start, contract_root, advertised_root, has_cycle })
    }

    pub(crate) fn answer(&mut self, texts: (&str, &str), options: &Options) -> Proof {
        if self.has_cycle {
            let verdict = Verdict::Unknown { location: String::new(), keyword: "$ref" };
            return Proof { verdict, checked_by: Vec::new(), steps: 0 };
        }
        let prover = &mut self.prover;
        let position = prover.decode.root();
        let proved = prover.prove(self.start, self.advertised_root, position);
        let steps = prover.states.steps;
        let Err(fail) = proved else {
            return Proof { verdict: Verdict::Proven, checked_by: vec!["derivation"], steps };
        };
        let more = (options.steps_max / 4).max(HUNT_STEPS_MIN.min(options.steps_max));
        prover.states.steps_max = steps.saturating_add(more);
        let found = prover.hunt(self.start, self.advertised_root, position);
        let steps = prover.states.steps;
        if let Some(found) = found
            && self.confirms(&found.value, texts, options)
        {
            let location = pointer(&self.prover.states.schemas, &found.location);
            let verdict =
                Verdict::Refuted { counterexample: found.value.to_string(), location, keyword: found.keyword };
            return Proof { verdict, checked_by: vec!["evaluator", "jsonschema"], steps };
        }
        let verdict = Verdict::Unknown { location: self.prover.location(&fail), keyword: fail.keyword };
        Proof { verdict, checked_by: Vec::new(), steps }
    }

    /// Whether both validators take the value for a counterexample.
    pub(crate) fn confirms(&mut self, value: &Value<'_>, texts: (&str, &str), options: &Options) -> bool {
        let prover = &mut self.prover;
        let sides = Sides {
            contract: texts.0,
            advertised: texts.1,
            contract_root: self.contract_root,
            advertised_root: self.advertised_root,
        };
        confirmed(&prover.states.schemas, &sides, &mut prover.decode, &prover.words, options, value)
    }
}

pub(crate) fn parse(text: &str, input: Input) -> Result<Value<'_>, Unreadable> {
    json::read(text).map_err(|why| Unreadable { input, pointer: String::new(), why })
}

/// Reads the contract, and gives the root of what is meant by it.
pub(crate) fn read_contract<'d>(
    schemas: &mut Schemas<'d>,
    document: &'d Value<'d>,
    options: &Options,
) -> Result<NodeId, Unreadable> {
    let standard = Reading::default();
    let settings = Settings {
        document: 0,
        dialect: options.dialect,
        discovered: options.discovered,
        reading: &standard,
        set_aside: &options.set_aside,
        notes_names: options.unknown_keys != UnknownKeys::AsWritten,
    };
    let document = read::read(schemas, document, &settings).map_err(|malformed| Unreadable {
        input: Input::Contract,
        pointer: malformed.pointer,
        why: malformed.why,
    })?;
    let kinds = if options.any_root { Kinds::ALL } else { Kinds::OBJECT };
    Ok(policy::effective(schemas, &document, options.unknown_keys, kinds))
}

pub(crate) fn read_advertised<'d>(
    schemas: &mut Schemas<'d>,
    document: &'d Value<'d>,
    options: &Options,
) -> Result<NodeId, Unreadable> {
    let settings = Settings {
        document: 1,
        dialect: options.dialect,
        discovered: options.discovered,
        reading: &options.reading,
        set_aside: &[],
        notes_names: false,
    };
    let document = read::read(schemas, document, &settings).map_err(|malformed| Unreadable {
        input: Input::Advertised,
        pointer: malformed.pointer,
        why: malformed.why,
    })?;
    Ok(document.root)
}

fn pointer(schemas: &Schemas<'_>, segments: &[Segment]) -> String {
    let segment = |segment: &Segment| match segment {
        Segment::Name(name) => format!("/{}", escape_segment(schemas.name(*name))),
        Segment::Any => "/*".to_owned(),
    };
    segments.iter().map(segment).collect()
}

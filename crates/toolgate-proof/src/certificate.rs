//! A certificate: what a proof rests on, so that whoever has the two texts can check it without searching.
//!
//! The proof is a set of answered questions, each "the values of this conjunction of contract schemas are admitted by that
//! advertised schema". To replay it, each question is looked at once, by itself: its own clauses have to hold where every
//! question below it is taken as answered, and those have to be in the set. Between a question and itself a key or an item is
//! passed, so that by the size of values all are true. A replay takes the judgement's steps and none of its search; it is
//! faster than proving, not more to be trusted.

mod fault;
mod names;
mod settings;

use crate::json::{self, Value};
use crate::options::Options;
use crate::proof::{Input, Proof, Question, Unreadable, Verdict, parse};
use crate::prove::Certified;
pub use fault::CertificateFault;
use names::{literal_named, name_of};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::fmt;

const FORMAT: &str = "toolgate-certificate/1";
const VERSION: &str = env!("CARGO_PKG_VERSION");

/// What a verdict rests on, for the two texts that its digests name.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    checker: String,
    contract_digest: String,
    advertised_digest: String,
    options: Options,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    Proven(Vec<Entry>),
    /// The text of a counterexample.
    Refuted(String),
}

/// One answered question.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The advertised schema.
    advertised: String,
    /// The contract's schemas that hold, each with `+`, and those that do not, with `-`.
    contract: Vec<String>,
    /// The place among the decode steps; empty where there is none below.
    decode: Vec<usize>,
}

/// Why a certificate does not stand.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReplayFault {
    /// One of the inputs cannot be read.
    Unreadable(Unreadable),
    /// The certificate cannot be about these texts: it names what is not there, or leaves out what it is about.
    Malformed(&'static str),
    /// It was made by another version of the checker.
    Checker,
    /// It is about another text.
    Digest(Input),
    /// A question is not answered by those that are certified: the advertised schema's pointer and the keyword.
    Step {
        /// JSON Pointer into the advertised schema.
        advertised: String,
        /// The keyword at which the step ended.
        keyword: &'static str,
    },
    /// The counterexample is none.
    Counterexample,
}

impl fmt::Display for ReplayFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayFault::Unreadable(unreadable) => write!(out, "{unreadable}"),
            ReplayFault::Malformed(why) => write!(out, "the certificate is none of these schemas: {why}"),
            ReplayFault::Checker => out.write_str("the certificate was made by another version of the checker"),
            ReplayFault::Digest(Input::Contract) => out.write_str("the certificate is about another contract"),
            ReplayFault::Digest(_) => out.write_str("the certificate is about another advertised schema"),
            ReplayFault::Step { advertised, keyword } => {
                write!(out, "the step at `{advertised}` is not certified (`{keyword}`)")
            }
            ReplayFault::Counterexample => out.write_str("the counterexample is none"),
        }
    }
}

impl std::error::Error for ReplayFault {}

impl From<Unreadable> for ReplayFault {
    fn from(unreadable: Unreadable) -> Self {
        ReplayFault::Unreadable(unreadable)
    }
}

/// Proves as [`prove`](crate::prove) does, and certifies the verdict where it is one.
///
/// # Errors
///
/// As [`prove`](crate::prove).
///
/// # Example
///
/// ```
/// use toolgate_proof::{Certificate, Options, certify, replay};
///
/// let contract = r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#;
/// let advertised = r#"{"type":"object","properties":{"n":{"type":"number"}},"additionalProperties":false}"#;
/// let (_, certificate) = certify(contract, advertised, &Options::default())?;
/// let text = certificate.unwrap().to_json();
/// let certificate = Certificate::from_json(&text).unwrap();
/// assert!(replay(&certificate, contract, advertised).is_ok());
/// assert!(replay(&certificate, contract, r#"{"type":"object"}"#).is_err());
/// # Ok::<(), toolgate_proof::Unreadable>(())
/// ```
pub fn certify(
    contract: &str,
    advertised: &str,
    options: &Options,
) -> Result<(Proof, Option<Certificate>), Unreadable> {
    let texts = (parse(contract, Input::Contract)?, parse(advertised, Input::Advertised)?);
    let mut question = Question::read(&texts.0, &texts.1, options)?;
    let proof = question.answer((contract, advertised), options);
    let content = match &proof.verdict {
        Verdict::Proven => content(&mut question).map(Content::Proven),
        Verdict::Refuted { counterexample, .. } => Some(Content::Refuted(counterexample.clone())),
        Verdict::Unknown { .. } => None,
    };
    let certificate = content.map(|content| Certificate {
        checker: VERSION.to_owned(),
        contract_digest: digest(contract),
        advertised_digest: digest(advertised),
        options: options.clone(),
        content,
    });
    Ok((proof, certificate))
}

/// The questions that the root's answer rests on; `None` where they could not be walked again within the steps.
fn content(question: &mut Question<'_>) -> Option<Vec<Entry>> {
    let answered = question.prover.answered();
    let root = (question.start, question.advertised_root, question.prover.decode.root());
    question.prover.certified = Some(Certified::of(answered));
    question.prover.states.steps_max = question.prover.states.steps.saturating_mul(2).saturating_add(1_000_000);
    question.prover.prove(root.0, root.1, root.2).ok()?;
    let mut entries = Vec::new();
    let mut next = 0;
    while let Some(asked) = question.prover.certified.as_ref().and_then(|certified| certified.used.get(next).copied()) {
        next += 1;
        question.prover.derive(asked.0, asked.1, asked.2).ok()?;
        let set = question.prover.states.set(asked.0);
        entries.push(Entry {
            advertised: name_of(&question.prover, asked.1)?,
            contract: set.iter().map(|literal| names::literal(&question.prover, *literal)).collect::<Option<_>>()?,
            decode: question.prover.decode.branches(asked.2).to_vec(),
        });
    }
    Some(entries)
}

/// Checks a certificate against the two texts: every certified question by its own clauses, without search.
///
/// What stands then stands under [`Certificate::options`].
///
/// # Errors
///
/// Says why it does not stand; the texts may then still be in order, only this is no proof of it.
pub fn replay(certificate: &Certificate, contract: &str, advertised: &str) -> Result<(), ReplayFault> {
    if certificate.checker != VERSION {
        return Err(ReplayFault::Checker);
    }
    for (input, text, known) in [
        (Input::Contract, contract, &certificate.contract_digest),
        (Input::Advertised, advertised, &certificate.advertised_digest),
    ] {
        if digest(text) != *known {
            return Err(ReplayFault::Digest(input));
        }
    }
    let texts = (parse(contract, Input::Contract)?, parse(advertised, Input::Advertised)?);
    let options = &certificate.options;
    let mut question = Question::read(&texts.0, &texts.1, options)?;
    if question.has_cycle {
        return Err(ReplayFault::Malformed("a schema applies itself to the same value"));
    }
    match &certificate.content {
        Content::Refuted(counterexample) => {
            let value = json::read(counterexample).map_err(|_| ReplayFault::Counterexample)?;
            let confirmed = question.confirms(&value, (contract, advertised), options);
            if confirmed { Ok(()) } else { Err(ReplayFault::Counterexample) }
        }
        Content::Proven(entries) => replay_entries(&mut question, entries),
    }
}

fn replay_entries(question: &mut Question<'_>, entries: &[Entry]) -> Result<(), ReplayFault> {
    let unknown = ReplayFault::Malformed("it names a schema that is not there");
    let known = names::table(&question.prover);
    let mut certified = Certified::default();
    let mut asked = Vec::with_capacity(entries.len());
    for entry in entries {
        let advertised = names::node_named(&mut question.prover, &known, &entry.advertised).ok_or(unknown.clone())?;
        let mut literals = Vec::with_capacity(entry.contract.len());
        for literal in &entry.contract {
            literals.push(literal_named(&mut question.prover, &known, literal).ok_or(unknown.clone())?);
        }
        let state = question.prover.states.state(literals);
        let position = question.prover.decode.position_of(entry.decode.clone()).ok_or(unknown.clone())?;
        certified.answered.insert((state, advertised, position));
        asked.push(((state, advertised, position), &entry.advertised));
    }
    let root = (question.start, question.advertised_root, question.prover.decode.root());
    if !certified.answered.contains(&root) {
        return Err(ReplayFault::Malformed("it does not certify the whole"));
    }
    question.prover.certified = Some(certified);
    for ((state, advertised, position), name) in asked {
        question
            .prover
            .derive(state, advertised, position)
            .map_err(|fail| ReplayFault::Step { advertised: name.clone(), keyword: fail.keyword })?;
    }
    Ok(())
}

fn digest(text: &str) -> String {
    let bytes = Sha256::digest(text.as_bytes());
    bytes.iter().fold("sha256:".to_owned(), |digest, byte| digest + &format!("{byte:02x}"))
}

impl Certificate {
    /// The version of the checker that made it.
    pub fn checker(&self) -> &str {
        &self.checker
    }

    /// SHA-256 of the contract's text.
    pub fn contract_digest(&self) -> &str {
        &self.contract_digest
    }

    /// SHA-256 of the advertised schema's text.
    pub fn advertised_digest(&self) -> &str {
        &self.advertised_digest
    }

    /// What was taken into account besides the two texts. A certificate says nothing of any other reading, and whoever wrote
    /// it chose these: hold them against those that are meant.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// Whether it certifies a proof, and not a counterexample.
    pub fn is_proof(&self) -> bool {
        matches!(self.content, Content::Proven(_))
    }

    /// The certificate as JSON text.
    pub fn to_json(&self) -> String {
        let text = |text: &str| Value::Text(Cow::Owned(text.to_owned()));
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> = vec![
            ("format".into(), text(FORMAT)),
            ("checker".into(), text(&self.checker)),
            ("contract".into(), text(&self.contract_digest)),
            ("advertised".into(), text(&self.advertised_digest)),
            ("options".into(), settings::written(&self.options)),
        ];
        match &self.content {
            Content::Refuted(counterexample) => {
                members.push(("verdict".into(), text("refuted")));
                members.push(("counterexample_text".into(), text(counterexample)));
            }
            Content::Proven(entries) => {
                members.push(("verdict".into(), text("proven")));
                members.push(("map".into(), Value::List(entries.iter().map(Entry::written).collect())));
            }
        }
        Value::Map(members).to_string()
    }

    /// Reads what [`Certificate::to_json`] wrote.
    ///
    /// # Errors
    ///
    /// Returns a [`CertificateFault`] for anything else, also for members beside those of a certificate.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate_proof::Certificate;
    ///
    /// let fault = Certificate::from_json(r#"{"format":"toolgate-certificate/1","by":"me"}"#).unwrap_err();
    /// assert_eq!(fault.to_string(), "`certificate` has a member that is not known: `by`");
    /// ```
    pub fn from_json(text: &str) -> Result<Self, CertificateFault> {
        let value = json::read(text).map_err(CertificateFault::Json)?;
        // Of another format other members are to be expected.
        if value.member("format").and_then(Value::text) != Some(FORMAT) {
            return Err(CertificateFault::Format);
        }
        only(&value, "certificate", &MEMBERS)?;
        let word = |member: &'static str| {
            let word = value.member(member).and_then(Value::text);
            word.map(str::to_owned).ok_or(CertificateFault::Missing { member, kind: "a string" })
        };
        let verdict = word("verdict")?;
        let (checker, contract_digest, advertised_digest) = (word("checker")?, word("contract")?, word("advertised")?);
        let options = value.member("options").and_then(Value::map);
        let options = options.ok_or(CertificateFault::Missing { member: "options", kind: "an object" })?;
        let options = settings::read(options)?;
        let content = match verdict.as_str() {
            "refuted" => Content::Refuted(word("counterexample_text")?),
            "proven" => {
                let entries = value.member("map").and_then(Value::list);
                let entries = entries.ok_or(CertificateFault::Missing { member: "map", kind: "a list" })?;
                let read = |(index, entry): (usize, &Value<'_>)| {
                    only(entry, "map", &ENTRY_MEMBERS)?;
                    Entry::read(entry).ok_or(CertificateFault::Entry { number: index + 1 })
                };
                Content::Proven(entries.iter().enumerate().map(read).collect::<Result<_, _>>()?)
            }
            _ => return Err(CertificateFault::Verdict),
        };
        Ok(Certificate { checker, contract_digest, advertised_digest, options, content })
    }
}

/// Members of a certificate; the last two by its verdict.
const MEMBERS: [&str; 8] =
    ["format", "checker", "contract", "advertised", "options", "verdict", "map", "counterexample_text"];
const ENTRY_MEMBERS: [&str; 3] = ["advertised", "contract", "decode"];

/// Holds the names in an object to those that are known.
fn only(value: &Value<'_>, object: &'static str, known: &[&str]) -> Result<(), CertificateFault> {
    let unknown = value.map().into_iter().flatten().find(|(name, _)| !known.contains(&&**name));
    unknown.map_or(Ok(()), |(name, _)| Err(CertificateFault::Unknown { object, member: name.to_string() }))
}

impl Entry {
    fn written(&self) -> Value<'static> {
        let text = |text: &String| Value::Text(Cow::Owned(text.clone()));
        let mut members: Vec<(Cow<'static, str>, Value<'static>)> = vec![
            ("advertised".into(), text(&self.advertised)),
            ("contract".into(), Value::List(self.contract.iter().map(text).collect())),
        ];
        if !self.decode.is_empty() {
            let number = |branch: &usize| Value::Number(Cow::Owned(branch.to_string()));
            members.push(("decode".into(), Value::List(self.decode.iter().map(number).collect())));
        }
        Value::Map(members)
    }

    fn read(value: &Value<'_>) -> Option<Self> {
        let contract = value.member("contract")?.list()?.iter().map(|word| word.text().map(str::to_owned));
        let branch = |number: &Value<'_>| usize::try_from(number.number()?.to_count()?).ok();
        let decode = match value.member("decode") {
            None => Vec::new(),
            Some(branches) => branches.list()?.iter().map(branch).collect::<Option<_>>()?,
        };
        Some(Entry {
            advertised: value.member("advertised")?.text()?.to_owned(),
            contract: contract.collect::<Option<_>>()?,
            decode,
        })
    }
}

//! The one way in which a contract is shown (R7.7): advertised, proven, and where that fails shown wider until it is proven.

use crate::advertise::{Advertised, DecodeStep, NotAdvertised, Note};
use crate::contract::{Contract, Origin, Policy, UnknownKeys};
use crate::profile::{Profile, Shape};
use crate::tool_set::RootPolicy;
use toolgate_proof::{Certificate, Dialect, Options, Proof, Reading, Verdict};

/// Places that are widened one after the other before nothing is shown but an object.
const WIDENED_MAX: usize = 16;
/// Steps that proving the open object never takes.
const OPEN_OBJECT_STEPS: u64 = 50_000;

/// What is shown of a contract, with the proof that it hides no legal call.
#[derive(Clone, Debug)]
pub struct Published {
    /// What is shown.
    pub advertised: Advertised,
    /// The independent checker's verdict on it; [`Verdict::Proven`], as nothing else ships.
    pub proof: Proof,
    /// Why it is wider than the profile's own form, where it is.
    pub fell_back: Option<FellBack>,
    /// What it was proven under.
    options: Options,
}

/// Why a wider form is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FellBack {
    /// What the checker said of the tighter form.
    pub verdict: Verdict,
    /// Whether nothing but an object is shown.
    pub to_open_object: bool,
}

impl Contract {
    /// What the profile's reader is shown of this contract, proven (R8): the profile's form, else that form with the places
    /// shown as any value at which the proof ended, else any object.
    ///
    /// # Errors
    ///
    /// Returns [`NotAdvertised`] where no arguments satisfy the contract, or not even the open object could be proven.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Contract, Profile, RootPolicy, Verdict};
    /// let contract = Contract::from_text(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#).unwrap();
    /// let published = contract.publish(Profile::portable(), RootPolicy::Stated).unwrap();
    /// assert_eq!(published.proof.verdict, Verdict::Proven);
    /// assert!(published.fell_back.is_none());
    /// ```
    pub fn publish(&self, profile: &Profile, root_policy: RootPolicy) -> Result<Published, NotAdvertised> {
        let mut widened: Vec<String> = Vec::new();
        let mut first: Option<Verdict> = None;
        let mut shown = profile;
        let mut steps_left = self.policy().limits.show_steps_max;
        while widened.len() <= WIDENED_MAX {
            let advertised = self.advertise_widened(shown, root_policy, &widened)?;
            let options = self.proof_options(&advertised, profile, steps_left);
            let Some(proof) = self.proof_of(&advertised, &options) else {
                if shown.shape == Shape::Flat {
                    break;
                }
                shown = Profile::portable();
                continue;
            };
            steps_left = steps_left.saturating_sub(proof.steps);
            let location = match &proof.verdict {
                Verdict::Proven => {
                    let fell_back = first.map(|verdict| FellBack { verdict, to_open_object: false });
                    let advertised = advertised.noting(fell_back.as_ref());
                    return Ok(Published { advertised, proof, fell_back, options });
                }
                Verdict::Refuted { location, .. } | Verdict::Unknown { location, .. } => location.clone(),
                _ => break,
            };
            first.get_or_insert(proof.verdict);
            match shown.shape {
                Shape::Registered => shown = Profile::portable(),
                Shape::Flat if location.is_empty() || widened.contains(&location) => break,
                Shape::Flat => widened.push(location),
            }
        }
        let verdict = first.unwrap_or(Verdict::Unknown { location: String::new(), keyword: "schema" });
        let fell_back = Some(FellBack { verdict, to_open_object: true });
        let advertised = Advertised::open_object(profile).noting(fell_back.as_ref());
        let options = self.proof_options(&advertised, profile, OPEN_OBJECT_STEPS);
        match self.proof_of(&advertised, &options) {
            Some(proof) if proof.verdict == Verdict::Proven => Ok(Published { advertised, proof, fell_back, options }),
            _ => Err(NotAdvertised { why: "no form of the schema could be proven" }),
        }
    }

    /// What the independent checker says; `None` where it cannot read one of the two.
    fn proof_of(&self, advertised: &Advertised, options: &Options) -> Option<Proof> {
        toolgate_proof::prove(self.schema_text(), &advertised.schema, options).ok()
    }

    fn proof_options(&self, advertised: &Advertised, profile: &Profile, steps_max: u64) -> Options {
        let mut options = proof_options(self.policy());
        options.set_aside = self.schema().document.left_pointers();
        options.decode = advertised.decode.iter().map(DecodeStep::to_proof).collect();
        options.reading = reading(profile);
        // A dialect that nobody knows is read as the default one (decision 0009), by the checker too.
        let is_unknown = self.set_aside().iter().any(|part| part.keyword_location == "/$schema");
        options.dialect = is_unknown.then_some(Dialect::Draft202012);
        options.steps_max = steps_max;
        options
    }
}

impl Published {
    /// What the proof rests on, so that whoever has [`Contract::schema_text`] and the advertised text can check it without
    /// search; `None` where it is not had within the steps of a proof.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Contract, Profile, RootPolicy};
    /// let contract = Contract::from_text(r#"{"type":"object","properties":{"n":{"type":"integer"}}}"#).unwrap();
    /// let published = contract.publish(Profile::portable(), RootPolicy::Stated).unwrap();
    /// let certificate = published.certificate(&contract).unwrap();
    /// assert!(toolgate_proof::replay(&certificate, contract.schema_text(), &published.advertised.schema).is_ok());
    /// ```
    pub fn certificate(&self, contract: &Contract) -> Option<Certificate> {
        toolgate_proof::certify(contract.schema_text(), &self.advertised.schema, &self.options).ok()?.1
    }
}

/// How the checker is to take a contract of this policy.
pub fn proof_options(policy: &Policy) -> Options {
    Options {
        unknown_keys: match policy.unknown_keys {
            UnknownKeys::CloseRoot => toolgate_proof::UnknownKeys::CloseRoot,
            UnknownKeys::CloseDeclared => toolgate_proof::UnknownKeys::CloseDeclared,
            UnknownKeys::AsWritten => toolgate_proof::UnknownKeys::AsWritten,
        },
        discovered: policy.origin == Origin::Discovered,
        ..Options::default()
    }
}

/// How the profile's reader departs from the standard.
pub fn reading(profile: &Profile) -> Reading {
    let mut reading = Reading::default();
    reading.absent_additional_is_closed = profile.reads.absent_key_policy_is_closed;
    reading.pattern_is_full_match = profile.reads.pattern_is_full_match;
    reading.untyped_is_string = profile.reads.untyped_is_string;
    reading.nullable = profile.reads.nullable;
    reading
}

impl DecodeStep {
    /// The step as the independent checker knows it.
    pub fn to_proof(&self) -> toolgate_proof::DecodeStep {
        match self.clone() {
            DecodeStep::Rename { location, name, sent } => toolgate_proof::DecodeStep::Rename { location, name, sent },
            DecodeStep::NullMeansAbsent { location } => toolgate_proof::DecodeStep::NullMeansAbsent { location },
            DecodeStep::EnumText { location } => toolgate_proof::DecodeStep::EnumText { location },
            DecodeStep::EnumCase { location, .. } => toolgate_proof::DecodeStep::EnumCase { location },
        }
    }
}

impl Advertised {
    fn noting(mut self, fell_back: Option<&FellBack>) -> Self {
        if let Some(fell_back) = fell_back {
            let (what, location, keyword) = match &fell_back.verdict {
                Verdict::Refuted { location, keyword, .. } => ("hides a legal call", location.as_str(), *keyword),
                Verdict::Unknown { location, keyword } => ("could not be proven", location.as_str(), *keyword),
                _ => ("could not be proven", "", ""),
            };
            let what = format!("the tighter form {what} (`{keyword}`): a wider one is shown");
            self.notes.insert(0, Note { location: location.to_owned(), what });
        }
        self
    }
}

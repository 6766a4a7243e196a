//! What a model is shown of a contract (R7): the simplest schema that its reader takes and that hides no legal call.

pub(crate) mod decode;
mod emit;
mod flat;
mod form;
mod join;
mod names;
mod phrases;
mod registered;
mod states;

pub use emit::StrictCost;
pub use flat::Note;

use crate::contract::Contract;
use crate::json::{ObjectWriter, Value};
use crate::profile::{KeyPolicy, Profile, Shape};
use crate::tool_set::RootPolicy;
use form::Form;
use std::fmt;

/// What a model is shown, and how what it sends is read back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advertised {
    /// The schema, JSON text on one line; the same bytes for the same contract and profile (R7.6).
    pub schema: String,
    /// Applied to the arguments before anything else reads them, in this order.
    pub decode: Vec<DecodeStep>,
    /// What was widened, forgotten or cut.
    pub notes: Vec<Note>,
    /// The schema keeps the rules of the profile's strict mode.
    pub is_strict: bool,
    /// What it takes of that mode's budgets.
    pub cost: StrictCost,
}

/// One step of reading back arguments that a profile made the model write in another shape.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeStep {
    /// A property that had to be sent under another name.
    Rename {
        /// RFC 6901 pointer to the object, `*` for any item or undeclared key.
        location: String,
        /// The contract's name.
        name: String,
        /// The name shown.
        sent: String,
    },
    /// A property that had to be sent, with null where it is absent.
    NullMeansAbsent {
        /// RFC 6901 pointer to the property.
        location: String,
    },
    /// Listed values that had to be shown as their texts.
    EnumText {
        /// RFC 6901 pointer to the value.
        location: String,
    },
    /// Words that may come back with other capitals.
    EnumCase {
        /// RFC 6901 pointer to the value.
        location: String,
        /// The words, no two of which are one but for capitals.
        words: Vec<String>,
    },
}

/// Why nothing can be shown of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotAdvertised {
    /// In words.
    pub why: &'static str,
}

impl NotAdvertised {
    /// The code of the [`Defect`](crate::Defect) of a tool that compiles and of which nothing can be shown.
    pub const CODE: &'static str = "not-advertised";
}

impl fmt::Display for NotAdvertised {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.why)
    }
}

impl std::error::Error for NotAdvertised {}

impl DecodeStep {
    /// Reads what [`DecodeStep::to_json`] writes; `None` for anything else.
    pub fn from_json(step: Value<'_>) -> Option<Self> {
        let text = |name: &str| step.get(name).and_then(Value::as_str).map(std::borrow::Cow::into_owned);
        let location = text("location")?;
        Some(match &*text("step")? {
            "rename" => DecodeStep::Rename { location, name: text("name")?, sent: text("sent")? },
            "null-means-absent" => DecodeStep::NullMeansAbsent { location },
            "enum-text" => DecodeStep::EnumText { location },
            "enum-case" => {
                let words = step.get("words").into_iter().flat_map(Value::items).filter_map(Value::as_str);
                DecodeStep::EnumCase { location, words: words.map(std::borrow::Cow::into_owned).collect() }
            }
            _ => return None,
        })
    }

    /// The step as JSON text, `{"step":"rename",…}`.
    pub fn to_json(&self) -> String {
        let mut object = ObjectWriter::new();
        match self {
            DecodeStep::Rename { location, name, sent } => {
                object.string("step", "rename");
                object.string("location", location);
                object.string("name", name);
                object.string("sent", sent);
            }
            DecodeStep::NullMeansAbsent { location } => {
                object.string("step", "null-means-absent");
                object.string("location", location);
            }
            DecodeStep::EnumText { location } => {
                object.string("step", "enum-text");
                object.string("location", location);
            }
            DecodeStep::EnumCase { location, words } => {
                object.string("step", "enum-case");
                object.string("location", location);
                object.strings("words", words);
            }
        }
        object.end()
    }
}

/// Of a contract whose forms multiply past every budget.
const OPEN_OBJECT: &str =
    "the contract has too many forms to be shown: any arguments are shown, the call is checked in full";

impl Contract {
    /// What the profile's reader is shown of this contract, not yet proven: [`Contract::publish`] proves it.
    ///
    /// # Errors
    ///
    /// Returns [`NotAdvertised`] where no arguments satisfy the contract.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Contract, Profile, RootPolicy};
    /// let contract = Contract::from_text(
    ///     r#"{"oneOf":[
    ///         {"type":"object","properties":{"op":{"const":"list"}},"required":["op"]},
    ///         {"type":"object","properties":{"op":{"const":"get"},"id":{"type":"integer"}},"required":["op","id"]}
    ///     ]}"#,
    /// )
    /// .unwrap();
    /// let shown = contract.advertise(Profile::portable(), RootPolicy::Stated).unwrap();
    /// assert_eq!(
    ///     shown.schema,
    ///     r#"{"type":"object","description":"`op` selects the form. list: nothing more. get: needs `id`.","properties":{"op":{"type":"string","enum":["list","get"]},"id":{"type":"integer","description":"Only with `op` = get."}},"required":["op"],"additionalProperties":false}"#
    /// );
    /// ```
    pub fn advertise(&self, profile: &Profile, root_policy: RootPolicy) -> Result<Advertised, NotAdvertised> {
        self.advertise_widened(profile, root_policy, &[])
    }

    /// As [`Contract::advertise`], with any value shown at the locations of `widened`.
    pub(crate) fn advertise_widened(
        &self,
        profile: &Profile,
        root_policy: RootPolicy,
        widened: &[String],
    ) -> Result<Advertised, NotAdvertised> {
        let states_root = root_policy == RootPolicy::Stated;
        // `type: object` said at a root that is named inside would be said there, too: such a contract is shown flat.
        let is_sayable = self.names_root_type() || !self.schema().refers_to_root();
        let profile = match profile.shape {
            Shape::Registered if is_sayable => return Ok(registered::advertise(self, states_root)),
            Shape::Registered => Profile::portable(),
            Shape::Flat => profile,
        };
        let Some(projection) = flat::project(self.schema(), self.policy().limits.show_steps_max) else {
            return Ok(Advertised::open_object(profile));
        };
        let options = emit::Options { states_root, widened };
        let mut emitted = emit::emit(&projection, self.schema(), profile, &options)?;
        let mut is_strict = profile.strict.is_some();
        if let Some(why) = emitted.not_strict.take() {
            is_strict = false;
            let otherwise = profile.strict.and_then(|strict| Profile::named(strict.otherwise));
            emitted = emit::emit(&projection, self.schema(), otherwise.unwrap_or(Profile::portable()), &options)?;
            emitted.notes.insert(0, Note::of_strict(&why));
        }
        Ok(Advertised {
            schema: emitted.text,
            decode: emitted.decode,
            notes: emitted.notes,
            is_strict,
            cost: emitted.cost,
        })
    }
}

impl Advertised {
    /// An estimate of the tokens that the schema takes of a model's context: a token for every four bytes.
    pub fn tokens(&self) -> usize {
        self.schema.len().div_ceil(4)
    }

    /// Why the strict form that was asked for cannot be had, where that is known.
    pub fn not_strict(&self) -> Option<&str> {
        self.notes.iter().find_map(Note::not_strict)
    }

    /// Whether it is what [`Advertised::open_object`] gives.
    pub(crate) fn is_open_object(&self) -> bool {
        self.notes.iter().any(|note| note.what == OPEN_OBJECT)
    }

    /// The widest form that the profile's reader takes: any object. Everything is left to the call's own check.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::{Advertised, Profile};
    /// let shown = |name| Advertised::open_object(Profile::named(name).unwrap()).schema;
    /// assert!(shown("portable").ends_with(r#""properties":{},"additionalProperties":true}"#));
    /// // A reader that does not take the keyword reads its absence as open.
    /// assert!(shown("gemini").ends_with(r#""properties":{}}"#));
    /// ```
    pub fn open_object(profile: &Profile) -> Self {
        let mut members = vec![
            ("type".into(), Form::text("object")),
            ("description".into(), Form::text("Any arguments are shown; the call is checked in full.")),
            ("properties".into(), Form::Object(Vec::new())),
        ];
        if profile.key_policy == KeyPolicy::Always {
            members.push(("additionalProperties".into(), Form::Raw("true".into())));
        }
        let mut schema = String::new();
        Form::Object(members).write(&mut schema);
        let note = Note { location: String::new(), what: OPEN_OBJECT.to_owned() };
        Advertised { schema, decode: Vec::new(), notes: vec![note], is_strict: false, cost: StrictCost::default() }
    }
}

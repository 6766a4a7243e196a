//! What a certificate is to be about. Whoever wrote it chose its options, so they are worked out anew from the contract, the profile
//! and the policy, and held against those inside.

use super::ProveArgs;
use crate::certificates::Line;
use crate::contract_args;
use crate::exit::Exit;
use crate::show::complain;
use std::borrow::Cow;
use std::fmt;
use toolgate::json::{list, quoted};
use toolgate::{Contract, Policy, Profile, Showing};
use toolgate_gateway::policy::{Choices, ProfileChoice, ServerPolicy};
use toolgate_proof::{DecodeStep, Options, Reading, UnknownKeys};

/// Under what the certificates of a file are to have been made.
pub(super) struct Meant {
    policy: ServerPolicy,
}

impl Meant {
    /// What the command line says; what it does not say is as `check` takes a server's list.
    pub(super) fn of(args: &ProveArgs) -> Result<Meant, Exit> {
        let mut policy = match &args.policy {
            None => ServerPolicy::discovered(),
            Some(path) => contract_args::policy(path).map_err(|why| complain(&why, Exit::Configuration))?,
        };
        let origin = &args.origin;
        let (origin, unknown_keys) = (origin.origin.clone(), origin.keys.unknown_keys.clone());
        let choices = Choices { origin, unknown_keys, ..Choices::default() };
        policy.add_for_all(&choices).map_err(|why| complain(&why.to_string(), Exit::Usage))?;
        Ok(Meant { policy })
    }

    /// Holds a certificate's options against those that are meant. `tools` are those of the list that it was made with.
    ///
    /// # Errors
    ///
    /// Names each option that is another, or says why they cannot be told.
    pub(super) fn hold(&self, line: &Line, tools: usize) -> Result<(), Unheld> {
        if !line.certificate.is_proof() {
            return Err(Unheld::Otherwise("it certifies a counterexample, and is no proof".to_owned()));
        }
        let unheld = |why: &str| Unheld::Otherwise(why.to_owned());
        let named = Profile::named(&line.profile).ok_or_else(|| unheld("there is no profile of this name"))?;
        let mut policy = self.policy.clone();
        policy.profile = ProfileChoice::Named(named);
        let showing = policy.showing(None);
        let otherwise = showing.profile.strict.and_then(|strict| Profile::named(strict.otherwise));
        let of_tool = policy.of(&line.tool);
        let of_list = Policy { limits: of_tool.limits.in_list_of(tools), ..of_tool.clone() };
        let has_own_share = of_list.limits != of_tool.limits;
        let contract = Contract::from_text_with(&line.contract, &of_tool)
            .map_err(|_| unheld("the contract does not compile under this policy"))?;
        let shown = |contract: &Contract| {
            let strict_or_not = std::iter::once(showing.profile.clone()).chain(otherwise.map(Cow::Borrowed));
            let mut forms = strict_or_not.map(|profile| Showing { profile, ..showing.clone() });
            forms.find_map(|showing| options(contract, &showing, &line.advertised))
        };
        let meant = shown(&contract).or_else(|| {
            // In a long list a tool has less to spend on its proof, and may be shown wider for it.
            let contract = has_own_share.then(|| Contract::from_text_with(&line.contract, &of_list).ok())??;
            shown(&contract)
        });
        let meant = meant.ok_or(Unheld::InThisForm)?;
        let others = others(line.certificate.options(), &meant);
        if others.is_empty() {
            Ok(())
        } else {
            Err(Unheld::Otherwise(format!("its options are not those that are meant: {others}")))
        }
    }
}

/// Why a certificate is not about what is meant.
pub(super) enum Unheld {
    /// Its form is not what the profile is shown, unless it was made with a longer list.
    InThisForm,
    Otherwise(String),
}

impl fmt::Display for Unheld {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unheld::InThisForm => f.write_str("its profile is shown this contract in another form, under this policy"),
            Unheld::Otherwise(why) => f.write_str(why),
        }
    }
}

/// What this form is proven under; `None` where the contract is not shown so.
fn options(contract: &Contract, showing: &Showing, advertised: &str) -> Option<Options> {
    // Most are shown at once as they stay, with nothing left out of the proof.
    let form = contract.advertise(&showing.profile, showing.root_policy).ok();
    let form = form.filter(|form| contract.set_aside().is_empty() && form.schema == advertised);
    if let Some(form) = form {
        let mut options = toolgate::proof_options(contract.policy());
        options.reading = toolgate::reading(&showing.profile);
        options.decode = form.decode.iter().map(toolgate::DecodeStep::to_proof).collect();
        return Some(options);
    }
    let published = contract.publish(&showing.profile, showing.root_policy).ok()?;
    let published = Some(published).filter(|published| published.advertised.schema == advertised)?;
    published.certificate(contract).map(|certificate| certificate.options().clone())
}

/// The options that differ, each with what it is and what it would be; every field by name so that a new one is not forgotten.
fn others(held: &Options, meant: &Options) -> String {
    let Options { unknown_keys, dialect, discovered, set_aside, decode, reading, any_root, steps_max: _ } = held;
    let Reading {
        absent_additional_is_closed,
        pattern_is_full_match,
        untyped_is_string,
        nullable,
        ignored_keywords,
        ..
    } = reading;
    let with = &meant.reading;
    let word = |dialect: &Option<toolgate_proof::Dialect>| {
        let dialect = dialect.map(super::jsonl::dialect_word);
        dialect.unwrap_or("that of the schemas").to_owned()
    };
    let names = |names: &[String]| list(names.iter().map(|name| quoted(name)));
    let steps = |steps: &[DecodeStep]| list(steps.iter().map(|step| quoted(&step_words(step))));
    let all: [(&str, String, String); 11] = [
        ("unknown_keys", policy_word(*unknown_keys).into(), policy_word(meant.unknown_keys).into()),
        ("discovered", discovered.to_string(), meant.discovered.to_string()),
        ("dialect", word(dialect), word(&meant.dialect)),
        ("set_aside", names(set_aside), names(&meant.set_aside)),
        ("decode", steps(decode), steps(&meant.decode)),
        ("any_root", any_root.to_string(), meant.any_root.to_string()),
        (
            "absent_additional_is_closed",
            absent_additional_is_closed.to_string(),
            with.absent_additional_is_closed.to_string(),
        ),
        ("pattern_is_full_match", pattern_is_full_match.to_string(), with.pattern_is_full_match.to_string()),
        ("untyped_is_string", untyped_is_string.to_string(), with.untyped_is_string.to_string()),
        ("nullable", nullable.to_string(), with.nullable.to_string()),
        ("ignored_keywords", names(ignored_keywords), names(&with.ignored_keywords)),
    ];
    let others = all.iter().filter(|(_, held, meant)| held != meant);
    let others = others.map(|(name, held, meant)| format!("`{name}` is {held} and would be {meant}"));
    others.collect::<Vec<_>>().join("; ")
}

fn policy_word(policy: UnknownKeys) -> &'static str {
    match policy {
        UnknownKeys::CloseRoot => "close-root",
        UnknownKeys::CloseDeclared => "close-declared",
        UnknownKeys::AsWritten => "as-written",
    }
}

fn step_words(step: &DecodeStep) -> String {
    match step {
        DecodeStep::NullMeansAbsent { location } => format!("null-means-absent {location}"),
        DecodeStep::Rename { location, name, sent } => format!("rename {location} {sent} to {name}"),
        DecodeStep::EnumText { location } => format!("enum-text {location}"),
        DecodeStep::EnumCase { location } => format!("enum-case {location}"),
        _ => "a later step".to_owned(),
    }
}

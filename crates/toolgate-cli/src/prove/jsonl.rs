//! `prove --jsonl`: a request read, the verdict written.

use crate::batch::text;
use crate::judge::set_word;
use toolgate::json::{Kind, ObjectWriter, Value, list, quoted};
use toolgate::{DecodeStep, Policy, Profile, Proof, Verdict, proof_options, reading};

struct Request {
    contract: String,
    advertised: String,
    policy: Policy,
    dialect: Option<toolgate_proof::Dialect>,
    profile: Option<&'static Profile>,
    decode: Vec<DecodeStep>,
}

impl Request {
    fn read(request: Value<'_>, mut policy: Policy) -> Result<Self, String> {
        let (mut contract, mut advertised) = (None, None);
        let (mut dialect, mut profile, mut decode) = (None, None, Vec::new());
        for (name, value) in request.members() {
            let name = name.as_str().unwrap_or_default();
            match &*name {
                "id" => {}
                "contract" => contract = Some(value.text().to_owned()),
                "advertised" => advertised = Some(value.text().to_owned()),
                "unknown_keys" | "origin" => set_word(&mut policy, &name, &text(&name, value)?)?,
                "dialect" => dialect = Some(dialect_named(&text(&name, value)?)?),
                "profile" => {
                    profile = Some(Profile::named(&text(&name, value)?).ok_or("there is no profile of this name")?);
                }
                "decode" => decode = steps(value)?,
                _ => return Err("the request has a member that is not known".into()),
            }
        }
        Ok(Request {
            contract: contract.ok_or("the request has no `contract`")?,
            advertised: advertised.ok_or("the request has no `advertised`")?,
            policy,
            dialect,
            profile,
            decode,
        })
    }
}

/// The name of a dialect.
pub(super) fn dialect_word(dialect: toolgate_proof::Dialect) -> &'static str {
    use toolgate_proof::Dialect;
    match dialect {
        Dialect::Draft4 => "draft-04",
        Dialect::Draft6 => "draft-06",
        Dialect::Draft7 => "draft-07",
        Dialect::Draft201909 => "2019-09",
        Dialect::Draft202012 => "2020-12",
        _ => "a later draft",
    }
}

/// The dialect of this name.
pub(super) fn dialect_named(name: &str) -> Result<toolgate_proof::Dialect, String> {
    use toolgate_proof::Dialect;
    Ok(match name {
        "draft-04" => Dialect::Draft4,
        "draft-06" => Dialect::Draft6,
        "draft-07" => Dialect::Draft7,
        "2019-09" => Dialect::Draft201909,
        "2020-12" => Dialect::Draft202012,
        _ => return Err("`dialect` is draft-04, draft-06, draft-07, 2019-09 or 2020-12".into()),
    })
}

/// A list of decode steps.
pub(super) fn steps(value: Value<'_>) -> Result<Vec<DecodeStep>, String> {
    if value.kind() != Kind::Array {
        return Err("`decode` is a list of steps".into());
    }
    value
        .items()
        .map(|step| DecodeStep::from_json(step).ok_or_else(|| "`decode` has a step that is not known".to_owned()))
        .collect()
}

/// Answers one request.
pub(super) fn respond(id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    respond_under(Policy::default(), id, request)
}

/// The same, where a policy says what the request leaves unsaid.
pub(crate) fn respond_under(policy: Policy, id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    let request = Request::read(request, policy)?;
    let mut options = proof_options(&request.policy);
    options.dialect = request.dialect;
    options.decode = request.decode.iter().map(DecodeStep::to_proof).collect();
    if let Some(profile) = request.profile {
        options.reading = reading(profile);
    }
    let proof =
        toolgate_proof::prove(&request.contract, &request.advertised, &options).map_err(|fault| fault.to_string())?;
    let mut object = ObjectWriter::new();
    object.optional("id", id);
    push_proof(&mut object, &proof);
    Ok(object.end())
}

/// Writes the member `proof`.
pub(crate) fn push_proof(object: &mut ObjectWriter, proof: &Proof) {
    let mut member = ObjectWriter::new();
    match &proof.verdict {
        Verdict::Proven => member.string("verdict", "proven"),
        Verdict::Refuted { counterexample, location, keyword } => {
            member.string("verdict", "refuted");
            member.string("counterexample_text", counterexample);
            member.string("location", location);
            member.string("keyword", keyword);
        }
        Verdict::Unknown { location, keyword } => {
            member.string("verdict", "unknown");
            member.string("location", location);
            member.string("keyword", keyword);
        }
        _ => member.string("verdict", "unknown"),
    }
    member.raw("checked_by", &list(proof.checked_by.iter().map(|by| quoted(by))));
    object.raw("proof", &member.end());
}

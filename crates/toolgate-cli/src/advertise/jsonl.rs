//! `advertise --jsonl`: a request read, what is shown and its proof written.

use crate::batch::{aliases, text};
use crate::judge::{defects, set_word};
use crate::prove::push_proof;
use toolgate::json::{ObjectWriter, Value, list};
use toolgate::{Contract, NotAdvertised, Policy, Profile, Published, RootPolicy, Unusable};

struct Request {
    schema: String,
    policy: Policy,
    profile: &'static Profile,
}

impl Request {
    fn read(request: Value<'_>, mut policy: Policy) -> Result<Self, String> {
        let mut schema = None;
        let mut profile = Profile::portable();
        for (name, value) in request.members() {
            let name = name.as_str().unwrap_or_default();
            match &*name {
                "id" => {}
                "schema" => schema = Some(value.text().to_owned()),
                "schema_text" => schema = Some(text(&name, value)?),
                "origin" | "unknown_keys" => set_word(&mut policy, &name, &text(&name, value)?)?,
                "aliases" => policy.aliases = aliases(value)?,
                "profile" => {
                    let name = text(&name, value)?;
                    profile = Profile::named(&name).ok_or("there is no profile of this name")?;
                }
                _ => return Err("the request has a member that is not known".into()),
            }
        }
        let schema = schema.ok_or("the request has neither `schema` nor `schema_text`")?;
        Ok(Request { schema, policy, profile })
    }
}

/// Answers one request.
pub(super) fn respond(id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    respond_under(Policy::default(), id, request)
}

/// The same, where a policy says what the request leaves unsaid.
pub(crate) fn respond_under(policy: Policy, id: Option<&str>, request: Value<'_>) -> Result<String, String> {
    let request = Request::read(request, policy)?;
    let mut object = ObjectWriter::new();
    object.optional("id", id);
    match Contract::from_text_with(&request.schema, &request.policy) {
        Ok(contract) => match contract.publish(request.profile, RootPolicy::Stated) {
            Ok(published) => push_published(&mut object, &published),
            Err(why) => push_not_shown(&mut object, why),
        },
        Err(unusable) => push_unusable(&mut object, &unusable),
    }
    Ok(object.end())
}

/// The answer for a person's `--format json`, of a schema that does not compile.
pub(super) fn unusable(unusable: &Unusable) -> String {
    let mut object = ObjectWriter::new();
    push_unusable(&mut object, unusable);
    format!("{}\n", object.end())
}

/// The same, of a contract of which nothing can be shown.
pub(super) fn not_shown(why: &NotAdvertised) -> String {
    let mut object = ObjectWriter::new();
    push_not_shown(&mut object, *why);
    format!("{}\n", object.end())
}

fn push_unusable(object: &mut ObjectWriter, unusable: &Unusable) {
    object.string("status", "quarantined");
    object.raw("defects", &defects(unusable));
}

fn push_not_shown(object: &mut ObjectWriter, why: NotAdvertised) {
    let mut defect = ObjectWriter::new();
    defect.string("keyword_location", "");
    defect.string("code", NotAdvertised::CODE);
    defect.string("message", why.why);
    object.string("status", "quarantined");
    object.raw("defects", &list(std::iter::once(defect.end())));
}

/// Writes what is shown of a contract, as `machine-interface` names it.
pub(super) fn push_published(object: &mut ObjectWriter, published: &Published) {
    let advertised = &published.advertised;
    object.string("status", "advertised");
    object.raw("schema", &advertised.schema);
    if advertised.is_strict {
        object.raw("strict", "true");
    }
    push_proof(object, &published.proof);
    object.raw("decode", &list(advertised.decode.iter().map(toolgate::DecodeStep::to_json)));
    let notes = advertised.notes.iter().map(|note| {
        let mut object = ObjectWriter::new();
        object.string("location", &note.location);
        object.string("what", &note.what);
        object.end()
    });
    object.raw("notes", &list(notes));
    object.raw("bytes", &advertised.schema.len().to_string());
    object.raw("tokens", &advertised.tokens().to_string());
}

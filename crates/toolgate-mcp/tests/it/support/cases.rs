//! The shared cases, and what the library says to each.

#[path = "../../../../toolgate/tests/it/support/judge_cases.rs"]
mod judge_cases;

#[allow(unused_imports, reason = "each file of tests uses a part")]
pub use judge_cases::{Case, cases, policy};
use serde_json::Value;
use toolgate::{Arguments, Contract};

/// The verdict, and the codes with their places, in an order of their own: the SDK's form of a schema has lost the order of
/// its properties.
#[derive(Clone, Debug, PartialEq)]
pub enum Said {
    /// The arguments as the SDK's build can hold them; `None` where it cannot.
    Admitted(Option<Value>),
    Refused(Vec<(String, String)>),
    Unusable,
    ProtocolError,
}

pub fn refused(violations: &Value) -> Said {
    let violations = violations["violations"].as_array().unwrap();
    let word = |violation: &Value, name: &str| violation[name].as_str().unwrap_or_default().to_owned();
    let mut said: Vec<_> =
        violations.iter().map(|violation| (word(violation, "location"), word(violation, "code"))).collect();
    if said.iter().any(|(_, code)| code == "schema-unusable") {
        return Said::Unusable;
    }
    said.sort();
    Said::Refused(said)
}

pub fn library(case: &Case) -> Said {
    let Ok(contract) = Contract::from_text_with(&case.schema, &policy(&case.request)) else { return Said::Unusable };
    let given = case.arguments.as_deref().map_or_else(Arguments::absent, Arguments::from_bytes);
    match contract.check(given) {
        Ok(admitted) => Said::Admitted(serde_json::from_str(admitted.arguments_text()).ok()),
        Err(refusal) => refused(&serde_json::from_str(&refusal.to_json()).unwrap()),
    }
}

//! For the tests of authors: a client that writes its own lines, and what should hold of every server.
#![allow(clippy::panic, reason = "an assertion that does not hold panics")]

mod client;
mod properties;
mod text;

pub use client::{Called, Client};
pub use text::assert_text_holds;

use crate::modes::Modes;
use serde::de::DeserializeOwned;
use serde_json::Value;
use std::fmt::Debug;
use toolgate::Contract;

/// Members of a contract that a type is tried with.
const MEMBERS_MAX: usize = 256;

/// Every mode can be served in every setting: on each surface, for each provider, with all capabilities and with none.
///
/// # Panics
///
/// Names the mode, the setting and the tools that cannot be served.
pub fn assert_all_compile<S: Send + Sync + 'static>(modes: &Modes<S>) {
    for setting in modes.settings() {
        for mode in modes.names() {
            if let Err(why) = modes.compile(mode, &setting) {
                panic!("in {setting:?}: {why}");
            }
        }
    }
}

/// The type takes whatever its contract admits, and reads all of it (R3.5): tried with members of the contract, among them every
/// key with and without, and both sides of every bound.
///
/// # Panics
///
/// Shows the arguments that are not taken, and why. They are made up. Says so where none can be made of the contract.
///
/// # Example
///
/// ```
/// use toolgate_mcp::toolgate::Contract;
/// let contract = Contract::from_text(r#"{"type":"object","properties":{"n":{"type":"integer","minimum":0,"maximum":9}}}"#)?;
/// toolgate_mcp::testing::assert_type_takes_all::<std::collections::BTreeMap<String, u8>>(&contract);
/// # Ok::<(), toolgate::Unusable>(())
/// ```
pub fn assert_type_takes_all<T: DeserializeOwned>(contract: &Contract) {
    for member in members(contract) {
        if let Err(refusal) = toolgate::read_arguments::<T>(&member) {
            panic!("the contract admits {member}, and the type does not take it: {}", refusal.to_log());
        }
    }
}

/// Members of the contract, of which there is one at least.
fn members(contract: &Contract) -> Vec<String> {
    let members: Vec<String> = contract.members(0).take(MEMBERS_MAX).collect();
    assert!(!members.is_empty(), "no arguments can be made of this contract, so nothing was tried");
    members
}

/// Every declared property of the arguments is read or forwarded, those inside objects and lists too. Each is changed in turn, to
/// another value that the contract admits there or away, with all others the same; `run` runs the handler and returns what it did,
/// such as its answer or what its backend got, and that must differ at least once. It is to start from the same state each time, in
/// which something is found by texts such as `""`, `"5"` and `"true"`.
///
/// # Panics
///
/// Names the properties that make no difference, what is in a list as `steps/*/line`, and those of the arguments themselves of which the
/// contract gives no two values to compare. One inside that cannot be changed alone, such as the key that selects a form, is passed by. Says so where no arguments can be made of the contract.
///
/// # Example
///
/// ```
/// use toolgate_mcp::toolgate::Contract;
/// let contract = Contract::from_text(r#"{"properties":{"a":{"type":"string"},"b":{"type":"boolean"}}}"#)?;
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// toolgate_mcp::testing::assert_every_property_matters(&contract, async |arguments| arguments).await;
/// # });
/// # Ok::<(), toolgate::Unusable>(())
/// ```
pub async fn assert_every_property_matters<W: PartialEq>(contract: &Contract, mut run: impl AsyncFnMut(Value) -> W) {
    let members: Vec<Value> = members(contract).iter().filter_map(|member| serde_json::from_str(member).ok()).collect();
    let mut without_difference = Vec::new();
    for way in properties::declared(contract) {
        let mut pairs = properties::pairs(contract, &members, &way).peekable();
        // What selects the form of an object inside cannot be changed alone.
        let mut matters = way.len() > 1 && pairs.peek().is_none();
        for (one, other) in pairs {
            if run(one).await != run(other).await {
                matters = true;
                break;
            }
        }
        if !matters {
            without_difference.push(properties::shown(&way));
        }
    }
    assert!(
        without_difference.is_empty(),
        "whatever these properties are, the handler does the same: {without_difference:?}"
    );
}

/// The call is refused and has no effect: what `effect` looks at, such as a count of what was done, is the same before and after.
/// Returns the codes with their places, `required@/path` for example.
///
/// # Panics
///
/// Shows what came instead of a refusal, or what has changed.
pub async fn assert_refused_without_effect<W: PartialEq + Debug>(
    client: &mut Client,
    tool: &str,
    arguments: &str,
    effect: impl Fn() -> W,
) -> Vec<String> {
    let before = effect();
    let called = client.call(tool, arguments).await;
    let codes = called.codes();
    assert!(!codes.is_empty(), "the call was not refused: {}", called.message());
    assert_eq!(before, effect(), "the refused call had an effect");
    codes
}

//! Arguments that a contract admits, made of the contract: for examples, and to try a handler's type with.

use crate::contract::Contract;
use crate::publish::proof_options;
use toolgate_proof::{Sampler, SamplerOptions};

impl Contract {
    /// Arguments that the contract admits, as JSON texts, each once: every member of a union, every key with and without,
    /// both sides of a bound. As many as there are within a budget; none where the contract cannot be read by the checker. The
    /// same for the same contract and seed.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::Contract;
    /// let contract = Contract::from_text(r#"{"properties":{"n":{"enum":[1,2]}},"required":["n"]}"#)?;
    /// let mut members: Vec<String> = contract.members(0).collect();
    /// members.sort();
    /// assert_eq!(members, [r#"{"n":1}"#, r#"{"n":2}"#]);
    /// # Ok::<(), toolgate::Unusable>(())
    /// ```
    pub fn members(&self, seed: u64) -> impl Iterator<Item = String> {
        let options = proof_options(self.policy());
        let options = SamplerOptions {
            unknown_keys: options.unknown_keys,
            discovered: options.discovered,
            seed,
            ..SamplerOptions::default()
        };
        Sampler::new(self.schema_text(), options).into_iter().flatten()
    }
}

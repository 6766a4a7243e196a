//! The tools of one server at one moment: name to contract and advertised form. Immutable, swapped whole (R10.1).

use crate::contract::{Admitted, Arguments, Contract, Policy, Unusable};
use crate::refusal::Refusal;
use std::collections::HashMap;

/// Whether the advertised schema says what becomes of undeclared keys at the root (R7.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RootPolicy {
    /// It is said.
    #[default]
    Stated,
    /// It is left unsaid, to save tokens.
    Silent,
}

/// One tool: its definition as served on, and its contract or the reason why it is closed.
#[derive(Debug)]
pub struct Tool {
    name: String,
    definition: String,
    contract: Result<Contract, Unusable>,
    has_output_schema: bool,
}

impl Tool {
    /// The tool's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The JSON text of the tool object for `tools/list`, on one line.
    pub fn definition(&self) -> &str {
        &self.definition
    }

    /// The contract, or why there is none.
    ///
    /// # Errors
    ///
    /// Returns the defects of a tool that is closed.
    pub fn contract(&self) -> Result<&Contract, &Unusable> {
        self.contract.as_ref()
    }

    /// Whether the tool declares an `outputSchema`, beside which a refusal has no `structuredContent` (R6.8).
    pub fn has_output_schema(&self) -> bool {
        self.has_output_schema
    }

    /// Reads and judges arguments; a closed tool refuses them all with `schema-unusable` (R6.1).
    ///
    /// # Errors
    ///
    /// Returns the [`Refusal`].
    pub fn check<'a>(&self, arguments: Arguments<'a>) -> Result<Admitted<'a>, Refusal> {
        self.contract.as_ref().map_err(|_| Refusal::schema_unusable())?.check(arguments)
    }
}

/// A tool definition of a list that is not one: left out of the set, named to the operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its place in the list.
    pub index: usize,
    /// Why, in words.
    pub why: String,
}

/// Name to tool, in the order listed.
#[derive(Debug, Default)]
pub struct ToolSet {
    tools: Vec<Tool>,
    by_name: HashMap<String, usize>,
    misfits: Vec<Misfit>,
}

impl ToolSet {
    /// Compiles the tool objects of a list. `policy` is asked once a tool, by name.
    ///
    /// Never fails: a schema that does not compile closes its own tool, an entry that is no tool object with a name of its
    /// own is a [`Misfit`].
    pub fn compile<'a>(
        definitions: impl IntoIterator<Item = &'a str>,
        root_policy: RootPolicy,
        policy: &dyn Fn(&str) -> Policy,
    ) -> Self {
        let _ = (definitions, root_policy, policy);
        ToolSet::default()
    }

    /// The tool of this name.
    pub fn get(&self, name: &str) -> Option<&Tool> {
        self.by_name.get(name).and_then(|index| self.tools.get(*index))
    }

    /// All tools, in the order listed.
    pub fn tools(&self) -> &[Tool] {
        &self.tools
    }

    /// Entries of the list that are no tools.
    pub fn misfits(&self) -> &[Misfit] {
        &self.misfits
    }

    /// Whether a client would see the same list: a change that is none is not announced (R10.1).
    pub fn same_definitions(&self, other: &ToolSet) -> bool {
        self.tools.len() == other.tools.len()
            && self.tools.iter().zip(&other.tools).all(|(mine, theirs)| mine.definition == theirs.definition)
    }
}

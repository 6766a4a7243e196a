//! Where the contracts of cases come from: the case itself, the contracts of its file, a schema's file, a list of tools.

use super::case::{POLICY, SOURCES};
use crate::input;
use crate::source::Opened;
use crate::target::Target;
use crate::tool::did_you_mean;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toolgate::json::{Kind, Value};
use toolgate::shown_name;
use toolgate_gateway::policy::ServerPolicy;

/// The tool that a contract is of, for whoever asks what a list says of that tool now.
const OF: &str = "of";

/// The contracts that a file of cases names, each as the members of a request.
#[derive(Default)]
pub(super) struct Contracts {
    by_name: BTreeMap<String, Vec<(String, String)>>,
}

impl Contracts {
    /// Adds a contract.
    ///
    /// # Errors
    ///
    /// Says what is wrong with it.
    pub(super) fn add(&mut self, name: &str, contract: Value<'_>) -> Result<(), String> {
        if contract.kind() != Kind::Object {
            return Err(format!("the contract `{}` is no object", shown_name(name)));
        }
        let members = members(contract, |member| member == "contract");
        let is_known = |name: &str| matches!(name, "catalog" | OF) || SOURCES.contains(&name) || POLICY.contains(&name);
        if let Some((member, _)) = members.iter().find(|(member, _)| !is_known(member)) {
            let known = SOURCES.iter().chain(&POLICY).copied();
            let near = did_you_mean(member, known).unwrap_or_default();
            let (name, member) = (shown_name(name), shown_name(member));
            return Err(format!("the contract `{name}` has a member that is not known, `{member}`{near}"));
        }
        match self.by_name.get(name) {
            // Two recorders of one file may both have written it.
            Some(known) if *known == members => Ok(()),
            Some(_) => Err(format!("there are two contracts `{}`", shown_name(name))),
            None => {
                self.by_name.insert(name.to_owned(), members);
                Ok(())
            }
        }
    }

    /// The members of a request, those of the contract that it uses among them. `as_listed`: a contract that says of which tool it is
    /// stands for that tool of the list, whatever schema it names.
    ///
    /// # Errors
    ///
    /// Says that there is no such contract, or that both say something.
    pub(super) fn members_of(&self, request: Value<'_>, as_listed: bool) -> Result<Vec<(String, String)>, String> {
        let own = members(request, |member| member == "use");
        let Some(name) = request.get("use").and_then(Value::as_str) else { return Ok(own) };
        let Some(used) = self.by_name.get(&*name) else {
            let near = did_you_mean(&name, self.by_name.keys().map(String::as_str)).unwrap_or_default();
            return Err(format!("the file has no contract `{}`{near}", shown_name(&name)));
        };
        match own.iter().find(|(member, _)| used.iter().any(|(other, _)| other == member)) {
            Some((member, _)) => Err(format!("`{member}` is said here and by the contract `{}`", shown_name(&name))),
            None => Ok(taken(used, as_listed).into_iter().chain(own).collect()),
        }
    }
}

/// What a contract says: of its own schema, or of its tool in the list.
fn taken(contract: &[(String, String)], as_listed: bool) -> Vec<(String, String)> {
    let of = contract.iter().find(|(name, _)| name == OF && as_listed);
    let is_source = |name: &str| name == "catalog" || SOURCES.contains(&name);
    let kept = contract.iter().filter(|(name, _)| name != OF && !(of.is_some() && is_source(name)));
    kept.cloned().chain(of.map(|(_, tool)| ("tool".to_owned(), tool.clone()))).collect()
}

/// Names and values of an object, but for some.
fn members(object: Value<'_>, is_left_out: impl Fn(&str) -> bool) -> Vec<(String, String)> {
    let named = |(name, value): (Value<'_>, Value<'_>)| {
        (name.as_str().unwrap_or_default().into_owned(), value.text().to_owned())
    };
    object.members().map(named).filter(|(name, _)| !is_left_out(name)).collect()
}

/// Lists of tools and schemas, each file read once.
pub(super) struct Lists<'g> {
    /// What the command line names.
    given: Option<&'g Opened>,
    policy: ServerPolicy,
    /// Contracts stand for the tools that they say they are of.
    pub(super) as_listed: bool,
    catalogs: BTreeMap<PathBuf, Result<Target, String>>,
    schemas: BTreeMap<PathBuf, Result<String, String>>,
}

impl<'g> Lists<'g> {
    pub(super) fn new(given: Option<&'g Opened>, policy: ServerPolicy, as_listed: bool) -> Self {
        Lists { given, policy, as_listed, catalogs: BTreeMap::new(), schemas: BTreeMap::new() }
    }

    /// The list of a file, or the one that the command line names, with the policy of its tools.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub(super) fn of(&mut self, catalog: Option<&Path>) -> Result<(&Target, &ServerPolicy), String> {
        let Some(path) = catalog else {
            let given = self.given.ok_or(
                "it names a tool and no list of tools: give `catalog` beside it, or --catalog, --server or -- COMMAND to this command",
            )?;
            return Ok((&given.target, &given.policy));
        };
        let read = || input::text(path).and_then(|text| Target::read(path, &text));
        let target = self.catalogs.entry(path.to_owned()).or_insert_with(read);
        target.as_ref().map(|target| (target, &self.policy)).map_err(Clone::clone)
    }

    /// The schema of a file.
    ///
    /// # Errors
    ///
    /// Says why there is none.
    pub(super) fn schema(&mut self, path: &Path) -> Result<String, String> {
        let read = || input::one_schema(path).map(|schema| schema.text);
        self.schemas.entry(path.to_owned()).or_insert_with(read).clone()
    }

    /// The files that were read.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        self.catalogs.keys().chain(self.schemas.keys()).map(PathBuf::as_path)
    }
}

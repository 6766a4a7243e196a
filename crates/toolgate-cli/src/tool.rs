//! One tool of a list: found by its name, its contract compiled as the guard would compile it.

use crate::input::only;
use crate::show::notice;
use crate::target::{Target, read_tool};
use std::fmt::Write as _;
use toolgate::json::{Kind, Value};
use toolgate::{Contract, Published, RootPolicy, Unusable, shown_name};
use toolgate_gateway::policy::ServerPolicy;

/// Names that are listed where none is near.
const NAMES_MAX: usize = 12;
/// How alike two names are, of 1, so that one may have been meant.
const LIKENESS_MIN: f64 = 0.6;
/// The contract of a tool that says nothing of its arguments: it takes none.
const NO_ARGUMENTS: &str = r#"{"type":"object"}"#;

/// A tool that can be called.
pub(crate) struct OneTool {
    pub(crate) name: String,
    pub(crate) title: Option<String>,
    pub(crate) description: Option<String>,
    pub(crate) contract: Contract,
}

/// Why there is none.
#[derive(Debug)]
pub(crate) enum NoTool {
    /// No tool has the name.
    Unknown(String),
    /// The list is at fault.
    Broken(String),
    /// The tool's schema does not compile: every call would be refused.
    Unusable(String),
}

impl OneTool {
    /// The tool of this name. Of several, the first is the tool, as it is for the guard and for `check`.
    ///
    /// # Errors
    ///
    /// Says why there is none, and for a name that is not listed which may have been meant.
    pub(crate) fn find(target: &Target, name: &str, policy: &ServerPolicy) -> Result<OneTool, NoTool> {
        let (definition, count) = listed(target, name)?;
        if count > 1 {
            notice(&format!("`{}` is listed {count} times; this is the first of them", shown_name(name)));
        }
        let broken =
            |why: &str| NoTool::Broken(format!("the tool object of `{}` cannot be read: {why}", shown_name(name)));
        let document = read_tool(definition).ok_or_else(|| broken("it is nested too deep"))?;
        let root = document.root();
        let member = |name: &str| only(root, name).map_err(|why| broken(&why));
        let schema = member("inputSchema")?.map_or(NO_ARGUMENTS, Value::text);
        let text = |value: Option<Value<'_>>| value.and_then(Value::as_str).map(std::borrow::Cow::into_owned);
        let contract = Contract::from_text_with(schema, &policy.of(name))
            .map_err(|unusable| NoTool::Unusable(unusable_text(name, &unusable)))?;
        Ok(OneTool {
            name: name.to_owned(),
            title: text(member("title")?),
            description: text(member("description")?),
            contract,
        })
    }

    /// What a model is shown of it, where something can be shown.
    pub(crate) fn published(&self, policy: &ServerPolicy) -> Option<Published> {
        self.contract.publish(&policy.showing(None).profile, RootPolicy::Stated).ok()
    }
}

/// A tool object's name, and its contract; nothing where it has no name.
pub(crate) fn compiled(definition: &str, policy: &ServerPolicy) -> Option<(String, Result<Contract, Unusable>)> {
    let name = name_of(definition)?;
    let document = read_tool(definition)?;
    let schema = only(document.root(), "inputSchema").ok().flatten().map_or(NO_ARGUMENTS, Value::text);
    let contract = Contract::from_text_with(schema, &policy.of(&name));
    Some((name, contract))
}

/// The first tool object of this name, and how many there are.
fn listed<'t>(target: &'t Target, name: &str) -> Result<(&'t str, usize), NoTool> {
    let mut found = target.definitions.iter().filter(|definition| name_of(definition).as_deref() == Some(name));
    let first = found.next().ok_or_else(|| NoTool::Unknown(unknown(target, name)))?;
    Ok((first, 1 + found.count()))
}

/// The input schema of the tool of this name, whether it compiles or not; of two, that of the first, as everywhere.
///
/// # Errors
///
/// Says why there is none, as [`OneTool::find`] does.
pub(crate) fn schema_of(target: &Target, name: &str) -> Result<String, NoTool> {
    let broken = |why: &str| NoTool::Broken(format!("the tool object of `{}` cannot be read: {why}", shown_name(name)));
    let (definition, _) = listed(target, name)?;
    let document = read_tool(definition).ok_or_else(|| broken("it is nested too deep"))?;
    let schema = only(document.root(), "inputSchema").map_err(|why| broken(&why))?;
    Ok(schema.map_or(NO_ARGUMENTS, Value::text).to_owned())
}

/// The name of a tool object.
pub(crate) fn name_of(definition: &str) -> Option<String> {
    let document = read_tool(definition)?;
    let root = document.root();
    (root.kind() == Kind::Object).then(|| root.get("name")?.as_str().map(std::borrow::Cow::into_owned))?
}

fn unknown(target: &Target, name: &str) -> String {
    let names: Vec<String> = target.definitions.iter().filter_map(|definition| name_of(definition)).collect();
    let mut text = format!("there is no tool `{}`", shown_name(name));
    match did_you_mean(name, names.iter().map(String::as_str)) {
        Some(near) => text.push_str(&near),
        None if names.is_empty() => text.push_str("; the list is empty"),
        None => {
            let _ = write!(text, "; there {} {}", if names.len() == 1 { "is" } else { "are" }, names_in_words(&names));
        }
    }
    text
}

/// Names of tools, as many as can be looked over.
pub(crate) fn names_in_words(names: &[String]) -> String {
    let shown = names.iter().take(NAMES_MAX).map(|name| format!("`{}`", shown_name(name)));
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = names.len().saturating_sub(NAMES_MAX);
    if more > 0 { format!("{shown}, and {more} more") } else { shown }
}

/// The question whether a known name was meant, to put behind what says that this one is none.
pub(crate) fn did_you_mean<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    nearest(name, known).map(|near| format!("; did you mean `{}`?", shown_name(near)))
}

/// The name that may have been meant.
fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    nearest_of(name, names, LIKENESS_MIN)
}

/// The name that is likest, where it is at least so like.
pub(crate) fn nearest_of<'n>(name: &str, names: impl Iterator<Item = &'n str>, likeness_min: f64) -> Option<&'n str> {
    // Case and the sign between words are the likeliest slips of all.
    let plain =
        |name: &str| name.chars().filter(|ch| ch.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let wanted = plain(name);
    let likeness = |candidate: &str| strsim::normalized_damerau_levenshtein(&wanted, &plain(candidate));
    let alike =
        names.map(|candidate| (likeness(candidate), candidate)).filter(|(likeness, _)| *likeness >= likeness_min);
    alike
        .fold(None, |best: Option<(f64, &str)>, next| best.filter(|best| best.0 >= next.0).or(Some(next)))
        .map(|(_, name)| name)
}

fn unusable_text(name: &str, unusable: &Unusable) -> String {
    let mut text = format!("the schema of `{}` does not compile, so every call would be refused", shown_name(name));
    for defect in &unusable.defects {
        let place = if defect.keyword_location.is_empty() { "the root" } else { &defect.keyword_location };
        let _ = write!(text, "\n  {place}: {}", defect.message);
    }
    text
}

/// Tool objects as a list, each as its server wrote it.
pub(crate) fn list_text(definitions: &[String]) -> String {
    toolgate::json::list(definitions.iter().map(|definition| one_line(definition)))
}

/// A line's end in JSON is white space between tokens.
pub(crate) fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_may_have_been_meant_is_found() {
        let near = |name| nearest(name, ["list_pages", "click", "take_screenshot"].into_iter());
        assert_eq!(near("list-pages"), Some("list_pages"));
        assert_eq!(near("listPages"), Some("list_pages"));
        assert_eq!(near("clik"), Some("click"));
        assert_eq!(near("upload"), None);
    }

    /// As it is called, so it is tested.
    #[test]
    fn of_two_tools_of_a_name_the_first_is_the_tool() {
        let tool = |kind: &str| format!(r#"{{"name":"a","inputSchema":{{"properties":{{"x":{{"type":"{kind}"}}}}}}}}"#);
        let target = Target::of_server(vec![tool("string"), tool("number")]);
        let schema = schema_of(&target, "a").unwrap_or_else(|_| panic!("there is one"));
        let called =
            OneTool::find(&target, "a", &ServerPolicy::discovered()).unwrap_or_else(|_| panic!("there is one"));
        assert_eq!(schema, called.contract.schema_text());
        assert!(schema.contains("string"), "{schema}");
    }
}

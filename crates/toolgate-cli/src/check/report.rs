//! What was found: the whole set under each profile, and what was allowed of it.

use super::allow::{Allowed, Entry};
use super::certificates::CertificatesFile;
use super::progress::Progress;
use crate::input;
use crate::target::Target;
use std::borrow::Cow;
use std::collections::HashMap;
use toolgate::lint::{self, Finding, Level, Place, Rule, Size, Summary};
use toolgate::{Limits, Policy, ToolSet};
use toolgate_gateway::policy::{ProfileChoice, ServerPolicy};

pub(super) struct Report {
    pub(super) target: Target,
    /// First of the list as a whole, then tool by tool in the list's order.
    pub(super) findings: Vec<Found>,
    pub(super) tools: Vec<Row>,
    pub(super) summaries: Vec<(&'static str, Summary)>,
    pub(super) allowed: Allowed,
}

pub(super) struct Found {
    pub(super) finding: Finding,
    pub(super) is_allowed: bool,
}

/// What one tool takes.
pub(super) struct Row {
    pub(super) name: String,
    /// As it came.
    pub(super) served: Size,
    /// As it is shown under each profile; `None` where it is closed.
    pub(super) shown: Vec<Option<Size>>,
}

impl Report {
    /// Publishes the set for each profile, as the guard does, and asks every rule.
    pub(super) fn make(
        target: Target,
        profiles: &[ProfileChoice],
        mut policy: ServerPolicy,
        allowed: Allowed,
        certificates: Option<&CertificatesFile>,
        progress: &Progress,
    ) -> Report {
        let mut findings: Vec<Finding> = Vec::new();
        let mut tools: Vec<Row> = Vec::new();
        let mut summaries = Vec::new();
        for choice in profiles {
            policy.profile = *choice;
            let (set, name) = publish(&target, &policy, progress);
            let profile = policy.showing(None).profile;
            if summaries.is_empty() {
                findings.extend(lint::tools(&set));
                findings.extend(lint::policy(&set, policy.named_tools()));
                let row = |tool| Row {
                    name: toolgate::Tool::name(tool).to_owned(),
                    served: Size::served(tool),
                    shown: Vec::new(),
                };
                tools = set.tools().iter().map(row).collect();
            }
            findings.extend(lint::shown(&set, &profile));
            if let Some(certificates) = certificates {
                certificates.add(&set, name);
            }
            for (row, tool) in tools.iter_mut().zip(set.tools()) {
                row.shown.push(tool.published().map(|_| Size::shown(tool)));
            }
            summaries.push((name, Summary::of(&set, &profile)));
        }
        progress.end();
        if target.is_schema() {
            // There is no tool that could have one.
            findings.retain(|finding| finding.rule != Rule::DescriptionMissing);
            findings.iter_mut().for_each(|finding| of_one_schema(finding, &target));
        }
        in_order_of(&tools, &mut findings);
        let found = |finding: Finding| Found { is_allowed: allowed.allows(&finding), finding };
        let findings = findings.into_iter().map(found).collect();
        Report { target, findings, tools, summaries, allowed }
    }

    /// Findings that count.
    pub(super) fn counted(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|found| !found.is_allowed).map(|found| &found.finding)
    }

    /// How many of a level.
    pub(super) fn of_level(&self, level: Level) -> usize {
        self.counted().filter(|finding| finding.level() == level).count()
    }

    /// How many at or above a level.
    pub(super) fn denied(&self, level: Level) -> usize {
        self.counted().filter(|finding| finding.level() >= level).count()
    }

    /// How many were allowed.
    pub(super) fn allowed(&self) -> usize {
        self.findings.iter().filter(|found| found.is_allowed).count()
    }

    /// Entries of the allow file that allow nothing.
    pub(super) fn stale(&self) -> impl Iterator<Item = &Entry> {
        self.allowed.stale()
    }
}

/// Of one schema, what cannot be taken at all is the schema: there is no list with an entry.
fn of_one_schema(finding: &mut Finding, target: &Target) {
    if let (Place::Entry(index), Some(definition)) = (&finding.place, target.definitions.first())
        && *index == 0
        && let Err(why) = input::hold_to_limits(definition, &Limits::default())
    {
        let name =
            input::schemas(definition).ok().and_then(|tool| tool.root().get("name")?.as_str().map(Cow::into_owned));
        finding.tool = name;
        finding.rule = Rule::SchemaUnusable;
        finding.place = Place::Schema(String::new());
        finding.message = why;
    }
}

fn publish(target: &Target, policy: &ServerPolicy, progress: &Progress) -> (ToolSet, &'static str) {
    let showing = policy.showing(None);
    let name = showing.profile.name;
    let count = target.definitions.len();
    let definitions = target.definitions.iter().enumerate().map(|(index, definition)| {
        progress.tell(name, index, count);
        definition.as_str()
    });
    // As the guard bounds a list: each tool has its share.
    let policy = |name: &str| {
        let policy = policy.of(name);
        Policy { limits: policy.limits.in_list_of(count), ..policy }
    };
    (ToolSet::publish(definitions, &showing, &policy), name)
}

/// Of each tool all that was found, whichever profile it was found under.
fn in_order_of(tools: &[Row], findings: &mut [Finding]) {
    let places: HashMap<&str, usize> =
        tools.iter().enumerate().map(|(index, row)| (row.name.as_str(), index + 1)).collect();
    findings.sort_by_key(|finding| finding.tool.as_deref().map_or(0, |tool| places.get(tool).copied().unwrap_or(0)));
}

//! A verdict for a person: the reasons, each under its place in the arguments' shape. The shape shows names on the way to
//! a reason and kinds, never a value.

use crate::show::{BAD, DIM, GOOD, NOTE, place, visible};
use std::fmt::Write as _;
use toolgate::json::{Document, Kind, Strictness, Value};
use toolgate::{Admitted, Contract, Limits, Refusal, Unusable, Violation, shown_name};

pub(super) fn render(
    contract: &Result<Contract, Unusable>,
    outcome: &Result<Result<Admitted<'_>, Refusal>, &Unusable>,
    arguments: Option<&[u8]>,
) -> String {
    let mut out = String::new();
    match outcome {
        Ok(Ok(admitted)) => render_admitted(admitted, &mut out),
        Ok(Err(refusal)) => render_refused(refusal, arguments, &mut out),
        Err(unusable) => render_unusable(unusable, &mut out),
    }
    for set_aside in contract.iter().flat_map(|contract| contract.set_aside()) {
        let _ = writeln!(
            out,
            "{NOTE}set aside{NOTE:#} {}: {}",
            place(&set_aside.keyword_location),
            visible(&set_aside.why)
        );
    }
    out
}

fn render_admitted(admitted: &Admitted<'_>, out: &mut String) {
    let _ = writeln!(out, "{GOOD}admitted{GOOD:#}");
    for edit in admitted.edits() {
        let _ =
            writeln!(out, "  {NOTE}read{NOTE:#} {} {DIM}({}){DIM:#}", place(&edit.location.to_pointer()), edit.rule);
    }
    for location in admitted.deferred() {
        let _ = writeln!(out, "  {NOTE}left to the server{NOTE:#} {}", place(&location.to_pointer()));
    }
    for name in admitted.forwarded() {
        let _ = writeln!(out, "  {NOTE}let through{NOTE:#} {}", shown_name(name));
    }
    for violation in admitted.recorded() {
        let _ = writeln!(out, "  {NOTE}recorded{NOTE:#} {}", violation.to_line());
    }
}

fn render_unusable(unusable: &Unusable, out: &mut String) {
    let _ = writeln!(out, "{BAD}unusable{BAD:#}: the schema does not compile, so every call would be refused");
    for defect in &unusable.defects {
        let _ = writeln!(out, "  {}: {}", place(&defect.keyword_location), visible(&defect.message));
    }
}

fn render_refused(refusal: &Refusal, arguments: Option<&[u8]>, out: &mut String) {
    let count = refusal.violations().len() + refusal.more();
    let _ = writeln!(out, "{BAD}refused{BAD:#}, {count} {}", if count == 1 { "reason" } else { "reasons" });
    let document = Document::read(arguments.unwrap_or(b"{}"), Strictness::Frame, &Limits::default());
    let mut shape = Shape {
        violations: refusal.violations().iter().map(|violation| (violation.location.to_pointer(), violation)).collect(),
        out,
    };
    match &document {
        Ok(document) => shape.value("", "", document.root(), 1),
        Err(_) => shape.reasons("", 1, true),
    }
    if refusal.more() > 0 {
        let _ = writeln!(out, "  and {} more", refusal.more());
    }
}

struct Shape<'a> {
    violations: Vec<(String, &'a Violation)>,
    out: &'a mut String,
}

impl Shape<'_> {
    fn line(&mut self, depth: usize, text: &str) {
        let _ = writeln!(self.out, "{:indent$}{text}", "", indent = depth * 2);
    }

    /// Whether some reason lies at or inside the place.
    fn concerns(&self, pointer: &str) -> bool {
        self.violations
            .iter()
            .any(|(at, _)| at.strip_prefix(pointer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }

    /// One value: its kind, the reasons under it, and what is inside as far as reasons lie there.
    fn value(&mut self, pointer: &str, label: &str, value: Value<'_>, depth: usize) {
        let kind = value.kind();
        let (open, close) = match kind {
            Kind::Object => ("{", "}"),
            Kind::Array => ("[", "]"),
            kind => (kind.name(), ""),
        };
        let has_inside = !close.is_empty()
            && self.violations.iter().any(|(at, _)| at.len() > pointer.len() && at.starts_with(pointer));
        let shown = if has_inside || close.is_empty() { open.to_owned() } else { format!("{open} … {close}") };
        self.line(depth, &format!("{DIM}{label}{DIM:#}{shown}"));
        self.reasons(pointer, depth + 1, close.is_empty());
        if has_inside {
            self.inside(pointer, value, depth + 1);
            self.line(depth, close);
        }
    }

    fn inside(&mut self, pointer: &str, value: Value<'_>, depth: usize) {
        let mut skipped = false;
        let members = value.members().map(|(name, value)| (name.as_str().unwrap_or_default().into_owned(), value));
        let items = value.items().enumerate().map(|(index, value)| (index.to_string(), value));
        for (name, inner) in members.chain(items) {
            // A refusal writes a declared name as it is, and another as it may be shown.
            let shown = shown_name(&name);
            let pointers = [&name, &shown].map(|name| format!("{pointer}/{}", toolgate::pointer_segment(name)));
            if let Some(at) = pointers.iter().find(|at| self.concerns(at)) {
                self.value(at, &format!("{shown}: "), inner, depth);
            } else {
                skipped = true;
            }
        }
        if skipped {
            self.line(depth, &format!("{DIM}…{DIM:#}"));
        }
    }

    /// The reasons at a place; at a leaf also those inside it, which lie in text that decodes.
    fn reasons(&mut self, pointer: &str, depth: usize, is_leaf: bool) {
        let here: Vec<&Violation> = self
            .violations
            .iter()
            .filter(|(at, _)| {
                at == pointer || is_leaf && at.strip_prefix(pointer).is_some_and(|rest| rest.starts_with('/'))
            })
            .map(|(_, violation)| *violation)
            .collect();
        for violation in here {
            self.line(depth, &format!("{BAD}^{BAD:#} {}", violation.to_line()));
            if let Some(hint) = &violation.hint {
                self.line(depth, &format!("  {NOTE}hint:{NOTE:#} {hint}"));
            }
        }
    }
}

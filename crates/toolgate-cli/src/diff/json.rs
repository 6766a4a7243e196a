//! What has changed, for a program: one object.

use super::change::{Changed, Difference, What};
use super::places::Place;
use super::relation::{Compared, Side};
use toolgate::json::{ObjectWriter, list};

pub(super) fn render(differences: &[Difference]) -> String {
    let mut object = ObjectWriter::new();
    object.raw("changed", if differences.iter().all(Difference::is_none) { "false" } else { "true" });
    object.raw("diffs", &list(differences.iter().map(difference)));
    object.end() + "\n"
}

fn difference(difference: &Difference) -> String {
    let mut object = ObjectWriter::new();
    object.string("old", &difference.old);
    object.string("new", &difference.new);
    object.raw("tools", &list(difference.tools.iter().map(tool)));
    object.count("unchanged", difference.unchanged);
    object.end()
}

fn tool(tool: &Changed) -> String {
    let mut object = ObjectWriter::new();
    object.string("name", &tool.name);
    let status = match &tool.what {
        What::Added { .. } => "added",
        What::Removed => "removed",
        What::Changed { .. } => "changed",
    };
    object.string("status", status);
    object.optional("old_digest", tool.digests.0.as_deref());
    object.optional("new_digest", tool.digests.1.as_deref());
    match &tool.what {
        What::Added { description } => object.optional("description", description.as_deref()),
        What::Removed => {}
        What::Changed { calls, places } => {
            if let Some(calls) = calls {
                let mut member = ObjectWriter::new();
                push_compared(&calls.whole, &mut member);
                let arguments = calls.arguments.iter().map(|(name, compared)| {
                    let mut argument = ObjectWriter::new();
                    argument.string("name", name);
                    push_compared(compared, &mut argument);
                    argument.end()
                });
                member.raw("arguments", &list(arguments));
                object.raw("calls", &member.end());
            }
            object.raw("places", &list(places.iter().map(place)));
        }
    }
    object.end()
}

fn push_compared(compared: &Compared, object: &mut ObjectWriter) {
    object.string("relation", compared.relation().word());
    for (name, side) in [("lost", &compared.lost), ("gained", &compared.gained)] {
        let mut member = ObjectWriter::new();
        match side {
            Side::None => continue,
            Side::Some { example, location, keyword } => {
                member.string("example_text", example);
                member.string("location", location);
                member.string("keyword", keyword);
            }
            Side::Unknown(why) => member.string("unknown", why),
        }
        object.raw(name, &member.end());
    }
}

fn place(place: &Place) -> String {
    let mut object = ObjectWriter::new();
    object.string("location", &place.location);
    if let Some(old) = &place.old {
        object.raw("old", old);
    }
    if let Some(new) = &place.new {
        object.raw("new", new);
    }
    object.end()
}

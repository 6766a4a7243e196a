//! What a place takes, in a few words.

use super::super::join::{End, NumberRange};
use super::super::states::Conj;
use super::text::{counted, quoted_pattern, some};
use super::{ANY_VALUE, Phrases};
use crate::json::Slot;
use crate::location::shown_word;
use crate::schema::NodeId;
use crate::schema::kinds::Kinds;

impl<'s> Phrases<'s> {
    /// A conj in a few words: `integer 1 to 5`, `one of a, b`, `list of string`.
    pub(super) fn brief(self, conj: &[NodeId]) -> String {
        let kinds = self.nodes(conj).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        self.brief_of(conj, kinds, self.listed(conj).as_deref())
    }

    pub(super) fn brief_of(self, conj: &[NodeId], kinds: Kinds, values: Option<&[Slot]>) -> String {
        if let Some(values) = values {
            let words: Vec<String> = values.iter().map(|slot| self.word(*slot)).collect();
            return match words.as_slice() {
                [] => "nothing".to_owned(),
                [only] => only.clone(),
                _ => format!("one of {}", some(words.into_iter())),
            };
        }
        if kinds == Kinds::ALL {
            return ANY_VALUE.to_owned();
        }
        let mut brief = String::new();
        for word in kinds.words() {
            if !brief.is_empty() {
                brief.push_str(" or ");
            }
            match word {
                "array" => brief.push_str(&self.list(conj)),
                "integer" | "number" => brief.extend([word, &self.range(conj)]),
                "string" => brief.extend([word, &self.lengths(conj)]),
                _ => brief.push_str(word),
            }
        }
        brief
    }

    fn list(self, conj: &[NodeId]) -> String {
        let items: Conj = self.nodes(conj).filter_map(|node| node.array.as_ref()?.items).collect();
        let kinds = self.nodes(&items).fold(Kinds::ALL, |kinds, node| kinds & node.admits);
        let rules = || self.nodes(conj).filter_map(|node| node.array.as_deref());
        let counts = counted(rules().map(|rules| (rules.min, rules.max)), "item");
        let mut words = kinds.words();
        match (words.next(), words.next()) {
            (Some(only), None) if !items.is_empty() => {
                format!("list of {only}{}", counts.replacen(" of ", " with ", 1))
            }
            _ => format!("list{counts}"),
        }
    }

    fn range(self, conj: &[NodeId]) -> String {
        let NumberRange { lower, upper, step } =
            NumberRange::of_rules(self.nodes(conj).filter_map(|node| node.number.as_deref()));
        let said = |end: Option<End>, inclusive: &str, exclusive: &str| {
            end.map_or_else(String::new, |end| {
                format!(" {} {}", if end.is_exclusive { exclusive } else { inclusive }, shown_word(&end.literal))
            })
        };
        let ends = match (lower, upper) {
            (Some(lower), Some(upper)) if !lower.is_exclusive && !upper.is_exclusive => {
                format!(" {} to {}", shown_word(&lower.literal), shown_word(&upper.literal))
            }
            (lower, upper) => said(lower, "from", "above") + &said(upper, "up to", "below"),
        };
        let step = step.map_or_else(String::new, |step| format!(" in steps of {}", shown_word(&step)));
        ends + &step
    }

    /// How long the strings of a conj are and what they match.
    fn lengths(self, conj: &[NodeId]) -> String {
        let rules = || self.nodes(conj).filter_map(|node| node.string.as_deref());
        if rules().next().is_none() {
            return String::new();
        }
        let mut said = counted(rules().map(|rules| (rules.min, rules.max)), "character");
        let patterns =
            rules().flat_map(|rules| &rules.patterns).filter_map(|(pattern, _)| self.schema.pattern(*pattern));
        let mut sources: Vec<&str> = patterns.map(|pattern| pattern.source()).collect();
        sources.dedup();
        let sources: Vec<String> = sources.into_iter().map(quoted_pattern).collect();
        if !sources.is_empty() {
            said.push_str(&format!(" that matches {}", sources.join(" and ")));
        }
        said
    }
}

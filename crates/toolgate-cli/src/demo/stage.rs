//! Plays one scene: the same call to both servers, and whether each did what the scene tells of.

use super::session::{Answer, Fault, Session};
use serde_json::Value;
use toolgate_demo::World;

/// One call, and what is to come of it.
pub(super) struct Scene {
    pub(super) title: &'static str,
    pub(super) tool: &'static str,
    /// The text that is sent.
    pub(super) arguments: &'static str,
    /// The part of it that is wrong.
    pub(super) point: &'static str,
    /// What the server did without the guard, in words; `None` when it did something else.
    pub(super) alone: fn(&Seen) -> Option<String>,
    pub(super) guarded: Guarded,
    /// The call as a model sends it after reading the refusal, and what then came of it.
    pub(super) mended: Option<Mended>,
}

/// What the guard is to do.
pub(super) enum Guarded {
    /// Refuse for these reasons, in this order, and let nothing through. The answer must not hold `unsaid`.
    Refuses { what: &'static str, codes: &'static [&'static str], unsaid: Option<&'static str> },
    /// Forward the call as it was meant: the server gets these arguments.
    Reads { received: &'static str, effect: fn(&Seen) -> Option<String> },
    /// Forward the call as it is, and hand on the server's own answer.
    Leaves { what: &'static str },
}

pub(super) struct Mended {
    pub(super) arguments: &'static str,
    /// The part of it that was mended.
    pub(super) point: &'static str,
    pub(super) effect: fn(&Seen) -> Option<String>,
}

/// A call as it was seen: the world before it, its answer, the world after it.
pub(super) struct Seen {
    pub(super) before: World,
    pub(super) answer: Answer,
    pub(super) after: World,
}

/// What is to be shown of a scene.
pub(super) struct Shown {
    pub(super) alone: Told,
    pub(super) guarded: Told,
    pub(super) kind: Kind,
    pub(super) mended: Option<Told>,
    /// Whether the server alone ran the call as if nothing were wrong.
    pub(super) ran_alone: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Refused,
    Read,
    Left,
}

/// A sentence about what happened, or `None` where the story was not true; and the words that go with it.
pub(super) struct Told {
    pub(super) what: Option<String>,
    pub(super) words: Words,
}

pub(super) enum Words {
    /// What the model was told.
    ToModel(String),
    /// The arguments that the server got.
    ToServer(&'static str),
}

/// What came of all scenes.
#[derive(Default)]
pub(super) struct Tally {
    pub(super) calls: usize,
    pub(super) refused: usize,
    pub(super) read: usize,
    pub(super) left: usize,
    pub(super) ran_alone: usize,
    pub(super) untrue: usize,
}

impl Tally {
    pub(super) fn count(&mut self, shown: &Shown) {
        self.calls += 1;
        self.ran_alone += usize::from(shown.ran_alone);
        match shown.kind {
            Kind::Refused => self.refused += 1,
            Kind::Read => self.read += 1,
            Kind::Left => self.left += 1,
        }
        let told = [Some(&shown.alone), Some(&shown.guarded), shown.mended.as_ref()];
        self.untrue += usize::from(told.into_iter().flatten().any(|told| told.what.is_none()));
    }
}

pub(super) fn play(scene: &Scene, alone: &mut Session, guarded: &mut Session) -> Result<Shown, Fault> {
    let without = see(alone, scene.tool, scene.arguments)?;
    let with = see(guarded, scene.tool, scene.arguments)?;
    let (kind, what) = judge(&scene.guarded, &without, &with);
    let words = match (&scene.guarded, &what) {
        (Guarded::Reads { received, .. }, Some(_)) => Words::ToServer(received),
        _ => Words::ToModel(with.answer.text.clone()),
    };
    let mended = match &scene.mended {
        Some(mended) => {
            let seen = see(guarded, scene.tool, mended.arguments)?;
            Some(Told { what: (mended.effect)(&seen), words: Words::ToModel(seen.answer.text) })
        }
        None => None,
    };
    Ok(Shown {
        alone: Told { what: (scene.alone)(&without), words: Words::ToModel(without.answer.text.clone()) },
        guarded: Told { what, words },
        kind,
        mended,
        ran_alone: !without.answer.wrong,
    })
}

fn see(session: &mut Session, tool: &str, arguments: &str) -> Result<Seen, Fault> {
    let before = session.world()?;
    let answer = session.call(tool, arguments)?;
    let after = session.world()?;
    Ok(Seen { before, answer, after })
}

fn judge(guarded: &Guarded, without: &Seen, with: &Seen) -> (Kind, Option<String>) {
    match guarded {
        Guarded::Refuses { what, codes, unsaid } => {
            let as_told = with.answer.wrong
                && with.answer.codes == *codes
                && with.after == with.before
                && unsaid.is_none_or(|unsaid| !with.answer.body.to_string().contains(unsaid));
            (Kind::Refused, as_told.then(|| (*what).to_owned()))
        }
        Guarded::Reads { received, effect } => {
            let as_told =
                with.calls_that_arrived() == 1 && with.last_arguments() == serde_json::from_str(received).ok();
            (Kind::Read, effect(with).filter(|_| as_told))
        }
        Guarded::Leaves { what } => {
            let as_told = with.calls_that_arrived() == 1
                && with.last_arguments() == without.last_arguments()
                && with.answer == without.answer;
            (Kind::Left, as_told.then(|| (*what).to_owned()))
        }
    }
}

impl Seen {
    pub(super) fn calls_that_arrived(&self) -> usize {
        self.after.received.len().saturating_sub(self.before.received.len())
    }

    pub(super) fn last_arguments(&self) -> Option<Value> {
        self.after.received.last().map(|received| Value::Object(received.arguments.clone()))
    }

    /// Whether the file is another than before.
    pub(super) fn edited(&self, path: &str) -> bool {
        self.before.files.get(path) != self.after.files.get(path)
    }

    /// Whether the server did its work and said so.
    pub(super) fn done(&self) -> bool {
        !self.answer.wrong && self.calls_that_arrived() == 1
    }
}

#[cfg(test)]
mod tests {
    //! The demo is a test only if it can fail: each outcome that is not the one told of has to be seen.

    use super::*;
    use serde_json::json;
    use toolgate_demo::Received;

    fn seen(wrong: bool, codes: &[&str], body: Value, arrived: Option<Value>) -> Seen {
        let codes = codes.iter().map(|&code| code.to_owned()).collect();
        let mut after = World::default();
        if let Some(Value::Object(arguments)) = arrived {
            after.received.push(Received { tool: "t".into(), arguments });
        }
        Seen { before: World::default(), answer: Answer { body, wrong, text: String::new(), codes }, after }
    }

    fn as_told(guarded: &Guarded, without: &Seen, with: &Seen) -> bool {
        judge(guarded, without, with).1.is_some()
    }

    const REFUSES: Guarded = Guarded::Refuses { what: "refused", codes: &["type"], unsaid: Some("sk-1") };
    const LEAVES: Guarded = Guarded::Leaves { what: "left" };
    const READS: Guarded = Guarded::Reads { received: r#"{"n":1}"#, effect: |_| Some(String::new()) };

    #[test]
    fn a_refusal_has_its_codes_says_no_secret_and_lets_nothing_through() {
        let without = seen(false, &[], json!({}), Some(json!({})));
        assert!(as_told(&REFUSES, &without, &seen(true, &["type"], json!({}), None)));
        assert!(!as_told(&REFUSES, &without, &seen(false, &["type"], json!({}), None)));
        assert!(!as_told(&REFUSES, &without, &seen(true, &["enum"], json!({}), None)));
        assert!(!as_told(&REFUSES, &without, &seen(true, &["type", "type"], json!({}), None)));
        assert!(!as_told(&REFUSES, &without, &seen(true, &["type"], json!("it was sk-1"), None)));
        assert!(!as_told(&REFUSES, &without, &seen(true, &["type"], json!({}), Some(json!({})))));
    }

    #[test]
    fn a_call_that_is_read_arrives_once_with_the_arguments_that_were_meant() {
        let without = seen(true, &[], json!({}), Some(json!({"n": "1"})));
        assert!(as_told(&READS, &without, &seen(false, &[], json!({}), Some(json!({"n": 1})))));
        assert!(!as_told(&READS, &without, &seen(false, &[], json!({}), Some(json!({"n": "1"})))));
        assert!(!as_told(&READS, &without, &seen(true, &["type"], json!({}), None)));
    }

    #[test]
    fn a_call_that_is_left_arrives_as_sent_and_is_answered_by_the_server() {
        let without = seen(true, &[], json!({"a": 1}), Some(json!({"d": {}})));
        assert!(as_told(&LEAVES, &without, &seen(true, &[], json!({"a": 1}), Some(json!({"d": {}})))));
        assert!(!as_told(&LEAVES, &without, &seen(true, &[], json!({"a": 2}), Some(json!({"d": {}})))));
        assert!(!as_told(&LEAVES, &without, &seen(true, &[], json!({"a": 1}), Some(json!({"d": 1})))));
        assert!(!as_told(&LEAVES, &without, &seen(true, &["anyOf"], json!({"a": 1}), None)));
    }

    #[test]
    fn one_untrue_part_makes_a_scene_untrue() {
        let told = |what: Option<&str>| Told { what: what.map(str::to_owned), words: Words::ToModel(String::new()) };
        let shown = |alone, guarded, mended| Shown { alone, guarded, mended, kind: Kind::Refused, ran_alone: true };
        let mut tally = Tally::default();
        tally.count(&shown(told(Some("")), told(Some("")), None));
        assert_eq!((tally.calls, tally.untrue), (1, 0));
        tally.count(&shown(told(None), told(Some("")), None));
        tally.count(&shown(told(Some("")), told(None), None));
        tally.count(&shown(told(Some("")), told(Some("")), Some(told(None))));
        assert_eq!((tally.calls, tally.untrue, tally.refused), (4, 3, 4));
    }
}

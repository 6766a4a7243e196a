//! What a judge case expects, held against the answer of `toolgate judge --jsonl`.

use super::answer::Answer;
use super::value::{Alike, count, is_true, same, text, texts};
use crate::input;
use toolgate::json::{Kind, Value};
use toolgate::shown_name;

/// Whether the answer is as expected, or as one of the alternatives.
///
/// # Errors
///
/// Says in what the answer is not the first of them.
pub(super) fn hold(expect: Value<'_>, answer: &Answer) -> Result<(), String> {
    super::any_of(expect, |one| one_of(one, answer, expect))
}

/// `main` says what may not be shown where an alternative does not.
fn one_of(expect: Value<'_>, answer: &Answer, main: Value<'_>) -> Result<(), String> {
    let verdict = text(expect, "verdict").unwrap_or_default();
    if verdict == "error" {
        return if answer.error().is_some() { Ok(()) } else { Err("wanted an error, got a verdict".into()) };
    }
    if let Some(why) = answer.error() {
        return Err(format!("wanted {verdict}, got an error: {why}"));
    }
    let got = text(answer.root(), "verdict").unwrap_or_default();
    if got != verdict {
        return Err(format!("wanted {verdict}, got {got}"));
    }
    match &*verdict {
        "admitted" => admitted(expect, answer.root()),
        "refused" => {
            refused(expect, answer.root())?;
            shown(expect, answer, main)
        }
        _ => Ok(()),
    }
}

fn admitted(expect: Value<'_>, answer: Value<'_>) -> Result<(), String> {
    let arguments = text(answer, "arguments_text").unwrap_or_default();
    let wanted =
        text(expect, "arguments_text").or_else(|| expect.get("arguments").map(|value| value.text().to_owned()));
    if let Some(wanted) = wanted {
        let alike = Alike { digits: is_true(expect, "digits_exact"), order: is_true(expect, "member_order") };
        same_texts(&wanted, &arguments, alike)?;
    }
    let rules: Vec<String> =
        answer.get("edits").iter().flat_map(|edits| edits.items()).filter_map(|edit| text(edit, "rule")).collect();
    if let Some(edits) = expect.get("edits") {
        if edits.is_empty() && !rules.is_empty() {
            return Err(format!("nothing was to be edited, and there are edits: {}", rules.join(", ")));
        }
        if let Some(absent) = texts(Some(edits)).into_iter().find(|rule| !rules.contains(rule)) {
            return Err(format!("the edit {absent} is not reported"));
        }
    }
    if let Some(deferred) = expect.get("deferred") {
        let (mut wanted, mut got) = (texts(Some(deferred)), texts(answer.get("deferred")));
        wanted.sort();
        got.sort();
        if wanted != got {
            return Err(format!("deferred: wanted {wanted:?}, got {got:?}"));
        }
    }
    let recorded = || answer.get("recorded").into_iter().flat_map(Value::items);
    match expect.get("recorded") {
        Some(wanted) if wanted.is_empty() && recorded().next().is_some() => {
            Err("nothing was to be recorded, and something is".into())
        }
        Some(wanted) => all_there(wanted, recorded, "recorded violation"),
        None => Ok(()),
    }
}

/// Compares two texts of arguments.
pub(super) fn same_texts(wanted: &str, got: &str, alike: Alike) -> Result<(), String> {
    let (Ok(wanted), Ok(got)) = (input::document(wanted), input::document(got)) else {
        return Err("the arguments are not JSON".into());
    };
    if same(wanted.root(), got.root(), alike) {
        Ok(())
    } else {
        Err("the arguments are not those that were expected".into())
    }
}

fn all_there<'a, I: Iterator<Item = Value<'a>>>(
    wanted: Value<'_>,
    among: impl Fn() -> I,
    what: &str,
) -> Result<(), String> {
    match wanted.items().find(|one| !among().any(|violation| fits(*one, violation))) {
        Some(absent) => Err(format!("there is no {what} {}", absent.text())),
        None => Ok(()),
    }
}

fn refused(expect: Value<'_>, answer: Value<'_>) -> Result<(), String> {
    let violations = || answer.get("violations").into_iter().flat_map(Value::items);
    let wanted = expect.get("violations");
    if let Some(wanted) = wanted {
        all_there(wanted, violations, "violation")?;
    }
    let is_expected =
        |violation: Value<'_>| wanted.is_some_and(|wanted| wanted.items().any(|one| fits(one, violation)));
    if is_true(expect, "only")
        && let Some(further) = violations().find(|violation| !is_expected(*violation))
    {
        return Err(format!("there is a further violation, {}", brief(further)));
    }
    for code in texts(expect.get("no_code")) {
        if violations().any(|violation| violation.get("code").is_some_and(|got| got.is_str(&code))) {
            return Err(format!("the code {code} may not be reported"));
        }
    }
    if let Some(ordered) = expect.get("ordered") {
        let locations: Vec<String> = violations().filter_map(|violation| text(violation, "location")).collect();
        let places: Vec<Option<usize>> =
            texts(Some(ordered)).iter().map(|wanted| locations.iter().position(|got| got == wanted)).collect();
        if !places.is_sorted() {
            return Err(format!("the violations are in another order: {}", locations.join(", ")));
        }
    }
    let (listed, more) = (violations().count(), count(answer, "more").unwrap_or(0));
    if count(expect, "max_violations").is_some_and(|most| listed > most) {
        return Err(format!("{listed} violations are listed"));
    }
    if count(expect, "more").is_some_and(|wanted| wanted != more)
        || count(expect, "more_at_least").is_some_and(|least| more < least)
    {
        return Err(format!("{more} further violations are counted"));
    }
    let words = text(answer, "text").unwrap_or_default();
    match texts(expect.get("text_has")).into_iter().find(|word| !words.contains(word)) {
        Some(word) => Err(format!("the text does not say {word:?}")),
        None => Ok(()),
    }
}

/// What the answer may not and must show, anywhere.
fn shown(expect: Value<'_>, answer: &Answer, main: Value<'_>) -> Result<(), String> {
    if let Some(most) = count(expect, "max_names_shown") {
        let shown = texts(expect.get("max_names")).iter().filter(|name| answer.line().contains(*name)).count();
        if shown > most {
            return Err(format!("{shown} of the undeclared names are shown"));
        }
    }
    let of_main = |name: &str| expect.get(name).or_else(|| main.get(name));
    let words = text(answer.root(), "text").unwrap_or_default();
    for word in texts(of_main("must_not")) {
        let is_shown = if is_unseen(&word) { words.contains(&word) } else { answer.says(&word) };
        if is_shown {
            return Err(format!("the answer shows {word:?}"));
        }
    }
    match texts(of_main("must_list")).into_iter().find(|word| !answer.says(word)) {
        Some(word) => Err(format!("the answer does not say {word:?}")),
        None => Ok(()),
    }
}

/// Whether a text has a character that is escaped wherever it is shown.
fn is_unseen(text: &str) -> bool {
    text.chars().any(|ch| ch != '\\' && shown_name(ch.encode_utf8(&mut [0; 4])).starts_with('\\'))
}

/// Whether a violation is the one that is expected; what is not said of it may be anything.
fn fits(wanted: Value<'_>, violation: Value<'_>) -> bool {
    let is_one_of = |name: &str| {
        let got = text(violation, name).unwrap_or_default();
        match wanted.get(name) {
            None => true,
            Some(any) if any.kind() == Kind::Null => true,
            some => texts(some).contains(&got),
        }
    };
    let has_all = |name: &str| {
        let got = texts(violation.get(name));
        texts(wanted.get(name)).iter().all(|word| got.contains(word))
    };
    let suggested = texts(violation.get("suggest"));
    let is_suggested = match wanted.get("suggest") {
        None => true,
        Some(none) if none.kind() == Kind::Null => suggested.is_empty(),
        some => texts(some).iter().all(|name| suggested.contains(name)),
    };
    is_one_of("location") && is_one_of("code") && has_all("missing") && has_all("unknown") && is_suggested
}

fn brief(violation: Value<'_>) -> String {
    let code = text(violation, "code").unwrap_or_default();
    format!("{code} at {}", crate::show::place(&text(violation, "location").unwrap_or_default()))
}

//! Text for a terminal: how wide it is, and how texts of strangers are shown in it without steering it.
//!
//! Colours are dropped by the stream where they are not wanted (a pipe, `NO_COLOR`); nothing is said by colour alone.

pub(crate) mod json;

use crate::exit::Exit;
use anstyle::{AnsiColor, Style};
use std::io::{IsTerminal, Write};
use toolgate::shown_name;
use unicode_width::UnicodeWidthChar;

pub(crate) const GOOD: Style = AnsiColor::Green.on_default().bold();
pub(crate) const BAD: Style = AnsiColor::Red.on_default().bold();
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default().bold();
pub(crate) const NOTE: Style = AnsiColor::Cyan.on_default();
pub(crate) const BOLD: Style = Style::new().bold();
pub(crate) const DIM: Style = Style::new().dimmed();

/// Of a terminal that does not say, and of what is no terminal.
const WIDTH: usize = 80;
/// Narrower than this, nothing is legible.
const WIDTH_MIN: usize = 40;
/// Wider than this, lines are hard to follow.
const WIDTH_MAX: usize = 160;

/// The columns to write in on standard output: what `COLUMNS` says, else what the terminal says. Elsewhere nothing is wrapped.
pub(crate) fn width() -> usize {
    width_of(std::io::stdout().is_terminal())
}

/// The same on standard error.
pub(crate) fn error_width() -> usize {
    width_of(std::io::stderr().is_terminal())
}

fn width_of(is_terminal: bool) -> usize {
    let said = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok());
    let terminal = || terminal_size::terminal_size().map_or(WIDTH, |(size, _)| usize::from(size.0));
    let columns = said.or_else(|| is_terminal.then(terminal));
    columns.map_or(usize::MAX, |columns: usize| columns.clamp(WIDTH_MIN, WIDTH_MAX))
}

/// The columns for what is laid out in lines of its own, such as JSON, also where nothing is wrapped.
pub(crate) fn page(width: usize) -> usize {
    if width == usize::MAX { WIDTH } else { width }
}

/// The columns of the screen; in a pipe nothing is wrapped whatever `COLUMNS` says, so that a line there is one thing.
pub(crate) fn screen() -> usize {
    if std::io::stdout().is_terminal() { width() } else { usize::MAX }
}

/// Text that may be a stranger's: control, bidirectional and invisible characters are escaped.
pub(crate) fn visible(text: &str) -> String {
    if text.bytes().all(|byte| (0x20..0x7f).contains(&byte)) {
        return text.to_owned();
    }
    text.chars().map(|ch| shown_name(ch.encode_utf8(&mut [0; 4]))).collect()
}

/// The same for a text of several lines.
fn visible_lines(text: &str) -> String {
    text.lines().map(visible).collect::<Vec<_>>().join("\n")
}

/// A pointer for a line of text, cut name by name; its names are a stranger's.
pub(crate) fn place(pointer: &str) -> String {
    if pointer.is_empty() {
        return "the root".to_owned();
    }
    pointer.split('/').map(shown_name).collect::<Vec<_>>().join("/")
}

/// Columns that a text takes.
pub(crate) fn columns(text: &str) -> usize {
    text.chars().map(|ch| ch.width().unwrap_or(0)).sum()
}

/// The text in lines of at most `width` columns, broken between words, and inside one that is longer than a line.
pub(crate) fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && columns(&line) + 1 + columns(word) > width {
            lines.push(std::mem::take(&mut line));
        } else if !line.is_empty() {
            line.push(' ');
        }
        while columns(word) > width {
            let (head, _) = split_columns(word, width);
            // A pointer is broken between its names, where there is one on the line.
            let end = head.rfind('/').filter(|at| *at > 0).unwrap_or(head.len());
            let (head, tail) = word.split_at_checked(end).unwrap_or((word, ""));
            lines.push(head.to_owned());
            word = tail;
        }
        line.push_str(word);
    }
    if !line.is_empty() || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// As much as fits into `width` columns, at least one character, and the rest.
pub(crate) fn split_columns(text: &str, width: usize) -> (&str, &str) {
    let mut taken = 0;
    let over = text.char_indices().find(|(at, ch)| {
        taken += ch.width().unwrap_or(0);
        *at > 0 && taken > width
    });
    text.split_at_checked(over.map_or(text.len(), |(at, _)| at)).unwrap_or((text, ""))
}

/// The text, filled up to `width` columns.
pub(crate) fn filled(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

/// Wrapped text under a label: the first line after it, further lines under the first.
pub(crate) fn labelled(label: &str, style: Style, label_width: usize, text: &str, width: usize, out: &mut String) {
    let lines = wrapped(text, width.saturating_sub(label_width).max(20));
    for (index, line) in lines.iter().enumerate() {
        let label = if index == 0 { label } else { "" };
        let gap = " ".repeat(label_width.saturating_sub(columns(label)));
        let label = if label.is_empty() { String::new() } else { format!("{style}{label}{style:#}") };
        out.push_str(format!("{label}{gap}{line}").trim_end());
        out.push('\n');
    }
}

/// A word as a shell takes it for one.
pub(crate) fn quoted_for_shell(word: &str) -> String {
    let is_plain = |ch: char| ch.is_ascii_alphanumeric() || "-_./:=,@%+".contains(ch);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A count with its thousands apart.
pub(crate) fn count(count: usize) -> String {
    let digits = count.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 tool`, `2 tools`.
pub(crate) fn counted(number: usize, one: &str) -> String {
    format!("{} {one}{}", count(number), if number == 1 { "" } else { "s" })
}

/// Writes a whole text for people to standard output. Texts of strangers in it are [`visible`]: where no colours are wanted, what
/// looks like one is dropped.
pub(crate) fn print(text: &str) -> Result<(), Exit> {
    write_to(anstream::stdout().lock(), text)
}

/// Writes what is not ours to style, byte for byte. Whoever writes a stranger's text to a terminal has made it harmless.
pub(crate) fn print_plain(text: &str) -> Result<(), Exit> {
    write_to(std::io::stdout().lock(), text)
}

/// Where standard output was closed (`>&-`) nobody is told: the runtime has opened `/dev/null` in its place before `main`, for
/// reading and writing, and what starts programs from Python or Node opens it in the same way for whoever wants no output. The two
/// cannot be told apart, and the second is no mistake.
fn write_to(mut out: impl Write, text: &str) -> Result<(), Exit> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        // A reader that has gone away, as in `toolgate check … | head`, has read enough.
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(unwritten(&error)),
    }
}

/// Writes JSON text to standard output. On a terminal, what could steer it is written as JSON escapes it; elsewhere it stays as it is.
pub(crate) fn print_json(text: &str) -> Result<(), Exit> {
    if std::io::stdout().is_terminal() { print_plain(&json::harmless(text)) } else { print_plain(text) }
}

/// Says that an answer was lost.
pub(crate) fn unwritten(error: &std::io::Error) -> Exit {
    complain(&format!("cannot write to standard output: {error}"), Exit::Output)
}

/// Says what its user should know and that is no mistake.
pub(crate) fn notice(text: &str) {
    let _ = writeln!(anstream::stderr(), "{NOTE}note:{NOTE:#} {}", visible_lines(text));
}

/// Says what has been done.
pub(crate) fn say(text: &str) {
    let _ = writeln!(anstream::stderr(), "{}", visible_lines(text));
}

/// Says what is wrong, and with what the program ends for it.
pub(crate) fn complain(why: &str, exit: Exit) -> Exit {
    let _ = writeln!(anstream::stderr(), "{BAD}error:{BAD:#} {}", visible_lines(why));
    exit
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_whole_where_they_fit() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped("a abcdefghij b", 4), ["a", "abcd", "efgh", "ij b"]);
        assert_eq!(wrapped("/one/two/three", 10), ["/one/two", "/three"]);
        assert_eq!(wrapped("", 4), [""]);
        assert_eq!(wrapped("港湾の水", 4), ["港湾", "の水"]);
    }

    #[test]
    fn counts_can_be_read() {
        assert_eq!([count(0), count(999), count(1_000), count(1_234_567)], ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([counted(1, "tool"), counted(2, "tool")], ["1 tool", "2 tools"]);
    }

    #[test]
    fn no_text_steers_the_terminal() {
        let shown = visible("a\u{1b}[31mb\u{202e}c\u{9b}d");
        assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{shown}");
        assert_eq!(place("/a\nb/c"), "/a\\u{a}b/c");
    }
}

//! How a scene looks: a title, and beneath it what was sent, what came of it without the guard, and what with it.
//!
//! Colours are dropped by the stream where they are not wanted (a pipe, `NO_COLOR`); nothing is said by colour alone.

use super::stage::{Kind, Scene, Shown, Tally, Told, Words};
use anstyle::{AnsiColor, Style};
use std::io::{self, Write};

/// Where the text begins, after the label.
const INDENT: usize = 14;

const BOLD: Style = Style::new().bold();
const DIM: Style = Style::new().dimmed();
const PLAIN: Style = Style::new();
const BAD: Style = AnsiColor::Red.on_default();
const GOOD: Style = AnsiColor::Green.on_default();
const BAD_POINT: Style = AnsiColor::Yellow.on_default().bold();
const GOOD_POINT: Style = AnsiColor::Green.on_default().bold();
const COMMAND: Style = AnsiColor::Cyan.on_default();

pub(super) struct Screen<W> {
    out: W,
    /// Columns of a line.
    width: usize,
    number: usize,
    /// What cannot be written must not keep the session from its end.
    fault: Option<io::Error>,
}

/// Whether what happened is what one would have wished.
#[derive(Clone, Copy)]
enum Mark {
    Bad,
    Good,
}

impl<W: Write> Screen<W> {
    pub(super) fn new(out: W, width: usize) -> Self {
        Screen { out, width, number: 0, fault: None }
    }

    pub(super) fn opening(&mut self) {
        self.prose("Calls as models really write them", ", each sent to a bare server and to one behind toolgate.");
        self.line(&format!("{DIM}│ what the model was told   → what the server got{DIM:#}"));
    }

    pub(super) fn scene(&mut self, scene: &Scene, shown: &Shown) {
        self.number += 1;
        let Self { number, .. } = self;
        let title = format!("{BOLD}{number:>2}  {}{BOLD:#}", scene.title);
        self.line("");
        self.line(&title);
        self.call("sent", scene.tool, scene.arguments, (BAD_POINT, scene.point));
        self.told("without", if shown.kind == Kind::Left { Mark::Good } else { Mark::Bad }, &shown.alone);
        self.told("toolgate", Mark::Good, &shown.guarded);
        if let (Some(mended), Some(told)) = (&scene.mended, &shown.mended) {
            self.call("mended", scene.tool, mended.arguments, (GOOD_POINT, mended.point));
            self.told("", Mark::Good, told);
        }
    }

    pub(super) fn closing(&mut self, tally: &Tally) {
        self.line("");
        let Tally { calls, refused, read, left, ran_alone, untrue } = tally;
        if *untrue > 0 {
            self.line(&format!("{BAD}{untrue} of {calls} scenes did not go as they should.{BAD:#}"));
            return;
        }
        self.prose(
            &format!("{calls} calls"),
            &format!(
                ": {refused} refused in words to mend them by, {read} read as they were meant, {left} left to its server."
            ),
        );
        self.prose(
            "",
            &format!(
                "No refused call reached the server. The bare one ran {ran_alone} of the wrong calls and called each a success."
            ),
        );
        self.line("");
        self.line(&format!("Next, before a server of yours:      {COMMAND}toolgate run -- COMMAND ARGS…{COMMAND:#}"));
        self.line(&format!("or this one, for a client of yours:  {COMMAND}toolgate demo --serve{COMMAND:#}"));
    }

    /// A sentence that begins in bold.
    fn prose(&mut self, head: &str, rest: &str) {
        for row in wrapped(&format!("{head}{rest}"), self.width) {
            let row = match row.strip_prefix(head).filter(|_| !head.is_empty()) {
                Some(rest) => format!("{BOLD}{head}{BOLD:#}{rest}"),
                None => row,
            };
            self.line(&row);
        }
    }

    /// The call as it was sent, with the part that matters made visible.
    fn call(&mut self, label: &str, tool: &str, arguments: &str, (style, point): (Style, &str)) {
        let styled = format!("{DIM:#}{style}{point}{style:#}{DIM}");
        let rows = wrapped(&format!("{tool} {arguments}"), self.width - INDENT);
        let rows = rows.into_iter().map(|row| format!("{DIM}{}{DIM:#}", row.replace(point, &styled)));
        self.rows(label, PLAIN, rows);
    }

    fn told(&mut self, label: &str, mark: Mark, told: &Told) {
        let (style, sign, what) = match (&told.what, mark) {
            (Some(what), Mark::Good) => (GOOD, "✓", what.as_str()),
            (Some(what), Mark::Bad) => (BAD, "✗", what.as_str()),
            (None, _) => (BAD, "✗", "NOT AS IT SHOULD BE"),
        };
        let rows = wrapped(what, self.width - INDENT - 2).into_iter().enumerate();
        let rows = rows.map(|(at, row)| format!("{style}{} {row}{style:#}", if at == 0 { sign } else { " " }));
        self.rows(label, style, rows);
        let (sign, words) = match &told.words {
            Words::ToModel(text) => ("│", text.as_str()),
            Words::ToServer(arguments) => ("→", *arguments),
        };
        let width = self.width - INDENT - 2;
        let rows = words.lines().flat_map(|line| wrapped(line, width));
        self.rows("", PLAIN, rows.map(|row| format!("{DIM}{sign}{DIM:#} {row}")));
    }

    fn rows(&mut self, label: &str, style: Style, rows: impl Iterator<Item = String>) {
        for (at, row) in rows.enumerate() {
            let label = if at == 0 { label } else { "" };
            self.line(&format!("    {style}{label:<8}{style:#}  {row}"));
        }
    }

    fn line(&mut self, line: &str) {
        if self.fault.is_none() {
            self.fault = writeln!(self.out, "{line}").err();
        }
    }

    /// Whether all of it was written. A reader that has gone away, as in `toolgate demo | head`, has read enough.
    pub(super) fn end(mut self) -> io::Result<()> {
        match self.fault.take().map_or_else(|| self.out.flush(), Err) {
            Err(fault) if fault.kind() != io::ErrorKind::BrokenPipe => Err(fault),
            _ => Ok(()),
        }
    }
}

/// Rows of at most `width` characters, broken after a comma or a space where one is not too far from the end. Further rows
/// are indented as the first.
fn wrapped(text: &str, width: usize) -> Vec<String> {
    let mut rows = Vec::new();
    let indent: String = text.chars().take_while(|c| *c == ' ').take(width / 4).collect();
    let mut rest: Vec<char> = text.chars().collect();
    while rest.len() > width {
        let fits = rest.get(..width).unwrap_or_default();
        let last = |wanted: char| fits.iter().rposition(|c| *c == wanted).map(|at| at + 1).filter(|at| at * 2 > width);
        let json = fits.contains(&'{');
        let cut = if json { last(',').or(last(' ')) } else { last(' ') }.unwrap_or(width);
        rows.push(rest.drain(..cut).collect::<String>().trim_end().to_owned());
        rest.splice(..0, indent.chars());
    }
    rows.push(rest.into_iter().collect());
    rows
}

#[cfg(test)]
mod tests {
    use super::wrapped;

    #[test]
    fn wraps_prose_at_spaces_and_arguments_after_commas() {
        assert_eq!(wrapped("one two three", 8), ["one two", "three"]);
        assert_eq!(wrapped(r#"t {"a":"b c","d":1}"#, 16), [r#"t {"a":"b c","#, r#""d":1}"#]);
    }

    #[test]
    fn cuts_a_word_that_fits_no_row() {
        assert_eq!(wrapped("abcdefghij", 4), ["abcd", "efgh", "ij"]);
    }

    #[test]
    fn keeps_the_indentation() {
        assert_eq!(wrapped("  one two three", 11), ["  one two", "  three"]);
    }

    #[test]
    fn keeps_what_fits() {
        assert_eq!(wrapped("abc", 3), ["abc"]);
        assert_eq!(wrapped("", 3), [""]);
    }
}

//! What differs from shell to shell: the script, how the words of the line come, and how what is offered goes back.

use super::Offer;
use crate::show::visible;
use clap_complete::Shell;
use clap_complete::env::Shells;
use std::env;
use std::ffi::OsString;
use std::io::Write;
use std::str::FromStr;

/// Set by the script: which shell asks.
const VARIABLE: &str = "TOOLGATE_COMPLETE";

/// Set by the script of bash: the word that is completed as it is written.
const WRITTEN: &str = "TOOLGATE_COMPLETE_WORD";

/// The script of PowerShell. It runs nothing of the line: its words are handed over as they are written.
const POWERSHELL: &str = r#"Register-ArgumentCompleter -Native -CommandName toolgate -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $words = @(foreach ($element in $commandAst.CommandElements) {
        if ($element.Extent.StartOffset -ge $cursorPosition) { break }
        if ($element -is [System.Management.Automation.Language.StringConstantExpressionAst]) { $element.Value }
        else { $element.Extent.Text }
    })
    if ($wordToComplete -eq '') { $words += '' }
    $shell, $index = $env:TOOLGATE_COMPLETE, $env:_CLAP_COMPLETE_INDEX
    try {
        $env:TOOLGATE_COMPLETE = 'powershell'
        $env:_CLAP_COMPLETE_INDEX = [string]($words.Count - 1)
        $offered = @(& toolgate -- @words)
    } finally {
        $env:TOOLGATE_COMPLETE, $env:_CLAP_COMPLETE_INDEX = $shell, $index
    }
    foreach ($line in $offered) {
        $word, $about = $line -split "`t", 2
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
}
"#;

/// The script with which a shell asks.
pub(super) fn script(shell: Shell) -> String {
    if shell == Shell::PowerShell {
        return POWERSHELL.to_owned();
    }
    let mut script = Vec::new();
    if let Some(shell) = Shells::builtins().completer(&shell.to_string()) {
        // What is written to memory is written.
        let _ = shell.write_registration(VARIABLE, "toolgate", "toolgate", "toolgate", &mut script);
    }
    let mut script = String::from_utf8_lossy(&script).trim().to_owned() + "\n";
    if shell == Shell::Bash {
        // The word that is completed comes without an open quote and without a sign that bash takes for a word.
        let asks = format!("{VARIABLE}=\"bash\"");
        script = script.replace(&asks, &format!("{WRITTEN}=\"${{COMP_WORDS[COMP_CWORD]}}\" \\\n        {asks}"));
    }
    if shell == Shell::Zsh {
        // What is added by a function is quoted, also the sign for a home: files below one are left to the shell.
        let adds = "    if [[ -n $completions ]]; then\n";
        let files = "    if [[ -n $completions && ${words[CURRENT]} == \\~* ]]; then\n        _files\n    elif [[ -n $completions ]]; then\n";
        script = script.replace(adds, files);
        // As a file of $fpath it is run for the first completion, which it has to answer itself.
        script.push_str("[[ $funcstack[1] == _toolgate ]] && _clap_dynamic_completer_toolgate\n");
    }
    script
}

/// A shell's question.
pub(super) struct Asked {
    shell: Shell,
    /// The words up to the one that is completed, which is the last, as the program would get them.
    pub(super) words: Vec<OsString>,
    /// The words after it.
    pub(super) after: Vec<OsString>,
    /// How much of the last word the shell takes for words of their own.
    apart: usize,
    /// bash goes on inside quotes that are open in it.
    is_quoted: bool,
    /// It begins with the sign for a home, which means one outside of quotes alone.
    is_home: bool,
}

impl Asked {
    /// The question, where this run is one.
    pub(super) fn read() -> Option<Self> {
        let shell = Shell::from_str(env::var_os(VARIABLE)?.to_str()?).ok()?;
        let mut words: Vec<OsString> = env::args_os().skip_while(|word| word != "--").skip(1).collect();
        let index = env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse::<usize>().ok());
        let index = index.unwrap_or(words.len().saturating_sub(1));
        let after = words.split_off(words.len().min(index.saturating_add(1)));
        if words.len() == index {
            words.push(OsString::new());
        }
        let mut apart = 0;
        let written = env::var(WRITTEN).ok().filter(|_| shell == Shell::Bash).unwrap_or_default();
        if shell == Shell::Bash {
            if let Some(last) = words.last_mut().filter(|_| is_sign(&written)) {
                *last = OsString::from(&written);
            }
            let mut texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
            take_at(&mut texts, &written);
            let joined = join(&texts);
            let last = texts.last().map_or("", String::as_str);
            let is_sign = is_sign(last);
            let whole = joined.last().map_or("", String::as_str);
            apart = if is_sign { whole.len() } else { whole.len().saturating_sub(last.len()) };
            words = joined.iter().map(OsString::from).collect();
        }
        let is_home = words.last().is_some_and(|word| word.to_string_lossy().starts_with("~/"));
        match shell {
            Shell::Bash | Shell::Zsh => words = words.into_iter().map(unquoted).collect(),
            // The others come as they are meant, the one that is completed as it is written.
            Shell::Fish => {
                let last = words.pop().map(unquoted);
                words.extend(last);
            }
            _ => {}
        }
        Some(Asked { shell, words, after, apart, is_quoted: written.contains(['"', '\'']), is_home })
    }

    /// Prints what is offered, as the script reads it. Nobody is there to be told that it cannot be written.
    pub(super) fn print(&self, offers: &[Offer]) {
        // What a server lists may not steer the terminal, nor what the line does when it is sent.
        let plain = offers.iter().filter(|offer| !offer.word.is_empty() && visible(&offer.word) == offer.word);
        let lines = plain.filter_map(|offer| self.line(offer));
        let between = if self.shell == Shell::Bash { "\u{b}" } else { "\n" };
        let _ = std::io::stdout().write_all(lines.collect::<Vec<_>>().join(between).as_bytes());
    }

    fn line(&self, offer: &Offer) -> Option<String> {
        let Offer { word, about } = offer;
        match self.shell {
            // Which quotes are open where is bash's to know: what means the same in all of them is offered.
            Shell::Bash if self.is_quoted => {
                let word = word.get(self.apart..)?;
                word.chars().all(|ch| is_plain(ch) || ch == ' ').then(|| word.to_owned())
            }
            // bash looks for files of these names, also behind quotes.
            Shell::Bash if word.contains(['*', '?', '[', '(']) => None,
            Shell::Bash => {
                let word = word.get(self.apart..)?;
                if let Some(below) = word.strip_prefix("~/").filter(|_| self.is_home) {
                    return Some(format!(
                        "~/{}",
                        shlex::try_quote(below).ok().filter(|_| !below.is_empty()).unwrap_or_default()
                    ));
                }
                Some(if word.chars().all(is_plain) {
                    word.to_owned()
                } else {
                    shlex::try_quote(word).ok()?.into_owned()
                })
            }
            Shell::Zsh => {
                let word = word.replace('\\', "\\\\").replace(':', "\\:");
                Some(if about.is_empty() { word } else { format!("{word}:{}", about.replace('\\', "\\\\")) })
            }
            Shell::PowerShell if !word.chars().all(|ch| ch.is_alphanumeric() || "-_./\\:=".contains(ch)) => None,
            Shell::Fish | Shell::PowerShell if !about.is_empty() => Some(format!("{word}\t{about}")),
            _ => Some(word.clone()),
        }
    }
}

/// A sign that means itself to every shell, in quotes and without.
fn is_plain(ch: char) -> bool {
    ch.is_alphanumeric() || "-_./:=,@%+".contains(ch)
}

/// bash takes `=` and `:` for words of their own, with what stands before and after them.
fn join(words: &[String]) -> Vec<String> {
    let mut joined: Vec<String> = Vec::new();
    let mut goes_on = false;
    for (index, word) in words.iter().enumerate() {
        let is_sign = index > 1 && is_sign(word);
        match joined.last_mut().filter(|_| goes_on || is_sign) {
            Some(last) => last.push_str(word),
            None => joined.push(word.clone()),
        }
        goes_on = is_sign;
    }
    joined
}

/// bash takes `@` for the end of a word, and begins the one that is completed with it once more.
fn take_at(words: &mut Vec<String>, written: &str) {
    let [.., before, last] = words.as_mut_slice() else { return };
    if last.starts_with('@') && !written.starts_with('@') && before.ends_with('@') {
        before.pop();
        if before.is_empty() {
            words.remove(words.len() - 2);
        }
    }
}

fn is_sign(word: &str) -> bool {
    !word.is_empty() && word.chars().all(|ch| matches!(ch, '=' | ':'))
}

/// A word without its quotes, of which the last may still be open.
fn unquoted(word: OsString) -> OsString {
    let Some(text) = word.to_str() else { return word };
    let closed = ["", "'", "\""].iter().find_map(|end| shlex::split(&format!("{text}{end}")));
    match closed.as_deref() {
        Some([one]) => OsString::from(one),
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_bash_takes_apart_is_put_together() {
        let joined = |words: &str| join(&words.split(' ').map(str::to_owned).collect::<Vec<_>>());
        assert_eq!(joined("toolgate call x --kind = dr"), ["toolgate", "call", "x", "--kind=dr"]);
        assert_eq!(joined("toolgate call https : //a/b --n := 7"), ["toolgate", "call", "https://a/b", "--n:=7"]);
        assert_eq!(joined("toolgate tools"), ["toolgate", "tools"]);
    }

    #[test]
    fn what_bash_begins_once_more_is_taken_once() {
        let taken = |words: &str, written: &str| {
            let mut words: Vec<String> = words.split(' ').map(str::to_owned).collect();
            take_at(&mut words, written);
            words.join(" ")
        };
        assert_eq!(taken("--args @ @to", "to"), "--args @to");
        assert_eq!(taken("--args =@ @to", "to"), "--args = @to");
        assert_eq!(taken("--args @", "@"), "--args @");
        assert_eq!(taken("--x @ @to", "@to"), "--x @ @to");
    }

    #[test]
    fn quotes_are_taken_off() {
        let read = |word: &str| unquoted(OsString::from(word));
        for word in ["two words", "it's", ""] {
            assert_eq!(read(&shlex::try_quote(word).unwrap()), word);
        }
        assert_eq!(
            (read("'two w"), read("\"two w"), read("two\\ w")),
            ("two w".into(), "two w".into(), "two w".into())
        );
    }

    #[test]
    fn what_is_offered_can_be_run_as_it_stands() {
        let line = |shell, word: &str| {
            Asked { shell, words: Vec::new(), after: Vec::new(), apart: 0, is_quoted: false, is_home: false }
                .line(&Offer::new(word, "one\ntwo"))
        };
        assert_eq!(line(Shell::Bash, "`reboot`").as_deref(), Some("'`reboot`'"));
        assert_eq!(line(Shell::Bash, "$(reboot)"), None);
        assert_eq!(line(Shell::Bash, "two words").as_deref(), Some("'two words'"));
        assert_eq!(line(Shell::PowerShell, "$(reboot)"), None);
        assert_eq!(line(Shell::Zsh, "a:b").as_deref(), Some("a\\:b:one"));
        assert_eq!(line(Shell::Fish, "a").as_deref(), Some("a\tone"));
        let bash = |apart, is_quoted, is_home| Asked {
            shell: Shell::Bash,
            words: Vec::new(),
            after: Vec::new(),
            apart,
            is_quoted,
            is_home,
        };
        let quoted = bash(0, true, false);
        assert_eq!(quoted.line(&Offer::new("two words", "")).as_deref(), Some("two words"));
        for word in ["$(reboot)", "`reboot`", "it's", "now!", "a\"b", "a\\b"] {
            assert_eq!(quoted.line(&Offer::new(word, "")), None, "{word}");
        }
        assert_eq!(line(Shell::Bash, "*"), None);
        let home = |word: &str| bash(0, false, true).line(&Offer::new(word, ""));
        assert_eq!(home("~/two words").as_deref(), Some("~/'two words'"));
        assert_eq!(home("~/notes/").as_deref(), Some("~/notes/"));
        assert_eq!(bash(0, false, false).line(&Offer::new("~/a", "")).as_deref(), Some("'~/a'"));
        let apart = bash(7, false, false);
        assert_eq!(apart.line(&Offer::new("--kind=drive", "")).as_deref(), Some("drive"));
    }
}

//! One form for texts that mean the same, and the digest that a text is known by.

use sha2::{Digest, Sha256};
use std::fmt::Write;

/// A prompt's text as it is loaded, served and digested: without a byte order mark, with line feeds as line ends, without white
/// space at the ends of lines, without empty lines at both ends, and with one line feed at the end. That is what editors,
/// version control and form fields change by themselves. Nothing else is changed, the composition of characters neither:
/// whoever has changed that has changed the text.
///
/// # Example
///
/// ```
/// use toolgate_mcp::prompts::normalise;
/// assert_eq!(normalise("\u{feff}\r\ntitle: Look  \r\n---\r\nLook.\r\n\r\n"), "title: Look\n---\nLook.\n");
/// assert_eq!(normalise("  Indented.\n\n\nApart."), "  Indented.\n\n\nApart.\n");
/// ```
pub fn normalise(text: &str) -> String {
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let mut normal = String::with_capacity(text.len() + 1);
    let mut empty_lines = 0;
    for line in text.split('\n').map(str::trim_end) {
        // A mark is one only where the text begins.
        let line = if normal.is_empty() { line.trim_start_matches('\u{feff}').trim_end() } else { line };
        if line.is_empty() {
            empty_lines += 1;
            continue;
        }
        if !normal.is_empty() {
            normal.extend(std::iter::repeat_n('\n', empty_lines));
        }
        empty_lines = 0;
        normal.push_str(line);
        normal.push('\n');
    }
    normal
}

/// The SHA-256 of the text as it is loaded, in hexadecimal.
///
/// # Example
///
/// ```
/// use toolgate_mcp::prompts::digest;
/// assert_eq!(digest("Look.\n"), digest("Look. \r\n\r\n"));
/// assert_ne!(digest("Look.\n"), digest("look.\n"));
/// ```
pub fn digest(text: &str) -> String {
    Sha256::digest(normalise(text)).iter().fold(String::with_capacity(64), |mut hex, byte| {
        // Writing to a string cannot fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_editors_change_by_themselves_changes_no_digest() {
        let shipped = "title: Look\n---\nLook.\n\n  Closer.\n";
        for same in [
            "title: Look\r\n---\r\nLook.\r\n\r\n  Closer.\r\n",
            "title: Look\r---\rLook.\r\r  Closer.\r",
            "\u{feff}title: Look\n---\nLook.\n\n  Closer.",
            "\n \ntitle: Look \n---\t\nLook.\n\t\n  Closer.\n\n\n",
        ] {
            assert_eq!(normalise(same), shipped);
            assert_eq!(digest(same), digest(shipped));
        }
        for other in [
            "title: Look\n---\nLook.\n  Closer.\n",
            "title: Look\n---\nLook.\n\nCloser.\n",
            "title: Look\n---\nLook.\n\n\n  Closer.\n",
            "title:  Look\n---\nLook.\n\n  Closer.\n",
        ] {
            assert_ne!(digest(other), digest(shipped), "{other:?}");
        }
        assert_ne!(digest("caf\u{e9}\n"), digest("cafe\u{301}\n"));
    }

    #[test]
    fn the_digest_is_the_usual_one() {
        assert_eq!(digest("abc"), "edeaaff3f1774ad2888673770c6d64097e391bc362d7d6fb34982ddf0efd18cb");
    }

    #[test]
    fn normal_text_stays() {
        let mut state = 7_u32;
        for _ in 0..2000 {
            let text: String = (0..12)
                .map(|_| {
                    state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                    ['\r', '\n', ' ', '\t', 'a', '\u{feff}', '\u{a0}', '-'][(state >> 28) as usize % 8]
                })
                .collect();
            let normal = normalise(&text);
            assert_eq!(normalise(&normal), normal, "{text:?}");
        }
    }
}

//! The words by which a policy is said: in policy files, on the command line, in the environment and in the machine
//! interface. One table for all of them.

use crate::contract::{Judge, OptIns, Origin, Unions, UnknownKeys};
use crate::tool_set::RootPolicy;
use std::fmt;
use std::str::FromStr;

/// A word that none of the choices has. Says in words which ones there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownWord {
    /// The words that there are.
    pub admitted: &'static [&'static str],
}

impl fmt::Display for UnknownWord {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("is none of ")?;
        for (index, word) in self.admitted.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(f, "{comma}`{word}`")?;
        }
        Ok(())
    }
}

impl std::error::Error for UnknownWord {}

macro_rules! words {
    ($choice:ident: $($word:literal => $variant:ident),+) => {
        impl $choice {
            /// The words for the choices, the default first.
            pub const WORDS: &'static [&'static str] = &[$($word),+];
        }

        impl FromStr for $choice {
            type Err = UnknownWord;

            /// Reads one of [`Self::WORDS`], exactly as it is written there.
            fn from_str(word: &str) -> Result<Self, UnknownWord> {
                match word {
                    $($word => Ok($choice::$variant),)+
                    _ => Err(UnknownWord { admitted: Self::WORDS }),
                }
            }
        }
    };
}

words!(Origin: "authored" => Authored, "discovered" => Discovered);
words!(Judge: "contract" => Contract, "server" => Server);
words!(UnknownKeys: "close-root" => CloseRoot, "close-declared" => CloseDeclared, "as-written" => AsWritten);
words!(Unions: "labelled" => Labelled, "remote" => Remote, "local" => Local);
words!(RootPolicy: "stated" => Stated, "silent" => Silent);

impl OptIns {
    /// The names that [`OptIns::set`] takes.
    pub const WORDS: &'static [&'static str] = &[
        "null-means-absent",
        "empty-means-absent",
        "wrap-single",
        "object-as-text",
        "assert-formats",
        "null-arguments",
        "agent-text",
    ];

    /// Switches on the readings of these names.
    ///
    /// # Errors
    ///
    /// Returns the names that there are, where one is none of them.
    ///
    /// # Example
    ///
    /// ```
    /// use toolgate::OptIns;
    /// let mut options = OptIns::default();
    /// options.set_all(["wrap-single"]).unwrap();
    /// assert!(options.wrap_single);
    /// assert!(options.set_all(["wrap"]).unwrap_err().to_string().contains("`wrap-single`"));
    /// ```
    pub fn set_all<'w>(&mut self, names: impl IntoIterator<Item = &'w str>) -> Result<(), UnknownWord> {
        match names.into_iter().all(|name| self.set(name)) {
            true => Ok(()),
            false => Err(UnknownWord { admitted: Self::WORDS }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_word_is_the_default_and_another_case_is_no_word() {
        assert_eq!(Origin::WORDS[0].parse(), Ok(Origin::default()));
        assert_eq!(Judge::WORDS[0].parse(), Ok(Judge::default()));
        assert_eq!(UnknownKeys::WORDS[0].parse(), Ok(UnknownKeys::default()));
        assert_eq!(Unions::WORDS[0].parse(), Ok(Unions::default()));
        assert_eq!(RootPolicy::WORDS[0].parse(), Ok(RootPolicy::default()));
        let mistake = "Local".parse::<Unions>().unwrap_err();
        assert_eq!(mistake.to_string(), "is none of `labelled`, `remote`, `local`");
    }

    #[test]
    fn every_opt_in_has_its_word() {
        let mut options = OptIns::default();
        for word in OptIns::WORDS {
            let before = options;
            assert!(options.set(word), "{word}");
            assert_ne!(options, before, "{word}");
        }
        assert!(!options.set("guess"));
    }
}

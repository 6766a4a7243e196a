//! The revision of MCP that is spoken, as far as it changes the shape of a frame that we make.

/// A released revision; one that we do not know counts as the newest we know that is not newer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Revision {
    /// 2024-11-05
    V2024_11_05,
    /// 2025-03-26: batches.
    V2025_03_26,
    /// 2025-06-18: `structuredContent`, no batches.
    V2025_06_18,
    /// 2025-11-25: an error whose request cannot be named has no `id`.
    V2025_11_25,
    /// 2026-07-28: no handshake, `resultType`, `ttlMs`, `cacheScope`.
    V2026_07_28,
}

impl Revision {
    /// Every revision, oldest first.
    pub const ALL: [(Revision, &str); 5] = [
        (Revision::V2024_11_05, "2024-11-05"),
        (Revision::V2025_03_26, "2025-03-26"),
        (Revision::V2025_06_18, "2025-06-18"),
        (Revision::V2025_11_25, "2025-11-25"),
        (Revision::V2026_07_28, "2026-07-28"),
    ];

    /// Reads a date such as `2025-06-18`; `None` for what is no date.
    pub fn from_date(date: &str) -> Option<Revision> {
        let is_date = date.len() == 10
            && date
                .bytes()
                .enumerate()
                .all(|(at, byte)| if matches!(at, 4 | 7) { byte == b'-' } else { byte.is_ascii_digit() });
        if !is_date {
            return None;
        }
        let known = Revision::ALL.iter().rev().find(|(_, released)| *released <= date);
        Some(known.map_or(Revision::V2024_11_05, |(revision, _)| *revision))
    }

    /// The date that names it.
    pub fn date(self) -> &'static str {
        Revision::ALL.iter().find(|(revision, _)| *revision == self).map_or("", |(_, date)| date)
    }

    /// Whether several frames may come in one array.
    pub fn has_batches(self) -> bool {
        self == Revision::V2025_03_26
    }

    /// Whether a tool result may have `structuredContent`.
    pub fn has_structured_content(self) -> bool {
        self >= Revision::V2025_06_18
    }

    /// Whether an error to a request that cannot be named has no `id` at all; before, JSON-RPC's `null`.
    pub fn omits_unknown_id(self) -> bool {
        self >= Revision::V2025_11_25
    }

    /// Whether there is no handshake and each request says its revision.
    pub fn is_stateless(self) -> bool {
        self >= Revision::V2026_07_28
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_dates_count_as_the_newest_before_them() {
        for (revision, date) in Revision::ALL {
            assert_eq!(Revision::from_date(date), Some(revision));
            assert_eq!(revision.date(), date);
        }
        assert_eq!(Revision::from_date("2025-08-01"), Some(Revision::V2025_06_18));
        assert_eq!(Revision::from_date("2030-01-01"), Some(Revision::V2026_07_28));
        assert_eq!(Revision::from_date("2024-01-01"), Some(Revision::V2024_11_05));
        assert_eq!(Revision::from_date("draft"), None);
        assert_eq!(Revision::from_date("2025/06/18"), None);
    }
}

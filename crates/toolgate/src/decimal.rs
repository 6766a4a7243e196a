//! Exact numbers. A JSON number stays the digits it was written with; comparing and dividing work on digits and exponent
//! and expand nothing (R1.3).

use std::cmp::Ordering;

/// The number that a JSON literal means: `0.DIGITS × 10^scale`, without leading or trailing zeros.
///
/// Borrowed from the literal: nothing is allocated, and `1e10000` costs what `1` costs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Decimal<'a> {
    negative: bool,
    /// Digits before and after the point, zeros at the outer ends removed; both empty for zero.
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Power of ten of the first digit: the value is `0.D1D2… × 10^scale`.
    scale: i64,
}

impl<'a> Decimal<'a> {
    /// Reads a literal that the JSON grammar admits; anything else gives some number and no panic.
    pub(crate) fn read(literal: &'a str) -> Self {
        let bytes = literal.as_bytes();
        let (negative, bytes) = match bytes.strip_prefix(b"-") {
            Some(rest) => (true, rest),
            None => (false, bytes),
        };
        let mantissa_end = bytes.iter().position(|byte| matches!(byte, b'e' | b'E')).unwrap_or(bytes.len());
        let (mantissa, exponent) = bytes.split_at_checked(mantissa_end).unwrap_or((bytes, b""));
        let exponent = read_exponent(exponent.get(1..).unwrap_or(b""));
        let point = mantissa.iter().position(|byte| *byte == b'.').unwrap_or(mantissa.len());
        let whole = mantissa.get(..point).unwrap_or(b"");
        let fraction = mantissa.get(point + 1..).unwrap_or(b"");
        Self::normalised(negative, whole, fraction, exponent)
    }

    fn normalised(negative: bool, whole: &'a [u8], fraction: &'a [u8], exponent: i64) -> Self {
        let whole = trim_start(whole);
        let fraction = trim_end(fraction);
        if !whole.is_empty() {
            let scale = exponent.saturating_add(len(whole));
            let whole = if fraction.is_empty() { trim_end(whole) } else { whole };
            return Decimal { negative, whole, fraction, scale };
        }
        let digits = trim_start(fraction);
        if digits.is_empty() {
            return Decimal { negative: false, whole: b"", fraction: b"", scale: 0 };
        }
        let scale = exponent.saturating_sub(len(fraction) - len(digits));
        Decimal { negative, whole: b"", fraction: digits, scale }
    }

    fn digits(&self) -> impl Iterator<Item = u8> + 'a {
        self.whole.iter().chain(self.fraction.iter()).copied()
    }

    fn digit_count(&self) -> i64 {
        len(self.whole) + len(self.fraction)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.whole.is_empty() && self.fraction.is_empty()
    }

    /// Whether the value has no fraction: `1`, `1.0`, `1e0` and `150e-1` all have none.
    pub(crate) fn is_integer(&self) -> bool {
        self.scale >= self.digit_count()
    }

    pub(crate) fn compare(&self, other: &Decimal<'_>) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return if other.negative { Ordering::Greater } else { Ordering::Less },
            (false, true) => return if self.negative { Ordering::Less } else { Ordering::Greater },
            (false, false) => {}
        }
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
        }
    }

    /// Both have a first digit that is not zero, so the scale decides first; digits compare as text of equal start.
    fn compare_magnitude(&self, other: &Decimal<'_>) -> Ordering {
        self.scale.cmp(&other.scale).then_with(|| self.digits().cmp(other.digits()))
    }

    /// Folds sign, scale and digits, which equal numbers share.
    pub(crate) fn fingerprint(&self, mut mix: impl FnMut(u64, u8) -> u64, seed: u64) -> u64 {
        let seed = mix(seed, u8::from(self.negative));
        let seed = self.scale.to_le_bytes().into_iter().fold(seed, &mut mix);
        self.digits().fold(seed, &mut mix)
    }

    /// Whether the value is a whole multiple of `divisor`; `None` where the divisor is zero or has more digits than the
    /// division can carry, which compiling refuses ([`Decimal::can_divide`]).
    pub(crate) fn is_multiple_of(&self, divisor: &Decimal<'_>) -> Option<bool> {
        let divisor_digits = divisor.small_digits()?;
        if self.is_zero() {
            return Some(true);
        }
        // Digits as integers: self = A × 10^a, divisor = B × 10^b. With a < b the quotient needs A to end in zeros, and
        // A ends in none.
        let shift = (self.scale - self.digit_count()) - (divisor.scale - divisor.digit_count());
        if shift < 0 {
            return Some(false);
        }
        let modulus = u128::from(divisor_digits);
        let mut rest = self.digits().fold(0, |rest, digit| (rest * 10 + u128::from(digit - b'0')) % modulus);
        rest = rest * power_of_ten(shift, modulus) % modulus;
        Some(rest == 0)
    }

    /// The greatest number that divides both, as text; `None` where it takes more digits than are counted with.
    pub(crate) fn common_divisor(&self, other: &Decimal<'_>) -> Option<String> {
        let power = |number: &Decimal<'_>| number.scale - number.digit_count();
        let least = power(self).min(power(other));
        let scaled = |number: &Decimal<'_>| {
            let shift = u32::try_from(power(number) - least).ok()?;
            number.small_digits()?.checked_mul(10u64.checked_pow(shift)?)
        };
        let (mut divisor, mut rest) = (scaled(self)?, scaled(other)?);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        Some(Decimal::read(&format!("{divisor}e{least}")).canonical())
    }

    /// One text for all spellings of a number.
    pub(crate) fn canonical(&self) -> String {
        /// Digits and zeros that are written out.
        const PLAIN_MAX: i64 = 20;
        if self.is_zero() {
            return "0".to_owned();
        }
        let count = self.digit_count();
        let mut text = String::from(if self.negative { "-" } else { "" });
        let digits: String = self.digits().map(char::from).collect();
        let zeros = |count: i64| std::iter::repeat_n('0', usize::try_from(count).unwrap_or(0));
        match self.scale {
            scale if scale >= count && scale <= PLAIN_MAX => {
                text.push_str(&digits);
                text.extend(zeros(scale - count));
            }
            scale if scale > 0 && scale < count => {
                let (whole, fraction) = digits.split_at(usize::try_from(scale).unwrap_or(0));
                text.push_str(&format!("{whole}.{fraction}"));
            }
            scale if scale > -PLAIN_MAX && scale <= 0 => {
                text.push_str("0.");
                text.extend(zeros(-scale));
                text.push_str(&digits);
            }
            scale => text.push_str(&format!("{digits}e{}", scale.saturating_sub(count))),
        }
        text
    }

    /// Whether this can stand in `multipleOf`: above zero, with at most 19 significant digits.
    pub(crate) fn can_divide(&self) -> bool {
        !self.negative && self.small_digits().is_some()
    }

    fn small_digits(&self) -> Option<u64> {
        if self.is_zero() || self.digit_count() > 19 {
            return None;
        }
        self.digits().try_fold(0u64, |number, digit| number.checked_mul(10)?.checked_add(u64::from(digit - b'0')))
    }

    /// The value as a count, for keywords such as `maxLength` (`2.0` is legal there); `None` unless it is a whole number
    /// that is not negative. Counts beyond `u64` are `u64::MAX`: nothing is that long.
    /// The integer in plain digits; `None` where it is none, or has more than `digits_max`.
    pub(crate) fn to_integer_text(self, digits_max: usize) -> Option<String> {
        if self.is_zero() {
            return Some("0".to_owned());
        }
        let digits = usize::try_from(self.scale).ok().filter(|digits| *digits <= digits_max && self.is_integer())?;
        let mut text = String::from(if self.negative { "-" } else { "" });
        text.extend(self.digits().chain(std::iter::repeat(b'0')).take(digits).map(char::from));
        Some(text)
    }

    pub(crate) fn to_count(self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        if self.scale > 19 {
            return Some(u64::MAX);
        }
        let zeros = usize::try_from(self.scale - self.digit_count()).ok()?;
        self.digits()
            .chain(std::iter::repeat_n(b'0', zeros))
            .try_fold(0u64, |number, digit| Some(number.saturating_mul(10).saturating_add(u64::from(digit - b'0'))))
    }
}

impl PartialEq for Decimal<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.compare(other) == Ordering::Equal
    }
}

fn len(digits: &[u8]) -> i64 {
    i64::try_from(digits.len()).unwrap_or(i64::MAX)
}

fn trim_start(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
    digits.get(zeros..).unwrap_or(b"")
}

fn trim_end(digits: &[u8]) -> &[u8] {
    let zeros = digits.iter().rev().take_while(|digit| **digit == b'0').count();
    digits.get(..digits.len() - zeros).unwrap_or(b"")
}

fn read_exponent(text: &[u8]) -> i64 {
    let (negative, digits) = match text.first() {
        Some(b'-') => (true, text.get(1..).unwrap_or(b"")),
        Some(b'+') => (false, text.get(1..).unwrap_or(b"")),
        _ => (false, text),
    };
    // Far inside i64, so that adding a length cannot overflow.
    let magnitude = digits.iter().fold(0i64, |number, digit| {
        number.saturating_mul(10).saturating_add(i64::from(digit.saturating_sub(b'0'))).min(1 << 40)
    });
    if negative { -magnitude } else { magnitude }
}

fn power_of_ten(mut exponent: i64, modulus: u128) -> u128 {
    let (mut base, mut power) = (10 % modulus, 1 % modulus);
    while exponent > 0 {
        if exponent & 1 == 1 {
            power = power * base % modulus;
        }
        base = base * base % modulus;
        exponent >>= 1;
    }
    power
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn order(left: &str, right: &str, expected: Ordering) {
        assert_eq!(Decimal::read(left).compare(&Decimal::read(right)), expected, "{left} against {right}");
        assert_eq!(Decimal::read(right).compare(&Decimal::read(left)), expected.reverse(), "{right} against {left}");
    }

    #[test]
    fn one_number_has_many_spellings() {
        for (left, right) in
            [("1", "1.0"), ("1", "1e0"), ("10", "1e1"), ("0.10", "1E-1"), ("-0", "0.0e5"), ("150e-1", "15")]
        {
            order(left, right, Ordering::Equal);
        }
    }

    #[test]
    fn order_is_exact_at_any_size() {
        order("9007199254740992", "9007199254740993", Ordering::Less);
        order("-1e400", "-1e399", Ordering::Less);
        order("1e-10000", "0", Ordering::Greater);
        order("0.1", "0.11", Ordering::Less);
        order("99", "100", Ordering::Less);
        order("-5", "3", Ordering::Less);
    }

    #[test]
    fn integers_have_no_fraction() {
        for literal in ["0", "-0.0", "1.0", "150e-1", "1e400", "100"] {
            assert!(Decimal::read(literal).is_integer(), "{literal}");
        }
        for literal in ["0.5", "15e-1", "1e-10000", "1.01"] {
            assert!(!Decimal::read(literal).is_integer(), "{literal}");
        }
    }

    #[test]
    fn multiples_are_exact() {
        let multiple = |value: &str, divisor: &str| Decimal::read(value).is_multiple_of(&Decimal::read(divisor));
        assert_eq!(multiple("0.3", "0.1"), Some(true));
        assert_eq!(multiple("0.35", "0.1"), Some(false));
        assert_eq!(multiple("1e10000", "7"), Some(false));
        assert_eq!(multiple("7e10000", "7"), Some(true));
        assert_eq!(multiple("-12", "3"), Some(true));
        assert_eq!(multiple("12391239123", "1e-8"), Some(true));
        assert_eq!(multiple("1", "0"), None);
    }

    #[test]
    fn all_spellings_of_a_number_have_one_text() {
        let text = |literal: &str| Decimal::read(literal).canonical();
        for (expected, literals) in [
            ("1", &["1", "1.0", "1e0", "10e-1"][..]),
            ("-0.05", &["-0.05", "-5e-2", "-0.0500"]),
            ("12.5", &["12.5", "1.25e1"]),
            ("100", &["100", "1e2"]),
            ("0", &["0", "-0.0", "0e9"]),
            ("12e999", &["12e999", "1.2e1000"]),
        ] {
            for literal in literals {
                assert_eq!(text(literal), expected, "{literal}");
            }
        }
    }

    #[test]
    fn the_common_divisor_is_exact() {
        let of = |left: &str, right: &str| Decimal::read(left).common_divisor(&Decimal::read(right));
        assert_eq!(of("0.1", "0.15").as_deref(), Some("0.05"));
        assert_eq!(of("6", "4.0").as_deref(), Some("2"));
        assert_eq!(of("1e2", "15").as_deref(), Some("5"));
        assert_eq!(of("1e-300", "1e300"), None);
    }

    #[test]
    fn counts_are_whole() {
        assert_eq!(Decimal::read("2.0").to_count(), Some(2));
        assert_eq!(Decimal::read("1e2").to_count(), Some(100));
        assert_eq!(Decimal::read("-1").to_count(), None);
        assert_eq!(Decimal::read("1.5").to_count(), None);
        assert_eq!(Decimal::read("1e30").to_count(), Some(u64::MAX));
        assert_eq!(Decimal::read("0").to_count(), Some(0));
    }
}

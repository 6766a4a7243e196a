//! Exact decimal numbers: comparing, dividing and the little arithmetic that finding a neighbour of a bound takes.
//!
//! A number is its digits and a power of ten. Nothing is expanded beyond [`EXPANSION_MAX`] digits, so `1e10000` costs what
//! `1` costs.

use crate::json::mix;
use std::cmp::Ordering;
use std::fmt;

/// Digits up to which two numbers are brought to one power of ten for adding.
const EXPANSION_MAX: usize = 600;

/// `±DIGITS × 10^exponent`, the digits without leading or trailing zeros; zero has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    exponent: i64,
}

impl Decimal {
    /// Reads a literal that the JSON grammar admits; anything else gives some number and no panic.
    pub(crate) fn read(literal: &str) -> Self {
        let (negative, rest) = match literal.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, literal),
        };
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let exponent: i64 = exponent.parse().unwrap_or(0);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let digits = whole.bytes().chain(fraction.bytes()).map(|byte| byte.wrapping_sub(b'0') % 10).collect();
        Self::normalised(negative, digits, exponent.saturating_sub(length(fraction.len())))
    }

    pub(crate) fn from_i128(number: i128) -> Self {
        Self::read(&number.to_string())
    }

    fn normalised(negative: bool, mut digits: Vec<u8>, mut exponent: i64) -> Self {
        let zeros = digits.iter().take_while(|digit| **digit == 0).count();
        digits.drain(..zeros);
        while digits.last() == Some(&0) {
            digits.pop();
            exponent = exponent.saturating_add(1);
        }
        if digits.is_empty() {
            return Decimal { negative: false, digits, exponent: 0 };
        }
        Decimal { negative, digits, exponent }
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.digits.is_empty()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.negative
    }

    /// Whether the value has no fraction: `1`, `1.0`, `1e0` and `150e-1` all have none.
    pub(crate) fn is_integer(&self) -> bool {
        self.exponent >= 0
    }

    fn compare_magnitude(&self, other: &Decimal) -> Ordering {
        match (self.is_zero(), other.is_zero()) {
            (true, true) => return Ordering::Equal,
            (true, false) => return Ordering::Less,
            (false, true) => return Ordering::Greater,
            (false, false) => {}
        }
        // The first digits are not zero, so the place of the first digit decides before the digits do.
        let top = |number: &Decimal| number.exponent.saturating_add(length(number.digits.len()));
        top(self).cmp(&top(other)).then_with(|| self.digits.cmp(&other.digits))
    }

    /// Whether the value is a whole multiple of `divisor`; `None` where the divisor is zero or too long to divide by.
    pub(crate) fn is_multiple_of(&self, divisor: &Decimal) -> Option<bool> {
        let modulus = divisor.small_digits()?;
        if self.is_zero() {
            return Some(true);
        }
        // With A × 10^a and B × 10^b and a < b the quotient would need A to end in zeros, and it ends in none.
        let shift = self.exponent - divisor.exponent;
        if shift < 0 {
            return Some(false);
        }
        let rest = self.digits.iter().fold(0, |rest, digit| (rest * 10 + u128::from(*digit)) % modulus);
        Some((rest * power_of_ten(shift, modulus)).is_multiple_of(modulus))
    }

    fn small_digits(&self) -> Option<u128> {
        if self.is_zero() || self.digits.len() > 18 {
            return None;
        }
        Some(self.digits.iter().fold(0, |number, digit| number * 10 + u128::from(*digit)))
    }

    /// The value in units of `10^exponent`, where that is whole and small.
    pub(crate) fn in_units(&self, exponent: i64) -> Option<i128> {
        let shift = usize::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        if self.is_zero() {
            return Some(0);
        }
        if self.digits.len().checked_add(shift)? > 30 {
            return None;
        }
        let number = self.digits.iter().copied().chain(std::iter::repeat_n(0, shift));
        let number = number.fold(0i128, |number, digit| number * 10 + i128::from(digit));
        Some(if self.negative { -number } else { number })
    }

    pub(crate) fn from_units(number: i128, exponent: i64) -> Self {
        let mut decimal = Self::from_i128(number);
        if !decimal.is_zero() {
            decimal.exponent = decimal.exponent.saturating_add(exponent);
        }
        decimal
    }

    pub(crate) fn exponent(&self) -> i64 {
        self.exponent
    }

    /// The value as a count, for keywords such as `maxLength` (`2.0` is legal there); `None` unless it is a whole number that
    /// is not negative. Counts beyond `u64` are `u64::MAX`: nothing is that long.
    pub(crate) fn to_count(&self) -> Option<u64> {
        if self.negative || !self.is_integer() {
            return None;
        }
        Some(self.in_units(0).map_or(u64::MAX, |count| u64::try_from(count).unwrap_or(u64::MAX)))
    }

    /// The sum, where both can be written out in a bounded number of digits.
    pub(crate) fn plus(&self, other: &Decimal) -> Option<Decimal> {
        if self.is_zero() {
            return Some(other.clone());
        }
        if other.is_zero() {
            return Some(self.clone());
        }
        let exponent = self.exponent.min(other.exponent);
        let (one, two) = (self.expanded(exponent)?, other.expanded(exponent)?);
        if self.negative == other.negative {
            return Some(Self::normalised(self.negative, add(&one, &two), exponent));
        }
        Some(match self.compare_magnitude(other) {
            Ordering::Equal => Self::from_i128(0),
            Ordering::Greater => Self::normalised(self.negative, subtract(&one, &two), exponent),
            Ordering::Less => Self::normalised(other.negative, subtract(&two, &one), exponent),
        })
    }

    pub(crate) fn negated(&self) -> Decimal {
        Decimal { negative: !self.negative && !self.is_zero(), ..self.clone() }
    }

    pub(crate) fn minus(&self, other: &Decimal) -> Option<Decimal> {
        self.plus(&other.negated())
    }

    /// The largest integer that is not above the value.
    pub(crate) fn floor(&self) -> Option<Decimal> {
        if self.is_integer() {
            return Some(self.clone());
        }
        let cut = usize::try_from(self.exponent.checked_neg()?).ok()?;
        let kept = self.digits.len().saturating_sub(cut);
        let towards_zero = Self::normalised(self.negative, self.digits.iter().take(kept).copied().collect(), 0);
        if self.negative { towards_zero.minus(&Self::from_i128(1)) } else { Some(towards_zero) }
    }

    /// The smallest integer that is not below the value.
    pub(crate) fn ceiling(&self) -> Option<Decimal> {
        Some(self.negated().floor()?.negated())
    }

    /// A number halfway, or `None` where it would take too many digits.
    pub(crate) fn between(&self, other: &Decimal) -> Option<Decimal> {
        let sum = self.plus(other)?;
        // Half of a number is five times it, one place further down.
        let mut half = sum.clone();
        for _ in 0..4 {
            half = half.plus(&sum)?;
        }
        if !half.is_zero() {
            half.exponent = half.exponent.checked_sub(1)?;
        }
        Some(half)
    }

    /// Digits down to `10^exponent`, lowest last.
    fn expanded(&self, exponent: i64) -> Option<Vec<u8>> {
        let zeros = usize::try_from(self.exponent.checked_sub(exponent)?).ok()?;
        if self.digits.len().checked_add(zeros)? > EXPANSION_MAX {
            return None;
        }
        Some(self.digits.iter().copied().chain(std::iter::repeat_n(0, zeros)).collect())
    }

    /// Folds sign, exponent and digits, which equal numbers share.
    pub(crate) fn fingerprint(&self) -> u64 {
        let seed = mix(mix(u64::from(self.negative), self.exponent.cast_unsigned()), self.digits.len() as u64);
        self.digits.iter().fold(seed, |hash, digit| mix(hash, u64::from(*digit)))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        match (self.negative, other.negative) {
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
            (false, false) => self.compare_magnitude(other),
            (true, true) => other.compare_magnitude(self),
        }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Decimal {
    /// Writes a JSON number: in full where that is short, else with an exponent.
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_zero() {
            return out.write_str("0");
        }
        if self.negative {
            out.write_str("-")?;
        }
        let digits: String = self.digits.iter().map(|digit| char::from(b'0' + digit % 10)).collect();
        match usize::try_from(self.exponent) {
            Ok(zeros) if zeros <= 20 => write!(out, "{digits}{}", "0".repeat(zeros)),
            Ok(zeros) => write!(out, "{digits}e{zeros}"),
            Err(_) => {
                let places = usize::try_from(self.exponent.unsigned_abs()).unwrap_or(usize::MAX);
                if places > 20 {
                    return write!(out, "{digits}e{}", self.exponent);
                }
                let padded = format!("{digits:0>width$}", width = places + 1);
                let (whole, fraction) = padded.split_at_checked(padded.len() - places).unwrap_or((&padded, "0"));
                write!(out, "{whole}.{fraction}")
            }
        }
    }
}

fn length(count: usize) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

/// `one + two`, digits with the lowest last.
fn add(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut carry = 0;
    let mut sum = Vec::with_capacity(one.len().max(two.len()) + 1);
    let (mut one, mut two) = (one.iter().rev(), two.iter().rev());
    loop {
        let (a, b) = (one.next(), two.next());
        if a.is_none() && b.is_none() {
            break;
        }
        let digit = a.copied().unwrap_or(0) + b.copied().unwrap_or(0) + carry;
        sum.push(digit % 10);
        carry = digit / 10;
    }
    sum.push(carry);
    sum.reverse();
    sum
}

/// `one - two`, where `one` is the larger.
fn subtract(one: &[u8], two: &[u8]) -> Vec<u8> {
    let mut borrow = 0;
    let mut rest = Vec::with_capacity(one.len());
    let mut two = two.iter().rev();
    for digit in one.iter().rev() {
        let take = two.next().copied().unwrap_or(0) + borrow;
        borrow = u8::from(*digit < take);
        rest.push(digit + 10 * borrow - take);
    }
    rest.reverse();
    rest
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
        assert_eq!(Decimal::read(left).cmp(&Decimal::read(right)), expected, "{left} against {right}");
        assert_eq!(Decimal::read(right).cmp(&Decimal::read(left)), expected.reverse(), "{right} against {left}");
    }

    #[test]
    fn one_number_has_many_spellings() {
        for (left, right) in
            [("1", "1.0"), ("1", "1e0"), ("10", "1e1"), ("0.10", "1E-1"), ("-0", "0.0e5"), ("150e-1", "15")]
        {
            order(left, right, Ordering::Equal);
            assert_eq!(Decimal::read(left).fingerprint(), Decimal::read(right).fingerprint());
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
        order("-5", "0", Ordering::Less);
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
        assert_eq!(multiple("100", "20"), Some(true));
        assert_eq!(multiple("20", "100"), Some(false));
        assert_eq!(multiple("1", "0"), None);
        assert_eq!(multiple("1", "1234567890123456789"), None);
    }

    #[test]
    fn sums_are_exact_and_bounded() {
        let sum = |one: &str, two: &str| Decimal::read(one).plus(&Decimal::read(two)).map(|sum| sum.to_string());
        assert_eq!(sum("99", "1").as_deref(), Some("100"));
        assert_eq!(sum("1", "-0.01").as_deref(), Some("0.99"));
        assert_eq!(sum("-7", "7").as_deref(), Some("0"));
        assert_eq!(sum("9007199254740993", "1").as_deref(), Some("9007199254740994"));
        assert_eq!(sum("1e5000", "1"), None);
    }

    #[test]
    fn neighbours() {
        let floor = |literal: &str| Decimal::read(literal).floor().unwrap().to_string();
        let ceiling = |literal: &str| Decimal::read(literal).ceiling().unwrap().to_string();
        assert_eq!((floor("1.5"), ceiling("1.5")), ("1".into(), "2".into()));
        assert_eq!((floor("-1.5"), ceiling("-1.5")), ("-2".into(), "-1".into()));
        assert_eq!((floor("0.001"), ceiling("-0.001")), ("0".into(), "0".into()));
        assert_eq!((floor("12e3"), ceiling("7")), ("12000".into(), "7".into()));
        assert_eq!(Decimal::read("1").between(&Decimal::read("2")).unwrap().to_string(), "1.5");
        assert_eq!(Decimal::read("-1").between(&Decimal::read("1")).unwrap().to_string(), "0");
    }

    #[test]
    fn units_and_counts() {
        assert_eq!(Decimal::read("1.5").in_units(-1), Some(15));
        assert_eq!(Decimal::read("1.5").in_units(0), None);
        assert_eq!(Decimal::from_units(-25, -1).to_string(), "-2.5");
        assert_eq!(Decimal::read("2.0").to_count(), Some(2));
        assert_eq!(Decimal::read("-1").to_count(), None);
        assert_eq!(Decimal::read("1e30").to_count(), Some(u64::MAX));
        assert_eq!(Decimal::read("1e40").to_count(), Some(u64::MAX));
    }

    #[test]
    fn text_is_json() {
        for (literal, text) in
            [("1e3", "1000"), ("1e30", "1e30"), ("12e-30", "12e-30"), ("-0.05", "-0.05"), ("0.0", "0")]
        {
            assert_eq!(Decimal::read(literal).to_string(), text);
        }
    }
}

//! Numbers with units in a text: `84,1 %`, `231 kB`, `1.3x`. Must not know what they are numbers of.

use std::ops::Range;

/// What a number counts. Numbers of one unit can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unit {
    Percent,
    Seconds,
    Bytes,
    /// How many times as much.
    Times,
    /// To one, as contrast is told.
    ToOne,
    FramesPerSecond,
    RequestsPerSecond,
}

/// A number with its unit.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Figure {
    pub(super) unit: Unit,
    /// The number in the unit itself: seconds, not milliseconds. `None` if it can be read in two ways, as `1.204` can.
    pub(super) value: Option<f64>,
    /// Where number and unit stand, in bytes.
    pub(super) range: Range<usize>,
}

/// The units by what follows a number, in lower case, and how many of the unit one of it is.
const UNITS: [(&str, Unit, f64); 53] = [
    ("%", Unit::Percent, 1.0),
    ("percent", Unit::Percent, 1.0),
    ("prozent", Unit::Percent, 1.0),
    ("パーセント", Unit::Percent, 1.0),
    ("퍼센트", Unit::Percent, 1.0),
    ("ms", Unit::Seconds, 1e-3),
    ("msec", Unit::Seconds, 1e-3),
    ("millisecond", Unit::Seconds, 1e-3),
    ("milliseconds", Unit::Seconds, 1e-3),
    ("millisekunden", Unit::Seconds, 1e-3),
    ("millisecondes", Unit::Seconds, 1e-3),
    ("milisegundos", Unit::Seconds, 1e-3),
    ("ミリ秒", Unit::Seconds, 1e-3),
    ("毫秒", Unit::Seconds, 1e-3),
    ("밀리초", Unit::Seconds, 1e-3),
    ("s", Unit::Seconds, 1.0),
    ("sec", Unit::Seconds, 1.0),
    ("secs", Unit::Seconds, 1.0),
    ("second", Unit::Seconds, 1.0),
    ("seconds", Unit::Seconds, 1.0),
    ("sekunde", Unit::Seconds, 1.0),
    ("sekunden", Unit::Seconds, 1.0),
    ("seconde", Unit::Seconds, 1.0),
    ("secondes", Unit::Seconds, 1.0),
    ("segundo", Unit::Seconds, 1.0),
    ("segundos", Unit::Seconds, 1.0),
    ("秒", Unit::Seconds, 1.0),
    ("초", Unit::Seconds, 1.0),
    ("min", Unit::Seconds, 60.0),
    ("minutes", Unit::Seconds, 60.0),
    ("b", Unit::Bytes, 1.0),
    ("bytes", Unit::Bytes, 1.0),
    ("kb", Unit::Bytes, 1e3),
    ("kib", Unit::Bytes, 1024.0),
    ("ko", Unit::Bytes, 1e3),
    ("mb", Unit::Bytes, 1e6),
    ("mib", Unit::Bytes, 1_048_576.0),
    ("mo", Unit::Bytes, 1e6),
    ("gb", Unit::Bytes, 1e9),
    ("gib", Unit::Bytes, 1_073_741_824.0),
    ("x", Unit::Times, 1.0),
    ("×", Unit::Times, 1.0),
    ("-fold", Unit::Times, 1.0),
    ("fold", Unit::Times, 1.0),
    ("times", Unit::Times, 1.0),
    ("mal", Unit::Times, 1.0),
    ("fois", Unit::Times, 1.0),
    ("veces", Unit::Times, 1.0),
    ("倍", Unit::Times, 1.0),
    ("배", Unit::Times, 1.0),
    (":1", Unit::ToOne, 1.0),
    ("fps", Unit::FramesPerSecond, 1.0),
    ("req/s", Unit::RequestsPerSecond, 1.0),
];
/// What stands before a number that tells how many times as much: "a factor of 1.3".
const FACTORS: [&str; 5] = ["factor of", "factor de", "facteur", "faktor", "fator de"];

/// The numbers with units in a text that is in lower case, in order.
pub(super) fn figures(text: &str) -> Vec<Figure> {
    let mut found: Vec<Figure> = Vec::new();
    let mut at = 0;
    while let Some(begin) = text[at..].find(|c: char| c.is_ascii_digit()).map(|begin| at + begin) {
        let number = &text[begin..begin + number_len(&text[begin..])];
        at = begin + number.len();
        let before = &text[..begin];
        // A number in a name or a version is none: `utf8`, `v1.3`, `k-2026`.
        if before.ends_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '#')) {
            continue;
        }
        let is_factor = FACTORS.iter().any(|lead| before.trim_end().ends_with(lead));
        let unit = unit_of(&text[at..]).or_else(|| is_factor.then_some((Unit::Times, 1.0, 0)));
        if let Some((unit, scale, len)) = unit {
            at += len;
            let value = value(number).map(|number| number * scale);
            // "3 min 10 s" is one.
            if let Some(last) = found.last_mut()
                && is_further(last, unit, &text[..begin])
            {
                last.value = last.value.zip(value).map(|(one, other)| one + other);
                last.range.end = at;
                continue;
            }
            found.push(Figure { unit, value, range: begin..at });
        }
    }
    found
}

/// Whether a number of seconds that follows `before` belongs to the one of minutes that ends there.
fn is_further(last: &Figure, unit: Unit, before: &str) -> bool {
    (last.unit, unit) == (Unit::Seconds, Unit::Seconds)
        && before.trim_end().len() == last.range.end
        && before[last.range.clone()].contains("min")
}

/// The length of the number that a text begins with: digits, and signs between digits.
fn number_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    let is_inner = |at: usize| matches!(bytes.get(at), Some(b'.' | b',')) && is_digit(at + 1);
    (0..text.len()).find(|at| !is_digit(*at) && !is_inner(*at)).unwrap_or(text.len())
}

/// The unit that follows a number, how many of the unit one of it is, and its length with the blank before it.
fn unit_of(rest: &str) -> Option<(Unit, f64, usize)> {
    let word = rest.strip_prefix([' ', '\u{a0}', '\u{202f}']).unwrap_or(rest);
    let fits = |name: &str| {
        let is_whole = || !word[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        word.starts_with(name) && (is_whole() || !name.ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    let (name, unit, scale) = UNITS.iter().find(|(name, ..)| fits(name))?;
    Some((*unit, *scale, rest.len() - word.len() + name.len()))
}

/// A number as written in one of the languages. Three digits behind a comma are thousands; behind a dot they may be.
fn value(number: &str) -> Option<f64> {
    let signs: Vec<usize> =
        number.bytes().enumerate().filter(|(_, it)| matches!(it, b'.' | b',')).map(|(at, _)| at).collect();
    let [sign] = signs[..] else { return signs.is_empty().then(|| number.parse().ok()).flatten() };
    let (whole, part) = (&number[..sign], &number[sign + 1..]);
    let may_be_thousands = part.len() == 3 && whole.len() <= 3 && whole != "0";
    match number.as_bytes().get(sign) {
        Some(b',') if may_be_thousands => format!("{whole}{part}").parse().ok(),
        _ if may_be_thousands => None,
        _ => format!("{whole}.{part}").parse().ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_the_unit_that_follows_it() {
        for (text, unit, number) in [
            ("coverage is 84.1 % now", Unit::Percent, 84.1),
            ("84,1%", Unit::Percent, 84.1),
            ("gzipで231kBになりました", Unit::Bytes, 231e3),
            ("210 ms", Unit::Seconds, 0.21),
            ("2 seconds", Unit::Seconds, 2.0),
            ("1.3x faster", Unit::Times, 1.3),
            ("a factor of 1.3, by", Unit::Times, 1.3),
            ("a 2-fold gain", Unit::Times, 2.0),
            ("3.2倍高速", Unit::Times, 3.2),
            ("4,5:1", Unit::ToOne, 4.5),
            ("1,204 kB", Unit::Bytes, 1_204_000.0),
            ("0.125 s", Unit::Seconds, 0.125),
        ] {
            let found = figures(&text.to_lowercase());
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].unit, unit, "{text}");
            assert!((found[0].value.unwrap() - number).abs() < number * 1e-9, "{text}: {found:?}");
        }
    }

    #[test]
    fn other_numbers_are_none() {
        for text in ["utf8 x", "v1.3x", "#12 s", "200 seats", "3 tests", "k-2026 %", "10", ""] {
            assert_eq!(figures(text), [], "{text}");
        }
        assert_eq!(figures("1.204 kb").iter().map(|it| it.value).collect::<Vec<_>>(), [None]);
    }
}

//! Patterns for the lines that tools print. In a pattern, `*` is any text, `#` a number other than 0, and `{}`
//! a name to keep; everything else stands for itself. A pattern matches whole lines. Must not know any tool.

use std::borrow::Cow;
use std::ops::Range;

use crate::model::TextList;

/// A line without colour escapes and surrounding whitespace.
pub(super) fn plain(line: &str) -> Cow<'_, str> {
    if !line.chars().any(|sign| sign.is_control() && sign != '\t') {
        return Cow::Borrowed(line.trim());
    }
    let mut plain = String::with_capacity(line.len());
    let mut signs = line.chars();
    while let Some(sign) = signs.next() {
        match sign {
            '\u{1b}' => {
                // `ESC [ … letter`, and `ESC ] … BEL`.
                match signs.next() {
                    Some('[') => {
                        signs.by_ref().find(|sign| ('\u{40}'..='\u{7e}').contains(sign));
                    }
                    Some(']') => {
                        signs.by_ref().find(|sign| *sign == '\u{7}');
                    }
                    _ => {}
                }
            }
            '\r' => plain.clear(),
            _ if sign.is_control() && sign != '\t' => {}
            _ => plain.push(sign),
        }
    }
    Cow::Owned(plain.trim().to_owned())
}

/// A line, with an index that rules out most patterns at once.
#[derive(Debug)]
pub(super) struct Line<'t> {
    pub(super) text: Cow<'t, str>,
    pairs: Pairs,
}

impl<'t> Line<'t> {
    /// Indexes a line after making it [`plain`].
    pub(super) fn of(line: &'t str) -> Line<'t> {
        let text = plain(line);
        Line { pairs: Pairs::of(text.as_bytes()), text }
    }
}

/// The pairs of neighbouring bytes in a text, hashed into 256 bits.
#[derive(Debug, Clone, Copy)]
struct Pairs([u64; 4]);

impl Pairs {
    fn of(text: &[u8]) -> Pairs {
        text.windows(2).fold(Pairs([0; 4]), |pairs, pair| pairs.with(pair[0], pair[1]))
    }

    const fn with(mut self, one: u8, next: u8) -> Pairs {
        let bit = one.wrapping_mul(37) ^ next;
        self.0[(bit >> 6) as usize] |= 1 << (bit & 63);
        self
    }

    /// Whether a text with these pairs may contain one with the pairs of `part`.
    fn can_hold(&self, part: &Pairs) -> bool {
        self.0.iter().zip(&part.0).all(|(have, need)| need & !have == 0)
    }
}

/// Patterns for a line.
#[derive(Debug, Clone, Copy)]
pub(super) struct LinePatterns {
    pub(super) texts: TextList,
    pub(super) patterns: &'static [LinePattern],
}

/// What of a pattern rules out most lines.
#[derive(Debug, Clone)]
pub(super) struct LinePattern {
    /// Where the pattern stands in the list of texts.
    place: u32,
    /// The position of the longest literal text in the pattern. A line without it cannot match.
    needed: Range<usize>,
    /// Whether the pattern begins with literal text that a line must begin with.
    is_from_begin: bool,
    /// The pairs of all literal texts in the pattern.
    pairs: Pairs,
}

/// Whether this byte of a pattern stands for other text.
const fn is_sign(byte: u8) -> bool {
    matches!(byte, b'*' | b'#' | b'{' | b'}')
}

impl LinePattern {
    /// The pattern that is written so, and stands at this place.
    pub(super) const fn of(place: u32, text: &str) -> LinePattern {
        let bytes = text.as_bytes();
        let (mut needed, mut pairs) = (0..0, Pairs([0; 4]));
        // Where the present literal text begins.
        let mut from = 0;
        let mut at = 0;
        while at <= bytes.len() {
            if at == bytes.len() || is_sign(bytes[at]) {
                if at - from > needed.end - needed.start {
                    needed = from..at;
                }
                from = at + 1;
            } else if at > from {
                pairs = pairs.with(bytes[at - 1], bytes[at]);
            }
            at += 1;
        }
        LinePattern { place, needed, is_from_begin: !bytes.is_empty() && !is_sign(bytes[0]), pairs }
    }

    /// Whether a line may match this pattern, whose text is found by its place.
    fn may_fit(&self, text: &str, line: &Line<'_>) -> bool {
        if self.is_from_begin {
            text.as_bytes().first() == line.text.as_bytes().first()
        } else {
            line.text.contains(&text[self.needed.clone()])
        }
    }
}

impl LinePatterns {
    /// Whether `line` matches one of them.
    pub(super) fn fit(&self, line: &Line<'_>) -> bool {
        self.may_fit(line).any(|text| fit(text, &line.text, &mut None, &mut 0))
    }

    /// The name that `{}` stands for in the first pattern with one that the line matches.
    pub(super) fn name_in(&self, line: &Line<'_>) -> Option<String> {
        self.may_fit(line).find_map(|text| {
            let mut name = None;
            fit(text, &line.text, &mut name, &mut 0);
            name
        })
    }

    /// The patterns that are not ruled out.
    fn may_fit<'s>(&'s self, line: &'s Line<'_>) -> impl Iterator<Item = &'static str> + 's {
        let can_hold = self.patterns.iter().filter(|pattern| line.pairs.can_hold(&pattern.pairs));
        can_hold.filter_map(|pattern| {
            let text = self.texts.at(pattern.place);
            pattern.may_fit(text, line).then_some(text)
        })
    }
}

/// The most steps of one match.
const MAX_STEPS: u32 = 20_000;

fn fit(pattern: &str, line: &str, name: &mut Option<String>, n_steps: &mut u32) -> bool {
    *n_steps += 1;
    if *n_steps > MAX_STEPS {
        return false;
    }
    if let Some(after) = pattern.strip_prefix("{}") {
        let ends = line.char_indices().map(|(at, sign)| at + sign.len_utf8());
        let end = ends.into_iter().find(|end| fit(after, &line[*end..], &mut None, n_steps));
        *name = end.map(|end| line[..end].trim().to_owned()).filter(|name| !name.is_empty());
        return name.is_some();
    }
    match pattern.chars().next() {
        None => line.is_empty(),
        Some('*') => {
            let after = &pattern[1..];
            if after.is_empty() {
                return true;
            }
            // Try only where the pattern's next character occurs.
            let next = after.chars().next().filter(|sign| !matches!(sign, '#' | '*' | '{'));
            let starts = line.char_indices().map(|(at, _)| at).chain([line.len()]);
            starts
                .filter(|at| next.is_none_or(|next| line[*at..].starts_with(next)))
                .any(|at| fit(after, &line[at..], name, n_steps))
        }
        Some('#') => {
            let n_digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let is_some = line[..n_digits].bytes().any(|byte| byte != b'0');
            is_some && fit(&pattern[1..], &line[n_digits..], name, n_steps)
        }
        Some(sign) => {
            line.starts_with(sign)
                && fit(&pattern[sign.len_utf8()..], &line[sign.len_utf8()..], name, n_steps)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One pattern.
    fn pattern(text: &str) -> LinePatterns {
        LinePatterns::leaked(&[text.to_owned()])
    }

    #[test]
    fn a_pattern_is_for_the_whole_line() {
        let fits = |text: &str, line: &str| pattern(text).fit(&Line::of(line));
        assert!(fits("*# failed*", "=== 1 failed, 2 passed ==="));
        assert!(!fits("*# failed*", "0 failed"));
        assert!(fits("*# failed*", "10 failed"));
        assert!(!fits("ok", "ok then"));
        assert_eq!(
            pattern("test {} ... FAILED").name_in(&Line::of("test a::b ... FAILED")),
            Some("a::b".to_owned())
        );
    }

    #[test]
    fn what_a_pattern_needs_is_in_every_line_that_fits() {
        let needed = |text: &'static str| &text[LinePattern::of(0, text).needed];
        assert_eq!(needed("*✖ # of #*"), "✖ ");
        assert_eq!(needed("{} - error: *"), " - error: ");
        assert_eq!(needed("*# tests run:*# failed*"), " tests run:");
        assert_eq!(needed("*#*"), "");
        assert_eq!(needed(""), "");
    }

    #[test]
    fn colours_and_overwritten_parts_are_no_text() {
        assert_eq!(plain(" \u{1b}[31;1mFAIL\u{1b}[0m x "), "FAIL x");
        assert_eq!(plain("10%\r100%"), "100%");
    }

    #[test]
    fn no_line_takes_long() {
        let line = "a".repeat(2_000);
        assert!(!fit("*a*a*a*a*a*b", &line, &mut None, &mut 0));
    }
}

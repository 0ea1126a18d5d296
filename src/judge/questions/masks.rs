//! Finds the parts of a line that are not in the writer's own voice: inline code, URLs, and quoted passages
//! within other words. Must not look at other lines.

use std::collections::HashMap;
use std::ops::Range;

/// What a masked part of a line is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Masked {
    /// Code between backticks.
    Code,
    /// An address.
    Url,
    /// A quoted passage.
    Quote,
}

/// The pairs of quotation marks; a straight mark closes itself.
const QUOTES: [(char, char); 11] = [
    ('"', '"'),
    ('\u{201c}', '\u{201d}'),
    ('\u{201e}', '\u{201c}'),
    ('\u{2018}', '\u{2019}'),
    ('\u{201a}', '\u{2018}'),
    ('\u{300c}', '\u{300d}'),
    ('\u{300e}', '\u{300f}'),
    ('\u{ff62}', '\u{ff63}'),
    ('\u{ab}', '\u{bb}'),
    ('\u{ff02}', '\u{ff02}'),
    ('\'', '\''),
];

/// The masked parts of `line` as byte ranges, in order, without overlaps.
pub(super) fn find(line: &str) -> Vec<(Range<usize>, Masked)> {
    if !line.bytes().any(|byte| matches!(byte, b'`' | b'"' | b'\'' | b'/' | b'.' | b'*' | 0x80..)) {
        return Vec::new();
    }
    let mut masks = code_spans(line);
    let mut urls = urls(line, &masks);
    masks.append(&mut urls);
    masks.sort_by_key(|(range, _)| range.start);
    masks.extend(mentions(line));
    masks.sort_by_key(|(range, _)| range.start);
    masks.dedup_by(|next, last| next.0.start < last.0.end);
    let quotes = quotes(line, &masks);
    if !quotes.is_empty() && has_words_outside(line, &quotes) {
        masks.retain(|(range, _)| !covers(&quotes, range.start));
        masks.extend(quotes.into_iter().map(|range| (range, Masked::Quote)));
        masks.sort_by_key(|(range, _)| range.start);
    }
    masks
}

/// Code between runs of equally many backticks.
fn code_spans(line: &str) -> Vec<(Range<usize>, Masked)> {
    let bytes = line.as_bytes();
    let mut runs: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    while let Some(offset) = line[at..].find('`') {
        let start = at + offset;
        let length = bytes[start..].iter().take_while(|&&byte| byte == b'`').count();
        runs.push((start, length));
        at = start + length;
    }
    let mut next = vec![None; runs.len()];
    let mut last: HashMap<usize, usize> = HashMap::new();
    for (index, &(_, length)) in runs.iter().enumerate().rev() {
        next[index] = last.insert(length, index);
    }
    let mut spans = Vec::new();
    let mut index = 0;
    while index < runs.len() {
        if let Some(close) = next[index] {
            let (start, _) = runs[index];
            let (end, length) = runs[close];
            spans.push((start..end + length, Masked::Code));
            index = close + 1;
        } else {
            index += 1;
        }
    }
    spans
}

/// Bold questions in the middle of a sentence: titles that are mentioned, not asked.
fn mentions(line: &str) -> Vec<(Range<usize>, Masked)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = line[at..].find("**") {
        let start = at + offset;
        let Some(length) = line[start + 2..].find("**") else { break };
        let end = start + 2 + length + 2;
        let inner = &line[start + 2..end - 2];
        let before = line[..start].trim_end().chars().next_back();
        let goes_on =
            line[end..].trim_start().chars().next().is_some_and(|c| c.is_lowercase() || c == ',' || c == ';');
        if inner.ends_with(['?', '\u{ff1f}']) && goes_on && before.is_some_and(char::is_alphanumeric) {
            found.push((start..end, Masked::Quote));
        }
        at = end;
    }
    found
}

/// Addresses with a scheme or `www.`, up to a space, a bracket or a character of another script.
fn urls(line: &str, taken: &[(Range<usize>, Masked)]) -> Vec<(Range<usize>, Masked)> {
    let mut found = Vec::new();
    let mut at = 0;
    let mut schemes = line.match_indices("://").map(|(hit, _)| hit).peekable();
    let mut hosts = line.match_indices("www.").map(|(hit, _)| hit).peekable();
    loop {
        while schemes.next_if(|hit| *hit < at).is_some() {}
        while hosts.next_if(|hit| *hit < at).is_some() {}
        let Some(hit) = schemes.peek().into_iter().chain(hosts.peek()).min().copied() else { break };
        let start = line[..hit]
            .char_indices()
            .rev()
            .take(12)
            .take_while(|(_, c)| c.is_ascii_alphanumeric() || *c == '+')
            .last()
            .map_or(hit, |(index, _)| index);
        let length = line[hit..]
            .char_indices()
            .find(|(_, c)| {
                c.is_whitespace()
                    || matches!(c, '<' | '>' | ')' | ']' | '"' | '`' | '|' | '*')
                    || *c > '\u{2000}'
            })
            .map_or(line.len() - hit, |(index, _)| index);
        let end = hit + length;
        let before = taken.partition_point(|(range, _)| range.start <= hit);
        if before == 0 || taken[before - 1].0.end <= hit {
            found.push((start..end, Masked::Url));
        }
        at = end.max(hit + 3);
    }
    found
}

/// Whether one of the sorted `ranges` contains the position.
fn covers(ranges: &[Range<usize>], position: usize) -> bool {
    let before = ranges.partition_point(|range| range.start <= position);
    before > 0 && ranges[before - 1].end > position
}

/// Whether the character opens one of the [`QUOTES`].
fn may_open(c: char) -> bool {
    matches!(
        c,
        '"' | '\'' | '\u{ab}' | '\u{2018}'..='\u{201e}' | '\u{300c}' | '\u{300e}' | '\u{ff02}' | '\u{ff62}'
    )
}

/// Quoted passages outside `taken`.
fn quotes(line: &str, taken: &[(Range<usize>, Masked)]) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut missing = [false; QUOTES.len()];
    let mut skip_to = 0;
    let mut masks = taken.iter().peekable();
    let mut before = ' ';
    for (index, c) in line.char_indices() {
        while masks.peek().is_some_and(|(range, _)| range.end <= index) {
            masks.next();
        }
        let inside = masks.peek().is_some_and(|(range, _)| range.start <= index);
        let previous = std::mem::replace(&mut before, c);
        if index < skip_to || inside || !may_open(c) {
            continue;
        }
        for (which, &(open, close)) in QUOTES.iter().enumerate() {
            let single = open == '\'' || open == '\u{2018}';
            if c != open || missing[which] || (single && previous.is_alphanumeric()) {
                continue;
            }
            let from = index + c.len_utf8();
            let Some(end) = closing(line, from, close, single) else {
                missing[which] = true;
                continue;
            };
            if !line[from..end].trim().is_empty() {
                found.push(index..end + close.len_utf8());
                skip_to = end + close.len_utf8();
                break;
            }
        }
    }
    found
}

/// The end of the passage that begins at `from`. A single quotation mark is also an apostrophe, so it closes
/// only before a space or punctuation, and not directly after a space.
fn closing(line: &str, from: usize, close: char, single: bool) -> Option<usize> {
    if !single {
        return line[from..].find(close).map(|offset| from + offset);
    }
    let mut previous = ' ';
    let mut chars = line[from..].char_indices().peekable();
    while let Some((offset, c)) = chars.next() {
        let after = chars.peek().map_or(' ', |&(_, next)| next);
        if c == close && !previous.is_whitespace() && !after.is_alphanumeric() {
            return Some(from + offset);
        }
        previous = c;
    }
    None
}

/// Whether the line has words outside its quoted passages.
fn has_words_outside(line: &str, quotes: &[Range<usize>]) -> bool {
    let mut at = 0;
    let start = line.len() - crate::judge::questions::markers::without_marker(line).len();
    for quote in quotes {
        if at.max(start) < quote.start && line[at.max(start)..quote.start].chars().any(char::is_alphanumeric)
        {
            return true;
        }
        at = quote.end;
    }
    line[at.max(start)..].chars().any(char::is_alphanumeric)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(line: &str) -> Vec<&str> {
        find(line).into_iter().map(|(range, _)| &line[range]).collect()
    }

    #[test]
    fn inline_code_closes_with_as_many_backticks() {
        assert_eq!(masked("a `b` c ``d ` e`` f ` g"), ["`b`", "``d ` e``"]);
    }

    #[test]
    fn a_quoted_line_without_other_words_is_the_writers_own() {
        assert!(masked("- \"Is it on?\"").is_empty());
        assert_eq!(masked("It asks \"Is it on?\" twice."), ["\"Is it on?\""]);
    }

    #[test]
    fn apostrophes_are_not_quotes() {
        assert!(masked("I don't know the users' names, and it's late").is_empty());
        assert_eq!(masked("the key 'are you sure?' is set"), ["'are you sure?'"]);
    }

    #[test]
    fn a_url_keeps_its_question_mark() {
        assert_eq!(masked("see https://a.test/x?"), ["https://a.test/x?"]);
        assert_eq!(masked("https://a.test/x?を見る"), ["https://a.test/x?"]);
    }

    #[test]
    fn each_pair_of_quotation_marks_may_open() {
        assert!(QUOTES.iter().all(|(open, _)| may_open(*open)));
    }
}

//! What a text says beside its marker: the words behind it, and the list below or above it. A loop hands them to the
//! agent, and rounds that fail for different reasons are told apart by them.
//!
//! Must not take prose of a long output for a reason.

use super::{Tail, after_label, decoration, lines, read_line, tail, without_escapes, words};
use crate::judge::decision::points;
use crate::judge::decision::record::Decision;

/// The reasons beside the last negative marker of `text`; none if there is no such marker.
/// `takes_prose` allows the paragraph below the marker where there is nothing else.
pub(in crate::judge::decision) fn read(text: &str, takes_prose: bool) -> Vec<String> {
    let lines: Vec<&str> = lines(text).collect();
    let is_marker = |line: &&str| matches!(read_line(line), Some((Decision::Incomplete, _)));
    let Some(at) = lines.iter().rposition(is_marker) else { return Vec::new() };
    let mut found: Vec<String> = behind(lines[at]).into_iter().collect();
    let (above, below) = (&lines[..at], &lines[at + 1..]);
    let below_items = items(below.iter().copied());
    if below_items.is_empty() && found.is_empty() {
        let mut above = items(above.iter().rev().copied());
        above.reverse();
        found.extend(above);
    }
    found.extend(below_items);
    if found.is_empty() && takes_prose {
        let filled = below.iter().map(|line| line.trim()).skip_while(|line| line.is_empty());
        let paragraph: Vec<&str> = filled.take_while(|line| !line.is_empty()).collect();
        found.push(paragraph.join(" "));
    }
    points::keep(found.iter().map(String::as_str))
}

/// The words behind the marker on its own line.
fn behind(line: &str) -> Option<String> {
    let line = without_escapes(line);
    let plain = decoration::strip(&line)?.text;
    let text = after_label(plain).and_then(decoration::strip).map_or(plain, |labelled| labelled.text);
    match tail(words::opening(text)?.tail) {
        Tail::Separated(rest) | Tail::Blank(rest) => Some(rest.trim().to_owned()),
        Tail::End | Tail::Joined => None,
    }
}

/// The items of the list with which `lines` begin. Blank lines and fences around them are passed over.
fn items<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<String> {
    let filled = lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```"));
    let items = filled.map_while(item).filter(|item| !item.starts_with("[x]") && !item.starts_with("[X]"));
    items.map(|item| item.trim_start_matches("[ ]").trim().to_owned()).collect()
}

/// The text of a list item.
fn item(line: &str) -> Option<&str> {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let rest = if number.len() < line.len() {
        number.strip_prefix(['.', ')'])?
    } else {
        line.strip_prefix(['-', '*', '+', '•', '・'])?
    };
    (rest.starts_with(char::is_whitespace) || line.starts_with('・')).then(|| rest.trim())
}

#[cfg(test)]
mod tests {
    use super::read;

    #[test]
    fn what_stands_beside_the_marker_are_its_reasons() {
        for (text, expected) in [
            (
                "FAIL\n- the parser drops comments\n- no changelog entry",
                &["the parser drops comments", "no changelog entry"][..],
            ),
            ("VERDICT: FAIL\n\n1. one\n2) two\n\nThe rest is fine.\n- not of the list", &["one", "two"]),
            ("Findings:\n- first\n- second\n\nVERDICT: INCOMPLETE", &["first", "second"]),
            (
                "- old\n\nINCOMPLETE: work.txt has fewer than two lines",
                &["work.txt has fewer than two lines"],
            ),
            ("INCOMPLETE:\n- [ ] open\n- [x] done", &["open"]),
            ("判定：FAIL\n・変更履歴がない", &["変更履歴がない"]),
            ("**FAIL**\n\nThe tests were\nnever run.\n\nMore.", &["The tests were never run."]),
            ("FAIL - a\nFAIL - b", &["b"]),
            ("FAIL", &[]),
            ("PASS\n- nothing to do", &[]),
        ] {
            assert_eq!(read(text, true), expected, "{text}");
        }
        assert!(read("FAIL\n\nSome prose of the output.", false).is_empty());
        assert_eq!(read(&format!("FAIL: {}", "x".repeat(500)), false), ["x".repeat(240)]);
    }
}

//! Derives what was done from a task and an agent's last message. Pure.
//!
//! It must not invent anything: if the texts do not say it, nothing is said.

use unicode_width::UnicodeWidthChar as _;

use super::vocabulary;
use crate::model::display_text;

/// What was done, and the kind of change (`fix`, `feat`, …) that the words indicate.
pub(super) fn of(task: Option<&str>, last_words: Option<&str>) -> Option<(String, &'static str)> {
    let asked = task.and_then(|task| sentences(task).find_map(|sentence| vocabulary::as_order(&sentence)));
    let told =
        || last_words.and_then(|said| sentences(said).find_map(|sentence| vocabulary::as_done(&sentence)));
    let description = asked.or_else(told)?;
    let kind = vocabulary::kind_of(&description);
    Some((description, kind))
}

/// The prose sentences of a text.
fn sentences(text: &str) -> impl Iterator<Item = String> {
    let lines: Vec<String> = prose_lines(text).take(40).collect();
    lines.into_iter().flat_map(|line| {
        let mut sentences = Vec::new();
        let mut sentence = String::new();
        let mut signs = line.chars().peekable();
        while let Some(sign) = signs.next() {
            let is_end = match sign {
                '。' | '！' | '？' => true,
                '.' | '!' | '?' | ';' => signs.peek().is_none_or(|next| *next == ' '),
                _ => false,
            };
            sentence.push(sign);
            if is_end {
                sentences.push(std::mem::take(&mut sentence));
            }
        }
        sentences.push(sentence);
        sentences
    })
}

/// The prose lines: no code, no Markdown markup, nothing inserted by a client.
fn prose_lines(text: &str) -> impl Iterator<Item = String> {
    let mut is_code = false;
    text.lines().filter_map(move |line| {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            is_code = !is_code;
            return None;
        }
        let line = line.trim_start_matches(['#', '>', '*', '-', '•', ' ']);
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix(". ").unwrap_or(line);
        let is_other =
            is_code || line.starts_with(['<', '|', '@', '{', '[', '$']) || line.starts_with("http");
        // Of `/command words`, keep the words.
        let line = match line.strip_prefix('/') {
            Some(command) => command.split_once(' ').map_or("", |(_, words)| words),
            None => line,
        };
        let plain: String = plain(line);
        (!is_other && !plain.is_empty()).then_some(plain)
    })
}

/// A line without markup, control and invisible characters, with single spaces.
fn plain(line: &str) -> String {
    let shown: String = line
        .chars()
        .filter(|c| !matches!(c, '`' | '*') && !display_text::is_unsafe(*c) && !c.is_control())
        .collect();
    shown.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The first paragraph of prose.
pub(super) fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| prose_lines(paragraph).collect::<Vec<_>>().join(" "));
    paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .map(|it| it.chars().take(2000).collect())
        .next()
        .unwrap_or_default()
}

/// Splits a text where a line can be broken: between words, and around each wide character.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut start = 0;
    for (place, sign) in text.char_indices() {
        let end = place + sign.len_utf8();
        let is_mark = matches!(text[end..].chars().next(), Some('。' | '、' | '」' | '）' | 'ー'));
        if sign == ' ' || (sign.width() == Some(2) && !is_mark) {
            pieces.push(&text[start..end]);
            start = end;
        }
    }
    pieces.push(&text[start..]);
    pieces
}

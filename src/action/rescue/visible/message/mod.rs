//! Extracts the material for a rescue commit's message from the task and the agent's last message. The message
//! itself depends on the included paths and is built in `model`. Pure.
//!
//! It must not carry anything that looks like a key into a commit, and must not shorten what a person typed.

mod vocabulary;

use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::key_like;
use crate::model::{MessageWords, display_text};

/// How many lines of the agent's last message are used.
const WORD_LINES: usize = 6;
/// The maximum width of a body line, in terminal columns.
const COLUMNS: usize = 72;

/// The material for a message. Untrusted text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MessageFacts<'a> {
    /// What the agent was asked to do.
    pub(crate) task: Option<&'a str>,
    /// The agent's last message.
    pub(crate) said: Option<&'a str>,
    /// The reference of the record.
    pub(crate) record: &'a str,
}

/// Extracts the words for a message. Leaves out text that contains anything like a key.
pub(crate) fn proposed(words: &MessageFacts<'_>) -> MessageWords {
    let (task, last_words) = (harmless(words.task), harmless(words.said));
    let done = subject(task, last_words);
    MessageWords {
        kind: done.as_ref().map(|(_, kind)| (*kind).to_owned()),
        done: done.map(|(description, _)| description),
        said: last_words.map(summary).filter(|said| !said.is_empty()),
        record: words.record.to_owned(),
    }
}

/// The message as it is stored: as typed, without control characters.
pub(crate) fn stored(message: &str) -> Result<String, RescueError> {
    let text: String = message.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    if text.trim().is_empty() {
        return Err(RescueError::Refused("the commit message is empty".to_owned()));
    }
    Ok(if text.ends_with('\n') { text } else { text + "\n" })
}

/// The text, unless something in it looks like a key.
fn harmless(text: Option<&str>) -> Option<&str> {
    text.filter(|text| !key_like::is_in(text.as_bytes()))
}

/// The first paragraph of the agent's message, wrapped into lines.
fn summary(text: &str) -> String {
    let paragraph = prose(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in pieces(&paragraph) {
        if line.width() + word.trim_end().width() > COLUMNS && !line.is_empty() {
            lines.push(std::mem::take(&mut line));
            line.push_str(word.trim_start());
        } else {
            line.push_str(word);
        }
    }
    lines.push(line);
    let is_cut = lines.len() > WORD_LINES;
    lines.truncate(WORD_LINES);
    let text: Vec<&str> = lines.iter().map(|line| line.trim_end()).collect();
    let text = text.join("\n");
    if is_cut { text + " …" } else { text }
}

/// What was done, and the kind of change (`fix`, `feat`, …) that the words indicate.
fn subject(task: Option<&str>, last_words: Option<&str>) -> Option<(String, &'static str)> {
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
    display_text::one_spaced(&shown)
}

/// The first paragraph of prose.
fn prose(text: &str) -> String {
    let paragraphs = text.split("\n\n").map(|paragraph| prose_lines(paragraph).collect::<Vec<_>>().join(" "));
    paragraphs
        .filter(|paragraph| !paragraph.is_empty())
        .map(|it| it.chars().take(2000).collect())
        .next()
        .unwrap_or_default()
}

/// Splits a text where a line can be broken: between words, and around each wide character.
fn pieces(text: &str) -> Vec<&str> {
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

#[cfg(test)]
mod tests;

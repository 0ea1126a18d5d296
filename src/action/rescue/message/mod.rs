//! What the message of a rescue commit is proposed from: words out of the task and the agent's last words. The
//! message itself, which depends on the paths that are taken in, is made in `model`. Pure: texts in, texts out.
//!
//! It must not carry anything into a commit that looks like a key, and must not cut what a person typed.

mod subject;
mod vocabulary;

use unicode_width::UnicodeWidthStr as _;

use super::error::RescueError;
use super::key_like;
use crate::model::MessageWords;

/// So many lines of the agent's last words are taken over.
const WORD_LINES: usize = 6;
/// The widest line of the body, in columns of a terminal.
const COLUMNS: usize = 72;

/// What a message can be made of. Untrusted text.
#[derive(Debug, Clone, Copy)]
pub(super) struct MessageFacts<'a> {
    /// What the agent was asked for.
    pub(super) task: Option<&'a str>,
    /// What it said last.
    pub(super) said: Option<&'a str>,
    /// The reference of the record.
    pub(super) record: &'a str,
}

/// What the words give for a message, without anything that looks like a key.
pub(super) fn proposed(words: &MessageFacts<'_>) -> MessageWords {
    let (task, last_words) = (harmless(words.task), harmless(words.said));
    let done = subject::of(task, last_words);
    MessageWords {
        kind: done.as_ref().map(|(_, kind)| (*kind).to_owned()),
        done: done.map(|(description, _)| description),
        said: last_words.map(summary).filter(|said| !said.is_empty()),
        record: words.record.to_owned(),
    }
}

/// The message as it is stored: as typed, but for control characters.
pub(super) fn stored(message: &str) -> Result<String, RescueError> {
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

/// The first paragraph of what the agent said, in lines.
fn summary(text: &str) -> String {
    let paragraph = subject::prose(text);
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in subject::pieces(&paragraph) {
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

#[cfg(test)]
mod tests;

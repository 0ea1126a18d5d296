//! Extracts the material for a rescue commit's message from the task and the agent's last message. The message
//! itself depends on the included paths and is built in `model`. Pure.
//!
//! It must not carry anything that looks like a key into a commit, and must not shorten what a person typed.

mod subject;
mod vocabulary;

use unicode_width::UnicodeWidthStr as _;

use crate::action::rescue::base::RescueError;
use crate::action::rescue::survey::key_like;
use crate::model::MessageWords;

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
    let done = subject::of(task, last_words);
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

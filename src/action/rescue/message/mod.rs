//! The message of a rescue commit: proposed from the task, the agent's last words and the changed paths, in
//! the form of Conventional Commits, with trailers that say that it is a rescue. Pure: texts in, a text out.
//!
//! It must not carry anything into a commit that looks like a key, and must not cut what a person typed.

mod subject;
mod words;

use std::fmt::Write as _;

use unicode_width::UnicodeWidthStr as _;

use super::error::RescueError;
use super::key_like;
use crate::model::{PlannedChange, PlannedPath, display_text};
use subject::COLUMNS;

/// So many lines of the agent's last words are taken over.
const WORD_LINES: usize = 6;
/// So many paths are named.
const NAMED: usize = 10;

/// What a message can be made of. Untrusted text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Words<'a> {
    /// What the agent was asked for.
    pub(super) task: Option<&'a str>,
    /// What it said last.
    pub(super) said: Option<&'a str>,
    /// The reference of the record.
    pub(super) record: &'a str,
}

/// A path with what became of it.
pub(super) type Change = (Vec<u8>, PlannedChange);

/// What a commit of the plan's paths changes.
pub(super) fn changes(paths: &[PlannedPath]) -> Vec<Change> {
    paths.iter().filter(|path| path.left_out.is_none()).map(|path| (path.path.clone(), path.change)).collect()
}

/// A message for the whole of a rescue.
pub(super) fn propose(words: &Words<'_>, changes: &[Change]) -> String {
    let (task, last_words) = (harmless(words.task), harmless(words.said));
    let subject = subject::of(task, last_words, changes);
    let said = last_words.map(summary).filter(|said| !said.is_empty());
    assembled(&subject, said.as_deref(), words, changes)
}

/// A message for one commit of several: told by its paths alone.
pub(super) fn for_part(words: &Words<'_>, changes: &[Change]) -> String {
    assembled(&subject::of_paths(changes), None, words, changes)
}

fn assembled(subject: &str, said: Option<&str>, words: &Words<'_>, changes: &[Change]) -> String {
    let mut message = format!("{subject}\n\n");
    if let Some(said) = said {
        let _ = write!(message, "{said}\n\n");
    }
    for (path, change) in changes.iter().take(NAMED) {
        let verb = match change {
            PlannedChange::Added => "add",
            PlannedChange::Modified => "change",
            PlannedChange::Deleted => "delete",
        };
        // Writing to a string cannot fail.
        let _ = writeln!(message, "- {verb} {}", display_text::bytes(path));
    }
    if changes.len() > NAMED {
        let _ = writeln!(message, "- and {} more", changes.len() - NAMED);
    }
    with_trailers(message.trim_end(), words.record)
}

/// The message as it was typed, with the trailers that say what it is.
pub(super) fn with_trailers(message: &str, record: &str) -> String {
    let text = message.trim_end_matches('\n');
    let last = text.rsplit("\n\n").next().unwrap_or_default();
    let gap = if text.contains("\n\n") && last.lines().all(is_trailer) { "\n" } else { "\n\n" };
    format!("{text}{gap}Rescued-by: closeout\nRescue-record: {record}\n")
}

/// `Word-and-word: value`, as git takes it for a trailer.
fn is_trailer(line: &str) -> bool {
    line.split_once(": ").is_some_and(|(token, value)| {
        !token.is_empty()
            && !value.trim().is_empty()
            && token.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
    })
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

//! The names that a session was given in its transcript.

use super::line::{Line, text_of};
use crate::agent::record_text::shortened_if_any;

/// The names so far.
#[derive(Debug, Default)]
pub(super) struct Titles {
    /// By the person.
    given: Option<String>,
    /// By a model.
    made: Option<String>,
}

impl Titles {
    /// Takes a line of bookkeeping. An empty name takes the one before away.
    pub(super) fn take(&mut self, line: &Line<'_>) {
        let name = |text: String| shortened_if_any(&text);
        match &*line.kind {
            "custom-title" => {
                if let Some(title) = text_of(line.custom_title) {
                    self.given = name(title);
                }
            }
            "ai-title" => self.made = text_of(line.ai_title).and_then(name).or(self.made.take()),
            "summary" => self.made = text_of(line.summary).and_then(name).or(self.made.take()),
            _ => {}
        }
    }

    /// The name by which the session is known: the person's before a made one.
    pub(super) fn name(&self) -> Option<String> {
        self.given.clone().or_else(|| self.made.clone())
    }
}

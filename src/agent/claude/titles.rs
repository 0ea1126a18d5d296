//! The names given to a session in its transcript.

use super::line::{Line, text_of};
use crate::agent::record_text::shortened_if_any;

#[derive(Debug, Default)]
pub(super) struct Titles {
    /// By the user.
    given: Option<String>,
    /// By a model.
    made: Option<String>,
}

impl Titles {
    /// Takes a bookkeeping line. An empty name from the user removes the previous one.
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

    /// The session's name: the user's, else the generated one.
    pub(super) fn name(&self) -> Option<String> {
        self.given.clone().or_else(|| self.made.clone())
    }
}

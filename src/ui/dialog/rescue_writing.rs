//! What is written in the preview of a rescue: the message of the commit, and whose name it bears.

use super::field::{Field, Written};
use super::message_area::{MessageArea, MessageKey};
use super::rescue_box::RescueBox;
use super::{Context, Step};
use crate::model::CommitAuthor;
use crate::ui::input::{Edited, KeyPress};

/// What is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Writing {
    /// The message.
    Message(MessageArea),
    /// Name and mail address.
    Author(Field),
}

/// What stands before the name that is written.
pub(super) const AUTHOR: &str = "author";

impl RescueBox {
    /// Whether the message is being written: it stands above then.
    pub(super) fn writes_message(&self) -> bool {
        matches!(self.writing, Some(Writing::Message(_)))
    }

    pub(super) fn key_while_writing(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match &mut self.writing {
            Some(Writing::Author(field)) => {
                let written = field.key(press);
                let text = field.text();
                self.written(written, &text)
            }
            Some(Writing::Message(area)) => {
                let key = area.key(press, context);
                self.key_in_message(key)
            }
            None => Step::stay(),
        }
    }

    fn written(&mut self, written: Written, text: &str) -> Step {
        match written {
            Written::More => return Step::stay(),
            Written::Left => {}
            Written::Kept => match text.parse::<CommitAuthor>().ok() {
                Some(author) => self.chosen.author = Some(author),
                None => return Step::say("Write it like this: Name <mail address>"),
            },
        }
        self.writing = None;
        Step::stay()
    }

    fn key_in_message(&mut self, key: MessageKey) -> Step {
        if key == MessageKey::More {
            return Step::stay();
        }
        let Some(Writing::Message(area)) = self.writing.take() else { return Step::stay() };
        match key {
            MessageKey::Kept => area.text().clone_into(&mut self.chosen.message),
            MessageKey::Left if area.text() != self.chosen.message => {
                self.draft = Some(area);
                return Step::say("The message is as it was; e goes on with what was written.");
            }
            MessageKey::Left => {}
            MessageKey::More | MessageKey::Editor => {
                let edit = Some(area.text().to_owned());
                self.writing = Some(Writing::Message(area));
                return Step { edit, ..Step::stay() };
            }
        }
        Step::stay()
    }

    /// The message comes back from the person's editor.
    pub(super) fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
        if let Some(Writing::Message(area)) = &mut self.writing {
            area.edited(edited, context);
        }
        Step::stay()
    }

    pub(super) fn paste(&mut self, pasted: &str, context: Context<'_>) -> Step {
        match &mut self.writing {
            Some(Writing::Message(area)) => area.paste(pasted, context),
            Some(Writing::Author(field)) => field.write(pasted),
            None => {}
        }
        Step::stay()
    }
}

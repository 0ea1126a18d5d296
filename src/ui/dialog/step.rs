//! What comes of an input to a dialog, as data: intents, words, and what becomes of the dialog itself.

use crate::model::Intent;

/// What comes of an input to a dialog.
#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) struct Step {
    /// What the person wants of the engine, in order.
    pub(in crate::ui) intents: Vec<Intent>,
    /// What becomes of the dialog.
    pub(in crate::ui) then: Then,
    /// It asks something else now: keys count once that could be read.
    pub(in crate::ui) is_new_question: bool,
    /// What is said in the last line until the next key. Untrusted.
    pub(in crate::ui) answer: Option<String>,
    /// A text to be opened in the person's editor; it comes back as an input.
    pub(in crate::ui) edit: Option<String>,
    /// Whether the program is left now.
    pub(in crate::ui) is_quit: bool,
}

/// What becomes of a dialog after an input.
#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) enum Then {
    /// It stays open.
    #[default]
    Stay,
    /// It is closed.
    Close,
    /// The reply box takes its place, with this text in it. Untrusted.
    Reply(String),
}

impl Step {
    /// Nothing but that the dialog stays.
    pub(in crate::ui) fn stay() -> Step {
        Step::default()
    }

    /// The dialog stays, and this is said. Untrusted.
    pub(in crate::ui) fn say(words: impl Into<String>) -> Step {
        Step { answer: Some(words.into()), ..Step::default() }
    }

    /// The key that says yes came before the dialog could be read.
    pub(in crate::ui) fn too_early() -> Step {
        Step::say("Not yet: this key came before the box could be read. Press it again.")
    }

    /// The dialog is closed.
    pub(in crate::ui) fn close() -> Step {
        Step { then: Then::Close, ..Step::default() }
    }

    /// The dialog is closed, and this is wanted.
    pub(in crate::ui) fn want(intent: Intent) -> Step {
        Step { intents: vec![intent], ..Step::close() }
    }
}

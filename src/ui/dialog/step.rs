//! The result of an input to a dialog, as data: intents, messages, and what happens to the dialog itself.

use crate::model::Intent;

/// The result of an input to a dialog.
#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) struct Step {
    /// What the person wants of the engine, in order.
    pub(in crate::ui) intents: Vec<Intent>,
    /// What happens to the dialog.
    pub(in crate::ui) then: Then,
    /// It asks something else now, so keys count only once that could be read.
    pub(in crate::ui) is_new_question: bool,
    /// A message for the last line until the next key. Untrusted.
    pub(in crate::ui) answer: Option<String>,
    /// A text to open in the person's editor; it comes back as an input.
    pub(in crate::ui) edit: Option<String>,
    /// Whether the program ends now.
    pub(in crate::ui) is_quit: bool,
}

/// What happens to a dialog after an input.
#[derive(Debug, Default, PartialEq)]
pub(in crate::ui) enum Then {
    /// It stays open.
    #[default]
    Stay,
    /// It closes.
    Close,
    /// The reply box replaces it, with this text in it. Untrusted.
    Reply(String),
}

impl Step {
    /// The dialog stays; nothing else happens.
    pub(in crate::ui) fn stay() -> Step {
        Step::default()
    }

    /// The dialog stays and shows this message. Untrusted.
    pub(in crate::ui) fn say(words: impl Into<String>) -> Step {
        Step { answer: Some(words.into()), ..Step::default() }
    }

    /// The confirming key came before the dialog could be read.
    pub(in crate::ui) fn too_early() -> Step {
        Step::say("Not yet: this key came before the box could be read. Press it again.")
    }

    /// The dialog closes.
    pub(in crate::ui) fn close() -> Step {
        Step { then: Then::Close, ..Step::default() }
    }

    /// The dialog closes and sends this intent.
    pub(in crate::ui) fn want(intent: Intent) -> Step {
        Step { intents: vec![intent], ..Step::close() }
    }
}

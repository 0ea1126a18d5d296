//! Claude Code's screen, as observed with 2.1.330: its input box, and the keys of its prompts and dialogs.
//! Nothing is typed here.

use crate::agent::screen::{
    EmptyBox, LongPaste, NOT_TRIED, OptionDialog, PermissionKey, PermissionKeys, Typing,
};
use crate::model::{ActivitySource, AskedByTool, LiveStatus, SessionObservation, StatusReport, WaitsOn};

/// How text is entered. The terminal cursor is hidden but stands where the drawn one is. An empty box may
/// show a faint hint, so the cursor's position says more than the text.
pub(super) const TYPING: Typing = Typing {
    not_first: &['/', '!', '?', '#'],
    long_paste: Some(LongPaste {
        n_lines: 3,
        n_signs: 800,
        words: "Claude Code marks more than 3 lines or 800 characters as pasted, and its model obeys such words less \
                readily",
    }),
    empty_box: Some(EmptyBox::Framed { prompts: &['❯', '>'], column: 2, below: '─' }),
    ..Typing::USUAL
};
/// A digit selects immediately. `1. Yes` comes first in every tool prompt; the other options vary with the
/// tool. Esc ends the turn.
pub(super) const PERMISSION: PermissionKeys = PermissionKeys {
    beside_subagents: true,
    not_for: &["ExitPlanMode", "AskUserQuestion"],
    ..PermissionKeys::of_version(
        &[PermissionKey::allow_once("1", "1"), PermissionKey::deny("Esc", "Escape")],
        SEEN,
    )
};
/// The version whose prompts were observed.
const SEEN: &str = "2.1.330";

/// The dialog of `AskUserQuestion` with one single-choice question: a digit selects and submits
/// immediately, wherever the highlight is. After the options come `Type something.`, a field in which
/// digits are text (the cursor is then in column 5 or further right), and `Chat about this`. With
/// `multiSelect` a digit only ticks an option, with several questions it moves on to the next one, and with
/// previews it only highlights. If the dialog is taller than its pane, the cursor is in the corner. In a
/// permission prompt the cursor is in column 1.
const OPTIONS: OptionDialog = OptionDialog {
    keys: &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    column: 0,
    marker: '❯',
    below: "Enter to select",
};

/// The dialog in which a session asks, and how to select its options.
///
/// # Errors
/// Why the dialog cannot be answered safely, in words for the user.
pub(super) fn option_dialog(
    session: &SessionObservation,
) -> Result<(&AskedByTool, OptionDialog), &'static str> {
    let asked = session.asked.as_ref().ok_or("what its dialog offers is unknown")?;
    if session.version.as_deref() != Some(SEEN) {
        return Err(NOT_TRIED);
    }
    let is_told = |word: &StatusReport| {
        matches!(word.source, ActivitySource::Hook | ActivitySource::Registry)
            && word.status == LiveStatus::Waiting { on: WaitsOn::Input }
    };
    if !session.live.iter().any(is_told) {
        return Err("only its record says that it asks: its dialog may not be open yet, or no longer");
    }
    if !asked.is_alone || !session.subagents.is_empty() {
        return Err(
            "other work of the session can ask as well: it is unclear which of them its screen shows",
        );
    }
    let [question] = asked.questions.as_slice() else {
        return Err("it asks several questions at once: answer them one by one there");
    };
    if question.takes_several {
        return Err("several options can be chosen together: choose and submit them there");
    }
    if question.has_previews {
        return Err("its options have previews to look at, in another kind of dialog");
    }
    let labels: Vec<&str> = question.options.iter().map(|option| option.label.trim()).collect();
    let is_own = |(at, label): (usize, &&str)| !label.is_empty() && !labels[..at].contains(label);
    if labels.is_empty() || labels.len() > OPTIONS.keys.len() || !labels.iter().enumerate().all(is_own) {
        return Err("its options cannot be told apart");
    }
    Ok((asked, OPTIONS))
}

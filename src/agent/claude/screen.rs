//! Claude Code's screen, as seen with 2.1.330: its input box, and the keys of its prompts and dialogs. Nothing
//! is typed here.

use crate::agent::screen::{
    EmptyBox, LongPaste, NOT_TRIED, OptionDialog, PermissionKey, Typing, asked_permission,
};
use crate::model::{ActivitySource, AskedByTool, LiveStatus, SessionObservation, StatusReport, WaitsOn};

/// How words reach it. The terminal's cursor is hidden, and stands where the drawn one is. A faint hint may stand
/// in an empty box, so that its text tells less than the cursor's place.
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
/// A digit chooses at once, and `1. Yes` stands first in every prompt for a tool; the others move with the tool.
/// Esc ends the turn.
const PERMISSION_KEYS: [PermissionKey; 2] = [
    PermissionKey { label: "allow once", given: "allowed once", answer: "1", key: "1" },
    PermissionKey { label: "deny, and end the turn", given: "denied", answer: "Esc", key: "Escape" },
];
/// The version whose prompts were seen.
const SEEN: &str = "2.1.330";
/// Prompts whose first option is no plain yes.
const OTHER_PROMPTS: [&str; 2] = ["ExitPlanMode", "AskUserQuestion"];

/// `AskUserQuestion` with one question of which one option is chosen: a digit chooses and
/// submits at once, wherever the selection stands among the options. Behind them come `Type something.`, a
/// field in which a digit is text (the cursor then stands in column 5 or more), and `Chat about this`. With
/// `multiSelect` a digit only ticks, with several questions it goes on to the next one, with previews it only
/// selects. A dialog that is higher than its pane has its cursor in the corner. A prompt for a permission has
/// its cursor in column 1.
const OPTIONS: OptionDialog = OptionDialog {
    keys: &["1", "2", "3", "4", "5", "6", "7", "8", "9"],
    column: 0,
    marker: '❯',
    below: "Enter to select",
};

/// The keys that answer the permission that a session waits for, and what it is about: only the hook names the
/// call, since others may be open beside it.
pub(super) fn permission_keys(session: &SessionObservation) -> Option<(&str, &'static [PermissionKey])> {
    let what = asked_permission(session)?;
    let is_other = OTHER_PROMPTS.iter().any(|tool| what.starts_with(tool));
    let is_known = session.version.as_deref() == Some(SEEN);
    (is_known && !is_other).then_some((what, PERMISSION_KEYS.as_slice()))
}

/// The dialog that a session asks in, and how its options are chosen; else why that is not certain.
pub(super) fn option_dialog(
    session: &SessionObservation,
) -> Result<(&AskedByTool, OptionDialog), &'static str> {
    let asked = session.asked.as_ref().ok_or("what its dialog offers is not known")?;
    if session.version.as_deref() != Some(SEEN) {
        return Err(NOT_TRIED);
    }
    let is_told = |word: &StatusReport| {
        matches!(word.source, ActivitySource::Hook | ActivitySource::Registry)
            && word.status == LiveStatus::Waiting { on: WaitsOn::Input }
    };
    if !session.live.iter().any(is_told) {
        return Err("only its record says that it asks: its dialog may not stand yet, or not any more");
    }
    if !asked.is_alone || !session.subagents.is_empty() {
        return Err(
            "other work of the session can ask as well: which of them its screen shows is not certain",
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

//! opencode's screen, as seen with 1.18.33: its input box, and the keys of its prompts for a permission. Nothing is
//! typed here.

use crate::agent::screen::{
    BESIDE_SUBAGENTS, DrawnPrompt, EmptyBox, NOT_TRIED, PermissionKey, PermissionKeys, Typing,
    asked_permission,
};
use crate::model::SessionObservation;

/// In a session the terminal cursor is the drawn one. The box grows with its text and eventually scrolls,
/// so only its lowest form is recognised. Its last line is `AGENT · MODEL PROVIDER`, or just `Shell` in the
/// shell mode that `!` starts. In dialogs, lists and permission prompts the cursor is elsewhere, and so it
/// is on the start screen, which is not a session. A wide screen shows a column of facts to the right of
/// the edge; a theme without a background uses blanks for the edge.
pub(super) const TYPING: Typing = Typing {
    empty_box: Some(EmptyBox::Barred { bar: '┃', from_bar: 3, mode: " · ", edge: ('╹', '▀') }),
    ..Typing::USUAL
};
/// Return chooses the option that is set off, which is the first one until somebody moves on; Esc refuses, which ends
/// the turn.
const PERMISSION: PermissionKeys = PermissionKeys {
    keys: &[PermissionKey::allow_once("Enter", "Enter"), PermissionKey::deny("Esc", "Escape")],
    drawn: Some(DrawnPrompt::Buttons {
        sign: "$ ",
        bar: '┃',
        labels: &["Allow once", "Allow always", "Reject"],
    }),
};
/// The version whose prompts were seen.
const SEEN: &str = "1.18.33";

/// The keys that answer the permission that a session waits for, and what it is about: only its hook names the call.
pub(super) fn permission_keys(session: &SessionObservation) -> Result<(&str, PermissionKeys), &'static str> {
    let what = asked_permission(session)?;
    if session.version.as_deref() != Some(SEEN) {
        return Err(NOT_TRIED);
    }
    if session.subagents.is_empty() { Ok((what, PERMISSION)) } else { Err(BESIDE_SUBAGENTS) }
}

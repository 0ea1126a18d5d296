//! Gemini CLI's screen, as seen with 0.61.0: its input box, and the keys of its prompts for a permission. Nothing is
//! typed here.

use crate::agent::screen::{
    BESIDE_SUBAGENTS, DrawnPrompt, EmptyBox, PermissionKey, PermissionKeys, Typing, asked_permission,
};
use crate::model::SessionObservation;

/// The terminal cursor is hidden but stands where the drawn one is. The hint disappears with the first
/// character typed, even a line break. The prompt is `*` in the mode that asks for no permissions and `!`
/// in shell mode, in which text is executed; shell mode and vi keys show a different hint.
pub(super) const TYPING: Typing = Typing {
    empty_box: Some(EmptyBox::WithHint {
        prompts: &['>', '*'],
        column: 3,
        hint: "  Type your message or @path/to/file",
    }),
    ..Typing::USUAL
};
/// A number chooses at once, wherever the selection stands; what allows more than this call is not offered. Esc ends
/// the turn. Its records name no version, so the keys count only while the prompt is drawn as it was seen.
const PERMISSION: PermissionKeys = PermissionKeys {
    keys: &[PermissionKey::allow_once("1", "1"), PermissionKey::deny("Esc", "Escape")],
    drawn: Some(DrawnPrompt::Framed {
        frame: ('╭', '╰'),
        asks: "Allow execution of",
        first: "1. Allow once",
    }),
};

/// The keys that answer the permission that a session waits for, and what it is about: only its hook names the call.
pub(super) fn permission_keys(session: &SessionObservation) -> Result<(&str, PermissionKeys), &'static str> {
    let what = asked_permission(session)?;
    if session.subagents.is_empty() { Ok((what, PERMISSION)) } else { Err(BESIDE_SUBAGENTS) }
}

//! Codex's screen, as observed with 0.169.0: the keys of its permission prompts. Nothing is typed here.

use crate::agent::screen::{BESIDE_SUBAGENTS, NOT_TRIED, PermissionKey, PermissionKeys, asked_permission};
use crate::model::SessionObservation;

/// A letter decides immediately, wherever the highlight is. `p`, which allows permanently, is not offered.
const PERMISSION_KEYS: [PermissionKey; 2] =
    [PermissionKey::allow_once("y", "y"), PermissionKey::deny("n", "n")];
/// The version whose prompts were observed.
const SEEN: &str = "0.169.0";

/// The keys that answer the permission prompt of a session, and what the prompt is about. Only a trusted
/// hook names the call, and a session with subagents may show the prompt of one of those.
pub(super) fn permission_keys(session: &SessionObservation) -> Result<(&str, PermissionKeys), &'static str> {
    let what = asked_permission(session)?;
    if session.version.as_deref() != Some(SEEN) {
        return Err(NOT_TRIED);
    }
    if !session.subagents.is_empty() {
        return Err(BESIDE_SUBAGENTS);
    }
    Ok((what, PermissionKeys { keys: &PERMISSION_KEYS, drawn: None }))
}

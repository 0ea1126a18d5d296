//! What an agent passes to a gate on standard input. As with events, a field of an unknown type counts as
//! absent.

use super::payload::tasks;
use crate::agent::fields::Fields;
use crate::model::{GateCall, GateEvent};

/// Reads the `payload` of a gate at `event`. `None` if it names neither a session nor a folder, so that its
/// subject is unknown.
pub fn gate_call(event: GateEvent, payload: &[u8]) -> Option<GateCall> {
    let fields = Fields::read(payload);
    let text = |name: &str| fields.text(name).filter(|text| !text.is_empty());
    let call = GateCall {
        event,
        session_id: text("session_id"),
        folder: text("cwd").map(Into::into),
        is_continued: fields.get("stop_hook_active"),
        background: fields.raw("background_tasks").map(tasks).unwrap_or_default(),
        last_message: fields.first_text(&["last_assistant_message", "prompt_response"]),
        prompt: text("prompt"),
        tool: text("tool_name"),
        is_helper: fields.raw("agent_id").is_some()
            && fields.text("agent_type").is_some_and(|kind| kind.is_empty()),
    };
    (call.session_id.is_some() || call.folder.is_some()).then_some(call)
}

//! Turns what an agent passes to its hook, or to a gate, on standard input into an event or a call.
//!
//! A payload can contain megabytes of what a tool read or wrote. Unused fields are skipped without a copy,
//! and the fields before a broken or truncated part still count.

use serde_json::value::RawValue;

use super::tool_input;
use crate::agent::facts::Hooks;
use crate::agent::fields::Fields;
use crate::model::{BackgroundTask, GateCall, GateEvent, HookEvent, HookKind, SessionId, Timestamp};

/// Further background tasks are ignored.
const MAX_TASKS: usize = 8;
/// The states of a task that has ended.
const ENDED: [&str; 5] = ["completed", "failed", "killed", "stopped", "cancelled"];
/// The event whose meaning depends on the type of the notice.
const NOTIFICATION: &str = "Notification";
/// How long an event may take to reach its hook, in milliseconds. Applies if the agent says when it
/// happened.
const LONGEST_WAY_MS: i64 = 10_000;
/// The event described by `payload`, received at `at`. `None` if it names no session.
pub fn event_of(hooks: &Hooks, payload: &[u8], at: Timestamp) -> Option<HookEvent> {
    Payload(Fields::read(payload)).into_event(hooks, at)
}

struct Payload<'a>(Fields<'a>);

impl Payload<'_> {
    fn into_event(self, hooks: &Hooks, at: Timestamp) -> Option<HookEvent> {
        let session_id = self.0.text("session_id").filter(|id| !id.is_empty())?;
        let name = self.0.text("hook_event_name").unwrap_or_default();
        let tool = self.tool().map(|tool| tool_input::cut(&tool));
        // opencode does not wait for hooks, so they can overtake each other; the plugin reports the time
        // itself.
        let reported_at = self.0.get("at").map(Timestamp);
        let at =
            reported_at.filter(|told| (0..=LONGEST_WAY_MS).contains(&at.millis_since(*told))).unwrap_or(at);
        let mut event = HookEvent::new(at, tool_input::cut(&session_id), HookKind::Other);
        event.kind = self.kind(hooks, &name, tool.as_deref());
        event.what = self.what(event.kind);
        event.folder = self.0.text("cwd").map(Into::into);
        event.record = self.0.text("transcript_path").map(Into::into);
        event.subagent = self.0.text("agent_id").map(|id| tool_input::cut(&id)).filter(|id| !id.is_empty());
        event.tool = tool;
        event.call = self.0.text("tool_use_id").map(|call| tool_input::cut(&call));
        event.background = self.0.raw("background_tasks").map(tasks);
        event.reason =
            self.0.first_text(&["source", "reason", "trigger"]).map(|reason| tool_input::cut(&reason));
        Some(event)
    }

    fn kind(&self, hooks: &Hooks, name: &str, tool: Option<&str>) -> HookKind {
        // Claude's internal helpers, such as the one that compacts a conversation, have an empty type.
        if self.0.raw("agent_id").is_some() && self.0.text("agent_type").is_some_and(|kind| kind.is_empty()) {
            return HookKind::Other;
        }
        let is_question = tool.is_some_and(|tool| hooks.asking_tools.contains(&tool))
            || self.details().is_some_and(|details| details.is_question());
        let named = |table: &[(&str, HookKind)], name: &str| {
            table.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
        };
        let notice = if name == NOTIFICATION { self.0.text("notification_type") } else { None };
        let kind = notice
            .and_then(|notice| named(hooks.notices, &notice))
            .or_else(|| named(hooks.events, name))
            .or_else(|| named(hooks.other_events, name))
            .unwrap_or(HookKind::Other);
        let is_call = matches!(kind, HookKind::ToolStarted | HookKind::PermissionAsked);
        if is_call && is_question { HookKind::QuestionAsked } else { kind }
    }

    /// The tool. In Gemini's notice about a permission, the one named in the details.
    fn tool(&self) -> Option<String> {
        self.0.text("tool_name").or_else(|| self.details()?.tool())
    }

    #[expect(clippy::wildcard_enum_match_arm, reason = "what was said is in the session's own record")]
    fn what(&self, kind: HookKind) -> Option<String> {
        let message = match kind {
            HookKind::StopFailed => self.0.text("last_assistant_message").or_else(|| self.0.text("error")),
            HookKind::ToolStarted
            | HookKind::ToolEnded
            | HookKind::PermissionAsked
            | HookKind::QuestionAsked => {
                let called = self.0.raw("tool_input").and_then(tool_input::what);
                called.or_else(|| self.details()?.what()).or_else(|| self.0.text("message"))
            }
            HookKind::PermissionNoticed | HookKind::IdleNoticed => self.0.text("message"),
            _ => None,
        };
        message.map(|message| tool_input::cut(&message)).filter(|message| !message.is_empty())
    }

    fn details(&self) -> Option<tool_input::Details> {
        self.0.get("details")
    }
}

#[derive(serde::Deserialize)]
struct Task {
    id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    status: String,
    description: Option<String>,
    #[serde(default)]
    command: Option<String>,
}

/// The tasks still running. An unreadable list counts as empty.
pub(super) fn tasks(raw: &RawValue) -> Vec<BackgroundTask> {
    let all: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let tasks = all.into_iter().filter_map(|task| serde_json::from_str::<Task>(task.get()).ok());
    let at_work = tasks.filter(|task| !ENDED.contains(&task.status.as_str()));
    let told = at_work.map(|task| BackgroundTask {
        id: tool_input::cut(&task.id),
        what: task.description.map(|what| tool_input::cut(&what)),
        command: task.command.map(|command| tool_input::cut(&command)),
        is_subagent: task.kind == "subagent",
    });
    told.take(MAX_TASKS).collect()
}

/// Reads the `payload` of a gate at `event`. `None` if it names neither a session nor a folder, so that its
/// subject is unknown.
pub fn gate_call(event: GateEvent, payload: &[u8]) -> Option<GateCall> {
    let fields = Fields::read(payload);
    let text = |name: &str| fields.text(name).filter(|text| !text.is_empty());
    let call = GateCall {
        event,
        session_id: text("session_id").map(SessionId::from),
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

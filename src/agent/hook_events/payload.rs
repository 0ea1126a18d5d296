//! What an agent puts on the standard input of its hook, as an event.
//!
//! A payload can have megabytes of what a tool read or wrote. Fields that are not needed are passed over
//! without a copy, and the fields before a place where it is broken or cut off still count.

use std::fmt;

use serde::Deserializer;
use serde::de::{IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::tool_input;
use crate::agent::facts::Hooks;
use crate::model::{BackgroundTask, HookEvent, HookKind, Timestamp};

/// More background tasks than these are left out.
const MOST_TASKS: usize = 8;
/// A task that is at one of these has ended.
const ENDED: [&str; 5] = ["completed", "failed", "killed", "stopped", "cancelled"];
/// The event whose meaning is that of its notice.
const NOTIFICATION: &str = "Notification";
/// So many milliseconds may lie between an event and its hook, where the agent tells when it was.
const LONGEST_WAY_MS: i64 = 10_000;
/// The event that `payload` tells of, at the moment `at`. `None` when it names no session.
pub fn event_of(hooks: &Hooks, payload: &[u8], at: Timestamp) -> Option<HookEvent> {
    let mut fields = Fields::default();
    let mut json = serde_json::Deserializer::from_slice(payload);
    // What stood before a mistake is in the fields already.
    let _ = json.deserialize_map(Collect(&mut fields));
    fields.into_event(hooks, at)
}

/// The fields that are looked at, as they stand in the payload.
#[derive(Default)]
struct Fields<'a> {
    session_id: Option<&'a RawValue>,
    event: Option<&'a RawValue>,
    folder: Option<&'a RawValue>,
    record: Option<&'a RawValue>,
    subagent: Option<&'a RawValue>,
    subagent_type: Option<&'a RawValue>,
    tool: Option<&'a RawValue>,
    tool_input: Option<&'a RawValue>,
    call: Option<&'a RawValue>,
    background: Option<&'a RawValue>,
    reason: Option<&'a RawValue>,
    message: Option<&'a RawValue>,
    notice: Option<&'a RawValue>,
    details: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    last_message: Option<&'a RawValue>,
    at: Option<&'a RawValue>,
}

/// Puts each field where it belongs as it comes by.
struct Collect<'f, 'a>(&'f mut Fields<'a>);

impl<'a> Visitor<'a> for Collect<'_, 'a> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the payload of a hook")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut map: A) -> Result<(), A::Error> {
        let fields = self.0;
        while let Some(key) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            let place = match key.as_ref() {
                "session_id" => &mut fields.session_id,
                "hook_event_name" => &mut fields.event,
                "cwd" => &mut fields.folder,
                "transcript_path" => &mut fields.record,
                "agent_id" => &mut fields.subagent,
                "agent_type" => &mut fields.subagent_type,
                "tool_name" => &mut fields.tool,
                "tool_input" => &mut fields.tool_input,
                "tool_use_id" => &mut fields.call,
                "background_tasks" => &mut fields.background,
                "source" | "reason" | "trigger" => &mut fields.reason,
                "message" => &mut fields.message,
                "notification_type" => &mut fields.notice,
                "details" => &mut fields.details,
                "error" => &mut fields.error,
                "last_assistant_message" => &mut fields.last_message,
                "at" => &mut fields.at,
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *place = Some(map.next_value()?);
        }
        Ok(())
    }
}

impl Fields<'_> {
    fn into_event(self, hooks: &Hooks, at: Timestamp) -> Option<HookEvent> {
        let session_id = text(self.session_id).filter(|id| !id.is_empty())?;
        let name = text(self.event).unwrap_or_default();
        let tool = self.tool().map(|tool| tool_input::cut(&tool));
        // opencode waits for no hook, so hooks can overtake each other: the plugin tells when it was.
        let reported_at = self.at.and_then(|at| serde_json::from_str(at.get()).ok()).map(Timestamp);
        let at =
            reported_at.filter(|told| (0..=LONGEST_WAY_MS).contains(&at.millis_since(*told))).unwrap_or(at);
        let mut event = HookEvent::new(at, tool_input::cut(&session_id), HookKind::Other);
        event.kind = self.kind(hooks, &name, tool.as_deref());
        event.what = self.what(event.kind);
        event.folder = text(self.folder).map(Into::into);
        event.record = text(self.record).map(Into::into);
        event.subagent = text(self.subagent).map(|id| tool_input::cut(&id)).filter(|id| !id.is_empty());
        event.tool = tool;
        event.call = text(self.call).map(|call| tool_input::cut(&call));
        event.background = self.background.map(tasks);
        event.reason = text(self.reason).map(|reason| tool_input::cut(&reason));
        Some(event)
    }

    fn kind(&self, hooks: &Hooks, name: &str, tool: Option<&str>) -> HookKind {
        // Helpers of Claude's own, such as the one that shortens a conversation, have no type.
        if self.subagent.is_some() && text(self.subagent_type).is_some_and(|kind| kind.is_empty()) {
            return HookKind::Other;
        }
        let is_question = tool.is_some_and(|tool| hooks.asking_tools.contains(&tool))
            || self.details().is_some_and(|details| details.is_question());
        let named = |table: &[(&str, HookKind)], name: &str| {
            table.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind)
        };
        let notice = if name == NOTIFICATION { text(self.notice) } else { None };
        let kind = notice
            .and_then(|notice| named(hooks.notices, &notice))
            .or_else(|| named(hooks.events, name))
            .or_else(|| named(hooks.other_events, name))
            .unwrap_or(HookKind::Other);
        let is_call = matches!(kind, HookKind::ToolStarted | HookKind::PermissionAsked);
        if is_call && is_question { HookKind::QuestionAsked } else { kind }
    }

    /// The tool; for Gemini's notice of a permission the one that its details name.
    fn tool(&self) -> Option<String> {
        text(self.tool).or_else(|| self.details()?.tool())
    }

    fn what(&self, kind: HookKind) -> Option<String> {
        let words = match kind {
            HookKind::StopFailed => text(self.last_message).or_else(|| text(self.error)),
            HookKind::ToolStarted
            | HookKind::ToolEnded
            | HookKind::PermissionAsked
            | HookKind::QuestionAsked => {
                let called = self.tool_input.and_then(tool_input::what);
                called.or_else(|| self.details()?.what()).or_else(|| text(self.message))
            }
            HookKind::PermissionNoticed | HookKind::IdleNoticed => text(self.message),
            // What was said is in the session's own record.
            HookKind::SessionStarted
            | HookKind::SessionEnded
            | HookKind::Prompted
            | HookKind::Busy
            | HookKind::PermissionAnswered
            | HookKind::QuestionAnswered
            | HookKind::Stopped
            | HookKind::Interrupted
            | HookKind::SubagentStarted
            | HookKind::SubagentStopped
            | HookKind::Compacting
            | HookKind::Compacted
            | HookKind::Other => None,
        };
        words.map(|words| tool_input::cut(&words)).filter(|words| !words.is_empty())
    }

    fn details(&self) -> Option<tool_input::Details> {
        serde_json::from_str(self.details?.get()).ok()
    }
}

fn text(raw: Option<&RawValue>) -> Option<String> {
    serde_json::from_str(raw?.get()).ok()
}

/// One entry of `background_tasks`.
#[derive(serde::Deserialize)]
struct Task {
    id: String,
    #[serde(rename = "type", default)]
    kind: String,
    #[serde(default)]
    status: String,
    #[serde(default)]
    description: Option<String>,
}

/// The tasks that are at work. A list that cannot be read is an empty one.
fn tasks(raw: &RawValue) -> Vec<BackgroundTask> {
    let all: Vec<&RawValue> = serde_json::from_str(raw.get()).unwrap_or_default();
    let tasks = all.into_iter().filter_map(|task| serde_json::from_str::<Task>(task.get()).ok());
    let at_work = tasks.filter(|task| !ENDED.contains(&task.status.as_str()));
    let told = at_work.map(|task| BackgroundTask {
        id: tool_input::cut(&task.id),
        what: task.description.map(|what| tool_input::cut(&what)),
        is_subagent: task.kind == "subagent",
    });
    told.take(MOST_TASKS).collect()
}

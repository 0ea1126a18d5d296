//! What waits for the user: how a wait begins, and what answers it.
//!
//! Neither the events that ask nor the reminders name the waiting call, and calls beside it continue in the
//! meantime.

use super::state::{HookFold, MAX_SUBAGENTS, Main, Wait};
use crate::model::{HookEvent, WaitsOn};

/// A call within this time of a permission request belongs to the same message, in milliseconds: it runs
/// beside the waiting call and says nothing about the answer.
pub(super) const SAME_MESSAGE_MS: i64 = 1000;

impl HookFold {
    /// The session's own turn continued, so its wait was answered.
    pub(super) fn answered_by_session(&mut self) {
        self.wait.take_if(|wait| wait.subagent.is_none());
    }

    pub(super) fn tool_started(&mut self, event: &HookEvent) {
        let is_later = |wait: &Wait| event.at.millis_since(wait.since) >= SAME_MESSAGE_MS;
        if self.wait.as_ref().is_none_or(is_later) {
            self.end_wait(event);
        }
        self.note_call(event);
        self.become_busy(event);
    }

    pub(super) fn tool_ended(&mut self, event: &HookEvent) {
        let key = key(event);
        let was_beside = match &self.wait {
            // It ran beside the waiting call.
            Some(Wait { call: Some(waiting), .. }) => {
                *waiting != key && self.calls.iter().any(|(open, _)| *open == key)
            }
            Some(Wait { call: None, .. }) | None => false,
        };
        self.calls.retain(|(open, _)| *open != key);
        if !was_beside {
            self.end_wait(event);
        }
        self.become_busy(event);
    }

    /// Ends the session's own wait, if any: the session is working again.
    fn end_wait(&mut self, event: &HookEvent) {
        if let Some(wait) = self.wait.take_if(|wait| wait.subagent.is_none()) {
            // A refused call gets no result.
            self.calls.retain(|(call, _)| Some(call) != wait.call.as_ref());
            self.main = Some((Main::Busy, event.at));
        }
    }

    fn note_call(&mut self, event: &HookEvent) {
        let key = key(event);
        self.calls.retain(|(open, _)| *open != key);
        if let Some(words) = call_words(event) {
            self.calls.push((key, words));
        }
        let n_more = self.calls.len().saturating_sub(MAX_SUBAGENTS);
        self.calls.drain(..n_more);
    }

    pub(super) fn waits(&mut self, on: WaitsOn, event: &HookEvent) {
        // Without a screen a request is refused immediately.
        if event.is_headless {
            self.calls.retain(|(_, words)| Some(words) != call_words(event).as_ref());
            return self.become_busy(event);
        }
        let what = if on == WaitsOn::Input { event.what.clone() } else { call_words(event) };
        let known = self.wait.take().filter(|wait| wait.on == on && wait.what == what);
        // The event that asks may not name the call. It is then the latest call of that tool.
        let of_tool = |(_, words): &&(String, String)| Some(words) == call_words(event).as_ref();
        let call = event.call.clone();
        let call = call.or_else(|| self.calls.iter().rev().find(of_tool).map(|(call, _)| call.clone()));
        let (since, call) = match known {
            Some(known) => (known.since, call.or(known.call)),
            None => (event.at, call),
        };
        if event.subagent.is_none() {
            self.become_busy(event);
        }
        self.wait = Some(Wait { on, subagent: event.subagent.clone(), call, what, since });
    }

    /// The reminder comes seconds after the dialog and says less than the event that asked.
    pub(super) fn permission_noticed(&mut self, event: &HookEvent) {
        if self.wait.is_none() && !event.is_headless {
            let last = self.calls.last().cloned();
            let (call, what) = last.map_or((None, None), |(call, words)| (Some(call), Some(words)));
            let what = what.or_else(|| event.what.clone());
            let subagent = event.subagent.clone();
            self.wait = Some(Wait { on: WaitsOn::Permission, subagent, call, what, since: event.at });
        }
    }
}

/// What identifies a call: its id, else the tool's name.
fn key(event: &HookEvent) -> String {
    event.call.clone().or_else(|| event.tool.clone()).unwrap_or_default()
}

/// A call in words, such as `Bash: cargo test`.
fn call_words(event: &HookEvent) -> Option<String> {
    let tool = event.tool.as_deref()?;
    Some(event.what.as_deref().map_or_else(|| tool.to_owned(), |what| format!("{tool}: {what}")))
}

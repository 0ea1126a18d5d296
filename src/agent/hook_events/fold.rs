//! What the events of a session say together: what it is doing, since when, and what runs in the
//! background.
//!
//! A pure fold over the events in the order in which they were recorded. It may start anywhere in a
//! session: events before the part that was read are not needed to know what the session is doing now.

mod state;
mod waits;

use crate::agent::record::LineReader;
use crate::model::{BackgroundTask, HookEvent, HookKind, Timestamp, WaitsOn};
use state::{Beside, ENOUGH, MAX_SUBAGENTS, Main, Wait};
use waits::SAME_MESSAGE_MS;

pub use state::HookFold;

/// How far concurrent hooks can overtake each other, in milliseconds. An event that is older than the last
/// one by more than this was stamped after the clock was set back.
const OVERTAKING_MS: i64 = 5000;

impl LineReader for HookFold {
    fn take(&mut self, line: &[u8]) {
        if let Ok(event) = serde_json::from_slice::<HookEvent>(line) {
            self.apply(&event);
        }
    }

    fn pass_over(&mut self, _begin: &[u8]) {}

    fn is_enough(&self) -> bool {
        self.n_events >= ENOUGH
    }
}

impl HookFold {
    /// Takes the next event.
    pub fn apply(&mut self, event: &HookEvent) {
        self.n_events += 1;
        if self.is_of_another_run(event) {
            return;
        }
        self.note_run(event);
        if event.kind == HookKind::Other || self.is_overtaken(event) {
            return;
        }
        self.reported_at = Some(event.at);
        match &event.subagent {
            Some(id) => self.in_subagent(id, event),
            None => self.in_session(event),
        }
        let is_beside = matches!(self.main, Some((Main::Idle, _))) && !self.beside.is_empty();
        match (&mut self.main, self.beside_since) {
            _ if is_beside => {
                self.beside_since.get_or_insert(event.at);
            }
            // The last background task ended: the session is idle from now on.
            (Some((Main::Idle, since)), Some(_)) => {
                *since = event.at;
                self.beside_since = None;
            }
            _ => self.beside_since = None,
        }
    }

    /// Whether the event comes from another process that only probes the session, or adds a prompt without
    /// a screen, while the process with the screen is still running.
    fn is_of_another_run(&self, event: &HookEvent) -> bool {
        let is_other = self.process.is_some() && event.process.is_some() && self.process != event.process;
        let is_over = matches!(self.main, Some((Main::Ended { .. }, _)) | None);
        is_other && !is_over && event.is_headless && !self.is_headless
    }

    /// Whether a later event that arrived first has already settled what this one reports.
    fn is_overtaken(&mut self, event: &HookEvent) -> bool {
        let by = self.reported_at.map_or(0, |reported_at| reported_at.millis_since(event.at));
        if !(1..=OVERTAKING_MS).contains(&by) || event.subagent.is_some() {
            return false;
        }
        let is_over = matches!(self.main, Some((Main::Idle | Main::Failed(_) | Main::Ended { .. }, _)));
        let is_of_turn = matches!(
            event.kind,
            HookKind::SessionStarted
                | HookKind::Prompted
                | HookKind::Busy
                | HookKind::Stopped
                | HookKind::IdleNoticed
                | HookKind::Compacting
                | HookKind::Compacted
        );
        is_of_turn || is_over && matches!(event.kind, HookKind::ToolStarted | HookKind::ToolEnded)
    }

    fn note_run(&mut self, event: &HookEvent) {
        self.session_id.get_or_insert_with(|| event.session_id.clone());
        if event.subagent.is_some() {
            return;
        }
        if event.process.is_some() && event.process != self.process {
            self.process = event.process;
            self.pid_namespace.clone_from(&event.pid_namespace);
            self.pane = None;
            self.wait = None;
            self.calls.clear();
            self.beside.clear();
        }
        self.is_headless = event.is_headless;
        if event.pane.is_some() {
            self.pane.clone_from(&event.pane);
        }
        if self.folder.is_none() {
            self.folder.clone_from(&event.folder);
        }
    }

    fn in_session(&mut self, event: &HookEvent) {
        match event.kind {
            HookKind::SessionStarted => {
                // After a compaction the turn continues, or `Compacted` reports that there is none.
                if event.reason.as_deref() != Some("compact") {
                    self.turn_over(Main::Idle, event);
                    self.beside.clear();
                }
            }
            HookKind::SessionEnded => {
                let is_cleared = event.reason.as_deref() == Some("clear");
                self.turn_over(Main::Ended { is_cleared }, event);
                self.beside.clear();
            }
            HookKind::Prompted => {
                self.calls.clear();
                self.answered_by_session();
                self.become_busy(event);
            }
            HookKind::Busy | HookKind::Compacting => self.become_busy(event),
            HookKind::Compacted => match event.reason.as_deref() {
                Some("auto") => self.become_busy(event),
                _ => self.turn_over(Main::Idle, event),
            },
            HookKind::ToolStarted => self.tool_started(event),
            HookKind::ToolEnded => self.tool_ended(event),
            HookKind::PermissionAsked => self.waits(WaitsOn::Permission, event),
            HookKind::QuestionAsked => self.waits(WaitsOn::Input, event),
            HookKind::PermissionNoticed => self.permission_noticed(event),
            HookKind::PermissionAnswered | HookKind::QuestionAnswered => {
                self.wait = None;
                self.become_busy(event);
            }
            HookKind::Stopped => {
                // opencode reports the error first and the stop afterwards.
                if !matches!(self.main, Some((Main::Failed(_), _))) {
                    self.turn_over(Main::Idle, event);
                }
                if let Some(tasks) = &event.background {
                    self.beside.retain(|beside| tasks.iter().any(|task| task.id == beside.task.id));
                    for task in tasks {
                        self.works_beside(task.clone(), event.at);
                    }
                }
            }
            HookKind::StopFailed => self.turn_over(Main::Failed(event.what.clone()), event),
            HookKind::Interrupted => self.turn_over(Main::Idle, event),
            HookKind::IdleNoticed => {
                if !matches!(self.main, Some((Main::Failed(_), _))) {
                    self.turn_over(Main::Idle, event);
                }
            }
            // Without a subagent's id they report nothing.
            HookKind::SubagentStarted | HookKind::SubagentStopped | HookKind::Other => {}
        }
    }

    /// Takes an event inside a subagent. It shows that the subagent is working; the session's own turn is
    /// unaffected, except that a subagent may wait for the user.
    fn in_subagent(&mut self, id: &str, event: &HookEvent) {
        let is_own_wait = |wait: &Wait| wait.subagent.as_deref() == Some(id);
        #[expect(clippy::wildcard_enum_match_arm, reason = "any other event shows that it is at work")]
        match event.kind {
            HookKind::SubagentStopped | HookKind::SessionEnded => {
                self.beside.retain(|beside| beside.task.id != id);
                if let Some(tasks) = &event.background {
                    let is_at_work = |task: &BackgroundTask| tasks.iter().any(|other| other.id == task.id);
                    self.beside.retain(|beside| beside.task.is_subagent || is_at_work(&beside.task));
                }
                self.wait.take_if(|wait| is_own_wait(wait));
                return;
            }
            HookKind::PermissionAsked => self.waits(WaitsOn::Permission, event),
            HookKind::QuestionAsked => self.waits(WaitsOn::Input, event),
            HookKind::PermissionNoticed => self.permission_noticed(event),
            _ => {
                let is_same_message = |wait: &Wait| event.at.millis_since(wait.since) < SAME_MESSAGE_MS;
                let is_answer =
                    event.call.is_some() && self.wait.as_ref().is_some_and(|wait| wait.call == event.call);
                self.wait.take_if(|wait| is_own_wait(wait) && (is_answer || !is_same_message(wait)));
            }
        }
        self.works_beside(
            BackgroundTask { id: id.to_owned(), what: None, command: None, is_subagent: true },
            event.at,
        );
    }

    fn works_beside(&mut self, task: BackgroundTask, at: Timestamp) {
        if let Some(known) = self.beside.iter_mut().find(|beside| beside.task.id == task.id) {
            known.moved_at = known.moved_at.max(at);
            if task.what.is_some() {
                known.task = task;
            }
        } else if self.beside.len() < MAX_SUBAGENTS {
            self.beside.push(Beside { task, moved_at: at });
        }
    }

    /// Ends the turn. Subagents can wait beyond its end.
    fn turn_over(&mut self, main: Main, event: &HookEvent) {
        self.calls.clear();
        if matches!(main, Main::Ended { .. }) {
            self.wait = None;
        }
        self.answered_by_session();
        if !matches!(&self.main, Some((known, _)) if *known == main) {
            self.main = Some((main, event.at));
        }
    }
}

//! What the events of a session mean together: what it does, since when, and what works beside it.
//!
//! A pure fold, one event after the other in the order in which they were written down. It starts in
//! the dark as well as at the session's begin: events from before the part that was read are not needed
//! for what the session does now.

mod told;
mod waits;

use std::path::PathBuf;

use crate::agent::record_tail::LineReader;
use crate::model::{BackgroundTask, HookEvent, HookKind, Pane, ProcessId, Timestamp, WaitsOn};
use waits::SAME_MESSAGE_MS;

/// With so many events the state does not depend on those before them.
const ENOUGH: usize = 100;
/// Hooks that run at once can overtake each other by so many milliseconds. An event that is older than
/// that against the last one was told by a clock that was set back.
const OVERTAKING_MS: i64 = 5000;
/// More subagents than these at once are not remembered.
const MOST_SUBAGENTS: usize = 64;

/// The state of a session after the events so far.
#[derive(Debug, Clone, Default)]
pub struct HookFold {
    n_events: usize,
    session_id: Option<String>,
    /// What the session's own turn does, and since when.
    main: Option<(Main, Timestamp)>,
    /// The calls of the session itself that have not answered: id or name of the tool, and the words.
    calls: Vec<(String, String)>,
    /// What waits for the person, if anything does.
    wait: Option<Wait>,
    /// What works beside the turn.
    beside: Vec<Beside>,
    /// Since when something works beside a turn that is over.
    beside_since: Option<Timestamp>,
    reported_at: Option<Timestamp>,
    process: Option<ProcessId>,
    pid_namespace: Option<String>,
    is_headless: bool,
    has_worked: bool,
    pane: Option<Pane>,
    first_folder: Option<PathBuf>,
    record: Option<PathBuf>,
}

/// What the session's own turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Main {
    Busy,
    Idle,
    Failed(Option<String>),
    Ended,
}

/// Something that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Wait {
    on: WaitsOn,
    subagent: Option<String>,
    /// The call's id, where it is known.
    call: Option<String>,
    what: Option<String>,
    since: Timestamp,
}

/// Work beside the turn.
#[derive(Debug, Clone)]
struct Beside {
    task: BackgroundTask,
    moved_at: Timestamp,
}

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
            // The last of it ended: from now on the session is idle.
            (Some((Main::Idle, since)), Some(_)) => {
                *since = event.at;
                self.beside_since = None;
            }
            _ => self.beside_since = None,
        }
    }

    /// Whether another process speaks that only looks into the session, or adds a prompt without a
    /// screen, while the one with a screen has not ended.
    fn is_of_another_run(&self, event: &HookEvent) -> bool {
        let is_other = self.process.is_some() && event.process.is_some() && self.process != event.process;
        let is_over = matches!(self.main, Some((Main::Ended, _)) | None);
        is_other && !is_over && event.is_headless && !self.is_headless
    }

    /// Whether an event that was told later has settled already what this one tells.
    fn is_overtaken(&mut self, event: &HookEvent) -> bool {
        let by = self.reported_at.map_or(0, |reported_at| reported_at.millis_since(event.at));
        if !(1..=OVERTAKING_MS).contains(&by) || event.subagent.is_some() {
            return false;
        }
        let is_over = matches!(self.main, Some((Main::Idle | Main::Failed(_) | Main::Ended, _)));
        match event.kind {
            HookKind::SessionStarted
            | HookKind::Prompted
            | HookKind::Busy
            | HookKind::Stopped
            | HookKind::IdleNoticed
            | HookKind::Compacting
            | HookKind::Compacted => true,
            HookKind::ToolStarted | HookKind::ToolEnded => is_over,
            HookKind::SessionEnded
            | HookKind::PermissionAsked
            | HookKind::PermissionNoticed
            | HookKind::PermissionAnswered
            | HookKind::QuestionAsked
            | HookKind::QuestionAnswered
            | HookKind::StopFailed
            | HookKind::Interrupted
            | HookKind::SubagentStarted
            | HookKind::SubagentStopped
            | HookKind::Other => false,
        }
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
        if self.first_folder.is_none() {
            self.first_folder.clone_from(&event.folder);
        }
        if event.record.is_some() {
            self.record.clone_from(&event.record);
        }
    }

    fn in_session(&mut self, event: &HookEvent) {
        match event.kind {
            HookKind::SessionStarted => {
                // After a compaction the turn goes on, or `Compacted` tells that there is none.
                if event.reason.as_deref() != Some("compact") {
                    self.turn_over(Main::Idle, event);
                    self.beside.clear();
                }
            }
            HookKind::SessionEnded => {
                self.turn_over(Main::Ended, event);
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
                // opencode tells of the error first, and then that it stopped.
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
            // Without the id of a subagent they tell of none.
            HookKind::SubagentStarted | HookKind::SubagentStopped | HookKind::Other => {}
        }
    }

    /// An event inside a subagent tells that it works, and changes nothing of the session's own turn,
    /// but that the person is waited for.
    fn in_subagent(&mut self, id: &str, event: &HookEvent) {
        let is_own_wait = |wait: &Wait| wait.subagent.as_deref() == Some(id);
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
            HookKind::SessionStarted
            | HookKind::Prompted
            | HookKind::Busy
            | HookKind::ToolStarted
            | HookKind::ToolEnded
            | HookKind::PermissionAnswered
            | HookKind::QuestionAnswered
            | HookKind::Stopped
            | HookKind::StopFailed
            | HookKind::Interrupted
            | HookKind::IdleNoticed
            | HookKind::SubagentStarted
            | HookKind::Compacting
            | HookKind::Compacted
            | HookKind::Other => {
                let is_same_message = |wait: &Wait| event.at.millis_since(wait.since) < SAME_MESSAGE_MS;
                let is_answer =
                    event.call.is_some() && self.wait.as_ref().is_some_and(|wait| wait.call == event.call);
                self.wait.take_if(|wait| is_own_wait(wait) && (is_answer || !is_same_message(wait)));
            }
        }
        self.works_beside(BackgroundTask { id: id.to_owned(), what: None, is_subagent: true }, event.at);
    }

    fn works_beside(&mut self, task: BackgroundTask, at: Timestamp) {
        if let Some(known) = self.beside.iter_mut().find(|beside| beside.task.id == task.id) {
            known.moved_at = known.moved_at.max(at);
            if task.what.is_some() {
                known.task = task;
            }
        } else if self.beside.len() < MOST_SUBAGENTS {
            self.beside.push(Beside { task, moved_at: at });
        }
    }

    fn become_busy(&mut self, event: &HookEvent) {
        self.has_worked = true;
        if !matches!(self.main, Some((Main::Busy, _))) {
            self.main = Some((Main::Busy, event.at));
        }
    }

    /// Waits of subagents outlast the turn.
    fn turn_over(&mut self, main: Main, event: &HookEvent) {
        self.calls.clear();
        if main == Main::Ended {
            self.wait = None;
        }
        self.answered_by_session();
        if !matches!(&self.main, Some((known, _)) if *known == main) {
            self.main = Some((main, event.at));
        }
    }
}

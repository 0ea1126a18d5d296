//! The state of a session after the events so far, and what it adds up to.

use std::path::PathBuf;

use crate::model::{
    ActivitySource, BackgroundTask, HookEvent, LiveStatus, Pane, ProcessId, SessionId, StatusReport,
    Subagent, Timestamp, WaitsOn,
};

/// After this many events the state no longer depends on earlier ones.
pub(super) const ENOUGH: usize = 100;
/// How many subagents, or open calls, are tracked at once.
pub(super) const MAX_SUBAGENTS: usize = 64;

/// The state of a session after the events so far.
#[derive(Debug, Clone, Default)]
pub struct HookFold {
    pub(super) n_events: usize,
    /// The session's id. Untrusted.
    pub session_id: Option<SessionId>,
    /// What the session's own turn is doing, and since when.
    pub(super) main: Option<(Main, Timestamp)>,
    /// The session's own pending calls: the key (id, or the tool's name) and the call in words.
    pub(super) calls: Vec<(String, String)>,
    /// What waits for the user, if anything.
    pub(super) wait: Option<Wait>,
    /// What runs in the background.
    pub(super) beside: Vec<Beside>,
    /// Since when background tasks have been running after the end of a turn.
    pub(super) beside_since: Option<Timestamp>,
    /// The time of the last event.
    pub reported_at: Option<Timestamp>,
    pub(super) process: Option<ProcessId>,
    pub(super) pid_namespace: Option<String>,
    /// Whether the agent runs without a screen.
    pub is_headless: bool,
    /// Whether the session was ever busy, in the part that was read.
    pub has_worked: bool,
    /// The pane the agent runs in.
    pub pane: Option<Pane>,
    /// The folder named by the first event that was read. Untrusted.
    pub folder: Option<PathBuf>,
}

/// What the session's own turn is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    Busy,
    Idle,
    Failed(Option<String>),
    Ended {
        /// The user cleared its conversation, as `/clear` does.
        is_cleared: bool,
    },
}

/// Something that waits for the user.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) on: WaitsOn,
    pub(super) subagent: Option<String>,
    /// The call's id, if known.
    pub(super) call: Option<String>,
    pub(super) what: Option<String>,
    pub(super) since: Timestamp,
}

/// A background task.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    pub(super) task: BackgroundTask,
    pub(super) moved_at: Timestamp,
}

impl HookFold {
    /// The session is working from now on.
    pub(super) fn become_busy(&mut self, event: &HookEvent) {
        self.has_worked = true;
        if !matches!(self.main, Some((Main::Busy, _))) {
            self.main = Some((Main::Busy, event.at));
        }
    }

    /// What the session is doing; `None` before the first event that says so.
    pub fn word(&self) -> Option<StatusReport> {
        let (main, main_since) = self.main.as_ref()?;
        let (status, since, what) = match (main, &self.wait) {
            (Main::Ended { .. }, _) => (LiveStatus::Ended, *main_since, None),
            (_, Some(wait)) => (LiveStatus::Waiting { on: wait.on.clone() }, wait.since, wait.what.clone()),
            (Main::Busy, None) => {
                (LiveStatus::Busy, *main_since, self.calls.last().map(|(_, words)| words.clone()))
            }
            (Main::Failed(error), None) => (LiveStatus::Failed, *main_since, error.clone()),
            (Main::Idle, None) => match self.beside.as_slice() {
                [] => (LiveStatus::Idle, *main_since, None),
                tasks => {
                    (LiveStatus::Background, self.beside_since.unwrap_or(*main_since), beside_words(tasks))
                }
            },
        };
        Some(StatusReport {
            source: ActivitySource::Hook,
            status,
            since: Some(since),
            reported_at: self.reported_at,
            what,
        })
    }

    /// Whether the session ended because its conversation was cleared.
    pub fn is_cleared(&self) -> bool {
        matches!(self.main, Some((Main::Ended { is_cleared: true }, _)))
    }

    /// What runs in the background of the last turn.
    pub fn background(&self) -> Vec<BackgroundTask> {
        self.beside.iter().map(|beside| beside.task.clone()).collect()
    }

    /// The subagents that started and have not ended.
    pub fn subagents(&self) -> Vec<Subagent> {
        let subagents = self.beside.iter().filter(|beside| beside.task.is_subagent);
        let told = subagents.map(|beside| Subagent {
            id: beside.task.id.clone(),
            what: beside.task.what.clone(),
            moved_at: Some(beside.moved_at),
        });
        told.collect()
    }

    /// The agent's process, and the PID namespace it belongs to.
    pub fn process(&self) -> Option<(ProcessId, Option<&str>)> {
        self.process.map(|process| (process, self.pid_namespace.as_deref()))
    }

    /// Whether too few events were read to ignore those in the previous file.
    pub(in crate::agent) fn is_short(&self) -> bool {
        self.n_events < ENOUGH
    }
}

fn beside_words(tasks: &[Beside]) -> Option<String> {
    match tasks {
        [one] => one.task.what.clone().or_else(|| one.task.is_subagent.then(|| "1 subagent".to_owned())),
        many if many.iter().all(|beside| beside.task.is_subagent) => {
            Some(format!("{} subagents", many.len()))
        }
        many => Some(format!("{} tasks", many.len())),
    }
}

//! What the events of a session add up to.

use std::path::Path;

use super::state::{Beside, ENOUGH, HookFold, Main};
use crate::model::{
    ActivitySource, BackgroundTask, LiveStatus, Pane, ProcessId, StatusReport, Subagent, Timestamp,
};

impl HookFold {
    /// What the session is doing; `None` before the first event that says so.
    pub fn word(&self) -> Option<StatusReport> {
        let (main, main_since) = self.main.as_ref()?;
        let (status, since, what) = match (main, &self.wait) {
            (Main::Ended, _) => (LiveStatus::Ended, *main_since, None),
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

    /// The session's id. Untrusted.
    pub fn session_id(&self) -> Option<&str> {
        self.session_id.as_deref()
    }

    /// The agent's process, and the PID namespace it belongs to.
    pub fn process(&self) -> Option<(ProcessId, Option<&str>)> {
        self.process.map(|process| (process, self.pid_namespace.as_deref()))
    }

    /// The pane the agent runs in.
    pub fn pane(&self) -> Option<&Pane> {
        self.pane.as_ref()
    }

    /// The folder named by the first event that was read. Untrusted.
    pub fn folder(&self) -> Option<&Path> {
        self.first_folder.as_deref()
    }

    /// Whether the agent runs without a screen.
    pub fn is_headless(&self) -> bool {
        self.is_headless
    }

    /// Whether the session was ever busy, in the part that was read.
    pub fn has_worked(&self) -> bool {
        self.has_worked
    }

    /// The time of the last event.
    pub fn reported_at(&self) -> Option<Timestamp> {
        self.reported_at
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

//! Detects whether a command is still active (git, files, sessions' records), and records its work before it
//! is ended. It must not end it.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use crate::cli::target_workspace;
use crate::engine::{EngineConfig, OneShot};
use crate::model::{Action, ActionClass, ActionOutcome, ActivityState, RecordOrder, WorkspaceId};

use super::command::Watcher;
use super::judging;

pub(super) struct Mover {
    pub(super) config: EngineConfig,
    pub(super) workspace: WorkspaceId,
    pub(super) patience: Option<Duration>,
    pub(super) record: Mutex<Option<String>>,
}

impl Watcher for Mover {
    fn patience(&self) -> Option<Duration> {
        self.patience
    }

    fn look(&self) -> u64 {
        // A verdict seen while the command runs does not belong in the history.
        let config = EngineConfig { state_folder: None, ..self.config.clone() };
        let views = OneShot::judge(&config).judged().views;
        let seen = views.first().map_or(0, judging::fingerprint);
        seen ^ judging::newest_below(self.workspace.path()).rotate_left(1)
    }

    fn before_the_end(&self) -> bool {
        let made = record(&self.config, &self.workspace);
        *self.record.lock().unwrap_or_else(PoisonError::into_inner) = made;
        let config = EngineConfig { state_folder: None, ..self.config.clone() };
        let views = OneShot::judge(&config).judged().views;
        views.first().is_some_and(|view| view.activity.state == ActivityState::Working)
    }
}

/// Records uncommitted work, if there is any, on a hidden reference; nothing visible changes. Returns the
/// reference.
pub(super) fn record(config: &EngineConfig, workspace: &WorkspaceId) -> Option<String> {
    let mut all = OneShot::judge(config);
    let order = RecordOrder { is_size_allowed: true, ..RecordOrder::default() };
    let outcome = all.action(workspace, Action::Record { order }, &|_| ());
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other outcome is one that a record cannot have"
    )]
    match outcome {
        ActionOutcome::Recorded(record) => Some(record.reference.clone()),
        ActionOutcome::Failed(problem) if problem.class != ActionClass::Nothing => {
            let _ = target_workspace::fail(&problem);
            None
        }
        _ => None,
    }
}

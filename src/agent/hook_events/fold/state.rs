//! What is known of a session after the events so far.

use std::path::PathBuf;

use crate::model::{BackgroundTask, HookEvent, Pane, ProcessId, Timestamp, WaitsOn};

/// With so many events the state does not depend on those before them.
pub(super) const ENOUGH: usize = 100;
/// More subagents than these at once are not remembered.
pub(super) const MOST_SUBAGENTS: usize = 64;

/// The state of a session after the events so far.
#[derive(Debug, Clone, Default)]
pub struct HookFold {
    pub(super) n_events: usize,
    pub(super) session_id: Option<String>,
    /// What the session's own turn does, and since when.
    pub(super) main: Option<(Main, Timestamp)>,
    /// The calls of the session itself that have not answered: id or name of the tool, and the words.
    pub(super) calls: Vec<(String, String)>,
    /// What waits for the person, if anything does.
    pub(super) wait: Option<Wait>,
    /// What works beside the turn.
    pub(super) beside: Vec<Beside>,
    /// Since when something works beside a turn that is over.
    pub(super) beside_since: Option<Timestamp>,
    pub(super) reported_at: Option<Timestamp>,
    pub(super) process: Option<ProcessId>,
    pub(super) pid_namespace: Option<String>,
    pub(super) is_headless: bool,
    pub(super) has_worked: bool,
    pub(super) pane: Option<Pane>,
    pub(super) first_folder: Option<PathBuf>,
}

/// What the session's own turn does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    Busy,
    Idle,
    Failed(Option<String>),
    Ended,
}

/// Something that waits for the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wait {
    pub(super) on: WaitsOn,
    pub(super) subagent: Option<String>,
    /// The call's id, where it is known.
    pub(super) call: Option<String>,
    pub(super) what: Option<String>,
    pub(super) since: Timestamp,
}

/// Work beside the turn.
#[derive(Debug, Clone)]
pub(super) struct Beside {
    pub(super) task: BackgroundTask,
    pub(super) moved_at: Timestamp,
}

impl HookFold {
    /// The session works from now on.
    pub(super) fn become_busy(&mut self, event: &HookEvent) {
        self.has_worked = true;
        if !matches!(self.main, Some((Main::Busy, _))) {
            self.main = Some((Main::Busy, event.at));
        }
    }
}

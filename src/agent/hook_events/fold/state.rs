//! The state of a session after the events so far.

use std::path::PathBuf;

use crate::model::{BackgroundTask, HookEvent, Pane, ProcessId, Timestamp, WaitsOn};

/// After this many events the state no longer depends on earlier ones.
pub(super) const ENOUGH: usize = 100;
/// How many subagents, or open calls, are tracked at once.
pub(super) const MAX_SUBAGENTS: usize = 64;

/// The state of a session after the events so far.
#[derive(Debug, Clone, Default)]
pub struct HookFold {
    pub(super) n_events: usize,
    pub(super) session_id: Option<String>,
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
    pub(super) reported_at: Option<Timestamp>,
    pub(super) process: Option<ProcessId>,
    pub(super) pid_namespace: Option<String>,
    pub(super) is_headless: bool,
    pub(super) has_worked: bool,
    pub(super) pane: Option<Pane>,
    pub(super) first_folder: Option<PathBuf>,
}

/// What the session's own turn is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Main {
    Busy,
    Idle,
    Failed(Option<String>),
    Ended,
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
}

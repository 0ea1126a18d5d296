//! What replies to one session are sent with, and what a session is at a moment.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::pane::TmuxAccess;
use super::program::Programs;
use crate::agent::Adapter;
use crate::model::{ActionProblem, Receipt, SessionObservation, SessionView, Timestamp};
use crate::process::Cancel;

/// What a session is at this moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// What was read of it.
    pub session: SessionObservation,
    /// The same, weighed.
    pub view: SessionView,
    /// Whether certainly no process works on it.
    pub is_surely_gone: bool,
    /// Its record.
    pub record: Option<PathBuf>,
}

/// What replies to one session are sent with.
pub struct Replier<'a> {
    /// The agent.
    pub adapter: &'a Adapter,
    /// The workspace.
    pub workspace: &'a Path,
    /// tmux, where it is installed.
    pub tmux: Option<TmuxAccess>,
    /// How agents' programs are started.
    pub programs: Programs,
    /// closeout's own folder.
    pub state: PathBuf,
    /// Looks at the session again.
    pub look: &'a dyn Fn() -> Result<Current, ActionProblem>,
    /// The time.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Told how far it is.
    pub report: &'a dyn Fn(&str),
    /// How long the record is looked at for the words after they were typed or queued.
    pub patience: Duration,
    /// How long the agent's program may take with a session that is not open.
    pub turn_limit: Duration,
    /// Ends the turn of such a program early.
    pub cancel: Cancel,
    /// Told when an agent has a reply and its program goes on with the turn: what is left is that turn.
    pub taken: &'a dyn Fn(&Receipt),
}

impl std::fmt::Debug for Replier<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Replier").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Current {
    /// Whether the reply is the session's newest prompt.
    pub(super) fn shows(&self, receipt: &Receipt) -> bool {
        let prompted = self.session.prompt.as_deref().zip(self.session.prompted_at);
        prompted.is_some_and(|(prompt, at)| receipt.is_shown_by(prompt, at))
    }
}

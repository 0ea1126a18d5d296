//! What sending replies to one session needs, and the state of a session at one moment. It must not send
//! anything itself.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::pane::TmuxAccess;
use super::program::Programs;
use crate::agent::Adapter;
use crate::model::{ActionProblem, Receipt, SessionObservation, SessionView, Timestamp};
use crate::process::Cancel;

/// The state of a session at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Current {
    /// The observation of the session.
    pub session: SessionObservation,
    /// The view derived from that observation.
    pub view: SessionView,
    /// Whether it is certain that no process works on it.
    pub is_surely_gone: bool,
    /// The path of its record.
    pub record: Option<PathBuf>,
}

/// Everything that sending replies to one session needs.
pub struct Replier<'a> {
    /// The agent.
    pub adapter: &'a Adapter,
    /// The workspace.
    pub workspace: &'a Path,
    /// Access to tmux, if it is installed.
    pub tmux: Option<TmuxAccess>,
    /// How agents' programs are started.
    pub programs: Programs,
    /// closeout's own state folder.
    pub state: PathBuf,
    /// Observes the session again.
    pub look: &'a dyn Fn() -> Result<Current, ActionProblem>,
    /// The clock.
    pub now: &'a dyn Fn() -> Timestamp,
    /// Called with progress messages.
    pub report: &'a dyn Fn(&str),
    /// How long to wait for the record to show the words after they were typed or queued.
    pub patience: Duration,
    /// The time limit of an agent's program that resumes a closed session.
    pub turn_limit: Duration,
    /// Cancels such a program.
    pub cancel: Cancel,
    /// Called when the agent has the reply while its program is still working on the turn.
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

//! What a one-shot front tells a person while it waits, so that no command is silent for long. It must not end a wait.

use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use crate::model::{Action, ActionKind, WorkspaceId};
use crate::process::Budget;

/// Longer waits are reported, in milliseconds: nearly every command is over by then.
pub(super) const TOLD_AFTER_MS: i64 = 2_000;

/// Something that a one-shot front has been waiting for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LongWait {
    /// The workspace.
    pub workspace: WorkspaceId,
    /// The action that runs in it; `None` if it is read.
    pub action: Option<ActionKind>,
    /// How long it is waited for: a reading as a whole, of an action only its calls of git that hang.
    pub limit: Duration,
}

/// How a front tells it. Called at most once for each reading and each action, from any thread.
pub type TellWait = fn(&LongWait);

/// Reports nothing.
pub(super) fn silent(_: &LongWait) {}

/// Runs `work`, which carries out `action`, and tells if it takes long.
pub(super) fn telling<T>(
    workspace: &WorkspaceId,
    action: &Action,
    tell: TellWait,
    work: impl FnOnce() -> T,
) -> T {
    if !calls_only_git(action) {
        return work();
    }
    let wait =
        LongWait { workspace: workspace.clone(), action: Some(action.kind()), limit: Budget::OF_ACTION };
    let told_after = Duration::from_millis(TOLD_AFTER_MS.unsigned_abs());
    thread::scope(|scope| {
        let (running, has_ended) = channel::<()>();
        // Without a thread, nothing is reported.
        let _ = thread::Builder::new().spawn_scoped(scope, move || {
            if has_ended.recv_timeout(told_after) == Err(RecvTimeoutError::Timeout) {
                tell(&wait);
            }
        });
        let outcome = work();
        drop(running);
        outcome
    })
}

/// Whether nothing but git can keep the action waiting. Any other one runs programs of the person's, which may take as
/// long as they like, and reports its steps.
fn calls_only_git(action: &Action) -> bool {
    if let Action::Rescue { plan } = action {
        return plan.programs.wanted.is_none();
    }
    matches!(
        action,
        Action::PlanRescue { .. } | Action::Record { .. } | Action::PlanUndo { .. } | Action::Undo { .. }
    )
}

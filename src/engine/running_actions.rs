//! The actions that run beside the loop, so that each can be cancelled by its number, and all of them at the
//! end. It only requests cancellation; the code that carries an action out ends it.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::sync::mpsc::UnboundedSender;
use tokio::task::spawn_blocking;

use super::actions::{self, Tools};
use super::event::EngineEvent;
use super::{EngineConfig, clock};
use crate::model::{
    ActionClass, ActionKind, ActionOutcome, ActionProblem, ActionRequest, Actor, Event, WorkspaceId,
    display_text,
};
use crate::process::{Budget, Cancel};
use crate::store::Store;

#[derive(Debug, Default)]
pub(super) struct RunningActions {
    by_number: BTreeMap<u64, Running>,
    /// Whether all actions are to end and no other may begin.
    is_over: bool,
}

#[derive(Debug)]
struct Running {
    workspace: WorkspaceId,
    kind: ActionKind,
    cancel: Cancel,
}

impl RunningActions {
    /// Carries out an action beside the loop; exactly one final event comes back. Requires the tokio runtime.
    pub(super) fn start(
        &mut self,
        request: ActionRequest,
        config: Arc<EngineConfig>,
        store: Option<Store>,
        sender: UnboundedSender<EngineEvent>,
    ) {
        let cancel = self.begin(&request);
        tokio::spawn(async move {
            let (workspace, number) = (request.workspace.clone(), request.number);
            let moved = sender.clone();
            let work = spawn_blocking(move || {
                let report = |progress| {
                    let workspace = request.workspace.clone();
                    let event = Event::ActionProgressed { at: clock::now(), workspace, number, progress };
                    let _ = moved.send(EngineEvent::Event(event));
                };
                let budget = Budget::default();
                let tools = Tools { config: &config, report: &report, cancel: &cancel, budget };
                actions::perform(&request, Actor::Screen, store.as_ref(), &tools)
            });
            let (outcome, entry) = work.await.unwrap_or_else(|error| {
                (ActionOutcome::Failed(ActionProblem::new(ActionClass::Failed, error.to_string())), None)
            });
            let (outcome, entry) = (Box::new(outcome), entry.map(Box::new));
            let event = Event::ActionFinished { at: clock::now(), workspace, number, outcome, entry };
            // Sending fails only after the engine has ended.
            let _ = sender.send(EngineEvent::Event(event));
        });
    }

    /// Registers an action and returns the value that cancels it; already cancelled after [`Self::cancel_all`].
    fn begin(&mut self, request: &ActionRequest) -> Cancel {
        let cancel = Cancel::new();
        if self.is_over {
            cancel.cancel();
        }
        let (workspace, kind) = (request.workspace.clone(), request.action.kind());
        self.by_number.insert(request.number, Running { workspace, kind, cancel: cancel.clone() });
        cancel
    }

    /// Forgets an action if `event` reports its end.
    pub(super) fn on_event(&mut self, event: &Event) {
        if let Event::ActionFinished { number, .. } = event {
            self.by_number.remove(number);
        }
    }

    /// Cancels an action. Returns its workspace if it is completing something first and cannot be cancelled
    /// yet.
    pub(super) fn cancel(&self, number: u64) -> Option<&WorkspaceId> {
        let running = self.by_number.get(&number)?;
        (!running.cancel.cancel()).then_some(&running.workspace)
    }

    /// Cancels all actions, including any that begin later.
    pub(super) fn cancel_all(&mut self) {
        self.is_over = true;
        for running in self.by_number.values() {
            // An action that is completing something ends by itself.
            running.cancel.cancel();
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.by_number.is_empty()
    }

    /// The running actions, as text for a person.
    pub(super) fn labels(&self) -> Vec<String> {
        let words =
            |it: &Running| format!("{} in {}", it.kind.name(), display_text::path(it.workspace.path()));
        self.by_number.values().map(words).collect()
    }
}

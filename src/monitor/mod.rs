//! The state of all workspaces: one event in, effects out. State changes nowhere else.
//!
//! Pure: events bring the time, samples bring the outside world. Each workspace has at most one running
//! collection and one set of parts to read again; only the answer to the last one started counts. Fronts read
//! [`WorkspaceView`](crate::model::WorkspaceView)s; nothing here draws, reads or waits.

mod actions;
mod asked;
mod attention;
mod auto_checks;
mod auto_probe;
mod automatic;
mod begin;
mod collected;
mod collecting;
mod held;
mod held_replies;
mod judging;
mod moments;
mod outcomes;
mod remembered;
mod replies;
mod runs;
mod schedule;
mod state;
mod timers;
mod tracked;
mod view;

use std::collections::BTreeSet;
use std::path::PathBuf;

use crate::model::{
    Effect, Event, FoundWorkspace, Intent, JumpOutcome, JumpTarget, Parts, Response, SessionName, Timestamp,
    WorkspaceId,
};

pub use actions::MAX_ENTRIES;
use state::millis;
pub use state::{Monitor, ViewChanges};
use tracked::Tracked;

impl Monitor {
    /// Processes one event and returns the effects to carry out.
    #[must_use]
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let at = event.at();
        // A discovery has the time at which it began, however long it took.
        if !matches!(event, Event::Discovered { .. }) {
            self.follow_clock(at);
        }
        match event {
            Event::Discovered { workspaces, refused, n_older_sessions, .. } => {
                self.n_older_sessions = n_older_sessions;
                self.discovered(at, workspaces, refused);
            }
            Event::Changed { workspace, parts, .. } => {
                self.with(&workspace, |tracked| tracked.changed(parts, at));
            }
            Event::EventsLost { .. } => {
                self.look_at_all(Parts::all(), at);
            }
            Event::WatchChanged { workspace, problem, .. } => {
                self.with(&workspace, |tracked| tracked.watch_changed(problem, at));
                self.changed.insert(workspace);
            }
            Event::Collected { workspace, generation, took_ms, outcome, .. } => {
                let policy = self.policy.clone();
                self.with_effects(&workspace, |tracked| {
                    tracked.collected(generation, took_ms, outcome, &policy, at)
                });
                self.find_replies(&workspace);
                self.changed.insert(workspace);
            }
            Event::Jumped { workspace, outcome, .. } => {
                self.responses.push(Response::Jump { workspace, outcome });
            }
            Event::ActionProgressed { workspace, number, progress, .. } => {
                self.progressed(&workspace, number, progress);
            }
            Event::EndsLater { workspace, number, .. } => {
                self.ends_later(&workspace, number);
            }
            Event::ActionFinished { workspace, number, outcome, entry, .. } => {
                self.finished(workspace, number, outcome, entry.map(|entry| *entry), at);
            }
            Event::RunsFound { runs, ended, .. } => self.runs_found(runs, ended, at),
            Event::Reported { reports, .. } => {
                for (id, kept) in reports {
                    self.with(&id, |tracked| tracked.reported(kept, at));
                }
            }
            Event::Woke { .. } => {
                self.wake_at = None;
                self.woke(at);
            }
            Event::Wanted { intent, .. } => {
                self.on_intent(intent, at);
            }
        }
        self.start_what_is_due(at);
        self.ask_to_be_woken(at);
        std::mem::take(&mut self.effects)
    }

    fn discovered(&mut self, at: Timestamp, found: Vec<FoundWorkspace>, refused: Vec<(PathBuf, String)>) {
        self.is_discovered = true;
        self.begin_initiative(at);
        let ids: BTreeSet<&WorkspaceId> = found.iter().map(|found| &found.id).collect();
        // A known directory that has vanished keeps its row: the row says so, and it may return.
        let (vanished, refused): (Vec<_>, Vec<_>) =
            refused.into_iter().partition(|(path, _)| self.workspaces.keys().any(|id| id.path() == path));
        let is_vanished = |id: &WorkspaceId| vanished.iter().any(|(path, _)| id.path() == path);
        let gone: Vec<WorkspaceId> =
            self.workspaces.keys().filter(|id| !ids.contains(id) && !is_vanished(id)).cloned().collect();
        for (path, _) in &vanished {
            self.with(&WorkspaceId::local(path.clone()), |tracked| tracked.changed(Parts::all(), at));
        }
        self.refused = refused;
        for id in gone {
            self.workspaces.remove(&id);
            self.timers.set(&id, None);
            self.effects.push(Effect::Watch { workspace: id.clone(), targets: Vec::new() });
            self.effects.push(Effect::WatchProcesses { workspace: id.clone(), processes: Vec::new() });
            self.changed.remove(&id);
            self.removed.push(id);
        }
        let is_fewer = !self.removed.is_empty();
        let n_before = self.workspaces.len();
        for found in found {
            let id = found.id.clone();
            let tracked =
                self.workspaces.entry(id.clone()).or_insert_with(|| Box::new(Tracked::new(id.clone())));
            if tracked.found(found, at) {
                self.touched.insert(id.clone());
                self.changed.insert(id);
            }
        }
        if self.workspaces.len() != n_before {
            // Names that clash are extended, so a new workspace can rename others.
            self.changed.extend(self.workspaces.keys().cloned());
        }
        if self.workspaces.len() != n_before || is_fewer {
            self.names = view::names(self.workspaces.keys());
        }
        self.reconcile_at = at.plus_millis(millis(self.settings.reconcile_ms));
    }

    fn on_intent(&mut self, intent: Intent, at: Timestamp) {
        match intent {
            Intent::Refresh { workspace: Some(id) } => self.with(&id, |tracked| tracked.collecting.refresh()),
            Intent::Refresh { workspace: None } => {
                for tracked in self.workspaces.values_mut() {
                    tracked.collecting.refresh();
                }
                self.touch_all();
            }
            Intent::JumpToPane { workspace, session } => self.wants_jump(workspace, &session),
            Intent::Action { workspace, action } => self.wants_action(workspace, *action, at),
            Intent::CancelAction { workspace, number } => self.wants_cancel(&workspace, number),
            Intent::KeepDraft { workspace, draft } => self.wants_draft(workspace, draft),
            // Handled by discovery.
            Intent::ShowOlder { .. } => {}
            Intent::Glance { workspace } => {
                self.with(&workspace, |tracked| tracked.collecting.look_at_tree(at));
            }
            Intent::Look { workspace } => {
                self.with_effects(&workspace, |tracked| tracked.look(at));
                self.changed.insert(workspace);
            }
        }
    }

    fn wants_jump(&mut self, workspace: WorkspaceId, name: &SessionName) {
        if let Some(session) = self.jump_target(&workspace, name) {
            self.effects.push(Effect::JumpToPane { workspace, session });
        } else {
            let reason = "the session is no longer known".to_owned();
            self.responses.push(Response::Jump { workspace, outcome: JumpOutcome::Refused { reason } });
        }
    }

    fn jump_target(&self, id: &WorkspaceId, name: &SessionName) -> Option<JumpTarget> {
        let sessions = &self.workspaces.get(id)?.snapshot.session_facts.sessions;
        let session = sessions.iter().find(|session| session.is(name))?;
        let agent = session.agent.clone();
        Some(JumpTarget { agent, pane: session.pane.clone(), process: session.process })
    }
}

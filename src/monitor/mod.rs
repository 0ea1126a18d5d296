//! The state of all workspaces. One event in, effects out; state is changed nowhere else.
//!
//! Pure: time comes with events, and what the world says comes as samples. Each workspace has at
//! most one collection running and one bit set "again"; an answer that is older than what is shown is
//! dropped. Fronts read [`WorkspaceView`]s; nothing here draws, reads or waits.

mod action_request;
mod actions;
mod asked;
mod attention;
mod auto_checks;
mod auto_probe;
mod held;
mod judging;
mod remembered;
mod replies;
mod runs;
mod schedule;
mod tracked;
mod view;

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use crate::model::{
    Effect, Event, FoundWorkspace, Intent, JumpOutcome, JumpTarget, Parts, Policy, Response, Timestamp,
    WatchSettings, WorkspaceId, WorkspaceView,
};

use auto_probe::AutoProbePolicy;
use schedule::Timers;
use tracked::Tracked;

/// The state of all workspaces.
#[derive(Debug)]
pub struct Monitor {
    policy: Policy,
    settings: WatchSettings,
    /// Boxed: the map keeps room for eleven where it holds six.
    workspaces: BTreeMap<WorkspaceId, Box<Tracked>>,
    /// The short name of each workspace.
    names: BTreeMap<WorkspaceId, String>,
    /// Those that the present event touched: nothing else can have come to be due before its moment.
    touched: BTreeSet<WorkspaceId>,
    dues: Timers,
    refused: Vec<(PathBuf, String)>,
    n_older_sessions: usize,
    /// Those whose view changed since a front asked.
    changed: BTreeSet<WorkspaceId>,
    /// Those that went away since a front asked.
    removed: Vec<WorkspaceId>,
    /// What a person is to be told.
    told: Vec<Response>,
    reconcile_at: Timestamp,
    wake_at: Option<Timestamp>,
    is_discovered: bool,
    /// The number of the last action.
    last_action: u64,
    /// By what agents are asked by itself; `None` asks nobody.
    initiative: Option<AutoProbePolicy>,
    /// Whether replies that are held are sent from here.
    sends_held: bool,
}

/// What changed for a front since it asked last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ViewChanges {
    /// New and changed views.
    pub views: Vec<WorkspaceView>,
    /// Workspaces that are no more.
    pub removed: Vec<WorkspaceId>,
    /// Answers to what a person wanted, in the order in which they came.
    pub told: Vec<Response>,
}

impl Monitor {
    /// A monitor that knows no workspace yet.
    pub fn new(policy: Policy, settings: WatchSettings) -> Monitor {
        Monitor {
            policy,
            settings,
            workspaces: BTreeMap::new(),
            names: BTreeMap::new(),
            touched: BTreeSet::new(),
            dues: Timers::default(),
            refused: Vec::new(),
            n_older_sessions: 0,
            changed: BTreeSet::new(),
            removed: Vec::new(),
            told: Vec::new(),
            reconcile_at: Timestamp(0),
            wake_at: None,
            is_discovered: false,
            last_action: 0,
            initiative: None,
            sends_held: false,
        }
    }

    /// Takes one event in and says what is to be done.
    #[must_use]
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let now = match event {
            Event::Discovered { at, workspaces, refused, n_older_sessions } => {
                self.n_older_sessions = n_older_sessions;
                self.discovered(at, workspaces, refused, &mut effects);
                at
            }
            Event::Changed { at, workspace, parts } => {
                self.with(&workspace, |tracked| tracked.changed(parts, at));
                at
            }
            Event::EventsLost { at } => {
                self.look_at_all(Parts::all(), at);
                at
            }
            Event::WatchChanged { at, workspace, problem } => {
                self.with(&workspace, |tracked| tracked.watch_changed(problem, at));
                self.changed.insert(workspace);
                at
            }
            Event::Collected { at, workspace, generation, took_ms, outcome } => {
                let policy = self.policy.clone();
                self.with(&workspace, |tracked| {
                    effects.extend(tracked.collected(generation, took_ms, outcome, &policy, at));
                });
                self.find_replies(&workspace, &mut effects);
                self.changed.insert(workspace);
                at
            }
            Event::Jumped { at, workspace, outcome } => {
                self.told.push(Response::Jump { workspace, outcome });
                at
            }
            Event::ActionProgressed { at, workspace, number, progress } => {
                self.act_moved(&workspace, number, progress, &mut effects);
                at
            }
            Event::EndsLater { at, workspace, number } => {
                self.ends_later(&workspace, number);
                at
            }
            Event::ActionFinished { at, workspace, number, outcome, entry } => {
                self.outcome(workspace, number, outcome, entry.map(|entry| *entry), at, &mut effects);
                at
            }
            Event::RunsFound { at, runs, ended } => self.runs_found(runs, ended, at, &mut effects),
            Event::Woke { at } => {
                self.wake_at = None;
                self.woke(at, &mut effects);
                at
            }
            Event::Wanted { at, intent } => {
                self.wanted(intent, at, &mut effects);
                at
            }
        };
        self.start_collections(now, &mut effects);
        self.ask_to_be_woken(now, &mut effects);
        effects
    }

    /// What changed since this was asked last.
    pub fn take_changes(&mut self) -> ViewChanges {
        let views = std::mem::take(&mut self.changed)
            .iter()
            .filter_map(|id| {
                let tracked = self.workspaces.get(id)?;
                Some(view::view(tracked, self.names.get(id).map_or("", String::as_str)))
            })
            .collect();
        ViewChanges {
            views,
            removed: std::mem::take(&mut self.removed),
            told: std::mem::take(&mut self.told),
        }
    }

    /// Paths that were given and are no workspace, each with the reason.
    pub fn refused(&self) -> &[(PathBuf, String)] {
        &self.refused
    }

    /// How many sessions were left out because they are old.
    pub fn n_older_sessions(&self) -> usize {
        self.n_older_sessions
    }

    /// True when discovery has answered and every workspace was read at least once.
    pub fn is_all_judged(&self) -> bool {
        self.is_discovered && self.workspaces.values().all(|tracked| tracked.is_judged())
    }

    /// True when discovery has answered.
    pub fn is_discovered(&self) -> bool {
        self.is_discovered
    }

    fn discovered(
        &mut self,
        at: Timestamp,
        found: Vec<FoundWorkspace>,
        refused: Vec<(PathBuf, String)>,
        effects: &mut Vec<Effect>,
    ) {
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
            self.dues.set(&id, None);
            effects.push(Effect::Watch { workspace: id.clone(), targets: Vec::new() });
            effects.push(Effect::WatchProcesses { workspace: id.clone(), processes: Vec::new() });
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
            // Names are made longer where two are the same, so a newcomer can rename the others.
            self.changed.extend(self.workspaces.keys().cloned());
        }
        if self.workspaces.len() != n_before || is_fewer {
            self.names = view::names(self.workspaces.keys());
        }
        self.reconcile_at = at.plus_millis(millis(self.settings.reconcile_ms));
    }

    fn wanted(&mut self, intent: Intent, at: Timestamp, effects: &mut Vec<Effect>) {
        match intent {
            Intent::Refresh { workspace: Some(id) } => self.with(&id, Tracked::refresh),
            Intent::Refresh { workspace: None } => {
                for tracked in self.workspaces.values_mut() {
                    tracked.refresh();
                }
                self.touch_all();
            }
            Intent::JumpToPane { workspace, session_id } => self.wants_jump(workspace, &session_id, effects),
            Intent::Action { workspace, action } => self.wants_action(workspace, *action, at, effects),
            Intent::CancelAction { workspace, number } => self.wants_cancel(&workspace, number, effects),
            Intent::KeepDraft { workspace, draft } => self.wants_draft(workspace, draft, effects),
            // Discovery answers it.
            Intent::ShowOlder { .. } => {}
            Intent::Glance { workspace } => self.with(&workspace, |tracked| tracked.look_at_tree(at)),
            Intent::Look { workspace } => {
                self.with(&workspace, |tracked| effects.extend(tracked.look(at)));
                self.changed.insert(workspace);
            }
        }
    }

    fn wants_jump(&mut self, workspace: WorkspaceId, session_id: &str, effects: &mut Vec<Effect>) {
        if let Some(session) = self.jump_target(&workspace, session_id) {
            effects.push(Effect::JumpToPane { workspace, session });
        } else {
            let reason = "the session is not known any more".to_owned();
            self.told.push(Response::Jump { workspace, outcome: JumpOutcome::Refused { reason } });
        }
    }

    fn jump_target(&self, id: &WorkspaceId, session_id: &str) -> Option<JumpTarget> {
        let sessions = &self.workspaces.get(id)?.snapshot.session_facts.sessions;
        let session = sessions.iter().find(|session| session.session_id == session_id)?;
        let agent = session.agent.clone();
        Some(JumpTarget { agent, pane: session.pane.clone(), process: session.process })
    }

    fn look_at_all(&mut self, parts: Parts, at: Timestamp) {
        for tracked in self.workspaces.values_mut() {
            tracked.changed(parts, at);
        }
        self.touch_all();
    }

    fn touch_all(&mut self) {
        self.touched.extend(self.workspaces.keys().cloned());
    }

    fn with(&mut self, id: &WorkspaceId, change: impl FnOnce(&mut Tracked)) {
        if let Some(tracked) = self.workspaces.get_mut(id) {
            change(tracked);
            self.touched.insert(id.clone());
        }
    }
}

/// Milliseconds as the signed number that moments are counted in.
fn millis(span: u64) -> i64 {
    i64::try_from(span).unwrap_or(i64::MAX)
}

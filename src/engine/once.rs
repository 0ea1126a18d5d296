//! Reads every workspace once and returns: for one-shot fronts. It uses no watches and no runtime, only a few
//! worker threads, since a collection waits for the disk as much as it computes.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use crate::agent::Memories;
use crate::model::{
    Action, ActionClass, ActionOutcome, ActionProblem, ActionProgress, ActionRequest, Actor, DecisionReason,
    Effect, Event, FoundWorkspace, Intent, Response, Timestamp, TypedAction, WorkspaceId, WorkspaceView,
};
use crate::monitor::Monitor;
use crate::process::Cancel;
use crate::store::{Store, StoreWrite};

use super::actions::{self, Tools};
use super::awaited_collections::AwaitedCollections;
use super::long_wait::{TellWait, silent, telling};
use super::recall::recall;
use super::{EngineConfig, Scope, clock, discover, history};

/// A later look is not waited for. A half-written file is taken as it is after two seconds.
const LONGEST_SETTLING_MS: i64 = 2_500;

/// The result of judging everything once.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Judged {
    /// The workspaces, in no particular order.
    pub views: Vec<WorkspaceView>,
    /// Paths that are not workspaces, each with the reason.
    pub refused: Vec<(PathBuf, String)>,
    /// Problems that belong to no single workspace, such as what could not be stored, as text for a person.
    pub notices: Vec<String>,
}

/// All workspaces in the scope, judged once, and a runner for actions on them: for fronts that exit afterwards.
pub struct OneShot<'a> {
    config: &'a EngineConfig,
    store: Option<Store>,
    monitor: Monitor,
    collections: AwaitedCollections<'a>,
    views: BTreeMap<WorkspaceId, WorkspaceView>,
    responses: Vec<Response>,
    /// The action that the monitor requested, not yet carried out.
    wanted: Option<Box<ActionRequest>>,
    /// Writes postponed until everything is judged.
    writes: Vec<StoreWrite>,
    /// When the monitor wants to look again.
    wake_at: Option<Timestamp>,
    /// Cancels the running action.
    cancel: Cancel,
    notices: Vec<String>,
    tell: TellWait,
}

impl<'a> OneShot<'a> {
    /// Judges everything in the scope of `config` once, and stores baselines found for the first time. A workspace that
    /// does not answer within the configured limit is given up; its thread is abandoned and ends with the process.
    pub fn judge(config: &'a EngineConfig) -> OneShot<'a> {
        OneShot::judge_telling(config, silent)
    }

    /// The same, and has a person told of every long wait, here and in actions.
    pub fn judge_telling(config: &'a EngineConfig, tell: TellWait) -> OneShot<'a> {
        let mut notices = Vec::new();
        let store = open_store(config, &mut notices);
        let mut discovery =
            discover::discover(config, store.as_ref(), clock::now(), false, &mut Memories::default());
        if config.overrides.resets_rounds {
            notices.extend(reset_rounds(store.as_ref(), &discovery.workspaces));
        }
        recall(store.as_ref(), &mut discovery.workspaces, true, &mut |notice| notices.push(notice));
        notices.append(&mut discovery.problems);
        let mut all = OneShot {
            config,
            store,
            monitor: Monitor::new(config.config.policy.clone(), config.config.watch.clone()),
            collections: AwaitedCollections::new(config, tell),
            views: BTreeMap::new(),
            responses: Vec::new(),
            wanted: None,
            writes: Vec::new(),
            wake_at: None,
            cancel: Cancel::new(),
            notices,
            tell,
        };
        all.apply(discovery.event());
        all.settle();
        all.note();
        all
    }

    /// Replaces the value that cancels the actions with `cancel`, so that the caller can cancel them.
    #[must_use]
    pub fn ending_with(self, cancel: Cancel) -> OneShot<'a> {
        OneShot { cancel, ..self }
    }

    /// Looks once more at a decision file that was half-written when it was read. In a shell loop the check follows the
    /// writer at once, and a file that stays broken has to count in every round (R4).
    fn settle(&mut self) {
        let is_unreadable = |view: &WorkspaceView| view.decision.reason == Some(DecisionReason::Unreadable);
        let is_one = matches!(self.config.scope, Scope::One(_)) && self.views.values().any(is_unreadable);
        let wait_ms = self.wake_at.map(|at| at.millis_since(clock::now()));
        let Some(wait_ms) = wait_ms.filter(|ms| is_one && *ms <= LONGEST_SETTLING_MS) else { return };
        thread::sleep(Duration::from_millis(wait_ms.max(0).unsigned_abs()));
        self.apply(Event::Woke { at: clock::now() });
    }

    /// Adds the verdict to the history if the scope is a single workspace; for many, the screen's engine does
    /// that.
    fn note(&mut self) {
        if let (Scope::One(_), Some(store)) = (&self.config.scope, &self.store) {
            for view in self.views.values() {
                if let Err(error) = history::note_once(store, view) {
                    self.notices.push(error.to_string());
                }
            }
        }
    }

    /// What is known so far.
    pub fn judged(&self) -> Judged {
        Judged {
            views: self.views.values().cloned().collect(),
            refused: self.monitor.refused().to_vec(),
            notices: self.notices.clone(),
        }
    }

    /// A handle that cancels the running action, if it can be cancelled, and prevents further ones. For
    /// signal handlers.
    pub fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// Carries out an action as [`Self::action`] does, and returns its answer.
    pub fn answer<T>(
        &mut self,
        workspace: &WorkspaceId,
        wanted: TypedAction<T>,
        report: &(dyn Fn(ActionProgress) + Send + Sync),
    ) -> Result<T, ActionProblem> {
        (wanted.answer)(self.action(workspace, wanted.action, report))
    }

    /// Carries out an action, reads again what it changed, and returns its outcome. `report` is called with its
    /// progress.
    pub fn action(
        &mut self,
        workspace: &WorkspaceId,
        action: Action,
        report: &(dyn Fn(ActionProgress) + Send + Sync),
    ) -> ActionOutcome {
        let intent = Intent::Action { workspace: workspace.clone(), action: Box::new(action) };
        self.apply(Event::Wanted { at: clock::now(), intent });
        if let Some(request) = self.wanted.take() {
            let budget = self.collections.budget(&request.workspace);
            let tools = Tools { config: self.config, report, cancel: &self.cancel, budget };
            let (outcome, entry) = telling(&request.workspace, &request.action, self.tell, || {
                actions::perform(&request, Actor::Command, self.store.as_ref(), &tools)
            });
            self.apply(Event::ActionFinished {
                at: clock::now(),
                workspace: request.workspace,
                number: request.number,
                outcome: Box::new(outcome),
                entry: entry.map(Box::new),
            });
        }
        let answer = std::mem::take(&mut self.responses).into_iter().rev().find_map(|event| match event {
            Response::Action { outcome, .. } => Some(*outcome),
            Response::Jump { .. } | Response::EndsLater { .. } => None,
        });
        answer.unwrap_or_else(|| {
            ActionOutcome::Failed(ActionProblem::new(
                ActionClass::Unknown,
                "there was no answer to the action",
            ))
        })
    }

    /// Reads everything again; returns when all of it is read.
    pub fn read_again(&mut self) {
        self.apply(Event::Wanted { at: clock::now(), intent: Intent::Refresh { workspace: None } });
    }

    /// Feeds an event to the monitor and carries out its effects until nothing is running.
    fn apply(&mut self, event: Event) {
        let mut effects = self.monitor.update(event);
        loop {
            for effect in effects.drain(..) {
                self.carry_out(effect);
            }
            let changes = self.monitor.take_changes();
            self.views.extend(changes.views.into_iter().map(|view| (view.id.clone(), view)));
            self.responses.extend(changes.responses);
            match self.collections.next() {
                Some(event) => effects = self.monitor.update(event),
                None => break,
            }
        }
        let writes = std::mem::take(&mut self.writes);
        if let Some(store) = &self.store {
            self.notices.extend(store.write_all(writes).iter().map(ToString::to_string));
        }
    }

    fn carry_out(&mut self, effect: Effect) {
        match effect {
            Effect::Collect(request) => self.collections.start(*request),
            Effect::RememberBaseline { workspace, baseline } => {
                self.writes.push(Box::new(move |store| store.remember_baseline(&workspace, &baseline)));
            }
            Effect::RememberNamed { workspace, named } => {
                self.writes.push(Box::new(move |store| store.remember_named(&workspace, &named)));
            }
            Effect::Action(request) => self.wanted = Some(request),
            Effect::KeepMarks { workspace, before, after } => {
                self.writes.push(Box::new(move |store| store.keep_marks(&workspace, &before, &after)));
            }
            Effect::KeepReports { workspace, reports } => {
                self.writes.push(Box::new(move |store| store.keep_reports(&workspace, &reports)));
            }
            Effect::Watch { .. }
            | Effect::WatchProcesses { .. }
            | Effect::RecheckWatches
            | Effect::JumpToPane { .. }
            | Effect::CancelAction { .. }
            | Effect::KeepDraft { .. } => {}
            Effect::Wake { at } => self.wake_at = Some(at),
        }
    }
}

/// Lets the rounds of each workspace's check id begin anew. Returns what could not be written.
fn reset_rounds(store: Option<&Store>, workspaces: &[FoundWorkspace]) -> Vec<String> {
    let reset = |(store, found): (&Store, &FoundWorkspace)| {
        let check_id = found.settings.check_id.as_deref().unwrap_or_default();
        store.reset_rounds(&found.id, check_id, clock::now()).err()
    };
    let all = store.into_iter().flat_map(|store| workspaces.iter().map(move |found| (store, found)));
    all.filter_map(reset).map(|error| format!("the rounds go on as before: {error}")).collect()
}

pub(super) fn open_store(config: &EngineConfig, notices: &mut Vec<String>) -> Option<Store> {
    let folder = config.state_folder.as_ref()?;
    match Store::open(folder) {
        Ok(store) => Some(store),
        Err(error) => {
            notices.push(format!("nothing is remembered in this run: {error}"));
            None
        }
    }
}

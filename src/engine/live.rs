//! The long-running engine: one loop owns the monitor; collections and watches run on threads beside it.
//! Nothing on the loop may wait for the disk, git or a process.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, mpsc};

use crate::model::{Effect, Event, Intent, ProcessId, Timestamp, WatchProblem, WatchTarget, WorkspaceId};
use crate::monitor::{Monitor, ViewChanges};
use crate::store::Store;
use crate::watch::{Inbox, ProcessEnds};

use super::background_collections::BackgroundCollections;
use super::clock::Alarm;
use super::discovering::{Discovering, Trigger};
use super::draft_keeping::DraftKeeping;
use super::event::{EngineEvent, Runs};
use super::history::History;
use super::live_runs::LiveRuns;
use super::reports_elsewhere::ReportsElsewhere;
use super::running_actions::RunningActions;
use super::store_lane::StoreLane;
use super::watching::Watching;
use super::{EngineConfig, FrontKind, clock, pane_jump, recovering};

/// How long [`Engine::finish`] waits for pending writes: an agent's answer that was paid for may be among them, and
/// a busy disk takes its time.
const WRITING: Duration = Duration::from_secs(3);

/// The running engine. Must live inside a tokio runtime with time enabled.
pub struct Engine {
    monitor: Monitor,
    config: Arc<EngineConfig>,
    store: Option<Store>,
    events: mpsc::UnboundedReceiver<EngineEvent>,
    sender: mpsc::UnboundedSender<EngineEvent>,
    inbox: Inbox,
    inbox_filled: Arc<Notify>,
    watching: Option<Watching>,
    collections: BackgroundCollections,
    store_lane: StoreLane,
    history: History,
    wake: Option<Alarm>,
    discovering: Discovering,
    live_runs: LiveRuns,
    reports_elsewhere: ReportsElsewhere,
    actions: RunningActions,
    process_ends: Option<ProcessEnds>,
    draft_keeping: Option<DraftKeeping>,
    notices: Vec<String>,
}

impl Engine {
    /// Starts the engine, which begins with a discovery; until that answers, nothing is known.
    pub fn start(config: EngineConfig, front: FrontKind) -> Engine {
        let monitor = Monitor::new(config.config.policy.clone(), config.config.watch.clone());
        let monitor = match front {
            FrontKind::Display => monitor,
            FrontKind::Unattended => monitor.sending_held(),
            FrontKind::Attended => monitor.asking_by_itself(config.agents_without_trace()),
        };
        Engine::with(config, monitor)
    }

    fn with(config: EngineConfig, monitor: Monitor) -> Engine {
        let inbox_filled = Arc::new(Notify::new());
        let wake = Arc::clone(&inbox_filled);
        let inbox = Inbox::new(move || wake.notify_one());
        let (sender, events) = mpsc::unbounded_channel();
        let mut notices = Vec::new();
        let watching = match Watching::start(&inbox) {
            Ok(watching) => Some(watching),
            Err(error) => {
                notices.push(format!("{error}; everything is polled every few seconds instead"));
                None
            }
        };
        let process_ends = ProcessEnds::start(inbox.clone());
        if let Err(error) = &process_ends {
            notices.push(format!("the end of an agent's process is noticed late: {error}"));
        }
        let store = super::once::open_store(&config, &mut notices);
        let draft_keeping = store.clone().map(|store| {
            let sender = sender.clone();
            DraftKeeping::start(store, move |notice| {
                let _ = sender.send(EngineEvent::Notice(notice));
            })
        });
        let store_lane = StoreLane::new(store.clone(), sender.clone());
        let live_runs = LiveRuns::new(store.clone(), sender.clone());
        let reports_elsewhere = ReportsElsewhere::new(store.clone(), sender.clone());
        let config = Arc::new(config);
        let collections = BackgroundCollections::new(Arc::clone(&config), sender.clone());
        let discovering = Discovering::new(Arc::clone(&config), store.clone(), sender.clone());
        let mut engine = Engine {
            monitor,
            config,
            store,
            events,
            sender,
            inbox,
            inbox_filled,
            watching,
            collections,
            store_lane,
            history: History::default(),
            wake: None,
            discovering,
            live_runs,
            reports_elsewhere,
            actions: RunningActions::default(),
            process_ends: process_ends.ok(),
            draft_keeping,
            notices,
        };
        recovering::start(Arc::clone(&engine.config), engine.sender.clone());
        engine.discovering.start(Trigger::Asked);
        engine.live_runs.read();
        engine
    }

    /// Waits for something to happen and handles it. Cancel-safe: dropping the future loses no event.
    pub async fn turn(&mut self) {
        let wake = self.wake;
        tokio::select! {
            biased;
            () = self.inbox_filled.notified() => {
                self.take_watch_news();
                // Changes may come faster than turns, and must not hold up what has ended.
                self.take_arrived();
            }
            event = self.events.recv() => {
                if let Some(event) = event {
                    self.on_event(event);
                }
                self.take_arrived();
            }
            () = Alarm::wait(wake) => self.woke(),
        }
    }

    /// Handles the events that have already arrived.
    fn take_arrived(&mut self) {
        while let Ok(event) = self.events.try_recv() {
            self.on_event(event);
        }
    }

    /// Cancels the running actions, starts no more, and waits at most `limit` for them, then briefly for
    /// pending writes. An action that is moving something is completed first; all others undo what they had
    /// begun. Returns a description of each action still running after that; the next start completes it.
    pub async fn finish(&mut self, limit: Duration) -> Vec<String> {
        self.actions.cancel_all();
        let actions = async {
            while !self.actions.is_empty() {
                self.turn().await;
            }
        };
        // What is unfinished after `limit` is reported, or found again at the next start.
        let _ = tokio::time::timeout(limit, actions).await;
        let _ = tokio::time::timeout(limit.min(WRITING), self.store_lane.all_written()).await;
        self.actions.labels()
    }

    /// Forwards a person's intent to the monitor. A refresh, or a change of which sessions are shown, also
    /// starts a discovery.
    pub fn want(&mut self, intent: Intent) {
        match &intent {
            // Another closeout may have asked the agents in the meantime.
            Intent::Refresh { .. } => self.discovering.start(Trigger::Asked),
            Intent::ShowOlder { is_shown } => {
                self.discovering.with_older = *is_shown;
                self.discovering.start(Trigger::Asked);
            }
            Intent::Look { .. }
            | Intent::Glance { .. }
            | Intent::JumpToPane { .. }
            | Intent::Action { .. }
            | Intent::CancelAction { .. }
            | Intent::KeepDraft { .. } => {}
        }
        self.update(Event::Wanted { at: clock::now(), intent });
    }

    /// The changes for a front since the last call. Verdicts among them are also noted in the history.
    pub fn take_changes(&mut self) -> ViewChanges {
        let changes = self.monitor.take_changes();
        self.history.note(&changes.views, &mut self.store_lane);
        changes
    }

    /// What happened that belongs to no single workspace, since the last call, as text for a person.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.notices)
    }

    /// Why existing sessions cannot be read, as text for a person; each survey replaces it.
    pub fn problems(&self) -> &[String] {
        &self.discovering.problems
    }

    /// Paths that are not workspaces, each with the reason.
    pub fn refused(&self) -> &[(PathBuf, String)] {
        self.monitor.refused()
    }

    /// The number of sessions left out because of their age.
    pub fn n_older_sessions(&self) -> usize {
        self.monitor.n_older_sessions()
    }

    /// Whether discovery has answered and every workspace has been read at least once.
    pub fn is_all_judged(&self) -> bool {
        self.monitor.is_all_judged()
    }

    /// Whether discovery has answered.
    pub fn is_discovered(&self) -> bool {
        self.monitor.is_discovered()
    }

    fn update(&mut self, event: Event) {
        let seen = event.at();
        for effect in self.monitor.update(event) {
            self.carry_out(effect, seen);
        }
    }

    /// Carries out what the monitor wants since an event, when the clock read `seen`.
    fn carry_out(&mut self, effect: Effect, seen: Timestamp) {
        match effect {
            Effect::Collect(request) => self.collections.start(*request, seen),
            Effect::Watch { workspace, targets } => {
                if targets.is_empty() {
                    self.collections.drop_memory(&workspace);
                }
                self.watch(workspace, targets);
            }
            Effect::WatchProcesses { workspace, processes } => {
                if let Some(process_ends) = &self.process_ends {
                    process_ends.watch(&workspace, &processes);
                }
            }
            Effect::RecheckWatches => {
                if let Some(watching) = &self.watching {
                    watching.recheck();
                }
            }
            Effect::JumpToPane { workspace, session } => {
                pane_jump::start(Arc::clone(&self.config), self.sender.clone(), workspace, session);
            }
            Effect::Action(request) => {
                let config = Arc::clone(&self.config);
                self.actions.start(*request, config, self.store.clone(), self.sender.clone());
            }
            Effect::CancelAction { number } => {
                if let Some(workspace) = self.actions.cancel(number).cloned() {
                    let event = Event::EndsLater { at: clock::now(), workspace, number };
                    let _ = self.sender.send(EngineEvent::Event(event));
                }
            }
            Effect::KeepMarks { workspace, before, after } => {
                self.store_lane.write(move |store| store.keep_marks(&workspace, &before, &after));
            }
            Effect::KeepReports { workspace, reports } => {
                let stamps = self.reports_elsewhere.stamps();
                self.store_lane.write(move |store| store.keep_own_reports(&workspace, &reports, &stamps));
            }
            Effect::KeepDraft { workspace, draft } => {
                if let Some(draft_keeping) = &mut self.draft_keeping {
                    draft_keeping.keep(workspace, draft);
                }
            }
            Effect::Wake { at } => self.wake = Some(Alarm::at(at, seen)),
            Effect::RememberBaseline { workspace, baseline } => {
                self.store_lane.write(move |store| store.remember_baseline(&workspace, &baseline));
            }
            Effect::RememberNamed { workspace, named } => {
                self.store_lane.write(move |store| store.remember_named(&workspace, &named));
            }
        }
    }

    fn watch(&self, workspace: WorkspaceId, targets: Vec<WatchTarget>) {
        match &self.watching {
            Some(watching) => {
                let read_at = self.collections.read_at(&workspace);
                watching.watch(workspace, targets, read_at);
            }
            None if targets.is_empty() => {}
            None => {
                let problem = Some(WatchProblem::Failed("watching did not start".to_owned()));
                let event = Event::WatchChanged { at: clock::now(), workspace, problem };
                let _ = self.sender.send(EngineEvent::Event(event));
            }
        }
    }

    fn on_event(&mut self, event: EngineEvent) {
        match event {
            EngineEvent::Event(event) => {
                self.collections.on_event(&event);
                self.actions.on_event(&event);
                self.reports_elsewhere.on_event(&event);
                self.update(event);
            }
            EngineEvent::Discovery(found) => match self.discovering.ended(found, self.watching.as_ref()) {
                Ok(Some(event)) => {
                    self.know_drafts(&event);
                    self.reports_elsewhere.know(&event);
                    self.store_lane.tidy();
                    self.update(event);
                }
                Ok(None) => {}
                Err(notice) => self.on_event(EngineEvent::Notice(notice)),
            },
            EngineEvent::Runs(runs) => self.took_runs(runs),
            EngineEvent::Notice(notice) => {
                tracing::warn!("{notice}");
                self.notices.push(notice);
            }
        }
    }

    /// Watches for the end of each run's process. New runs may belong to workspaces not yet known, hence the
    /// discovery.
    fn took_runs(&mut self, runs: Runs) {
        if let (Some(process_ends), Some(folder)) = (&self.process_ends, self.live_runs.folder()) {
            let processes: Vec<ProcessId> = runs.alive.values().filter_map(|run| run.process).collect();
            process_ends.watch(&Discovering::stand_in(folder), &processes);
        }
        if self.live_runs.ended(&runs) {
            self.discovering.start(Trigger::Asked);
        }
        let Runs { alive, ended, .. } = runs;
        self.update(Event::RunsFound { at: clock::now(), runs: alive, ended });
    }

    fn know_drafts(&mut self, event: &Event) {
        let Event::Discovered { workspaces, .. } = event else { return };
        if let Some(draft_keeping) = &mut self.draft_keeping {
            for found in workspaces.iter().filter(|found| !found.drafts.is_empty()) {
                draft_keeping.know(&found.id, &found.drafts);
            }
        }
    }

    fn woke(&mut self) {
        self.wake = None;
        self.update(Event::Woke { at: clock::now() });
    }

    fn take_watch_news(&mut self) {
        let at = clock::now();
        let news = self.inbox.take();
        if news.is_lossy {
            tracing::warn!("file events were lost; everything is read again");
            self.discovering.start(Trigger::Asked);
            self.update(Event::EventsLost { at });
        }
        if news.must_rearm
            && let Some(watching) = &self.watching
        {
            watching.rearm();
        }
        for (workspace, problem) in news.problems {
            self.update(Event::WatchChanged { at, workspace, problem });
        }
        for (workspace, parts) in news.changed {
            match Discovering::folder_of(&workspace) {
                Some(folder) if self.live_runs.folder() == Some(&*folder) => self.live_runs.read(),
                Some(folder) if self.reports_elsewhere.folder() == Some(&*folder) => {
                    self.reports_elsewhere.read();
                }
                Some(folder) => self.discovering.start(Trigger::Changed(folder)),
                None => self.update(Event::Changed { at, workspace, parts }),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::config::{Config, Sources};
    use crate::engine::{Overrides, Scope};
    use crate::judge::runs::Catalog;

    fn engine_config(folder: PathBuf) -> EngineConfig {
        EngineConfig {
            config: Config::load(&Sources::default()).unwrap(),
            catalog: Catalog::built_in(),
            scope: Scope::Worktrees { with_sessions: false, here: folder.clone(), paths: vec![folder] },
            overrides: Overrides::default(),
            home: None,
            temporary_folders: Vec::new(),
            adapters: Vec::new(),
            variables: BTreeMap::new(),
            git_program: None,
            own_program: None,
            live: None,
            state_folder: None,
            has_terminal: false,
        }
    }

    /// An agent can write faster than the engine turns.
    #[tokio::test]
    async fn news_of_changes_hold_up_nothing_that_has_arrived() {
        let folder = tempfile::tempdir().unwrap();
        let mut engine = Engine::start(engine_config(folder.path().to_owned()), FrontKind::Display);
        engine.sender.send(EngineEvent::Notice("arrived".to_owned())).unwrap();
        engine.inbox_filled.notify_one();
        engine.turn().await;
        assert!(engine.take_notices().contains(&"arrived".to_owned()));
    }
}

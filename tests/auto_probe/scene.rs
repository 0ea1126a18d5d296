//! A workspace whose agent has ended its turn, and a monitor that may ask it by itself.

use std::sync::Arc;

use closeout::model::{
    Action, ActionOutcome, ActionRequest, ActivitySource, ActivityState, AuditEntry, Claim, CollectRequest,
    Draft, Effect, Event, Evidence, EvidenceSummary, FoundWorkspace, GitFacts, HeldReply, KeptReports,
    LastWords, LookedAt, OfferPolicy, Origin, Parts, Policy, Rejection, Sample, SessionFacts, SessionMoment,
    SessionName, SessionView, Source, TaskKind, Timestamp, WatchSettings, WorkspaceId, WorkspaceSettings,
    WorkspaceView,
};
use closeout::monitor::Monitor;

use crate::support::screen::git_facts;
use crate::support::session_samples::session;

pub(crate) const POLICY: Policy =
    Policy { offers: OfferPolicy::Ask, stall_stage: 3, unreadable_limit: 3, silent_turn_ms: 600_000 };
pub(crate) const WATCH: WatchSettings = WatchSettings {
    reconcile_ms: 300_000,
    poll_ms: 10_000,
    collect_limit_ms: 10_000,
    fold_after_ms: 72 * 3_600_000,
};
const START: i64 = 1_000_000_000;
/// When the agent's turn ended: before the first look.
pub(crate) const RESTED: i64 = -4_000;
/// When it may be asked.
pub(crate) const DUE: i64 = 6_000;
/// The slow pass.
pub(crate) const RECONCILE: i64 = 300_000;

pub(crate) fn at(millis: i64) -> Timestamp {
    Timestamp(START + millis)
}

pub(crate) fn id() -> WorkspaceId {
    WorkspaceId::local("/work/a")
}

pub(crate) fn name() -> SessionName {
    SessionName::new("claude", "s-1")
}

pub(crate) fn git() -> GitFacts {
    git_facts("feature")
}

/// A session whose turn ended at that moment, by its own record.
pub(crate) fn ended(millis: i64) -> SessionView {
    let mut view = session("claude", ActivityState::Idle, ActivitySource::Transcript, 0, "");
    view.session_id = name().session_id;
    view.ended_at = Some(at(millis));
    view.moved_at = Some(at(millis));
    view.activity.since = Some(at(millis));
    view
}

/// Where its task is then.
pub(crate) fn moment(millis: i64) -> SessionMoment {
    SessionMoment { session: name(), prompted_at: None, rested_at: Some(at(millis)) }
}

/// Everything that decides whether an agent is asked.
#[derive(Clone)]
pub(crate) struct Scene {
    pub(crate) settings: WorkspaceSettings,
    pub(crate) agents: Vec<String>,
    pub(crate) evidence: Vec<Evidence>,
    pub(crate) git: Option<GitFacts>,
    pub(crate) sessions: Vec<SessionView>,
    pub(crate) prompted_at: Option<Timestamp>,
    pub(crate) last_words: Option<LastWords>,
    pub(crate) drafts: Vec<Draft>,
    pub(crate) held: Vec<HeldReply>,
    pub(crate) reports: KeptReports,
}

impl Scene {
    /// One in which it is asked.
    pub(crate) fn new() -> Scene {
        Scene {
            settings: WorkspaceSettings {
                task_kind: Some(TaskKind::Implementation),
                may_be_asked: true,
                ..WorkspaceSettings::default()
            },
            agents: vec!["claude".to_owned()],
            evidence: vec![
                Evidence::abstain(Source::Commits, "git", Rejection::Vacuous, Origin::Git.as_read()),
                Evidence::claim(Source::Changes, "git", Claim::Dirty, Origin::Git.as_read()),
                Evidence::abstain(
                    Source::LiveSession,
                    "claude",
                    Rejection::Undecided,
                    Origin::File.as_read(),
                ),
                Evidence::abstain(
                    Source::Decision,
                    "decision.json",
                    Rejection::Absent,
                    Origin::File.as_read(),
                ),
            ],
            git: Some(git()),
            sessions: vec![ended(RESTED)],
            prompted_at: None,
            last_words: None,
            drafts: Vec::new(),
            held: Vec::new(),
            reports: KeptReports::default(),
        }
    }

    /// The same in which one more source says this.
    pub(crate) fn with(mut self, evidence: Evidence) -> Scene {
        self.evidence.push(evidence);
        self
    }

    /// The same with something changed.
    pub(crate) fn but(mut self, change: impl FnOnce(&mut Scene)) -> Scene {
        change(&mut self);
        self
    }

    pub(crate) fn session_facts(&self) -> SessionFacts {
        SessionFacts {
            agent: self.sessions.first().map(|session| session.agent.clone()),
            sessions: self.sessions.iter().cloned().map(Arc::new).collect(),
            prompted_at: self.prompted_at,
            last_words: self.last_words.clone().map(Arc::new),
            ..SessionFacts::default()
        }
    }

    pub(crate) fn sample(&self, millis: i64) -> Sample {
        Sample {
            parts: Parts::all(),
            taken_at: at(millis),
            evidence: self
                .evidence
                .iter()
                .map(|evidence| (Parts::WORDS, Arc::new(evidence.clone())))
                .collect(),
            git: self.git.clone().map(Arc::new),
            checklists: Vec::new(),
            session_facts: Some(self.session_facts()),
            watch_targets: Vec::new(),
            processes: Vec::new(),
            new_baseline: None,
            named: None,
            recheck_at: None,
            in_force: None,
        }
    }

    pub(crate) fn found(&self, id: WorkspaceId) -> FoundWorkspace {
        FoundWorkspace {
            id,
            settings: Arc::new(self.settings.clone()),
            baseline: None,
            named: Vec::new(),
            sessions: Vec::new(),
            problem: None,
            history: Vec::new(),
            drafts: self.drafts.clone(),
            held: self.held.clone(),
            timeline: Vec::new(),
            reports: self.reports.clone(),
            run: None,
        }
    }

    /// The monitor that asks by itself, told of these workspaces at the start; each is being read.
    pub(crate) fn discovered(&self, ids: Vec<WorkspaceId>) -> Monitor {
        let mut monitor = Monitor::new(POLICY, WATCH).asking_by_itself(self.agents.clone());
        let workspaces = ids.into_iter().map(|id| self.found(id)).collect();
        let _ = monitor.update(Event::Discovered {
            at: at(0),
            workspaces,
            refused: Vec::new(),
            n_older_sessions: 0,
        });
        monitor
    }

    /// The same with the one workspace read at 5 ms, and what came of that.
    pub(crate) fn read(&self) -> (Monitor, Vec<Effect>) {
        let mut monitor = self.discovered(vec![id()]);
        let effects = monitor.update(self.collected(5, 1));
        (monitor, effects)
    }

    /// The same at the moment in which its agent is asked, which was begun.
    pub(crate) fn asking() -> Monitor {
        let (mut monitor, _) = Scene::new().read();
        assert_eq!(monitor.update(woke(DUE)), [asks(1, RESTED), wake(RECONCILE)]);
        let _ = monitor.take_changes();
        monitor
    }

    pub(crate) fn collected(&self, millis: i64, generation: u64) -> Event {
        collected_in(id(), millis, generation, self.sample(millis))
    }
}

pub(crate) fn collected_in(workspace: WorkspaceId, millis: i64, generation: u64, sample: Sample) -> Event {
    Event::Collected { at: at(millis), workspace, generation, took_ms: 1, outcome: Ok(Box::new(sample)) }
}

pub(crate) fn woke(millis: i64) -> Event {
    Event::Woke { at: at(millis) }
}

pub(crate) fn wake(millis: i64) -> Effect {
    Effect::Wake { at: at(millis) }
}

/// The agent is asked: the whole effect.
pub(crate) fn asks(number: u64, rested: i64) -> Effect {
    asks_in(id(), number, rested)
}

pub(crate) fn asks_in(workspace: WorkspaceId, number: u64, rested: i64) -> Effect {
    Effect::Action(Box::new(ActionRequest {
        looked_at: LookedAt::default(),
        number,
        workspace,
        action: Action::AutoProbe { moment: moment(rested) },
        settings: Scene::new().settings,
        task_kind: TaskKind::Implementation,
        baseline: Some(git().baseline),
        sessions: Vec::new(),
        first_session: Some(name()),
        task: None,
        prompt: None,
        last_words: None,
        standing: EvidenceSummary::default(),
        verified: None,
        left_to_do: closeout::model::LeftToDo::default(),
        loose: Vec::new(),
        is_at_work: false,
    }))
}

pub(crate) fn finished(millis: i64, number: u64, outcome: ActionOutcome, entry: Option<AuditEntry>) -> Event {
    let (outcome, entry) = (Box::new(outcome), entry.map(Box::new));
    Event::ActionFinished { at: at(millis), workspace: id(), number, outcome, entry }
}

/// The reading that follows the end of an action.
pub(crate) fn reads(effects: &[Effect]) -> CollectRequest {
    let read = effects.iter().find_map(|effect| {
        let Effect::Collect(request) = effect else { return None };
        Some((**request).clone())
    });
    read.unwrap_or_else(|| panic!("nothing is read: {effects:?}"))
}

/// Lets the reading that was asked for bring the same, or what `scene` says, and gives the effects of that.
pub(crate) fn answer(monitor: &mut Monitor, effects: &[Effect], scene: &Scene, millis: i64) -> Vec<Effect> {
    monitor.update(scene.collected(millis, reads(effects).generation))
}

pub(crate) fn view(monitor: &mut Monitor) -> WorkspaceView {
    monitor.take_changes().views.pop().unwrap()
}

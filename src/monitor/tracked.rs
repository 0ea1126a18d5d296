//! One workspace: what is known of it, and what is due in it.

use std::sync::Arc;

use crate::model::{
    Baseline, CollectRequest, FoundWorkspace, GitReader, KeptReports, MarkSeen, NamedBaseline, Parts, Policy,
    ProcessId, RunEnd, RunView, SessionPlace, Snapshot, TaskKind, Timestamp, Verdict, WatchProblem,
    WatchTarget, WorkspaceId, WorkspaceProblems, WorkspaceSettings,
};

use super::actions::Actions;
use super::automatic::{AutoChecks, AutoProbe};
use super::collecting::{Collecting, Start, Started};

/// The state of one workspace.
#[derive(Debug)]
pub(super) struct Tracked {
    pub(super) id: WorkspaceId,
    settings: Arc<WorkspaceSettings>,
    /// The settings of the newest reading, if they differ from `settings`.
    pub(super) in_force: Option<Box<WorkspaceSettings>>,
    pub(super) baseline: Option<Baseline>,
    /// What names that were given as the baseline mean for the present task.
    pub(super) named: Vec<NamedBaseline>,
    pub(super) sessions: Vec<SessionPlace>,
    pub(super) snapshot: Snapshot,
    pub(super) judged: Judged,
    pub(super) problems: WorkspaceProblems,
    pub(super) runs: SupervisedRuns,
    pub(super) actions: Actions,
    pub(super) auto_probe: AutoProbe,
    pub(super) auto_checks: AutoChecks,
    pub(super) git_reader: Option<GitReader>,
    pub(super) collecting: Collecting,
    pub(super) watched: Watched,
}

/// The verdict, and what the person saw of it.
#[derive(Debug, Default)]
pub(super) struct Judged {
    /// Shared with the views.
    pub(super) verdict: Option<Arc<Verdict>>,
    /// Since when the verdict has its state.
    pub(super) since: Option<Timestamp>,
    /// True while the state is that of the first verdict.
    pub(super) is_found_state: bool,
    /// What spoke against the work at the last judgement.
    pub(super) against: MarkSeen,
    /// True once this run was counted as a check: it is one round at most, however often it looks.
    pub(super) is_counted: bool,
    /// True if the person has seen the state.
    pub(super) is_seen: bool,
    /// When a person last looked at the workspace.
    pub(super) looked_at: Option<Timestamp>,
}

/// The supervised runs of a workspace.
#[derive(Debug, Default)]
pub(super) struct SupervisedRuns {
    /// The one that is alive.
    pub(super) alive: Option<Box<RunView>>,
    /// How the last one ended, unless its work was completed or a person ended it.
    pub(super) ended: Option<Box<RunEnd>>,
}

/// What is watched for a workspace, and when it is looked at without a hint.
#[derive(Debug, Default)]
pub(super) struct Watched {
    pub(super) targets: Vec<WatchTarget>,
    pub(super) processes: Vec<ProcessId>,
    /// It cannot be watched: look at it at this time.
    pub(super) poll_at: Option<Timestamp>,
    /// Read the sessions again at this time, whatever events arrive: something was half-written, a source may say more
    /// by then, or a wait ends.
    pub(super) recheck_at: Option<Timestamp>,
}

impl Tracked {
    pub(super) fn new(id: WorkspaceId) -> Tracked {
        Tracked {
            id,
            settings: Arc::default(),
            in_force: None,
            baseline: None,
            named: Vec::new(),
            sessions: Vec::new(),
            snapshot: Snapshot::default(),
            judged: Judged::default(),
            problems: WorkspaceProblems::default(),
            runs: SupervisedRuns::default(),
            actions: Actions::default(),
            auto_probe: AutoProbe::default(),
            auto_checks: AutoChecks::default(),
            git_reader: None,
            collecting: Collecting::default(),
            watched: Watched::default(),
        }
    }

    /// Discovery found the workspace, for the first time or again. Returns true if that changed anything.
    pub(super) fn found(&mut self, found: FoundWorkspace, now: Timestamp) -> bool {
        let is_new = self.collecting.is_new();
        self.actions.remember(found.history, found.timeline, found.drafts);
        let is_held_anew = self.actions.held.recall(found.held, now);
        let check_id = found.settings.check_id.as_deref().unwrap_or_default();
        let has_other_reports = self.actions.take_reports(found.reports, check_id) || is_held_anew;
        let is_same = self.settings == found.settings && self.problems.settings == found.problem;
        let has_other_sessions = std::mem::replace(&mut self.sessions, found.sessions) != self.sessions;
        let has_other_run = std::mem::replace(&mut self.runs.alive, found.run) != self.runs.alive;
        if !is_new && is_same {
            let is_news = has_other_sessions || has_other_reports || has_other_run;
            if is_news {
                self.changed(Parts::WORDS, now);
            }
            return is_news;
        }
        self.settings = found.settings;
        self.in_force = None;
        self.problems.settings = found.problem;
        self.baseline = self.baseline.take().or(found.baseline);
        for named in found.named {
            if self.named.iter().all(|known| known.rev != named.rev) {
                self.named.push(named);
            }
        }
        self.changed(Parts::all(), now);
        true
    }

    /// Another closeout kept reports of the workspace, or this one did.
    pub(super) fn reported(&mut self, kept: KeptReports, now: Timestamp) {
        let check_id = self.round_key().to_owned();
        if self.actions.take_reports(kept, &check_id) {
            self.changed(Parts::WORDS, now);
        }
    }

    pub(super) fn is_judged(&self) -> bool {
        self.judged.verdict.is_some()
    }

    /// The settings in force; until the first reading, without the keys of the workspace's own file that
    /// could soften the verdict.
    pub(super) fn settings(&self) -> &WorkspaceSettings {
        self.in_force.as_deref().unwrap_or(&self.settings)
    }

    /// What the name that was given as the baseline means for the present task.
    fn named(&self) -> Option<&NamedBaseline> {
        let given = self.settings().baseline.as_ref().map(|given| &given.rev);
        let own = || self.settings.own.as_ref().and_then(|own| own.baseline.as_ref());
        let rev = given.or_else(own)?;
        self.named.iter().find(|named| named.rev == *rev)
    }

    /// Takes over what the given name means. Returns it if that is to be remembered.
    pub(super) fn take_named(&mut self, named: Option<NamedBaseline>) -> Option<NamedBaseline> {
        let known = self.named().cloned();
        let rev = named.as_ref().or(known.as_ref()).map(|named| named.rev.clone());
        self.named.retain(|other| Some(&other.rev) != rev.as_ref());
        self.named.extend(named.clone());
        named.filter(|named| known.as_ref() != Some(named))
    }

    /// The key of the current rounds: each check id has its own.
    pub(super) fn round_key(&self) -> &str {
        self.settings().check_id.as_deref().unwrap_or_default()
    }

    pub(super) fn task_kind(&self) -> TaskKind {
        self.task_kind_by(self.settings())
    }

    fn task_kind_by(&self, settings: &WorkspaceSettings) -> TaskKind {
        self.actions.marks.task_kind.or(settings.task_kind).unwrap_or(TaskKind::Implementation)
    }

    /// A hint that `parts` may have changed.
    pub(super) fn changed(&mut self, parts: Parts, now: Timestamp) {
        self.collecting.changed(parts, now);
    }

    /// Whether the last reading succeeded and none runs.
    pub(super) fn is_read(&self) -> bool {
        self.problems.reading.is_none() && !self.collecting.is_running()
    }

    pub(super) fn watch_changed(&mut self, problem: Option<WatchProblem>, now: Timestamp) {
        self.watched.poll_at = problem.as_ref().map(|_| now);
        self.problems.watching = problem;
    }

    /// The earliest time at which something is due: a poll, another reading, a postponed scan, a question to
    /// the agent, a held reply.
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        let due_times = [
            self.watched.poll_at,
            self.watched.recheck_at,
            self.collecting.put_off_until(),
            self.auto_probe.due_at,
            self.actions.held.due_at,
        ];
        due_times.into_iter().flatten().min()
    }

    /// Deletes when something was last done, and makes due now what was due later: these times are of the clock as it
    /// was before.
    pub(super) fn clock_set_back(&mut self, at: Timestamp) {
        self.collecting.clock_set_back();
        for due in [&mut self.watched.poll_at, &mut self.watched.recheck_at].into_iter().flatten() {
            *due = at.min(*due);
        }
    }

    /// The collection to start now, if one is wanted and none is running; `started` are those of all workspaces.
    pub(super) fn next_collection(
        &mut self,
        policy: &Policy,
        started: &mut Started,
        now: Timestamp,
    ) -> Option<CollectRequest> {
        let Start { generation, parts, not_before } = self.collecting.start(started, now)?;
        Some(CollectRequest {
            workspace: self.id.clone(),
            generation,
            parts,
            settings: WorkspaceSettings::clone(&self.settings),
            policy: policy.clone(),
            task_kind: self.task_kind_by(&self.settings),
            git_reader: self.git_reader,
            baseline: self.baseline.clone(),
            named: self.named().cloned(),
            task_at: None,
            sessions: self.sessions.clone(),
            prompted_at: self.snapshot.session_facts.prompted_at,
            not_before,
        })
    }
}

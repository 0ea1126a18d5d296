//! One workspace: what is known of it, what runs for it, and what to read again.

use crate::model::{
    Baseline, CollectRequest, FoundWorkspace, GitReader, KeptReports, MarkSeen, Parts, Policy, ProcessId,
    RunEnd, RunView, SessionPlace, Snapshot, TaskKind, Timestamp, Verdict, WatchProblem, WatchTarget,
    WorkspaceId, WorkspaceSettings,
};

use super::actions::Actions;
use super::automatic::{AutoChecks, AutoProbe};

/// The least time between the starts of two collections of one workspace: one frame.
const FRAME_MS: i64 = 33;
/// A work tree scan waits until ten times the cost of the last one has passed since it.
const SCAN_SPACING: i64 = 10;
/// The least time between work tree scans that no change of git's files calls for: an agent writes to its
/// transcript many times a second.
const SCAN_PAUSE_MS: i64 = 1000;
/// A work tree scan that costs no more than this, in milliseconds, may run together with the other parts.
const CHEAP_SCAN_MS: u32 = 10;

/// The state of one workspace.
#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing, and all their combinations occur"
)]
pub(super) struct Tracked {
    pub(super) id: WorkspaceId,
    settings: WorkspaceSettings,
    /// The settings of the newest reading, if they differ from `settings`.
    pub(super) in_force: Option<Box<WorkspaceSettings>>,
    pub(super) snapshot: Snapshot,
    pub(super) verdict: Option<Verdict>,
    /// What spoke against the work at the last judgement.
    pub(super) seen: MarkSeen,
    pub(super) verdict_since: Option<Timestamp>,
    /// True while the state is that of the first verdict.
    pub(super) is_found_state: bool,
    pub(super) is_seen: bool,
    /// What keeps closeout from reading the workspace, in words.
    pub(super) problem: Option<String>,
    pub(super) watch_problem: Option<String>,
    pub(super) settings_problem: Option<String>,
    pub(super) poll_at: Option<Timestamp>,
    /// A file was half-written: read it again at this time, whatever events arrive.
    pub(super) recheck_at: Option<Timestamp>,
    pub(super) actions: Actions,
    pub(super) auto_probe: AutoProbe,
    pub(super) auto_checks: AutoChecks,
    pub(super) baseline: Option<Baseline>,
    /// The supervised run that is alive in this workspace.
    pub(super) run: Option<RunView>,
    /// How the last supervised run ended, unless its work was completed or a person ended it.
    pub(super) run_end: Option<RunEnd>,
    /// When a person last looked at it.
    pub(super) looked_at: Option<Timestamp>,
    pub(super) targets: Vec<WatchTarget>,
    pub(super) processes: Vec<ProcessId>,
    pub(super) sessions: Vec<SessionPlace>,
    pub(super) git_reader: Option<GitReader>,
    pub(super) generation: u64,
    pub(super) running: Option<Parts>,
    started_at: Option<Timestamp>,
    /// The parts to read once no collection runs.
    pub(super) again: Parts,
    /// The work tree may have changed since it was read.
    pub(super) is_tree_outdated: bool,
    /// Git's own files changed, so the scan should come sooner.
    is_scan_urgent: bool,
    pub(super) scanned_at: Option<Timestamp>,
    pub(super) scan_ms: u32,
    /// Commits may have changed; `hurried_at` is when such a change last skipped the frame limit.
    is_hurried: bool,
    hurried_at: Option<Timestamp>,
}

impl Tracked {
    pub(super) fn new(id: WorkspaceId) -> Tracked {
        Tracked {
            id,
            settings: WorkspaceSettings::default(),
            in_force: None,
            snapshot: Snapshot::default(),
            verdict: None,
            seen: MarkSeen::default(),
            verdict_since: None,
            is_found_state: false,
            is_seen: false,
            problem: None,
            watch_problem: None,
            settings_problem: None,
            poll_at: None,
            recheck_at: None,
            actions: Actions::default(),
            auto_probe: AutoProbe::default(),
            auto_checks: AutoChecks::default(),
            baseline: None,
            run: None,
            run_end: None,
            looked_at: None,
            targets: Vec::new(),
            processes: Vec::new(),
            sessions: Vec::new(),
            git_reader: None,
            generation: 0,
            running: None,
            started_at: None,
            again: Parts::empty(),
            is_tree_outdated: true,
            is_scan_urgent: true,
            scanned_at: None,
            scan_ms: 0,
            is_hurried: false,
            hurried_at: None,
        }
    }

    /// Discovery found the workspace, for the first time or again. Returns true if that changed anything.
    pub(super) fn found(&mut self, found: FoundWorkspace, now: Timestamp) -> bool {
        let is_new = self.generation == 0 && self.again.is_empty();
        self.actions.remember(found.history, found.timeline, found.drafts);
        let is_held_anew = self.actions.held.recall(found.held, now);
        let has_other_reports = self.actions.take_reports(found.reports) || is_held_anew;
        let is_same = self.settings == found.settings && self.settings_problem == found.problem;
        let has_other_sessions = std::mem::replace(&mut self.sessions, found.sessions) != self.sessions;
        let has_other_run = std::mem::replace(&mut self.run, found.run) != self.run;
        if !is_new && is_same {
            let is_news = has_other_sessions || has_other_reports || has_other_run;
            if is_news {
                self.changed(Parts::WORDS, now);
            }
            return is_news;
        }
        self.settings = found.settings;
        self.in_force = None;
        self.settings_problem = found.problem;
        self.baseline = self.baseline.take().or(found.baseline);
        self.changed(Parts::all(), now);
        true
    }

    /// Another closeout kept reports of the workspace, or this one did.
    pub(super) fn reported(&mut self, kept: KeptReports, now: Timestamp) {
        if self.actions.take_reports(kept) {
            self.changed(Parts::WORDS, now);
        }
    }

    pub(super) fn is_judged(&self) -> bool {
        self.verdict.is_some()
    }

    pub(super) fn is_collecting(&self) -> bool {
        self.running.is_some()
    }

    /// The settings in force; until the first reading, without the keys of the workspace's own file that
    /// could soften the verdict.
    pub(super) fn settings(&self) -> &WorkspaceSettings {
        self.in_force.as_deref().unwrap_or(&self.settings)
    }

    pub(super) fn task_kind(&self) -> TaskKind {
        self.actions.marks.task_kind.or(self.settings().task_kind).unwrap_or(TaskKind::Implementation)
    }

    /// A hint that `parts` may have changed. Any change may be one of the work tree, too.
    pub(super) fn changed(&mut self, parts: Parts, now: Timestamp) {
        self.again |= parts - Parts::CHANGES;
        self.is_tree_outdated = true;
        self.is_scan_urgent |= parts.intersects(Parts::COMMITS | Parts::CHANGES);
        self.is_hurried |= parts.contains(Parts::COMMITS);
        if self.is_scan_due(now) {
            self.again |= Parts::CHANGES;
        }
    }

    /// Schedules everything to be read now, at a person's request or after an action.
    pub(super) fn refresh(&mut self) {
        self.again = Parts::all();
        self.is_tree_outdated = true;
    }

    /// Requests the current state of the work tree. A scan that has just begun is not repeated at once: the
    /// next one follows after its pause.
    pub(super) fn look_at_tree(&mut self, now: Timestamp) {
        if self.running.is_some_and(|parts| parts.contains(Parts::CHANGES)) {
            return;
        }
        self.is_tree_outdated = true;
        if self.is_scan_due(now) {
            self.again |= Parts::CHANGES;
        }
    }

    pub(super) fn watch_changed(&mut self, problem: Option<WatchProblem>, now: Timestamp) {
        self.poll_at = problem.as_ref().map(|_| now);
        self.watch_problem = problem.map(|problem| problem.label());
    }

    /// The earliest time at which something is due: a poll, another reading, a postponed scan, a question to
    /// the agent, a held reply.
    pub(super) fn due_at(&self) -> Option<Timestamp> {
        let dues = [
            self.poll_at,
            self.recheck_at,
            self.put_off_until(),
            self.auto_probe.due_at,
            self.actions.held.due_at,
        ];
        dues.into_iter().flatten().min()
    }

    /// The time until which a work tree scan is postponed, if one is.
    fn put_off_until(&self) -> Option<Timestamp> {
        (self.is_tree_outdated && self.running.is_none()).then(|| self.scan_due_at())
    }

    /// Forgets when something was last done, and makes due now what was due later: these times are of the clock as it
    /// was before.
    pub(super) fn clock_set_back(&mut self, at: Timestamp) {
        (self.started_at, self.scanned_at, self.hurried_at) = (None, None, None);
        for due in [&mut self.poll_at, &mut self.recheck_at].into_iter().flatten() {
            *due = at.min(*due);
        }
    }

    fn scan_due_at(&self) -> Timestamp {
        let pause = if self.is_scan_urgent { FRAME_MS } else { SCAN_PAUSE_MS };
        let spacing = (i64::from(self.scan_ms) * SCAN_SPACING).max(pause);
        self.scanned_at.map_or(Timestamp(0), |scanned_at| scanned_at.plus_millis(spacing))
    }

    fn is_scan_due(&self, now: Timestamp) -> bool {
        now >= self.scan_due_at()
    }

    /// The collection to start now, if one is wanted and none is running.
    pub(super) fn next_collection(&mut self, policy: &Policy, now: Timestamp) -> Option<CollectRequest> {
        if self.running.is_some() {
            return None;
        }
        if self.is_tree_outdated && self.is_scan_due(now) {
            self.again |= Parts::CHANGES;
        }
        let mut parts = std::mem::take(&mut self.again);
        if parts.is_empty() {
            return None;
        }
        if parts.contains(Parts::CHANGES) {
            let rest = parts - Parts::CHANGES;
            if self.scan_ms > CHEAP_SCAN_MS && !rest.is_empty() {
                // A costly scan never delays the other parts: it follows on its own.
                self.again = Parts::CHANGES;
                parts = rest;
            } else {
                // The tree is read with git's other facts, so that both are from the same moment.
                parts |= Parts::COMMITS;
                self.is_tree_outdated = false;
                self.is_scan_urgent = false;
            }
        }
        self.generation += 1;
        self.running = Some(parts);
        let not_before = self.not_before(now);
        self.started_at = Some(not_before);
        if parts.contains(Parts::CHANGES) {
            self.scanned_at = Some(not_before);
        }
        Some(CollectRequest {
            workspace: self.id.clone(),
            generation: self.generation,
            parts,
            settings: self.settings.clone(),
            policy: policy.clone(),
            task_kind: self
                .actions
                .marks
                .task_kind
                .or(self.settings.task_kind)
                .unwrap_or(TaskKind::Implementation),
            git_reader: self.git_reader,
            baseline: self.baseline.clone(),
            sessions: self.sessions.clone(),
            prompted_at: self.snapshot.session_facts.prompted_at,
            not_before,
        })
    }

    /// The time at which the next collection may begin: one frame after the start of the last. A commit
    /// writes the index first and the branch last, so reading the branch does not wait for the frame of the
    /// index; but only one reading per frame may skip the limit.
    fn not_before(&mut self, now: Timestamp) -> Timestamp {
        let is_hurried = std::mem::take(&mut self.is_hurried);
        if is_hurried && self.hurried_at.is_none_or(|at| now >= at.plus_millis(FRAME_MS)) {
            self.hurried_at = Some(now);
            return now;
        }
        self.started_at.map_or(now, |started_at| now.max(started_at.plus_millis(FRAME_MS)))
    }
}

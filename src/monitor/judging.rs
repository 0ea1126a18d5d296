//! Judges one workspace: gives the judge its snapshot, the agents' answers, the person's marks and the
//! rounds.

use std::sync::Arc;

use super::moments;
use super::tracked::Tracked;
use crate::judge::checkers::configured;
use crate::judge::combine::table::{self, LastPrompt};
use crate::judge::{GRACE_MS, combine, left_to_do, rounds};
use crate::model::{
    ActivityState, Baseline, BaselineOrigin, Claim, Demand, Effect, Evidence, GitFacts, HistoryEntry,
    HistoryEvent, Mark, MarkOrder, MarkSeen, MarkWord, Marks, OpenPoint, PointState, Policy, Rounds, Rule,
    SeenState, SessionFacts, SessionName, SessionView, Timestamp, Verdict, VerdictState, stable_hash,
};

/// A state shown for at least this long, in milliseconds, counts as read in later runs too.
const READ_MS: i64 = 1_000;

impl Tracked {
    /// Judges what is known now. The effects keep on disk what other runs need to know.
    pub(super) fn judge(&mut self, policy: &Policy, now: Timestamp) -> Vec<Effect> {
        let content = self.snapshot.git.as_deref().and_then(content);
        let (evidence, checks) = self.evidence(content.as_deref());
        self.auto_checks.is_waiting = checks.is_waiting;
        self.judged.against = against(&evidence, &self.snapshot.session_facts, content);
        let mut effects: Vec<Effect> = self.lapse_marks().into_iter().collect();
        self.drop_points_of_gone_sessions(&evidence);
        let is_check = self.is_check();
        let advanced = self.advance_rounds(&evidence, is_check, now);
        let mut verdict = combine::combine(&evidence, &self.case(policy, &advanced, checks));
        self.share_evidence(&mut verdict);
        if rests_on_tree(&verdict) && self.collecting.is_tree_outdated() {
            // The tree was read before the agent said "done", so it is read again first.
            self.collecting.scan_again();
            if self.is_judged() {
                return effects;
            }
        }
        self.judged.is_counted |= is_check;
        let has_other_rounds = self.take_rounds(advanced);
        let has_other_points = self.take_verdict(verdict, now);
        effects.extend((has_other_rounds || has_other_points).then(|| self.keep_reports()));
        effects
    }

    /// Takes over the rounds. Returns true if that changed anything.
    fn take_rounds(&mut self, rounds: Rounds) -> bool {
        let key = self.round_key().to_owned();
        let is_news = self.actions.rounds(&key).unwrap_or(&Rounds::default()) != &rounds;
        self.actions.set_rounds(key, rounds);
        is_news
    }

    /// Takes over the verdict. Returns true if other runs need to know what became of its points.
    fn take_verdict(&mut self, verdict: Verdict, now: Timestamp) -> bool {
        let before = self.judged.verdict.as_deref().map(|verdict| verdict.state);
        if before != Some(verdict.state) {
            self.judged.since = Some(now);
            self.judged.is_found_state = before.is_none();
            self.judged.is_seen = false;
            self.actions.note_verdict(HistoryEntry {
                at: now,
                workspace: self.id.clone(),
                agent: self.snapshot.session_facts.agent.clone(),
                what: HistoryEvent::Verdict { state: verdict.state, before, proof: verdict.proof },
            });
        }
        let is_news = !are_known(&self.actions.points, &verdict.left_to_do.points);
        self.actions.points.clone_from(&verdict.left_to_do.points);
        // The same verdict stays shared with the views, which are not made anew for it.
        if self.judged.verdict.as_deref() != Some(&verdict) {
            self.judged.verdict = Some(Arc::new(verdict));
        }
        self.recall_look(before.is_none());
        is_news
    }

    /// Drops the marks that do not hold for what is known now.
    fn lapse_marks(&mut self) -> Option<Effect> {
        let before = self.actions.marks.clone();
        self.actions.marks.expire(&self.judged.against).then(|| self.keep_marks(before))
    }

    /// Drops the open points of sessions that are no longer listed, because their records were deleted or are too old:
    /// nothing will ever report on them.
    fn drop_points_of_gone_sessions(&mut self, evidence: &[Evidence]) {
        let is_there = |name: &SessionName| {
            self.sessions.iter().any(|place| place.is(name))
                || evidence.iter().any(|evidence| evidence.session() == Some(name))
        };
        let is_left = |point: &OpenPoint| !point.is_open() || point.session.as_ref().is_none_or(is_there);
        self.actions.points.retain(is_left);
    }

    /// A person looks at this workspace. The effect tells other runs, and the next one, what was seen.
    pub(super) fn look(&mut self, now: Timestamp) -> Option<Effect> {
        self.collecting.look_at_tree(now);
        self.judged.is_seen = true;
        self.judged.looked_at = Some(now);
        let state = self
            .judged
            .verdict
            .as_deref()
            .map(|verdict| verdict.state)
            .filter(|state| state.is_terminal())?;
        // A state that has only just appeared was shown but hardly read: the next run shows it as new.
        let since = self.judged.since.filter(|since| now.millis_since(*since) >= READ_MS)?;
        let moment = moments::moment(&self.snapshot.session_facts);
        let is_known = |seen: &SeenState| seen.state == state && seen.since == since && seen.moment == moment;
        if self.actions.seen.as_deref().is_some_and(is_known) {
            return None;
        }
        self.actions.seen =
            Some(Box::new(SeenState { state, since, is_found: self.judged.is_found_state, moment, at: now }));
        Some(self.keep_reports())
    }

    /// Marks the state as seen if a person saw it before, here or in another run; a first verdict also takes
    /// over its start time.
    fn recall_look(&mut self, is_first: bool) {
        let Some(seen) = self.actions.seen.as_ref().filter(|_| !self.judged.is_seen) else { return };
        let state = self.judged.verdict.as_deref().map(|verdict| verdict.state);
        if state != Some(seen.state) || seen.moment != moments::moment(&self.snapshot.session_facts) {
            return;
        }
        self.judged.is_seen = true;
        if is_first {
            (self.judged.since, self.judged.is_found_state) = (Some(seen.since), seen.is_found);
        }
    }

    /// Records a person's statement about this workspace.
    pub(super) fn mark(
        &mut self,
        order: &MarkOrder,
        reason: Option<&str>,
        at: Timestamp,
        effects: &mut Vec<Effect>,
    ) {
        let seen = self.judged.against.clone();
        let marks = self.actions.marks.clone();
        let marked = marks.baseline.clone();
        self.actions.marks.take(order, reason, at, &seen);
        if let Some(before) =
            marked.filter(|_| self.actions.marks.baseline.is_none()).and_then(|mark| mark.word)
        {
            self.baseline = Some(before.clone());
            effects.push(Effect::RememberBaseline { workspace: self.id.clone(), baseline: before });
        }
        let head = self.snapshot.git.as_ref().and_then(|git| git.head.commit());
        if let (MarkOrder::BaselineHere, Some(commit)) = (order, head) {
            let baseline = Baseline {
                commit: Some(commit),
                origin: BaselineOrigin::FirstSeen,
                set_at: at,
                commit_time: None,
            };
            let known = self.snapshot.git.as_ref().map(|git| git.baseline.clone());
            let before = self.baseline.replace(baseline.clone()).or(known);
            let (reason, seen) = (reason.map(str::to_owned), MarkSeen::default());
            self.actions.marks.baseline = Some(Box::new(Mark { word: before, reason, at, seen }));
            effects.push(Effect::RememberBaseline { workspace: self.id.clone(), baseline });
        }
        effects.push(self.keep_marks(marks));
    }

    /// The effect that keeps on disk how the marks changed.
    fn keep_marks(&self, before: Marks) -> Effect {
        let after = Box::new(self.actions.marks.clone());
        Effect::KeepMarks { workspace: self.id.clone(), before: Box::new(before), after }
    }

    /// The effect that keeps on disk what other runs need to know of this workspace.
    pub(super) fn keep_reports(&self) -> Effect {
        Effect::KeepReports { workspace: self.id.clone(), reports: Box::new(self.actions.kept_reports()) }
    }

    /// All evidence, from the snapshot and from the agents' answers, with the result of the configured
    /// checks on a work tree of this content.
    fn evidence(&self, content: Option<&str>) -> (Vec<Evidence>, configured::Combined) {
        let facts = &self.snapshot.session_facts;
        let mut evidence: Vec<Evidence> =
            self.snapshot.evidence.iter().map(|(_, evidence)| Evidence::clone(evidence)).collect();
        self.actions.know_decision(facts, &mut evidence);
        evidence.extend(self.run_evidence());
        let git = self.snapshot.git.as_deref();
        self.actions.add_answers(facts, git, self.snapshot.taken_at, &mut evidence);
        let found = configured::Found { records: &self.actions.checks, content };
        let checks = configured::combine(&self.settings().checks, found, &mut evidence);
        for evidence in &mut evidence {
            left_to_do::dismiss(evidence, &self.actions.marks.not_of_task);
        }
        (evidence, checks)
    }

    /// Lets the verdict hold the very evidence of the snapshot, where it is the same.
    fn share_evidence(&self, verdict: &mut Verdict) {
        for part in &mut verdict.parts {
            let same = self.snapshot.evidence.iter().find(|(_, known)| *known == part.evidence);
            if let Some((_, same)) = same {
                part.evidence = Arc::clone(same);
            }
        }
    }

    fn advance_rounds(&self, evidence: &[Evidence], is_check: bool, now: Timestamp) -> Rounds {
        let facts = &self.snapshot.session_facts;
        let references: Vec<&Evidence> = evidence.iter().collect();
        let none = Rounds::default();
        let before = self.actions.rounds(self.round_key()).unwrap_or(&none);
        let content = self.judged.against.content.as_deref();
        let sources = is_check.then(|| rounds::sources(&references, self.snapshot.git.as_deref(), content));
        let check =
            sources.as_deref().map(|sources| rounds::Check { sources, is_counted: self.judged.is_counted });
        let advanced = rounds::advance(before, facts.round_mark.as_deref(), check, &references);
        let is_same = advanced.is_same_round(before);
        let changed_at = if is_same { before.changed_at } else { Some(now.newer_than(before.changed_at)) };
        let is_used_up = self.actions.is_used_up(facts, evidence) || self.is_run_used_up(evidence);
        Rounds { changed_at, is_used_up, ..advanced }
    }

    /// Whether this look is one of a check that can be a round (R5): made by its own command, with an id, while no turn
    /// runs, and whole.
    fn is_check(&self) -> bool {
        let settings = self.settings();
        let is_at_rest = |session: &Arc<SessionView>| {
            matches!(
                session.activity.state,
                ActivityState::Idle | ActivityState::Gone | ActivityState::Unknown
            )
        };
        // A file that is being written is read again that soon.
        let is_soon = |at: Timestamp| at.millis_since(self.snapshot.taken_at) <= GRACE_MS;
        settings.is_check
            && settings.check_id.is_some()
            && self.runs.alive.is_none()
            && self.snapshot.session_facts.sessions.iter().all(is_at_rest)
            && self.problems.reading.is_none()
            && !self.watched.recheck_at.is_some_and(is_soon)
    }

    fn case<'a>(
        &'a self,
        policy: &'a Policy,
        rounds: &'a Rounds,
        checks: configured::Combined,
    ) -> combine::Case<'a> {
        let facts = &self.snapshot.session_facts;
        let marks = &self.actions.marks;
        let asked = self.runs.alive.as_ref().and_then(|run| run.question.as_ref());
        combine::Case {
            task_kind: self.task_kind(),
            policy,
            rounds,
            git: self.snapshot.git.as_deref(),
            question: asked.or(facts.last_words.as_ref().and_then(|words| words.question.as_ref())),
            prompted_at: facts.prompted_at,
            work: &facts.work,
            sessions: &facts.sessions,
            is_temporary: self.settings().is_temporary,
            taken_at: self.snapshot.taken_at,
            mark: match marks.word.as_ref().map(|mark| mark.word) {
                None => table::UserMark::None,
                Some(MarkWord::Done) => table::UserMark::Done,
                Some(MarkWord::Open) => table::UserMark::Open,
            },
            lapsed: marks.lapsed,
            required: self.settings().required,
            prompt: match facts.last_demand {
                Some(Demand::Answer) => LastPrompt::Answered,
                Some(Demand::Nothing | Demand::Work) | None => LastPrompt::Work,
            },
            acted_outside: facts.acted_outside,
            passed_at: facts.passed_at,
            is_checked: checks.is_proven,
            is_unseen_in_ci: checks.is_unseen_in_ci,
            chosen: &self.settings().chosen,
            before: &self.actions.points,
        }
    }
}

/// What speaks against the work now, whose content has this fingerprint.
fn against(evidence: &[Evidence], facts: &SessionFacts, content: Option<String>) -> MarkSeen {
    let points_of = |speaks: fn(&Evidence) -> bool| {
        let speaking = evidence.iter().filter(|evidence| speaks(evidence));
        let mut points: Vec<String> = speaking.flat_map(left_to_do::ids).collect();
        points.sort();
        points.dedup();
        points
    };
    let prompted_at = facts.last_asked_at;
    MarkSeen {
        points: points_of(|evidence| {
            matches!(evidence.claim, Claim::No | Claim::Fail) || evidence.is_unreadable_report()
        }),
        questions: points_of(|evidence| evidence.claim == Claim::Ask),
        prompted_at,
        content,
    }
}

/// A fingerprint of the work tree's content; `None` if it could not be read.
fn content(git: &GitFacts) -> Option<String> {
    let changes = git.changes.as_ref()?;
    let tree = git.content.clone()?;
    if changes.hidden.is_empty() && git.stashed_here.is_empty() {
        return Some(tree);
    }
    let hidden = changes
        .hidden
        .iter()
        .map(|file| (&file.path, file.on_disk.map(|file| (file.modified_at, file.size))));
    let stashed: Vec<Timestamp> = git.stashed_here.iter().map(|stashed| stashed.at).collect();
    let text = format!("{tree} {:?} {stashed:?}", hidden.collect::<Vec<_>>());
    Some(format!("{:016x}", stable_hash(text.as_bytes())))
}

/// True if the kept points agree with the current ones about what was sent and done. Open points are not
/// compared, because every run finds them again.
fn are_known(kept: &[OpenPoint], now: &[OpenPoint]) -> bool {
    let told = |point: &&OpenPoint| point.state != PointState::Open;
    kept.iter().filter(told).eq(now.iter().filter(told))
}

/// True if a COMPLETE rests on the state of the work tree at its last scan.
fn rests_on_tree(verdict: &Verdict) -> bool {
    verdict.state == VerdictState::Complete && verdict.rule() != Rule::ByYou
}

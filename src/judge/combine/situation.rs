//! Turns evidence into the situation that the table is asked about. Must not decide a verdict.

use crate::model::{
    BaselineOrigin, Claim, Evidence, GitReason, Point, Proof, Reason, Rejection, Source, Strength, TaskKind,
};

use super::case::{Case, n_unheld};
use super::table::{AtWork, Deliverable, Done, Failure, LastTurn, Limit, No, Situation, Tree};
use super::whose::{self, n_lost};

/// The evidence of one workspace, accessed by claim.
pub(super) struct Tally<'a> {
    pub(super) evidence: &'a [Evidence],
    pub(super) tree: Tree,
}

impl<'a> Tally<'a> {
    pub(super) fn of(evidence: &'a [Evidence], case: &Case<'_>) -> Tally<'a> {
        Tally { evidence, tree: tree(evidence, case) }
    }

    /// The situation as the table expects it.
    pub(super) fn situation(&self, case: &Case<'_>) -> Situation {
        Situation {
            deliverable: self.deliverable(case),
            activity: self.activity(),
            mark: case.mark,
            asks: self.has(Claim::Ask),
            failure: self.failure(case),
            is_asked: self.is_asked(case),
            limit: self.limit(case),
            no: self.no(case),
            turn: if self.cut_turn().is_some() { LastTurn::Cut } else { LastTurn::Ended },
            waits: self.has(Claim::Wait),
            done: self.done(case),
            tree: self.tree,
            acted_outside: case.acted_outside
                || whose::is_on_another_branch(case)
                || whose::n_landed(case) > 0,
            prompt: case.prompt,
            proof: self.proof(case),
            required: case.required,
        }
    }

    pub(super) fn claims(&self, claim: Claim) -> impl Iterator<Item = &'a Evidence> {
        self.evidence.iter().filter(move |evidence| evidence.claim == claim)
    }

    pub(super) fn has(&self, claim: Claim) -> bool {
        self.claims(claim).next().is_some()
    }

    pub(super) fn yes(&self) -> impl Iterator<Item = &'a Evidence> {
        self.evidence.iter().filter(|evidence| evidence.is_yes())
    }

    pub(super) fn has_yes(&self) -> bool {
        self.yes().next().is_some()
    }

    pub(super) fn has_commits(&self) -> bool {
        self.yes().any(|evidence| evidence.source == Source::Commits)
    }

    /// The claim of a session that waits for permission.
    pub(super) fn permission(&self) -> Option<&'a Evidence> {
        self.claims(Claim::Ask).find(|evidence| evidence.has(&Point::Permission))
    }

    /// Whether a readable session is known here, and so somebody who can be asked.
    pub(super) fn has_session(&self) -> bool {
        let is_known = |evidence: &Evidence| {
            evidence.source == Source::LiveSession && !evidence.is_rejected_as(Rejection::Unreadable)
        };
        self.evidence.iter().any(is_known)
    }

    /// The first failure of the run itself, of a session's last turn, or of a probe.
    pub(super) fn run_failure(&self) -> Option<&'a Evidence> {
        self.claims(Claim::Fail)
            .find(|evidence| matches!(evidence.source, Source::Run | Source::LiveSession | Source::Probe))
    }

    /// A supervised run that is over.
    pub(super) fn run_over(&self) -> Option<&'a Evidence> {
        let is_over = |evidence: &&Evidence| matches!(evidence.reasons.first(), Some(Reason::RunOver(_)));
        self.evidence.iter().filter(|evidence| evidence.source == Source::Run).find(is_over)
    }

    /// Whether a run was interrupted here.
    pub(super) fn is_cut_run(&self) -> bool {
        self.run_over().is_some_and(|run| run.claim == Claim::No)
    }

    /// A session whose last turn did not end by itself, or one that cannot be read beside a YES: it may ask.
    pub(super) fn cut_turn(&self) -> Option<&'a Evidence> {
        let mut sessions = self.evidence.iter().filter(|evidence| evidence.source == Source::LiveSession);
        let is_unread = |session: &&Evidence| session.is_rejected_as(Rejection::Unreadable) && self.has_yes();
        let cut = sessions.clone().find(|session| session.is_rejected_as(Rejection::MidTurn));
        cut.or_else(|| sessions.find(is_unread))
    }

    /// A decision file or a closer's report that exists but cannot be used.
    pub(super) fn unreadable_report(&self) -> Option<&'a Evidence> {
        let mut reports = self.evidence.iter().filter(|evidence| evidence.is_unreadable_report());
        reports.clone().find(|evidence| evidence.source == Source::Decision).or_else(|| reports.next())
    }

    /// The first required source that is missing or cannot be read. Git is always required (R7).
    pub(super) fn unreadable(&self) -> Option<&'a Evidence> {
        self.evidence.iter().find(|evidence| match evidence.claim {
            Claim::Fail => {
                matches!(evidence.source, Source::Commits | Source::Changes) || evidence.is_required
            }
            Claim::Abstain(Rejection::Unreadable | Rejection::Absent) => evidence.is_required,
            Claim::Yes
            | Claim::No
            | Claim::Ask
            | Claim::Wait
            | Claim::Work
            | Claim::Dirty
            | Claim::Abstain(_) => false,
        })
    }

    fn activity(&self) -> AtWork {
        self.claims(Claim::Work).fold(AtWork::Rests, |found, evidence| match (found, is_word(evidence)) {
            (_, true) | (AtWork::Works, _) => AtWork::Works,
            (AtWork::Rests | AtWork::Perhaps, false) => AtWork::Perhaps,
        })
    }

    fn failure(&self, case: &Case<'_>) -> Failure {
        if self.run_failure().is_some() {
            Failure::Run
        } else if self.unreadable().is_some() {
            Failure::Unreadable
        } else if self.unreadable_report().is_some()
            && case.rounds.n_unreadable >= case.policy.unreadable_limit
        {
            Failure::Decisions
        } else {
            Failure::None
        }
    }

    /// Whether anybody was asked for anything here: a session or a run is known, a person set the baseline or
    /// declared an output, or a source besides git makes a claim.
    fn is_asked(&self, case: &Case<'_>) -> bool {
        let is_given = case.git.is_some_and(|git| match git.baseline.origin {
            BaselineOrigin::Flag | BaselineOrigin::Configuration | BaselineOrigin::Workspace => true,
            BaselineOrigin::FirstSeen | BaselineOrigin::BranchPoint(_) => false,
        });
        let speaks = |evidence: &Evidence| match evidence.source {
            // A session that was opened but not yet prompted is vacuous.
            Source::LiveSession => !evidence.is_rejected_as(Rejection::Vacuous),
            Source::Run => true,
            Source::Commits | Source::Changes => false,
            Source::Output => !evidence.is_rejected_as(Rejection::NotConfigured),
            Source::Command
            | Source::Tests
            | Source::RequiredFiles
            | Source::DecisionWithId
            | Source::Plan
            | Source::Closer
            | Source::Decision
            | Source::Marker
            | Source::Probe
            | Source::LastWords => {
                // An unreadable file still proves that somebody wrote it for somebody.
                matches!(evidence.rejection(), None | Some(Rejection::Unreadable))
            }
        };
        is_given || case.rounds.is_used_up || self.evidence.iter().any(speaks)
    }

    /// Whether rounds, budget or time are used up. An agent that was probed in vain, with no other evidence
    /// about it, counts as never having answered.
    fn limit(&self, case: &Case<'_>) -> Limit {
        let was_asked_in_vain = |evidence: &Evidence| {
            evidence.source == Source::Probe
                && (evidence.is_rejected_as(Rejection::Unreadable)
                    || evidence.is_rejected_as(Rejection::Undecided))
        };
        let is_silent = self.evidence.iter().all(|evidence| evidence.rejection().is_some());
        match case.rounds.is_used_up {
            false => Limit::Within,
            true if is_silent && self.evidence.iter().any(was_asked_in_vain) => Limit::NeverAnswered,
            true => Limit::UsedUp,
        }
    }

    fn no(&self, case: &Case<'_>) -> No {
        if !self.has(Claim::No) {
            self.unreadable_report().map_or(No::Silent, |_| No::Unreadable)
        } else if case.rounds.stage >= case.policy.stall_stage {
            No::SaysAgain
        } else {
            No::Says
        }
    }

    fn done(&self, case: &Case<'_>) -> Done {
        let has_done_nothing = has_done_nothing(case);
        // A rescue's commit is no YES, but what the words say is done is there.
        let is_saved = whose::is_saved(case);
        let is_words = |evidence: &Evidence| {
            evidence.source == Source::LastWords && !is_saved
                || has_done_nothing
                    && (evidence.strength == Strength::SelfReported || evidence.source == Source::Plan)
        };
        self.yes().fold(Done::Silent, |done, evidence| match done {
            Done::Silent | Done::Words if is_words(evidence) => Done::Words,
            Done::Silent | Done::Words | Done::Yes => Done::Yes,
        })
    }

    fn deliverable(&self, case: &Case<'_>) -> Deliverable {
        match case.task_kind {
            TaskKind::Implementation => Deliverable::Work,
            TaskKind::ReadInfo | TaskKind::Report => {
                let mut outputs =
                    self.evidence.iter().filter(|evidence| evidence.source == Source::Output).peekable();
                let is_there = outputs.peek().is_some();
                // If one of several outputs is missing or belongs to another task, the deliverable is missing.
                if is_there && outputs.all(|output| output.claim == Claim::Yes) {
                    Deliverable::Output
                } else {
                    Deliverable::NoOutput
                }
            }
        }
    }

    /// Whether a required file is in no commit as it is.
    pub(super) fn lacks_commit(&self) -> bool {
        let is_it = |reason: &Reason| matches!(reason, Reason::Git(GitReason::NotInCommit(_)));
        self.yes().any(|evidence| evidence.reasons.iter().any(is_it))
    }

    /// How well the work would be proven if it is done.
    pub(super) fn proof(&self, case: &Case<'_>) -> Proof {
        let has = |sources: &[Source]| self.yes().any(|evidence| sources.contains(&evidence.source));
        let is_of_now = |passed_at| !whose::is_changed_since(passed_at, case);
        let is_passed = case.is_checked
            || case.passed_at.is_some_and(is_of_now)
            || has(&[Source::Command, Source::Tests]);
        if self.lacks_commit() {
            Proof::Said
        } else if is_passed && !case.is_unseen_in_ci && whose::softened(case).is_none() {
            Proof::Checked
        } else if has(&[Source::Commits]) || whose::is_saved(case) || whose::n_landed(case) > 0 {
            Proof::Committed
        } else {
            Proof::Said
        }
    }
}

/// Whether the tasks produced nothing but files that report on them. A file that says "done" is then worth no
/// more than words.
fn has_done_nothing(case: &Case<'_>) -> bool {
    case.work.first_prompt_at.is_some()
        && case.git.is_some_and(|git| {
            let counts = &git.commits;
            counts.n_new == 0 && counts.n_rescued == 0 && (counts.n_evidence > 0 || !case.work.has_deeds)
        })
}

/// Whether this is a session's own structured status report rather than a guess.
pub(super) fn is_word(evidence: &Evidence) -> bool {
    evidence.source == Source::LiveSession && evidence.strength != Strength::Guess
}

/// Whether the task has work that exists only in this work tree.
fn tree(evidence: &[Evidence], case: &Case<'_>) -> Tree {
    let mut changes = evidence.iter().filter(|evidence| evidence.source == Source::Changes).peekable();
    let is_clean = |changes: &Evidence| changes.is_rejected_as(Rejection::Vacuous);
    if n_lost(case) > 0 || n_unheld(case) > 0 || changes.clone().any(|changes| changes.claim == Claim::Dirty)
    {
        return Tree::AtRisk;
    }
    // Without a repository, there is no work beside a deliverable that could be lost.
    let has_no_repository = case.task_kind != TaskKind::Implementation
        && evidence.iter().any(|evidence| {
            evidence.source == Source::Commits && evidence.is_rejected_as(Rejection::NotConfigured)
        });
    if has_no_repository || (changes.peek().is_some() && changes.all(is_clean)) {
        Tree::Clean
    } else {
        Tree::Unknown
    }
}

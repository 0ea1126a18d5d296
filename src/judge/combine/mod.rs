//! The verdict: all evidence of a workspace, by the first rule that matches (DESIGN.md 2.2).
//!
//! [`combine`] looks at claims only; what a source's raw text means was settled by the five judges.
//! Pure and total: every set of evidence has a verdict, and none is COMPLETE without a YES that is
//! not vacuous.

mod roles;
mod tables;
mod words;

use crate::model::{
    Changes, ChosenKey, Claim, CommitCounts, Evidence, GitFacts, Head, Policy, Question, QuestionWeight,
    Rejection, Rounds, Rule, Source, Strength, TaskKind, Timestamp, Verdict, VerdictState, Warning,
};

/// What a verdict is made from, beside the evidence.
#[derive(Debug, Clone, Copy)]
pub struct Case<'a> {
    /// The kind of the task; it selects the table.
    pub task_kind: TaskKind,
    /// How evidence is judged.
    pub policy: &'a Policy,
    /// The rounds, this one included.
    pub rounds: &'a Rounds,
    /// Git's facts, for warnings and words; what counts of them is in the evidence.
    pub git: Option<&'a GitFacts>,
    /// The question in the last words.
    pub question: Option<&'a Question>,
    /// When a person last wrote to the agent.
    pub prompted_at: Option<Timestamp>,
    /// Keys of the workspace's own file that could soften the verdict, and whether they count.
    pub chosen: &'a [ChosenKey],
}

/// The verdict on `evidence`.
pub fn combine(evidence: &[Evidence], case: &Case<'_>) -> Verdict {
    let mut evidence: Vec<Evidence> = evidence.to_vec();
    // A stable order, so that the same evidence in another order gives the same verdict.
    evidence.sort_by(|a, b| order_key(a).cmp(&order_key(b)));
    let tally = Tally::of(&evidence, case);
    let (state, rule, so_far) = if let Some((state, rule)) = tally.at_work() {
        let rest: Vec<Evidence> =
            evidence.iter().filter(|evidence| !is_word_of_work(evidence)).cloned().collect();
        (state, rule, Some(tables::settle(&Tally::of(&rest, case), case).0))
    } else {
        let (state, rule) = tables::settle(&tally, case);
        (state, rule, None)
    };
    let warnings = warnings(&tally, case, state);
    let is_self_reported = state == VerdictState::Complete
        && tally.yes().all(|evidence| evidence.source == Source::Probe)
        && tally.yes().next().is_some();
    let why = words::why(rule, &tally, case);
    let next_action = words::next_action(state, rule, &tally, case, &warnings);
    let (parts, conflicts) = roles::parts(&evidence, state, rule, case.task_kind);
    let mut warnings = warnings;
    if !conflicts.is_empty() {
        warnings.push(Warning::Conflict);
    }
    Verdict {
        state,
        rule,
        why,
        next_action,
        parts,
        conflicts,
        warnings,
        question: case.question.cloned(),
        stage: case.rounds.stage,
        is_self_reported,
        so_far,
    }
}

/// A live session's own structured word that it is at work, or that its background work is.
fn is_word_of_work(evidence: &Evidence) -> bool {
    evidence.source == Source::LiveSession
        && matches!(evidence.claim, Claim::Work | Claim::Wait)
        && evidence.strength != Strength::Guess
}

fn order_key(evidence: &Evidence) -> (u8, Source, &str) {
    (evidence.source.rank(), evidence.source, &evidence.name)
}

/// What is known of the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tree {
    Clean,
    Dirty,
    Unknown,
}

/// The evidence, seen by claim.
struct Tally<'a> {
    evidence: &'a [Evidence],
    tree: Tree,
    has_blocking_question: bool,
}

impl<'a> Tally<'a> {
    fn of(evidence: &'a [Evidence], case: &Case<'_>) -> Tally<'a> {
        let mut changes = evidence.iter().filter(|evidence| evidence.source == Source::Changes).peekable();
        let is_clean = |changes: &Evidence| {
            changes.claim == Claim::Abstain && changes.rejection == Some(Rejection::Vacuous)
        };
        let tree = if changes.clone().any(|changes| changes.claim == Claim::Dirty) {
            Tree::Dirty
        } else if changes.peek().is_some() && changes.all(is_clean) {
            Tree::Clean
        } else {
            Tree::Unknown
        };
        let has_blocking_question =
            case.question.is_some_and(|question| question.weight == QuestionWeight::Blocking);
        Tally { evidence, tree, has_blocking_question }
    }

    fn claims(&self, claim: Claim) -> impl Iterator<Item = &'a Evidence> {
        self.evidence.iter().filter(move |evidence| evidence.claim == claim)
    }

    fn has(&self, claim: Claim) -> bool {
        self.claims(claim).next().is_some()
    }

    fn yes(&self) -> impl Iterator<Item = &'a Evidence> {
        self.evidence.iter().filter(|evidence| evidence.is_yes())
    }

    fn has_yes(&self) -> bool {
        self.yes().next().is_some()
    }

    fn has_commits(&self) -> bool {
        self.yes().any(|evidence| evidence.source == Source::Commits)
    }

    /// R0: a session's own structured word; a guess is none.
    fn at_work(&self) -> Option<(VerdictState, Rule)> {
        let by_word = |claim| self.claims(claim).any(is_word_of_work);
        if by_word(Claim::Work) {
            Some((VerdictState::Working, Rule::SessionWorks))
        } else if by_word(Claim::Wait) {
            Some((VerdictState::Waiting, Rule::SessionWaits))
        } else {
            None
        }
    }

    /// A session that waits for a permission.
    fn permission(&self) -> Option<&'a Evidence> {
        self.claims(Claim::Ask)
            .find(|evidence| evidence.fingerprints.iter().any(|mark| mark == super::PERMISSION))
    }

    /// Whether a session of an agent is known here: somebody who can be asked.
    fn has_session(&self) -> bool {
        let is_known = |evidence: &Evidence| {
            evidence.source == Source::LiveSession && evidence.rejection != Some(Rejection::Unreadable)
        };
        self.evidence.iter().any(is_known)
    }

    /// The first failure of the run itself.
    fn run_failure(&self) -> Option<&'a Evidence> {
        self.claims(Claim::Fail)
            .find(|evidence| matches!(evidence.source, Source::Run | Source::LiveSession | Source::Probe))
    }

    /// Whether a session's turn was not ended, and nobody tells what it does.
    fn is_turn_open(&self) -> bool {
        self.evidence.iter().any(|evidence| {
            evidence.source == Source::LiveSession
                && evidence.claim == Claim::Abstain
                && evidence.rejection == Some(Rejection::Stale)
        })
    }

    /// A decision file that is there and cannot be used.
    fn unreadable_decision(&self) -> Option<&'a Evidence> {
        self.evidence.iter().find(|evidence| {
            evidence.source == Source::Decision && evidence.rejection == Some(Rejection::Unreadable)
        })
    }

    /// The first source that cannot be read and that the verdict cannot do without. Git that does
    /// not answer is always one (R7).
    fn unreadable(&self) -> Option<&'a Evidence> {
        self.evidence.iter().find(|evidence| match evidence.claim {
            Claim::Fail => {
                matches!(evidence.source, Source::Commits | Source::Changes) || evidence.is_required
            }
            Claim::Abstain => {
                evidence.is_required
                    && matches!(evidence.rejection, Some(Rejection::Unreadable | Rejection::Absent))
            }
            Claim::Yes | Claim::No | Claim::Ask | Claim::Wait | Claim::Work | Claim::Dirty => false,
        })
    }
}

fn warnings(tally: &Tally<'_>, case: &Case<'_>, state: VerdictState) -> Vec<Warning> {
    let mut warnings = Vec::new();
    if tally.tree == Tree::Dirty {
        match state {
            VerdictState::Complete => warnings.push(Warning::ChangesLeft),
            VerdictState::RescueNeeded | VerdictState::Working => {}
            VerdictState::AwaitingResponse
            | VerdictState::Incomplete
            | VerdictState::Waiting
            | VerdictState::Stalled
            | VerdictState::Error => warnings.push(Warning::WorkAtRisk),
        }
    }
    if tally.tree == Tree::Unknown && case.task_kind == TaskKind::Implementation && case.git.is_some() {
        warnings.push(Warning::ChangesUnknown);
    }
    if let Some(git) = case.git {
        if git.operation.is_some() {
            warnings.push(Warning::OperationInProgress);
        }
        if git.commits.n_lost > 0 {
            warnings.push(Warning::CommitsLost);
        }
        if matches!(git.head, Head::Detached { .. }) && git.commits.n_new > 0 {
            warnings.push(Warning::DetachedWork);
        }
    }
    let has_any_yes = tally.has(Claim::Yes);
    if has_any_yes && !tally.has_yes() {
        warnings.push(Warning::VacuousOnly);
    }
    let stops_half_way = tally.evidence.iter().any(|evidence| {
        evidence.source == Source::LastWords
            && evidence.claim == Claim::Abstain
            && evidence.rejection == Some(Rejection::Undecided)
            && evidence.fingerprints.iter().any(|fingerprint| fingerprint == super::STOPS_HALF_WAY)
    });
    if stops_half_way && tally.permission().is_none() {
        warnings.push(Warning::WordsStopHalfWay);
    }
    if tally.unreadable_decision().is_some() {
        warnings.push(Warning::DecisionUnreadable);
    }
    if state == VerdictState::Complete && tally.run_failure().is_some() {
        warnings.push(Warning::RunFailed);
    }
    if state == VerdictState::Complete && tally.is_turn_open() {
        warnings.push(Warning::TurnOpen);
    }
    if state == VerdictState::Complete && are_commits_before_prompt(tally, case) {
        warnings.push(Warning::CommitsBeforePrompt);
    }
    warnings.extend(of_own_settings(case.chosen, state));
    warnings
}

/// What the workspace's own file has to do with the verdict.
fn of_own_settings(chosen: &[ChosenKey], state: VerdictState) -> Option<Warning> {
    if chosen.iter().any(|chosen| !chosen.counts) {
        Some(Warning::OwnSettingsIgnored)
    } else {
        (!chosen.is_empty() && state == VerdictState::Complete).then_some(Warning::OwnSettings)
    }
}

/// Whether only commits say that the work is done, and all of them were there before the person's
/// last prompt: they may answer an earlier one.
fn are_commits_before_prompt(tally: &Tally<'_>, case: &Case<'_>) -> bool {
    let newest = commits(case).and_then(|commits| commits.newest.first()).map(|commit| commit.at);
    tally.yes().all(|evidence| evidence.source == Source::Commits)
        && newest.zip(case.prompted_at).is_some_and(|(newest, prompted_at)| newest < prompted_at)
}

/// The uncommitted changes, where they were looked at.
fn changes<'a>(case: &Case<'a>) -> Option<&'a Changes> {
    case.git.and_then(|git| git.changes.as_ref())
}

/// The commits, where git answered.
fn commits<'a>(case: &Case<'a>) -> Option<&'a CommitCounts> {
    case.git.map(|git| &git.commits)
}

//! The model's closed sets in words for a person, and the one sentence that a row has room for.
//!
//! Words only; their signs and colours are elsewhere.

use super::sessions;
use super::text;
use super::urgency::Urgency;
use super::{action_words, age};
use crate::model::{
    ActivityState, BaselineOrigin, ChangeKind, Changes, NextActionKind, Operation, PartRole, QuestionWeight,
    Rejection, Rule, TREE_IS_CLEAN, Timestamp, Verdict, VerdictState, Warning, WorkspaceView, quantity,
};

/// The width of the longest of [`state_of`].
pub(super) const STATE_WIDTH: usize = 10;

/// What [`TREE_IS_CLEAN`] becomes with its age.
pub(super) const TREE_WAS_CLEAN: &str = "the tree was clean";

/// The state of a workspace as its row shows it, in at most ten signs.
pub(super) fn state_of(view: &WorkspaceView) -> &'static str {
    match view.verdict.as_ref().map(|verdict| verdict.state) {
        None => "READING",
        Some(_) if Urgency::of(view) == Urgency::Permission => "PERMISSION",
        Some(state) => short_state(state),
    }
}

/// A verdict's state in at most ten signs.
pub(super) fn short_state(state: VerdictState) -> &'static str {
    match state {
        VerdictState::Complete => "COMPLETE",
        VerdictState::AwaitingResponse => "ASKS",
        VerdictState::RescueNeeded => "RESCUE",
        VerdictState::Incomplete => "INCOMPLETE",
        VerdictState::Waiting => "WAITING",
        VerdictState::Working => "WORKING",
        VerdictState::Stalled => "STALLED",
        VerdictState::Error => "ERROR",
        VerdictState::NoTask => "NO_TASK",
    }
}

/// The one thing that matters about a workspace. Untrusted text in it is not cleaned yet.
pub(super) fn note(view: &WorkspaceView, now: Timestamp) -> String {
    if let Some(action) = &view.action {
        let doing = action_words::running(action);
        return match action.progress.message.as_str() {
            "" => format!("{doing} …"),
            words => format!("{doing}: {words}"),
        };
    }
    let Some(verdict) = &view.verdict else {
        return view.problem.clone().unwrap_or_else(|| "first look …".to_owned());
    };
    let urgency = Urgency::of(view);
    // What keeps closeout from looking at all is the note. What only makes it look more seldom stands in
    // the detail: the verdict still holds.
    if let Some(problem) = view.problem.as_ref().filter(|_| urgency == Urgency::Error) {
        return problem.clone();
    }
    let question = verdict.question.as_ref().map(|question| question.text.as_str());
    let is_blocked = verdict.question.as_ref().is_some_and(|asked| asked.weight == QuestionWeight::Blocking);
    match (urgency, question) {
        (Urgency::Permission, _) => sessions::permission_in_row(view),
        (Urgency::Asks, Some(question)) if is_blocked => question.to_owned(),
        (Urgency::Asks, question) => {
            let own = || view.activity.detail.clone().unwrap_or_else(|| why(view, verdict, now));
            let own = || question.map_or_else(own, str::to_owned);
            sessions::asked_beside(view).unwrap_or_else(own)
        }
        (Urgency::Offer, Some(question)) => format!("offers: {question}"),
        (Urgency::Rescue, _) => {
            let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
            changes.map_or_else(
                || why(view, verdict, now),
                |changes| format!("{} not committed", quantity::counted(changes.n_paths, "file", "files")),
            )
        }
        (Urgency::Working | Urgency::Waiting, _) => {
            sessions::at_work(view).unwrap_or_else(|| why(view, verdict, now))
        }
        // What is to be done says more in few cells than why.
        (Urgency::Error | Urgency::Stalled | Urgency::Incomplete | Urgency::Unseen | Urgency::Seen, _)
            if matches!(verdict.next_action.kind, NextActionKind::Fix | NextActionKind::Repair) =>
        {
            verdict.next_action.text.clone()
        }
        (Urgency::Unseen | Urgency::Seen, _) if verdict.warnings.contains(&Warning::ChangesLeft) => {
            changes_left(view)
        }
        (
            Urgency::Offer
            | Urgency::Error
            | Urgency::Stalled
            | Urgency::Incomplete
            | Urgency::Unseen
            | Urgency::Seen
            | Urgency::Unjudged,
            _,
        ) => why(view, verdict, now),
    }
}

/// Whether the verdict says that the work tree is clean.
pub(super) fn rests_on_clean_tree(view: &WorkspaceView) -> bool {
    view.verdict.as_ref().is_some_and(|verdict| verdict.rule == Rule::YesClean)
}

/// The rule that decided, in words. The work tree is not watched: a look at it that is no more of now is told
/// with its age.
pub(super) fn why(view: &WorkspaceView, verdict: &Verdict, now: Timestamp) -> String {
    let begins = verdict.why.strip_suffix(TREE_IS_CLEAN).filter(|_| rests_on_clean_tree(view));
    match (begins, age::since_look(view, now)) {
        (Some(begins), Some(ago)) => format!("{begins}{TREE_WAS_CLEAN} {ago}"),
        _ => verdict.why.clone(),
    }
}

fn changes_left(view: &WorkspaceView) -> String {
    let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
    let n_paths = changes.map_or(0, |changes| changes.n_paths);
    format!("done, but {} not committed", quantity::counted(n_paths, "file", "files"))
}

/// What a source's part in the verdict was.
pub(super) fn role(role: PartRole) -> &'static str {
    match role {
        PartRole::Decided => "decided",
        PartRole::Agrees => "agrees",
        PartRole::Overruled => "overruled",
        PartRole::Rejected => "rejected",
        PartRole::NotConfigured => "not configured",
        PartRole::NotThere => "not there",
        PartRole::Noted => "noted",
    }
}

/// Why evidence does not count.
pub(super) fn rejection(rejection: Rejection) -> &'static str {
    match rejection {
        Rejection::NotConfigured => "not configured",
        Rejection::Absent => "not there",
        Rejection::Stale => "older than the task",
        Rejection::Foreign => "of another check or session",
        Rejection::Unreadable => "not readable",
        Rejection::Vacuous => "nothing to check",
        Rejection::Undecided => "says neither yes nor no",
        Rejection::Dismissed => "not of this task, by your word",
        Rejection::MidTurn => "the turn did not end by itself",
        Rejection::LeftOver => "left over: another session was asked since",
    }
}

/// A warning as a sentence.
pub(super) fn warning(warning: Warning) -> &'static str {
    match warning {
        Warning::ChangesLeft => "Changes are left that are not committed.",
        Warning::WorkAtRisk => "Work at risk: changes are not committed.",
        Warning::OperationInProgress => "An operation of git was begun and is not ended.",
        Warning::CommitsLost => "Commits made here are on no branch any more; only the reflog has them.",
        Warning::DetachedWork => "HEAD is on no branch, and only it reaches these commits.",
        Warning::ChangesUnknown => "The work tree was not looked at yet.",
        Warning::VacuousOnly => "Every yes is about nothing: there was nothing to check.",
        Warning::WordsStopHalfWay => "The last words announce more work, or break off.",
        Warning::DecisionUnreadable => "The decision file cannot be read, so it is not in this verdict.",
        Warning::OwnSettings => {
            "Settings that the workspace chose itself (.closeout.toml) have a part in this."
        }
        Warning::OwnSettingsIgnored => {
            "The workspace's .closeout.toml is not as in the baseline: what could soften in it does not count."
        }
        Warning::MarkLapsed => {
            "Your own word does not hold any more: something came since that it did not see."
        }
        Warning::Conflict => "Sources contradict one another.",
    }
}

/// An activity in words.
pub(super) fn activity(state: ActivityState) -> Option<&'static str> {
    match state {
        ActivityState::Working => Some("working"),
        ActivityState::Idle => Some("idle"),
        ActivityState::NeedsPermission => Some("needs a permission"),
        ActivityState::Asks => Some("asks"),
        ActivityState::Background => Some("background work"),
        ActivityState::Gone => Some("gone"),
        ActivityState::Unknown => None,
    }
}

/// Where a baseline comes from, after its commit.
pub(super) fn baseline_origin(origin: &BaselineOrigin) -> String {
    match origin {
        BaselineOrigin::Flag => "given on the command line".to_owned(),
        BaselineOrigin::Configuration => "from the configuration".to_owned(),
        BaselineOrigin::Workspace => "chosen by the workspace's own file".to_owned(),
        BaselineOrigin::FirstSeen => "HEAD when first seen".to_owned(),
        BaselineOrigin::BranchPoint(branch) => format!("where this branch left {}", text::line(branch)),
    }
}

/// An operation of git, with its article.
pub(super) fn operation(operation: Operation) -> &'static str {
    match operation {
        Operation::Merge => "a merge",
        Operation::Rebase => "a rebase",
        Operation::CherryPick => "a cherry-pick",
        Operation::Revert => "a revert",
        Operation::Bisect => "a bisect",
        Operation::ApplyMailbox => "an am (patches of a mailbox)",
    }
}

/// The letter of a change, as `git status --short` writes it.
pub(super) fn change_letter(kind: ChangeKind) -> char {
    match kind {
        ChangeKind::Added => 'A',
        ChangeKind::Modified => 'M',
        ChangeKind::Deleted => 'D',
        ChangeKind::Renamed => 'R',
        ChangeKind::TypeChanged => 'T',
        ChangeKind::Untracked => '?',
        ChangeKind::Conflicted => '!',
    }
}

/// Numbers of changes by kind, those that are not zero, and how many paths count in two of them.
pub(super) fn change_counts(changes: &Changes) -> Vec<String> {
    let kinds = [
        (changes.n_conflicted, "in conflict"),
        (changes.n_staged, "staged"),
        (changes.n_unstaged, "not staged"),
        (changes.n_untracked, "untracked"),
    ];
    let counts = kinds.into_iter().filter(|(n, _)| *n > 0).map(|(n, kind)| format!("{n} {kind}"));
    let twice = Some(changes.n_counted_twice()).filter(|n_twice| *n_twice > 0);
    counts.chain(twice.map(|n_twice| quantity::counted(n_twice, "counts twice", "count twice"))).collect()
}

//! A workspace in one line: its state, the one thing that matters about it, and the reason for its verdict.
//!
//! Foreign text is not cleaned here: whoever displays the line does that.

use super::phrases::row;
use super::urgency::Urgency;
use super::verdict;
use super::{age, counts, problem, runs, sessions, sets};
use crate::model::{
    ActionKind, AtRisk, NextActionKind, QuestionWeight, Rule, RunningAction, Timestamp, Verdict, Warning,
    Why, WorkspaceView,
};

/// The longest quotation of an agent's last words in a row, in characters.
const MAX_QUOTE: usize = 160;

/// The width of the longest text of [`state_of`].
pub(crate) const STATE_WIDTH: usize = 10;

/// The state of a workspace as its row shows it, in at most ten characters.
pub(crate) fn state_of(view: &WorkspaceView) -> &'static str {
    match view.verdict.as_deref().map(|verdict| verdict.state) {
        None => row::reading(),
        Some(_) if Urgency::of(view) == Urgency::Permission => row::permission(),
        Some(_) if Urgency::of(view) == Urgency::ToCommit => row::to_commit(),
        Some(state) => sets::state(state),
    }
}

/// What is running, as the beginning of a row's note.
pub(crate) fn running(action: &RunningAction) -> &'static str {
    if action.kind == ActionKind::Probe && action.is_automatic {
        row::auto_probe()
    } else {
        sets::running(action.kind)
    }
}

/// The one thing that matters about a workspace. It may hold untrusted text that is not cleaned yet.
pub(crate) fn note(view: &WorkspaceView, now: Timestamp) -> String {
    if let Some(action) = &view.actions.running {
        let doing = running(action);
        return match action.progress.message.as_str() {
            "" => format!("{doing} …"),
            progress => format!("{doing}: {progress}"),
        };
    }
    let Some(verdict) = &view.verdict else {
        return problem::label(&view.reading.problems).unwrap_or_else(|| row::first_look().to_owned());
    };
    if let Some(run) = &view.run {
        return runs::in_row(run);
    }
    let urgency = Urgency::of(view);
    if let (Urgency::Stalled | Urgency::Error, Some(end)) = (urgency, &view.run_end) {
        return runs::ended(end.status);
    }
    // A problem that keeps closeout from reading at all becomes the note. One that only makes it read less
    // often is shown in the detail view: the verdict still holds.
    if let Some(problem) = problem::label(&view.reading.problems).filter(|_| urgency == Urgency::Error) {
        return problem;
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
        (Urgency::Offer, question) => question
            .map(row::offers)
            .or_else(|| sessions::offered_beside(view))
            .unwrap_or_else(|| why(view, verdict, now)),
        (Urgency::Rescue | Urgency::ToCommit, _) => uncommitted(view, verdict, now),
        (Urgency::Working | Urgency::Waiting, _) => {
            sessions::at_work(view).or_else(|| task(view)).unwrap_or_else(|| why(view, verdict, now))
        }
        (Urgency::Quiet, _) => why(view, verdict, now),
        // In a narrow column, what to do is more useful than why.
        _ if matches!(verdict.next_action.kind(), NextActionKind::Fix | NextActionKind::Repair) => {
            verdict::next_action(verdict)
        }
        (Urgency::Unseen | Urgency::Seen, _) if verdict.warnings.contains(&Warning::WorkAtRisk) => {
            changes_left(view).unwrap_or_else(|| verdict::next_action(verdict))
        }
        (Urgency::Unseen | Urgency::Seen, _) => {
            quote(view).or_else(|| newest_commit(view)).unwrap_or_else(|| why(view, verdict, now))
        }
        (Urgency::Incomplete, _) if verdict.rule() == Rule::NoEvidence => {
            quote(view).unwrap_or_else(|| why(view, verdict, now))
        }
        (Urgency::Error | Urgency::Stalled | Urgency::Incomplete | Urgency::Unjudged, _) => {
            why(view, verdict, now)
        }
    }
}

/// The uncommitted work, preceded by the fact that the agent stopped in the middle of it, if it did.
fn uncommitted(view: &WorkspaceView, verdict: &Verdict, now: Timestamp) -> String {
    let changes = view.git.as_ref().and_then(|git| git.changes.as_ref());
    let Some(changes) = changes.filter(|changes| changes.n_paths > 0) else {
        // In a narrow column, what is at risk is more useful than who says that it is done.
        return if let Why::Uncommitted(_, work) = &verdict.why {
            verdict::of_work(work)
        } else {
            why(view, verdict, now)
        };
    };
    if let Why::Uncommitted(_, work @ AtRisk::OnBranch { .. }) = &verdict.why {
        return verdict::of_work(work);
    }
    let files = counts::files_uncommitted(changes.n_paths);
    if verdict.rule() == Rule::TurnCut { row::cut_with(files) } else { files }
}

/// The first line of the agent's last words that has letters or digits, as a quotation. Untrusted.
fn quote(view: &WorkspaceView) -> Option<String> {
    let text = &view.last_words.as_ref()?.text;
    let lines = text.lines().map(str::trim).filter(|line| !line.starts_with(['#', '|', '`', '>', '<', '=']));
    let plain = lines.map(|line| line.trim_start_matches(['-', '*', '+', ' ']).replace(['*', '`'], ""));
    let line =
        plain.map(|line| line.trim().to_owned()).find(|line| line.chars().any(char::is_alphanumeric))?;
    Some(row::quoted(line.chars().take(MAX_QUOTE).collect::<String>()))
}

/// The first line of the task, as a quotation. Untrusted.
fn task(view: &WorkspaceView) -> Option<String> {
    let task = view.task.as_ref().map(|task| &task.first_prompt).or(view.prompt.as_ref())?;
    let line = task.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(row::quoted(line.chars().take(MAX_QUOTE).collect::<String>()))
}

/// The subject of the newest commit of this task. Untrusted.
fn newest_commit(view: &WorkspaceView) -> Option<String> {
    let commits = &view.git.as_ref()?.commits;
    let newest = commits.newest.first().filter(|_| commits.n_new > 0)?;
    (!newest.subject.trim().is_empty()).then(|| newest.subject.clone())
}

/// True if the verdict rests on a clean work tree.
pub(crate) fn rests_on_clean_tree(view: &WorkspaceView) -> bool {
    view.verdict.as_deref().is_some_and(|verdict| verdict.rule() == Rule::YesClean)
}

/// The rule that decided, in words. The work tree is not watched, so a look that is no longer current is
/// shown with its age.
pub(crate) fn why(view: &WorkspaceView, verdict: &Verdict, now: Timestamp) -> String {
    match (&verdict.why, age::since_look(view, now)) {
        (Why::Clean(by), Some(ago)) => verdict::clean(by, &row::tree_was_clean(ago)),
        _ => verdict::why(verdict),
    }
}

fn changes_left(view: &WorkspaceView) -> Option<String> {
    let changes = view.git.as_ref()?.changes.as_ref()?;
    (changes.n_paths > 0).then(|| row::done_but(counts::files_uncommitted(changes.n_paths)))
}

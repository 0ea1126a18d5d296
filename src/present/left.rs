//! What is left to do, in words: what COMPLETE still requires, a point with its state, and the message that
//! sends points back to an agent.

use super::phrases::{complete_when as when, left};
use super::texts::shown;
use super::{age, counts};
use crate::model::{
    NextAction, OpenPoint, PointKind, PointState, Rule, SENDER_MARK, Timestamp, VerdictState, WorkspaceView,
    display_text,
};

/// What has to happen before the workspace is COMPLETE; `None` if it is, or if there is no task.
pub(crate) fn complete_when(view: &WorkspaceView) -> Option<String> {
    let verdict = view.verdict.as_deref()?;
    if matches!(verdict.state, VerdictState::Complete | VerdictState::NoTask) {
        return None;
    }
    let n_of = |kind: PointKind| {
        verdict.left_to_do.open().filter(|point| point.weighs && point.kind == kind).count()
    };
    let is_at_work = matches!(verdict.state, VerdictState::Working | VerdictState::Waiting);
    let n_left = n_of(PointKind::Finish);
    let is_on_no_branch = matches!(verdict.next_action, NextAction::KeepCommits(_));
    let merged =
        if let NextAction::Merge(branch) = &verdict.next_action { Some(shown(branch)) } else { None };
    let parts = [
        (n_of(PointKind::Allow) > 0).then(|| when::allowed().to_owned()),
        (n_of(PointKind::Answer) > 0).then(|| when::answered().to_owned()),
        (n_of(PointKind::Repair) > 0).then(|| when::repaired().to_owned()),
        is_at_work.then(|| when::turn_ends().to_owned()),
        (n_of(PointKind::Resume) > 0).then(|| when::resumed().to_owned()),
        (n_left > 0).then(|| counts::points_closed(n_left)),
        (n_of(PointKind::Keep) > 0 && !is_on_no_branch && merged.is_none())
            .then(|| when::committed().to_owned()),
        merged.map(when::merged),
        is_on_no_branch.then(|| when::on_branch().to_owned()),
        matches!(verdict.next_action, NextAction::BringIn(_)).then(|| when::brought_in().to_owned()),
        (verdict.rule() == Rule::NotProven).then(|| when::proven().to_owned()),
        (verdict.rule() == Rule::ByYou).then(|| when::unmarked().to_owned()),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    let words = match parts.split_last() {
        None if verdict.rule() == Rule::NoOutput => when::output().to_owned(),
        None => when::done().to_owned(),
        Some((last, [])) => last.clone(),
        Some((last, before)) => when::all(before.join(", "), last),
    };
    Some(when::complete(words))
}

/// The state of a point, with the age of one that was sent; `None` for a point that is simply open.
pub(crate) fn state_of(point: &OpenPoint, now: Timestamp) -> Option<String> {
    match point.state {
        PointState::Open if point.is_earlier => Some(left::earlier().to_owned()),
        PointState::Open => None,
        PointState::Sent { at } => Some(left::sent(age::ago(now, at))),
        PointState::Done { .. } => Some(left::done().to_owned()),
    }
}

/// The message that sends these points to an agent. It contains each text verbatim (cleaned), so that the
/// points are later recognised as sent. That a turn broke off is no work: alone, it asks the agent to go on.
pub(crate) fn message(points: &[&OpenPoint]) -> String {
    let work = points.iter().filter(|point| !point.is_to_go_on());
    let lines: Vec<String> =
        work.map(|point| format!("- {}", display_text::line(point.text.trim()))).collect();
    if lines.is_empty() {
        return format!("{SENDER_MARK} {}", left::go_on());
    }
    // Kept to few lines: clients treat a long paste as quoted text, which their models follow less readily.
    format!("{SENDER_MARK} {}\n{}", left::message_begins(), lines.join("\n"))
}

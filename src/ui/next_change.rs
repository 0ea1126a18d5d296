//! Determines when a frame would change although nothing happens, for example because an age changes.

use super::dialog::Dialog;
use super::state::State;
use crate::model::{Timestamp, WorkspaceView};
use crate::present::age::{DAY, FRESH_MS, HOUR, MINUTE, YEAR};
use crate::present::{row, sessions};

/// When the frame would next change although nothing happens: a dialog's keys become active, the seconds of a
/// running action advance, a look at a work tree stops counting as fresh, or an age changes. `None` if none of
/// these is pending.
pub fn next_change(state: &State, views: &[WorkspaceView], now: Timestamp) -> Option<Timestamp> {
    let armed = state.guard.arms_at(now).filter(|_| state.dialog.is_some());
    // A running action shows its seconds to whoever waits for it; at rest no seconds are shown.
    let is_leaving = matches!(state.dialog, Some(Dialog::Leave(_)));
    let shown = views.iter().filter(|view| is_leaving || state.selected.as_ref() == Some(&view.id));
    let actions = shown.filter_map(|view| view.actions.running.as_ref());
    let second =
        actions.map(|action| now.plus_millis(1_000 - now.millis_since(action.since).rem_euclid(1_000)));
    let looked = next_end_of_look(state, views, now);
    armed.into_iter().chain(second).chain(looked).chain(next_age_change(state, views, now)).min()
}

/// When the next displayed look at a work tree stops counting as fresh. Rounded, so that looks made together
/// cost only one frame.
fn next_end_of_look(state: &State, views: &[WorkspaceView], now: Timestamp) -> Option<Timestamp> {
    let detail = selected(state, views).filter(|view| view.git.is_some());
    let rows = views.iter().filter(|view| row::rests_on_clean_tree(view));
    let ends = rows.chain(detail).filter_map(|view| Some(view.reading.tree_at?.plus_millis(FRESH_MS)));
    let end = ends.filter(|end| *end > now).min()?;
    Some(end.plus_millis(FRESH_MS - 1 - (end.0 - 1).rem_euclid(FRESH_MS)))
}

/// When the next displayed age changes, rounded up to a whole minute; `None` if no age is shown. Thanks to the
/// rounding, a screen at rest is drawn at most once a minute, however many workspaces there are.
fn next_age_change(state: &State, views: &[WorkspaceView], now: Timestamp) -> Option<Timestamp> {
    let looks =
        views.iter().filter(|view| row::rests_on_clean_tree(view)).filter_map(|view| view.reading.tree_at);
    let rows = views.iter().filter_map(sessions::moment).chain(looks);
    let detail = selected(state, views);
    let change =
        rows.chain(detail.into_iter().flat_map(detail_moments)).map(|at| change_after(now, at)).min()?;
    let beyond = change.0.rem_euclid(MINUTE);
    Some(if beyond == 0 { change } else { change.plus_millis(MINUTE - beyond) })
}

fn selected<'a>(state: &State, views: &'a [WorkspaceView]) -> Option<&'a WorkspaceView> {
    views.iter().find(|view| state.selected.as_ref() == Some(&view.id))
}

/// The times whose ages the detail of a workspace shows.
fn detail_moments(view: &WorkspaceView) -> Vec<Timestamp> {
    let parts = view.verdict.iter().flat_map(|verdict| &verdict.parts);
    let commits = view.git.iter().flat_map(|git| &git.commits.newest);
    let mut moments: Vec<Timestamp> = parts.filter_map(|part| part.evidence.said_at()).collect();
    moments.extend(commits.map(|commit| commit.at));
    moments.extend(view.last_words.as_ref().and_then(|words| words.at));
    moments.extend(view.activity.since);
    moments.extend(sessions::judged_moment(view));
    moments.extend(view.sessions.iter().filter_map(|session| sessions::since(session)));
    let subagents = view.sessions.first().into_iter().flat_map(|session| &session.subagents);
    moments.extend(subagents.filter_map(|subagent| subagent.moved_at));
    moments.extend(view.reading.taken_at);
    moments.extend(view.reading.tree_at);
    let attempts = view.actions.smart_check.iter().flat_map(|report| &report.attempts);
    moments.extend(attempts.map(|attempt| attempt.began_at));
    moments.extend(view.actions.smart_check.as_ref().map(|report| report.at));
    moments.extend(view.actions.verified.as_ref().map(|report| report.at));
    moments.extend(view.actions.answering.iter().map(|turn| turn.since));
    moments.extend(view.actions.held.iter().map(|held| held.held_at));
    moments.extend(view.actions.receipts.iter().map(|receipt| receipt.sent_at));
    moments.extend(view.actions.timeline.iter().map(|entry| entry.at));
    moments.extend(view.actions.history.iter().map(|entry| entry.at));
    moments
}

/// When the text for the age of `at` changes.
fn change_after(now: Timestamp, at: Timestamp) -> Timestamp {
    let millis = now.millis_since(at);
    let unit = match millis {
        YEAR.. => YEAR,
        DAY.. => DAY,
        HOUR.. => HOUR,
        _ => MINUTE,
    };
    let n_units = millis.max(0) / unit;
    at.plus_millis((n_units + 1).saturating_mul(unit))
}

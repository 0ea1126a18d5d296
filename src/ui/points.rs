//! The open points of the selected workspace: moving among them, marking them, and what is sent back.

use ratatui::layout::Rect;

use super::detail;
use super::detail::left::LeftLines;
use super::state::State;
use super::steps::{Motion, scrolled_to};
use crate::model::{OpenPoint, SessionName, WorkspaceView};
use crate::present::left;

/// Moves the cursor; false if there is no point, so that the lines scroll instead.
pub(super) fn take_step(state: &mut State, left: &LeftLines, area: Rect, step: Motion) -> bool {
    let n_points = left.starts.len();
    if n_points == 0 {
        return false;
    }
    let n_shown = usize::from(area.height);
    let at = step.go(state.points.cursor.min(n_points - 1), n_points, n_shown);
    state.points.cursor = at;
    let last = left.starts.get(at + 1).map_or(left.lines.len(), |next| *next).saturating_sub(1);
    let top = scrolled_to(state.detail_top, last, left.lines.len(), n_shown);
    // With the first point, the lines above it become visible too.
    state.detail_top = if at == 0 { 0 } else { top.min(left.starts[at]) };
    true
}

pub(super) fn at_cursor<'a>(state: &State, view: &'a WorkspaceView) -> Option<&'a OpenPoint> {
    let points = detail::left::points(view);
    points.get(state.points.cursor.min(points.len().saturating_sub(1))).copied()
}

/// Toggles the mark of the point under the cursor and moves to the next point.
pub(super) fn tick(state: &mut State, view: &WorkspaceView) {
    let points = detail::left::points(view);
    let at = state.points.cursor.min(points.len().saturating_sub(1));
    let Some(point) = points.get(at).filter(|point| is_for_agent(point)) else { return };
    match state.points.ids.iter().position(|id| *id == point.id) {
        Some(marked) => drop(state.points.ids.remove(marked)),
        None => state.points.ids.push(point.id.clone()),
    }
    state.points.cursor = (at + 1).min(points.len() - 1);
}

fn is_for_agent(point: &OpenPoint) -> bool {
    point.is_open() && point.is_for_agent()
}

/// The message that sends points back, and the session it goes to if the points name one. The points are the
/// marked ones, or else all that keep the work from being COMPLETE. `None` if none of them is for an agent.
pub(super) fn to_send(state: &State, view: &WorkspaceView) -> Option<(Option<SessionName>, String)> {
    let points = detail::left::points(view);
    let is_marked = |point: &OpenPoint| state.points.ids.contains(&point.id);
    let is_any_marked = points.iter().any(|point| is_marked(point) && is_for_agent(point));
    let is_chosen = |point: &OpenPoint| if is_any_marked { is_marked(point) } else { point.weighs };
    let mut chosen: Vec<&OpenPoint> =
        points.into_iter().filter(|point| is_for_agent(point) && is_chosen(point)).collect();
    // Points that belong to another session are not sent to this one.
    let session = chosen.iter().find_map(|point| point.session.clone());
    chosen.retain(|point| point.session.is_none() || point.session == session);
    (!chosen.is_empty()).then(|| (session, left::message(&chosen)))
}

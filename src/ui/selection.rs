//! Selects workspaces, by steps among the rows that the filter shows.
//!
//! Called only by `update`.

use super::areas::Areas;
use super::list_rows::ListRows;
use super::state::{Focus, Points, State};
use crate::model::WorkspaceView;
use crate::present::{Urgency, section_of};

pub(super) fn select_next_waiting(state: &mut State, views: &[WorkspaceView]) {
    let rows = ListRows::of(state, views);
    let from = rows.selected(state, views).map_or(0, |row| row + 1);
    let next = (0..rows.len())
        .map(|step| (from + step) % rows.len())
        .find(|&row| section_of(&views[rows.positions[row]], None).waits_for_person());
    if let Some(row) = next {
        select_row(state, views, &rows, row);
    }
}

pub(super) fn select_around(state: &mut State, views: &[WorkspaceView], by: isize) {
    let rows = ListRows::of(state, views);
    let from = rows.selected(state, views).unwrap_or(0);
    let next = if by < 0 { from.checked_sub(1) } else { Some(from + 1).filter(|row| *row < rows.len()) };
    let around = if by < 0 { rows.len().saturating_sub(1) } else { 0 };
    select_row(state, views, &rows, next.unwrap_or(around));
}

pub(super) fn select_row(state: &mut State, views: &[WorkspaceView], rows: &ListRows, row: usize) {
    let Some(view) = rows.positions.get(row).map(|&position| &views[position]) else { return };
    if state.selected.as_ref() == Some(&view.id) {
        return;
    }
    state.selected = Some(view.id.clone());
    state.detail_top = 0;
    state.points = Points::default();
    state.holds_place = Urgency::of(view) == Urgency::Unseen;
}

/// Adjusts selection and scrolling to what is visible.
pub(super) fn settle(state: &mut State, views: &[WorkspaceView]) {
    let rows = ListRows::of(state, views);
    if rows.selected(state, views).is_none() {
        select_row(state, views, &rows, 0);
    }
    if views.is_empty() {
        state.selected = None;
        state.focus = Focus::List;
        (state.is_zoomed, state.is_full) = (false, false);
    }
    let areas = Areas::of(state, &rows, !views.is_empty());
    state.list_top = areas.map_or(0, |areas| rows.top(state, views, areas.list_shape()));
}

/// The position in `views` of the selected workspace, if the filter shows it.
pub(super) fn selected_row(state: &State, views: &[WorkspaceView]) -> Option<usize> {
    let rows = ListRows::of(state, views);
    rows.selected(state, views).map(|row| rows.positions[row])
}

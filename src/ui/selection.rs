//! Which workspace is selected, by steps among the rows that the filter shows.
//!
//! Called by `update` only.

use super::areas::Areas;
use super::filter;
use super::input::{KeyCode, KeyPress};
use super::state::{Focus, State};
use super::steps::scrolled_to;
use crate::model::WorkspaceView;
use crate::present::Urgency;

pub(super) fn jump(state: &mut State, views: &[WorkspaceView], press: KeyPress) {
    let KeyCode::Char(sign) = press.folded().code else { return };
    let Some(number) = sign.to_digit(10).and_then(|digit| usize::try_from(digit).ok()) else { return };
    let rows = filter::rows(state, views);
    if (1..=rows.len()).contains(&number) {
        select_row(state, views, &rows, number - 1);
    }
}

pub(super) fn select_next_waiting(state: &mut State, views: &[WorkspaceView]) {
    let rows = filter::rows(state, views);
    let from = selected_in(state, views, &rows).map_or(0, |row| row + 1);
    let next = (0..rows.len())
        .map(|step| (from + step) % rows.len())
        .find(|&row| Urgency::of(&views[rows[row]]).waits_for_person());
    if let Some(row) = next {
        select_row(state, views, &rows, row);
    }
}

pub(super) fn select_around(state: &mut State, views: &[WorkspaceView], by: isize) {
    let rows = filter::rows(state, views);
    let from = selected_in(state, views, &rows).unwrap_or(0);
    let next = if by < 0 { from.checked_sub(1) } else { Some(from + 1).filter(|row| *row < rows.len()) };
    let around = if by < 0 { rows.len().saturating_sub(1) } else { 0 };
    select_row(state, views, &rows, next.unwrap_or(around));
}

pub(super) fn select_row(state: &mut State, views: &[WorkspaceView], rows: &[usize], row: usize) {
    let Some(view) = rows.get(row).map(|&position| &views[position]) else { return };
    if state.selected.as_ref() == Some(&view.id) {
        return;
    }
    state.selected = Some(view.id.clone());
    state.detail_top = 0;
    state.holds_place = Urgency::of(view) == Urgency::Unseen;
}

/// Brings selection and scrolling in line with what there is to be seen.
pub(super) fn settle(state: &mut State, views: &[WorkspaceView]) {
    let rows = filter::rows(state, views);
    if selected_in(state, views, &rows).is_none() {
        select_row(state, views, &rows, 0);
    }
    if views.is_empty() {
        state.selected = None;
        state.focus = Focus::List;
        state.is_zoomed = false;
    }
    let n_shown = Areas::of(state, rows.len(), !views.is_empty()).map_or(1, |areas| areas.n_list_rows());
    let selected = selected_in(state, views, &rows).unwrap_or(0);
    state.list_top = scrolled_to(state.list_top, selected, rows.len(), n_shown);
}

/// The position in `views` of the selected workspace, if the filter shows it.
pub(super) fn selected_row(state: &State, views: &[WorkspaceView]) -> Option<usize> {
    let rows = filter::rows(state, views);
    selected_in(state, views, &rows).map(|row| rows[row])
}

/// The position in `rows` of the selected workspace.
pub(super) fn selected_in(state: &State, views: &[WorkspaceView], rows: &[usize]) -> Option<usize> {
    let selected = state.selected.as_ref()?;
    rows.iter().position(|&position| views[position].id == *selected)
}

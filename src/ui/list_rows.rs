//! Determines the rows of the list: what the filter lets through, what is folded away, which lines show them.
//!
//! Draws nothing. A folded row stays reachable: the filter finds it, and it stays visible while selected.

use super::filter;
use super::state::State;
use super::steps::scrolled_to;
use crate::model::WorkspaceView;
use crate::present::{Section, section_of};

/// If a list cannot show all rows, one in this many lines is reserved for work in progress.
const PIN_SHARE: usize = 4;

/// The rows of the list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct ListRows {
    /// Their positions in the views, in the order of the list.
    pub(super) positions: Vec<usize>,
    /// Each section with the index of its first row, in order; empty while a filter ranks the rows.
    pub(super) sections: Vec<(Section, usize)>,
    /// How many finished rows are folded away.
    pub(super) n_finished: usize,
    /// How many quiet rows are folded away.
    pub(super) n_quiet: usize,
}

/// How the list is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ListShape {
    /// How many rows fit on the screen.
    pub(super) n_shown: usize,
    /// Lines per row.
    pub(super) row_height: u16,
    /// Whether every section has a heading; all rows are visible then.
    pub(super) has_headings: bool,
}

/// One entry of the list as shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Entry {
    /// The heading of a section, with its number of rows.
    Heading(Section, usize),
    /// A row, by its index among the rows.
    Row(usize),
}

impl ListRows {
    pub(super) fn of(state: &State, views: &[WorkspaceView]) -> ListRows {
        let matching = filter::matching(state, views);
        if !state.filter.text.trim().is_empty() {
            return ListRows { positions: matching, ..ListRows::default() };
        }
        let section = |position: usize| section_of(&views[position], state.held());
        let is_any_open = matching.iter().any(|position| !section(*position).is_folded());
        let mut rows = ListRows::default();
        for position in matching {
            let section = section(position);
            let is_selected = state.selected.as_ref() == Some(&views[position].id);
            if section.is_folded() && is_any_open && !state.is_unfolded && !is_selected {
                let count = if section == Section::Quiet { &mut rows.n_quiet } else { &mut rows.n_finished };
                *count += 1;
                continue;
            }
            if rows.sections.last().is_none_or(|(last, _)| *last != section) {
                rows.sections.push((section, rows.positions.len()));
            }
            rows.positions.push(position);
        }
        rows
    }

    /// The index of the selected workspace among the rows.
    pub(super) fn selected(&self, state: &State, views: &[WorkspaceView]) -> Option<usize> {
        let selected = state.selected.as_ref()?;
        self.positions.iter().position(|&position| views[position].id == *selected)
    }

    pub(super) fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether a line below the list tells what is folded away, or how to fold it again.
    pub(super) fn has_fold(&self, state: &State) -> bool {
        self.n_finished + self.n_quiet > 0 || state.is_unfolded || state.is_older_shown || state.n_older > 0
    }

    /// Whether headings add information: there is more than one section.
    pub(super) fn has_headings(&self) -> bool {
        self.sections.len() > 1
    }

    /// The lines of all rows including their headings.
    pub(super) fn n_lines(&self, row_height: u16) -> u16 {
        let n_lines = self.positions.len() * usize::from(row_height) + self.sections.len();
        u16::try_from(n_lines).unwrap_or(u16::MAX)
    }

    fn is_at_work(&self, row: usize) -> bool {
        let begun = self.sections.iter().rev().find(|(_, first)| *first <= row);
        begun.is_some_and(|(section, _)| *section == Section::AtWork)
    }

    /// How many lines are reserved for work in progress if not all rows fit into `n_shown`.
    fn n_pinned(&self, n_shown: usize) -> usize {
        if self.len() <= n_shown {
            return 0;
        }
        let n_working = (0..self.len()).filter(|row| self.is_at_work(*row)).count();
        n_working.min(n_shown / PIN_SHARE)
    }

    /// The first row to show so that the selected one is visible.
    pub(super) fn top(&self, state: &State, views: &[WorkspaceView], shape: ListShape) -> usize {
        let n_shown = shape.n_shown;
        if shape.has_headings {
            return 0;
        }
        let selected = self.selected(state, views).unwrap_or(0);
        scrolled_to(state.list_top, selected, self.len(), n_shown - self.n_pinned(n_shown))
    }

    /// The visible entries from `top` on, each with its first line. Work in progress stays visible even if the
    /// list is scrolled: its first rows take the last lines.
    pub(super) fn entries(&self, top: usize, shape: ListShape) -> Vec<(u16, Entry)> {
        let n_shown = shape.n_shown;
        let shown: Vec<usize> = if shape.has_headings {
            (0..self.len()).collect()
        } else {
            let whole = top..(top + n_shown).min(self.len());
            let pinned = (0..self.len()).filter(|row| self.is_at_work(*row)).take(self.n_pinned(n_shown));
            let pinned: Vec<usize> = pinned.collect();
            if pinned.iter().all(|row| whole.contains(row)) {
                whole.collect()
            } else {
                let window = top..(top + n_shown - pinned.len()).min(self.len());
                let beside: Vec<usize> = pinned.into_iter().filter(|row| !window.contains(row)).collect();
                window.chain(beside).collect()
            }
        };
        let mut entries = Vec::with_capacity(shown.len());
        let mut y = 0;
        for row in shown {
            let heading = self.sections.iter().position(|(_, first)| *first == row);
            if let Some(at) = heading.filter(|_| shape.has_headings) {
                let end = self.sections.get(at + 1).map_or(self.len(), |(_, first)| *first);
                entries.push((y, Entry::Heading(self.sections[at].0, end - row)));
                y += 1;
            }
            entries.push((y, Entry::Row(row)));
            y += shape.row_height;
        }
        entries
    }
}

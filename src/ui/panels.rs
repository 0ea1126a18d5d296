//! Which panel the keys act on, and how much of the screen it has: tabs, zoom, and what is folded away.
//!
//! Called only by `update`.

use ratatui::buffer::Buffer;

use super::input::{KeyCode, KeyPress, Reaction};
use super::list_rows::ListRows;
use super::look::{Look, Sign};
use super::selection::selected_row;
use super::state::{Focus, State};
use super::tabs::Tab;
use crate::model::{Intent, WorkspaceView, display_text};

/// Unfolds one more part: first the finished and quiet rows, then the workspaces that have only old sessions.
/// After that it folds both again.
pub(super) fn unfold(state: &mut State, views: &[WorkspaceView], reaction: &mut Reaction) {
    let rows = ListRows::of(state, views);
    if rows.n_finished + rows.n_quiet > 0 {
        state.is_unfolded = true;
        return;
    }
    if !state.is_older_shown && state.n_older > 0 {
        state.is_older_shown = true;
    } else {
        state.is_unfolded = false;
        if !std::mem::take(&mut state.is_older_shown) {
            return;
        }
    }
    reaction.intents.push(Intent::ShowOlder { is_shown: state.is_older_shown });
}

pub(super) fn close_detail(state: &mut State) {
    state.focus = Focus::List;
    state.is_zoomed = false;
    state.is_full = false;
}

/// Shows a tab and moves the keys there.
pub(super) fn show_tab(state: &mut State, views: &[WorkspaceView], press: KeyPress) {
    let KeyCode::Char(sign) = press.folded().code else { return };
    let Some(tab) = Tab::of_digit(sign).filter(|_| selected_row(state, views).is_some()) else { return };
    if tab != state.tab {
        state.detail_top = 0;
    }
    state.tab = tab;
    state.focus = Focus::Detail;
}

pub(super) fn zoom(state: &mut State, views: &[WorkspaceView]) {
    if state.is_full {
        (state.is_full, state.is_zoomed) = (false, false);
    } else if selected_row(state, views).is_some() {
        state.is_full = true;
        state.focus = Focus::Detail;
    }
}

pub(super) fn open(state: &mut State, views: &[WorkspaceView]) {
    if selected_row(state, views).is_some() {
        state.focus = Focus::Detail;
        state.is_zoomed = true;
    }
}

pub(super) fn switch_focus(state: &mut State) {
    (state.is_zoomed, state.is_full) = (false, false);
    state.focus = match state.focus {
        Focus::List => Focus::Detail,
        Focus::Detail => Focus::List,
    };
}

/// Replaces every unsafe cell.
pub(super) fn sweep(buffer: &mut Buffer, look: Look) {
    for cell in &mut buffer.content {
        if cell.symbol().chars().any(display_text::is_unsafe) {
            cell.set_symbol(look.sign(Sign::Replacement));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;

    #[test]
    fn what_a_panel_forgot_to_clean_is_replaced() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 4, 1));
        for (x, symbol) in ["a", "\u{1b}]52;c;aGk=\u{7}", "\u{202E}", "日"].into_iter().enumerate() {
            buffer.content[x].set_symbol(symbol);
        }
        sweep(&mut buffer, Look::colour());
        let symbols: Vec<&str> = buffer.content.iter().map(ratatui::buffer::Cell::symbol).collect();
        assert_eq!(symbols, ["a", "\u{FFFD}", "\u{FFFD}", "日"]);
    }
}

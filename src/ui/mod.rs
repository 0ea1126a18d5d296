//! The screen: turns state and input into intents, and workspace views and state into a frame.
//!
//! Pure: no terminal, clock, disk or lock. The same state, views, size and time give the same frame. Of the
//! rest of the program it knows `model` and `present`.
//!
//! A front owns the terminal. It converts terminal input to [`Input`] and passes it to [`update()`]. It sorts
//! new views with [`crate::present::order`] and passes them to [`views_changed`]. After any news it sorts again
//! and calls [`draw`], and once more at the time that [`next_change()`] names. It reports the time with
//! [`on_input`] before each key and with [`on_frame`] after each frame; the engine's answers go to [`on_response`].
//!
//! Each panel has a file ([`draw`] calls them), the keys have one (`keymap`), and so have signs and colours
//! (`look`); facts are worded by `present`, and what a panel or a dialog says of itself stands in its file. Text from agents and repositories passes through `text`, and a final
//! sweep over the finished frame makes sure that nothing slipped by (SECURITY.md 1.1).

mod action_hints;
mod actions;
mod areas;
mod detail;
pub mod dialog;
mod filter;
mod footer;
mod header;
mod help;
mod input;
pub mod keymap;
mod list;
mod list_rows;
mod look;
mod markdown;
mod markdown_table;
mod next_change;
mod notice;
mod open_dialog;
mod panels;
mod points;
mod reflow;
mod reports;
mod selection;
mod sheet;
mod state;
mod steps;
mod tabs;
mod text;
mod text_area;
mod update;

use ratatui::Frame;

use crate::model::{Timestamp, WorkspaceView};
use areas::Areas;
use list_rows::ListRows;

pub use dialog::{Dialog, Guard};
pub use input::{Edited, Input, KeyCode, KeyPress, Mouse, MouseKind, Reaction, Size};
pub use look::{Look, SignSet};
pub use next_change::next_change;
pub use state::{DetailLength, Filter, Focus, Page, Points, SelectionMode, State};
pub use tabs::Tab;
pub use text_area::MAX_BYTES as MAX_TEXT_BYTES;
pub use update::{on_frame, on_input, on_response, update, views_changed};

/// Draws the whole screen. `views` are in the order of [`crate::present::order`]. The front keeps the returned
/// length of the detail in the state.
pub fn draw(
    frame: &mut Frame<'_>,
    state: &State,
    views: &[WorkspaceView],
    now: Timestamp,
) -> Option<DetailLength> {
    // The terminal may have been resized since the last input reported its size.
    let area = frame.area();
    let state = &State { size: Size { width: area.width, height: area.height }, ..state.clone() };
    let rows = ListRows::of(state, views);
    let Some(areas) = Areas::of(state, &rows, !views.is_empty()) else {
        notice::draw_too_small(frame.buffer_mut(), state);
        return None;
    };
    let buffer = frame.buffer_mut();
    header::draw(buffer, &areas, state, views, &rows);
    let length = if let Some(page) = areas.page {
        match state.page {
            Page::Help => help::draw(buffer, page, state),
            Page::None => notice::draw_without_workspaces(buffer, page, state),
        }
        None
    } else {
        list::draw(buffer, &areas, state, views, &rows, now);
        detail::draw(buffer, &areas, state, views, &rows, now)
    };
    let selected = rows.selected(state, views).map(|row| &views[rows.positions[row]]);
    let cursor = match open_dialog::draw(buffer, state, views, now) {
        Some((cursor, hints)) => {
            footer::draw_hints(buffer, areas.footer, state, &hints);
            cursor
        }
        None => footer::draw(buffer, areas.footer, state, &areas, selected),
    };
    notice::draw_answer(buffer, areas.footer, state);
    panels::sweep(buffer, state.look);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
    length
}

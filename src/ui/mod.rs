//! The screen: state + input to intents, and workspace views + state to a frame.
//!
//! Pure: no terminal, clock, disk or lock. A front owns the terminal; it converts what comes from it
//! to [`Input`] and gives it to [`update()`]; it sorts new views by [`order`] and gives them to
//! [`views_changed`]; it sorts anew and calls [`draw`] when something came, and once more when
//! the time of [`next_change`] has come. Before each key it says the time with [`on_input`], after each frame
//! with [`on_frame`]; answers of the engine go to [`told`]. Same state, views, size and time: same frame. The model is all that the screen knows of the rest of the program.
//!
//! One file a panel ([`draw`] calls them), one for the keys (`keymap`), one for signs and colours
//! (`look`), one for words (`words`). Text of agents and repositories passes `text`, and a last sweep
//! over the finished frame holds that nothing slipped by (SECURITY.md 1.1).

mod action_words;
mod actions;
mod age;
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
mod look;
mod markdown;
mod markdown_table;
mod notice;
mod reflow;
mod reports;
mod selection;
mod sessions;
mod sheet;
mod state;
mod steps;
mod sweep;
mod text;
mod text_area;
mod update;
mod urgency;
mod words;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

pub use age::next_change;
pub use dialog::{Dialog, Guard};
pub use input::{Edited, Input, KeyCode, KeyPress, Mouse, MouseKind, Size};
pub use look::{Look, SignSet};
pub use sessions::{doing, told_by};
pub use state::{Filter, Focus, Page, SelectionMode, State};
pub use text_area::MAX_BYTES as MAX_TEXT_BYTES;
pub use update::{Reaction, on_frame, on_input, told, update, views_changed};
pub use urgency::{Urgency, order};

use crate::model::{Timestamp, WorkspaceView};
use areas::Areas;
use look::{Sign, TextStyle};

/// Draws the whole screen. `views` are in the order of [`order`].
pub fn draw(frame: &mut Frame<'_>, state: &State, views: &[WorkspaceView], now: Timestamp) {
    // The terminal may have another size by now than the last input said.
    let area = frame.area();
    let state = &State { size: Size { width: area.width, height: area.height }, ..state.clone() };
    let rows = filter::rows(state, views);
    let Some(areas) = Areas::of(state, rows.len(), !views.is_empty()) else {
        notice::draw_too_small(frame.buffer_mut(), state);
        return;
    };
    let buffer = frame.buffer_mut();
    header::draw(buffer, &areas, state, views, &rows);
    if let Some(page) = areas.page {
        match state.page {
            Page::Help => help::draw(buffer, page, state),
            Page::None => notice::draw_without_workspaces(buffer, page, state),
        }
    } else {
        list::draw(buffer, &areas, state, views, &rows, now);
        detail::draw(buffer, &areas, state, views, &rows, now);
    }
    let selected = selection::selected_in(state, views, &rows).map(|row| &views[rows[row]]);
    let cursor = match dialog::draw(buffer, state, views, now) {
        Some((cursor, hints)) => {
            footer::draw_hints(buffer, areas.footer, state, &hints);
            cursor
        }
        None => footer::draw(buffer, areas.footer, state, &areas, selected),
    };
    notice::draw_answer(buffer, state);
    sweep::sweep(buffer, state.look);
    if let Some(cursor) = cursor {
        frame.set_cursor_position(cursor);
    }
}

/// Puts lines into an area, from its top; what has no room is left out.
fn put(buffer: &mut Buffer, area: Rect, lines: impl IntoIterator<Item = Line<'static>>) {
    let area = area.intersection(buffer.area);
    for (y, line) in (area.top()..area.bottom()).zip(lines) {
        buffer.set_line(area.x, y, &line, area.width);
    }
}

/// Draws a rule over the whole width of an area, with a title on the left and a remark on the right.
fn put_rule(buffer: &mut Buffer, area: Rect, title: &str, title_tone: TextStyle, remark: &str, look: Look) {
    use ratatui::text::Span;
    let rule = look.sign(Sign::Rule);
    let width = usize::from(area.width);
    let remark = if remark.is_empty() { String::new() } else { format!(" {remark} ") };
    let remark = if text::width(&remark) + 12 > width { String::new() } else { remark };
    let room = width.saturating_sub(text::width(&remark) + 6);
    let title = if title.is_empty() { String::new() } else { format!(" {} ", text::cut(title, room, look)) };
    let n_left = 2.min(width);
    let n_right = if remark.is_empty() { 0 } else { 2 };
    let n_fill = width.saturating_sub(n_left + text::width(&title) + text::width(&remark) + n_right);
    let faint = look.style(TextStyle::Faint);
    put(
        buffer,
        area,
        [Line::from(vec![
            Span::styled(rule.repeat(n_left), faint),
            Span::styled(title, look.style(title_tone)),
            Span::styled(rule.repeat(n_fill), faint),
            Span::styled(remark, faint),
            Span::styled(rule.repeat(n_right), faint),
        ])],
    );
}

//! The detail: everything known of the selected workspace, as one column of lines that scrolls.
//!
//! First what a person has to know and do, then every source, then what the sources speak of. How
//! many lines there are does not depend on the time: what has an age in it is cut, never wrapped.

mod actions;
pub(super) mod checklist;
mod evidence;
mod git;
mod last_words;
mod sessions;
mod verdict;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::areas::Areas;
use super::list_rows::ListRows;
use super::look::{Look, TextStyle};
use super::selection::selected_in;
use super::sheet::TextLayout;
use super::state::{Focus, State};
use super::text;
use crate::model::{Timestamp, WorkspaceView};
use crate::ui::sheet::{put, put_rule};

/// Longer lines than this are hard to read, and ages would stand far from what they belong to.
const MAX_WIDTH: usize = 100;

/// Draws the detail and its title.
pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &ListRows,
    now: Timestamp,
) {
    let (Some(area), Some(title)) = (areas.detail, areas.detail_title) else { return };
    let style = if state.focus == Focus::Detail { TextStyle::Strong } else { TextStyle::Plain };
    let Some(view) = selected_in(state, views, rows).map(|row| &views[rows.positions[row]]) else {
        put_rule(buffer, title, "", style, "", state.look);
        return;
    };
    let lines = lines(view, sheet(state.look, area.width, now));
    let n_shown = usize::from(area.height);
    let top = state.detail_top.min(lines.len().saturating_sub(n_shown));
    let remark = match lines.len() {
        n_lines if n_lines <= n_shown => String::new(),
        n_lines => format!("{}-{} of {n_lines}", top + 1, top + n_shown),
    };
    put_rule(buffer, title, &text::line(&view.name), style, &remark, state.look);
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    put(buffer, inner, lines.into_iter().skip(top));
}

/// How many lines the detail of a workspace has in an area of this width.
pub(super) fn n_lines(state: &State, view: &WorkspaceView, width: u16) -> usize {
    lines(view, sheet(state.look, width, state.guard.now())).len()
}

fn sheet(look: Look, width: u16, now: Timestamp) -> TextLayout {
    TextLayout { width: usize::from(width.saturating_sub(2)).min(MAX_WIDTH), look, now }
}

fn lines(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = verdict::lines(view, sheet);
    lines.extend(actions::running(view, sheet));
    lines.extend(sessions::lines(view, sheet));
    lines.extend(actions::receipts(view, sheet));
    lines.extend(actions::reports(view, sheet));
    lines.extend(evidence::lines(view, sheet));
    lines.extend(checklist::lines(view, sheet));
    lines.extend(last_words::lines(view, sheet));
    lines.extend(git::lines(view, sheet));
    lines.extend(actions::history(view, sheet));
    lines.extend(about(view, sheet));
    lines
}

/// Which workspace this is.
fn about(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading("Workspace", "").to_vec();
    lines.extend(sheet.labelled("path", &text::line(&view.id.to_string())));
    lines.extend(sheet.labelled("task kind", view.task_kind.name()));
    for chosen in &view.chosen {
        let counts = if chosen.counts { "counts" } else { "does not count: it is not so in the baseline" };
        lines.extend(sheet.labelled("own file", &format!("{} {counts}", chosen.key)));
    }
    if let Some(agent) = &view.agent {
        let model = view.model.iter().map(|model| text::line(model));
        let agent: Vec<String> = std::iter::once(text::line(agent)).chain(model).collect();
        lines.extend(sheet.labelled("agent", &agent.join(sheet.look.dot())));
    }
    if let Some(prompt) = &view.prompt {
        lines.extend(sheet.labelled("task", &text::line(prompt)));
    }
    lines
}

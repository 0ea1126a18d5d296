//! What the screen says when it has no workspace to show: too small, looking, none found.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::look::Tone;
use super::state::State;
use super::{put, text};

/// Draws on a screen that is too small for panels.
pub(super) fn draw_too_small(buffer: &mut Buffer, state: &State) {
    let area = buffer.area;
    let size = format!("too small: {}x{}", area.width, area.height);
    let lines = [Span::styled("closeout", state.look.style(Tone::Strong)), Span::raw(size)];
    let max = usize::from(area.width);
    put(buffer, area, lines.map(|span| text::cut_line(Line::from(span), max, state.look)));
}

/// Draws where list and detail would be.
pub(super) fn draw_without_workspaces(buffer: &mut Buffer, area: Rect, state: &State) {
    let look = state.look;
    let sentences: &[(Tone, &str)] = if state.is_loaded {
        &[
            (Tone::Strong, "No workspaces here."),
            (Tone::Plain, ""),
            (Tone::Plain, "Start closeout in a git repository: each of its worktrees becomes a row."),
            (Tone::Plain, "Or name the directories:  closeout PATH…"),
        ]
    } else {
        &[(Tone::Faint, "Looking for workspaces …")]
    };
    let width = usize::from(area.width).saturating_sub(6).min(76);
    let mut lines = Vec::new();
    for (tone, sentence) in sentences {
        lines.extend(text::wrap_text(&look.spelled(sentence), look.style(*tone), width, 0));
    }
    let n_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let y = area.y + area.height.saturating_sub(n_lines) / 3;
    let height = area.bottom().saturating_sub(y);
    put(buffer, Rect { x: area.x + 3, y, width: area.width.saturating_sub(3), height }, lines);
}

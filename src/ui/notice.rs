//! What the screen says if it has no workspace to show: too small, looking, none found.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::areas::{MIN_HEIGHT, MIN_WIDTH};
use super::keymap::{KeyCommand, key_of};
use super::look::TextStyle;
use super::state::State;
use super::text;
use crate::present::counts;
use crate::present::phrases::notice as say;
use crate::ui::sheet::{put, put_rule};

pub(super) fn draw_too_small(buffer: &mut Buffer, state: &State) {
    let area = buffer.area;
    let size = say::too_small(format!("{}x{}", area.width, area.height), format!("{MIN_WIDTH}x{MIN_HEIGHT}"));
    let lines = [Span::styled("closeout", state.look.style(TextStyle::Strong)), Span::raw(size)];
    let max = usize::from(area.width);
    put(buffer, area, lines.map(|span| text::cut_line(Line::from(span), max, state.look)));
}

/// Draws in place of list and detail.
pub(super) fn draw_without_workspaces(buffer: &mut Buffer, area: Rect, state: &State) {
    let look = state.look;
    let sentences: &[(TextStyle, &str)] = if state.is_loaded {
        &[
            (TextStyle::Strong, say::no_workspaces()),
            (TextStyle::Plain, ""),
            (TextStyle::Plain, say::start_in_a_repository()),
            (TextStyle::Plain, say::name_directories()),
        ]
    } else {
        &[(TextStyle::Faint, say::looking())]
    };
    let width = usize::from(area.width).saturating_sub(6).min(76);
    let mut lines = Vec::new();
    for (style, sentence) in sentences {
        lines.extend(text::wrap_text(&look.spelled(sentence), look.style(*style), width, 0));
    }
    if let Some(older) = folded(state, 0, 0) {
        lines.push(Line::default());
        lines.push(Line::from(Span::styled(older, look.style(TextStyle::Faint))));
    }
    let n_lines = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let y = area.y + area.height.saturating_sub(n_lines) / 3;
    let height = area.bottom().saturating_sub(y);
    put(buffer, Rect { x: area.x + 3, y, width: area.width.saturating_sub(3), height }, lines);
}

/// The message about the rows and sessions that are folded away; `None` if there are none.
pub(super) fn folded(state: &State, n_finished: usize, n_quiet: usize) -> Option<String> {
    let key = key_of(KeyCommand::Unfold);
    let mut facts = Vec::new();
    facts.extend((n_finished > 0).then(|| say::finished(n_finished)));
    facts.extend((n_quiet > 0).then(|| say::quiet(n_quiet)));
    facts.extend((state.n_older > 0 && !state.is_older_shown).then(|| counts::older_sessions(state.n_older)));
    let is_more = !facts.is_empty();
    if !is_more {
        facts.extend((state.is_unfolded && !state.is_older_shown).then(|| say::all_shown().to_owned()));
        facts.extend(state.is_older_shown.then(|| say::older_shown().to_owned()));
    }
    if facts.is_empty() {
        return None;
    }
    facts.push(if is_more { say::shows(key) } else { say::folds(key) });
    Some(facts.join(state.look.dot()))
}

/// The most lines that an answer takes.
const MAX_ANSWER: usize = 6;

/// Draws the result of a command over the last lines of the body, where it stays long enough to be read and
/// copied. The hints below it stay in sight: the message often says to press a key.
pub(super) fn draw_answer(buffer: &mut Buffer, footer: Rect, state: &State) {
    let Some(answer) = &state.answer else { return };
    let width = usize::from(footer.width.saturating_sub(2));
    let style = state.look.style(TextStyle::Strong);
    let paragraphs = text::paragraphs(answer);
    let mut lines: Vec<Line<'static>> =
        paragraphs.flat_map(|paragraph| text::wrap_text(&paragraph, style, width.max(2), 1)).collect();
    lines.truncate(MAX_ANSWER.min(usize::from(footer.y.saturating_sub(1))));
    let height = u16::try_from(lines.len()).unwrap_or(u16::MAX);
    let place = Rect { y: footer.y - height, height, ..footer };
    for cell in place.positions() {
        buffer[cell].reset();
    }
    put(buffer, place, lines);
    let above = Rect { y: place.y.saturating_sub(1), height: 1, ..footer };
    put_rule(buffer, above, "", TextStyle::Plain, "", state.look);
}

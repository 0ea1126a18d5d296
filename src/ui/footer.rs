//! The last line: hints from the bindings in force, or the filter while it is typed.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use super::areas::Areas;
use super::keymap::{BINDINGS, Binding, FILTER_BINDINGS, Hint, KeyCommand, WorkspaceCommand};
use super::look::TextStyle;
use super::state::{Focus, Page, State};
use super::steps::Motion;
use super::{action_hints, text};
use crate::model::WorkspaceView;
use crate::present::sessions;
use crate::ui::sheet::put;

/// Draws the line; returns the cursor position, where an input method opens.
pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    state: &State,
    areas: &Areas,
    selected: Option<&WorkspaceView>,
) -> Option<Position> {
    let width = usize::from(area.width);
    let filter = state.filter_in_force();
    if !filter.is_editing {
        put(buffer, area, [all_hints(state, areas, selected, width)]);
        return None;
    }
    let look = state.look;
    let room = width.saturating_sub(24).max(8);
    let typed = end_of(&text::line(&filter.text), room);
    let n_typed = 2 + text::width(&typed);
    let mut line = Line::from(vec![
        Span::styled(" /", look.style(TextStyle::Strong)),
        Span::styled(typed, look.style(TextStyle::Strong)),
        Span::raw("  "),
    ]);
    line.spans.extend(hints(state, &hinted(FILTER_BINDINGS), false, width.saturating_sub(n_typed + 2)).spans);
    put(buffer, area, [line]);
    let column = u16::try_from(n_typed).unwrap_or(u16::MAX).min(area.width.saturating_sub(1));
    Some(Position::new(area.x + column, area.y))
}

fn has_pane(selected: Option<&WorkspaceView>) -> bool {
    selected.is_some_and(|view| sessions::with_pane(view).is_some())
}

pub(super) fn draw_hints(buffer: &mut Buffer, area: Rect, state: &State, hints: &[Hint]) {
    put(buffer, area, [line_of(state, hints, usize::from(area.width))]);
}

/// The end of a text, at most `max` cells, so that what is being typed stays visible.
fn end_of(text: &str, max: usize) -> String {
    let mut start = 0;
    while text::width(&text[start..]) > max {
        start += text[start..].chars().next().map_or(1, char::len_utf8);
    }
    text[start..].to_owned()
}

fn hinted(table: &'static [Binding]) -> Vec<&'static Binding> {
    table.iter().filter(|binding| binding.hint.is_some()).collect()
}

/// The bindings that apply here, the one that leads back first.
fn in_force(
    state: &State,
    areas: &Areas,
    selected: Option<&WorkspaceView>,
    has_pane: bool,
) -> Vec<&'static Binding> {
    let is_meant = |binding: &Binding| match (state.page, areas.page) {
        (Page::Help, _) => {
            matches!(binding.command, KeyCommand::Move(Motion::By(_)) | KeyCommand::Filter)
        }
        (Page::None, Some(_)) => false,
        // Without a pane, Enter itself opens the detail, so the second key for that needs no hint.
        (Page::None, None) if binding.command == KeyCommand::Tick => state.is_among_points(),
        (Page::None, None) if binding.command == KeyCommand::Open => has_pane && state.focus == Focus::List,
        (Page::None, None) if binding.command == KeyCommand::Action(WorkspaceCommand::Mark) => {
            state.is_among_points() || action_hints::is_worth_a_hint(binding.command, selected) == Some(true)
        }
        (Page::None, None) => match action_hints::is_worth_a_hint(binding.command, selected) {
            Some(is_worth) => is_worth,
            None => binding.command != KeyCommand::Go || has_pane || state.focus == Focus::List,
        },
    };
    let mut bindings = hinted(BINDINGS);
    bindings.retain(|binding| is_meant(binding) && !stands_right(binding));
    // With the keys on the open points, choosing a point comes first.
    let next = selected.filter(|_| !state.is_among_points()).and_then(action_hints::next_command);
    let next = next.map(KeyCommand::Action);
    bindings.sort_by_key(|binding| Some(binding.command) != next);
    if state.focus == Focus::Detail || state.page == Page::Help || !state.filter.text.is_empty() {
        bindings.splice(0..0, BINDINGS.iter().filter(|binding| binding.command == KeyCommand::Back));
    }
    bindings
}

/// Help and quit work everywhere; they have a fixed place on the right and are never left out.
fn stands_right(binding: &Binding) -> bool {
    matches!(binding.command, KeyCommand::Help | KeyCommand::Quit)
}

/// The hints of the list and the pages: actions on the left, ways out on the right.
fn all_hints(state: &State, areas: &Areas, selected: Option<&WorkspaceView>, width: usize) -> Line<'static> {
    let has_pane = has_pane(selected);
    let ways_out: Vec<&Binding> =
        hinted(BINDINGS).into_iter().filter(|binding| stands_right(binding)).collect();
    let right = hints(state, &ways_out, has_pane, width);
    let room = width.saturating_sub(text::line_width(&right) + 2);
    let mut line = hints(state, &in_force(state, areas, selected, has_pane), has_pane, room);
    let n_blanks = width.saturating_sub(text::line_width(&line) + text::line_width(&right) + 1);
    line.push_span(Span::raw(" ".repeat(n_blanks)));
    line.spans.extend(right.spans);
    line
}

/// As many hints as fit, each a key and a word.
fn hints(state: &State, bindings: &[&Binding], has_pane: bool, width: usize) -> Line<'static> {
    let hint = |binding: &&Binding| Hint {
        key: binding.label.map_or_else(|| binding.first_key(), str::to_owned),
        word: binding.hint_with_pane.filter(|_| has_pane).or(binding.hint).unwrap_or("back"),
        is_on: true,
    };
    line_of(state, &bindings.iter().map(hint).collect::<Vec<_>>(), width)
}

fn line_of(state: &State, hints: &[Hint], width: usize) -> Line<'static> {
    let look = state.look;
    let mut line = Line::default();
    let mut used = 0;
    for hint in hints {
        let gap = if used == 0 { " " } else { "  " };
        let word = if hint.is_on { format!(" {}", hint.word) } else { format!(" ({})", hint.word) };
        used += text::width(gap) + text::width(&hint.key) + text::width(&word);
        if used > width {
            break;
        }
        let style = if hint.is_on { TextStyle::Strong } else { TextStyle::Faint };
        line.push_span(Span::raw(gap));
        line.push_span(Span::styled(hint.key.clone(), look.style(style)));
        line.push_span(Span::styled(word, look.style(TextStyle::Faint)));
    }
    line
}

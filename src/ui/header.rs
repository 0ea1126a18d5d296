//! The first line: how many workspaces there are in which state, and what is wrong with the whole.

use std::collections::BTreeMap;

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};

use super::areas::Areas;
use super::look::{Sign, TextStyle};
use super::selection::selected_in;
use super::state::{Page, State};
use super::text;
use crate::model::WorkspaceView;
use crate::present::{Urgency, row};
use crate::ui::sheet::{put, put_rule};

/// From this width on there is room for more than counts.
const WIDE: usize = 60;

/// Draws header, notice and the rule under them.
pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &[usize],
) {
    put(buffer, areas.header, [counts(areas, state, views, rows)]);
    if let Some(area) = areas.notice {
        put(buffer, area, [notice(state, usize::from(area.width))]);
    }
    let Some(area) = areas.rule else { return };
    let (title, style) = match state.page {
        Page::Help => ("Help", TextStyle::Strong),
        Page::None => ("", TextStyle::Faint),
    };
    put_rule(buffer, area, title, style, "", state.look);
    if let Some(divider) = areas.divider {
        let tee = Line::from(Span::styled(state.look.sign(Sign::Tee), state.look.style(TextStyle::Faint)));
        put(buffer, ratatui::layout::Rect { y: area.y, height: 1, ..divider }, [tee]);
    }
}

/// `closeout · 5 workspaces · 1 asks · …`, as many counts as fit, and the filter on the right.
fn counts(areas: &Areas, state: &State, views: &[WorkspaceView], rows: &[usize]) -> Line<'static> {
    let look = state.look;
    let width = usize::from(areas.header.width);
    let filter = place(areas, state, views, rows, width);
    let auto = auto_probe(state, width);
    let taken = text::width(&filter) + text::width(&auto) + if filter.is_empty() { 1 } else { 3 };
    let room = width.saturating_sub(taken);
    let mut spans = vec![Span::styled(" closeout", look.style(TextStyle::Strong))];
    let mut used = 9;
    let mut facts = vec![(number_of_workspaces(state, views.len()), TextStyle::Plain)];
    facts.extend(states(views));
    let n_cells: usize = facts.iter().map(|(words, _)| text::width(look.dot()) + text::width(words)).sum();
    if used + n_cells > room && facts.len() > 1 {
        // The states add up to it.
        facts.remove(0);
    }
    for (words, style) in facts {
        let n_cells = text::width(look.dot()) + text::width(&words);
        if used + n_cells > room {
            break;
        }
        used += n_cells;
        spans.push(Span::styled(look.dot(), look.style(TextStyle::Faint)));
        spans.push(Span::styled(words, look.style(style)));
    }
    used += text::width(&auto);
    spans.push(Span::styled(auto, look.style(TextStyle::Faint)));
    if !filter.is_empty() {
        spans.push(Span::raw(" ".repeat(width.saturating_sub(used + text::width(&filter) + 1))));
        spans.push(Span::styled(filter, look.style(TextStyle::Strong)));
    }
    Line::from(spans)
}

/// That agents are asked by closeout itself, which costs tokens: it is said before the last counts are, where the
/// screen is wide enough to be read for more than its rows.
fn auto_probe(state: &State, width: usize) -> String {
    if state.asks_by_itself && width >= WIDE {
        format!("{}auto probe", state.look.dot())
    } else {
        String::new()
    }
}

fn number_of_workspaces(state: &State, n: usize) -> String {
    match (state.is_loaded, n) {
        (false, _) => "looking for workspaces".to_owned(),
        (true, 0) => "no workspaces".to_owned(),
        (true, 1) => "1 workspace".to_owned(),
        (true, n) => format!("{n} workspaces"),
    }
}

/// How many rows show each state, most urgent state first.
fn states(views: &[WorkspaceView]) -> Vec<(String, TextStyle)> {
    let mut counted: BTreeMap<&'static str, (Urgency, usize)> = BTreeMap::new();
    for view in views {
        let urgency = Urgency::of(view);
        let entry = counted.entry(row::state_of(view)).or_insert((urgency, 0));
        entry.0 = entry.0.min(urgency);
        entry.1 += 1;
    }
    let mut states: Vec<_> = counted.into_iter().collect();
    states.sort_by_key(|(_, (urgency, _))| *urgency);
    let label = |(word, (urgency, n)): (&str, (Urgency, usize))| {
        (format!("{n} {}", word.to_lowercase()), TextStyle::of(urgency))
    };
    states.into_iter().map(label).collect()
}

/// The filter with its number of matches, or the selected row when the list does not show all.
fn place(areas: &Areas, state: &State, views: &[WorkspaceView], rows: &[usize], width: usize) -> String {
    if state.filter.is_editing {
        return format!("{} of {}", rows.len(), views.len());
    }
    if !state.filter.text.is_empty() {
        let shown = text::cut(&text::line(&state.filter.text), width / 4, state.look);
        return format!("/{shown}  {} of {}", rows.len(), views.len());
    }
    match selected_in(state, views, rows) {
        Some(row) if areas.list.is_some() && rows.len() > areas.n_list_rows() => {
            format!("{} of {}", row + 1, rows.len())
        }
        Some(_) | None => String::new(),
    }
}

fn notice(state: &State, width: usize) -> Line<'static> {
    let look = state.look;
    let first = state.notices.first().map(|notice| text::line(notice)).unwrap_or_default();
    let more = match state.notices.len() {
        0 | 1 => String::new(),
        n => format!(" (and {} more: ?)", n - 1),
    };
    let room = width.saturating_sub(text::width(&more) + 3);
    Line::from(vec![
        Span::styled(format!(" {} ", look.sign(Sign::Warning)), look.style(TextStyle::Bad)),
        Span::styled(text::cut(&first, room, look), look.style(TextStyle::Open)),
        Span::styled(more, look.style(TextStyle::Faint)),
    ])
}

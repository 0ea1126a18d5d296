//! The first line: how many workspaces are in which state, and problems of the whole program.

use ratatui::buffer::Buffer;
use ratatui::text::{Line, Span};
use strum::VariantArray as _;

use super::areas::Areas;
use super::list_rows::ListRows;
use super::look::{Sign, TextStyle};
use super::state::{Page, State};
use super::text;
use crate::model::WorkspaceView;
use crate::present::phrases::header;
use crate::present::{Section, counts, section_of, sets};
use crate::ui::sheet::{put, put_rule};

/// From this width on there is room for more than counts.
const WIDE: usize = 60;

pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &ListRows,
) {
    put(buffer, areas.header, [first_line(areas, state, views, rows)]);
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

/// `closeout · 2 need you · 1 at risk · …`, and the filter on the right. The order is always that of the list;
/// if the words do not fit, signs replace them.
fn first_line(areas: &Areas, state: &State, views: &[WorkspaceView], rows: &ListRows) -> Line<'static> {
    let look = state.look;
    let width = usize::from(areas.header.width);
    let filter = place(areas, state, views, rows, width);
    let auto = auto_probe(state, width);
    let taken = text::width(&auto) + text::width(&filter) + if filter.is_empty() { 1 } else { 3 };
    let room = width.saturating_sub(taken);
    let mut used = 9;
    let facts = counts_in(room.saturating_sub(used), state, views);
    let mut spans = vec![Span::styled(" closeout", look.style(TextStyle::Strong))];
    for (gap, words, style) in facts {
        let n_cells = text::width(gap) + text::width(&words);
        if used + n_cells > room {
            break;
        }
        used += n_cells;
        spans.push(Span::styled(gap, look.style(TextStyle::Faint)));
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

/// The counts in `room` cells: with the number of workspaces, without it, or as signs.
fn counts_in(room: usize, state: &State, views: &[WorkspaceView]) -> Vec<Fact> {
    let look = state.look;
    let n_cells = |facts: &[Fact]| -> usize {
        facts.iter().map(|(gap, words, _)| text::width(gap) + text::width(words)).sum()
    };
    let counted = sections(state, views);
    let by_section = counted.iter().map(|(section, n)| {
        let words = match section {
            Section::NeedsYou => counts::need_you(n),
            Section::Unseen => header::not_seen(n),
            Section::AtRisk
            | Section::LeftToDo
            | Section::AtWork
            | Section::Unread
            | Section::Finished
            | Section::Quiet => header::counted(n, sets::section(*section)),
        };
        (look.dot(), words, TextStyle::of(section.urgency()))
    });
    let number = (look.dot(), number_of_workspaces(state, views.len()), TextStyle::Plain);
    let all: Vec<Fact> = std::iter::once(number).chain(by_section).collect();
    if counted.is_empty() || n_cells(&all) <= room {
        return all;
    }
    if n_cells(&all[1..]) <= room {
        return all[1..].to_vec();
    }
    let signs = counted.iter().map(|(section, n)| {
        let sign = look.sign(Sign::Urgency(section.urgency()));
        ("  ", format!("{sign}{n}"), TextStyle::of(section.urgency()))
    });
    signs.collect()
}

/// Text before the fact, its words, and its style.
type Fact = (&'static str, String, TextStyle);

/// Says that closeout asks agents automatically, which costs tokens. It has priority over the last counts if
/// the screen is wide enough.
fn auto_probe(state: &State, width: usize) -> String {
    if state.asks_by_itself && width >= WIDE {
        format!("{}auto ask", state.look.dot())
    } else {
        String::new()
    }
}

fn number_of_workspaces(state: &State, n: usize) -> String {
    match (state.is_loaded, n) {
        (false, _) => header::looking().to_owned(),
        (true, 0) => header::no_workspaces().to_owned(),
        (true, n) => counts::workspaces(n),
    }
}

/// How many rows each section has, in the order of the list, without sections that need no attention.
fn sections(state: &State, views: &[WorkspaceView]) -> Vec<(Section, usize)> {
    let sections: Vec<Section> = views.iter().map(|view| section_of(view, state.held())).collect();
    let counted = Section::VARIANTS.iter().copied().filter(|section| !section.is_folded());
    let counted =
        counted.map(|section| (section, sections.iter().filter(|known| **known == section).count()));
    counted.filter(|(_, n)| *n > 0).collect()
}

/// The filter with its number of matches; else the selected row's number if the list does not show all rows.
fn place(areas: &Areas, state: &State, views: &[WorkspaceView], rows: &ListRows, width: usize) -> String {
    if state.filter.is_editing {
        return header::selected(rows.len(), views.len());
    }
    if !state.filter.text.is_empty() {
        let shown = text::cut(&text::line(&state.filter.text), width / 4, state.look);
        return format!("/{shown}  {}", header::selected(rows.len(), views.len()));
    }
    match rows.selected(state, views) {
        Some(row)
            if areas.list.is_some() && !areas.has_headings && rows.len() > areas.list_shape().n_shown =>
        {
            header::selected(row + 1, rows.len())
        }
        Some(_) | None => String::new(),
    }
}

fn notice(state: &State, width: usize) -> Line<'static> {
    let look = state.look;
    let first = state.notices.first().map(|notice| text::line(notice)).unwrap_or_default();
    let more = match state.notices.len() {
        0 | 1 => String::new(),
        n => format!(" {}", header::more_notices(n - 1)),
    };
    let room = width.saturating_sub(text::width(&more) + 3);
    Line::from(vec![
        Span::styled(format!(" {} ", look.sign(Sign::Warning)), look.style(TextStyle::Bad)),
        Span::styled(text::cut(&first, room, look), look.style(TextStyle::Open)),
        Span::styled(more, look.style(TextStyle::Faint)),
    ])
}

//! What is left to do: every source's points, which can be marked and sent back, and their checklists.

use ratatui::text::{Line, Span};

use super::checklist;
use crate::model::{Checklist, ItemState, OpenPoint, PointKind, PointState, WorkspaceView};
use crate::present::left;
use crate::present::phrases::left as say;
use crate::ui::keymap::{WorkspaceCommand, key_of};
use crate::ui::look::{Sign, TextStyle};
use crate::ui::sheet::TextLayout;
use crate::ui::state::Points;
use crate::ui::text;

/// A point takes at most this many lines.
const MAX_LINES: usize = 3;
/// The widest remark after a point.
const MAX_REMARK: usize = 30;

/// The lines of the tab, and the first line of each point in [`points`].
pub(in crate::ui) struct LeftLines {
    pub(in crate::ui) lines: Vec<Line<'static>>,
    pub(in crate::ui) starts: Vec<usize>,
}

/// The points in the order of the tab: first those that match no checklist item, open before done, then the
/// open points list by list.
pub(in crate::ui) fn points(view: &WorkspaceView) -> Vec<&OpenPoint> {
    let Some(verdict) = &view.verdict else { return Vec::new() };
    let all = &verdict.left_to_do.points;
    let list_of = |point: &OpenPoint| {
        view.checklists.iter().position(|list| list.items.iter().any(|item| is_of(point, &item.title)))
    };
    let mut points: Vec<(Option<usize>, bool, &OpenPoint)> =
        all.iter().map(|point| (list_of(point), !point.is_open(), point)).collect();
    points.sort_by_key(|(list, is_done, _)| (*list, *is_done));
    points.into_iter().map(|(_, _, point)| point).collect()
}

fn is_of(point: &OpenPoint, title: &str) -> bool {
    point.is_open() && point.text.trim() == title.trim()
}

/// The lines of the tab. The cursor is shown if the keys act on this tab.
pub(in crate::ui) fn lines(
    view: &WorkspaceView,
    marked: &Points,
    has_cursor: bool,
    sheet: TextLayout,
) -> LeftLines {
    let points = points(view);
    let mut shown = LeftLines { lines: Vec::new(), starts: Vec::new() };
    let in_list =
        |point: &OpenPoint, list: &Checklist| list.items.iter().any(|item| is_of(point, &item.title));
    let is_free = |point: &&OpenPoint| !view.checklists.iter().any(|list| in_list(point, list));
    let cursor = |at: usize| has_cursor && marked.cursor.min(points.len().saturating_sub(1)) == at;
    for (at, point) in points.iter().enumerate().filter(|(_, point)| is_free(point)) {
        shown.starts.push(shown.lines.len());
        shown.lines.extend(one(point, marked, cursor(at), sheet));
    }
    for list in &view.checklists {
        let heading = checklist::heading(list, sheet);
        shown.lines.extend(heading.into_iter().skip(usize::from(shown.lines.is_empty())));
        for item in list.items.iter().take(checklist::MAX_ITEMS) {
            let at =
                points.iter().position(|point| item.state != ItemState::Done && is_of(point, &item.title));
            match at.filter(|at| *at == shown.starts.len()) {
                Some(at) => {
                    shown.starts.push(shown.lines.len());
                    shown.lines.extend(one(points[at], marked, cursor(at), sheet));
                }
                None => shown.lines.extend(checklist::item(item, sheet)),
            }
        }
        shown.lines.extend(checklist::more(list, sheet));
    }
    if shown.lines.is_empty() {
        shown.lines.extend(sheet.text(say::nothing(), TextStyle::Faint, 1));
        if !view.sessions.is_empty() {
            let key = key_of(WorkspaceCommand::Verify);
            shown.lines.extend(sheet.text(&say::ask(key), TextStyle::Faint, 1));
        }
    }
    shown
}

/// One point: cursor, mark, sign and text, followed by its origin or what happened to it.
fn one(point: &OpenPoint, marked: &Points, is_cursor: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    let (sign, tone) = match (point.state, point.kind) {
        (PointState::Done { .. }, _) => (Sign::Done, TextStyle::Good),
        (PointState::Sent { .. }, _) => (Sign::Active, TextStyle::Busy),
        (PointState::Open, PointKind::Allow | PointKind::Answer) => (Sign::Question, TextStyle::Asks),
        (PointState::Open, PointKind::Repair | PointKind::Keep) => (Sign::Warning, TextStyle::Bad),
        (PointState::Open, PointKind::Resume | PointKind::Finish) => (Sign::Open, TextStyle::Open),
    };
    let is_marked = marked.ids.contains(&point.id);
    let mark = match (point.is_open() && point.is_for_agent(), is_marked) {
        (true, true) => "[x]",
        (true, false) => "[ ]",
        (false, _) => "   ",
    };
    let words_tone = match (point.is_open(), is_cursor || is_marked) {
        (false, _) => TextStyle::Faint,
        (true, true) => TextStyle::Strong,
        (true, false) => TextStyle::Plain,
    };
    let remark = left::state_of(point, sheet.now).unwrap_or_else(|| point.source.title().to_owned());
    let remark = text::cut(&text::line(&remark), MAX_REMARK, sheet.look);
    let lead = vec![
        sheet.span(if is_cursor { sheet.look.sign(Sign::Marker) } else { " " }, TextStyle::Strong),
        sheet.span(format!("{mark} "), TextStyle::Strong),
        sheet.span(format!("{} ", sheet.look.sign(sign)), tone),
    ];
    let indent: usize = lead.iter().map(|span| text::width(&span.content)).sum();
    let room = sheet.width.saturating_sub(indent + text::width(&remark) + 2).max(12);
    let style = sheet.style(words_tone);
    let words = text::wrap_text(&text::line(&point.text), style, room, 0);
    let n_lines = words.len();
    let mut lines = Vec::new();
    for (at, words) in words.into_iter().take(MAX_LINES).enumerate() {
        let mut spans = if at == 0 { lead.clone() } else { vec![Span::raw(" ".repeat(indent))] };
        let n_cells = text::line_width(&words);
        spans.extend(words.spans);
        if at == 0 {
            spans.push(Span::raw(" ".repeat(room.saturating_sub(n_cells) + 2)));
            spans.push(sheet.span(remark.clone(), TextStyle::Faint));
        }
        if at + 1 == MAX_LINES && n_lines > MAX_LINES {
            spans.push(Span::raw(sheet.look.sign(Sign::Ellipsis)));
        }
        lines.push(sheet.one(Line::from(spans)));
    }
    lines
}

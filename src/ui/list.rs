//! The list: a row for each workspace, of one line, or of two where all rows have room for it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::areas::{Areas, scrolled_to};
use super::look::{Sign, Tone};
use super::selection::selected_in;
use super::state::{Focus, State};
use super::urgency::Urgency;
use super::{age, put, text, words};
use crate::model::{Head, Timestamp, WorkspaceView};

/// Marker, sign and a blank before the state.
const LEAD: usize = 3;
/// The widest age.
const AGE: usize = 4;
/// The note is worth more than branch and agent: they are shown when it keeps this much.
const NOTE: usize = 20;
/// Blanks between columns.
const GAP: usize = 2;

/// Draws the list.
pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &[usize],
    now: Timestamp,
) {
    let Some(area) = areas.list else { return };
    let bar = Line::from(Span::styled(state.look.sign(Sign::Bar), state.look.style(Tone::Faint)));
    if let Some(divider) = areas.divider {
        put(buffer, divider, std::iter::repeat_n(bar, divider.height.into()));
    }
    if rows.is_empty() {
        put(buffer, area, [no_match(state, usize::from(area.width))]);
        return;
    }
    let columns = Columns::of(views, rows, usize::from(area.width), areas.row_height);
    let n_shown = areas.n_list_rows();
    let selected = selected_in(state, views, rows);
    let top = scrolled_to(state.list_top, selected.unwrap_or(0), rows.len(), n_shown);
    for (row, &position) in rows.iter().enumerate().skip(top).take(n_shown) {
        let is_selected = selected == Some(row);
        let lines = row_lines(&views[position], &columns, state, is_selected, now);
        let y = area.y + u16::try_from(row - top).unwrap_or(u16::MAX).saturating_mul(areas.row_height);
        let place = Rect { y, height: areas.row_height, ..area };
        put(buffer, place, lines);
        if is_selected {
            mark_selected(buffer, place, state);
        }
    }
}

/// The widths of the columns: as wide as the texts need, so that short names leave room to the note.
struct Columns {
    name: usize,
    branch: usize,
    agent: usize,
    /// Zero in rows of two lines, where the note has the second.
    note: usize,
    total: usize,
}

impl Columns {
    fn of(views: &[WorkspaceView], rows: &[usize], total: usize, row_height: u16) -> Columns {
        let widest = |field: fn(&WorkspaceView) -> &str, most: usize| {
            let cells = |&position: &usize| text::shown_width(field(&views[position]), most);
            rows.iter().map(cells).max().unwrap_or(0)
        };
        let is_single = row_height == 1;
        let mut room = total.saturating_sub(LEAD + words::STATE_WIDTH + 1 + GAP + AGE + 1);
        let name = widest(|view| &view.name, if is_single { total / 4 } else { total / 3 }.min(28));
        let name = name.min(room);
        room -= name;
        let note = if is_single { NOTE + GAP } else { 0 };
        // Between a long branch and the agent, the branch gives.
        let n_agent = widest(agent, 10) + GAP;
        let spare = room.saturating_sub(note + n_agent + GAP);
        let most = if is_single { (total / 5).clamp(12, 28) } else { total / 2 };
        let mut column = |field: fn(&WorkspaceView) -> &str, most: usize| {
            let wanted = widest(field, most);
            let is_shown = wanted > 0 && room >= note + wanted + GAP;
            let given = if is_shown { wanted } else { 0 };
            room -= if is_shown { given + GAP } else { 0 };
            given
        };
        let branch = column(branch, if spare >= 12 { most.min(spare) } else { most });
        let agent = column(agent, 10);
        Columns { name, branch, agent, note: if is_single { room.saturating_sub(GAP) } else { 0 }, total }
    }
}

/// Untrusted text.
fn branch(view: &WorkspaceView) -> &str {
    match view.git.as_ref().map(|git| &git.head) {
        Some(Head::Branch { name, .. } | Head::Unborn { name }) => name,
        Some(Head::Detached { .. }) => "(no branch)",
        None => "",
    }
}

/// Untrusted text.
fn agent(view: &WorkspaceView) -> &str {
    view.agent.as_deref().unwrap_or_default()
}

fn row_lines(
    view: &WorkspaceView,
    columns: &Columns,
    state: &State,
    is_selected: bool,
    now: Timestamp,
) -> Vec<Line<'static>> {
    let look = state.look;
    let urgency = Urgency::of(view);
    let marker = if is_selected { look.sign(Sign::Marker) } else { " " };
    let since = view.verdict_since.map(|since| age::age(now, since)).unwrap_or_default();
    let name_tone = if urgency == Urgency::Seen { Tone::Plain } else { Tone::Strong };
    let mut spans = vec![
        Span::raw(marker),
        Span::styled(format!("{} ", look.sign(urgency.sign())), look.style(urgency.tone())),
        Span::styled(
            text::fit(words::state_of(view), words::STATE_WIDTH + 1, look),
            look.style(urgency.tone()),
        ),
        Span::styled(text::fit(&text::line(&view.name), columns.name, look), look.style(name_tone)),
        Span::raw(" ".repeat(GAP)),
    ];
    for (width, value) in [(columns.branch, branch(view)), (columns.agent, agent(view))] {
        if width > 0 {
            spans.push(Span::styled(text::fit(&text::line(value), width, look), look.style(Tone::Faint)));
            spans.push(Span::raw(" ".repeat(GAP)));
        }
    }
    let note_tone = if urgency <= Urgency::Unseen { Tone::Plain } else { Tone::Faint };
    let note = look.spelled(&text::line(&words::note(view)));
    let age_span = Span::styled(format!("{since:>AGE$}"), look.style(Tone::Faint));
    if columns.note > 0 {
        spans.push(age_span);
        spans.push(Span::raw(" ".repeat(GAP)));
        spans.push(Span::styled(text::cut(&note, columns.note, look), look.style(note_tone)));
        return vec![Line::from(spans)];
    }
    let used: usize = spans.iter().map(|span| text::width(&span.content)).sum();
    spans.push(Span::raw(" ".repeat(columns.total.saturating_sub(used + AGE + 1))));
    spans.push(age_span);
    let indent = LEAD + words::STATE_WIDTH + 1;
    let note = text::cut(&note, columns.total.saturating_sub(indent + 1), look);
    let second =
        vec![Span::raw(marker), Span::raw(" ".repeat(indent - 1)), Span::styled(note, look.style(note_tone))];
    vec![Line::from(spans), Line::from(second)]
}

/// Reverses the row without its colours: a bar of many colours would shout, and sign and words are
/// there. While the keys go elsewhere the row is only bold, with its marker.
fn mark_selected(buffer: &mut Buffer, area: Rect, state: &State) {
    let tone = match state.focus {
        Focus::List => Tone::Selected,
        Focus::Detail => Tone::Resting,
    };
    let style = state.look.style(tone);
    let style = match state.focus {
        Focus::List => ratatui::style::Style::reset().patch(style),
        Focus::Detail => style,
    };
    buffer.set_style(area, style);
}

fn no_match(state: &State, width: usize) -> Line<'static> {
    let shown = text::line(&state.filter.text);
    let words = format!(" nothing matches /{shown}");
    Line::from(Span::styled(text::cut(&words, width, state.look), state.look.style(Tone::Faint)))
}

//! The list: a row per workspace, of one line, or of two if all rows have room for that.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::areas::Areas;
use super::list_rows::{Entry, ListRows};
use super::look::{Look, Sign, TextStyle};
use super::state::{Focus, State};
use super::{notice, text};
use crate::model::{Head, Timestamp, WorkspaceView};
use crate::present::{Section, Urgency, age, row, sessions, sets};
use crate::ui::sheet::put;

/// Marker, sign and a space before the state.
const LEAD: usize = 3;
/// The widest age.
const AGE: usize = 4;
/// In rows of one line, branch, agent and steps appear only if the more useful note keeps this many cells.
const NOTE: usize = 30;
/// A note with something after it keeps at least this many cells.
const LEAST_NOTE: usize = 12;
/// From this width on, a row of two lines has room for the model.
const MODEL: usize = 80;
/// Spaces between columns.
const GAP: usize = 2;

pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &ListRows,
    now: Timestamp,
) {
    let Some(area) = areas.list else { return };
    let bar = Line::from(Span::styled(state.look.sign(Sign::Bar), state.look.style(TextStyle::Faint)));
    if let Some(divider) = areas.divider {
        put(buffer, divider, std::iter::repeat_n(bar, divider.height.into()));
    }
    if let Some(area) = areas.folded {
        let folded = notice::folded(state, rows.n_finished, rows.n_quiet);
        let shown = folded.map(|folded| format!("   {folded}")).unwrap_or_default();
        let shown = text::cut(&shown, usize::from(area.width), state.look);
        put(buffer, area, [Line::from(Span::styled(shown, state.look.style(TextStyle::Faint)))]);
    }
    if rows.positions.is_empty() {
        put(buffer, area, [no_match(state, usize::from(area.width))]);
        return;
    }
    let selected = rows.selected(state, views);
    let top = rows.top(state, views, areas.list_shape());
    let columns = Columns::of(views, rows, state.look, usize::from(area.width), areas.row_height);
    for (y, entry) in rows.entries(top, areas.list_shape()) {
        let place = Rect { y: area.y + y, height: 1, ..area };
        let row = match entry {
            Entry::Heading(section, n) => {
                put(buffer, place, [heading(section, n, state.look)]);
                continue;
            }
            Entry::Row(row) => row,
        };
        let is_selected = selected == Some(row);
        let view = &views[rows.positions[row]];
        let place = Rect { height: areas.row_height, ..place };
        put(buffer, place, row_lines(view, &columns, state, is_selected, now));
        if is_selected {
            mark_selected(buffer, place, state);
        }
    }
}

fn heading(section: Section, n: usize, look: Look) -> Line<'static> {
    let style = look.style(TextStyle::of(section.urgency()));
    Line::from(vec![
        Span::styled(format!(" {}", sets::section(section)), style),
        Span::styled(format!("  {n}"), look.style(TextStyle::Faint)),
    ])
}

/// The widths of the columns: no wider than their texts, so that short names leave room for the note.
struct Columns {
    name: usize,
    facts: usize,
    branch: usize,
    agent: usize,
    model: usize,
    /// Zero in rows of two lines, where the second line holds the note.
    note: usize,
    total: usize,
}

impl Columns {
    fn of(views: &[WorkspaceView], rows: &ListRows, look: Look, total: usize, row_height: u16) -> Columns {
        let widest = |field: Field, most: usize| {
            let cells = |&position: &usize| text::shown_width(&field(&views[position], look), most);
            rows.positions.iter().map(cells).max().unwrap_or(0)
        };
        let is_single = row_height == 1;
        let mut room = total.saturating_sub(LEAD + row::STATE_WIDTH + 1 + GAP + AGE + 1);
        let name = widest(name, if is_single { total / 4 } else { total / 3 }.min(28));
        let name = name.min(room);
        room -= name;
        let note = if is_single { NOTE + GAP } else { 0 };
        // The most informative column gets its room first.
        let mut column = |field: Field, least: usize, most: usize| {
            let wanted = widest(field, most);
            let most = room.saturating_sub(note + GAP);
            let is_shown = wanted > 0 && most >= wanted.min(least);
            let given = if is_shown { wanted.min(most) } else { 0 };
            room -= if is_shown { given + GAP } else { 0 };
            given
        };
        let facts = column(facts, 12, 12);
        let agent = column(agent, 12, 12);
        let branch = column(
            branch,
            if is_single { 12 } else { 8 },
            if is_single { (total / 5).clamp(12, 28) } else { total / 2 },
        );
        let model = if is_single || total < MODEL { 0 } else { column(model, 8, 24) };
        let note = if is_single { room.saturating_sub(GAP) } else { 0 };
        Columns { name, facts, branch, agent, model, note, total }
    }
}

/// The text of a column for a workspace. Untrusted.
type Field = fn(&WorkspaceView, Look) -> Cow<'_, str>;

fn name(view: &WorkspaceView, _: Look) -> Cow<'_, str> {
    Cow::Borrowed(&view.name)
}

/// Empty if the branch has the worktree's name, which says nothing new; the room serves other columns.
fn branch(view: &WorkspaceView, _: Look) -> Cow<'_, str> {
    Cow::Borrowed(match view.git.as_ref().map(|git| &git.head) {
        Some(Head::Branch { name, .. } | Head::Unborn { name }) if *name == view.name => "",
        Some(Head::Branch { name, .. } | Head::Unborn { name }) => name,
        Some(Head::Detached { .. }) => "(no branch)",
        None => "",
    })
}

fn agent(view: &WorkspaceView, _: Look) -> Cow<'_, str> {
    sessions::agents(view)
}

fn model(view: &WorkspaceView, _: Look) -> Cow<'_, str> {
    Cow::Borrowed(view.model.as_deref().unwrap_or_default())
}

/// `3/7 ↑2 ±4`: todos done, new commits, uncommitted files.
fn facts(view: &WorkspaceView, look: Look) -> Cow<'_, str> {
    let git = view.git.as_ref();
    let n_new = git.map_or(0, |git| git.commits.n_new);
    let n_paths = git.and_then(|git| git.changes.as_ref()).map_or(0, |changes| changes.n_paths);
    let counted = |sign, n: u32| (n > 0).then(|| format!("{}{n}", look.sign(sign)));
    let todos = Some(sessions::todos(view)).filter(|todos| !todos.is_empty());
    let facts = [todos, counted(Sign::Commits, n_new), counted(Sign::Files, n_paths)];
    Cow::Owned(facts.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

/// The state; for a COMPLETE, followed by the sign of its proof.
fn state_of(view: &WorkspaceView, look: Look) -> String {
    let proof = view.verdict.as_deref().and_then(|verdict| verdict.proof);
    let proof = proof.map(|proof| format!(" {}", look.sign(Sign::Proof(proof)))).unwrap_or_default();
    format!("{}{proof}", row::state_of(view))
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
    let since = sessions::moment(view).map(|since| age::age(now, since)).unwrap_or_default();
    let is_folded = urgency.section().is_folded();
    let name_tone = if is_folded { TextStyle::Faint } else { TextStyle::Strong };
    let mut spans = vec![
        Span::raw(marker),
        Span::styled(format!("{} ", look.sign(Sign::Urgency(urgency))), look.style(TextStyle::of(urgency))),
        Span::styled(
            text::fit(&state_of(view, look), row::STATE_WIDTH + 1, look),
            look.style(TextStyle::of(urgency)),
        ),
        Span::styled(text::fit(&text::line(&view.name), columns.name, look), look.style(name_tone)),
        Span::raw(" ".repeat(GAP)),
    ];
    for (width, value) in [
        (columns.branch, branch(view, look)),
        (columns.agent, agent(view, look)),
        (columns.model, model(view, look)),
        (columns.facts, facts(view, look)),
    ] {
        if width > 0 {
            spans.push(Span::styled(
                text::fit(&text::line(&value), width, look),
                look.style(TextStyle::Faint),
            ));
            spans.push(Span::raw(" ".repeat(GAP)));
        }
    }
    let note_tone = if is_folded { TextStyle::Faint } else { TextStyle::Plain };
    let age_span = Span::styled(format!("{since:>AGE$}"), look.style(TextStyle::Faint));
    if columns.note > 0 {
        spans.push(age_span);
        spans.push(Span::raw(" ".repeat(GAP)));
        spans.push(Span::styled(note(view, columns.note, look, now), look.style(note_tone)));
        return vec![Line::from(spans)];
    }
    let used: usize = spans.iter().map(|span| text::width(&span.content)).sum();
    spans.push(Span::raw(" ".repeat(columns.total.saturating_sub(used + AGE + 1))));
    spans.push(age_span);
    let indent = LEAD + row::STATE_WIDTH + 1;
    let note = note(view, columns.total.saturating_sub(indent + 1), look, now);
    let second =
        vec![Span::raw(marker), Span::raw(" ".repeat(indent - 1)), Span::styled(note, look.style(note_tone))];
    vec![Line::from(spans), Line::from(second)]
}

/// The note, followed by what the session does if the verdict does not say so. A long note is shortened for it.
fn note(view: &WorkspaceView, room: usize, look: Look, now: Timestamp) -> String {
    let note = look.spelled(&text::line(&row::note(view, now)));
    let aside = sessions::aside(view).map(|aside| format!("{}{}", look.dot(), text::line(&aside)));
    match aside {
        Some(aside) if text::width(&aside) + LEAST_NOTE <= room && Urgency::of(view) > Urgency::Asks => {
            let note = text::cut(&note, room - text::width(&aside), look);
            format!("{note}{aside}")
        }
        Some(_) | None => text::cut(&note, room, look),
    }
}

/// Reverses the row without its colours: a bar of many colours would distract, and sign and words carry the
/// meaning. While the keys act elsewhere, the row is only bold, with its marker.
fn mark_selected(buffer: &mut Buffer, area: Rect, state: &State) {
    let style = match state.focus {
        Focus::List => TextStyle::Selected,
        Focus::Detail => TextStyle::Resting,
    };
    let style = state.look.style(style);
    let style = match state.focus {
        Focus::List => ratatui::style::Style::reset().patch(style),
        Focus::Detail => style,
    };
    buffer.set_style(area, style);
}

fn no_match(state: &State, width: usize) -> Line<'static> {
    let shown = text::line(&state.filter.text);
    let message = format!(" nothing matches /{shown}");
    Line::from(Span::styled(text::cut(&message, width, state.look), state.look.style(TextStyle::Faint)))
}

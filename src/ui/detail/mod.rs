//! The detail: everything known about the selected workspace, as one scrolling column of lines.
//!
//! What a person must know and do comes first, then every source, then the facts behind the sources. The number
//! of lines does not depend on the time: anything that contains an age is cut, never wrapped.

mod actions;
pub(super) mod checklist;
mod evidence;
mod git;
pub(super) mod left;
mod sessions;
mod verdict;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::areas::Areas;
use super::keymap::{WorkspaceCommand, key_of};
use super::list_rows::ListRows;
use super::look::{Look, Sign, TextStyle};
use super::sheet::{TextLayout, put, put_rule};
use super::state::{DetailLength, Focus, State};
use super::tabs::{self, Tab};
use super::{markdown, text};
use crate::model::{RunView, Timestamp, WorkspaceView};
use crate::present::phrases::{run as run_phrases, tab as say};
use crate::present::{age, runs, sets};
use left::LeftLines;

/// Longer lines are hard to read, and ages would be far from what they belong to.
const MAX_WIDTH: usize = 100;

/// Draws the detail and its title; returns the length of the detail.
pub(super) fn draw(
    buffer: &mut Buffer,
    areas: &Areas,
    state: &State,
    views: &[WorkspaceView],
    rows: &ListRows,
    now: Timestamp,
) -> Option<DetailLength> {
    let (Some(area), Some(title)) = (areas.detail, areas.detail_title) else { return None };
    let style = if state.focus == Focus::Detail { TextStyle::Strong } else { TextStyle::Plain };
    let Some(view) = rows.selected(state, views).map(|row| &views[rows.positions[row]]) else {
        put_rule(buffer, title, "", style, "", state.look);
        return None;
    };
    let lines = lines(view, state, sheet(state.look, area.width, now));
    let n_shown = usize::from(area.height);
    let top = state.detail_top.min(lines.len().saturating_sub(n_shown));
    let remark = match lines.len() {
        n_lines if n_lines <= n_shown => String::new(),
        n_lines => format!("{}-{} of {n_lines}", top + 1, top + n_shown),
    };
    if let Some(tabs) = areas.tabs {
        put_rule(buffer, title, &text::line(&view.name), style, &remark, state.look);
        let width = usize::from(tabs.width);
        put(buffer, tabs, [tabs::bar(state.tab, Some(view), width, state.look)]);
    } else {
        put_rule(buffer, title, "", style, &remark, state.look);
        let n_remark = if remark.is_empty() { 0 } else { cells(text::width(&remark)) + 4 };
        let room = title.width.saturating_sub(2 + n_remark);
        let bar = tabs::bar(state.tab, Some(view), usize::from(room), state.look);
        let place = Rect { x: title.x + 2, width: cells(text::line_width(&bar)).min(room), ..title };
        put(buffer, place, [bar]);
    }
    let inner = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    let n_lines = lines.len();
    put(buffer, inner, lines.into_iter().skip(top));
    Some(DetailLength { workspace: view.id.clone(), tab: state.tab, width: area.width, n_lines })
}

fn cells(n_cells: usize) -> u16 {
    u16::try_from(n_cells).unwrap_or(u16::MAX)
}

/// How many lines the detail of a workspace has in an area of this width: as many as in the last frame, if
/// that showed it.
pub(super) fn n_lines(state: &State, view: &WorkspaceView, width: u16) -> usize {
    let is_same =
        |last: &&DetailLength| (&last.workspace, last.tab, last.width) == (&view.id, state.tab, width);
    if let Some(last) = state.detail_length.as_ref().filter(is_same) {
        return last.n_lines;
    }
    lines(view, state, sheet(state.look, width, state.guard.now())).len()
}

/// The lines of the open points, and where each begins.
pub(super) fn left(state: &State, view: &WorkspaceView, width: u16) -> LeftLines {
    left::lines(view, &state.points, true, sheet(state.look, width, state.guard.now()))
}

fn sheet(look: Look, width: u16, now: Timestamp) -> TextLayout {
    TextLayout { width: usize::from(width.saturating_sub(2)).min(MAX_WIDTH), look, now }
}

fn lines(view: &WorkspaceView, state: &State, sheet: TextLayout) -> Vec<Line<'static>> {
    let said = |lines: Vec<Line<'static>>, nothing: &[String]| {
        if lines.is_empty() {
            return nothing.iter().flat_map(|words| sheet.text(words, TextStyle::Faint, 1)).collect();
        }
        lines
    };
    let no_session = [say::no_session().to_owned(), say::mark_by(key_of(WorkspaceCommand::Mark))];
    match state.tab {
        Tab::Why => {
            let mut lines = verdict::lines(view, sheet);
            lines.extend(run(view, sheet));
            lines.extend(actions::running(view, sheet));
            lines.extend(actions::held(view, sheet));
            lines.extend(evidence::lines(view, sheet));
            lines.extend(last_words(view, sheet));
            lines.extend(about(view, sheet));
            lines
        }
        Tab::LeftToDo => left::lines(view, &state.points, state.focus == Focus::Detail, sheet).lines,
        Tab::Asked => {
            let mut lines = actions::running(view, sheet);
            lines.extend(actions::reports(view, sheet));
            let by = say::ask_by(key_of(WorkspaceCommand::SmartCheck), key_of(WorkspaceCommand::Verify));
            let hints = match view.sessions.as_slice() {
                [] => no_session.clone(),
                [_, ..] => [say::nothing_asked().to_owned(), by],
            };
            said(from_the_top(lines), &hints)
        }
        Tab::Changes => from_the_top(git::lines(view, sheet)),
        Tab::Sessions => {
            let mut lines = sessions::lines(view, sheet);
            lines.extend(actions::held(view, sheet));
            lines.extend(actions::receipts(view, sheet));
            said(from_the_top(lines), &no_session)
        }
        Tab::History => said(from_the_top(actions::history(view, sheet)), &[say::nothing_done().to_owned()]),
    }
}

/// Removes the empty line above the first heading.
fn from_the_top(mut lines: Vec<Line<'static>>) -> Vec<Line<'static>> {
    if lines.first().is_some_and(|line| text::line_width(line) == 0) {
        lines.remove(0);
    }
    lines
}

/// Identifies the workspace.
fn about(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading("Workspace", "").to_vec();
    lines.extend(sheet.labelled("path", &text::line(&view.id.to_string())));
    lines.extend(sheet.labelled("task kind", view.task_kind.name()));
    for chosen in &view.chosen {
        let counts = if chosen.counts { "counts" } else { "does not count: the baseline differs" };
        lines.extend(sheet.labelled("own file", &format!("{} {counts}", chosen.key)));
    }
    if let Some(agent) = &view.agent {
        let model = view.model.iter().map(|model| text::line(model));
        let agent: Vec<String> = std::iter::once(text::line(agent)).chain(model).collect();
        lines.extend(sheet.labelled("agent", &agent.join(sheet.look.dot())));
    }
    let task = view.task.as_ref().map(|task| &task.first_prompt).or(view.prompt.as_ref());
    if let Some(task) = task {
        lines.extend(sheet.labelled("task", &text::line(task)));
    }
    if let Some(prompt) = view.prompt.as_ref().filter(|prompt| task.is_some_and(|task| task != *prompt)) {
        lines.extend(sheet.labelled("last asked", &text::line(prompt)));
    }
    lines
}

/// At most this many open points are shown; the workspace's list has the others.
const MAX_POINTS: usize = 5;

/// The live supervised run: its iteration, what it does now, and what its last check left to do.
fn run(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    view.run.iter().flat_map(|run| one_run(run, sheet)).collect()
}

fn one_run(run: &RunView, sheet: TextLayout) -> Vec<Line<'static>> {
    let mut lines = sheet.heading(&runs::title(run), &age::seconds(sheet.now, run.since)).to_vec();
    let style = if run.question.is_some() { TextStyle::Asks } else { TextStyle::Busy };
    lines.extend(sheet.signed(Sign::Active, style, &runs::with_points(run), TextStyle::Plain));
    if let Some(question) = &run.question {
        lines.extend(sheet.text(&text::line(&question.text), TextStyle::Asks, 4));
    }
    if let Some(verdict) = run.verdict.filter(|_| !run.open_points.is_empty()) {
        lines.extend(sheet.text(&run_phrases::last_check(sets::state(verdict)), TextStyle::Faint, 2));
    }
    for point in run.open_points.iter().take(MAX_POINTS) {
        lines.extend(sheet.signed(Sign::Bullet, TextStyle::Open, &text::line(point), TextStyle::Plain));
    }
    lines
}

const INDENT: usize = 2;

fn last_words(view: &WorkspaceView, sheet: TextLayout) -> Vec<Line<'static>> {
    let Some(last) = &view.last_words else { return Vec::new() };
    let from = text::line(&last.from);
    let remark = last.at.map_or_else(|| from.clone(), |at| format!("{from}, {}", age::ago(sheet.now, at)));
    let mut lines = sheet.heading("Last words", &remark).to_vec();
    if last.is_cut {
        let cut = format!("{} (the beginning is not shown)", sheet.look.sign(Sign::Ellipsis));
        lines.extend(sheet.text(&cut, TextStyle::Faint, INDENT));
    }
    let words = markdown::render(&last.text, sheet.width.saturating_sub(INDENT), sheet.look);
    lines.extend(words.into_iter().map(|mut line| {
        line.spans.insert(0, Span::raw(" ".repeat(INDENT)));
        line
    }));
    lines
}

//! Applies inputs, news and answers to [`State`], and makes intents of them.
//!
//! It draws nothing and reads no clock; the same state, views and input always give the same result.

use ratatui::layout::Position;

use super::areas::Areas;
use super::dialog::Dialog;
use super::input::{Input, KeyCode, KeyPress, Mouse, MouseKind, Reaction};
use super::keymap::{BINDINGS, FILTER_BINDINGS, KeyCommand, WorkspaceCommand, command_of};
use super::list_rows::{Entry, ListRows};
use super::selection::{select_around, select_next_waiting, select_row, selected_row, settle};
use super::state::{Focus, Page, SelectionMode, State};
use super::steps::{Motion, WHEEL_LINES, moved};
use super::{actions, detail, help, open_dialog, panels, points};
use crate::model::{Intent, Response, Timestamp, WorkspaceId, WorkspaceView, display_text};
use crate::present::{Urgency, sessions};

/// After this long without input the person may have been away, so what is shown may be outdated.
const LONG_PAUSE_MS: i64 = 10_000;

/// What an input reveals about the person at the screen.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Presence {
    /// Nothing: only the world changed.
    Unknown,
    /// A key or the mouse shows that the user is there.
    Shown,
    /// They acted on the selected row, so they have seen it.
    OnRow,
}

/// Carries out one input. `views` are in the order of [`crate::present::order`].
pub fn update(state: &mut State, views: &[WorkspaceView], input: Input) -> Reaction {
    let mut reaction = Reaction::default();
    let is_back = state.is_back || input == Input::Focus;
    let was_zoomed = state.is_zoomed;
    let selected_before = state.selected.clone();
    let mut presence = apply(state, views, input, &mut reaction);
    if presence == Presence::Shown && state.selected != selected_before {
        presence = Presence::OnRow;
    }
    if presence >= Presence::Shown && !views.is_empty() {
        state.mode = SelectionMode::Stays;
    }
    settle(state, views);
    let look = if presence == Presence::OnRow { look(state, views) } else { None };
    let is_looked_at = look.is_some();
    reaction.intents.extend(look);
    if is_back {
        reaction.intents.extend(shown(state, views));
    } else if !was_zoomed && state.is_zoomed && !is_looked_at {
        reaction.intents.extend(state.selected.iter().map(glance));
    }
    reaction
}

fn apply(state: &mut State, views: &[WorkspaceView], input: Input, reaction: &mut Reaction) -> Presence {
    match input {
        Input::Focus => Presence::Unknown,
        Input::Resize(size) => {
            state.size = size;
            guard_unseen(state);
            Presence::Unknown
        }
        Input::Key(press) => {
            state.drop_answer();
            on_key(state, views, press, reaction)
        }
        Input::Paste(text) => {
            match open_dialog::on_paste(state, views, &text) {
                Some(step) => actions::take(state, views, step, reaction),
                None => write_filter(state, &text),
            }
            Presence::Shown
        }
        Input::Edited(edited) => {
            if let Some(step) = open_dialog::on_edited(state, views, &edited) {
                actions::take(state, views, step, reaction);
            }
            Presence::Shown
        }
        Input::Mouse(mouse) => {
            state.drop_answer();
            match open_dialog::on_mouse(state, views, mouse) {
                Some(step) => {
                    actions::take(state, views, step, reaction);
                    Presence::OnRow
                }
                None => on_mouse(state, views, mouse),
            }
        }
    }
}

/// Applies new workspace views, in the order of [`crate::present::order`]. The most urgent one is selected at
/// the start until all are judged, and whenever the selected one disappears. That does not mark it as seen.
pub fn views_changed(state: &mut State, views: &[WorkspaceView]) -> Reaction {
    state.is_loaded = true;
    state.detail_length = None;
    let is_known = |view: &WorkspaceView| view.verdict.is_some() || !view.reading.problems.is_empty();
    if state.mode == SelectionMode::FollowsUrgency {
        select_row(state, views, &ListRows::of(state, views), 0);
        if !views.is_empty() && views.iter().all(is_known) {
            state.mode = SelectionMode::Stays;
        }
    }
    let is_lapsed =
        |view: &WorkspaceView| state.marked.as_ref() == Some(&view.id) && view.marks.lapsed.is_some();
    if views.iter().any(is_lapsed) {
        state.drop_answer();
    }
    settle(state, views);
    let mut reaction = Reaction { is_quit: open_dialog::is_left(state, views), ..Reaction::default() };
    if let Some(step) = open_dialog::on_views(state, views) {
        actions::take(state, views, step, &mut reaction);
    }
    reaction
}

/// Applies the engine's answer to an intent.
pub fn on_response(state: &mut State, views: &[WorkspaceView], response: Response) -> Reaction {
    let mut reaction = Reaction::default();
    // From now on the message may be about something else.
    state.marked = None;
    match open_dialog::on_response(state, views, &response) {
        Some(step) => actions::take(state, views, step, &mut reaction),
        None => actions::on_response(state, views, response),
    }
    reaction
}

/// Notes the time of an input; the front calls it before each key.
pub fn on_input(state: &mut State, now: Timestamp) {
    state.is_back =
        state.heard_at.replace(now).is_some_and(|before| now.millis_since(before) > LONG_PAUSE_MS);
    state.guard.on_input(now);
}

/// Notes the time of a frame; the front calls it after drawing the current state.
pub fn on_frame(state: &mut State, now: Timestamp) {
    state.heard_at.get_or_insert(now);
    state.guard.on_frame(now);
    guard_unseen(state);
}

/// No key confirms anything in a dialog while the screen is too small to show it.
fn guard_unseen(state: &mut State) {
    if Areas::bare(state).is_none() {
        state.guard.begin();
    }
}

fn on_key(state: &mut State, views: &[WorkspaceView], press: KeyPress, reaction: &mut Reaction) -> Presence {
    if let Some(dialog) = &state.dialog {
        // The question about leaving concerns all workspaces.
        let presence = if matches!(dialog, Dialog::Leave(_)) { Presence::Shown } else { Presence::OnRow };
        if press.folded() == KeyPress::ctrl('c') {
            match open_dialog::on_interrupt(state, views) {
                Some(step) => actions::take(state, views, step, reaction),
                None => actions::leave(state, views, reaction),
            }
        } else if let Some(step) = open_dialog::on_key(state, views, press) {
            actions::take(state, views, step, reaction);
        }
        return presence;
    }
    let is_editing = state.filter_in_force().is_editing;
    let command = command_of(if is_editing { FILTER_BINDINGS } else { BINDINGS }, press);
    let is_on_row = state.page == Page::None && command.is_some_and(KeyCommand::is_about_row);
    match (command, press.code) {
        (Some(command), _) => perform(state, views, command, press, reaction),
        (None, KeyCode::Char(sign)) if is_editing && !press.ctrl && !press.alt => {
            write_filter(state, sign.encode_utf8(&mut [0; 4]));
        }
        (None, _) => {}
    }
    if is_on_row { Presence::OnRow } else { Presence::Shown }
}

fn perform(
    state: &mut State,
    views: &[WorkspaceView],
    command: KeyCommand,
    press: KeyPress,
    reaction: &mut Reaction,
) {
    let is_for_page = press.ctrl || command.is_of_filter() || matches!(command, KeyCommand::Move(_));
    if state.page == Page::Help && !is_for_page {
        // The other keys act on things that the help page covers.
        if command == KeyCommand::Back && !state.page_filter.text.is_empty() {
            state.page_filter = super::Filter::default();
        } else if matches!(command, KeyCommand::Help | KeyCommand::Back | KeyCommand::Go | KeyCommand::Quit) {
            close_page(state);
        }
        return;
    }
    match command {
        KeyCommand::Quit => actions::leave(state, views, reaction),
        KeyCommand::Help => state.page = Page::Help,
        KeyCommand::Back => step_back(state),
        KeyCommand::KeepFilter => state.filter_to_write().is_editing = false,
        KeyCommand::DropFilter => *state.filter_to_write() = super::Filter::default(),
        KeyCommand::Erase => drop(state.filter_to_write().text.pop()),
        KeyCommand::EraseWord => erase_word(&mut state.filter_to_write().text),
        KeyCommand::EraseAll => state.filter_to_write().text.clear(),
        KeyCommand::Tab => panels::show_tab(state, views, press),
        KeyCommand::Zoom => panels::zoom(state, views),
        KeyCommand::Tick => match selected_row(state, views).filter(|_| state.is_among_points()) {
            Some(row) => points::tick(state, &views[row]),
            None => actions::begin(state, views, WorkspaceCommand::Reply, reaction),
        },
        KeyCommand::Go => go(state, views, reaction),
        KeyCommand::Open => panels::open(state, views),
        KeyCommand::Close => panels::close_detail(state),
        KeyCommand::Unfold => panels::unfold(state, views, reaction),
        KeyCommand::SwitchFocus => panels::switch_focus(state),
        KeyCommand::Filter => start_filter(state),
        KeyCommand::NextWaiting => select_next_waiting(state, views),
        KeyCommand::NextMatch => select_around(state, views, 1),
        KeyCommand::PreviousMatch => select_around(state, views, -1),
        KeyCommand::Action(command) => actions::begin(state, views, command, reaction),
        KeyCommand::Refresh => {
            let workspace = selected_row(state, views).map(|position| views[position].id.clone());
            reaction.intents.extend(workspace.map(|id| Intent::Refresh { workspace: Some(id) }));
        }
        KeyCommand::RefreshAll => reaction.intents.push(Intent::Refresh { workspace: None }),
        KeyCommand::Move(step) => take_step(state, views, step),
    }
}

fn take_step(state: &mut State, views: &[WorkspaceView], step: Motion) {
    if state.page == Page::Help {
        let n_shown = areas(state, views).and_then(|areas| areas.page).map_or(1, |page| page.height.into());
        let n_lines = help::lines(state).len();
        state.page_top = step.scroll(state.page_top, n_lines, n_shown);
    } else if state.focus == Focus::Detail && !state.filter.is_editing {
        scroll_detail(state, views, step);
    } else {
        let rows = ListRows::of(state, views);
        let n_shown = areas(state, views).map_or(1, |areas| areas.list_shape().n_shown);
        let from = rows.selected(state, views).unwrap_or(0);
        select_row(state, views, &rows, step.go(from, rows.len(), n_shown));
    }
}

fn scroll_detail(state: &mut State, views: &[WorkspaceView], step: Motion) {
    let Some(area) = areas(state, views).and_then(|areas| areas.detail) else { return };
    let Some(position) = selected_row(state, views) else { return };
    let n_lines = if state.is_among_points() {
        let left = detail::left(state, &views[position], area.width);
        if points::take_step(state, &left, area, step) {
            return;
        }
        left.lines.len()
    } else {
        detail::n_lines(state, &views[position], area.width)
    };
    state.detail_top = step.scroll(state.detail_top, n_lines, area.height.into());
}

fn close_page(state: &mut State) {
    state.page = Page::None;
    state.page_top = 0;
    state.page_filter = super::Filter::default();
}

fn step_back(state: &mut State) {
    if state.focus == Focus::Detail {
        panels::close_detail(state);
    } else {
        state.filter = super::Filter::default();
    }
}

/// Jumps to the agent's pane. That is another program's screen, so nothing changes on this one.
fn go(state: &mut State, views: &[WorkspaceView], reaction: &mut Reaction) {
    let view = selected_row(state, views).map(|position| &views[position]);
    match view.and_then(|view| Some((view, sessions::with_pane(view)?))) {
        Some((view, session)) => reaction
            .intents
            .push(Intent::JumpToPane { workspace: view.id.clone(), session: session.session_name() }),
        None => panels::open(state, views),
    }
}

fn start_filter(state: &mut State) {
    state.filter_to_write().is_editing = true;
    if state.page == Page::Help {
        state.page_top = 0;
        return;
    }
    panels::close_detail(state);
}

fn write_filter(state: &mut State, text: &str) {
    let filter = state.filter_to_write();
    if !filter.is_editing {
        return;
    }
    let n_free = super::filter::MAX_SIGNS.saturating_sub(filter.text.chars().count());
    let signs = text.chars().map(|sign| if sign.is_whitespace() { ' ' } else { sign });
    filter.text.extend(signs.filter(|sign| !display_text::is_unsafe(*sign)).take(n_free));
}

fn erase_word(text: &mut String) {
    let kept = text.trim_end().rfind(' ').map_or(0, |blank| blank + 1);
    text.truncate(kept);
}

fn on_mouse(state: &mut State, views: &[WorkspaceView], mouse: Mouse) -> Presence {
    let Some(areas) = areas(state, views) else { return Presence::Shown };
    let is_over = |area: Option<ratatui::layout::Rect>| {
        area.is_some_and(|area| area.contains(Position::new(mouse.column, mouse.row)))
    };
    let by = match mouse.kind {
        MouseKind::Press => 0,
        MouseKind::ScrollUp => -1,
        MouseKind::ScrollDown => 1,
    };
    if is_over(areas.page) && state.page == Page::Help {
        take_step(state, views, Motion::By(by * WHEEL_LINES));
        return Presence::Shown;
    }
    if is_over(areas.detail) {
        if mouse.kind == MouseKind::Press {
            state.focus = Focus::Detail;
        }
        scroll_detail(state, views, Motion::By(by * WHEEL_LINES));
        return Presence::OnRow;
    }
    if let Some(list) = areas.list.filter(|list| is_over(Some(*list))) {
        let rows = ListRows::of(state, views);
        let from = rows.selected(state, views).unwrap_or(0);
        if mouse.kind == MouseKind::Press {
            state.focus = Focus::List;
            let line = mouse.row - list.y;
            let is_there = |(y, _): &&(u16, Entry)| (*y..*y + areas.row_height).contains(&line);
            let entries = rows.entries(state.list_top, areas.list_shape());
            if let Some((_, Entry::Row(row))) = entries.iter().find(is_there) {
                select_row(state, views, &rows, *row);
                return Presence::OnRow;
            }
        } else {
            select_row(state, views, &rows, moved(from, by, rows.len()));
        }
    }
    Presence::Shown
}

/// Reports that the person has seen the selected workspace: once, and again after it changes. Not while a
/// filter is typed, since the selection then only passes by.
fn look(state: &mut State, views: &[WorkspaceView]) -> Option<Intent> {
    if state.filter.is_editing {
        return None;
    }
    let view = &views[selected_row(state, views)?];
    if let Some((id, since)) = &state.looked
        && *id == view.id
        && (view.is_seen || *since == view.verdict_since)
    {
        return None;
    }
    state.looked = Some((view.id.clone(), view.verdict_since));
    state.holds_place |= Urgency::of(view) == Urgency::Unseen;
    Some(Intent::Look { workspace: view.id.clone() })
}

/// Asks for a fresh glance at the selected workspace and at each visible row, whose work trees are shown as of
/// the last look.
fn shown(state: &State, views: &[WorkspaceView]) -> Vec<Intent> {
    let rows = ListRows::of(state, views);
    let entries = areas(state, views)
        .filter(|areas| areas.list.is_some())
        .map(|areas| rows.entries(state.list_top, areas.list_shape()))
        .unwrap_or_default();
    let rows = entries.iter().filter_map(|(_, entry)| match entry {
        Entry::Row(row) => Some(&views[rows.positions[*row]].id),
        Entry::Heading(..) => None,
    });
    let selected = state.selected.as_ref();
    selected.into_iter().chain(rows.filter(|id| Some(*id) != selected)).map(glance).collect()
}

fn glance(workspace: &WorkspaceId) -> Intent {
    Intent::Glance { workspace: workspace.clone() }
}

fn areas(state: &State, views: &[WorkspaceView]) -> Option<Areas> {
    Areas::of(state, &ListRows::of(state, views), !views.is_empty())
}

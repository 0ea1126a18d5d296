//! Routes input to the open dialog before anything else gets it, and places the dialog on the screen. The
//! dialog is part of the screen's state; what each dialog does with its input is in `dialog`.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::areas::Areas;
use super::dialog::{Context, Dialog, Modal, Page, Step};
use super::input::{Edited, KeyPress, Mouse, MouseKind, Size};
use super::keymap::Hint;
use super::look::TextStyle;
use super::sheet::put_rule;
use super::state::State;
use super::steps::{Motion, WHEEL_LINES};
use super::text;
use crate::model::{Response, Timestamp, WorkspaceView};

/// Opens a dialog, replacing an open one. Its keys decide nothing until it could be read.
pub(super) fn open(state: &mut State, dialog: Dialog) {
    state.dialog = Some(dialog);
    state.guard.begin();
}

/// Passes a key to the open dialog. `None` if there is none.
pub(super) fn on_key(state: &mut State, views: &[WorkspaceView], press: KeyPress) -> Option<Step> {
    let is_armed = state.guard.is_armed(state.guard.now());
    let step = with(state, views, is_armed, |dialog, context| dialog.modal_mut().key(press, context));
    state.guard.typed();
    step
}

/// Passes Ctrl-C to the open dialog if it asks what to do with running actions. `None` if it does not.
pub(super) fn on_interrupt(state: &mut State, views: &[WorkspaceView]) -> Option<Step> {
    let interrupt = |dialog: &mut Dialog, context: Context<'_>| match dialog {
        Dialog::Leave(leave) => Some(leave.interrupt(context)),
        Dialog::Reply(_) | Dialog::Rescue(_) | Dialog::Confirm(_) | Dialog::Mark(_) | Dialog::Report(_) => {
            None
        }
    };
    with(state, views, false, interrupt).flatten()
}

/// Whether the program ends now: what the person decided on leaving is complete.
pub(super) fn is_left(state: &State, views: &[WorkspaceView]) -> bool {
    matches!(&state.dialog, Some(Dialog::Leave(leave)) if leave.is_over(views))
}

/// Passes pasted text to the open dialog; it confirms nothing.
pub(super) fn on_paste(state: &mut State, views: &[WorkspaceView], text: &str) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.modal_mut().paste(text, context))
}

/// Passes a text from the person's editor back to the open dialog that sent it there.
pub(super) fn on_edited(state: &mut State, views: &[WorkspaceView], edited: &Edited) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.modal_mut().edited(edited, context))
}

/// Passes a mouse event to the open dialog. Nothing outside it is confirmed.
pub(super) fn on_mouse(state: &mut State, views: &[WorkspaceView], mouse: Mouse) -> Option<Step> {
    let place = area_of(state, views)?;
    let is_armed = state.guard.is_armed(state.guard.now());
    with(state, views, is_armed, |dialog, context| match mouse.kind {
        MouseKind::ScrollUp => dialog.modal_mut().scroll(Motion::By(-WHEEL_LINES), context),
        MouseKind::ScrollDown => dialog.modal_mut().scroll(Motion::By(WHEEL_LINES), context),
        MouseKind::Press if place.contains(Position::new(mouse.column, mouse.row)) => {
            dialog.modal_mut().press(Position::new(mouse.column - place.x, mouse.row - place.y), context)
        }
        MouseKind::Press => Step::stay(),
    })
}

/// Passes an answer of the engine to the open dialog. `None` if it is not for that dialog.
pub(super) fn on_response(state: &mut State, views: &[WorkspaceView], response: &Response) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.modal_mut().on_response(response, context)).flatten()
}

/// Tells the open dialog of new views.
pub(super) fn on_views(state: &mut State, views: &[WorkspaceView]) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.modal_mut().on_views(context))
}

fn with<T>(
    state: &mut State,
    views: &[WorkspaceView],
    is_armed: bool,
    action: impl FnOnce(&mut Dialog, Context<'_>) -> T,
) -> Option<T> {
    let mut dialog = state.dialog.take()?;
    let context = context(state, views, &dialog, state.guard.now(), is_armed);
    let answer = action(&mut dialog, context);
    state.dialog = Some(dialog);
    Some(answer)
}

fn context<'a>(
    state: &State,
    views: &'a [WorkspaceView],
    dialog: &Dialog,
    now: Timestamp,
    is_armed: bool,
) -> Context<'a> {
    let body = Areas::bare(state).map(|areas| areas.body).unwrap_or_default();
    let room = Size { width: body.width, height: body.height.saturating_sub(1) };
    let view = views.iter().find(|view| view.id == *dialog.workspace());
    Context { view, views, room, look: state.look, now, is_armed }
}

/// The area of the open dialog without its title: at the end of the body, as high as the dialog asks for.
fn area_of(state: &State, views: &[WorkspaceView]) -> Option<Rect> {
    let dialog = state.dialog.as_ref()?;
    let context = context(state, views, dialog, state.guard.now(), false);
    area_for(state, height(dialog.modal(), dialog.modal().page(context).as_ref(), context))
}

fn height(modal: &dyn Modal, page: Option<&Page>, context: Context<'_>) -> u16 {
    page.map_or_else(|| modal.height(context), |page| u16::try_from(page.lines.len()).unwrap_or(u16::MAX))
}

fn area_for(state: &State, height: u16) -> Option<Rect> {
    let body = Areas::bare(state)?.body;
    let height = height.clamp(1, body.height.saturating_sub(1).max(1));
    Some(Rect { y: body.bottom() - height, height, ..body })
}

/// Draws the open dialog over the panels; returns the cursor position and the hints.
pub(super) fn draw(
    buffer: &mut Buffer,
    state: &State,
    views: &[WorkspaceView],
    now: Timestamp,
) -> Option<(Option<Position>, Vec<Hint>)> {
    let dialog = state.dialog.as_ref()?;
    let modal = dialog.modal();
    let context = context(state, views, dialog, now, state.guard.is_armed(now));
    let page = modal.page(context);
    let area = area_for(state, height(modal, page.as_ref(), context))?;
    let rule = Rect { y: area.y.saturating_sub(1), height: 1, ..area };
    for cell in rule.union(area).positions() {
        buffer[cell].reset();
    }
    let title = text::cut(&modal.title(context), usize::from(area.width), state.look);
    let remark = match &page {
        Some(page) => page.place(context.n_shown()),
        None => modal.remark(context),
    };
    put_rule(buffer, rule, &title, TextStyle::Strong, &remark, state.look);
    let cursor = match page {
        Some(page) => {
            page.draw(buffer, area);
            modal.cursor(area, context)
        }
        None => modal.draw(buffer, area, context),
    };
    Some((cursor, modal.hints(context)))
}

//! Dialogs: what a person is asked, or writes, over list and detail. One file a dialog.
//!
//! While one is open it gets every key, paste and click, and the answers of the engine first. It
//! decides nothing about the world: what was confirmed leaves as an [`crate::model::Intent`]. Nothing is confirmed by
//! a key that was typed before the dialog could be read: see [`Guard`].

pub mod confirm;
pub mod decide_box;
mod field;
mod guard;
mod keys;
pub mod leave_box;
mod message_area;
mod page;
pub mod reply_box;
pub mod report_box;
pub mod rescue_box;
mod rescue_facts;
mod rescue_rows;
mod rescue_writing;
mod step;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::areas::Areas;
use super::footer::Hint;
use super::input::{Edited, KeyPress, Mouse, MouseKind, Size};
use super::keymap::Binding;
use super::look::{Look, TextStyle};
use super::sheet::TextLayout;
use super::state::State;
use super::{put_rule, text};
use crate::model::{Response, Timestamp, WorkspaceId, WorkspaceView};

use confirm::ConfirmBox;
use decide_box::DecideBox;
pub use guard::Guard;
use leave_box::LeaveBox;
use reply_box::ReplyBox;
use report_box::ReportBox;
use rescue_box::RescueBox;
pub(in crate::ui) use step::{Step, Then};

/// Longer lines than this are hard to read.
const MAX_WIDTH: usize = 100;

/// What is open over list and detail.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// A reply is written.
    Reply(Box<ReplyBox>),
    /// A rescue is shown before it is done.
    Rescue(Box<RescueBox>),
    /// Another plan is shown before it is carried out.
    Confirm(Box<ConfirmBox>),
    /// A person decides whether the work is complete.
    Decide(Box<DecideBox>),
    /// What became of something, or what an agent answered.
    Report(Box<ReportBox>),
    /// What becomes of what runs, when a person leaves the program.
    Leave(Box<LeaveBox>),
}

/// What a dialog may look at.
#[derive(Clone, Copy)]
pub(in crate::ui) struct Context<'a> {
    /// Its workspace as it is now; `None` when it is gone.
    pub(in crate::ui) view: Option<&'a WorkspaceView>,
    /// All workspaces.
    pub(in crate::ui) views: &'a [WorkspaceView],
    /// The room for a dialog: all between the header and the hints, without the line of its title.
    pub(in crate::ui) room: Size,
    /// How things look.
    pub(in crate::ui) look: Look,
    /// The time now, in a frame; of the last input otherwise.
    pub(in crate::ui) now: Timestamp,
    /// Whether a key may confirm something: the dialog was there long enough to be read.
    pub(in crate::ui) is_armed: bool,
}

impl Context<'_> {
    /// A sheet as wide as a dialog.
    pub(in crate::ui) fn sheet(self) -> TextLayout {
        let width = usize::from(self.room.width.saturating_sub(2)).min(MAX_WIDTH);
        TextLayout { width, look: self.look, now: self.now }
    }

    /// How many lines a dialog shows at most.
    pub(in crate::ui) fn n_shown(self) -> usize {
        usize::from(self.room.height).max(1)
    }
}

impl Dialog {
    /// The workspace that it is about.
    pub fn workspace(&self) -> &WorkspaceId {
        match self {
            Dialog::Reply(reply) => reply.workspace(),
            Dialog::Rescue(rescue) => rescue.workspace(),
            Dialog::Confirm(confirm) => confirm.workspace(),
            Dialog::Decide(decide) => decide.workspace(),
            Dialog::Report(report) => report.workspace(),
            Dialog::Leave(leave) => leave.workspace(),
        }
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.key(press, context),
            Dialog::Rescue(rescue) => rescue.key(press, context),
            Dialog::Confirm(confirm) => confirm.key(press, context),
            Dialog::Decide(decide) => decide.key(press, context),
            Dialog::Report(report) => report.key(press, context),
            Dialog::Leave(leave) => leave.key(press, context),
        }
    }

    fn paste(&mut self, text: &str, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.paste(text, context),
            Dialog::Rescue(rescue) => rescue.paste(text, context),
            Dialog::Decide(decide) => decide.paste(text),
            Dialog::Confirm(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.edited(edited, context),
            Dialog::Rescue(rescue) => rescue.edited(edited, context),
            Dialog::Confirm(_) | Dialog::Decide(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    /// By so many lines with the wheel, up if negative.
    fn scroll(&mut self, by: isize, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.scroll(by, context),
            Dialog::Rescue(rescue) => rescue.scroll(by, context),
            Dialog::Confirm(confirm) => confirm.scroll(by, context),
            Dialog::Decide(_) | Dialog::Leave(_) => Step::stay(),
            Dialog::Report(report) => report.scroll(by, context),
        }
    }

    /// A press of the mouse at a place of the dialog, counted from its top left.
    fn press(&mut self, at: Position, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.press(at, context),
            Dialog::Rescue(rescue) => rescue.press(at, context),
            Dialog::Confirm(_) | Dialog::Decide(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    /// An answer of the engine; `None` when it is not for this dialog.
    fn told(&mut self, told: &Response, context: Context<'_>) -> Option<Step> {
        match self {
            Dialog::Reply(reply) => reply.told(told, context),
            Dialog::Rescue(_)
            | Dialog::Confirm(_)
            | Dialog::Decide(_)
            | Dialog::Report(_)
            | Dialog::Leave(_) => None,
        }
    }

    /// The title in the rule above it. Cleaned.
    fn title(&self, context: Context<'_>) -> String {
        match self {
            Dialog::Reply(reply) => reply.title(context),
            Dialog::Rescue(rescue) => rescue.title(),
            Dialog::Confirm(confirm) => confirm.title(),
            Dialog::Decide(decide) => decide.title(),
            Dialog::Report(report) => report.title(),
            Dialog::Leave(_) => LeaveBox::title(),
        }
    }

    /// A remark at the right end of that rule, like a place in a long list. Cleaned.
    fn remark(&self, context: Context<'_>) -> String {
        match self {
            Dialog::Reply(reply) => reply.remark(context),
            Dialog::Rescue(rescue) => rescue.remark(context),
            Dialog::Confirm(confirm) => confirm.remark(context),
            Dialog::Decide(_) | Dialog::Leave(_) => String::new(),
            Dialog::Report(report) => report.remark(context),
        }
    }

    /// How many lines it wants.
    fn height(&self, context: Context<'_>) -> u16 {
        match self {
            Dialog::Reply(reply) => reply.height(context),
            Dialog::Rescue(rescue) => rescue.height(context),
            Dialog::Confirm(confirm) => confirm.height(context),
            Dialog::Decide(decide) => decide.height(context),
            Dialog::Report(report) => report.height(context),
            Dialog::Leave(leave) => leave.height(context),
        }
    }

    /// Draws it into an area that was made empty; answers where the cursor stands.
    fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) -> Option<Position> {
        match self {
            Dialog::Reply(reply) => reply.draw(buffer, area, context),
            Dialog::Rescue(rescue) => rescue.draw(buffer, area, context),
            Dialog::Confirm(confirm) => {
                confirm.draw(buffer, area, context);
                None
            }
            Dialog::Decide(decide) => decide.draw(buffer, area, context),
            Dialog::Report(report) => {
                report.draw(buffer, area, context);
                None
            }
            Dialog::Leave(leave) => {
                leave.draw(buffer, area, context);
                None
            }
        }
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        match self {
            Dialog::Reply(reply) => reply.hints(context),
            Dialog::Rescue(rescue) => rescue.hints(context),
            Dialog::Confirm(_) => ConfirmBox::hints(context),
            Dialog::Decide(decide) => decide.hints(context),
            Dialog::Report(report) => report.hints(),
            Dialog::Leave(leave) => leave.hints(context),
        }
    }
}

/// Opens a dialog in place of the one that is open. Its keys decide nothing until it could be read.
pub(in crate::ui) fn open(state: &mut State, dialog: Dialog) {
    state.dialog = Some(dialog);
    state.guard.begin();
}

/// The keys of all dialogs, for the help page: a title, and each line.
pub(in crate::ui) fn help() -> Vec<(&'static str, Vec<(String, &'static str)>)> {
    vec![
        ("In the reply box", help_of(reply_box::BINDINGS)),
        ("In the preview of a rescue", help_of(&keys::RESCUE[..keys::N_RESCUE])),
        ("Where you are asked", help_of(&keys::CONFIRM[..2])),
        ("In the report of the closer", help_of(&keys::CLOSER[..2])),
        ("For a decision", help_of(keys::DECIDE)),
        ("When you leave while something runs", help_of(keys::LEAVE)),
        ("In the message of a commit", help_of(keys::MESSAGE)),
        ("In a line that is written", help_of(keys::FIELD)),
    ]
}

/// The lines of one table.
fn help_of<A>(table: &[Binding<A>]) -> Vec<(String, &'static str)> {
    table.iter().map(|binding| (binding.keys_in_words(), binding.help)).collect()
}

/// A key for the open dialog. `None` when there is none.
pub(in crate::ui) fn on_key(state: &mut State, views: &[WorkspaceView], press: KeyPress) -> Option<Step> {
    let is_armed = state.guard.is_armed(state.guard.now());
    let step = with(state, views, is_armed, |dialog, context| dialog.key(press, context));
    state.guard.typed();
    step
}

/// Ctrl-C for the open dialog, if it asks what becomes of what runs. `None` when it does not.
pub(in crate::ui) fn on_interrupt(state: &mut State, views: &[WorkspaceView]) -> Option<Step> {
    let interrupt = |dialog: &mut Dialog, context: Context<'_>| match dialog {
        Dialog::Leave(leave) => Some(leave.interrupt(context)),
        Dialog::Reply(_) | Dialog::Rescue(_) | Dialog::Confirm(_) | Dialog::Decide(_) | Dialog::Report(_) => {
            None
        }
    };
    with(state, views, false, interrupt).flatten()
}

/// Whether the program is left now: what a person decided has come to its end.
pub(in crate::ui) fn is_left(state: &State, views: &[WorkspaceView]) -> bool {
    matches!(&state.dialog, Some(Dialog::Leave(leave)) if leave.is_over(views))
}

/// Pasted text for the open dialog. It confirms nothing.
pub(in crate::ui) fn on_paste(state: &mut State, views: &[WorkspaceView], text: &str) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.paste(text, context))
}

/// A text that comes back from the person's editor, for the open dialog that gave it.
pub(in crate::ui) fn on_edited(state: &mut State, views: &[WorkspaceView], edited: &Edited) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.edited(edited, context))
}

/// The mouse for the open dialog. It confirms nothing outside of it.
pub(in crate::ui) fn on_mouse(state: &mut State, views: &[WorkspaceView], mouse: Mouse) -> Option<Step> {
    /// Lines that one turn of the wheel scrolls.
    const WHEEL_LINES: isize = 3;
    let place = area_of(state, views)?;
    let is_armed = state.guard.is_armed(state.guard.now());
    with(state, views, is_armed, |dialog, context| match mouse.kind {
        MouseKind::ScrollUp => dialog.scroll(-WHEEL_LINES, context),
        MouseKind::ScrollDown => dialog.scroll(WHEEL_LINES, context),
        MouseKind::Press if place.contains(Position::new(mouse.column, mouse.row)) => {
            dialog.press(Position::new(mouse.column - place.x, mouse.row - place.y), context)
        }
        MouseKind::Press => Step::stay(),
    })
}

/// An answer of the engine for the open dialog. `None` when it is not for it.
pub(in crate::ui) fn on_response(
    state: &mut State,
    views: &[WorkspaceView],
    told: &Response,
) -> Option<Step> {
    with(state, views, false, |dialog, context| dialog.told(told, context)).flatten()
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
    let body = Areas::of(state, 1, false).map(|areas| areas.body).unwrap_or_default();
    let room = Size { width: body.width, height: body.height.saturating_sub(1) };
    let view = views.iter().find(|view| view.id == *dialog.workspace());
    Context { view, views, room, look: state.look, now, is_armed }
}

/// Where the open dialog stands, without its title: at the end of the body, as high as it wants to be.
fn area_of(state: &State, views: &[WorkspaceView]) -> Option<Rect> {
    let dialog = state.dialog.as_ref()?;
    let body = Areas::of(state, 1, false)?.body;
    let context = context(state, views, dialog, state.guard.now(), false);
    let height = dialog.height(context).clamp(1, body.height.saturating_sub(1).max(1));
    Some(Rect { y: body.bottom() - height, height, ..body })
}

/// Draws the open dialog over what is there; answers where the cursor stands, and the hints.
pub(in crate::ui) fn draw(
    buffer: &mut Buffer,
    state: &State,
    views: &[WorkspaceView],
    now: Timestamp,
) -> Option<(Option<Position>, Vec<Hint>)> {
    let dialog = state.dialog.as_ref()?;
    let area = area_of(state, views)?;
    let context = context(state, views, dialog, now, state.guard.is_armed(now));
    let rule = Rect { y: area.y.saturating_sub(1), height: 1, ..area };
    for cell in rule.union(area).positions() {
        buffer[cell].reset();
    }
    let title = text::cut(&dialog.title(context), usize::from(area.width), state.look);
    put_rule(buffer, rule, &title, TextStyle::Strong, &dialog.remark(context), state.look);
    let cursor = dialog.draw(buffer, area, context);
    Some((cursor, dialog.hints(context)))
}

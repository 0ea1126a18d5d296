//! Dialogs: what a person is asked, or writes, over list and detail. One file a dialog.
//!
//! While one is open it gets every key, paste and click, and the answers of the engine first. It
//! decides nothing about the world: what was confirmed leaves as an [`crate::model::Intent`]. Nothing is confirmed by
//! a key that was typed before the dialog could be read: see [`Guard`].

pub mod confirm;
mod context;
mod field;
mod guard;
mod keys;
pub mod leave_box;
pub mod mark_box;
mod message_area;
mod page;
pub mod reply_box;
pub mod report_box;
pub mod rescue_box;
mod step;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::input::{Edited, KeyPress};
use super::keymap::{Binding, Hint};
use crate::model::{Response, WorkspaceId};

use confirm::ConfirmBox;
pub(in crate::ui) use context::Context;
pub use guard::Guard;
use leave_box::LeaveBox;
use mark_box::MarkBox;
use reply_box::ReplyBox;
use report_box::ReportBox;
use rescue_box::RescueBox;
pub(in crate::ui) use step::{Step, Then};

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
    Mark(Box<MarkBox>),
    /// What became of something, or what an agent answered.
    Report(Box<ReportBox>),
    /// What becomes of what runs, when a person leaves the program.
    Leave(Box<LeaveBox>),
}

impl Dialog {
    /// The workspace that it is about.
    pub fn workspace(&self) -> &WorkspaceId {
        match self {
            Dialog::Reply(reply) => reply.workspace(),
            Dialog::Rescue(rescue) => rescue.workspace(),
            Dialog::Confirm(confirm) => confirm.workspace(),
            Dialog::Mark(mark) => mark.workspace(),
            Dialog::Report(report) => report.workspace(),
            Dialog::Leave(leave) => leave.workspace(),
        }
    }

    pub(in crate::ui) fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.key(press, context),
            Dialog::Rescue(rescue) => rescue.key(press, context),
            Dialog::Confirm(confirm) => confirm.key(press, context),
            Dialog::Mark(mark) => mark.key(press, context),
            Dialog::Report(report) => report.key(press, context),
            Dialog::Leave(leave) => leave.key(press, context),
        }
    }

    pub(in crate::ui) fn paste(&mut self, text: &str, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.paste(text, context),
            Dialog::Rescue(rescue) => rescue.paste(text, context),
            Dialog::Mark(mark) => mark.paste(text),
            Dialog::Confirm(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    pub(in crate::ui) fn edited(&mut self, edited: &Edited, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => reply.edited(edited, context),
            Dialog::Rescue(rescue) => rescue.edited(edited, context),
            Dialog::Confirm(_) | Dialog::Mark(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    /// By so many lines with the wheel, up if negative.
    pub(in crate::ui) fn scroll(&mut self, by: isize, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => {
                reply.scroll(by, context);
                Step::stay()
            }
            Dialog::Rescue(rescue) => rescue.scroll(by, context),
            Dialog::Confirm(confirm) => confirm.scroll(by, context),
            Dialog::Mark(_) | Dialog::Leave(_) => Step::stay(),
            Dialog::Report(report) => report.scroll(by, context),
        }
    }

    /// A press of the mouse at a place of the dialog, counted from its top left.
    pub(in crate::ui) fn press(&mut self, at: Position, context: Context<'_>) -> Step {
        match self {
            Dialog::Reply(reply) => {
                reply.press(at, context);
                Step::stay()
            }
            Dialog::Rescue(rescue) => rescue.press(at, context),
            Dialog::Confirm(_) | Dialog::Mark(_) | Dialog::Report(_) | Dialog::Leave(_) => Step::stay(),
        }
    }

    /// An answer of the engine; `None` when it is not for this dialog.
    pub(in crate::ui) fn told(&mut self, told: &Response, context: Context<'_>) -> Option<Step> {
        match self {
            Dialog::Reply(reply) => reply.told(told, context),
            Dialog::Rescue(_)
            | Dialog::Confirm(_)
            | Dialog::Mark(_)
            | Dialog::Report(_)
            | Dialog::Leave(_) => None,
        }
    }

    /// The title in the rule above it. Cleaned.
    pub(in crate::ui) fn title(&self, context: Context<'_>) -> String {
        match self {
            Dialog::Reply(reply) => reply.title(context),
            Dialog::Rescue(rescue) => rescue.title(),
            Dialog::Confirm(confirm) => confirm.title(),
            Dialog::Mark(mark) => mark.title(),
            Dialog::Report(report) => report.title(),
            Dialog::Leave(_) => LeaveBox::title(),
        }
    }

    /// A remark at the right end of that rule, like a place in a long list. Cleaned.
    pub(in crate::ui) fn remark(&self, context: Context<'_>) -> String {
        match self {
            Dialog::Reply(reply) => reply.remark(context),
            Dialog::Rescue(rescue) => rescue.remark(context),
            Dialog::Confirm(confirm) => confirm.remark(context),
            Dialog::Mark(_) | Dialog::Leave(_) => String::new(),
            Dialog::Report(report) => report.remark(context),
        }
    }

    /// How many lines it wants.
    pub(in crate::ui) fn height(&self, context: Context<'_>) -> u16 {
        match self {
            Dialog::Reply(reply) => reply.height(context),
            Dialog::Rescue(rescue) => rescue.height(context),
            Dialog::Confirm(confirm) => confirm.height(context),
            Dialog::Mark(mark) => mark.height(context),
            Dialog::Report(report) => report.height(context),
            Dialog::Leave(leave) => leave.height(context),
        }
    }

    /// Draws it into an area that was made empty; answers where the cursor stands.
    pub(in crate::ui) fn draw(
        &self,
        buffer: &mut Buffer,
        area: Rect,
        context: Context<'_>,
    ) -> Option<Position> {
        match self {
            Dialog::Reply(reply) => reply.draw(buffer, area, context),
            Dialog::Rescue(rescue) => rescue.draw(buffer, area, context),
            Dialog::Confirm(confirm) => {
                confirm.draw(buffer, area, context);
                None
            }
            Dialog::Mark(mark) => mark.draw(buffer, area, context),
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

    pub(in crate::ui) fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        match self {
            Dialog::Reply(reply) => reply.hints(context),
            Dialog::Rescue(rescue) => rescue.hints(context),
            Dialog::Confirm(_) => ConfirmBox::hints(context),
            Dialog::Mark(mark) => mark.hints(context),
            Dialog::Report(report) => report.hints(),
            Dialog::Leave(leave) => leave.hints(context),
        }
    }
}

/// The keys of all dialogs, for the help page: a title, and each line.
pub(in crate::ui) fn help() -> Vec<(&'static str, Vec<(String, &'static str)>)> {
    vec![
        ("In the reply box", help_of(reply_box::BINDINGS)),
        ("In the preview of a rescue", help_of(&keys::RESCUE[..keys::N_RESCUE])),
        ("Where you are asked", help_of(&keys::CONFIRM[..2])),
        ("In the report of an agent", help_of(&keys::CLOSER[..2])),
        ("For a mark", help_of(keys::MARK)),
        ("When you leave while something runs", help_of(keys::LEAVE)),
        ("In the message of a commit", help_of(keys::MESSAGE)),
        ("In a line that is written", help_of(keys::FIELD)),
    ]
}

/// The lines of one table.
fn help_of<A>(table: &[Binding<A>]) -> Vec<(String, &'static str)> {
    table.iter().map(|binding| (binding.keys_in_words(), binding.help)).collect()
}

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
mod modal;
mod page;
pub mod reply_box;
pub mod report_box;
pub mod rescue_box;
mod step;

use super::keymap::Binding;
use crate::model::WorkspaceId;

use confirm::ConfirmBox;
pub(in crate::ui) use context::Context;
pub use guard::Guard;
use leave_box::LeaveBox;
use mark_box::MarkBox;
pub(in crate::ui) use modal::{Modal, Page};
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
        self.modal().workspace()
    }

    /// The dialog as one of its kind.
    pub(in crate::ui) fn modal(&self) -> &dyn Modal {
        match self {
            Dialog::Reply(reply) => &**reply,
            Dialog::Rescue(rescue) => &**rescue,
            Dialog::Confirm(confirm) => &**confirm,
            Dialog::Mark(mark) => &**mark,
            Dialog::Report(report) => &**report,
            Dialog::Leave(leave) => &**leave,
        }
    }

    /// The same, for an input.
    pub(in crate::ui) fn modal_mut(&mut self) -> &mut dyn Modal {
        match self {
            Dialog::Reply(reply) => &mut **reply,
            Dialog::Rescue(rescue) => &mut **rescue,
            Dialog::Confirm(confirm) => &mut **confirm,
            Dialog::Mark(mark) => &mut **mark,
            Dialog::Report(report) => &mut **report,
            Dialog::Leave(leave) => &mut **leave,
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

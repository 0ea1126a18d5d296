//! Dialogs: questions to the person, and what the person writes, over list and detail. One file per dialog.
//!
//! An open dialog gets every key, paste and click, and the engine's answers, before anything else does. It
//! decides nothing about the world: what was confirmed leaves as a [`crate::model::Intent`]. A key typed before
//! the dialog could be read confirms nothing: see [`Guard`].

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

use super::keymap::Binding;
use crate::model::WorkspaceId;
use confirm::ConfirmBox;
use leave_box::LeaveBox;
use mark_box::MarkBox;
use reply_box::ReplyBox;
use report_box::ReportBox;
use rescue_box::RescueBox;

pub(in crate::ui) use context::Context;
pub use guard::Guard;
pub(in crate::ui) use modal::{Modal, Page, Step, Then};

/// The dialog drawn over list and detail.
#[derive(Debug, Clone, PartialEq)]
pub enum Dialog {
    /// Write a reply.
    Reply(Box<ReplyBox>),
    /// Preview of a rescue.
    Rescue(Box<RescueBox>),
    /// Confirm another plan.
    Confirm(Box<ConfirmBox>),
    /// Mark a workspace, for example as done.
    Mark(Box<MarkBox>),
    /// A failed action, or what an agent answered.
    Report(Box<ReportBox>),
    /// What to do with running actions when the person leaves the program.
    Leave(Box<LeaveBox>),
}

impl Dialog {
    /// The workspace that it is about.
    pub fn workspace(&self) -> &WorkspaceId {
        self.modal().workspace()
    }

    /// What it shows, as a message for somebody who leaves; `None` for what is only a question.
    pub(in crate::ui) fn message(&self) -> Option<String> {
        match self {
            Dialog::Report(report) => Some(report.message()),
            Dialog::Rescue(rescue) => Some(rescue.not_committed()),
            Dialog::Reply(_) | Dialog::Confirm(_) | Dialog::Mark(_) | Dialog::Leave(_) => None,
        }
    }

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

/// The keys of all dialogs for the help page: per dialog a title and its lines.
pub(in crate::ui) fn help() -> Vec<(&'static str, Vec<(String, &'static str)>)> {
    vec![
        ("In the reply box", help_of(reply_box::BINDINGS)),
        ("In the preview of a rescue", help_of(keys::RESCUE)),
        ("In a confirmation", help_of(keys::CONFIRM)),
        ("In the report of an agent", help_of(keys::CLOSER)),
        ("For a mark", help_of(keys::MARK)),
        ("When you leave while something runs", help_of(keys::LEAVE)),
        ("In the message of a commit", help_of(keys::MESSAGE)),
        ("In a text field", help_of(keys::FIELD)),
    ]
}

fn help_of<A>(table: &[Binding<A>]) -> Vec<(String, &'static str)> {
    table.iter().map(|binding| (binding.keys_in_words(), binding.help)).collect()
}

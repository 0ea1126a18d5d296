//! The reply box: the question, and below it what a person writes to the agent.
//!
//! It sends nothing: what is sent leaves as an intent.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{Context, Step};
use crate::model::{Intent, Told, WorkspaceId, WorkspaceView};
use crate::ui::footer::{Hint, hints_of};
use crate::ui::input::{KeyCode, KeyPress};
use crate::ui::keymap::{Binding, action_of, bind, key};
use crate::ui::text;

/// A reply that is being written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReplyBox {
    workspace: WorkspaceId,
}

/// What a key asks of the box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReplyAction {
    /// Close it; what was written is kept.
    Leave,
}

/// The keys of the box. Every other character is part of the reply.
pub const BINDINGS: &[Binding<ReplyAction>] =
    &[bind(&[key(KeyCode::Esc)], ReplyAction::Leave, "leave; what was written is kept").hinted("leave")];

/// Opens the box for a workspace, with this text in it if there is no other; answers what the engine is
/// asked first. In words why there is nobody to reply to.
pub(in crate::ui) fn begin(
    view: &WorkspaceView,
    draft: Option<&str>,
) -> Result<(ReplyBox, Vec<Intent>), String> {
    let _ = draft;
    if view.sessions.is_empty() {
        return Err("no session of an agent is known here".to_owned());
    }
    Ok((ReplyBox { workspace: view.id.clone() }, Vec::new()))
}

impl ReplyBox {
    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    pub(super) fn key(&mut self, press: KeyPress, _context: Context<'_>) -> Step {
        match action_of(BINDINGS, press) {
            Some(ReplyAction::Leave) => Step::close(),
            None => Step::stay(),
        }
    }

    pub(super) fn paste(&mut self, _text: &str, _context: Context<'_>) -> Step {
        Step::stay()
    }

    pub(super) fn scroll(&mut self, _by: isize, _context: Context<'_>) -> Step {
        Step::stay()
    }

    pub(super) fn press(&mut self, _at: Position, _context: Context<'_>) -> Step {
        Step::stay()
    }

    pub(super) fn told(&mut self, _told: &Told, _context: Context<'_>) -> Option<Step> {
        None
    }

    pub(super) fn title(&self, context: Context<'_>) -> String {
        let name = context.view.map(|view| text::line(&view.name)).unwrap_or_default();
        format!("Reply  {name}")
    }

    pub(super) fn remark(&self, _context: Context<'_>) -> String {
        String::new()
    }

    pub(super) fn height(&self, _context: Context<'_>) -> u16 {
        6
    }

    pub(super) fn draw(&self, _buffer: &mut Buffer, _area: Rect, _context: Context<'_>) -> Option<Position> {
        None
    }

    pub(super) fn hints(&self, _context: Context<'_>) -> Vec<Hint> {
        hints_of(BINDINGS)
    }
}

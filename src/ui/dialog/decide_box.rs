//! The box in which a person decides: complete or not, why, and yes.
//!
//! Three steps, so that no letter of a reason is taken for an answer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::field::{Field, Written};
use super::keys::{BoxAction, CONFIRM, DECIDE, FIELD};
use super::page;
use super::{Context, Step};
use crate::model::{Action, Intent, WorkspaceId, WorkspaceView};
use crate::ui::input::KeyPress;
use crate::ui::keymap::action_of;
use crate::ui::keymap::{Hint, hints_of};
use crate::ui::look::TextStyle;
use crate::ui::sheet::TextLayout;
use crate::ui::sheet::put;
use crate::ui::text;

/// A decision that is being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DecideBox {
    workspace: WorkspaceId,
    /// Its name, cleaned.
    name: String,
    stage: Stage,
}

/// How far it is.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Choosing,
    Reasoning { is_complete: bool, reason: Field },
    Asking { is_complete: bool, reason: Option<String> },
}

impl DecideBox {
    /// A box for a workspace.
    pub(in crate::ui) fn new(view: &WorkspaceView) -> DecideBox {
        DecideBox { workspace: view.id.clone(), name: text::line(&view.name), stage: Stage::Choosing }
    }

    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    pub(super) fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Choosing => match action_of(DECIDE, press) {
                Some(BoxAction::Complete) => self.reasoning(true),
                Some(BoxAction::Incomplete) => self.reasoning(false),
                Some(BoxAction::No) => Step::close(),
                Some(_) | None => Step::stay(),
            },
            Stage::Reasoning { is_complete, reason } => match reason.key(press) {
                Written::More => Step::stay(),
                Written::Left => Step::close(),
                Written::Kept => {
                    let reason = Some(reason.text()).filter(|reason| !reason.is_empty());
                    self.stage = Stage::Asking { is_complete: *is_complete, reason };
                    Step { is_new_question: true, ..Step::stay() }
                }
            },
            Stage::Asking { is_complete, reason } => match action_of(CONFIRM, press) {
                Some(BoxAction::Yes) if !context.is_armed => Step::too_early(),
                Some(BoxAction::Yes) => {
                    let action = Action::Decide { is_complete: *is_complete, reason: reason.clone() };
                    Step::want(Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) })
                }
                Some(BoxAction::No) => Step::close(),
                Some(_) | None => Step::stay(),
            },
        }
    }

    fn reasoning(&mut self, is_complete: bool) -> Step {
        self.stage = Stage::Reasoning { is_complete, reason: Field::default() };
        Step::stay()
    }

    pub(super) fn paste(&mut self, pasted: &str) -> Step {
        if let Stage::Reasoning { reason, .. } = &mut self.stage {
            reason.write(pasted);
        }
        Step::stay()
    }

    pub(super) fn title(&self) -> String {
        format!("Decide  {}", self.name)
    }

    pub(super) fn height(&self, context: Context<'_>) -> u16 {
        u16::try_from(self.lines(context).len()).unwrap_or(u16::MAX)
    }

    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) -> Option<Position> {
        let inner = page::inner(area);
        put(buffer, inner, self.lines(context));
        match &self.stage {
            Stage::Reasoning { is_complete, reason } => {
                let n_above =
                    u16::try_from(question(*is_complete, context.sheet()).len()).unwrap_or(u16::MAX);
                let below = Rect { y: inner.y.saturating_add(n_above), ..inner };
                let at = reason.cursor("because", context.sheet(), below);
                Some(Position { y: at.y.min(inner.bottom().saturating_sub(1)), ..at })
            }
            Stage::Choosing | Stage::Asking { .. } => None,
        }
    }

    fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        let sheet = context.sheet();
        match &self.stage {
            Stage::Choosing => {
                let mut lines =
                    sheet.text("Is the work here complete, in your own judgement?", TextStyle::Strong, 0);
                let words =
                    "Your decision is written as the decision file of this check, and counts as its word.";
                lines.extend(sheet.text(words, TextStyle::Faint, 0));
                lines
            }
            Stage::Reasoning { is_complete, reason } => {
                let mut lines = question(*is_complete, sheet);
                lines.extend(reason.lines("because", sheet));
                lines
            }
            Stage::Asking { is_complete, reason } => {
                let words = format!("Write the decision file: {}?", label(*is_complete));
                let mut lines = sheet.text(&words, TextStyle::Strong, 0);
                let reason = reason.as_deref().map_or_else(|| "no reason given".to_owned(), text::line);
                lines.extend(sheet.labelled("because", &reason));
                lines
            }
        }
    }

    pub(super) fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        match &self.stage {
            Stage::Choosing => hints_of(DECIDE),
            Stage::Reasoning { .. } => hints_of(FIELD),
            Stage::Asking { .. } => page::armed(hints_of(&CONFIRM[..2]), context),
        }
    }
}

/// What is asked for above the field.
fn question(is_complete: bool, sheet: TextLayout) -> Vec<Line<'static>> {
    sheet.text(&format!("{}. Why? A line, or none.", label(is_complete)), TextStyle::Strong, 0)
}

fn label(is_complete: bool) -> &'static str {
    if is_complete { "COMPLETE" } else { "INCOMPLETE" }
}

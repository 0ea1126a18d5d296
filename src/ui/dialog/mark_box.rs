//! The box in which a person sets a mark, which overrides all evidence: choose it, give a reason, confirm.
//!
//! There are three steps, so that no letter of a reason is taken for an answer.

use ratatui::layout::{Position, Rect};
use ratatui::text::Line;

use super::field::{Field, Written};
use super::keys::{BoxAction, CONFIRM, FIELD, MARK, MarkKey, box_action, box_hints};
use super::{Context, Modal, Page, Step, page};
use crate::model::{Action, Intent, MarkOrder, Marks, OpenPoint, WorkspaceId, WorkspaceView};
use crate::present::mark;
use crate::present::phrases::mark as say;
use crate::ui::input::KeyPress;
use crate::ui::keymap::{Hint, command_of, hints_of};
use crate::ui::look::TextStyle;
use crate::ui::sheet::TextLayout;
use crate::ui::text;

/// A mark that is being made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkBox {
    workspace: WorkspaceId,
    /// Its name, cleaned.
    name: String,
    /// The person's earlier marks that still hold.
    marks: Marks,
    /// The open point under the cursor when the box opened: its id and its text.
    point: Option<(String, String)>,
    stage: Stage,
    /// The first visible line of the choices.
    top: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Stage {
    Choosing,
    Reasoning { order: MarkOrder, reason: Field },
    Asking { order: MarkOrder, reason: Option<String> },
}

impl Modal for MarkBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match &mut self.stage {
            Stage::Choosing => match box_action(MARK, press) {
                Some(BoxAction::Mark(key)) => self.choose(self.order(key)),
                Some(BoxAction::No) => Step::close(),
                Some(BoxAction::Move(step)) => self.scroll(step, context),
                Some(_) | None => Step::stay(),
            },
            Stage::Reasoning { order, reason } => match reason.key(press) {
                Written::More => Step::stay(),
                Written::Left => Step::close(),
                Written::Kept => {
                    let reason = Some(reason.text()).filter(|reason| !reason.is_empty());
                    self.stage = Stage::Asking { order: order.clone(), reason };
                    Step { is_new_question: true, ..Step::stay() }
                }
            },
            Stage::Asking { order, reason } => match command_of(CONFIRM, press) {
                Some(BoxAction::Yes) if !context.is_armed => Step::too_early(),
                Some(BoxAction::Yes) => {
                    let action = Action::Mark { order: order.clone(), reason: reason.clone() };
                    Step::want(Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) })
                }
                Some(BoxAction::No) => Step::close(),
                Some(_) | None => Step::stay(),
            },
        }
    }

    fn paste(&mut self, pasted: &str, _context: Context<'_>) -> Step {
        if let Stage::Reasoning { reason, .. } = &mut self.stage {
            reason.write(pasted);
        }
        Step::stay()
    }

    fn title(&self, _context: Context<'_>) -> String {
        format!("Mark  {}", self.name)
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        match &self.stage {
            Stage::Choosing => box_hints(MARK),
            Stage::Reasoning { .. } => hints_of(FIELD),
            Stage::Asking { .. } => page::armed(hints_of(CONFIRM), context),
        }
    }

    fn page(&self, context: Context<'_>) -> Option<Page> {
        let top = if matches!(self.stage, Stage::Choosing) { self.top } else { 0 };
        Some(Page { lines: self.lines(context), top })
    }

    fn top(&mut self) -> Option<&mut usize> {
        Some(&mut self.top)
    }

    fn cursor(&self, area: Rect, context: Context<'_>) -> Option<Position> {
        let Stage::Reasoning { order, reason } = &self.stage else { return None };
        let inner = page::inner(area);
        let n_above = u16::try_from(self.question(order, context.sheet()).len()).unwrap_or(u16::MAX);
        let below = Rect { y: inner.y.saturating_add(n_above), ..inner };
        let at = reason.cursor("because", context.sheet(), below);
        Some(Position { y: at.y.min(inner.bottom().saturating_sub(1)), ..at })
    }
}

impl MarkBox {
    pub(in crate::ui) fn new(view: &WorkspaceView, point: Option<&OpenPoint>) -> MarkBox {
        let point = point.filter(|point| point.is_open());
        MarkBox {
            workspace: view.id.clone(),
            name: text::line(&view.name),
            marks: view.marks.clone(),
            point: point.map(|point| (point.id.clone(), point.text.clone())),
            stage: Stage::Choosing,
            top: 0,
        }
    }

    /// The order for a key. The key of a mark that holds takes it back.
    fn order(&self, key: MarkKey) -> MarkOrder {
        let order = match key {
            MarkKey::Done => MarkOrder::Done,
            MarkKey::Open => MarkOrder::Open,
            MarkKey::Quiet => MarkOrder::Quiet,
            MarkKey::NotOfThisTask => {
                MarkOrder::NotOfThisTask { point: self.point.as_ref().map(|(id, _)| id.clone()) }
            }
            MarkKey::BaselineHere => MarkOrder::BaselineHere,
            MarkKey::Kind(task_kind) => MarkOrder::TaskKind { task_kind },
            MarkKey::Clear => MarkOrder::Clear,
        };
        if self.marks.holds(&order) { MarkOrder::TakeBack { order: Box::new(order) } } else { order }
    }

    /// An order in words; a point is named by its text.
    fn label(&self, order: &MarkOrder) -> String {
        match (order, &self.point) {
            (MarkOrder::NotOfThisTask { point: Some(_) }, Some((_, text))) => {
                let point = Some(text.clone());
                text::line(&mark::order(&MarkOrder::NotOfThisTask { point }))
            }
            _ => text::line(&mark::order(order)),
        }
    }

    /// Chooses an order. Taking back and clearing need no reason; clearing needs a mark that holds.
    fn choose(&mut self, order: MarkOrder) -> Step {
        if !matches!(order, MarkOrder::Clear | MarkOrder::TakeBack { .. }) {
            self.stage = Stage::Reasoning { order, reason: Field::default() };
            return Step::stay();
        }
        if order == MarkOrder::Clear && !self.marks.is_any() {
            return Step::stay();
        }
        self.stage = Stage::Asking { order, reason: None };
        Step { is_new_question: true, ..Step::stay() }
    }

    fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        let sheet = context.sheet();
        match &self.stage {
            Stage::Choosing => self.choices(sheet),
            Stage::Reasoning { order, reason } => {
                let mut lines = self.question(order, sheet);
                lines.extend(reason.lines("because", sheet));
                lines
            }
            Stage::Asking { order: MarkOrder::Clear, .. } => {
                let mut lines = sheet.text(say::take_back_all(), TextStyle::Strong, 0);
                lines.extend(said(&self.marks, sheet));
                lines
            }
            Stage::Asking { order, reason } => {
                if let MarkOrder::TakeBack { order } = order {
                    return sheet.text(&say::take_back_it(self.label(order)), TextStyle::Strong, 0);
                }
                let mut lines = sheet.text(&say::mark_it(self.label(order)), TextStyle::Strong, 0);
                let reason = reason.as_deref().map_or_else(|| say::no_reason().to_owned(), text::line);
                lines.extend(sheet.labelled("because", &reason));
                lines
            }
        }
    }

    fn choices(&self, sheet: TextLayout) -> Vec<Line<'static>> {
        let mut lines = sheet.text("What is the state of the work here?", TextStyle::Strong, 0);
        let message = "Your word overrides all evidence until something comes up that you have not seen.";
        lines.extend(sheet.text(message, TextStyle::Faint, 0));
        lines.extend(said(&self.marks, sheet));
        lines.extend(
            mark::lapsed(&self.marks).iter().flat_map(|message| sheet.text(message, TextStyle::Open, 0)),
        );
        for binding in MARK {
            let BoxAction::Mark(key) = binding.command else { continue };
            if key == MarkKey::Clear && !self.marks.is_any() {
                continue;
            }
            let order = self.order(key);
            let is_special =
                matches!(order, MarkOrder::TakeBack { .. } | MarkOrder::NotOfThisTask { point: Some(_) });
            let message = if is_special { self.label(&order) } else { binding.help.to_owned() };
            lines.extend(sheet.labelled(&binding.first_key(), &message));
        }
        lines
    }

    fn question(&self, order: &MarkOrder, sheet: TextLayout) -> Vec<Line<'static>> {
        sheet.text(&format!("{}. Why? A line, or none.", self.label(order)), TextStyle::Strong, 0)
    }
}

/// The earlier marks that still hold.
fn said(marks: &Marks, sheet: TextLayout) -> Vec<Line<'static>> {
    mark::holding(marks, sheet.now)
        .iter()
        .flat_map(|fact| sheet.text(&text::line(fact), TextStyle::Good, 0))
        .collect()
}

//! The box that asks whether to do something that was planned: an undo, a redo, asking an agent. It
//! shows the facts of the plan and confirms exactly that plan.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::keys::{BoxAction, CONFIRM};
use super::{Context, Step, page};
use crate::model::{
    Action, AskPlan, ConfiguredCheck, Intent, RecordCost, RecordOrder, RunningAction, UndoPlan, WorkspaceId,
    WorkspaceView,
};
use crate::present::phrases::checks;
use crate::ui::input::KeyPress;
use crate::ui::keymap::{Hint, action_of, hints_of};
use crate::ui::text;

/// A plan before a person said yes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmBox {
    workspace: WorkspaceId,
    /// Its name, cleaned.
    name: String,
    asked: Asked,
    top: usize,
}

/// What is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) enum Asked {
    /// Whether to take a rescue back, or to make it again.
    Undo(Arc<UndoPlan>),
    /// Whether to record so much, before anything is planned.
    Size(RecordCost),
    /// Whether to ask the agent.
    Agent(Arc<AskPlan>),
    /// Whether to run the checks that are configured.
    Checks(Vec<ConfiguredCheck>),
    /// Whether to end the turn in which an agent answers a reply.
    EndTurn(Arc<RunningAction>),
}

impl ConfirmBox {
    /// A box for a plan.
    pub(in crate::ui) fn new(view: &WorkspaceView, asked: Asked) -> ConfirmBox {
        ConfirmBox { workspace: view.id.clone(), name: text::line(&view.name), asked, top: 0 }
    }

    pub(super) fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    pub(super) fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match action_of(CONFIRM, press) {
            Some(BoxAction::Yes) if context.is_armed => self.yes(),
            Some(BoxAction::Yes) => Step::too_early(),
            Some(BoxAction::No) => Step::close(),
            Some(BoxAction::Move(step)) => {
                self.top = step.scroll(self.top, self.lines(context).len(), context.n_shown());
                Step::stay()
            }
            Some(_) | None => Step::stay(),
        }
    }

    fn yes(&self) -> Step {
        let action = match &self.asked {
            Asked::Undo(plan) => Action::Undo { plan: Box::new((**plan).clone()) },
            Asked::Size(_) => Action::PlanRescue {
                message: None,
                order: RecordOrder { is_size_allowed: true, ..RecordOrder::default() },
            },
            Asked::Agent(plan) => Action::Ask { plan: Box::new((**plan).clone()) },
            Asked::Checks(_) => Action::RunChecks,
            Asked::EndTurn(turn) => {
                let workspace = self.workspace.clone();
                return Step::want(Intent::CancelAction { workspace, number: turn.number });
            }
        };
        Step::want(Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) })
    }

    pub(super) fn scroll(&mut self, by: isize, context: Context<'_>) -> Step {
        let step = crate::ui::steps::Step::By(by);
        self.top = step.scroll(self.top, self.lines(context).len(), context.n_shown());
        Step::stay()
    }

    pub(super) fn title(&self) -> String {
        let what = match &self.asked {
            Asked::Undo(plan) => page::undo_title(plan),
            Asked::Size(_) => "Record a lot",
            Asked::Agent(plan) => page::ask_title(plan),
            Asked::Checks(_) => checks::title(),
            Asked::EndTurn(_) => "End a turn",
        };
        format!("{what}  {}", self.name)
    }

    pub(super) fn remark(&self, context: Context<'_>) -> String {
        page::place(self.top, self.lines(context).len(), context.n_shown())
    }

    pub(super) fn height(&self, context: Context<'_>) -> u16 {
        u16::try_from(self.lines(context).len()).unwrap_or(u16::MAX)
    }

    pub(super) fn draw(&self, buffer: &mut Buffer, area: Rect, context: Context<'_>) {
        page::draw(buffer, area, self.lines(context), self.top);
    }

    pub(super) fn hints(context: Context<'_>) -> Vec<Hint> {
        page::armed(hints_of(CONFIRM), context)
    }

    fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        match &self.asked {
            Asked::Undo(plan) => page::undo(plan, context.sheet()),
            Asked::Size(cost) => page::size(*cost, context.sheet()),
            Asked::Agent(plan) => page::ask(plan, context.sheet()),
            Asked::Checks(checks) => page::checks(checks, context.sheet()),
            Asked::EndTurn(turn) => page::end_turn(turn, context.sheet()),
        }
    }
}

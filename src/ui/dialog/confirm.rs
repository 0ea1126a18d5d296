//! The box that asks before a planned action is carried out: an undo, a redo, asking an agent. It shows the
//! facts of the plan and confirms exactly that plan.

use std::sync::Arc;

use ratatui::text::Line;

use super::keys::{BoxAction, CONFIRM, box_action, box_hints};
use super::{Context, Modal, Page, Step, page};
use crate::model::{
    Action, AskPlan, BranchPlan, ConfiguredCheck, Intent, RecordCost, RecordOrder, RunningAction, TrustList,
    UndoPlan, WorkspaceId, WorkspaceView,
};
use crate::present::phrases::{checks, loose};
use crate::ui::input::KeyPress;
use crate::ui::keymap::Hint;
use crate::ui::text;

/// A plan that the person has not yet confirmed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConfirmBox {
    workspace: WorkspaceId,
    /// Its name, cleaned.
    name: String,
    asked: Asked,
    top: usize,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::ui) enum Asked {
    /// Undo a rescue, or redo it.
    Undo(Arc<UndoPlan>),
    /// Create a branch for commits that none holds.
    Branch(Arc<BranchPlan>),
    /// Record this much, before anything is planned.
    Size(RecordCost),
    Agent(Arc<AskPlan>),
    /// Run the configured checks, and trust what they run if that is not trusted yet.
    Checks(Vec<ConfiguredCheck>, Option<Arc<TrustList>>),
    /// End the turn in which an agent answers a reply.
    EndTurn(Arc<RunningAction>),
}

impl Modal for ConfirmBox {
    fn workspace(&self) -> &WorkspaceId {
        &self.workspace
    }

    fn key(&mut self, press: KeyPress, context: Context<'_>) -> Step {
        match box_action(CONFIRM, press) {
            Some(BoxAction::Yes) if context.is_armed => self.yes(),
            Some(BoxAction::Yes) => Step::too_early(),
            Some(BoxAction::No) => Step::close(),
            Some(BoxAction::Move(step)) => self.scroll(step, context),
            Some(_) | None => Step::stay(),
        }
    }

    fn title(&self, _context: Context<'_>) -> String {
        let what = match &self.asked {
            Asked::Undo(plan) => page::undo_title(plan),
            Asked::Branch(_) => loose::title(),
            Asked::Size(_) => "Record a lot",
            Asked::Agent(plan) => page::ask_title(plan),
            Asked::Checks(..) => checks::title(),
            Asked::EndTurn(_) => "End a turn",
        };
        format!("{what}  {}", self.name)
    }

    fn hints(&self, context: Context<'_>) -> Vec<Hint> {
        page::armed(box_hints(CONFIRM), context)
    }

    fn page(&self, context: Context<'_>) -> Option<Page> {
        Some(Page { lines: self.lines(context), top: self.top })
    }

    fn top(&mut self) -> Option<&mut usize> {
        Some(&mut self.top)
    }
}

impl ConfirmBox {
    pub(in crate::ui) fn new(view: &WorkspaceView, asked: Asked) -> ConfirmBox {
        ConfirmBox { workspace: view.id.clone(), name: text::line(&view.name), asked, top: 0 }
    }

    fn yes(&self) -> Step {
        let action = match &self.asked {
            Asked::Undo(plan) => Action::Undo { plan: Box::new((**plan).clone()) },
            Asked::Branch(plan) => Action::KeepCommits { plan: Box::new((**plan).clone()) },
            Asked::Size(_) => Action::PlanRescue {
                message: None,
                order: RecordOrder { is_size_allowed: true, ..RecordOrder::default() },
            },
            Asked::Agent(plan) => Action::Ask { plan: Box::new((**plan).clone()) },
            Asked::Checks(_, untrusted) => {
                Action::RunChecks { trusting: untrusted.as_ref().map(|list| list.digest.clone()) }
            }
            Asked::EndTurn(turn) => {
                let workspace = self.workspace.clone();
                return Step::want(Intent::CancelAction { workspace, number: turn.number });
            }
        };
        Step::want(Intent::Action { workspace: self.workspace.clone(), action: Box::new(action) })
    }

    fn lines(&self, context: Context<'_>) -> Vec<Line<'static>> {
        match &self.asked {
            Asked::Undo(plan) => page::undo(plan, context.sheet()),
            Asked::Branch(plan) => page::branch(plan, context.sheet()),
            Asked::Size(cost) => page::size(*cost, context.sheet()),
            Asked::Agent(plan) => page::ask(plan, context.sheet()),
            Asked::Checks(checks, untrusted) => page::checks(checks, untrusted.as_deref(), context.sheet()),
            Asked::EndTurn(turn) => page::end_turn(turn, context.sheet()),
        }
    }
}

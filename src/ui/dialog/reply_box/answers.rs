//! Applies the engine's answers to the reply box.

use super::reply::{Confirm, ReplyBox, Stage, Stop};
use super::sessions;
use crate::model::{ActionClass, ActionKind, ActionOutcome, ActionProblem, Receipt, ReplyPlan};
use crate::present::action;
use crate::ui::dialog::{Context, Step};
use crate::ui::text_area::TextArea;

impl ReplyBox {
    /// Applies the outcome of an action on its workspace; `None` if it does not concern this box.
    #[expect(clippy::wildcard_enum_match_arm, reason = "no other outcome is one of a reply")]
    pub(super) fn answered(
        &mut self,
        kind: ActionKind,
        outcome: &ActionOutcome,
        context: Context<'_>,
    ) -> Option<Step> {
        match outcome {
            ActionOutcome::ReplyPlanned(plan) if plan.session == self.session => {
                Some(self.planned(plan, context))
            }
            ActionOutcome::Replied(receipt) if receipt.session == self.session => Some(self.replied(receipt)),
            ActionOutcome::Failed(problem) => self.failed(kind, problem),
            // A plan for the previous session: the one for this session may have been refused because another
            // action was running.
            ActionOutcome::ReplyPlanned(_) => {
                let is_waiting = matches!(self.stage, Stage::Stopped(Stop::NoWay(_)));
                let intents = if is_waiting { self.plan_again(context.view) } else { Vec::new() };
                Some(Step { intents, ..Step::stay() })
            }
            _ => None,
        }
    }

    /// The box is shown as new, since a plan or a permission prompt may appear while somebody is typing.
    fn planned(&mut self, plan: &ReplyPlan, context: Context<'_>) -> Step {
        if matches!(self.stage, Stage::Sending { .. }) {
            return Step::stay();
        }
        // The turn ended or began while the plan was made.
        if self.was_busy != sessions::is_busy(context.view, &self.session) {
            return self.plan_anew(context);
        }
        self.stage = Stage::Planned { plan: Box::new(plan.clone()), confirm: Confirm::Nothing };
        ReplyBox::shown_anew(Vec::new())
    }

    fn failed(&mut self, kind: ActionKind, problem: &ActionProblem) -> Option<Step> {
        let stop = match (kind, &self.stage) {
            (ActionKind::Plan, Stage::Planning) => Stop::NoWay(problem.clone()),
            (ActionKind::Reply, Stage::Sending { .. }) => Stop::Failed(problem.clone()),
            _ => return None,
        };
        self.stage = Stage::Stopped(stop);
        Some(Step::stay())
    }

    fn replied(&mut self, receipt: &Receipt) -> Step {
        let words = action::receipt(receipt);
        if receipt.state.class() != ActionClass::Done {
            if matches!(self.stage, Stage::Sending { .. }) {
                self.stage = Stage::Stopped(Stop::Receipt(Box::new(receipt.clone())));
            }
            return Step::stay();
        }
        let is_its = match &self.stage {
            Stage::Sending { text, .. } => {
                if text.is_some() {
                    self.area = TextArea::default();
                }
                true
            }
            // Text typed into the pane that was later found in the record. Text written since then stays.
            Stage::Stopped(Stop::Receipt(before)) if before.id == receipt.id => {
                let is_unchanged = receipt.is_of(self.area.text());
                if is_unchanged {
                    self.area = TextArea::default();
                }
                is_unchanged
            }
            Stage::Stopped(_) | Stage::Choosing { .. } | Stage::Planning | Stage::Planned { .. } => false,
        };
        // The engine forgets the draft of an answered session, so text still in the box is kept again.
        let intents = if self.area.is_empty() { Vec::new() } else { vec![self.keep()] };
        if is_its {
            Step { intents, answer: Some(words), ..Step::close() }
        } else {
            // The receipt of an earlier reply, while another is being written.
            self.remark = Some(words);
            Step { intents, ..Step::stay() }
        }
    }
}

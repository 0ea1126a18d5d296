//! Judges what an iteration left and, with `--verify`, has an agent verify it item by item once nothing else
//! is left to do. What remains open goes into the next prompt. It must not decide what follows.

use crate::cli::exit::Failure;
use crate::cli::output;
use crate::engine::{EngineConfig, OneShot};
use crate::model::{
    Action, ActionOutcome, AskOptions, AskPlan, AskPurpose, Source, Verdict, VerdictState, VerifyReport,
    WorkspaceView,
};

use super::driver::{Driver, unkept};
use super::judging;
use super::report::RunNews;
use crate::judge::gate::are_checks;

pub(super) struct Found {
    pub(super) view: Option<WorkspaceView>,
    /// Why the closer could not be asked, or its answer not be used.
    pub(super) problem: Option<String>,
    /// The cost of asking, in millionths of a dollar, if it is known.
    pub(super) cost_micros: Option<u64>,
}

impl Driver<'_> {
    /// The parameters for judging the last iteration; `None` before the first.
    fn judging_config(&self) -> Result<Option<EngineConfig>, Failure> {
        let Some(last) = self.run.iterations.last() else { return Ok(None) };
        let text = judging::output_end(&self.folder.place("output"));
        let place = self.folder.place(judging::JUDGED_OUTPUT);
        let output = (!text.is_empty()).then_some(place.as_path());
        if output.is_some() {
            self.folder.begin(judging::JUDGED_OUTPUT, &text).map_err(unkept)?;
        }
        let about = (last.check_id.as_str(), last.end, output);
        judging::engine_config(self.environment, self.workspace.path(), &self.run, about).map(Some)
    }

    pub(super) fn judge(&self) -> Result<Option<WorkspaceView>, Failure> {
        let config = self.judging_config()?;
        let views = config.map(|config| OneShot::judge(&config).judged().views).unwrap_or_default();
        Ok(views.into_iter().next())
    }

    /// Judges the present state. Runs the configured checks if only they are missing, then asks the closer if
    /// only its answer is.
    pub(super) fn judge_and_verify(&mut self) -> Result<Found, Failure> {
        let config = self.judging_config()?;
        let Some(config) = config else { return Ok(Found { view: None, problem: None, cost_micros: None }) };
        let mut all = OneShot::judge(&config).ending_with(self.stop.clone());
        let mut judged = all.judged();
        let open = judged.views.first().and_then(|view| view.verdict.as_deref());
        if open.is_some_and(|verdict| are_checks(verdict.left_to_do.open().filter(|point| point.weighs))) {
            // As at a gate: if another iteration follows anyway, there is no need to wait for them.
            let _ =
                self.reporter.tell(RunNews::Note { text: "runs the checks that are configured".to_owned() });
            // A check that could not be run is reported in its row.
            let _ = all.action(&self.workspace, Action::RunChecks { trusting: None }, &|_| ());
            judged = all.judged();
        }
        output::notes(&judged.notices);
        let found = Found { view: judged.views.into_iter().next(), problem: None, cost_micros: None };
        let verdict = found.view.as_ref().and_then(|view| view.verdict.as_deref());
        if self.run.order.verify.is_none() || !verdict.is_some_and(waits_for_closer) {
            return Ok(found);
        }
        let asked = self.verify(&mut all);
        let view = all.judged().views.into_iter().next();
        Ok(match asked {
            Ok(report) => {
                let cost_micros = report.cost.micro_dollars;
                let problem =
                    report.error.map(|error| format!("the closer's answer cannot be used: {error}"));
                Found { view, problem, cost_micros }
            }
            Err(problem) => Found {
                view,
                problem: Some(format!("the closer was not asked: {problem}")),
                cost_micros: None,
            },
        })
    }

    /// Asks for a checklist; the error says why there is none.
    #[expect(
        clippy::wildcard_enum_match_arm,
        reason = "every other outcome is one that the action cannot have"
    )]
    fn verify(&self, all: &mut OneShot<'_>) -> Result<VerifyReport, String> {
        let with = self.run.order.verify.clone().filter(|agent| !agent.is_empty());
        let options = Box::new(AskOptions { with, ..AskOptions::default() });
        let plan = Action::PlanAsk { purpose: AskPurpose::Verify, session: None, options };
        let plan = match all.action(&self.workspace, plan, &|_| ()) {
            ActionOutcome::AskPlanned(plan) => *plan,
            other => return Err(why(other)),
        };
        let left = self.time_left().map_or(plan.timeout_seconds, |left| left.as_secs().max(1));
        let plan = AskPlan { timeout_seconds: plan.timeout_seconds.min(left), ..plan };
        let agent = plan.options.with.clone().unwrap_or_else(|| plan.session.agent.clone());
        // Tells a person who is watching what the wait is for.
        let _ = self.reporter.tell(RunNews::Note { text: format!("asks {agent} to verify the work") });
        match all.action(&self.workspace, Action::Ask { plan: Box::new(plan) }, &|_| ()) {
            ActionOutcome::Verified(report) => Ok(*report),
            other => Err(why(other)),
        }
    }
}

/// Whether only the closer's own word is missing. Its points remain open until it is asked again.
fn waits_for_closer(verdict: &Verdict) -> bool {
    let is_settled = matches!(verdict.state, VerdictState::Complete | VerdictState::Incomplete);
    let mut open = verdict.left_to_do.open().filter(|point| point.weighs);
    is_settled && open.all(|point| point.source == Source::Closer)
}

#[expect(clippy::wildcard_enum_match_arm, reason = "every other outcome is one that the action cannot have")]
fn why(outcome: ActionOutcome) -> String {
    match outcome {
        ActionOutcome::Failed(problem) => problem.message,
        other => format!("{:?}", other.class()),
    }
}

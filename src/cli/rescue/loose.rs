//! `closeout rescue` where all work is committed, and no branch holds the commits: shows the branch that would keep
//! them, and creates it once that is confirmed. It must not create another one.

use crate::model::{Action, ActionClass, ActionOutcome, BranchPlan, display_text};
use crate::present::phrases::loose as say;
use crate::present::rescue_json::BranchRow;
use crate::present::{action, baseline, counts};

use super::preview;
use crate::cli::exit::{Ended, Outcome};
use crate::cli::json::{self, Printed, unexpected};
use crate::cli::output;
use crate::cli::rescue_args::Rescue;
use crate::cli::target_workspace::{TargetWorkspace, confirm};

/// Asks about `plan` and carries it out.
pub(super) fn keep(
    target_workspace: &mut TargetWorkspace<'_>,
    plan: Box<BranchPlan>,
    rescue: &Rescue,
) -> Ended {
    if !rescue.json {
        output::print(&preview::branch_preview(&plan))?;
    }
    if rescue.dry_run {
        if rescue.json {
            Printed::new(ActionClass::Done, BranchRow::of(&plan, false)).print()?;
        }
        return Ok(Outcome::Action(ActionClass::Done));
    }
    let question = say::question(counts::commits(plan.n_commits), baseline::branch(&plan.branch));
    if !confirm(&display_text::line(&question), rescue.yes) {
        return json::declined("nothing was changed", rescue.json);
    }
    let outcome = target_workspace.act_or_signal(Action::KeepCommits { plan })?;
    let ActionOutcome::CommitsKept(plan) = &outcome else { return unexpected(&outcome, rescue.json) };
    if rescue.json {
        Printed::new(ActionClass::Done, BranchRow::of(plan, true)).print()?;
    } else {
        output::print_line(&action::label(&outcome))?;
        output::print_line("`closeout undo` removes the branch again")?;
    }
    Ok(Outcome::Action(ActionClass::Done))
}

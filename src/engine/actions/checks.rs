//! Runs the checks that the person configured for a workspace. No rule lives here: the monitor keeps the
//! results, and the judge decides what they mean.

use serde_json::json;

use super::tools::{Tools, cancelled};
use super::{model_judge, rescuer, trust};
use crate::action::checking::Checking;
use crate::engine::clock;
use crate::model::{ActionClass, ActionProblem, ActionRequest, CheckRecord};

pub(super) fn run(request: &ActionRequest, tools: &Tools<'_>) -> Result<Vec<CheckRecord>, ActionProblem> {
    let plan = &request.settings.checks;
    if plan.checks.is_empty() {
        return Err(ActionProblem::new(ActionClass::Nothing, "no check is configured for this workspace")
            .with_next("`[[check]]` in your configuration file names one"));
    }
    let workspace = request.workspace.path();
    let made = trust::rescuer_for(tools.config, workspace)?;
    let untrusted = match made.are_checks_trusted(workspace) {
        Ok(true) => None,
        Ok(false) => Some("it runs a file of the workspace that is not trusted: `closeout trust`".to_owned()),
        Err(error) => Some(rescuer::problem(&error).message),
    };
    let checking = Checking {
        workspace,
        plan,
        program_env: &made.program_env,
        launcher: made.launcher.clone(),
        cancel: tools.cancel,
        baseline: request.baseline.as_ref().and_then(|baseline| baseline.commit.as_deref()),
        context: context(request),
        content: request.looked_at.content.as_deref(),
        is_before_work: request.looked_at.is_before_work,
        standing: &request.looked_at.standing,
        records: &request.looked_at.records,
        ask_model: &|check, limit| model_judge::judge(request, tools, check, limit),
        now: clock::now,
        untrusted,
    };
    let records = checking.run(&|name| tools.say(&format!("check {name}")));
    if tools.cancel.is_cancelled() {
        return Err(cancelled());
    }
    Ok(records)
}

/// What an external check receives on its standard input.
fn context(request: &ActionRequest) -> String {
    let points = request.left_to_do.open();
    let points: Vec<_> =
        points.map(|point| json!({"source": point.source, "from": point.from, "text": point.text})).collect();
    let context = json!({
        "version": 1,
        "workspace": request.workspace.path(),
        "task_kind": request.task_kind,
        "baseline": request.baseline.as_ref().and_then(|baseline| baseline.commit.as_deref()),
        "prompt": request.prompt,
        "last_words": request.last_words,
        "left_to_do": points,
    });
    context.to_string()
}

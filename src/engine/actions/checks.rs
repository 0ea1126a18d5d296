//! Runs the checks that the person configured for a workspace. No rule lives here: the monitor keeps the
//! results, and the judge decides what they mean.

use serde_json::json;

use super::tools::{Tools, cancelled};
use super::{model_judge, rescuer, trust};
use crate::action::checking::Checking;
use crate::action::rescue::{Rescuer, runs_file_of};
use crate::engine::clock;
use crate::model::{ActionClass, ActionProblem, ActionRequest, CheckRecord, TrustList};

/// The longest text that a box of the screen shows whole, in bytes. Nobody trusts what is shown cut.
const MAX_SHOWN: usize = 16 * 1024;

/// Whether the checks can run: everything that the person would have to trust before, if there is anything.
pub(super) fn plan(
    request: &ActionRequest,
    tools: &Tools<'_>,
) -> Result<Option<Box<TrustList>>, ActionProblem> {
    let made = rescuer_of(request, tools)?;
    let workspace = request.workspace.path();
    match made.are_checks_trusted(workspace) {
        Ok(true) => Ok(None),
        Ok(false) => {
            let (list, _) = tools.config.trust_list(workspace)?;
            if list.items.iter().any(|item| item.content.len() > MAX_SHOWN) {
                let message =
                    "a part of what the checks run is too long to be shown here, and is not trusted";
                let problem = ActionProblem::new(ActionClass::Untrusted, message);
                return Err(problem.with_next("`closeout trust` shows it whole and asks"));
            }
            Ok(Some(Box::new(list)))
        }
        Err(error) => Err(rescuer::problem(&error)),
    }
}

/// Runs the checks. Before that, the person's trust in exactly the list with the digest `trusting` is kept.
pub(super) fn run(
    request: &ActionRequest,
    trusting: Option<&str>,
    tools: &Tools<'_>,
) -> Result<Vec<CheckRecord>, ActionProblem> {
    let plan = &request.settings.checks;
    let workspace = request.workspace.path();
    if let Some(digest) = trusting {
        let (list, _) = tools.config.trust_list(workspace)?;
        if list.digest != digest {
            let message = "what could run here changed since you looked; nothing is trusted, and nothing ran";
            return Err(ActionProblem::new(ActionClass::Refused, message).with_next("look again"));
        }
        tools.config.trust(workspace, &list)?;
    }
    let made = rescuer_of(request, tools)?;
    let are_trusted = made.are_checks_trusted(workspace);
    let untrusted = |command: &[String]| match &are_trusted {
        Ok(true) => None,
        // What one check runs does not keep another from running.
        Ok(false) | Err(_) if !runs_file_of(workspace, command) => None,
        Ok(false) => Some("it runs a file of the workspace that is not trusted: `closeout trust`".to_owned()),
        Err(error) => Some(rescuer::problem(error).message),
    };
    let checking = Checking {
        workspace,
        plan,
        program_env: &made.program_env,
        launcher: made.launcher.clone(),
        cancel: tools.cancel,
        baseline: request.baseline.as_ref().and_then(|baseline| baseline.commit),
        context: context(request),
        content: request.looked_at.content.as_deref(),
        is_before_work: request.looked_at.is_before_work,
        standing: &request.looked_at.standing,
        records: &request.looked_at.records,
        ask_model: &|check, limit| model_judge::judge(request, tools, check, limit),
        now: clock::now,
        untrusted: &untrusted,
    };
    let records = checking.run(&|name| tools.say(&format!("check {name}")));
    if tools.cancel.is_cancelled() {
        return Err(cancelled());
    }
    Ok(records)
}

/// What knows which programs the checks run; an error if no check is configured.
fn rescuer_of(request: &ActionRequest, tools: &Tools<'_>) -> Result<Rescuer, ActionProblem> {
    if request.settings.checks.checks.is_empty() {
        return Err(ActionProblem::new(ActionClass::Nothing, "no check is configured for this workspace")
            .with_next("`[[check]]` in your configuration file names one"));
    }
    trust::rescuer_for(tools.config, request.workspace.path())
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
        "baseline": request.baseline.as_ref().and_then(|baseline| baseline.commit),
        "task": request.task,
        "prompt": request.prompt,
        "last_words": request.last_words,
        "left_to_do": points,
    });
    context.to_string()
}

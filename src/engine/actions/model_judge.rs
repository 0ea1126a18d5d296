//! Asks a model for one check against written criteria, in a new session of an agent's program that reads and
//! changes nothing.
//!
//! It must never ask a session that is at work, and must reject an answer if files changed while it was asked.

use std::time::Duration;

use super::asking::{asker_of_new, in_new_session};
use super::prompts;
use super::refresher::Refresher;
use super::tools::Tools;
use crate::action::asking::Answer;
use crate::action::checking::CheckFinding;
use crate::agent::Asking;
use crate::judge::checkers::criteria;
use crate::model::{ActionRequest, CheckAsk, CheckResult, ConfiguredCheck};

/// Asks once, within `limit`.
pub(super) fn judge(
    request: &ActionRequest,
    tools: &Tools<'_>,
    check: &ConfiguredCheck,
    limit: Duration,
) -> CheckFinding {
    judged(request, tools, check, limit).unwrap_or_else(|why| CheckFinding::new(CheckResult::Broken, why))
}

fn judged(
    request: &ActionRequest,
    tools: &Tools<'_>,
    check: &ConfiguredCheck,
    limit: Duration,
) -> Result<CheckFinding, String> {
    let CheckAsk::Judge { agent, model, criteria: wanted, .. } = &check.ask else {
        return Err("it asks for no criteria".to_owned());
    };
    let refresher = Refresher::new(request, tools);
    let agent = agent.as_deref().or(request.first_session.as_ref().map(|session| session.agent.as_str()));
    let agent = agent.ok_or("no agent is named (`agent`), and none works here")?;
    let adapter = tools.adapter(agent).map_err(|problem| problem.message)?;
    let asking = Asking::Fresh {
        prompt: prompts::judge(request, &refresher, wanted),
        schema: prompts::JUDGE_SCHEMA.to_owned(),
        model: model.clone().or_else(|| tools.config.config.model_of(adapter.name())),
    };
    let before = refresher.signature();
    let (session, command) = in_new_session(request, adapter, &asking)?;
    let asked = asker_of_new(adapter, tools, limit).ask(adapter, &session, &command);
    refresher.check_unchanged(before).map_err(|problem| problem.message)?;
    let answer = match asked.answer.map_err(|why| format!("{}: {why}", adapter.name()))? {
        Answer::Structured(value) => value,
        Answer::Text(text) => criteria::find(&text)?,
    };
    let judged = criteria::read(&answer, wanted)?;
    let result = if judged.is_met { CheckResult::Passed } else { CheckResult::Failed };
    let feedback = format!("{}, asked anew: {}", adapter.name(), judged.feedback);
    Ok(CheckFinding { result, feedback, output: judged.lines })
}

//! Asks a model for one check by written criteria: a new session of an agent's program, which reads and changes nothing.
//!
//! It must never ask a session that works, and takes no answer whose asking changed files.

use std::time::Duration;

use super::prompts;
use super::refresher::Refresher;
use super::tools::Tools;
use crate::action::asking::{Answer, Asker};
use crate::action::checking::CheckFinding;
use crate::agent::{Adapter, AgentCommand, Asking};
use crate::judge::checkers::criteria;
use crate::model::{ActionRequest, CheckAsk, CheckResult, ConfiguredCheck, SessionObservation};
use crate::process::{self, Launcher};

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
    let adapter = adapter(request, tools, agent.as_deref())?;
    let asking = Asking::Fresh {
        prompt: prompts::judge(request, &refresher, wanted),
        schema: prompts::JUDGE_SCHEMA.to_owned(),
        model: model.clone().or_else(|| tools.config.config.model_of(adapter.name())),
    };
    let before = refresher.signature();
    let (session, command) = fresh(request, adapter, &asking)?;
    let asked = asker(adapter, tools, limit).ask(adapter, &session, &command);
    if let Some((before, after)) = before.zip(refresher.signature()) {
        let changed = before.differences(&after, request.workspace.path());
        if !changed.is_empty() {
            return Err(format!("asking changed files: {}; the answer is not used", changed.join(", ")));
        }
    }
    let answer = match asked.answer.map_err(|why| format!("{}: {why}", adapter.name()))? {
        Answer::Structured(value) => value,
        Answer::Text(text) => criteria::find(&text)?,
    };
    let judged = criteria::read(&answer, wanted)?;
    let result = if judged.is_met { CheckResult::Passed } else { CheckResult::Failed };
    let feedback = format!("{}, asked anew: {}", adapter.name(), judged.feedback);
    Ok(CheckFinding { result, feedback, output: judged.lines })
}

/// The agent whose program is asked.
fn adapter<'a>(
    request: &ActionRequest,
    tools: &Tools<'a>,
    agent: Option<&str>,
) -> Result<&'a Adapter, String> {
    let agent = agent.or(request.first_session.as_ref().map(|session| session.agent.as_str()));
    let agent = agent.ok_or("no agent is named (`agent`), and none works here")?;
    let found = tools.config.adapters.iter().find(|adapter| adapter.name() == agent);
    found.ok_or_else(|| format!("closeout does not know the agent {agent}"))
}

/// A new session in the workspace, and the command line that asks it.
pub(super) fn fresh(
    request: &ActionRequest,
    adapter: &Adapter,
    asking: &Asking,
) -> Result<(SessionObservation, AgentCommand), String> {
    let folder = Some(request.workspace.path().to_owned());
    let session = SessionObservation { folder, ..SessionObservation::named(adapter.name(), "") };
    let command = adapter.command(&session, asking);
    let command = command.ok_or_else(|| format!("{} cannot be asked in a new session", adapter.name()))?;
    Ok((session, command))
}

/// What asks a new session.
pub(super) fn asker(adapter: &Adapter, tools: &Tools<'_>, limit: Duration) -> Asker {
    Asker {
        environment: process::environment(&tools.config.variables, &adapter.facts().variables),
        launcher: tools.config.own_program.clone().map(|program| Launcher { program }),
        time_limit: limit,
        cancel: tools.cancel.clone(),
        record: None,
    }
}
